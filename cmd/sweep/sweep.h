/* SPDX-License-Identifier: GPL-2.0-only */
/* sweep.h - `cdict sweep`: its options, its runs, figures of recordings, its files. */
#ifndef CMD_SWEEP_SWEEP_H
#define CMD_SWEEP_SWEEP_H

#include "cmd/core/options.h"
#include "cmd/sweep/run/sweep.h"

struct sweep_opts {
	struct options_shared shared;
	struct cmd_list params;  /* "param=b=1,2", "parameter-scan=b=1..9" */
	struct cmd_list metrics; /* "metric=wall" */
	struct cmd_list outputs; /* "output=x.svg" */
	struct cmd_list marks;
	uint64_t runs, warmup, max_values;
	bool drop_first, ignore_failure, restart, record;
	const char *setup, *prepare, *cleanup, *shell;
	const char *plot, *title, *x, *step, *export_json;
	int x_scale, y_scale, theme;
	uint64_t width, height;
	const char *keep;
	const char *window_start, *window_end, *window_pick; /* for reading recordings */
};

/* --- record.c: figures of recordings */

extern const struct sweep_recorder sweep_recorder;
const char *sweep_record_events(void); /* the default events */
bool sweep_record_windows(void);       /* whether tables support windows between markers */
/* sweep_record_run - a callback .inside of sweep_exec: runs `cdict record` of its command into its
 * file. */
int sweep_record_run(const struct sweep_exec *e);
/* sweep_record_check - CDICT_ELIMIT when @path lost too much; *@span_ns: its duration. */
int sweep_record_check(const char *path, double max_loss_pct, uint64_t *span_ns,
		       struct cdict_error *err);

/* --- command.c: the operands */

/* sweep_command_take - the words of one command, after "--", or one or more command lines. CDICT_EUSAGE. */
int sweep_command_take(struct sweep *s, const struct cmd_call *call, struct cdict_error *err);

/* sweep_loop - makes the runs missing in s->done, adding each to it and to @journal; a status. */
int sweep_loop(const struct cmd_call *call, struct sweep *s, struct sweep_journal *journal);

/* --- outputs.c: the files */

/* sweep_outputs_check - checks, before anything runs, that all files can be written, and the values of
 * --x and --mark; a status. */
int sweep_outputs_check(const struct cmd_call *call, const struct sweep *s);
/* sweep_outputs_write - writes the files, and the table to standard output; a status. */
int sweep_outputs_write(const struct cmd_call *call, const struct sweep *s);
/* sweep_outputs_beside - "disk.json" for "disk.svg", given: from the first output, or "sweep";
 * NULL: out of memory. */
char *sweep_outputs_beside(const struct sweep_opts *o, const char *ending);

#endif
