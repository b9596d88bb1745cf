/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vmm.h - the virtual machine monitors that are known: what marks a process as one, where its
 * command line has the VM's name, and which role each of its threads has by its name.
 *
 * One file declares one VMM; vmm.c lists them. How a VMM names its threads is taken from its
 * published source, which the file cites.
 *
 * Text       untrusted; results are copied into the caller's storage
 */
#ifndef ANNOTATE_HOST_VMM_VMM_H
#define ANNOTATE_HOST_VMM_VMM_H

#include <stdbool.h>
#include <stddef.h>

/* A process as /proc shows it. */
struct vmm_process {
	const char *exe;     /* target of /proc/PID/exe, or "" without permission */
	const char *comm;    /* up to 15 bytes */
	const char *cmdline; /* NUL-terminated arguments; the last may lack its NUL */
	size_t len;          /* 0, as for a zombie: comm decides */
};

#define VMM_NAME_MAX 1024

struct vmm_args {
	char instance[VMM_NAME_MAX]; /* identifies the VM on this host, "" unknown */
	char name[VMM_NAME_MAX];     /* its name, where that is not the instance; or "" */
	char uuid[37];               /* lower case; or "" */
	bool debug_threads;          /* QEMU: threads have individual names */
};

/* A thread's name and its role. In a name, '#' matches one to six digits, and a final '*' one byte
 * or more; in the role they stand for what they matched. The first match counts. */
struct vmm_thread {
	const char *name, *role;
};

struct vmm {
	const char *name;
	/* Names of its program without the folder, ended by NULL; a final '*' matches one byte or
	 * more. */
	const char *const *programs;
	const struct vmm_thread *threads; /* ended by { NULL, NULL } */
	/* Whether a process of that program runs a VM: the program may also manage VMs. NULL: yes. */
	bool (*runs)(const struct vmm_process *p);
	/* Whether a process with another program name is one. NULL: no. */
	bool (*also)(const struct vmm_process *p);
	void (*parse)(struct vmm_args *out, const struct vmm_process *p);
	const char *nameless; /* a VM without a name is called nameless-PID */
	/* Its device processes are forks with the same command line. */
	bool forks;
};

extern const struct vmm vmm_qemu, vmm_firecracker, vmm_cloud_hypervisor, vmm_crosvm, vmm_kvmtool,
	vmm_stratovirt;

/* The VMMs, ended by NULL. */
extern const struct vmm *const vmm_all[];

/* vmm_is - whether @p is a VM of @vmm. Shells, editors and log readers with the VMM's name among
 * their arguments do not count.
 * vmm_of - the VMM of @p, or NULL. */
bool vmm_is(const struct vmm *vmm, const struct vmm_process *p);
const struct vmm *vmm_of(const struct vmm_process *p);

#define VMM_ROLE_MAX 32

/* vmm_role - the role of a thread of this name; false and "" for other names. */
bool vmm_role(const struct vmm *vmm, char role[VMM_ROLE_MAX], const char *comm);

/* --- for the files of the VMMs --- */

/* Arguments, one after the other. */
struct vmm_walk {
	const char *at, *end;
};

bool vmm_next(struct vmm_walk *w, const char **arg, size_t *len);
/* vmm_walk - the arguments after argv[0]. */
struct vmm_walk vmm_walk(const struct vmm_process *p);
/* vmm_has - whether an argument after argv[0], and before "--", is @word. */
bool vmm_has(const struct vmm_process *p, const char *word);
/* vmm_option - copies the value of the last "@option VALUE" or "@option=VALUE" before "--"; false
 * and "" without one. */
bool vmm_option(const struct vmm_process *p, const char *option, char out[VMM_NAME_MAX]);
/* vmm_base - removes the folders of a path. */
void vmm_base(const char **name, size_t *len);
/* vmm_socket_name - a VM's name from the path of its socket: the file's name without ".sock" or
 * ".socket", or, if @usual (ended by NULL) lists that, the folder's name; "" if both are usual. */
void vmm_socket_name(char out[VMM_NAME_MAX], const char *path, const char *const *usual);
/* vmm_uuid - copies the 36 characters of a UUID in lower case; false and "" for other text. */
bool vmm_uuid(char out[37], const char *text, size_t len);

#endif
