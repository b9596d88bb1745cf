/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file.h - stores a capture file in chunks, and retrieves it.
 *
 * The last value holds the number of chunks, the total length and the checksum: without it the file is
 * incomplete, and readers skip it.
 *
 * Failure    0 or a negative code with *err filled
 */
#ifndef QUERY_FLEET_FIGURES_FILE_H
#define QUERY_FLEET_FIGURES_FILE_H

#include "query/fleet/figures/capture.h"
#include "query/fleet/store/store.h"

#define FLEET_SHELF_FILE "f:" /* followed by the host's name: chunks of its files */

int fleet_file_put(struct store *st, const char *id, const struct fleet_capture *c,
		   const void *data, size_t size, struct cdict_error *err);

/* The receiver of files: open for each file, write for each chunk, then commit; abort, with the reason, when the
 * file turns out to be incomplete. 0, or a code that stops everything: the receiver then closes an open file. */
struct fleet_file_ops {
	int (*open)(void *ctx, const char *host, const char *capture);
	int (*write)(void *ctx, const void *data, size_t size);
	int (*commit)(void *ctx);
	int (*abort)(void *ctx, const char *why);
};

/* fleet_files_get - passes on the files of the job; only @host's, or NULL: all. */
int fleet_files_get(struct store *st, const char *id, const char *host,
		    const struct fleet_file_ops *ops, void *ctx, struct cdict_error *err);

#endif
