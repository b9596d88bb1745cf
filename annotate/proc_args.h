/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * proc_args.h - is this process QEMU, and what does its command line say of the VM.
 *
 * Text       untrusted; what is taken from it is copied into the caller's storage
 */
#ifndef ANNOTATE_PROC_ARGS_H
#define ANNOTATE_PROC_ARGS_H

#include <stdbool.h>
#include <stddef.h>

/* proc_is_qemu_name - a program's name or path, "qemu-system-x86_64", "/usr/libexec/qemu-kvm",
 * also cut to the 15 bytes of a comm, and with the " (deleted)" of a replaced program. */
bool proc_is_qemu_name(const char *path);

/* proc_is_qemu - whether a process is QEMU. @exe is what /proc/PID/exe points to, or ""
 * when that may not be read; @cmdline /proc/PID/cmdline, arguments that end with NUL
 * (with @len 0, a zombie's, comm decides). A shell, an editor or a log reader that has
 * QEMU's name among its arguments is none. */
bool proc_is_qemu(const char *exe, const char *comm, const char *cmdline, size_t len);

#define PROC_ARGS_NAME_MAX 1024

struct proc_args {
	char instance[PROC_ARGS_NAME_MAX]; /* -name guest=, "" when not given */
	char uuid[37];                     /* -uuid, or that of -smbios; lower case; or "" */
	bool debug_threads;                /* threads carry names of their own */
};

/* proc_args_parse - walks the arguments as QEMU does: what follows an option that takes
 * a value is that value, even when it looks like an option (-append "-name x"). The last
 * -name and -uuid count. */
void proc_args_parse(struct proc_args *out, const char *cmdline, size_t len);

/* proc_uuid - copies the 36 characters of a UUID in lower case; false and "" for other text. */
bool proc_uuid(char out[37], const char *text, size_t len);

#endif
