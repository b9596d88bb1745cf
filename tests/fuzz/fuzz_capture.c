/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events made of the input, eight bytes each, written and read back: the same events; and the figures of
 * the whole add up, as do adjacent windows; a walk over a window from the digests of the file, or
 * of the page, gives the same as one from the start, unless the input contradicts itself.
 */
#include "analyze/walk/digest.h"
#include "format/file/writer.h"
#include "tests/fuzz/lib/limits.h"
#include "tests/unit/hold.h"
#include "tests/unit/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CPUS = 4, TIDS = 12, STEP = 8, PAYLOAD = 64, HEAD = 8, EVENTS_MAX = 2000 };

/* One event as it was written. */
struct written {
	uint64_t t_ns;
	int32_t tid;
	uint32_t cpu, type;
	uint8_t payload[PAYLOAD];
};

struct bench {
	ARRAY(struct written) events;
	struct cdict_schema *schema;
	struct buf file;
	struct cdict_reader *r;
	bool slips; /* the running task is not always the one switched in */
};

static int to_buf(void *ctx, const void *data, size_t size)
{
	buf_add(ctx, data, size);
	return 0;
}

static void set(struct written *w, const struct cdict_event_type *type, const char *name,
		uint64_t value)
{
	int i = cdict_event_type_field(type, name);

	if (i < 0)
		return;
	HOLDS(type->fields[i].offset + type->fields[i].size <= PAYLOAD);
	for (uint32_t k = 0; k < type->fields[i].size; k++)
		w->payload[type->fields[i].offset + k] = k < 8 ? (uint8_t)(value >> 8 * k) : 0;
}

/* The task of a byte; now and then IDLE. */
static int32_t tid_of(uint8_t byte)
{
	return byte % TIDS ? 100 + byte % TIDS : 0;
}

/* As a kernel has it: a task runs on one CPU at a time and is switched out where it was switched in; unless the input
 * wants slips. */
static void make_event(struct bench *b, const uint8_t *p, uint64_t *t_ns, int32_t *cur)
{
	static const uint64_t states[] = { 0, 0, 1, 1, 1, 2, 256, 128, 4, 64, 32, 16 };
	/* ended tasks come back only where the input wants slips, and IDLE sleeps only there */
	size_t n_states = sizeof(states) / sizeof(states[0]) - (b->slips ? 0 : 2);
	size_t n = cdict_schema_count(b->schema);
	/* Most are switches and wake-ups. */
	uint32_t index = p[0] % 3 ? p[0] / 3 % 2 : (uint32_t)(p[0] / 3 % n);
	const struct cdict_event_type *type = cdict_schema_at(b->schema, index);
	struct written *w = array_add(&b->events);
	uint32_t cpu = p[1] % CPUS;
	bool slip = b->slips && p[7] % 32 == 31;
	int32_t next = tid_of(p[3]);

	for (uint32_t c = 0; c < CPUS && index == 0 && !b->slips; c++)
		if (c != cpu && cur[c] == next)
			next = 0;
	if (!b->slips && !next && index)
		next = 101; /* IDLE is neither woken nor moved */
	if (!b->slips && !cur[cpu] && !strncmp(type->name, "kvm:", 4))
		type = cdict_schema_at(b->schema, index = 1);

	HOLDS(w);
	memset(w, 0, sizeof(*w));
	/* at one instant the order is unknown: a task may be in two places */
	*t_ns += !b->slips + (p[2] % 8 ? p[2] / 8 : (uint64_t)p[2] * 1000);
	w->t_ns = *t_ns;
	w->cpu = cpu;
	w->type = index;
	w->tid = slip ? tid_of(p[6]) : cur[cpu];
	set(w, type, "prev_pid", (uint64_t)w->tid);
	set(w, type, "prev_state", b->slips || w->tid ? states[p[4] % n_states] : 0);
	set(w, type, "next_pid", (uint64_t)next);
	set(w, type, "pid", (uint64_t)next);
	set(w, type, "prev_comm", 'a' + (uint64_t)(w->tid % 26));
	set(w, type, "next_comm", 'a' + (uint64_t)(next % 26));
	set(w, type, "comm", 'a' + (uint64_t)(next % 26));
	set(w, type, "target_cpu", p[4] % CPUS);
	set(w, type, "orig_cpu", p[4] % CPUS);
	set(w, type, "dest_cpu", p[5] % CPUS);
	set(w, type, "runtime", p[5]);
	set(w, type, "delay", p[5]);
	set(w, type, "vcpu_id", p[6] % 2);
	set(w, type, "exit_reason", p[5] % 4 * 10);
	set(w, type, "isa", 1);
	set(w, type, "rw", p[4] % 2);
	set(w, type, "port", p[5]);
	set(w, type, "type", p[5] % 3);
	set(w, type, "ecx", p[5]);
	if (!strcmp(type->event, "sched_switch"))
		cur[cpu] = next;
}

static void put_block(struct cdict_writer *w, struct format_encoder *enc)
{
	struct buf payload = { 0 };
	struct format_block info;
	struct block_digest *digest;

	if (!format_encoder_events(enc))
		return;
	HOLDS(!format_encoder_finish(enc, &payload, &info, &digest));
	HOLDS(!format_writer_put(w, payload.data, payload.len, &info, digest, NULL));
	free(digest);
	buf_fini(&payload);
}

static void put_rows(struct cdict_writer *w, const uint8_t *head, bool slips, uint64_t last_ns)
{
	if (head[4] % 4 == 1) {
		struct cdict_loss loss = { .cpu = head[5] % (CPUS + 1),
					   .type = CDICT_TYPE_ANY,
					   .from_ns = last_ns / 256 * head[6],
					   .count = 1 };

		loss.to_ns = loss.from_ns + last_ns / 64 * (head[7] % 16);
		if (loss.cpu == CPUS)
			loss.cpu = CDICT_CPU_UNKNOWN;
		HOLDS(!cdict_writer_loss(w, &loss, NULL));
	} else if (head[4] % 4 == 2) {
		struct cdict_task_event task = { .t_ns = last_ns / 256 * head[6],
						 .what = head[5] % 4,
						 .tid = tid_of(head[7]),
						 .pid = 100,
						 .ppid = 1,
						 .ptid = 1,
						 .comm = "named" };

		char comm[] = { (char)('a' + task.tid % 26), 0 };

		/* What events say after it with another name or process contradicts it: a walk keeps the
		 * record's, a file's digest has the later one. */
		if (!slips) {
			task.comm = comm;
			task.pid = task.tid;
		}
		HOLDS(!cdict_writer_task(w, &task, NULL));
	}
}

static void write_file(struct bench *b, const uint8_t *head)
{
	struct format_encoder *encs[CPUS];
	uint32_t per_block = 1 + head[0];
	struct cdict_writer *w;

	HOLDS(!cdict_writer_open(&w, to_buf, &b->file, NULL));
	format_writer_digests(w, head[1] % 4 ? 100000000 : 0);
	HOLDS(!cdict_writer_schema(w, b->schema, NULL));
	put_rows(w, head, b->slips, b->events.at[b->events.n - 1].t_ns);
	for (uint32_t c = 0; c < CPUS; c++) {
		encs[c] = format_encoder_new(b->schema);
		HOLDS(encs[c]);
	}
	for (size_t i = 0; i < b->events.n; i++) {
		const struct written *e = &b->events.at[i];
		struct cdict_sample s = { e->t_ns, e->cpu, e->tid, e->tid, CDICT_MODE_KERNEL, 0 };
		struct format_encoder *enc = encs[e->cpu];

		if (format_encoder_events(enc) >= per_block)
			put_block(w, enc);
		HOLDS(!format_encoder_add(enc, &s, e->type, e->payload, PAYLOAD));
	}
	for (uint32_t c = 0; c < CPUS; c++) {
		put_block(w, encs[c]);
		format_encoder_free(encs[c]);
	}
	HOLDS(!cdict_writer_finish(w, NULL));
	cdict_writer_close(w);
}

/* The events read back on each CPU are those written. */
static void read_back(struct bench *b)
{
	size_t at[CPUS] = { 0 }, n = 0;
	struct cdict_events *it;
	struct cdict_event ev;
	uint64_t t_ns = 0;

	HOLDS(!cdict_reader_verify(b->r, NULL));
	HOLDS(!cdict_events_open(&it, b->r, NULL, NULL));
	for (; cdict_events_next(it, &ev, NULL) == 1; n++) {
		uint8_t payload[PAYLOAD] = { 0 };
		const struct written *e;
		size_t *i;

		HOLDS(ev.cpu < CPUS && ev.t_ns >= t_ns);
		t_ns = ev.t_ns;
		for (i = &at[ev.cpu]; *i < b->events.n && b->events.at[*i].cpu != ev.cpu; ++*i)
			;
		HOLDS(*i < b->events.n);
		e = &b->events.at[(*i)++];
		HOLDS(ev.t_ns == e->t_ns && ev.tid == e->tid && ev.type->index == e->type);
		HOLDS(cdict_event_payload(b->schema, &ev, payload, PAYLOAD) <= PAYLOAD);
		HOLDS(!memcmp(payload, e->payload, ev.type->payload_size));
	}
	cdict_events_close(it);
	HOLDS(n == b->events.n);
}

static void walk(struct bench *b, const struct analyze_options *opts, struct parts *parts,
		 int edges)
{
	struct all a;

	all_new(&a, opts);
	HOLDS(!analyze_engine_run_reader(a.eng, b->r, NULL));
	must_hold(&a);
	parts_take(parts, &a);
	if (edges)
		parts_take_edges(parts, &a, edges > 1);
	all_free(&a);
}

static void windows(struct bench *b, const uint8_t *head)
{
	struct analyze_options opts = { 0 }, before, after;
	struct parts whole = { 0 }, parts = { 0 };
	uint64_t first_ns, last_ns;

	HOLDS(cdict_reader_window(b->r, &first_ns, &last_ns));
	if (last_ns - first_ns < 4)
		return;
	before = after = opts;
	before.to_ns = after.from_ns = first_ns + 1 + (last_ns - first_ns - 1) * head[2] / 256;
	walk(b, &opts, &whole, 0);
	walk(b, &before, &parts, 0);
	walk(b, &after, &parts, 0);
	parts_must_equal(&whole, &parts);
	if (b->slips)
		return;
	opts.from_ns = before.to_ns;
	opts.to_ns = opts.from_ns + 1 + (last_ns - opts.from_ns) * head[3] / 256;
	for (int stored = 0; stored < 2; stored++) {
		struct digests *digests = NULL;

		if (stored)
			HOLDS(!digests_stored(&digests, b->r, NULL));
		else
			HOLDS(!digests_new(&digests, b->r, 1 + head[0], NULL));
		if (!digests)
			continue;
		/* The file's do not have the first and the last task. */
		walk(b, &opts, &whole, 2 - stored);
		opts.digests = digests;
		walk(b, &opts, &parts, 2 - stored);
		opts.digests = NULL;
		parts_must_equal(&whole, &parts);
		digests_free(digests);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bench b = { 0 };
	struct trace tr;
	int32_t cur[CPUS] = { 0 };
	uint64_t t_ns = 1000000;

	if (size < HEAD + STEP)
		return 0;
	limits_begin(size);
	trace_init(&tr, CPUS);
	b.schema = tr.schema;
	b.slips = data[1] >= 128;
	for (size_t at = HEAD; at + STEP <= size && b.events.n < EVENTS_MAX; at += STEP)
		make_event(&b, data + at, &t_ns, cur);
	write_file(&b, data);
	HOLDS(!cdict_reader_parse(&b.r, b.file.data, b.file.len, NULL));
	read_back(&b);
	windows(&b, data);
	limits_end();
	cdict_reader_close(b.r);
	buf_fini(&b.file);
	array_fini(&b.events);
	trace_fini(&tr);
	return 0;
}
