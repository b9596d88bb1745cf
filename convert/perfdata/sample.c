/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds a record's event and time, and decodes samples. */
#include "convert/perfdata/internal.h"

#include <linux/perf_event.h>

/* Fields after RAW, and the two of variable length before it. */
#define AFTER_RAW                                                                                  \
	(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | ALSO_AFTER_RAW)
#define ALSO_AFTER_RAW                                                                             \
	(PERF_SAMPLE_WEIGHT | (1ull << 24) | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |      \
	 PERF_SAMPLE_REGS_INTR | (1ull << 19) | (1ull << 20) | (1ull << 21) | (1ull << 22) |       \
	 (1ull << 23))
#define WEIGHT_STRUCT (1ull << 24)
#define FIXED_BEFORE_RAW                                                                           \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |             \
	 PERF_SAMPLE_PERIOD)
#define FORMAT_LOST (1u << 4)
#define BRANCH_HW_INDEX (1ull << 17)
#define BRANCH_COUNTERS (1ull << 19)

int perfdata_event_by_id(const struct perfdata *pd, uint64_t id)
{
	const struct id_slot *slot = perfdata_find_id(pd, id);

	return slot ? slot->event : -1;
}

int perfdata_id_cpu(const struct perfdata *pd, uint64_t id)
{
	const struct id_slot *slot = perfdata_find_id(pd, id);

	return slot ? slot->cpu : -1;
}

/* When events have their ids at different offsets: the event whose id is at its own offset. */
static int event_of_mixed(const struct perfdata *pd, const struct perfdata_record *rec)
{
	for (uint64_t places = pd->id_places; places; places &= places - 1) {
		int at = __builtin_ctzll(places) * 8;
		int i;

		if (rec->size < (uint32_t)at + 8)
			break;
		i = perfdata_event_by_id(pd, load64(rec->data + at, pd->big));
		if (i >= 0 && pd->events.at[i]->pub.layout.id == at)
			return i;
	}
	return -1;
}

int perfdata_event_of(const struct perfdata *pd, const struct perfdata_record *rec)
{
	struct perfdata_recent *recent;
	uint64_t id;

	if (pd->events.n <= 1)
		return (int)pd->events.n - 1;
	if (pd->id_at < 0)
		return event_of_mixed(pd, rec);
	if (rec->size < (uint32_t)pd->id_at + 8)
		return -1;
	id = load64(rec->data + pd->id_at, pd->big);
	recent = &pd->recent[id % PERFDATA_RECENT];
	if (recent->event < 0 || recent->id != id) {
		recent->id = id;
		recent->event = perfdata_event_by_id(pd, id);
	}
	return recent->event;
}

/* Skips READ: the values of a counter or of a group. */
static void skip_read(struct cursor *c, uint64_t format)
{
	unsigned times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	unsigned each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & FORMAT_LOST);
	uint64_t n = 1;

	if (format & PERF_FORMAT_GROUP)
		n = cursor_u64(c);
	cursor_skip(c, times * 8);
	if (n > c->left / (each * 8))
		c->failed = true;
	else
		cursor_skip(c, (size_t)n * each * 8);
}

static void read_chain(struct cursor *c, struct perfdata_sample *out)
{
	uint64_t n = cursor_u64(c);

	if (n > c->left / 8)
		c->failed = true;
	else
		out->chain = cursor_take(c, (size_t)n * 8);
	out->n_chain = out->chain ? n : 0;
}

static void skip_regs(struct cursor *c, uint64_t mask)
{
	if (cursor_u64(c)) /* abi; 0: no registers */
		cursor_skip(c, (size_t)__builtin_popcountll(mask) * 8);
}

static void skip_branches(struct cursor *c, uint64_t branch_type)
{
	uint64_t n = cursor_u64(c);
	size_t each = branch_type & BRANCH_COUNTERS ? 32 : 24;

	if (branch_type & BRANCH_HW_INDEX)
		cursor_skip(c, 8);
	if (n > c->left / each)
		c->failed = true;
	else
		cursor_skip(c, (size_t)n * each);
}

/* Reads the registers and the stack of the program, for unwinding. */
static void read_user(struct cursor *c, const struct perfdata_event *ev,
		      struct perfdata_sample *out)
{
	uint64_t size;

	if (ev->layout.sample_type & PERF_SAMPLE_REGS_USER) {
		out->regs_abi = cursor_u64(c);
		if (out->regs_abi)
			out->regs = cursor_take(c, (size_t)__builtin_popcountll(ev->regs_user) * 8);
	}
	if (!(ev->layout.sample_type & PERF_SAMPLE_STACK_USER))
		return;
	size = cursor_u64(c);
	if (size > c->left)
		c->failed = true;
	if (!size || c->failed)
		return;
	out->stack = cursor_take(c, (size_t)size);
	out->stack_bytes = cursor_u64(c);
	if (out->stack_bytes > size)
		c->failed = true;
}

/* Most fields after RAW are not used, but must fit: perf drops samples in which they do not. */
static void read_after_raw(struct cursor *c, const struct perfdata_event *pub,
			   struct perfdata_sample *out)
{
	const struct event *ev = (const struct event *)pub;
	uint64_t type = pub->layout.sample_type;

	if (type & PERF_SAMPLE_BRANCH_STACK)
		skip_branches(c, pub->layout.branch_sample_type);
	read_user(c, pub, out);
	if (type & (PERF_SAMPLE_WEIGHT | WEIGHT_STRUCT))
		cursor_skip(c, 8);
	if (type & PERF_SAMPLE_DATA_SRC)
		cursor_skip(c, 8);
	if (type & PERF_SAMPLE_TRANSACTION)
		cursor_skip(c, 8);
	if (type & PERF_SAMPLE_REGS_INTR)
		skip_regs(c, ev->regs_intr);
	/* PHYS_ADDR, CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE */
	cursor_skip(c, (size_t)__builtin_popcountll(type & 0xe80000) * 8);
	if (type & 1u << 20) { /* AUX */
		uint64_t size = cursor_u64(c);

		if (size > c->left)
			c->failed = true;
	}
}

static int sample_rest(const struct perfdata *pd, const struct perfdata_event *ev,
		       const struct perfdata_record *rec, struct perfdata_sample *out)
{
	const struct perfdata_sample_layout *l = &ev->layout;
	struct cursor c = cursor_init(rec->data, rec->size, pd->big);

	cursor_skip(&c,
		    RECORD_HEADER_SIZE +
			    (size_t)__builtin_popcountll(l->sample_type & FIXED_BEFORE_RAW) * 8);
	if (l->sample_type & PERF_SAMPLE_READ)
		skip_read(&c, l->read_format);
	if (l->sample_type & PERF_SAMPLE_CALLCHAIN)
		read_chain(&c, out);
	if (l->has_raw) {
		out->raw_size = cursor_u32(&c);
		out->raw = cursor_take(&c, out->raw_size);
	}
	if (l->sample_type & AFTER_RAW)
		read_after_raw(&c, ev, out);
	return cursor_ok(&c) ? 0 : CDICT_ECORRUPT;
}

int perfdata_sample(const struct perfdata *pd, const struct perfdata_event *ev,
		    const struct perfdata_record *rec, struct perfdata_sample *out)
{
	const struct perfdata_sample_layout *l = &ev->layout;
	const uint8_t *p = rec->data;
	bool big = pd->big;
	size_t fixed = RECORD_HEADER_SIZE +
		       (size_t)__builtin_popcountll(l->sample_type & FIXED_BEFORE_RAW) * 8;

	*out = (struct perfdata_sample){ .pid = -1, .tid = -1, .cpu = UINT32_MAX };
	if (rec->size < fixed)
		return CDICT_ECORRUPT;
	if (l->id >= 0)
		out->id = load64(p + l->id, big);
	if (l->tid >= 0) {
		out->pid = (int32_t)load32(p + l->tid, big);
		out->tid = (int32_t)load32(p + l->tid + 4, big);
	}
	if (l->time >= 0)
		out->time = load64(p + l->time, big);
	if (l->cpu >= 0)
		out->cpu = load32(p + l->cpu, big);
	if (l->raw_fixed < 0 || l->sample_type & AFTER_RAW)
		return sample_rest(pd, ev, rec, out);
	if (rec->size - fixed < 4)
		return CDICT_ECORRUPT;
	out->raw_size = load32(p + fixed, big);
	if (out->raw_size > rec->size - fixed - 4)
		return CDICT_ECORRUPT;
	out->raw = p + fixed + 4;
	return 0;
}

/* The layout of a record's trailer; when layouts differ, by the id in the trailer. */
static const struct perfdata_sample_layout *tail_layout(const struct perfdata *pd,
							const struct perfdata_record *rec)
{
	if (!pd->events.n)
		return NULL;
	for (size_t i = 0; !pd->same_tail && i < pd->events.n; i++) {
		const struct perfdata_sample_layout *l = &pd->events.at[i]->pub.layout;
		uint32_t size = (uint32_t)l->tail_size;
		int found;

		if (l->tail_id < 0 || rec->size < RECORD_HEADER_SIZE + size)
			continue;
		found = perfdata_event_by_id(pd, load64(rec->data + (rec->size - size) + l->tail_id,
							pd->big));
		if (found >= 0 && pd->events.at[found]->pub.layout.tail_size == l->tail_size &&
		    pd->events.at[found]->pub.layout.tail_id == l->tail_id)
			return &pd->events.at[found]->pub.layout;
	}
	return &pd->events.at[0]->pub.layout;
}

void perfdata_sample_id(const struct perfdata *pd, const struct perfdata_record *rec,
			struct perfdata_sample_id *out)
{
	const struct perfdata_sample_layout *l;
	const uint8_t *p;

	*out = (struct perfdata_sample_id){ 0 };
	if (rec->type >= RECORD_USER_START || rec->type == RECORD_SAMPLE)
		return;
	l = tail_layout(pd, rec);
	if (!l || !l->tail_size || rec->size - RECORD_HEADER_SIZE < (uint32_t)l->tail_size)
		return;
	p = rec->data + (rec->size - (uint32_t)l->tail_size);
	out->has_time = l->tail_time >= 0;
	out->has_cpu = l->tail_cpu >= 0;
	if (l->tail_id >= 0)
		out->id = load64(p + l->tail_id, pd->big);
	if (out->has_time)
		out->time = load64(p + l->tail_time, pd->big);
	if (out->has_cpu)
		out->cpu = load32(p + l->tail_cpu, pd->big);
}

uint64_t perfdata_record_time(const struct perfdata *pd, const struct perfdata_record *rec)
{
	struct perfdata_sample_id id;
	int at = pd->time_at;

	if (rec->type != RECORD_SAMPLE) {
		perfdata_sample_id(pd, rec, &id);
		return id.time;
	}
	if (at < 0) {
		int i = perfdata_event_of(pd, rec);

		at = i < 0 ? -1 : pd->events.at[i]->pub.layout.time;
	}
	return at < 0 || rec->size < (uint32_t)at + 8 ? 0 : load64(rec->data + at, pd->big);
}
