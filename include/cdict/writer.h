/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * writer.h - write a cdict to a stream. The writer never seeks, keeps at most
 * one block of events per CPU in memory, and writes the same bytes for the same
 * calls.
 *
 * Threads    one thread at a time per writer
 * Failure    a negative code with *err filled; after a failed write every later
 *            call fails with the same error
 * Ownership  open gives; close takes. Arguments are copied.
 */
#ifndef CDICT_WRITER_H
#define CDICT_WRITER_H

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

struct cdict_writer;

/* Writes all of @size bytes or returns a negative errno. */
typedef int (*cdict_write_fn)(void *ctx, const void *data, size_t size);

/* cdict_writer_open - writes the file header. */
CDICT_API int cdict_writer_open(struct cdict_writer **out, cdict_write_fn fn, void *ctx,
				struct cdict_error *err);
/* cdict_writer_info - a key/value pair about the capture. */
CDICT_API int cdict_writer_info(struct cdict_writer *w, const char *key, const char *value,
				struct cdict_error *err);
/* cdict_writer_schema - the event types, before their first event; may be called
 * again when types were added. The schema is borrowed until close. */
CDICT_API int cdict_writer_schema(struct cdict_writer *w, const struct cdict_schema *schema,
				  struct cdict_error *err);
CDICT_API int cdict_writer_task(struct cdict_writer *w, const struct cdict_task_event *ev,
				struct cdict_error *err);
CDICT_API int cdict_writer_loss(struct cdict_writer *w, const struct cdict_loss *loss,
				struct cdict_error *err);
CDICT_API int cdict_writer_late(struct cdict_writer *w, const struct cdict_late *late,
				struct cdict_error *err);
/* cdict_writer_label - a name for a task; may be called at any time. CDICT_EUSAGE for a tid <= 0,
 * CDICT_ELIMIT when a text is longer than 4096 bytes or there are too many labels:
 * that label is then not stored. */
CDICT_API int cdict_writer_label(struct cdict_writer *w, const struct cdict_label *label,
				 struct cdict_error *err);
CDICT_API int cdict_writer_unstored(struct cdict_writer *w, const char *name, uint64_t count,
				    struct cdict_error *err);

/* The sample around a raw tracepoint payload. */
struct cdict_sample {
	uint64_t t_ns;
	uint32_t cpu;
	int32_t pid, tid;
	uint8_t mode;
	uint32_t order; /* file order among CPUs: grows with every pass over the rings; 0 if unknown */
};

/* cdict_writer_event - stores one event of type @type with its raw payload in the
 * schema's layout. CDICT_ECORRUPT when the payload is shorter than its fields:
 * the event is then not stored. Events of one CPU should come in order of time;
 * an event that does not starts a new block. */
CDICT_API int cdict_writer_event(struct cdict_writer *w, const struct cdict_sample *sample,
				 uint32_t type, const void *payload, size_t size,
				 struct cdict_error *err);

/* cdict_writer_finish - writes pending data, the summary and the index. */
CDICT_API int cdict_writer_finish(struct cdict_writer *w, struct cdict_error *err);
CDICT_API uint64_t cdict_writer_bytes(const struct cdict_writer *w); /* written so far */
CDICT_API void cdict_writer_close(struct cdict_writer *w);

#ifdef __cplusplus
}
#endif
#endif
