/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * figures.h - the way every table command goes: open the file, make the filter,
 * set up the walk, walk, name the tasks, print, tell the status.
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
 * A command that does more than that between the steps goes them itself: figures_open(), ...
 */
#ifndef CMD_FIGURES_H
#define CMD_FIGURES_H

#include "cmd/core/options.h"
#include "tables/columns/tables.h"

/* As many as a command prints. */
#define FIGURES_TABLES 6
/* A table of more files than that nobody looks at. */
#define FIGURES_FILES 256

struct figures {
	const struct cmd_call *call;
	const struct options_shared *opts;
	const char *file;
	struct cdict_reader *reader;
	struct options_filter filter;
	struct label_index *labels; /* of the file and of --map */
	struct tables_walk walk;
	const char *chart; /* of struct table_frame; borrowed */
	/* Of a command that got several files: its tables wait here for those of the others. */
	bool several;
	size_t nth; /* of the files */
	struct table *kept[FIGURES_TABLES];
	size_t n_kept;
	char *kept_note, *kept_chart;
	bool lacks; /* figures_lacks() was called */
};

/* figures_command - one walk over each of the command's files; a status.  @add registers the
 * analyses: 0 or a negative code with *err filled.  @print, after the walk, warns of what the
 * capture lacks and prints; a status. */
int figures_command(const struct cmd_call *call,
		    int (*add)(struct figures *f, struct cdict_error *err),
		    int (*print)(struct figures *f));

/* The steps of it.  Each returns CMD_DONE, or the status of a failure that was reported. */
int figures_open(struct figures *f, const struct cmd_call *call);
/* figures_open_file - the same for a command that takes several files. */
int figures_open_file(struct figures *f, const struct cmd_call *call, const char *file);
/* Between the two the command registers its analyses with f->walk. */
int figures_run(struct figures *f);
/* figures_any_task - after that: whether a task is what --task, --tid and --vm ask for;
 * figures_no_task - says that none is. */
bool figures_any_task(const struct figures *f);
int figures_no_task(const struct figures *f);
/* figures_run_wanted - the three in one, for a command of one capture. */
int figures_run_wanted(struct figures *f);
/* figures_lacks - the capture has none of the events that all of what was asked for comes from: warns of that, with
 * what to record. It is printed as it is, empty; the status is CMD_DAMAGED. */
void figures_lacks(struct figures *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* figures_has_switch - whether the capture has sched_switch; figures_lacks() when not: "nobody
 * knows who @did", which is "ran" or "waited". */
bool figures_has_switch(struct figures *f, const char *did);
/* figures_has_vcpus - whether it has entries or exits of guests; figures_lacks() when not. */
bool figures_has_vcpus(struct figures *f);
/* figures_status - when all was read and printed: cmd_loss_status(), or that of figures_lacks(). */
int figures_status(const struct figures *f);
/* figures_print - of several files: keeps the tables, to be printed as one with a column that tells the
 * file; else sorts the tables, the first one by -s, cuts that by -n, prints all and frees
 * them; one that is NULL could not be made: out of memory. */
int figures_print(struct figures *f, const char *note, struct table **tables, size_t n);
/* figures_print_all - prints tables that are sorted and cut already, and stay the caller's. */
int figures_print_all(struct figures *f, const char *note, struct table *const *tables, size_t n);
/* figures_sort - the first one by -s, and cut by -n; one that is NULL could not be made: -ENOMEM. */
int figures_sort(struct table **tables, size_t n, const struct options_shared *o,
		 struct cdict_error *err);
/* figures_to_stdout - prints as -F asks, by a pager what is long; reports a failure as that of @file, a status.
 * @apart: behind an empty line. */
int figures_to_stdout(const struct cmd_call *call, const char *file, struct table_frame *frame,
		      bool apart, struct table *const *tables, size_t n);
/* figures_frame - what stands around tables of the capture. */
struct table_frame figures_frame(const struct figures *f, const char *note);
/* figures_tell_loss - warns of what is lost: CSV has no place for it. */
void figures_tell_loss(const struct figures *f);
void figures_close(struct figures *f);

/* figures_fail - reports @err about the file; CMD_USAGE or CMD_FAILED. */
int figures_fail(const struct figures *f, const struct cdict_error *err);
int figures_no_memory(const struct figures *f);

#endif
