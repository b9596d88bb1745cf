/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file.h - a capture itself in a store, in chunks, and out of it.
 *
 * The last value tells how many chunks there are, how long they are together and their checksum: without it the file
 * is not whole, and nobody gets a part of one.
 *
 * Failure    0 or a negative code with *err filled
 */
#ifndef FLEET_FILE_H
#define FLEET_FILE_H

#include "fleet/capture.h"
#include "fleet/store.h"

#define FLEET_SHELF_FILE "f:" /* with the host's name: its files' chunks, by capture and number */

int fleet_file_put(struct store *st, const char *id, const struct fleet_capture *c,
		   const void *data, size_t size, struct cdict_error *err);

/* Who takes files: for each that is whole open, write for each chunk, and commit; for one that turns out not to
 * be whole abort instead, with the reason. 0, or a code that ends it all. */
struct fleet_file_ops {
	int (*open)(void *ctx, const char *host, const char *capture);
	int (*write)(void *ctx, const void *data, size_t size);
	int (*commit)(void *ctx);
	int (*abort)(void *ctx, const char *why);
};

/* fleet_files_get - the files of the job; of @host alone, or NULL. */
int fleet_files_get(struct store *st, const char *id, const char *host,
		    const struct fleet_file_ops *ops, void *ctx, struct cdict_error *err);

#endif
