/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * apply.h - other labels for a cdict that is there already.
 *
 * No event block is decoded: blocks are copied byte for byte, only the numbers in their
 * headers and the index are made anew.  A file that is cut or damaged stays exactly as
 * cut and damaged: what cannot be understood is copied as it is.
 *
 *	struct mapping m = { 0 };
 *	label_index_reader(&m, reader, err);	// what it has; not with --clear
 *	mapping_add(&m, &label, err);		// what is new
 *	apply_labels(reader, &m, outfile_write, of, err);
 *
 * The labels stand behind all other blocks, before the index, so that a file that had
 * none keeps all its bytes up to there.
 *
 * Failure    0 or a negative code with *err filled, then part of the output was written
 */
#ifndef ANNOTATE_APPLY_H
#define ANNOTATE_APPLY_H

#include "format/mapping.h"
#include "cdict/reader.h"
#include "cdict/writer.h"

/* apply_labels - writes @r's file with exactly the labels of @labels.  A block of labels
 * that is damaged stays, for nobody knows what it held, unless @clear. */
int apply_labels(const struct cdict_reader *r, const struct mapping *labels, bool clear,
		 cdict_write_fn fn, void *ctx, struct cdict_error *err);

#endif
