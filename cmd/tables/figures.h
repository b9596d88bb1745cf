/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * figures.h - the steps of all table commands: open the file, make the filter, set up the walk,
 * walk, name the tasks, print, return the status.
 *
 *	static int look_add(struct figures *f, struct cdict_error *err)
 *	{
 *		return analyze_look_new(&f->walk.look, f->walk.eng, NULL, err);
 *	}
 *	static int look_print(struct figures *f)
 *	{
 *		struct table *t = tables_look(&f->walk);
 *
 *		return figures_print(f, NULL, &t, 1);
 *	}
 *
 *	return figures_command(call, look_add, look_print);
 *
 * A command that needs more between these steps calls them itself: figures_open(), ...
 */
#ifndef CMD_TABLES_FIGURES_H
#define CMD_TABLES_FIGURES_H

#include "cmd/core/options.h"
#include "tables/columns/tables.h"

/* Limit of tables that a command prints. */
#define FIGURES_TABLES 8
/* Limit of files in one command. */
#define FIGURES_FILES 256

struct figures {
	const struct cmd_call *call;
	const struct options_shared *opts;
	const char *file;
	struct cdict_reader *reader;
	struct options_filter filter;
	struct label_index *labels; /* from the file and --map */
	struct tables_walk walk;
	const char *chart;     /* for struct table_frame; borrowed */
	unsigned most_columns; /* of text that is not on a terminal; 0: no limit */
	/* For a command with several files: the tables kept until all files are done. */
	bool several;
	size_t nth; /* index of the file */
	struct table *kept[FIGURES_TABLES];
	size_t n_kept;
	char *kept_note, *kept_chart;
	bool lacks;      /* figures_lacks() was called */
	char remedy[48]; /* text of figures_remedy() */
};

/* figures_command - makes one walk over each of the command's files; a status. @add registers the
 * analyses: 0 or a negative code with *err filled. @print is called after the walk; it warns about
 * missing events and prints; a status. */
int figures_command(const struct cmd_call *call,
		    int (*add)(struct figures *f, struct cdict_error *err),
		    int (*print)(struct figures *f));

/* The single steps. Each returns CMD_DONE, or the status of a failure that was reported. */
int figures_open(struct figures *f, const struct cmd_call *call);
/* figures_open_file - like figures_open(), for a command that takes several files. */
int figures_open_file(struct figures *f, const struct cmd_call *call, const char *file);
/* figures_open_events - the same, with all events of a perf recording. */
int figures_open_events(struct figures *f, const struct cmd_call *call, const char *file);
/* Before this, the command registers its analyses with f->walk. */
int figures_run(struct figures *f);
/* figures_any_task - after the walk: whether any task matches --task, --tid and --vm;
 * figures_no_task - reports that none does. */
bool figures_any_task(const struct figures *f);
int figures_no_task(const struct figures *f);
/* figures_run_wanted - these three steps, for a command with one capture. */
int figures_run_wanted(struct figures *f);
/* figures_lacks - the capture has none of the events that the requested figures come from: warns,
 * and says what to record. The empty tables are still printed; the status becomes CMD_DAMAGED. */
void figures_lacks(struct figures *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* figures_left_out - whether perf.data had events of @group that the conversion left out. */
bool figures_left_out(const struct figures *f, const char *group);
/* figures_remedy - how to get events of @group, for such a message: "record with -e 'kvm:*'", or
 * "convert with ..." if the conversion left them out. Valid until the next call. */
const char *figures_remedy(struct figures *f, const char *group);
/* figures_has_switch - whether the capture has sched_switch; if not, calls figures_lacks().  @did, "ran" or
 * "waited", ends its message. */
bool figures_has_switch(struct figures *f, const char *did);
/* figures_has_vcpus - whether it has guest entries or exits; if not, calls figures_lacks(). */
bool figures_has_vcpus(struct figures *f);
/* figures_status - the status after everything was read and printed: cmd_loss_status(), or that of
 * figures_lacks(). */
int figures_status(const struct figures *f);
/* figures_print - with several files: keeps the tables, to be printed as one with a column for the
 * file; else sorts the tables, the first one by -s, cuts that one by -n, prints and frees all; a
 * NULL table means out of memory. */
int figures_print(struct figures *f, const char *note, struct table **tables, size_t n);
/* figures_print_all - prints tables that are already sorted and cut, and remain the caller's. */
int figures_print_all(struct figures *f, const char *note, struct table *const *tables, size_t n);
/* figures_sort - sorts the tables, the first one by -s, and cuts that one by -n; a NULL table means
 * out of memory: -ENOMEM. */
int figures_sort(struct table **tables, size_t n, const struct options_shared *o,
		 struct cdict_error *err);
/* figures_to_stdout - prints in the format of -F, with a pager for long output; reports a failure
 * for @file, a status. @apart: after an empty line. */
int figures_to_stdout(const struct cmd_call *call, const char *file, struct table_frame *frame,
		      bool apart, struct table *const *tables, size_t n);
/* figures_frame - title, notes and other text around tables of the capture. */
struct table_frame figures_frame(const struct figures *f, const char *note);
/* figures_report_loss - warns about lost events: for CSV, which does not contain them. */
void figures_report_loss(const struct figures *f);
void figures_close(struct figures *f);

/* figures_fail - reports @err about the file; CMD_USAGE or CMD_FAILED. */
int figures_fail(const struct figures *f, const struct cdict_error *err);
int figures_no_memory(const struct figures *f);

#endif
