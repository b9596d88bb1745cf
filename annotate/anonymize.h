/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * anonymize.h - a copy of a cdict that may be shared: names of tasks, also inside the
 * events, of VMs, of the host, and the command line are pseudonyms; numbers, times and
 * everything the figures are made of stay.
 *
 * Blocks of events are decoded, changed and encoded again, each on its own.  One that
 * is damaged cannot be: it is left out, and the copy says so (LOSS rows, input.damage).
 */
#ifndef ANNOTATE_ANONYMIZE_H
#define ANNOTATE_ANONYMIZE_H

#include "format/mapping.h"
#include "cdict/reader.h"
#include "cdict/writer.h"

/* anonymize_write - @labels are those of the copy, before they are made pseudonyms;
 * @key_file holds a secret, or NULL. */
int anonymize_write(const struct cdict_reader *r, const struct mapping *labels,
		    const char *key_file, cdict_write_fn fn, void *ctx, struct cdict_error *err);

#endif
