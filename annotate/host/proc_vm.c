/* SPDX-License-Identifier: GPL-2.0-only */
/* Assigns roles to threads, and kernel threads to VMs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/host/proc.h"
#include "base/fail.h"
#include "base/memory/map.h"

/* Confidence in a claim to a single role. */
enum claim {
	CLAIM_NONE = 0,
	CLAIM_CGROUP, /* threads started by a vCPU are in its group too */
	CLAIM_COMM,
	CLAIM_BOTH,
	CLAIM_LIBVIRT,
};

static bool same_kind(const char *a, const char *b)
{
	return *a == *b; /* vcpu, iothread */
}

/* The role of a thread without a specific one. */
static void fall_back(const struct proc_vm *vm, struct proc_thread *t, bool named, bool only_vcpus)
{
	bool ignored = false;
	const char *role = "emulator";

	proc_role_of_comm(vm->vmm, t->role, t->comm, &ignored);
	if (t->tid != vm->pid && t->role[0] && !proc_role_is_single(t->role))
		return;
	/* Without names, all threads inherit the main thread's comm. */
	if (t->tid != vm->pid && strcmp(t->cgroup_role, "emulator") && !only_vcpus &&
	    (!t->comm[0] || (!named && !strcmp(t->comm, vm->comm))))
		role = "thread";
	strcpy(t->role, role);
}

static enum claim claim(const struct proc_vm *vm, struct proc_thread *t, bool named,
			bool only_vcpus, const struct proc_vcpu *vcpus, size_t n_vcpus)
{
	char comm[PROC_ROLE_MAX];
	bool ignored = false, by_comm, by_cgroup;

	for (size_t i = 0; i < n_vcpus; i++) {
		if (vcpus[i].tid == t->tid && t->tid != vm->pid) {
			snprintf(t->role, sizeof(t->role), "vcpu%u", vcpus[i].id);
			return CLAIM_LIBVIRT;
		}
	}
	proc_role_of_comm(vm->vmm, comm, t->comm, &ignored);
	by_comm = proc_role_is_single(comm);
	by_cgroup = proc_role_is_single(t->cgroup_role);
	/* The main thread is never one of them, and a name such as "worker" is more reliable
	 * than the group in which the thread was started. */
	if (t->tid == vm->pid || (comm[0] && !by_comm) || (!by_comm && !by_cgroup)) {
		fall_back(vm, t, named, only_vcpus);
		return CLAIM_NONE;
	}
	if (by_cgroup && (!by_comm || same_kind(comm, t->cgroup_role))) {
		memcpy(t->role, t->cgroup_role, sizeof(t->cgroup_role));
		return by_comm ? CLAIM_BOTH : CLAIM_CGROUP;
	}
	memcpy(t->role, comm, sizeof(comm));
	return CLAIM_COMM;
}

static bool are_named(const struct proc_vm *vm)
{
	char role[PROC_ROLE_MAX];
	bool named = vm->args.debug_threads;

	for (size_t i = 0; i < vm->threads.n && !named; i++) {
		if (vm->threads.at[i].tid != vm->pid)
			proc_role_of_comm(vm->vmm, role, vm->threads.at[i].comm, &named);
	}
	return named;
}

/* A claim to a role that only one thread can have. */
struct rival {
	struct proc_thread *thread;
	enum claim claim;
};

/* By role; then by confidence, then by age: a VMM starts its vCPUs before other threads. */
static int by_role(const void *a, const void *b)
{
	const struct rival *x = a, *y = b;
	int order = strcmp(x->thread->role, y->thread->role);

	if (order)
		return order;
	if (x->claim != y->claim)
		return x->claim > y->claim ? -1 : 1;
	if (x->thread->start_ns != y->thread->start_ns)
		return x->thread->start_ns < y->thread->start_ns ? -1 : 1;
	return (x->thread->tid > y->thread->tid) - (x->thread->tid < y->thread->tid);
}

int proc_vm_roles(struct proc_vm *vm, const struct proc_vcpu *vcpus, size_t n_vcpus,
		  bool only_vcpus)
{
	struct rival *rivals = calloc(vm->threads.n ? vm->threads.n : 1, sizeof(*rivals));
	bool named = are_named(vm);
	size_t n = 0;

	if (!rivals)
		return -ENOMEM;
	for (size_t i = 0; i < vm->threads.n; i++) {
		struct proc_thread *t = &vm->threads.at[i];
		enum claim c = claim(vm, t, named, only_vcpus, vcpus, n_vcpus);

		t->by_libvirt = c == CLAIM_LIBVIRT;
		if (c)
			rivals[n++] = (struct rival){ t, c };
	}
	qsort(rivals, n, sizeof(*rivals), by_role);
	/* Backwards, so that the entry compared with still has its role. */
	for (size_t i = n; i-- > 1;) {
		if (!strcmp(rivals[i].thread->role, rivals[i - 1].thread->role)) {
			rivals[i].thread->by_libvirt = false;
			fall_back(vm, rivals[i].thread, named, only_vcpus);
		}
	}
	free(rivals);
	return 0;
}

/* --- the kernel's threads --- */

#define NO_VM SIZE_MAX

static bool in_cgroup(const struct proc_vm *vm, const struct proc_kernel *k)
{
	return *k->base && !strcmp(vm->base, k->base);
}

/* The VM's process has this pid in its own namespace. */
static bool has_inner_pid(const struct proc_vm *vm, const struct proc_kernel *k)
{
	return (vm->inner_pid ? vm->inner_pid : vm->pid) == k->owner;
}

static size_t only_vm(const struct proc_scan *scan, const struct proc_kernel *k,
		      bool (*is)(const struct proc_vm *vm, const struct proc_kernel *k))
{
	size_t found = NO_VM;

	for (size_t i = 0; i < scan->vms.n; i++) {
		if (!is(&scan->vms.at[i], k))
			continue;
		if (found != NO_VM)
			return NO_VM;
		found = i;
	}
	return found;
}

static size_t vm_of_kernel(const struct proc_scan *scan, const struct proc_kernel *k,
			   const struct map *vm_of_tid)
{
	size_t vm = NO_VM;

	if (k->kind == PROC_KERNEL_PIT) {
		vm = only_vm(scan, k, has_inner_pid);
	} else if (k->owner) {
		const uint32_t *found = map_find(vm_of_tid, (uint32_t)k->owner, 0);

		vm = found ? *found : NO_VM;
	}
	return vm != NO_VM ? vm : only_vm(scan, k, in_cgroup);
}

static int list_owners(struct map *vm_of_tid, const struct proc_scan *scan)
{
	for (size_t i = 0; i < scan->vms.n; i++) {
		const struct proc_vm *vm = &scan->vms.at[i];

		for (size_t t = 0; t < vm->threads.n; t++) {
			uint32_t *place = map_add(vm_of_tid, (uint32_t)vm->threads.at[t].tid, 0);

			if (!place)
				return -ENOMEM;
			*place = (uint32_t)i;
		}
	}
	return 0;
}

static int by_kernel_tid(const void *a, const void *b)
{
	const struct proc_kernel *x = a, *y = b;

	return (x->thread.tid > y->thread.tid) - (x->thread.tid < y->thread.tid);
}

int proc_join_kernel(struct proc_scan *scan, struct cdict_error *err)
{
	struct map vm_of_tid = { 0 };
	bool ignored = false;
	size_t kept = 0;
	int rc = list_owners(&vm_of_tid, scan);

	if (scan->kernel.n)
		qsort(scan->kernel.at, scan->kernel.n, sizeof(*scan->kernel.at), by_kernel_tid);
	for (size_t i = 0; i < scan->kernel.n && !rc; i++) {
		struct proc_kernel *k = &scan->kernel.at[i];
		size_t vm = vm_of_kernel(scan, k, &vm_of_tid);
		struct proc_thread *t;

		if (vm == NO_VM) {
			scan->kernel.at[kept++] = *k;
			continue;
		}
		t = array_add(&scan->vms.at[vm].threads);
		if (!t) {
			rc = -ENOMEM;
			break;
		}
		*t = k->thread;
		proc_role_of_comm(scan->vms.at[vm].vmm, t->role, t->comm, &ignored);
	}
	map_fini(&vm_of_tid);
	if (rc)
		return cdict_fail_nomem(err);
	scan->kernel.n = kept;
	return 0;
}
