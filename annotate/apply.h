/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * apply.h - replaces the labels of an existing cdict, or adds recordings of guests.
 *
 * Decodes no event block: copies blocks byte for byte, and rewrites only the ordinals in their
 * headers and the index.  A cut or damaged file stays exactly as cut and damaged: anything
 * unknown is copied unchanged.
 *
 *	struct mapping m = { 0 };
 *	label_index_reader(&m, reader, err);	// existing labels; not with --clear
 *	mapping_add(&m, &label, err);		// new labels
 *	apply_labels(reader, &m, outfile_write, of, err);
 *
 * The labels, or guests, follow all other blocks, before the index, so that a file without labels keeps all
 * its bytes up to there.
 *
 * Failure    0 or a negative code with *err filled; the output is then incomplete
 */
#ifndef ANNOTATE_APPLY_H
#define ANNOTATE_APPLY_H

#include "format/labels/mapping.h"
#include "cdict/reader.h"
#include "cdict/writer.h"

/* apply_labels - writes @r's file with exactly the labels of @labels.  A damaged block of labels
 * stays, because its content is unknown, unless @clear. */
int apply_labels(const struct cdict_reader *r, const struct mapping *labels, bool clear,
		 cdict_write_fn fn, void *ctx, struct cdict_error *err);

/* apply_guests - writes @r's file with the guests that reader_guest_add() added. */
int apply_guests(const struct cdict_reader *r, cdict_write_fn fn, void *ctx,
		 struct cdict_error *err);

#endif
