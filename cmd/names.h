/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * names.h - what tasks are called in tables and pictures, and which are wanted.
 *
 * A task that somebody named (cdict annotate, --map) has a display name,
 * "Firewall.05.vcpu0"; others are called by their comm.  A VM is what the labels say it
 * is (UUID, instance, name and group); without them it is a process that has vCPU
 * threads, called by its pid.
 *
 * Ownership  texts returned are given (free them), unless said otherwise
 */
#ifndef CMD_NAMES_H
#define CMD_NAMES_H

#include "analyze/engine.h"
#include "annotate/label_index.h"
#include "cmd/options.h"

struct names_vm;
struct names_task;

struct names {
	const struct analyze_engine *eng;
	const struct options_shared *opts;
	struct names_task *tasks; /* by the engine's numbers */
	struct names_vm *vms;     /* by pid, ascending */
	size_t n_vms;
};

/* names_init - after the engine's walk; 0 or -ENOMEM.  @labels may be NULL. */
int names_init(struct names *names, const struct analyze_engine *eng,
	       const struct options_shared *opts, struct label_index *labels);
void names_fini(struct names *names);

/* names_display - the name, with --merge-sys-tasks and --append-tid as wished. */
char *names_display(const struct names *names, const struct analyze_task *task);
/* names_order - by what the name is sorted instead of by its text (group first), or NULL:
 * by its text; borrowed. */
const char *names_order(const struct names *names, const struct analyze_task *task);
/* names_vm - the task's VM, or NULL. */
char *names_vm(const struct names *names, const struct analyze_task *task);
/* names_vm_pid - whether the process @pid is a VM. */
bool names_vm_pid(const struct names *names, int32_t pid);
/* names_vm_order - as names_order(), of the VM. */
const char *names_vm_order(const struct names *names, const struct analyze_task *task);
/* names_vcpu - the number of the vCPU that the task is, by KVM, else by its role; or -1. */
int32_t names_vcpu(const struct names *names, const struct analyze_task *task);
/* names_label - what the labels say together, or NULL; borrowed. */
const struct cdict_label *names_label(const struct names *names, const struct analyze_task *task);
/* names_named - whether a label gave the task its name. */
bool names_named(const struct names *names, const struct analyze_task *task);

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
