/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * proc.h - every QEMU process of a host with its threads, and the kernel's threads that
 * serve it, from /proc or a saved copy of it. Read only; processes and threads may come
 * and go meanwhile: who vanished is left out.
 *
 * Threads    no state; one scan belongs to one caller
 * Failure    0 or a negative code with *err filled
 * Ownership  caller's storage; proc_scan_fini() frees what is inside
 */
#ifndef ANNOTATE_PROC_H
#define ANNOTATE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/cgroup.h"
#include "annotate/proc_args.h"
#include "annotate/proc_role.h"
#include "base/array.h"
#include "cdict/error.h"

struct proc_thread {
	int32_t tid;
	uint64_t start_ns;        /* ns since boot; 0 unknown */
	char comm[64];            /* "" could not be read */
	char cgroup_role[24];     /* as struct cgroup_place */
	char role[PROC_ROLE_MAX]; /* never "" after proc_vm_roles() */
	bool kernel;              /* a process of the kernel's own, beside QEMU's */
	bool by_libvirt;          /* the role is libvirt's word */
};

struct proc_vm {
	int32_t pid, inner_pid; /* inner: in QEMU's own pid namespace; 0 unknown */
	char comm[64];          /* of the process */
	struct proc_args args;  /* instance: also from the cgroup's name when -name is absent */
	char base[CGROUP_PATH_MAX];
	ARRAY(struct proc_thread) threads; /* by tid, kernel's last */
};

/* A kernel thread that may serve a VM. */
struct proc_kernel {
	struct proc_thread thread;
	enum proc_kernel_thread kind;
	int32_t owner;
	char base[CGROUP_PATH_MAX];
};

struct proc_scan {
	ARRAY(struct proc_vm) vms;        /* by pid */
	ARRAY(struct proc_kernel) kernel; /* those that belong to no VM stay here */
	char host[256];                   /* "" unknown */
	size_t unreadable; /* processes nothing could be read of, permission denied */
	size_t incomplete; /* threads of VMs whose name or cgroup could not be read */
	bool live;         /* a real procfs */
	bool inner;        /* of a pid namespace: its numbers are not the host's */
	bool cut;          /* the time was up */
};

/* proc_scan - @root NULL: /proc. @deadline_ns on CLOCK_MONOTONIC, 0: none. Fails only
 * when @root cannot be listed, or with -ENOMEM. Roles are not yet set. */
int proc_scan(struct proc_scan *out, const char *root, uint64_t deadline_ns,
	      struct cdict_error *err);
void proc_scan_fini(struct proc_scan *scan);

/* What libvirt knows of a VM's vCPUs. */
struct proc_vcpu {
	uint32_t id;
	int32_t tid;
};

/* proc_vm_roles - gives every thread of @vm but the kernel's its role, 0 or -ENOMEM; called before
 * proc_join_kernel(). @vcpus may be NULL. @only_vcpus: the VM is known to have no I/O
 * threads, so that what is no vCPU of @vcpus is the emulator. */
int proc_vm_roles(struct proc_vm *vm, const struct proc_vcpu *vcpus, size_t n_vcpus,
		  bool only_vcpus);

/* proc_join_kernel - moves the kernel's threads to the VMs that they serve. */
int proc_join_kernel(struct proc_scan *scan, struct cdict_error *err);

#endif
