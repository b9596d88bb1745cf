/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * reader.h - open a cdict and walk its events.
 *
 * Units      *_ns in the recording's clock
 * Failure    0 or a negative code with *err filled; *out is then NULL. A damaged
 *            or cut file opens as long as its first header is intact: everything
 *            readable is read, cdict_reader_damage() reports the rest.
 * Threads    an open reader may be shared by threads; an iterator belongs to one
 * Ownership  open/parse give, close takes (NULL is fine); everything read from a
 *            reader is borrowed and dies with it
 */
#ifndef CDICT_READER_H
#define CDICT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/event.h"
#include "cdict/label.h"
#include "cdict/loss.h"
#include "cdict/schema.h"
#include "cdict/task.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cdict_reader;

/* cdict_reader_open - @path is a file, or "-": standard input, read to its end. */
CDICT_API int cdict_reader_open(struct cdict_reader **out, const char *path,
				struct cdict_error *err);
/* cdict_reader_parse - from memory that outlives the reader. */
CDICT_API int cdict_reader_parse(struct cdict_reader **out, const void *data, size_t size,
				 struct cdict_error *err);
CDICT_API void cdict_reader_close(struct cdict_reader *r);

CDICT_API uint64_t cdict_reader_size(const struct cdict_reader *r); /* bytes of the file */
CDICT_API const struct cdict_schema *cdict_reader_schema(const struct cdict_reader *r);

/* The capture's metadata: key/value text, in the file's order of first
 * appearance; a later value of the same key replaces the earlier. cdict(5),
 * "INFO", lists the keys. Untrusted text. */
CDICT_API const char *cdict_reader_info(const struct cdict_reader *r, const char *key);
CDICT_API size_t cdict_reader_info_count(const struct cdict_reader *r);
CDICT_API void cdict_reader_info_at(const struct cdict_reader *r, size_t i, const char **key,
				    const char **value);

CDICT_API size_t cdict_reader_task_count(const struct cdict_reader *r);
CDICT_API const struct cdict_task_event *cdict_reader_task_at(const struct cdict_reader *r,
							      size_t i);
CDICT_API size_t cdict_reader_loss_count(const struct cdict_reader *r);
CDICT_API const struct cdict_loss *cdict_reader_loss_at(const struct cdict_reader *r, size_t i);

/* Labels of tasks, in the file's order; label.h defines which one wins. */
CDICT_API size_t cdict_reader_label_count(const struct cdict_reader *r);
CDICT_API const struct cdict_label *cdict_reader_label_at(const struct cdict_reader *r, size_t i);

CDICT_API size_t cdict_reader_late_count(const struct cdict_reader *r);
CDICT_API const struct cdict_late *cdict_reader_late_at(const struct cdict_reader *r, size_t i);

/* Events and records of the converter's input that were not stored, by name. */
struct cdict_unstored {
	const char *name; /* "cycles:u", "PERF_RECORD_MMAP2"... */
	uint64_t count;
};
CDICT_API size_t cdict_reader_unstored_count(const struct cdict_reader *r);
CDICT_API const struct cdict_unstored *cdict_reader_unstored_at(const struct cdict_reader *r,
								size_t i);

/* One block of events: one CPU, in time order. */
struct cdict_block_info {
	uint64_t offset; /* of the block in the file */
	uint64_t size;   /* bytes with its header */
	uint32_t cpu;
	uint32_t events;
	uint64_t first_ns, last_ns;
};
CDICT_API size_t cdict_reader_block_count(const struct cdict_reader *r);
CDICT_API const struct cdict_block_info *cdict_reader_block_at(const struct cdict_reader *r,
							       size_t i);

CDICT_API uint64_t cdict_reader_events(const struct cdict_reader *r); /* by the index */
/* Events of the type @index, from the heads of all blocks, read on demand; decodes nothing. */
CDICT_API uint64_t cdict_reader_type_events(const struct cdict_reader *r, size_t index);
/* cdict_reader_has_type - whether there are any: reads the heads up to the first such block. */
CDICT_API bool cdict_reader_has_type(const struct cdict_reader *r, size_t index);
/* The window: from the first stored event over all CPUs to the last one, or to the end of the last
 * loss if that is later; false without events. */
CDICT_API bool cdict_reader_window(const struct cdict_reader *r, uint64_t *first_ns,
				   uint64_t *last_ns);
/* Number of CPUs in the capture: 1 + the highest number in topology or events. */
CDICT_API uint32_t cdict_reader_cpus(const struct cdict_reader *r);

/* Damage found so far: opening tests the index, which describes all blocks, and the small blocks; event
 * blocks and their headers are tested as they are read, or all at once by cdict_reader_verify(). */
struct cdict_damage {           /* never grows; new data gets its own functions */
	bool cut;               /* no index at the end: the writer did not finish */
	uint64_t cut_at;        /* usable bytes, when cut */
	bool input_damaged;     /* the converter's input was damaged (info key "input.damage") */
	size_t blocks;          /* damaged blocks found so far */
	uint64_t events;        /* events in them, from the index */
	uint64_t skipped_bytes; /* bytes between blocks that belong to no block */
	uint32_t cpu;           /* the first damaged event block's ... */
	uint64_t first_ns, last_ns;
	char first[320]; /* the first damage found, one line; "" when none */
};
CDICT_API void cdict_reader_damage(const struct cdict_reader *r, struct cdict_damage *out);
/* cdict_reader_verify - reads every block; 0 when intact, CDICT_ECORRUPT or
 * CDICT_ETRUNCATED otherwise (details in cdict_reader_damage()). */
CDICT_API int cdict_reader_verify(struct cdict_reader *r, struct cdict_error *err);

/* Which events to walk; the zero value means all. */
struct cdict_query {
	size_t size;             /* sizeof(struct cdict_query); 0: as in version 0.1 */
	uint64_t from_ns, to_ns; /* inclusive; to_ns 0 = to the end */
	const uint64_t *cpus;    /* bitmap, NULL = all */
	size_t n_cpus;           /* bits in @cpus; CPUs beyond are left out */
	const uint64_t *types;   /* bitmap over schema indexes, NULL = all */
	size_t n_types;          /* bits in @types */
	/* Fields whose values the caller reads, by schema index: a bitmap over the type's fields,
	 * NULL = none. Other fields may not be decoded: their values are then undefined.
	 * Borrowed until cdict_events_open() returns. NULL = all fields. */
	const uint64_t *const *fields;
	size_t n_fields; /* types in @fields; types beyond: all fields */
	/* Threads that decode ahead of the walk, including the caller's; 0 and 1: none. The result
	 * does not depend on it. */
	unsigned jobs;
	/* Called for the events before from_ns in blocks that are read anyway, before the first event is
	 * returned: in order per CPU, by the decoding thread. Only cdict_events_open() uses it. */
	void (*lead)(void *ctx, const struct cdict_event *ev);
	void *lead_ctx;
};

struct cdict_events;

/* cdict_events_open - a walk in time order over all CPUs (ties: in the order
 * in which the recorder wrote them). Reads only blocks that match the query. */
CDICT_API int cdict_events_open(struct cdict_events **out, struct cdict_reader *r,
				const struct cdict_query *query, struct cdict_error *err);
/* cdict_events_next - 1 and *ev, 0 at the end, or a negative code. Damaged blocks
 * are skipped and noted in cdict_reader_damage(). */
CDICT_API int cdict_events_next(struct cdict_events *it, struct cdict_event *ev,
				struct cdict_error *err);
CDICT_API void cdict_events_close(struct cdict_events *it);
/* cdict_events_fork - *out: a walk of its own over the events after the one that @it returned last, with the types and
 * fields of @query, which @it has, too; it is closed before @it moves on. Up to one event per CPU may be of another
 * type. *out is NULL if that takes too much memory or another thread decodes for @it: open the events again. 0 or
 * -ENOMEM. */
CDICT_API int cdict_events_fork(struct cdict_events **out, const struct cdict_events *it,
				const struct cdict_query *query, struct cdict_error *err);

#ifdef __cplusplus
}
#endif
#endif
