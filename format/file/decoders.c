/* SPDX-License-Identifier: LGPL-2.1-only */
/* Decoders that are kept for the next walk: allocating one and the memory of a block costs as much as decoding some
 * thousand events. */
#include "format/coding/decode.h"
#include "format/file/reader.h"

/* Larger ones are not kept. */
#define SPARE_BYTES ((size_t)2 << 20)

struct format_decoder *reader_decoder(struct cdict_reader *r)
{
	struct format_decoder *dec = NULL;

	pthread_mutex_lock(&r->lock);
	if (r->n_spare)
		dec = r->spare[--r->n_spare];
	pthread_mutex_unlock(&r->lock);
	return dec ? dec : format_decoder_new(r->schema);
}

void reader_decoder_done(struct cdict_reader *r, struct format_decoder *dec)
{
	if (!dec)
		return;
	if (format_decoder_size(dec) <= SPARE_BYTES) {
		pthread_mutex_lock(&r->lock);
		if (r->n_spare < READER_SPARES) {
			r->spare[r->n_spare++] = dec;
			dec = NULL;
		}
		pthread_mutex_unlock(&r->lock);
	}
	format_decoder_free(dec);
}

void reader_decoders_fini(struct cdict_reader *r)
{
	while (r->n_spare)
		format_decoder_free(r->spare[--r->n_spare]);
}
