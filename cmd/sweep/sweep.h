/* SPDX-License-Identifier: GPL-2.0-only */
/* sweep.h - `cdict sweep`: its options, its runs one after the other, what of them was recorded, its files. */
#ifndef CMD_SWEEP_H
#define CMD_SWEEP_H

#include "cmd/core/options.h"
#include "cmd/sweep/run/sweep.h"

struct sweep_opts {
	struct options_shared shared;
	struct cmd_list params;  /* "param=b=1,2" */
	struct cmd_list metrics; /* "metric=wall" */
	struct cmd_list outputs; /* "output=x.svg" */
	struct cmd_list marks;
	uint64_t runs, warmup;
	bool drop_first, ignore_failure, restart, record;
	const char *setup, *prepare, *cleanup, *shell;
	const char *plot, *title, *x;
	int x_scale, y_scale, theme;
	uint64_t width, height;
	const char *keep;
	const char *window_start, *window_end, *window_pick; /* for who looks at a recording */
};

/* --- sweep_record.c: figures of what was recorded */

extern const struct sweep_recorder sweep_recorder;
const char *sweep_record_events(void); /* those that are recorded unless told */
bool sweep_record_windows(void);       /* the tables know windows between markers */
/* sweep_record_run - a sweep_exec's .inside: `cdict record` of its command into its file. */
int sweep_record_run(const struct sweep_exec *e);
/* sweep_record_check - CDICT_ELIMIT when @path lost too much; *@span_ns: how long it is. */
int sweep_record_check(const char *path, double max_loss_pct, uint64_t *span_ns,
		       struct cdict_error *err);

/* sweep_loop - the runs that s->done lacks, each into it and into @journal; a status. */
int sweep_loop(const struct cmd_call *call, struct sweep *s, struct sweep_journal *journal);

/* --- sweep_outputs.c: the files */

/* sweep_outputs_check - before anything runs: that all can be written, and what --x, --mark ask for is there. */
/* A status. */
int sweep_outputs_check(const struct cmd_call *call, const struct sweep *s);
/* sweep_outputs_write - the files, and the table to standard output; a status. */
int sweep_outputs_write(const struct cmd_call *call, const struct sweep *s);
/* sweep_outputs_beside - "disk.json" of "disk.svg", given: the first output's, or "sweep"; NULL: out of memory. */
char *sweep_outputs_beside(const struct sweep_opts *o, const char *ending);

#endif
