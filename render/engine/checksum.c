/* SPDX-License-Identifier: GPL-2.0-only */
/* A checksum of all bits of all events, so that tests can check that a page reads what libcdict reads. */
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/fail.h"
#include "base/memory/buf.h"
#include "render/engine/engine_internal.h"

struct checksum {
	struct cdict_events *it;
	struct buf bytes; /* of the event */
	uint64_t events;
	uint32_t crc;
};

static int checksum_add(struct page_engine *e, struct cdict_error *err)
{
	struct checksum *sum = e->state;

	return cdict_events_open(&sum->it, e->reader, NULL, err);
}

static void checksum_fini(struct page_engine *e)
{
	struct checksum *sum = e->state;

	cdict_events_close(sum->it);
	buf_fini(&sum->bytes);
}

static void add_event(struct checksum *sum, const struct cdict_event *ev)
{
	struct buf *b = &sum->bytes;

	b->len = 0;
	buf_le64(b, ev->t_ns);
	buf_le32(b, ev->cpu);
	buf_le32(b, (uint32_t)ev->pid);
	buf_le32(b, (uint32_t)ev->tid);
	buf_u8(b, ev->mode);
	buf_string(b, ev->type->name, strlen(ev->type->name));
	for (size_t i = 0; i < ev->type->n_fields; i++) {
		const struct cdict_field *f = &ev->type->fields[i];

		if (f->kind == CDICT_FIELD_UINT || f->kind == CDICT_FIELD_INT) {
			buf_le64(b, ev->values[i]);
		} else {
			struct cdict_bytes bytes = cdict_event_bytes(ev, i);

			buf_string(b, bytes.data, bytes.len);
		}
	}
	if (!b->failed)
		sum->crc = (uint32_t)crc32_z(sum->crc, b->data, b->len);
	sum->events++;
}

static int checksum_step(struct page_engine *e, uint64_t events, struct cdict_error *err)
{
	struct checksum *sum = e->state;
	struct cdict_event ev;
	int rc = 1;

	for (; rc > 0 && events; events--) {
		rc = cdict_events_next(sum->it, &ev, err);
		if (rc > 0)
			add_event(sum, &ev);
	}
	return sum->bytes.failed ? cdict_fail_nomem(err) : rc;
}

static int checksum_write(struct page_engine *e, struct arrays *a, struct cdict_error *err)
{
	const struct checksum *sum = e->state;

	(void)err;
	json_u64(a->j, "events", sum->events);
	json_u64(a->j, "crc", sum->crc);
	return 0;
}

const struct page_call page_checksum = { .state_size = sizeof(struct checksum),
					 .add = checksum_add,
					 .write = checksum_write,
					 .fini = checksum_fini,
					 .step = checksum_step };
