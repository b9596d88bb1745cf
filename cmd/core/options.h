/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options.h - the options that have the same meaning in every command, and their effect on a given
 * capture: options_filter_init() makes the query and the task filter.
 *
 * Each OPTION_* below is an entry of a command's option table, and requires that the command's
 * options struct begins with a struct options_shared.
 */
#ifndef CMD_CORE_OPTIONS_H
#define CMD_CORE_OPTIONS_H

#include "analyze/walk/markers.h"
#include "base/text/timespec.h"
#include "cdict/reader.h"
#include "cmd/core/cmd.h"
#include "tables/columns/table.h"
#include "tables/names/names.h"

struct options_shared {
	const char *input, *output;
	struct cmd_list events; /* globs */
	const char *task;       /* regular expression */
	struct cmd_cpus cpus;
	struct cmd_tids tids;
	const char *vm;
	struct cmd_list maps; /* mapping files */
	bool map_skip_bad;
	const char *time;
	const char *from_ms, *cap_ms; /* text: "not given" differs from 0 */
	const char *window_start, *window_end;
	int window_pick; /* enum markers_pick */
	int format;      /* enum table_format */
	const char *sort;
	uint64_t top;  /* number of rows; 0: all */
	uint64_t jobs; /* 0: number of CPUs */
	double max_loss_pct;
	const char *job;                    /* figures of many hosts: cmd/tables/fleet.h */
	const char *store, *store_password; /* location of the store; file with its password */
	bool no_guest_mode, merge_sys_tasks, append_tid, no_pager;
	bool quiet;
	int verbose;
};

extern const char *const options_formats[]; /* text csv json md openmetrics: enum table_format */
extern const char *const options_rows[];    /* the same without openmetrics */
extern const char *const options_text_or_json[]; /* text json, with the same enum */
extern const char *const options_picks[]; /* each first last outer rearmed: enum markers_pick */

#define OPTION_INPUT                                                                               \
	CMD_STRING('i', "input", struct options_shared, input, "FILE",                             \
		   "read FILE; '-' is standard input")
#define OPTION_OUTPUT                                                                              \
	CMD_STRING('o', "output", struct options_shared, output, "FILE",                           \
		   "write FILE, whole or not at all; '-' is standard output")
#define OPTION_OUTPUT_OR_STDOUT                                                                    \
	CMD_STRING('o', "output", struct options_shared, output, "FILE",                           \
		   "write FILE, whole or not at all; '-', the default, is standard output")
#define OPTION_EVENT                                                                               \
	CMD_LIST('e', "event", struct options_shared, events, "GLOB",                              \
		 "only events whose name matches, comma list, repeatable")
#define OPTION_TASK                                                                                \
	CMD_STRING('t', "task", struct options_shared, task, "REGEX",                              \
		   "only tasks whose name matches; a leading * is taken as .*")
#define OPTION_CPU                                                                                 \
	CMD_CPUS('C', "cpu", struct options_shared, cpus, "LIST", "only these CPUs, as in 0-3,8")
#define OPTION_TID                                                                                 \
	CMD_TIDS(0, "tid", struct options_shared, tids, "LIST",                                    \
		 "only these thread ids, as in 17,23")
#define OPTION_VM                                                                                  \
	CMD_STRING(                                                                                \
		0, "vm", struct options_shared, vm, "NAME",                                        \
		"only tasks of this VM, and the kernel's that serve it: its name, instance, UUID, project or pid")
#define OPTION_MAP                                                                                 \
	CMD_LIST(0, "map", struct options_shared, maps, "CSV",                                     \
		 "name tasks by this mapping file, comma list, repeatable; '-' is standard input")
#define OPTION_MAP_SKIP_BAD                                                                        \
	CMD_FLAG(0, "map-skip-bad", struct options_shared, map_skip_bad,                           \
		 "skip bad lines of mapping files instead of rejecting the file")
#define OPTION_TIME                                                                                \
	CMD_STRING(0, "time", struct options_shared, time, "START,STOP",                           \
		   "only this time: seconds of the capture's clock, or percent as in 10%-20%")
#define OPTION_FROM                                                                                \
	CMD_STRING('f', "from", struct options_shared, from_ms, "MS",                              \
		   "begin MS milliseconds after the first event")
#define OPTION_CAP                                                                                 \
	CMD_STRING('c', "cap", struct options_shared, cap_ms, "MS", "stop after MS milliseconds")
#define OPTIONS_MARKERS                                                                            \
	CMD_STRING(0, "window-start", struct options_shared, window_start, "EVENT[/FILTER/]",      \
		   "only between markers: start a window at this event"),                          \
		CMD_STRING(0, "window-end", struct options_shared, window_end, "EVENT[/FILTER/]",  \
			   "end the window at the next such event"),                               \
		CMD_CHOICE(0, "window-pick", struct options_shared, window_pick, "WHICH",          \
			   options_picks, "each",                                                  \
			   "which windows between markers: each, first, last, outer (from the "    \
			   "first start to the last end), or rearmed: each from the latest start")
#define OPTION_JSON(formats)                                                                       \
	CMD_CHOOSE("json", struct options_shared, format, formats, "the same as --format json")
#define OPTION_FORMAT                                                                              \
	CMD_CHOICE(0, "format", struct options_shared, format, "FORMAT", options_formats, "text",  \
		   "output format: text, csv, json, md or openmetrics"),                           \
		OPTION_JSON(options_formats)
/* ... for rows that are not a table of tables/. */
#define OPTION_FORMAT_ROWS                                                                         \
	CMD_CHOICE(0, "format", struct options_shared, format, "FORMAT", options_rows, "text",     \
		   "output format: text, csv, json or md"),                                        \
		OPTION_JSON(options_rows)
#define OPTION_FORMAT_TEXT_JSON                                                                    \
	CMD_CHOICE(0, "format", struct options_shared, format, "FORMAT", options_text_or_json,     \
		   "text", "output format: text or json"),                                         \
		OPTION_JSON(options_text_or_json)
#define OPTION_SORT(preset)                                                                        \
	CMD_STRING('s', "sort", struct options_shared, sort, "KEY[:asc|:desc]",                    \
		   "sort by this column: its JSON key, or its heading (default: " preset ")")
#define OPTION_TOP                                                                                 \
	CMD_UINT('n', "top", struct options_shared, top, "N", NULL, "only the first N rows")
#define OPTION_JOBS                                                                                \
	CMD_UINT('j', "jobs", struct options_shared, jobs, "N", "1",                               \
		 "share the work between N threads; 0: one per CPU")
#define OPTION_MAX_LOSS                                                                            \
	CMD_NUMBER(0, "max-loss", struct options_shared, max_loss_pct, "PCT", "5",                 \
		   "exit with status 2 when more than PCT percent of the events are lost")
#define OPTION_JOB(help) CMD_STRING(0, "job", struct options_shared, job, "ID", help)
#define OPTIONS_STORE                                                                              \
	CMD_STRING(0, "store", struct options_shared, store, "STORE",                              \
		   "where jobs are kept: a folder, or redis://[user@]host[:port][/db] (default: "  \
		   "$CDICT_STORE, else ~/.local/share/cdict/jobs)"),                               \
		CMD_STRING(0, "store-password", struct options_shared, store_password, "FILE",     \
			   "the store's password is the first line of FILE (default: "             \
			   "$REDISCLI_AUTH)")
/* For table commands: the figures of a job. */
#define OPTIONS_OF_JOB                                                                             \
	OPTION_JOB("show all hosts of this job ('cdict job') instead of a file"), OPTIONS_STORE
#define OPTION_NO_GUEST_MODE                                                                       \
	CMD_FLAG(0, "no-guest-mode", struct options_shared, no_guest_mode,                         \
		 "leave out events that fired while a guest was entered, as perf does")
#define OPTION_MERGE_SYS_TASKS                                                                     \
	CMD_FLAG(0, "merge-sys-tasks", struct options_shared, merge_sys_tasks,                     \
		 "one row for the per-CPU threads of a kind: swapper/0, swapper/1 -> swapper")
#define OPTION_APPEND_TID                                                                          \
	CMD_FLAG(0, "append-tid", struct options_shared, append_tid,                               \
		 "print names with their thread id: qemu-kvm.4711")
#define OPTION_NO_PAGER                                                                            \
	CMD_FLAG(0, "no-pager", struct options_shared, no_pager,                                   \
		 "do not start a pager on a terminal ($CDICT_PAGER, $PAGER, less)")
#define OPTION_QUIET                                                                               \
	CMD_FLAG('q', "quiet", struct options_shared, quiet, "no warnings, no progress")
#define OPTION_VERBOSE                                                                             \
	CMD_COUNT('v', "verbose", struct options_shared, verbose, "print more; may be repeated")

/* Groups for most commands. */
#define OPTIONS_WINDOW OPTION_TIME, OPTION_FROM, OPTION_CAP, OPTIONS_MARKERS
#define OPTIONS_MAP OPTION_MAP, OPTION_MAP_SKIP_BAD
#define OPTIONS_TASKS OPTION_TASK, OPTION_TID, OPTION_VM, OPTIONS_MAP
#define OPTIONS_SELECT OPTIONS_TASKS, OPTION_CPU, OPTIONS_WINDOW, OPTION_NO_GUEST_MODE
#define OPTIONS_TABLE(sort) OPTION_FORMAT, OPTION_NO_PAGER, OPTION_SORT(sort), OPTION_TOP
#define OPTIONS_MESSAGES OPTION_QUIET, OPTION_VERBOSE
#define OPTIONS_READ OPTION_JOBS, OPTION_MAX_LOSS, OPTIONS_MESSAGES

/*
 * The selection of the shared options in one capture. @query walks a superset: with several
 * @windows, the events' time must also be checked against them.
 */
struct options_filter {
	struct cdict_query query;    /* bitmaps borrowed from this struct and from the options */
	struct timespec_set windows; /* at least one unless the capture contains no event */
	uint64_t from_ns, to_ns;     /* start of the first, end of the last, within the capture */
	bool clipped;                /* --time, --from, --cap or markers were given */
	bool marked;                 /* markers were given */
	struct markers_found markers;
	uint64_t *types;            /* bitmap of @query, owned */
	struct task_pattern *tasks; /* -t, owned; NULL: not given */
};

/* options_filter_init - makes the filter from @o for @r. CDICT_EUSAGE when an option's text is
 * wrong (to be reported by cmd_usage()), CDICT_ENOTFOUND when -e matches nothing. @o must outlive
 * @f. To be freed with options_filter_fini(), also after a failure. */
int options_filter_init(struct options_filter *f, const struct options_shared *o,
			struct cdict_reader *r, struct cdict_error *err);
void options_filter_fini(struct options_filter *f);
/* options_filter_report - reports markers that did not make a window. */
void options_filter_report(const struct options_filter *f, const struct cmd_call *call,
			   const char *file);

/* options_filter_one_window - CDICT_EUSAGE when --time has several windows: for commands whose
 * figures need a single one. */
int options_filter_one_window(const struct options_filter *f, struct cdict_error *err);

/* options_names - makes the options for the names of a walk; all pointers are borrowed. */
struct names_options options_names(const struct options_shared *o, struct options_filter *f,
				   struct label_index *labels);

/* options_fail - reports an error of options_filter_init() or _one_window(); returns CMD_USAGE or
 * CMD_FAILED. */
int options_fail(const struct cmd_call *call, const char *subject, const struct cdict_error *err);

/* options_ms - converts "12.5" milliseconds to ns; CDICT_EUSAGE. */
int options_ms(const char *text, uint64_t *ns, struct cdict_error *err);

#endif
