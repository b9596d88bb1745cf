/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sweep.h - a command run again and again with other parameters: what is varied, measured, kept and told.
 *
 * A point is one choice of a value for every parameter; the last parameter changes first. At each point the
 * command runs a number of times; each run gives samples of every metric.
 *
 * Failure    0 or a negative code with *err filled
 * Ownership  caller's storage; what a struct sweep holds is freed by sweep_fini()
 */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/sink.h"
#include "base/texts.h"
#include "cdict/error.h"
#include "tables/number.h"
#include "tables/quartiles.h"
#include "tables/table.h"

#define SWEEP_VALUES_MAX 10000      /* of a parameter */
#define SWEEP_RUNS_MAX 1000000      /* of a sweep */
#define SWEEP_SAMPLES_MAX 1000000   /* of a metric of a run */
#define SWEEP_NUMBER_MAX 1e100      /* what is larger is no measurement, and sums of it no number */
#define SWEEP_WORDS_MAX 4096        /* of a command */
#define SWEEP_OUTPUT_MAX (64 << 20) /* bytes that a run may print */

/* --- params.c: what is varied */

struct sweep_value {
	char *text;    /* what stands for {name} */
	double number; /* NAN: it is none */
};

struct sweep_param {
	char *name;
	ARRAY(struct sweep_value) values;
	bool binary; /* multiples of 1024 are shown as 64K */
};

struct sweep_params {
	ARRAY(struct sweep_param) all;
};

/* sweep_params_add - "b=1,2,4..16M". CDICT_EUSAGE. */
int sweep_params_add(struct sweep_params *p, const char *spec, struct cdict_error *err);
void sweep_params_fini(struct sweep_params *p);
/* sweep_number - "64K" is 65536, "1.5kB" is not 1536 but 1500; false: not a number alone. */
bool sweep_number(const char *text, double *out, bool *binary);
/* sweep_params_points - how many there are; 1 without parameters. */
size_t sweep_params_points(const struct sweep_params *p);
/* sweep_params_index - which value of parameter @i is at @point. */
size_t sweep_params_index(const struct sweep_params *p, size_t i, size_t point);
/* sweep_params_at - the value of parameter @i at @point. */
const struct sweep_value *sweep_params_at(const struct sweep_params *p, size_t i, size_t point);
/* sweep_params_show - value @i as people read it: 65536 is 64K where units were meant. */
void sweep_params_show(struct sink *s, const struct sweep_param *p, size_t i);
/* sweep_params_replace - @text with {name} replaced; given, NULL when out of memory. */
char *sweep_params_replace(const struct sweep_params *p, size_t point, const char *text);

/* --- metrics.c: what is measured */

enum sweep_from { SWEEP_FROM_RUSAGE, SWEEP_FROM_RECORD, SWEEP_FROM_JSON };
enum sweep_reduce {
	SWEEP_ALL = 0,
	SWEEP_MEDIAN,
	SWEEP_MEAN,
	SWEEP_MIN,
	SWEEP_MAX,
	SWEEP_SUM,
	SWEEP_FIRST,
	SWEEP_LAST,
	SWEEP_COUNT,
};

struct sweep_step {
	char *key; /* NULL: an element of an array */
	bool all;  /* every one */
	size_t index;
};

struct sweep_metric {
	char *name, *unit; /* unit "": a count of something */
	char *source;      /* as it was given */
	enum sweep_from from;
	unsigned which; /* RUSAGE: of those metrics.c knows */
	char *args;     /* RECORD: the command that tells, "tasks -t x" */
	enum sweep_reduce reduce;
	ARRAY(struct sweep_step) path; /* JSON, RECORD */
};

struct sweep_metrics {
	const struct sweep_recorder *recorder; /* of metrics "record..."; NULL: there are none */
	ARRAY(struct sweep_metric) all;
};

/* What a run left to take figures from. */
struct sweep_measured {
	uint64_t wall_ns;
	struct rusage usage;
	struct buf output;          /* what the command printed */
	const char *capture;        /* the file of what was recorded; NULL: none */
	const struct texts *select; /* options for who looks at it: -t and the like */
};

struct sweep_samples {
	ARRAY(double) all;
};

/* Who knows the figures of what was recorded. */
struct sweep_recorder {
	/* "record.switches": fills args and path. CDICT_EUSAGE. */
	int (*find)(struct sweep_metric *m, const char **unit, struct cdict_error *err);
	int (*take)(const struct sweep_metrics *m, const struct sweep_measured *from,
		    struct sweep_samples *samples, struct cdict_error *err);
};

/* sweep_metrics_add - "wall", "[name=]path[|median][:unit]". CDICT_EUSAGE. */
int sweep_metrics_add(struct sweep_metrics *m, const char *spec, struct cdict_error *err);
void sweep_metrics_fini(struct sweep_metrics *m);
/* sweep_metrics_take - @samples of each metric of a run. CDICT_EFORMAT, CDICT_ENOTFOUND: the run lacks one. */
int sweep_metrics_take(const struct sweep_metrics *m, const struct sweep_measured *from,
		       struct sweep_samples *samples, struct cdict_error *err);

bool sweep_metrics_any(const struct sweep_metrics *m, enum sweep_from from);
/* sweep_metrics_reduction - "median", NULL: none. */
const char *sweep_metrics_reduction(const struct sweep_metric *m);

/* --- json_path.c: figures in a command's JSON */

int sweep_path_parse(struct sweep_metric *m, const char *text, struct cdict_error *err);
/* sweep_json_take - the numbers to which the paths lead in @text, of metric @first and those that come from where it
 * does. CDICT_EFORMAT, CDICT_ENOTFOUND. */
int sweep_json_take(const struct sweep_metrics *m, size_t first, const char *text, size_t size,
		    struct sweep_samples *samples, struct cdict_error *err);
/* sweep_json_parse - the document at the beginning of @text, numbers as reals; json_decref() it. */
struct json_t;
int sweep_json_parse(struct json_t **out, const char *text, size_t size, const char *what,
		     struct cdict_error *err);

/* --- run.c: one run */

struct sweep_exec {
	char *const *argv;
	/* Called in the process in place of the command, its status; NULL: the command is started. */
	int (*inside)(const struct sweep_exec *e);
	const char *record, *events; /* of a recording .inside: into this file, these events */
	const void *ctx;
	void (*wait)(void *ctx); /* called once a second while it runs; or NULL */
	void *wait_ctx;
};

/* sweep_run_watch - from now on SIGINT and its like end the run, not us; sweep_run_stopped() tells which came. */
void sweep_run_watch(void);
int sweep_run_stopped(void);
/* sweep_run - runs it and waits. *@status as a shell tells it; *@why, given, when that is not 0. A code when it
 * could not be run at all. */
int sweep_run(const struct sweep_exec *e, struct sweep_measured *m, int *status, char **why,
	      struct cdict_error *err);

/* --- figures.c: what a sweep is, and what came out */

struct sweep_done {
	uint32_t point, nth; /* nth run of the point */
	bool dropped;        /* --drop-first */
	int status;          /* as a shell tells it */
	char *why;           /* why it does not count, or NULL */
	uint64_t took_ns;
	struct sweep_samples *samples; /* by metric; NULL when it failed */
};

struct sweep {
	struct sweep_params params;
	struct sweep_metrics metrics;
	struct texts command;
	/* NULL: none */
	char *shell, *setup, *prepare, *cleanup, *title;
	char *record;          /* events; NULL: nothing is recorded */
	struct texts select;   /* of the recording: options for who looks at it, "-t", "bench" */
	char *host;            /* where it ran */
	uint32_t runs, warmup; /* at each point */
	bool drop_first;
	ARRAY(struct sweep_done) done;
};

/* Of a metric at a point. */
struct sweep_figure {
	uint32_t runs, failed; /* that count, that do not */
	size_t why;            /* + 1: the first of done that failed; 0: none did */
	struct quartiles q;    /* of the samples */
};

void sweep_fini(struct sweep *s);
void sweep_done_fini(struct sweep_done *run, size_t n_metrics);
/* sweep_figures - given: [point * metrics + metric]; NULL: out of memory. */
struct sweep_figure *sweep_figures(const struct sweep *s);
size_t sweep_failed(const struct sweep *s); /* runs that do not count, the dropped ones apart */

/* --- json_write.c, json_read.c: the same as JSON */

/* sweep_head_json - the open object's members that say what the sweep is; sweep_run_json - an object. */
void sweep_head_json(struct json *j, const struct sweep *s);
void sweep_run_json(struct json *j, const struct sweep *s, const struct sweep_done *run);
/* sweep_table - a row a point and metric; @columns: of the terminal that text is for, 0: of none. */
void sweep_table(struct sink *out, enum table_format format, const struct sweep *s,
		 const struct sweep_figure *f, size_t columns);
/* sweep_cells - the table as texts, the first row its titles; lines: what there is to say below it. 0 or -ENOMEM;
 * sweep_cells_fini() in either case. */
struct sweep_cells {
	struct texts all, lines;
	size_t columns, names; /* names: how many columns are text */
};
int sweep_cells(struct sweep_cells *to, const struct sweep *s, const struct sweep_figure *f);
void sweep_cells_fini(struct sweep_cells *c);
/* sweep_human - "1.25 GB/s", "12.3 ms". */
char *sweep_human(char out[NUMBER_ROOM], double v, const char *unit);

/* sweep_read - what sweep_table() wrote as JSON, into the zero value; sweep_fini() it in any case. */
int sweep_read(struct sweep *s, const char *text, size_t size, struct cdict_error *err);
/* sweep_read_run - a line of the journal into s->done; CDICT_EFORMAT. */
int sweep_read_run(struct sweep *s, const char *line, size_t size, struct cdict_error *err);

/* --- journal.c: what was done already */

struct sweep_journal {
	int fd;
	char *path;
};

/* sweep_journal_open - takes up @path: its runs come into s->done. CDICT_EUSAGE when it is of another sweep,
 * -EBUSY when it is being written; with @restart what is there is forgotten. */
int sweep_journal_open(struct sweep_journal *j, struct sweep *s, const char *path, bool restart,
		       struct cdict_error *err);
/* sweep_journal_add - a line that is on the disk when it returns. */
int sweep_journal_add(struct sweep_journal *j, const struct sweep *s, const struct sweep_done *run,
		      struct cdict_error *err);
/* sweep_journal_close - and removes it when the sweep is @over. */
void sweep_journal_close(struct sweep_journal *j, bool over);

#endif
