/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * names.h - what tasks are called in tables, and which are wanted.
 *
 * Without labels a task is called by its comm, and a VM is a process that has
 * vCPU threads, called by its pid.
 *
 * Ownership  texts returned are given (free them), unless said otherwise
 */
#ifndef CMD_NAMES_H
#define CMD_NAMES_H

#include "analyze/engine.h"
#include "cmd/options.h"

struct names {
	const struct analyze_engine *eng;
	const struct options_shared *opts;
	int32_t *vm_pids; /* ascending */
	size_t n_vm_pids;
};

/* names_init - after the engine's walk; 0 or -ENOMEM. */
int names_init(struct names *names, const struct analyze_engine *eng,
	       const struct options_shared *opts);
void names_fini(struct names *names);

/* names_display - the name, with --merge-sys-tasks and --append-tid as wished. */
char *names_display(const struct names *names, const struct analyze_task *task);
/* names_vm - the task's VM, or NULL. */
char *names_vm(const struct names *names, const struct analyze_task *task);

/* names_merged - whether --merge-sys-tasks makes one row of this and others:
 * the length of the common part of its comm, else 0. */
size_t names_merged(const struct names *names, const struct analyze_task *task);

/* names_wanted - by -t, --tid and --vm. */
bool names_wanted(const struct names *names, const struct options_filter *filter,
		  const struct analyze_task *task);

/* names_nodes - NUMA node per CPU from the info key topology.numa ("0:0-3;1:4-7"), -1 where
 * unknown, given; NULL when the capture does not tell. */
int32_t *names_nodes(const struct cdict_reader *r, size_t *n);

#endif
