/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gzip.h - a sink that compresses into another one, as gzip: members one after the other, so that several readers
 * can begin in the middle.
 *
 *	gzip_open(&gz, sink, GZIP_MEMBERS, err);
 *	sink_puts(&gz.sink, ...);
 *	rc = gzip_close(&gz);
 *
 * A member ends at the first end of a line after GZIP_MEMBER bytes of text, or, without one, after twice as many.
 * With GZIP_ZLIB the output is one zlib stream instead.
 *
 * Failure    0 or a negative errno; the output sink keeps its write errors, too
 * Ownership  caller's storage; gzip_close() empties it, also when open failed
 */
#ifndef QUERY_EXPORT_GZIP_H
#define QUERY_EXPORT_GZIP_H

#include <zlib.h>

#include "base/text/sink.h"
#include "cdict/error.h"

#define GZIP_MEMBER ((size_t)4 << 20)

enum gzip_form { GZIP_MEMBERS = 0, GZIP_ZLIB };

struct gzip {
	struct sink sink; /* the text goes in here */
	struct sink *out;
	enum gzip_form form;
	z_stream z;
	bool open;   /* z is initialized */
	size_t text; /* bytes of the current member */
};

int gzip_open(struct gzip *gz, struct sink *out, enum gzip_form form, struct cdict_error *err);
int gzip_close(struct gzip *gz);

#endif
