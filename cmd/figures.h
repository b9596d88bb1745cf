/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * figures.h - the way every table command goes: open the file, make the filter,
 * set up the engine, walk, name the tasks, print, tell the status.
 *
 *	static int look_add(struct figures *f, void *look, struct cdict_error *err)
 *	{
 *		return analyze_look_new(look, f->eng, err);
 *	}
 *	static const struct figures_frame look_frame = { look_add, look_print, look_free };
 *
 *	struct analyze_look *look = NULL;
 *	return figures_command(call, &look_frame, &look);
 *
 * A command that does more than that between the steps goes them itself: figures_open(), ...
 */
#ifndef CMD_FIGURES_H
#define CMD_FIGURES_H

#include "analyze/engine.h"
#include "analyze/unknown.h"
#include "cmd/names.h"
#include "cmd/options.h"
#include "cmd/table.h"

/* The columns with which every table of tasks begins. */
enum {
	TASK_NAME = 0,
	TASK_TID,
	TASK_PID,
	TASK_COMM,
	TASK_VM,
	TASK_VCPU,
	TASK_COLUMNS,
};
#define FIGURES_TASK_COLUMNS                                                                       \
	[TASK_NAME] = { "name", "task", TABLE_TEXT, 0 },                                           \
	[TASK_TID] = { "tid", "tid", TABLE_INTEGER, 0 },                                           \
	[TASK_PID] = { "pid", "pid", TABLE_INTEGER, TABLE_MACHINE },                               \
	[TASK_COMM] = { "comm", "comm", TABLE_TEXT, TABLE_MACHINE },                               \
	[TASK_VM] = { "vm", "vm", TABLE_TEXT, 0 }, [TASK_VCPU] = { "vcpu", "vcpu", TABLE_INTEGER, 0 }

struct figures {
	const struct cmd_call *call;
	const struct options_shared *opts;
	const char *file;
	struct cdict_reader *reader;
	struct options_filter filter;
	int32_t *nodes;
	struct analyze_engine *eng;
	struct analyze_unknown *unknown;
	struct label_index *labels; /* of the file and of --map */
	struct names names;
	uint64_t unknown_ns;
	const char *chart; /* of struct table_frame; borrowed */
};

/* What a command adds to the way; @state is its own. */
struct figures_frame {
	/* Registers the analyses with f->eng; 0 or a negative code with *err filled. */
	int (*add)(struct figures *f, void *state, struct cdict_error *err);
	/* After the walk: warns of what the capture lacks, prints; a status. */
	int (*print)(struct figures *f, void *state);
	/* Frees the analyses; also after a failure, then of any of them there may be none. */
	void (*free)(void *state);
};
/* figures_command - one walk over the command's one FILE; a status. */
int figures_command(const struct cmd_call *call, const struct figures_frame *frame, void *state);

/* The steps of it.  Each returns CMD_DONE, or the status of a failure that was reported. */
int figures_open(struct figures *f, const struct cmd_call *call);
/* figures_open_file - the same for a command that takes several files. */
int figures_open_file(struct figures *f, const struct cmd_call *call, const char *file);
/* Between the two the command registers its analyses with f->eng. */
int figures_run(struct figures *f);
/* figures_has_switch - whether the capture has sched_switch; warns when not: "nobody
 * knows who @did", which is "ran" or "waited". */
bool figures_has_switch(const struct figures *f, const char *did);
/* figures_has_wakeups - whether the capture has sched_waking or sched_wakeup: else nobody knows
 * how often a task was woken, and a cell stays empty. */
bool figures_has_wakeups(const struct figures *f);
/* figures_print - sorts the first table by -s (else by @preset; NULL: as it is), cuts it by
 * -n and prints all. */
int figures_print(struct figures *f, const char *note, const char *preset,
		  struct table *const *tables, size_t n);
/* figures_name_cell, figures_vm_cell - one of them; their text is given by names_display()
 * and names_vm(), and they are sorted by the group first. */
void figures_name_cell(struct table *t, size_t column, const struct figures *f,
		       const struct analyze_task *task, const char *name);
void figures_vm_cell(struct table *t, size_t column, const struct figures *f,
		     const struct analyze_task *task, const char *vm);
/* figures_task_cells - fills those columns and marks the row; a status. */
int figures_task_cells(struct table *t, const struct figures *f, const struct analyze_task *task);
/* figures_who - the task as a sentence names it, so that its likes can be told apart:
 * "CPU 0/KVM-1044" with its VM, "worker-1279" with its tid; given, NULL: out of memory. */
char *figures_who(const struct figures *f, const struct analyze_task *task);
/* figures_lossy - whether missing events can have changed the task's figures. */
bool figures_lossy(const struct figures *f, const struct analyze_task *task);
/* figures_print_all - the same for tables that are sorted and cut already. */
int figures_print_all(struct figures *f, const char *note, struct table *const *tables, size_t n);
/* figures_write - the same to a sink of the caller's, text only, without a status of loss. */
int figures_write(struct figures *f, struct sink *s, const char *note, struct table *const *tables,
		  size_t n);
void figures_close(struct figures *f); /* after the analyses were freed */

/* figures_fail - reports @err about the file; CMD_USAGE or CMD_FAILED. */
int figures_fail(const struct figures *f, const struct cdict_error *err);
int figures_no_memory(const struct figures *f);

#endif
