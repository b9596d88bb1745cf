/* SPDX-License-Identifier: GPL-2.0-only */
/* Events: perf_event_attr of any size, the ids of their samples, and where
 * things lie in those samples. */
#include "convert/perfdata_internal.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

/* Bit positions among the attr's flags (8 bytes from 40 on). */
enum attr_flag {
	FLAG_INHERIT = 1,
	FLAG_SAMPLE_ID_ALL = 18,
	FLAG_EXCLUDE_HOST = 19,
	FLAG_EXCLUDE_GUEST = 20,
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
		.raw_fixed = -1,
		.has_raw = sample_type & PERF_SAMPLE_RAW,
		.sample_id_all = sample_id_all,
		.tail_id = -1,
		.tail_tid = -1,
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
		else if (field == PERF_SAMPLE_TID)
			l->tail_tid = at;
		else if (field == PERF_SAMPLE_TIME)
			l->tail_time = at;
		else if (field == PERF_SAMPLE_CPU)
			l->tail_cpu = at;
		at += 8;
	}
	l->tail_size = at;
}

static size_t id_hash(const struct perfdata *pd, uint64_t id)
{
	/* The object's address is the seed: which ids collide is not the file's choice. */
	id = (id ^ (uintptr_t)pd) * 0x9e3779b97f4a7c15;
	id = (id ^ id >> 32) * 0xd6e8feb86659fd93;
	return (size_t)(id >> (64 - pd->id_bits));
}

/* The slot that holds @id, or the free one where it belongs. */
static struct id_slot *id_slot(const struct perfdata *pd, uint64_t id)
{
	size_t mask = ((size_t)1 << pd->id_bits) - 1;
	size_t i = id_hash(pd, id);

	while (pd->ids[i].event >= 0 && pd->ids[i].id != id)
		i = (i + 1) & mask;
	return &pd->ids[i];
}

struct id_slot *perfdata_find_id(const struct perfdata *pd, uint64_t id)
{
	struct id_slot *slot;

	if (!pd->id_bits)
		return NULL;
	slot = id_slot(pd, id);
	return slot->event >= 0 ? slot : NULL;
}

/* Keeps the table at most half full with @more ids. */
static int ids_room(struct perfdata *pd, size_t more)
{
	struct id_slot *old = pd->ids, *table;
	size_t old_size = pd->id_bits ? (size_t)1 << pd->id_bits : 0;
	unsigned bits = pd->id_bits ? pd->id_bits : 6;

	while ((size_t)1 << bits < (pd->n_ids + more) * 2)
		bits++;
	if (bits == pd->id_bits)
		return 0;
	table = malloc(sizeof(*table) << bits);
	if (!table)
		return -ENOMEM;
	for (size_t i = 0; i < (size_t)1 << bits; i++)
		table[i] = (struct id_slot){ .event = -1, .cpu = -1 };
	pd->ids = table;
	pd->id_bits = bits;
	for (size_t i = 0; i < old_size; i++)
		if (old[i].event >= 0)
			*id_slot(pd, old[i].id) = old[i];
	free(old);
	return 0;
}

/* What all events have in common decides how fast a record is understood. */
static void note_common(struct perfdata *pd, const struct perfdata_sample_layout *l)
{
	const struct perfdata_sample_layout *first = &pd->events[0]->pub.layout;

	if (l->id >= 0)
		pd->id_places |= 1ull << l->id / 8;
	pd->id_at = -1;
	if (pd->id_places && !(pd->id_places & (pd->id_places - 1)))
		pd->id_at = __builtin_ctzll(pd->id_places) * 8;
	if (pd->n_events == 1) {
		pd->time_at = l->time;
		pd->same_tail = true;
		return;
	}
	if (l->time != first->time)
		pd->time_at = -1;
	if (l->tail_size != first->tail_size || l->tail_id != first->tail_id ||
	    l->tail_tid != first->tail_tid || l->tail_time != first->tail_time ||
	    l->tail_cpu != first->tail_cpu)
		pd->same_tail = false;
}

static int event_fill(struct perfdata *pd, struct event *ev, const uint8_t *bytes, size_t size)
{
	uint8_t attr[136] = { 0 }; /* as far as it is known; what the file lacks is 0 */
	struct perfdata_event *pub = &ev->pub;
	uint8_t *copy = perfdata_keep(pd, size);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, bytes, size);
	memcpy(attr, bytes, size < sizeof(attr) ? size : sizeof(attr));
	pub->name = "";
	pub->attr = copy;
	pub->attr_size = (uint32_t)size;
	pub->attr_type = load32(attr, pd->big);
	pub->config = load64(attr + 8, pd->big);
	pub->sample_period = load64(attr + 16, pd->big);
	pub->exclude_host = attr_flag(attr + 40, FLAG_EXCLUDE_HOST, pd->big);
	pub->exclude_guest = attr_flag(attr + 40, FLAG_EXCLUDE_GUEST, pd->big);
	pub->inherit = attr_flag(attr + 40, FLAG_INHERIT, pd->big);
	pub->write_backward = attr_flag(attr + 40, FLAG_WRITE_BACKWARD, pd->big);
	pub->use_clockid = attr_flag(attr + 40, FLAG_USE_CLOCKID, pd->big);
	pub->clockid = load32(attr + 92, pd->big);
	ev->regs_user = load64(attr + 80, pd->big);
	ev->regs_intr = load64(attr + 96, pd->big);
	perfdata_layout(&pub->layout, load64(attr + 24, pd->big), load64(attr + 32, pd->big),
			load64(attr + 72, pd->big),
			attr_flag(attr + 40, FLAG_SAMPLE_ID_ALL, pd->big));
	return 0;
}

int perfdata_add_event(struct perfdata *pd, const uint8_t *attr, size_t size, const uint8_t *ids,
		       size_t n_ids)
{
	struct event *ev;
	uint64_t *kept;
	int r;

	if (pd->n_events >= EVENTS_MAX)
		return CDICT_ELIMIT;
	if (pd->n_events == pd->cap_events) {
		size_t cap = pd->cap_events ? pd->cap_events * 2 : 16;
		struct event **events = realloc(pd->events, cap * sizeof(*events));

		if (!events)
			return -ENOMEM;
		pd->events = events;
		pd->cap_events = cap;
	}
	ev = perfdata_keep(pd, sizeof(*ev));
	kept = perfdata_keep(pd, n_ids * sizeof(*kept));
	if (!ev || !kept)
		return -ENOMEM;
	r = event_fill(pd, ev, attr, size);
	if (!r)
		r = ids_room(pd, n_ids);
	if (r)
		return r;
	for (size_t i = 0; i < n_ids; i++) {
		uint64_t id = load64(ids + i * 8, pd->big);
		struct id_slot *slot = id_slot(pd, id);

		kept[i] = id;
		pd->n_ids += slot->event < 0;
		*slot = (struct id_slot){ .id = id, .event = (int32_t)pd->n_events, .cpu = -1 };
	}
	ev->pub.ids = kept;
	ev->pub.n_ids = n_ids;
	pd->events[pd->n_events++] = ev;
	note_common(pd, &ev->pub.layout);
	return 0;
}

/* The ids of one attr: a section of the file. */
static size_t attr_ids(struct perfdata *pd, struct cursor *section, const uint8_t **ids,
		       uint64_t at)
{
	uint64_t offset = cursor_u64(section);
	uint64_t size = cursor_u64(section);

	*ids = pd->bytes;
	if (offset > pd->size || size > pd->size - offset) {
		perfdata_note(
			pd, at,
			"the ids of an event are said to be %llu bytes at %llu, beyond the end",
			(unsigned long long)size, (unsigned long long)offset);
		pd->damage.bad_records++;
		return 0;
	}
	/* Sections may overlap only in a damaged file; all together they never
	 * need more than the file's size. */
	pd->id_bytes += size;
	if (pd->id_bytes > pd->size) {
		perfdata_note(pd, at, "the events have more ids than the file has room for");
		pd->damage.bad_records++;
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

		/* The size an attr states of itself is what its kernel knew; the
		 * rest of its place in the file is padding. */
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
