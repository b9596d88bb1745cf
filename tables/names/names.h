/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * names.h - the names of tasks in tables and pictures, and the filter of tasks.
 *
 * A task with a label (cdict annotate, --map) has a display name, "Firewall.05.vcpu0"; others have
 * their comm. Labels define the VMs (UUID, instance, name and group); without labels a VM is a
 * process with vCPU threads, named by its pid.
 *
 * Ownership  the caller frees returned texts, unless they are borrowed
 */
#ifndef TABLES_NAMES_NAMES_H
#define TABLES_NAMES_NAMES_H

#include "analyze/walk/engine.h"
#include "base/memory/array.h"
#include "format/labels/label_index.h"

struct names_vm;

/* A task with a label or a VM. */
struct names_task {
	struct cdict_label *label; /* owned; NULL: none */
	char *name, *order;        /* owned; NULL: the comm */
	const char *unit, *cgroup; /* borrowed from the labels; NULL: unknown */
	uint32_t vm;               /* index + 1, 0: none */
	int32_t role_vcpu;         /* number in the role + 1, 0: none */
	bool shared;               /* other tasks have the same name; if a comm: others of the VM */
};

/* Which tasks are wanted; the zero value: all. */
struct names_filter {
	const char *vm;      /* any name of a VM */
	const int32_t *tids; /* ascending */
	size_t n_tids;
	const char *pattern;                          /* for messages about the filter */
	bool (*matches)(void *ctx, const char *name); /* comm or label; NULL: all do */
	/* replaces all of these */
	bool (*wanted)(void *ctx, const struct analyze_task *task);
	void *ctx;
};

struct names_options {
	struct label_index *labels; /* or NULL */
	bool merge_sys_tasks;       /* one name for all per-CPU threads of a kind */
	bool append_tid;
	struct names_filter filter;
};

struct names {
	const struct analyze_engine *eng;
	bool merge_sys_tasks, append_tid;
	uint32_t *known;  /* by the engine's numbers: index in tasks + 1, 0: no label, no VM */
	uint64_t *wanted; /* a bit each */
	ARRAY(struct names_task) tasks;
	struct names_vm *vms; /* by pid, ascending */
	size_t n_vms;
};

/* names_init - after the engine's walk; 0 or -ENOMEM. */
int names_init(struct names *names, const struct analyze_engine *eng,
	       const struct names_options *opts);
void names_fini(struct names *names);

/* names_display - the display name, merged and with its tid by the options. */
char *names_display(const struct names *names, const struct analyze_task *task);
/* names_full - the task's name in sentences, distinct from similar tasks: "CPU 0/KVM-1044" with its
 * VM, "worker-1279" with its tid, "worker-1044-1279" and "web.worker-1279" if several tasks of a VM
 * have the same name; NULL: out of memory. */
char *names_full(const struct names *names, const struct analyze_task *task);
/* names_order - the text to sort the name by (group first), or NULL: the name itself; borrowed. */
const char *names_order(const struct names *names, const struct analyze_task *task);
/* names_vm - the task's VM, or NULL; borrowed. */
const char *names_vm(const struct names *names, const struct analyze_task *task);
/* names_kernel_thread - whether the task is kthreadd or one of its children. */
bool names_kernel_thread(const struct analyze_task *task);
/* names_is_vm - whether it belongs to the VM @want, or serves it (names_vm_served): any name, as shown
 * in tables, with or without group, instance, UUID, project, or pid. */
bool names_is_vm(const struct names *names, const struct analyze_task *task, const char *want);
/* names_vm_served - the VM that a kernel thread works for, by the thread's name, vhost-1841 or
 * kvm-pit/1841, or NULL; borrowed. */
const char *names_vm_served(const struct names *names, const struct analyze_task *task);
/* names_unit - the systemd unit, container or pod of the task, or NULL; names_cgroup - the path of its
 * control group. Known for a process, they hold for its threads and, in a container or pod, for the
 * processes that it starts. Borrowed from the labels. */
const char *names_unit(const struct names *names, const struct analyze_task *task);
const char *names_cgroup(const struct names *names, const struct analyze_task *task);
/* names_unit_beside - names_unit() of a task that belongs to no VM and serves none, else NULL: what a
 * sentence adds to names_full(); names_full_unit - both, "load-500 (docker 3f2a1b0c9d8e)". */
const char *names_unit_beside(const struct names *names, const struct analyze_task *task);
char *names_full_unit(const struct names *names, const struct analyze_task *task);
/* names_nameless - whether the task belongs to a VM, or serves one, that has no label;
 * names_nameless_vms - the number of such VMs. */
bool names_nameless(const struct names *names, const struct analyze_task *task);
size_t names_nameless_vms(const struct names *names);
/* names_vm_pid - whether the process @pid is a VM. */
bool names_vm_pid(const struct names *names, int32_t pid);
/* names_vm_of_pid - the VM of the process @pid, or NULL; borrowed. */
const char *names_vm_of_pid(const struct names *names, int32_t pid);
/* names_vm_order - like names_order(), but for the VM. */
const char *names_vm_order(const struct names *names, const struct analyze_task *task);
/* names_vcpu - the task's vCPU number, from KVM, else from its role; or -1. */
int32_t names_vcpu(const struct names *names, const struct analyze_task *task);
/* names_label - the task's label, all sources merged, or NULL; borrowed. */
const struct cdict_label *names_label(const struct names *names, const struct analyze_task *task);
/* names_named - whether a label gave the task its name; names_unnamed - whether it has neither a label's
 * name nor a comm, and is displayed by its tid. NAMES_UNNAMED: such tasks together. */
bool names_named(const struct names *names, const struct analyze_task *task);
bool names_unnamed(const struct names *names, const struct analyze_task *task);
#define NAMES_UNNAMED "unnamed tasks"

/* names_merged - if the task shares a row with others: the length of the common part of its comm,
 * else 0. */
size_t names_merged(const struct names *names, const struct analyze_task *task);

/* names_wanted - whether the filter selects the task; names_wanted_tid - whether @tids, ascending,
 * contains the tid or is empty. */
bool names_wanted(const struct names *names, const struct analyze_task *task);
bool names_wanted_tid(const int32_t *tids, size_t n, int32_t tid);

/* names_nodes - NUMA node per CPU from the info key topology.numa ("0:0-3;1:4-7"), -1 where
 * unknown; to be freed; NULL when the capture has none. */
int32_t *names_nodes(const struct cdict_reader *r, size_t *n);
/* names_cores - core per CPU, numbered from 0, from the info key topology.threads ("0,2 1,3"), like
 * names_nodes(); *smt: some core has several CPUs. */
int32_t *names_cores(const struct cdict_reader *r, size_t *n, bool *smt);

#endif
