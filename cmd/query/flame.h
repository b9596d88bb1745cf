/* SPDX-License-Identifier: GPL-2.0-only */
/* flame.h - shared by the files of cdict flame: options and outputs (flame.c), input of stacks (flame_input.c), git
 * (flame_branch.c). */
#ifndef CMD_QUERY_FLAME_H
#define CMD_QUERY_FLAME_H

#include "cmd/tables/figures.h"
#include "tables/stacks/calllog.h"
#include "tables/stacks/flame.h"

#define FLAME_LOGS "system-test*stdout*"

/* Values of --by: 0 depends on the input, then those for captures, then those for logs. */
enum { FLAME_BY_AUTO = 0, FLAME_BY_CAPTURE, FLAME_BY_LOG = FLAME_BY_CAPTURE + ANALYZE_STACKS_N };
extern const char *const flame_by_names[];

struct flame_opts {
	struct options_shared shared;
	struct cmd_list outputs; /* "output=x.svg" */
	int by;
	bool functions;
	const char *log_dir, *glob, *base;
	const char *title, *subtitle, *label, *commit, *branch, *count_name;
	uint64_t width;
};

enum flame_from { FLAME_CAPTURE = 0, FLAME_STACKS, FLAME_LOG };

/* An input: a capture, files of folded stacks, or logs. */
struct flame_input {
	const char *name; /* name in messages */
	enum flame_from from;
	bool opened;          /* f must be closed */
	struct figures f;     /* CAPTURE */
	struct calllog log;   /* LOG */
	struct folded folded; /* other inputs */
	struct folded
		before; /* for STACKS with two numbers per line, as by difffolded.pl: the first ones */
	bool compared; /* lines have two numbers */
	const struct folded *tree;
	int by; /* CAPTURE: enum analyze_stacks_by; LOG: enum calllog_figure; otherwise -1 */
	const char *event; /* of samples */
	uint64_t files, lacking;
};

/* flame_input_init - reads @names, or the logs in the folder @dir; a status. flame_input_fini() in
 * either case. */
int flame_input_init(struct flame_input *in, const struct cmd_call *call, const char *const *names,
		     size_t n, const char *dir);
void flame_input_fini(struct flame_input *in);
/* flame_branch_commit - the full hash of the commit that git has for @branch in the current folder, given; a
 * status. */
int flame_branch_commit(const struct cmd_call *call, const char *branch, char **commit);
/* flame_warn - calls figures_lacks() when the capture lacks the events that stacks @by need. */
void flame_warn(struct figures *f, enum analyze_stacks_by by);

#endif
