/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * anonymize.h - writes a copy of a cdict that can be shared: names of tasks (also inside
 * events), VMs and the host, and the command line, become pseudonyms; numbers, times and
 * all data used by figures stay.
 *
 * Event blocks are decoded, changed and encoded again, one by one.  A damaged block is left
 * out, and the copy records the loss (LOSS rows, input.damage).
 */
#ifndef ANNOTATE_ANONYMIZE_H
#define ANNOTATE_ANONYMIZE_H

#include "format/labels/mapping.h"
#include "cdict/reader.h"
#include "cdict/writer.h"

/* anonymize_write - @labels are the copy's labels, before pseudonymization;
 * @key_file holds a secret, or NULL. */
int anonymize_write(const struct cdict_reader *r, const struct mapping *labels,
		    const char *key_file, cdict_write_fn fn, void *ctx, struct cdict_error *err);

#endif
