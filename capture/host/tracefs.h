/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracefs.h - lists the tracepoints of the running kernel, and reads their formats. It only reads
 * files; it never writes to tracefs.
 *
 * Failure    negative code with *err filled; for -EACCES and -ENOENT the text gives the remedy
 * Ownership  the caller frees the returned memory
 */
#ifndef CAPTURE_HOST_TRACEFS_H
#define CAPTURE_HOST_TRACEFS_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory/texts.h"
#include "cdict/error.h"

/* tracefs_find - finds the mount point ("/sys/kernel/tracing"), and checks that its events can be
 * listed. */
int tracefs_find(char *out, size_t size, struct cdict_error *err);

/* tracefs_names - adds every "system:event" that matches @glob, ascending; 0 or negative. */
int tracefs_names(struct texts *names, const char *root, const char *glob, struct cdict_error *err);

/* tracefs_format - reads the format file of @system's @event, NUL-terminated, and its id. */
int tracefs_format(const char *root, const char *system, const char *event, char **text,
		   size_t *len, uint32_t *id, struct cdict_error *err);

/* tracefs_strings - reads printk_formats (strings that events refer to by address), or NULL. */
char *tracefs_strings(const char *root);

/* tracefs_read - reads a whole file of /proc, /sys or tracefs, NUL-terminated; NULL with errno. */
char *tracefs_read(const char *path, size_t *len);

#endif
