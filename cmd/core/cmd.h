/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd.h - the interface of cdict's commands, and their messages.
 *
 * cmd/<folder>/<name>.c exports one `const struct cmd cmd_<name>`; cmd/core/main.c lists them.
 * Results go to stdout, everything else to stderr. main() checks stdout for write errors after
 * run() has returned; a command only needs to stop early when ferror(stdout) shows that the reader
 * is gone.
 *
 *	struct look_opts {
 *		struct options_shared shared;	// always first
 *		const char *view;
 *	};
 *	static const struct cmd_option look_options[] = {
 *		CMD_STRING(0, "view", struct look_opts, view, "VIEW", "what to draw"),
 *		OPTION_TIME, OPTION_CPU, OPTION_QUIET,	// options.h: the shared ones
 *		CMD_OPTIONS_END,
 *	};
 *	const struct cmd cmd_look = {
 *		.name = "look", .brief = "look at a cdict", .operands = "FILE",
 *		.min_operands = 1, .max_operands = 1,
 *		.options = look_options, .opts_size = sizeof(struct look_opts),
 *		.run = look_run,
 *	};
 */
#ifndef CMD_CORE_CMD_H
#define CMD_CORE_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"

/* Exit statuses. */
enum cmd_status {
	CMD_DONE = 0,
	CMD_FAILED = 1,
	CMD_DAMAGED = 2,    /* done, but the input was damaged, truncated or too lossy */
	CMD_REGRESSION = 3, /* `diff` found a regression */
	CMD_USAGE = 129,
};

enum cmd_option_kind {
	CMD_OPT_END = 0,
	CMD_OPT_FLAG,    /* bool: true when given */
	CMD_OPT_COUNT,   /* int: how often it was given */
	CMD_OPT_STRING,  /* const char *: the last one given, borrowed from argv */
	CMD_OPT_MAYBE,   /* like STRING; "" without "=value", like perf's optional arguments */
	CMD_OPT_UINT,    /* uint64_t */
	CMD_OPT_NUMBER,  /* double, not negative */
	CMD_OPT_CHOICE,  /* int: index into .choices */
	CMD_OPT_CHOOSE,  /* int: index into .choices of the option's own name; set when given */
	CMD_OPT_LIST,    /* struct cmd_list: comma lists, repeatable */
	CMD_OPT_CPUS,    /* struct cmd_cpus: "0-3,8", repeatable */
	CMD_OPT_TIDS,    /* struct cmd_tids: "17,23", repeatable */
	CMD_OPT_ORDERED, /* struct cmd_list: "name=value", unsplit; several options may share one */
	CMD_OPT_PAIR,    /* like ORDERED, for "a=b"; may also be given as two arguments, a and b */
	CMD_OPT_SCAN,    /* like ORDERED, for "a=1..9", given as three arguments, a 1 9 */
};

/* Values that own memory; the parser frees them after run(). Lists have the form of
 * base/memory/array.h. */
struct cmd_list {
	const char **at;
	size_t n, cap;
};

struct cmd_cpus {
	uint64_t *bits; /* NULL: not given */
	size_t n;       /* number of bits in @bits, a multiple of 64 */
};

struct cmd_tids {
	int32_t *at; /* ascending */
	size_t n, cap;
};

struct cmd_option {
	enum cmd_option_kind kind;
	char letter;        /* 0: long only */
	const char *name;   /* without dashes */
	size_t offset;      /* of the value in the command's options struct */
	const char *arg;    /* name of the argument: "FILE"; NULL for flags */
	const char *help;   /* one line, no full stop */
	const char *preset; /* the default as the user would type it, shown in the help; or NULL */
	const char *const *choices; /* NULL-terminated, CMD_OPT_CHOICE */
};

/* An option of perf's command of the same name that this command does not need: it is accepted, or
 * refused with the reason. The manual page lists them. */
enum cmd_foreign_argument { CMD_FOREIGN_NONE = 0, CMD_FOREIGN_MAYBE, CMD_FOREIGN_ONE };
struct cmd_foreign {
	char letter;      /* 0: long only */
	const char *name; /* NULL: letter only */
	enum cmd_foreign_argument argument;
	bool refused;
	const char *why; /* its equivalent here, or the reason */
};

#define CMD_OPTION(kind_, letter_, name_, type, member, arg_, choices_, preset_, help_)            \
	{                                                                                          \
		.kind = (kind_), .letter = (letter_), .name = (name_),                             \
		.offset = offsetof(type, member), .arg = (arg_), .help = (help_),                  \
		.preset = (preset_), .choices = (choices_)                                         \
	}
/* The C type of the member is the one given at enum cmd_option_kind. */
#define CMD_FLAG(letter, name, type, member, help)                                                 \
	CMD_OPTION(CMD_OPT_FLAG, letter, name, type, member, NULL, NULL, NULL, help)
#define CMD_COUNT(letter, name, type, member, help)                                                \
	CMD_OPTION(CMD_OPT_COUNT, letter, name, type, member, NULL, NULL, NULL, help)
#define CMD_STRING(letter, name, type, member, arg, help)                                          \
	CMD_OPTION(CMD_OPT_STRING, letter, name, type, member, arg, NULL, NULL, help)
#define CMD_MAYBE(letter, name, type, member, arg, help)                                           \
	CMD_OPTION(CMD_OPT_MAYBE, letter, name, type, member, arg, NULL, NULL, help)
#define CMD_STRING_PRESET(letter, name, type, member, arg, preset, help)                           \
	CMD_OPTION(CMD_OPT_STRING, letter, name, type, member, arg, NULL, preset, help)
#define CMD_UINT(letter, name, type, member, arg, preset, help)                                    \
	CMD_OPTION(CMD_OPT_UINT, letter, name, type, member, arg, NULL, preset, help)
#define CMD_NUMBER(letter, name, type, member, arg, preset, help)                                  \
	CMD_OPTION(CMD_OPT_NUMBER, letter, name, type, member, arg, NULL, preset, help)
#define CMD_CHOICE(letter, name, type, member, arg, choices, preset, help)                         \
	CMD_OPTION(CMD_OPT_CHOICE, letter, name, type, member, arg, choices, preset, help)
#define CMD_LIST(letter, name, type, member, arg, help)                                            \
	CMD_OPTION(CMD_OPT_LIST, letter, name, type, member, arg, NULL, NULL, help)
#define CMD_ORDERED(letter, name, type, member, arg, help)                                         \
	CMD_OPTION(CMD_OPT_ORDERED, letter, name, type, member, arg, NULL, NULL, help)
#define CMD_PAIR(letter, name, type, member, arg, help)                                            \
	CMD_OPTION(CMD_OPT_PAIR, letter, name, type, member, arg, NULL, NULL, help)
#define CMD_SCAN(letter, name, type, member, arg, help)                                            \
	CMD_OPTION(CMD_OPT_SCAN, letter, name, type, member, arg, NULL, NULL, help)
#define CMD_CPUS(letter, name, type, member, arg, help)                                            \
	CMD_OPTION(CMD_OPT_CPUS, letter, name, type, member, arg, NULL, NULL, help)
#define CMD_TIDS(letter, name, type, member, arg, help)                                            \
	CMD_OPTION(CMD_OPT_TIDS, letter, name, type, member, arg, NULL, NULL, help)
/* Like giving the option with these @choices the value @name. */
#define CMD_CHOOSE(name, type, member, choices, help)                                              \
	CMD_OPTION(CMD_OPT_CHOOSE, 0, name, type, member, NULL, choices, NULL, help)
#define CMD_OPTIONS_END                                                                            \
	{                                                                                          \
		.kind = CMD_OPT_END                                                                \
	}

struct cmd_example {
	const char *line; /* "cdict info run.cdict" */
	const char *what; /* one line */
};

/* One run of a command. */
struct cmd_call {
	const struct cmd *cmd;
	const void *opts;            /* the command's options struct, filled */
	const char *const *operands; /* NULL-terminated */
	size_t n_operands;
	size_t n_before; /* number of operands before the first "--"; without "--", all */
	bool quiet;      /* -q: no warnings, no progress */
	int verbose;     /* number of -v */
};

struct cmd {
	const char *name;
	const char *brief;                 /* one line, lower case */
	const char *operands;              /* "FILE", "[FILE]", "" */
	const char *about;                 /* a paragraph or two for the help; NULL: none */
	const struct cmd_option *options;  /* ends with CMD_OPTIONS_END */
	const struct cmd_foreign *foreign; /* ends with an entry without letter and name; or NULL */
	size_t opts_size;                  /* its options, beginning with struct options_shared */
	unsigned min_operands, max_operands;
	bool dashes_part_operands; /* "--" may follow an operand, then options: see cmd_call */
	bool operands_end_options; /* arguments after the first operand are not options of cdict */
	bool one_window;           /* it shows one window, even if several are given */
	bool all_events;           /* reads more than sched and kvm from perf recordings */
	const struct cmd_example *examples;      /* ends with { NULL, NULL }; or NULL */
	int (*run)(const struct cmd_call *call); /* returns enum cmd_status */
};

/* cmd_error - prints "cdict info: run.cdict: text (at byte 20)" to stderr; @subject (a file's name)
 * may be NULL. For a broken pipe it prints nothing. Returns CMD_FAILED. */
int cmd_error(const struct cmd_call *call, const char *subject, const struct cdict_error *err);
/* cmd_stdout_error - reports that writing to stdout failed with @code, a negated errno (0:
 * unknown); for a broken pipe it prints nothing. Returns CMD_FAILED. */
int cmd_stdout_error(const struct cmd_call *call, int code);
/* cmd_errorf - like cmd_error(), with a text of the command. */
int cmd_errorf(const struct cmd_call *call, const char *subject, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* cmd_warn - like cmd_errorf(), for non-fatal problems; silent with -q. */
void cmd_warn(const struct cmd_call *call, const char *subject, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* cmd_usage - reports wrong usage detected by the command: two lines on stderr. Returns
 * CMD_USAGE. */
int cmd_usage(const struct cmd_call *call, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* cmd_loss_status - CMD_DAMAGED, with a warning, when the file is truncated or damaged, the
 * converter's input was, or more than @max_loss_pct percent is lost; else CMD_DONE. To be called
 * after everything was read. */
struct cdict_reader;
int cmd_loss_status(const struct cmd_call *call, const char *file, const struct cdict_reader *r,
		    double max_loss_pct);

/* cmd_output_open - opens an output file that appears complete or not at all and destroys nothing
 * (base/system/outfile.h), and whose temporary name is also removed when a signal ends the program.
 * It replaces neither files named on the command line nor @input, which may be NULL. Returns a
 * status; failures are reported. */
struct outfile;
struct outfile_options;
int cmd_output_open(struct outfile **out, const struct cmd_call *call, const char *input,
		    const struct outfile_options *how);
/* cmd_output_check - like cmd_output_open(), but opens nothing, for an output that is not a
 * capture: to be called before long computations. */
int cmd_output_check(const struct cmd_call *call, const char *input, const char *path);
/* cmd_output_commit - completes the file; takes @of, also on failure; cmd_output_abort takes it,
 * too. */
int cmd_output_commit(const struct cmd_call *call, const char *path, struct outfile *of, int flags);
void cmd_output_abort(struct outfile *of);
/* cmd_folder_open, cmd_folder_check, cmd_folder_commit, cmd_folder_abort - the same for an output
 * folder (base/system/outdir.h), of which one is open at a time. */
struct outdir;
int cmd_folder_open(struct outdir **out, const struct cmd_call *call, const char *path);
int cmd_folder_check(const struct cmd_call *call, const char *path);
int cmd_folder_commit(const struct cmd_call *call, const char *path, struct outdir *d);
void cmd_folder_abort(struct outdir *d);
/* cmd_output_write - makes the file @path from the output of @write, which returns 0 or a code with
 * *err filled; a status. */
struct sink;
int cmd_output_write(const struct cmd_call *call, const char *path, int flags,
		     int (*write)(void *ctx, struct sink *s, struct cdict_error *err), void *ctx);
/* Like these two, for a capture that can be converted: an existing one of its kind is kept as
 * NAME.old. */
struct source_kind;
int cmd_output_check_kind(const struct cmd_call *call, const char *input, const char *path,
			  const struct source_kind *kind);
int cmd_output_write_kind(const struct cmd_call *call, const char *path,
			  const struct source_kind *kind, int flags,
			  int (*write)(void *ctx, struct sink *s, struct cdict_error *err),
			  void *ctx);
/* cmd_inputs - sets @opts->inputs to the files named on the command line, borrowed from *in, an
 * array that the caller frees; 0 or -ENOMEM. */
int cmd_inputs(struct cmd_list *in, const struct cmd_call *call, const char *input,
	       struct outfile_options *opts);

/* stats_beside - writes the output of `cdict stats` for the file @cdict next to it: run.cdict ->
 * run.stats.txt. Reports failures as the command of @call; returns a status (regardless of loss,
 * which the command that made the capture reports). */
int stats_beside(const struct cmd_call *call, const char *cdict);

#endif
