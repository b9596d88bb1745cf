/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sweep.h - runs a command repeatedly with different parameters: parameters, metrics, journal and output.
 *
 * A point is one combination of parameter values; the last parameter changes first. At each point the
 * command runs a number of times; each run gives samples of every metric.
 *
 * Failure    0 or a negative code with *err filled
 * Ownership  caller's storage; sweep_fini() frees the content of a struct sweep
 */
#ifndef CMD_SWEEP_RUN_SWEEP_H
#define CMD_SWEEP_RUN_SWEEP_H

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "base/memory/array.h"
#include "base/memory/buf.h"
#include "base/memory/texts.h"
#include "base/system/place.h"
#include "base/text/json.h"
#include "base/text/sink.h"
#include "cdict/error.h"
#include "tables/columns/number.h"
#include "tables/columns/quartiles.h"
#include "tables/columns/table.h"

#define SWEEP_VALUES_MAX 10000      /* per parameter */
#define SWEEP_RUNS_MAX 1000000      /* per sweep */
#define SWEEP_SAMPLES_MAX 1000000   /* per metric and run */
#define SWEEP_NUMBER_MAX 1e100      /* no measurement is larger; keeps sums finite */
#define SWEEP_WORDS_MAX 4096        /* per command */
#define SWEEP_OUTPUT_MAX (64 << 20) /* bytes of a run's output */

/* --- params.c: parameters */

struct sweep_value {
	char *text;    /* replaces {name}: sizes as plain numbers */
	char *typed;   /* replaces {name:text}: as given */
	double number; /* NAN: not a number */
};

struct sweep_param {
	char *name;
	ARRAY(struct sweep_value) values;
	bool binary; /* print multiples of 1024 as 64K */
};

struct sweep_params {
	ARRAY(struct sweep_param) all;
};

/* sweep_params_add - parses "b=1,2,4..16M". CDICT_EUSAGE. */
int sweep_params_add(struct sweep_params *p, const char *spec, struct cdict_error *err);
/* sweep_params_texts - adds a parameter with these values. */
int sweep_params_texts(struct sweep_params *p, const char *name, const char *const *values,
		       size_t n, struct cdict_error *err);
void sweep_params_fini(struct sweep_params *p);
/* sweep_number - "64K" is 65536, "1.5kB" is 1500, "2^10" is 1024; false: @text is not exactly one number.
 * sweep_plain_number - the same without units. */
bool sweep_number(const char *text, double *out, bool *binary);
bool sweep_plain_number(const char *text, double *out);
/* sweep_params_points - number of points; 1 without parameters. */
size_t sweep_params_points(const struct sweep_params *p);
/* sweep_params_index - index of parameter @i's value at @point. */
size_t sweep_params_index(const struct sweep_params *p, size_t i, size_t point);
/* sweep_params_at - the value of parameter @i at @point. */
const struct sweep_value *sweep_params_at(const struct sweep_params *p, size_t i, size_t point);
/* sweep_params_show - prints value @i for people: 65536 as 64K where units were used. */
void sweep_params_show(struct sink *s, const struct sweep_param *p, size_t i);
/* sweep_params_replace - @text with every {name} and {name:text} replaced; given, NULL when out of memory. */
char *sweep_params_replace(const struct sweep_params *p, size_t point, const char *text);

/* --- metrics.c: metrics */

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

#define SWEEP_OPEN LONG_MAX /* a bound of a slice that is not given */

struct sweep_step {
	char *key;           /* NULL: elements of an array */
	bool slice;          /* from..to by step, as Python's; else element @from */
	long from, to, step; /* negative: from the end */
};

struct sweep_metric {
	char *name, *unit; /* unit "": a count */
	char *source;      /* as given by the user */
	enum sweep_from from;
	unsigned which; /* RUSAGE: index in metrics.c's list */
	double per;     /* values are multiplied by it, from the figure's unit to @unit; 0: not */
	char *args;     /* RECORD: the command that computes it, "tasks -t x" */
	enum sweep_reduce reduce;
	ARRAY(struct sweep_step) path; /* JSON, RECORD */
};

struct sweep_metrics {
	const struct sweep_recorder
		*recorder; /* for metrics "record..."; NULL: nothing is recorded */
	ARRAY(struct sweep_metric) all;
};

/* The output of a run, from which metrics are taken. */
struct sweep_measured {
	uint64_t wall_ns;
	struct rusage usage;
	struct buf output;          /* the command's standard output */
	const char *capture;        /* file of the recording; NULL: none */
	const struct texts *select; /* options for reading the recording: -t etc. */
};

struct sweep_samples {
	ARRAY(double) all;
	char *why; /* why there are no samples, or NULL */
};

/* Computes metrics of the recording. */
struct sweep_recorder {
	/* "record.switches": fills args and path. CDICT_EUSAGE. */
	int (*find)(struct sweep_metric *m, const char **unit, struct cdict_error *err);
	int (*take)(const struct sweep_metrics *m, const struct sweep_measured *from,
		    struct sweep_samples *samples, struct cdict_error *err);
};

/* sweep_metrics_add - "wall", "[name=]path[|median][:unit]". CDICT_EUSAGE. */
int sweep_metrics_add(struct sweep_metrics *m, const char *spec, struct cdict_error *err);
void sweep_metrics_fini(struct sweep_metrics *m);
/* sweep_metrics_take - takes @samples of each metric of a run; of one that is missing the reason. */
int sweep_metrics_take(const struct sweep_metrics *m, const struct sweep_measured *from,
		       struct sweep_samples *samples, struct cdict_error *err);

void sweep_samples_fini(struct sweep_samples *s);
/* sweep_samples_miss - the metric is missing in a run: only @why remains. */
int sweep_samples_miss(struct sweep_samples *s, const char *why, struct cdict_error *err);
/* sweep_samples_reduce - reduces several samples of a run to one; none to nothing, or to a count of 0. 0 or -ENOMEM. */
int sweep_samples_reduce(struct sweep_samples *s, enum sweep_reduce how);
/* sweep_costs_all - whether a failure ends the sweep, and does not just cost a metric. */
bool sweep_costs_all(int rc);

bool sweep_metrics_any(const struct sweep_metrics *m, enum sweep_from from);
/* sweep_metrics_reduction - name of the reduction, "median"; NULL: none. */
const char *sweep_metrics_reduction(const struct sweep_metric *m);

/* --- json_path.c: metrics from a command's JSON */

int sweep_path_parse(struct sweep_metric *m, const char *text, struct cdict_error *err);
/* sweep_json_take - takes the numbers that the paths select in @text, for metric @first and all metrics with the
 * same source; sweep_json_miss - there is no text: they are missing because of *@err. */
int sweep_json_take(const struct sweep_metrics *m, size_t first, const char *text, size_t size,
		    struct sweep_samples *samples, struct cdict_error *err);
int sweep_json_miss(const struct sweep_metrics *m, size_t first, struct sweep_samples *samples,
		    struct cdict_error *err);
/* sweep_json_parse - parses the document at the start of @text, numbers as reals; free with json_decref(). */
struct json_t;
int sweep_json_parse(struct json_t **out, const char *text, size_t size, const char *what,
		     struct cdict_error *err);

/* --- words.c: command lines without a shell */

/* sweep_next_word - cuts the next word out of @text; quotes protect blanks. NULL: none, or an unclosed quote. */
char *sweep_next_word(char **text);
/* sweep_words - all words; CDICT_EUSAGE if the line has no words or needs a shell. */
int sweep_words(struct texts *to, const char *line, struct cdict_error *err);

/* --- run.c: runs the command */

struct sweep_exec {
	char *const *argv;
	/* Called in the child instead of the command, returns its status; NULL: exec the command. */
	int (*inside)(const struct sweep_exec *e);
	const char *record, *events; /* for a recording by .inside: output file and events */
	const void *ctx;
	void (*wait)(void *ctx); /* called once a second while it runs; or NULL */
	void *wait_ctx;
};

/* sweep_run_watch - from now on SIGINT etc. stop the run, not this process; sweep_run_stopped() returns the signal. */
void sweep_run_watch(void);
int sweep_run_stopped(void);
/* sweep_run - runs the command and waits. *@status as in a shell; *@why, given, when that is not 0. A code when the
 * command could not be started. */
int sweep_run(const struct sweep_exec *e, struct sweep_measured *m, int *status, char **why,
	      struct cdict_error *err);

/* --- figures.c: settings, runs and figures of a sweep */

struct sweep_done {
	uint32_t point, nth; /* nth run of the point */
	bool dropped;        /* --drop-first */
	int status;          /* as in a shell */
	char *why;           /* reason why it does not count, or NULL */
	uint64_t took_ns;
	struct sweep_samples *samples; /* by metric, at least one with samples; NULL: it failed */
};

struct sweep {
	struct sweep_params params;
	struct sweep_metrics metrics;
	struct texts command;
	bool lines; /* command is one line, to be split into words or run by the shell */
	/* NULL: none */
	char *shell, *setup, *prepare, *cleanup, *title;
	char *record;          /* events; NULL: no recording */
	struct texts select;   /* options for reading the recording: "-t", "bench" */
	char *host;            /* name of the host */
	uint32_t runs, warmup; /* per point */
	bool drop_first;
	ARRAY(struct sweep_done) done;
};

/* A metric at a point. */
struct sweep_figure {
	uint32_t runs, failed; /* that count; that failed, or lack the metric */
	uint32_t missing;      /* of @failed: only this metric is missing */
	size_t why;            /* index + 1 of the first failed run in done; 0: none */
	struct quartiles q;    /* of the samples */
};

void sweep_fini(struct sweep *s);
void sweep_done_fini(struct sweep_done *run, size_t n_metrics);
/* sweep_figures - given: [point * metrics + metric]; NULL: out of memory. */
struct sweep_figure *sweep_figures(const struct sweep *s);
/* Without dropped runs: sweep_failed - failed runs; sweep_missing - others that lack a metric. */
size_t sweep_failed(const struct sweep *s);
size_t sweep_missing(const struct sweep *s);

/* sweep_line - with s->lines: the command line of @point, parameters not replaced yet.
 * sweep_command - the command of @point, parameters replaced, as text; given, NULL when out of memory. */
const char *sweep_line(const struct sweep *s, size_t point);
char *sweep_command(const struct sweep *s, size_t point);
/* sweep_export - writes runs as hyperfine's --export-json does; CDICT_ENOTFOUND: wall, user or sys was not measured. */
int sweep_export(struct sink *out, const struct sweep *s, struct cdict_error *err);
/* sweep_metrics_from - index of the metric with this source, or the number of metrics. */
size_t sweep_metrics_from(const struct sweep_metrics *m, const char *source);

/* --- json_write.c, json_read.c: JSON and tables */

/* sweep_head_json - members describing the sweep, in the open object; sweep_run_json - an object per run. */
void sweep_head_json(struct json *j, const struct sweep *s);
void sweep_run_json(struct json *j, const struct sweep *s, const struct sweep_done *run);
/* sweep_table - one row per point and metric; @columns: the terminal's width for text, 0: unlimited. */
void sweep_table(struct sink *out, enum table_format format, const struct sweep *s,
		 const struct sweep_figure *f, size_t columns);
/* sweep_cells - the table as strings, titles in the first row; lines: notes below it. 0 or -ENOMEM;
 * call sweep_cells_fini() in either case. */
struct sweep_cells {
	struct texts all, lines;
	size_t columns, names; /* names: number of text columns */
};
int sweep_cells(struct sweep_cells *to, const struct sweep *s, const struct sweep_figure *f);
void sweep_cells_fini(struct sweep_cells *c);
/* sweep_unit - the unit without its prefix, and the factor to it: 1e3 and "B/s" for "KB/s", 1e6 and "ns" for "ms". */
const char *sweep_unit(const char *unit, double *factor);
/* sweep_human - "1.25 GB/s", "12.3 ms". */
char *sweep_human(char out[NUMBER_ROOM], double v, const char *unit);

/* sweep_read - reads the JSON of sweep_table() into a zeroed sweep; call sweep_fini() in any case. */
int sweep_read(struct sweep *s, const char *text, size_t size, struct cdict_error *err);
/* sweep_read_run - a line of the journal into s->done; CDICT_EFORMAT. */
int sweep_read_run(struct sweep *s, const char *line, size_t size, struct cdict_error *err);

/* --- journal.c: finished runs */

struct sweep_journal {
	int fd;
	char *path;
	struct place at;
};

/* sweep_journal_open - resumes @path: adds its runs to s->done. CDICT_EUSAGE when it belongs to another sweep,
 * -EBUSY while another process writes it; @restart discards its content. */
int sweep_journal_open(struct sweep_journal *j, struct sweep *s, const char *path, bool restart,
		       struct cdict_error *err);
/* sweep_journal_add - appends a run; it is on disk on return. */
int sweep_journal_add(struct sweep_journal *j, const struct sweep *s, const struct sweep_done *run,
		      struct cdict_error *err);
/* sweep_journal_close - closes it, and removes it when the sweep is complete (@over). */
void sweep_journal_close(struct sweep_journal *j, bool over);

#endif
