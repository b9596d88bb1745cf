/* SPDX-License-Identifier: GPL-2.0-only */
/* Records that perf itself writes: what they state about the recording, and the bytes that follow
 * some of them. */
#include "convert/perfdata/internal.h"

#include <errno.h>

static void bad_record(struct perfdata *pd, const struct perfdata_record *rec, const char *what)
{
	perfdata_note(pd, rec->offset, "%s record of %u bytes %s", perfdata_type_name(rec->type),
		      rec->size, what);
}

/* Adds an event with its ids (pipe mode; a file has them in its header). */
static int take_attr(struct perfdata *pd, const struct perfdata_record *rec)
{
	struct cursor c = cursor_init(rec->data, rec->size, pd->big);
	const uint8_t *attr;
	uint32_t size;
	int r;

	if (!pd->pipe)
		return 0;
	cursor_skip(&c, RECORD_HEADER_SIZE);
	attr = c.at;
	cursor_u32(&c);
	size = cursor_u32(&c);
	if (size == 0)
		size = ATTR_SIZE_MIN;
	c = cursor_init(attr, rec->size - RECORD_HEADER_SIZE, pd->big);
	if (size < ATTR_SIZE_MIN || !cursor_skip(&c, size)) {
		bad_record(pd, rec, "is too short for its attr");
		return 0;
	}
	r = perfdata_add_event(pd, attr, size, c.at, c.left / 8);
	if (r == CDICT_ELIMIT) {
		bad_record(pd, rec, "exceeds the limit of events");
		return 0;
	}
	if (r == 0)
		perfdata_name_events(pd, pd->events.n - 1);
	return r;
}

/* Takes the name of an event; unit, scale and CPUs are not needed here. */
static int take_event_update(struct perfdata *pd, const struct perfdata_record *rec)
{
	struct cursor c = cursor_init(rec->data, rec->size, pd->big);
	uint64_t what, id;
	struct event *ev;
	const char *name;
	int i;

	cursor_skip(&c, RECORD_HEADER_SIZE);
	what = cursor_u64(&c);
	id = cursor_u64(&c);
	if (!cursor_ok(&c)) {
		bad_record(pd, rec, "is too short");
		return 0;
	}
	i = perfdata_event_by_id(pd, id);
	if (what != 2 || i < 0) /* PERF_EVENT_UPDATE__NAME */
		return 0;
	ev = pd->events.at[i];
	if (strnlen((const char *)c.at, c.left) == strlen(ev->pub.name) &&
	    !memcmp(ev->pub.name, c.at, strlen(ev->pub.name))) {
		ev->named = true;
		return 0;
	}
	name = perfdata_keep_text(pd, c.at, strnlen((const char *)c.at, c.left));
	if (name) {
		ev->pub.name = name;
		ev->named = true;
	}
	return 0;
}

static int take_feature(struct perfdata *pd, const struct perfdata_record *rec)
{
	struct cursor c = cursor_init(rec->data, rec->size, pd->big);
	uint64_t feature;
	int r;

	cursor_skip(&c, RECORD_HEADER_SIZE);
	feature = cursor_u64(&c);
	if (!cursor_ok(&c)) {
		bad_record(pd, rec, "is too short");
		return 0;
	}
	if (feature >= FEATURE_COUNT)
		return 0;
	r = perfdata_feature(pd, (unsigned)feature, c.at, c.left, rec->offset);
	if (r < 0 && !pd->no_memory) {
		perfdata_note(pd, rec->offset, "header feature %u cannot be read",
			      (unsigned)feature);
		r = 0;
	}
	return r;
}

static int take_id_index(struct perfdata *pd, const struct perfdata_record *rec)
{
	struct cursor c = cursor_init(rec->data, rec->size, pd->big);
	uint64_t n;

	cursor_skip(&c, RECORD_HEADER_SIZE);
	n = cursor_u64(&c);
	if (n > c.left / 32) {
		bad_record(pd, rec, "has fewer entries than it claims");
		n = c.left / 32;
	}
	while (n--) {
		struct id_slot *slot = perfdata_find_id(pd, cursor_u64(&c));
		uint64_t cpu;

		cursor_u64(&c); /* index of the ring buffer */
		cpu = cursor_u64(&c);
		cursor_u64(&c); /* tid */
		if (slot)
			slot->cpu = cpu < INT32_MAX ? (int32_t)cpu : -1;
	}
	return 0;
}

static int take_build_id(struct perfdata *pd, const struct perfdata_record *rec)
{
	struct cursor c = cursor_init(rec->data + RECORD_HEADER_SIZE,
				      rec->size - RECORD_HEADER_SIZE, pd->big);
	int r = perfdata_take_build_id(pd, &c, rec->misc);

	if (r != CDICT_ECORRUPT)
		return r;
	bad_record(pd, rec, "is too short");
	return 0;
}

/* Notes which tasks were recorded: a single tid of -1 means all. */
static void take_thread_map(struct perfdata *pd, const struct perfdata_record *rec)
{
	struct cursor c = cursor_init(rec->data, rec->size, pd->big);
	uint64_t n, tid;

	cursor_skip(&c, RECORD_HEADER_SIZE);
	n = cursor_u64(&c);
	tid = cursor_u64(&c);
	if (cursor_ok(&c))
		pd->recorded = n == 1 && (int32_t)tid == -1 ? PERFDATA_ALL : PERFDATA_SOME;
}

/* struct perf_record_time_conv, tools/lib/perf/include/perf/event.h; Linux before 5.10 ends it with
 * the zero. */
static void take_time_conv(struct perfdata *pd, const struct perfdata_record *rec)
{
	struct cursor c = cursor_init(rec->data, rec->size, pd->big);
	uint64_t shift, mult, zero;

	cursor_skip(&c, RECORD_HEADER_SIZE);
	shift = cursor_u64(&c);
	mult = cursor_u64(&c);
	zero = cursor_u64(&c);
	if (!cursor_ok(&c)) {
		bad_record(pd, rec, "is too short");
		return;
	}
	if (!mult || mult > UINT32_MAX || shift >= 64)
		return;
	pd->features.time_shift = shift;
	pd->features.time_mult = mult;
	pd->features.time_zero_ns = zero;
}

/* simpleperf puts the tracing data inside the record, perf after it. */
static bool tracing_is_inside(size_t record, uint32_t size)
{
	return record > 16 && size <= record - 12;
}

uint64_t perfdata_payload_size(const struct perfdata *pd, const uint8_t *head, size_t n)
{
	struct cursor c = cursor_init(head, n, pd->big);
	uint32_t type = cursor_u32(&c);

	cursor_u32(&c);
	if (type == RECORD_AUXTRACE)
		return cursor_u64(&c);
	if (type == RECORD_TRACING_DATA) {
		uint32_t size = cursor_u32(&c);

		return tracing_is_inside(n, size) ? 0 : size;
	}
	return 0;
}

static int take_tracing(struct perfdata *pd, struct stream *s, const struct perfdata_record *rec,
			struct cdict_error *err)
{
	uint64_t outside = perfdata_payload_size(pd, rec->data, rec->size);
	struct buf held = { 0 };
	const uint8_t *data = NULL;
	size_t size = 0;
	int whole = 1, r;

	if (outside) {
		uint64_t before = s->end_offset - (uint64_t)(s->end - s->at);

		if (outside > TRACING_MAX && s->fd >= 0) {
			bad_record(pd, rec, "announces too much tracing data");
			return perfdata_stream_payload(s, outside, NULL, NULL, err);
		}
		whole = perfdata_stream_payload(s, outside, &held, &data, err);
		if (whole < 0)
			goto out;
		size = (size_t)(s->end_offset - (uint64_t)(s->end - s->at) - before);
	} else if (rec->size > 12) {
		data = rec->data + 12;
		size = load32(rec->data + 8, pd->big);
	}
	r = perfdata_read_tracing(pd, data, size, rec->offset);
	if (r == -ENOMEM)
		whole = cdict_fail_nomem(err);
out:
	buf_fini(&held);
	return whole;
}

int perfdata_user_record(struct perfdata *pd, struct stream *s, const struct perfdata_record *rec,
			 struct cdict_error *err)
{
	int r = 0;

	switch (rec->type) {
	case RECORD_ATTR:
		r = take_attr(pd, rec);
		break;
	case RECORD_EVENT_UPDATE:
		r = take_event_update(pd, rec);
		break;
	case RECORD_FEATURE:
		r = take_feature(pd, rec);
		break;
	case RECORD_ID_INDEX:
		r = take_id_index(pd, rec);
		break;
	case RECORD_BUILD_ID:
		r = take_build_id(pd, rec);
		break;
	case RECORD_THREAD_MAP:
		take_thread_map(pd, rec);
		break;
	case RECORD_TIME_CONV:
		take_time_conv(pd, rec);
		break;
	case RECORD_TRACING_DATA:
		if (rec->size < 12) {
			bad_record(pd, rec, "is too short");
			return 1;
		}
		r = take_tracing(pd, s, rec, err);
		goto payload;
	case RECORD_AUXTRACE:
		if (rec->size < 16) {
			bad_record(pd, rec, "is too short");
			return 1;
		}
		r = perfdata_stream_payload(s, load64(rec->data + 8, pd->big), NULL, NULL, err);
		goto payload;
	default:
		break;
	}
	if (r == -ENOMEM || pd->no_memory)
		return cdict_fail_nomem(err);
	return r < 0 ? r : 1;
payload:
	if (r == 0)
		perfdata_note(pd, rec->offset, "the data after the %s record are incomplete",
			      perfdata_type_name(rec->type));
	return r;
}
