/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * proc_args.h - detects QEMU processes and parses their command lines.
 *
 * Text       untrusted; results are copied into the caller's storage
 */
#ifndef ANNOTATE_HOST_PROC_ARGS_H
#define ANNOTATE_HOST_PROC_ARGS_H

#include <stdbool.h>
#include <stddef.h>

/* proc_is_qemu_name - whether a program's name or path is QEMU's: "qemu-system-x86_64", "/usr/libexec/qemu-kvm",
 * also truncated to the 15 bytes of a comm, or with the " (deleted)" of a replaced program. */
bool proc_is_qemu_name(const char *path);

/* proc_is_qemu - whether a process is QEMU. @exe is the target of /proc/PID/exe, or ""
 * without permission; @cmdline is /proc/PID/cmdline, NUL-terminated arguments
 * (when @len is 0, as for a zombie, comm decides). Shells, editors and log readers with
 * QEMU's name among their arguments do not count. */
bool proc_is_qemu(const char *exe, const char *comm, const char *cmdline, size_t len);

#define PROC_ARGS_NAME_MAX 1024

struct proc_args {
	char instance[PROC_ARGS_NAME_MAX]; /* -name guest=, "" when absent */
	char uuid[37];                     /* -uuid, or that of -smbios; lower case; or "" */
	bool debug_threads;                /* threads have individual names */
};

/* proc_args_parse - walks the arguments as QEMU does: the argument after an option that takes
 * a value is that value, even if it looks like an option (-append "-name x"). The last
 * -name and -uuid count. */
void proc_args_parse(struct proc_args *out, const char *cmdline, size_t len);

/* proc_uuid - copies the 36 characters of a UUID in lower case; false and "" for other text. */
bool proc_uuid(char out[37], const char *text, size_t len);

#endif
