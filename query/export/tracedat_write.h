/* SPDX-License-Identifier: GPL-2.0-only */
/* tracedat_write.h - a trace.dat that is being written: its words, in the recording's byte order, and its head. */
#ifndef QUERY_EXPORT_TRACEDAT_WRITE_H
#define QUERY_EXPORT_TRACEDAT_WRITE_H

#include "base/memory/array.h"
#include "base/text/sink.h"
#include "query/export/export.h"
#include "tables/columns/walk.h"

struct tracedat_writer {
	struct tables_walk *w;
	const struct cdict_schema *schema;
	struct cdict_query query;
	struct sink *out;
	struct export_report *report;
	bool big;
	unsigned long_size;
	uint32_t page_size, n_cpus;
	uint64_t *pages;                         /* by CPU, of the first pass */
	uint64_t *events;                        /* by CPU */
	ARRAY(const struct cdict_loss *) losses; /* by CPU and end */
	struct buf payload;                      /* of the event */
	ARRAY(int32_t) tids;                     /* selected, ascending */
	bool selects;                            /* only some tasks */
	uint64_t at;                             /* bytes written */
	size_t longest;                          /* event */
};

/* tracedat_put - appends a number of @size bytes. */
void tracedat_put(const struct tracedat_writer *wr, struct buf *b, uint64_t v, unsigned size);
/* The same to the file. */
void tracedat_word(struct tracedat_writer *wr, uint64_t v, unsigned size);
void tracedat_out(struct tracedat_writer *wr, const void *data, size_t size);
/* tracedat_padding - zeros up to a page's begin. */
void tracedat_padding(struct tracedat_writer *wr);

/* The bytes of a page before its events. */
static inline size_t tracedat_page_head(const struct tracedat_writer *wr)
{
	return 8 + wr->long_size;
}

/* tracedat_head - everything before the pages, which were counted: 0 or a negative code. */
int tracedat_head(struct tracedat_writer *wr, struct cdict_error *err);

#endif
