/* SPDX-License-Identifier: GPL-2.0-only */
/* Events: perf_event_attr of any size, the ids of their samples, and the offsets of fields in those
 * samples. */
#include "convert/perfdata/internal.h"

#include <linux/perf_event.h>

/* Bit positions among the attr's flags (8 bytes at offset 40). */
enum attr_flag {
	FLAG_INHERIT = 1,
	FLAG_FREQ = 10,
	FLAG_SAMPLE_ID_ALL = 18,
	FLAG_USE_CLOCKID = 25,
	FLAG_WRITE_BACKWARD = 27,
};

/* C bit-fields fill a byte from its low end on little-endian machines and from
 * its high end on big-endian ones. */
static bool attr_flag(const uint8_t *flags, unsigned bit, bool big)
{
	return flags[bit / 8] >> (big ? 7 - bit % 8 : bit % 8) & 1;
}

/* The two lists below are the order of struct perf_record_sample and of its trailer,
 * see the comment at PERF_RECORD_SAMPLE in <linux/perf_event.h>. */
void perfdata_layout(struct perfdata_sample_layout *l, uint64_t sample_type, uint64_t read_format,
		     uint64_t branch_sample_type, bool sample_id_all)
{
	static const uint64_t in_sample[] = {
		PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,   PERF_SAMPLE_TID,
		PERF_SAMPLE_TIME,       PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID,  PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD,
	};
	static const uint64_t in_tail[] = {
		PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,  PERF_SAMPLE_IDENTIFIER,
	};
	int at = RECORD_HEADER_SIZE;

	*l = (struct perfdata_sample_layout){
		.sample_type = sample_type,
		.read_format = read_format,
		.branch_sample_type = branch_sample_type,
		.id = -1,
		.tid = -1,
		.time = -1,
		.cpu = -1,
		.ip = -1,
		.period = -1,
		.raw_fixed = -1,
		.has_raw = sample_type & PERF_SAMPLE_RAW,
		.tail_id = -1,
		.tail_time = -1,
		.tail_cpu = -1,
	};
	for (size_t i = 0; i < sizeof(in_sample) / sizeof(in_sample[0]); i++) {
		uint64_t field = in_sample[i];

		if (!(sample_type & field))
			continue;
		if (field == PERF_SAMPLE_IDENTIFIER || (field == PERF_SAMPLE_ID && l->id < 0))
			l->id = at;
		else if (field == PERF_SAMPLE_TID)
			l->tid = at;
		else if (field == PERF_SAMPLE_TIME)
			l->time = at;
		else if (field == PERF_SAMPLE_CPU)
			l->cpu = at;
		else if (field == PERF_SAMPLE_IP)
			l->ip = at;
		else if (field == PERF_SAMPLE_PERIOD)
			l->period = at;
		at += 8;
	}
	if (l->has_raw && !(sample_type & (PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN)))
		l->raw_fixed = at;
	if (!sample_id_all)
		return;
	at = 0;
	for (size_t i = 0; i < sizeof(in_tail) / sizeof(in_tail[0]); i++) {
		uint64_t field = in_tail[i];

		if (!(sample_type & field))
			continue;
		if (field == PERF_SAMPLE_IDENTIFIER || field == PERF_SAMPLE_ID)
			l->tail_id = at;
		else if (field == PERF_SAMPLE_TIME)
			l->tail_time = at;
		else if (field == PERF_SAMPLE_CPU)
			l->tail_cpu = at;
		at += 8;
	}
	l->tail_size = at;
}

struct id_slot *perfdata_find_id(const struct perfdata *pd, uint64_t id)
{
	uint32_t i;

	for (size_t at = places_begin(&pd->ids_at, id, 0); places_at(&pd->ids_at, at, &i);
	     at = places_next(&pd->ids_at, at))
		if (pd->ids.at[i].id == id)
			return &pd->ids.at[i];
	return NULL;
}

static void id_key(const void *array, uint32_t place, uint64_t ab[2])
{
	const struct id_slot *ids = array;

	ab[0] = ids[place].id;
	ab[1] = 0;
}

/* Assigns @id to the next event, also when another event has it. */
static int add_id(struct perfdata *pd, uint64_t id)
{
	struct id_slot slot = { .id = id, .event = (int32_t)pd->events.n, .cpu = -1 };
	struct id_slot *known = perfdata_find_id(pd, id);

	if (known) {
		*known = slot;
		return 0;
	}
	if (places_room(&pd->ids_at, id_key, pd->ids.at, sizeof(*pd->ids.at)) ||
	    array_push(&pd->ids, slot))
		return -ENOMEM;
	places_add(&pd->ids_at, id, 0, (uint32_t)pd->ids.n - 1);
	return 0;
}

/* Notes which offsets all events share: they allow fast decoding. */
static void note_common(struct perfdata *pd, const struct perfdata_sample_layout *l)
{
	const struct perfdata_sample_layout *first = &pd->events.at[0]->pub.layout;

	if (l->id >= 0)
		pd->id_places |= 1ull << l->id / 8;
	pd->id_at = -1;
	if (pd->id_places && !(pd->id_places & (pd->id_places - 1)))
		pd->id_at = __builtin_ctzll(pd->id_places) * 8;
	if (pd->events.n == 1) {
		pd->time_at = l->time;
		pd->same_tail = true;
		return;
	}
	if (l->time != first->time)
		pd->time_at = -1;
	if (l->tail_size != first->tail_size || l->tail_id != first->tail_id ||
	    l->tail_time != first->tail_time || l->tail_cpu != first->tail_cpu)
		pd->same_tail = false;
}

static void event_fill(const struct perfdata *pd, struct event *ev, const uint8_t *bytes,
		       size_t size)
{
	uint8_t attr[136] = { 0 }; /* the known part; fields missing in the file are 0 */
	struct perfdata_event *pub = &ev->pub;

	memcpy(attr, bytes, size < sizeof(attr) ? size : sizeof(attr));
	pub->name = "";
	pub->attr_type = load32(attr, pd->big);
	pub->config = load64(attr + 8, pd->big);
	/* attr.sample_period, or with freq the samples per second */
	if (!attr_flag(attr + 40, FLAG_FREQ, pd->big))
		pub->period = load64(attr + 16, pd->big);
	pub->inherit = attr_flag(attr + 40, FLAG_INHERIT, pd->big);
	pub->write_backward = attr_flag(attr + 40, FLAG_WRITE_BACKWARD, pd->big);
	pub->use_clockid = attr_flag(attr + 40, FLAG_USE_CLOCKID, pd->big);
	pub->clockid = load32(attr + 92, pd->big);
	pub->regs_user = load64(attr + 80, pd->big);
	ev->regs_intr = load64(attr + 96, pd->big);
	perfdata_layout(&pub->layout, load64(attr + 24, pd->big), load64(attr + 32, pd->big),
			load64(attr + 72, pd->big),
			attr_flag(attr + 40, FLAG_SAMPLE_ID_ALL, pd->big));
}

int perfdata_add_event(struct perfdata *pd, const uint8_t *attr, size_t size, const uint8_t *ids,
		       size_t n_ids)
{
	struct event *ev;

	if (pd->events.n >= EVENTS_MAX)
		return CDICT_ELIMIT;
	ev = perfdata_keep(pd, sizeof(*ev));
	if (!ev)
		return -ENOMEM;
	event_fill(pd, ev, attr, size);
	for (size_t i = 0; i < n_ids; i++)
		if (add_id(pd, load64(ids + i * 8, pd->big)))
			return -ENOMEM;
	if (array_push(&pd->events, ev))
		return -ENOMEM;
	note_common(pd, &ev->pub.layout);
	return 0;
}

/* Finds the ids of an attr, a section of the file. */
static size_t attr_ids(struct perfdata *pd, struct cursor *section, const uint8_t **ids,
		       uint64_t at)
{
	uint64_t offset = cursor_u64(section);
	uint64_t size = cursor_u64(section);

	*ids = pd->bytes;
	if (offset > pd->size || size > pd->size - offset) {
		perfdata_note(
			pd, at,
			"the ids of an event are %llu bytes at %llu, beyond the end of the file",
			(unsigned long long)size, (unsigned long long)offset);
		return 0;
	}
	/* Sections overlap only in a damaged file; together they never exceed the file's size. */
	pd->id_bytes += size;
	if (pd->id_bytes > pd->size) {
		perfdata_note(pd, at, "the events have more ids than the file has room for");
		return 0;
	}
	*ids = pd->bytes + offset;
	return (size_t)(size / 8);
}

int perfdata_read_attrs(struct perfdata *pd, uint64_t offset, uint64_t size, uint64_t attr_size,
			struct cdict_error *err)
{
	struct cursor c;

	if (attr_size < ATTR_SIZE_MIN + 16 || attr_size > 65536)
		return cdict_fail(err, CDICT_ECORRUPT, 16,
				  "an attribute of %llu bytes, between 80 and 65536 expected",
				  (unsigned long long)attr_size);
	if (offset > pd->size || size > pd->size - offset)
		return cdict_fail(err, CDICT_ETRUNCATED, pd->size,
				  "the attributes need %llu bytes at %llu, the file has %zu",
				  (unsigned long long)size, (unsigned long long)offset, pd->size);
	c = cursor_init(pd->bytes + offset, (size_t)size, pd->big);
	while (c.left >= attr_size) {
		uint64_t at = offset + cursor_pos(&c);
		const uint8_t *attr = cursor_take(&c, (size_t)attr_size);
		struct cursor section = cursor_init(attr + attr_size - 16, 16, pd->big);
		uint32_t own = load32(attr + 4, pd->big);
		const uint8_t *ids;
		size_t n = attr_ids(pd, &section, &ids, at);
		int r;

		/* The size in the attr is that of the recording kernel; the rest of its entry in
		 * the file is padding. */
		if (own < ATTR_SIZE_MIN || own > attr_size - 16)
			own = own ? (uint32_t)attr_size - 16 : ATTR_SIZE_MIN;
		r = perfdata_add_event(pd, attr, own, ids, n);
		if (r == CDICT_ELIMIT)
			return cdict_fail(err, r, at, "more than %d events", EVENTS_MAX);
		if (r)
			return cdict_fail(err, r, at, "out of memory");
	}
	return 0;
}
