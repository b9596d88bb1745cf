/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracefs.h - the tracepoints of the running kernel: which there are, and their formats.
 * Only files are read; nothing of tracefs is ever written.
 *
 * Failure    negative code with *err filled; -EACCES and -ENOENT say how to help
 * Ownership  what is given is freed by the caller
 */
#ifndef CAPTURE_TRACEFS_H
#define CAPTURE_TRACEFS_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory/texts.h"
#include "cdict/error.h"

/* tracefs_find - the mount point ("/sys/kernel/tracing"), whose events can be listed. */
int tracefs_find(char *out, size_t size, struct cdict_error *err);

/* tracefs_names - adds every "system:event" that matches @glob, ascending; 0 or negative. */
int tracefs_names(struct texts *names, const char *root, const char *glob, struct cdict_error *err);

/* tracefs_format - the format file of @system's @event, NUL-terminated, and its id. */
int tracefs_format(const char *root, const char *system, const char *event, char **text,
		   size_t *len, uint32_t *id, struct cdict_error *err);

/* tracefs_strings - printk_formats (strings that events name by address), or NULL. */
char *tracefs_strings(const char *root);

/* tracefs_read - a whole file of /proc, /sys or tracefs, NUL-terminated; NULL with errno. */
char *tracefs_read(const char *path, size_t *len);

#endif
