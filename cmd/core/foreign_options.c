// SPDX-License-Identifier: GPL-2.0-only
/*
 * foreign_options.c - options of perf, trace-cmd, hyperfine and kvm_stat that a command of the same purpose does not have:
 * those that change nothing here are accepted, the others refused with the command that does it. Sources: the manual pages
 * perf-script(1), perf-report(1), perf-top(1), trace-cmd-report(1), hyperfine(1), kvm_stat(1). Those of perf record are in
 * cmd/record/perf_options.c.
 */
#include "cmd/core/foreign.h"

#include <stddef.h>

#define ACCEPTED(letter, name, argument, why)                                                      \
	{                                                                                          \
		letter, name, CMD_FOREIGN_##argument, false, why                                   \
	}
#define REFUSED(letter, name, why)                                                                 \
	{                                                                                          \
		letter, name, CMD_FOREIGN_NONE, true, why                                          \
	}
#define END                                                                                        \
	{                                                                                          \
		0, NULL, CMD_FOREIGN_NONE, false, NULL                                             \
	}

#define AS_TEXT                                                                                    \
	"the page is HTML; as text: 'cdict stats FILE', or 'cdict flame FILE' for call chains"
#define BY_COMM "'cdict tasks FILE' sums by task, 'cdict tasks FILE --by group' by program"
#define LINES "the page has figures; 'cdict script FILE' prints the events"
#define INFO "'cdict info FILE' prints it"

const struct cmd_foreign foreign_script_options[] = {
	ACCEPTED('f', "force", NONE, "files of any owner are read"),
	ACCEPTED(0, "guest-code", NONE, "always on"),
	REFUSED('D', "dump-raw-trace", "'cdict info -v FILE' prints what is stored"),
	REFUSED('I', "show-info", INFO),
	REFUSED(0, "header", INFO),
	REFUSED(0, "header-only", INFO),
	REFUSED(0, "itrace", "a capture has no AUX area: no instructions to synthesize"),
	REFUSED('s', "script", "scripts are SQL, 'cdict query', or Python, 'import cdict'"),
	REFUSED('g', "gen-script", "scripts are SQL, 'cdict query', or Python, 'import cdict'"),
	REFUSED('l', "list", "scripts are SQL, 'cdict query', or Python, 'import cdict'"),
	REFUSED('S', "symbols",
		"'cdict script FILE -F comm,time,ip,sym | grep SYMBOL', or 'cdict flame FILE'"),
	REFUSED(0, "reltime",
		"'cdict query' computes them: SELECT ts - (SELECT start_ts FROM trace_bounds), ..."),
	REFUSED(0, "deltatime",
		"'cdict query' computes them: SELECT ts - lag(ts) OVER (ORDER BY ts), ..."),
	REFUSED(0, "ts-diff",
		"'cdict query' computes them: SELECT ts - lag(ts) OVER (ORDER BY ts), ..."),
	REFUSED(0, "show-task-events",
		"'cdict query \"SELECT * FROM thread\" FILE' lists the tasks"),
	REFUSED(0, "show-lost-events",
		"'cdict info FILE' counts them; 'cdict query \"SELECT * FROM loss\" FILE'"),
	REFUSED(0, "show-switch-events", "'cdict script FILE -e sched:sched_switch'"),
	REFUSED('R', "raw", "'cdict query' prints fields: SELECT * FROM sched_switch"),
	REFUSED('w', "wakeup", "'cdict latency FILE' has the latencies of wake-ups"),
	END,
};

const struct cmd_foreign foreign_report_options[] = {
	ACCEPTED(0, "force", NONE, "files of any owner are read"),
	REFUSED(0, "stdio", AS_TEXT),
	REFUSED(0, "tui", AS_TEXT),
	REFUSED(0, "gtk", AS_TEXT),
	REFUSED('s', "sort", BY_COMM),
	REFUSED('F', "fields", BY_COMM),
	REFUSED('n', "show-nr-samples", "'cdict count FILE' counts events"),
	REFUSED('g', "call-graph", "'cdict flame FILE' draws call chains"),
	REFUSED('G', "inverted", "'cdict flame FILE' draws call chains"),
	REFUSED(0, "children", "'cdict flame FILE' draws call chains"),
	REFUSED(0, "no-children", "'cdict flame FILE' draws call chains"),
	REFUSED(0, "percent-limit", "'cdict tasks FILE -n 10' prints the first ten rows"),
	REFUSED('D', "dump-raw-trace", "'cdict info -v FILE' prints what is stored"),
	REFUSED('I', "show-info", INFO),
	REFUSED(0, "header", INFO),
	REFUSED(0, "header-only", INFO),
	REFUSED(0, "stats", "'cdict count FILE' counts events"),
	REFUSED(0, "tasks", "'cdict query \"SELECT * FROM thread\" FILE' lists the tasks"),
	REFUSED(0, "comm", "'cdict report FILE -t COMM'"),
	REFUSED('C', "cpu", LINES ", those of a CPU with -C"),
	REFUSED('l', "latency-format", LINES),
	REFUSED('R', "raw", LINES ", fields by 'cdict query'"),
	REFUSED('w', "wakeup", "'cdict latency FILE' has the latencies of wake-ups"),
	REFUSED('N', "no-plugins", LINES),
	REFUSED('O', "option", LINES),
	REFUSED(0, "stat", INFO),
	REFUSED(0, "events", INFO),
	REFUSED('E', "event-names", INFO),
	REFUSED(0, "uname", INFO),
	REFUSED(0, "check-events", "'cdict info -v FILE'"),
	REFUSED(0, "ts-diff", LINES),
	REFUSED('P', "profile", "'cdict stats FILE'"),
	END,
};

const struct cmd_foreign foreign_top_options[] = {
	ACCEPTED('a', "all-cpus", NONE, "always"),
	ACCEPTED('z', "zero", NONE, "always: each update shows one second"),
	REFUSED('e', "event", "it records what it shows; 'cdict record -e EVENT' records others"),
	REFUSED('K', "hide-kernel-symbols",
		"it shows tasks; 'cdict record -e cpu-clock -g', then 'cdict flame FILE'"),
	REFUSED('U', "hide-user-symbols",
		"it shows tasks; 'cdict record -e cpu-clock -g', then 'cdict flame FILE'"),
	REFUSED('g', "call-graph",
		"it shows tasks; 'cdict record -e cpu-clock -g', then 'cdict flame FILE'"),
	REFUSED('F', "freq", "tracepoints are not sampled: every event is counted"),
	REFUSED('1', "once", "'cdict top --seconds 1 | cat' prints one table"),
	REFUSED('l', "log", "into a pipe it prints one table per second: 'cdict top | cat'"),
	END,
};

const struct cmd_foreign foreign_sweep_options[] = {
	ACCEPTED('N', NULL, NONE, "always, unless --shell is given"),
	ACCEPTED(0, "style", ONE, "progress goes to a terminal only"),
	REFUSED('m', "min-runs", "the number of runs is fixed: -r N"),
	REFUSED('M', "max-runs", "the number of runs is fixed: -r N"),
	REFUSED('u', "time-unit", "the unit follows the values"),
	REFUSED(0, "conclude", "--cleanup runs after the runs of each combination"),
	REFUSED(0, "parameter-list", "-L NAME=VALUES, as in -L n=1,2,4"),
	REFUSED(0, "command-name", "--title names the plot; -L NAME=VALUES names the rows"),
	REFUSED(0, "export-markdown", "-o FILE.md writes it"),
	REFUSED(0, "export-csv", "-o FILE.csv writes it"),
	REFUSED(0, "export-asciidoc", "-o FILE.md, or FILE.csv"),
	REFUSED(0, "export-orgmode", "-o FILE.md, or FILE.csv"),
	REFUSED(0, "show-output", "redirect it: --shell sh 'COMMAND >&2'"),
	REFUSED(0, "input", "redirect it: --shell sh 'COMMAND <FILE'"),
	REFUSED(0, "reference", "'cdict sweep' of several commands shows each; divide the medians"),
	REFUSED(0, "sort", "rows are in the order of the parameters"),
	END,
};
