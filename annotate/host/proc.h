/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * proc.h - finds every VM's process on a host with its threads, and the kernel threads that
 * serve it, in /proc or a saved copy. Read only; processes and threads may start and
 * end meanwhile: those that vanish are left out.
 *
 * Threads    no state; one scan belongs to one caller
 * Failure    0 or a negative code with *err filled
 * Ownership  caller's storage; proc_scan_fini() frees its content
 */
#ifndef ANNOTATE_HOST_PROC_H
#define ANNOTATE_HOST_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/host/cgroup.h"
#include "annotate/host/proc_role.h"
#include "annotate/host/vmm/vmm.h"
#include "format/labels/cgroup_unit.h"
#include "base/memory/array.h"
#include "base/memory/stringset.h"
#include "cdict/error.h"

struct proc_thread {
	int32_t tid;
	int32_t pid;              /* the process; 0: the VM's own */
	uint64_t start_ns;        /* ns since boot; 0 unknown */
	char comm[64];            /* "": could not be read */
	char cgroup_role[24];     /* as struct cgroup_place */
	char role[PROC_ROLE_MAX]; /* never "" after proc_vm_roles() */
	bool kernel;              /* a kernel thread outside the VMM's process */
	bool by_libvirt;          /* the role comes from libvirt */
};

struct proc_vm {
	const struct vmm *vmm;
	int32_t pid, inner_pid;     /* inner: in the VMM's own pid namespace; 0 unknown */
	int32_t ppid;               /* 0 unknown */
	char comm[64];              /* of the process */
	struct vmm_args args;       /* instance: from the cgroup's name when the VMM has none */
	char project[256];          /* of Kubernetes: the namespace; or "" */
	char unit[CGROUP_UNIT_MAX]; /* the container or pod that it runs in, or "" */
	bool shared;                /* another VM has the same name */
	char base[CGROUP_PATH_MAX], cgroup[CGROUP_PATH_MAX];
	ARRAY(struct proc_thread) threads; /* by tid, kernel threads last */
};

/* A process that is no VM. */
struct proc_other {
	int32_t pid;
	uint64_t start_ns;  /* 0 unknown */
	const char *cgroup; /* path, as cgroup_path(); in the scan's texts */
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
	ARRAY(struct proc_kernel) kernel; /* those of no VM stay here */
	ARRAY(struct proc_other) others;  /* those with a known control group; by pid */
	struct stringset texts;
	char host[256];    /* "" unknown */
	size_t unreadable; /* processes without any readable file, permission denied */
	size_t incomplete; /* threads of VMs whose name or cgroup could not be read */
	bool live;         /* a real procfs */
	bool inner;        /* of a PID namespace: its pids are not the host's */
	bool cut;          /* the time was up */
};

/* proc_scan - @root NULL: /proc. @deadline_ns on CLOCK_MONOTONIC, 0: none. Fails only
 * when @root cannot be listed, or with -ENOMEM. Does not set roles. */
int proc_scan(struct proc_scan *out, const char *root, uint64_t deadline_ns,
	      struct cdict_error *err);
void proc_scan_fini(struct proc_scan *scan);

/* A VM's vCPU according to libvirt. */
struct proc_vcpu {
	uint32_t id;
	int32_t tid;
};

/* proc_vm_roles - sets the role of every thread of @vm except kernel threads, 0 or -ENOMEM; call it before
 * proc_join_kernel(). @vcpus may be NULL. @only_vcpus: the VM has no I/O threads, so threads
 * that are not in @vcpus are the emulator. */
int proc_vm_roles(struct proc_vm *vm, const struct proc_vcpu *vcpus, size_t n_vcpus,
		  bool only_vcpus);

/* proc_join_kernel - assigns the kernel threads to the VMs that they serve. */
int proc_join_kernel(struct proc_scan *scan, struct cdict_error *err);

#endif
