/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * addup - runs all analyses over a cdict, whole and then randomly thinned, cut and with
 * made-up gaps, and ends with a message where something does not add up (unit/hold.h); nor
 * do windows on both sides of a random time.
 *
 *	addup FILE.cdict [ROUNDS [SEED]]
 */
#include <inttypes.h>
#include <string.h>

#include "tests/unit/hold.h"
#include "analyze/walk/digest.h"
#include "format/digest.h"
#include "format/file/writer.h"

enum { CPUS_MAX = 256 };

static unsigned n_windows;

struct thinned {
	struct cdict_reader *reader;
	struct cdict_events *it;
	uint64_t seed, walk_seed; /* now; as the walk began */
	uint32_t drop;            /* one event in so many, 0: none */
	uint64_t cut_ns;          /* nothing after */
	struct cdict_loss losses[4];
	struct parts whole, alone;
};

static uint64_t rnd(struct thinned *th, uint64_t n)
{
	th->seed ^= th->seed << 13;
	th->seed ^= th->seed >> 7;
	th->seed ^= th->seed << 17;
	return n ? (th->seed >> 11) % n : 0;
}

static int next(void *ctx, struct cdict_event *ev, struct cdict_error *err)
{
	struct thinned *th = ctx;
	int ret;

	while ((ret = cdict_events_next(th->it, ev, err)) > 0)
		if (!th->drop || rnd(th, th->drop))
			return ev->t_ns <= th->cut_ns;
	return ret;
}

static int again(void *ctx, struct cdict_error *err)
{
	struct thinned *th = ctx;

	cdict_events_close(th->it);
	th->seed = th->walk_seed;
	return cdict_events_open(&th->it, th->reader, NULL, err);
}

static const struct cdict_task_event *task_at(void *ctx, size_t i)
{
	return cdict_reader_task_at(((struct thinned *)ctx)->reader, i);
}

static const struct cdict_loss *loss_at(void *ctx, size_t i)
{
	return &((struct thinned *)ctx)->losses[i];
}

/* One walk over the rest of the capture in this round. */
static void walk(struct thinned *th, struct analyze_source *src, const struct analyze_options *opts,
		 struct parts *parts)
{
	uint64_t seed = th->seed;
	struct cdict_error err = { 0 };
	struct all a;

	all_new(&a, opts);
	th->walk_seed = seed;
	HOLDS(!cdict_events_open(&th->it, th->reader, NULL, &err));
	HOLDS(!analyze_engine_run(a.eng, src, &err));
	cdict_events_close(th->it);
	must_hold(&a);
	parts_take(parts, &a);
	all_free(&a);
	th->seed = seed;
}

static void round_of(struct thinned *th, unsigned round)
{
	struct analyze_source src = { .schema = cdict_reader_schema(th->reader),
				      .ctx = th,
				      .next = next,
				      .rewind = again,
				      .cpus = cdict_reader_cpus(th->reader),
				      .n_tasks = cdict_reader_task_count(th->reader),
				      .task_at = task_at,
				      .loss_at = loss_at };
	struct analyze_options opts = { 0 }, before, after;
	struct parts whole = { 0 }, parts = { 0 };
	uint64_t length;

	HOLDS(cdict_reader_window(th->reader, &src.first_ns, &src.last_ns));
	length = src.last_ns - src.first_ns;
	th->drop = round ? (uint32_t)(2 + rnd(th, 200)) : 0;
	th->cut_ns = round % 3 == 1 ? src.first_ns + rnd(th, length) : src.last_ns;
	src.last_ns = th->cut_ns;
	src.n_losses = round % 2 ? 4 : 0;
	for (size_t i = 0; i < src.n_losses; i++) {
		uint64_t from = src.first_ns + rnd(th, length);

		th->losses[i] = (struct cdict_loss){
			.cpu = rnd(th, 5) ? (uint32_t)rnd(th, src.cpus) : CDICT_CPU_UNKNOWN,
			.type = CDICT_TYPE_ANY,
			.from_ns = from,
			.to_ns = from + rnd(th, length / 20),
			.count = 1,
		};
	}
	if (round % 5 == 4) {
		opts.from_ns = src.first_ns + rnd(th, length / 2);
		opts.to_ns = opts.from_ns + rnd(th, length / 2) + 1;
	}
	before = after = opts;
	before.to_ns = after.from_ns = (opts.to_ns ? opts.from_ns : src.first_ns) + 1 +
				       rnd(th, opts.to_ns ? opts.to_ns - opts.from_ns : length);
	walk(th, &src, &opts, &whole);
	walk(th, &src, &before, &parts);
	walk(th, &src, &after, &parts);
	parts_must_equal(&whole, &parts);
	rnd(th, 2); /* another next round */
}

static int to_buf(void *ctx, const void *data, size_t size)
{
	buf_add(ctx, data, size);
	return 0;
}

static void put_block(struct cdict_writer *w, struct format_encoder *enc)
{
	struct buf payload = { 0 };
	struct format_block info;
	struct block_digest *digest;
	struct cdict_error err = { 0 };

	if (!format_encoder_events(enc))
		return;
	HOLDS(!format_encoder_finish(enc, &payload, &info, &digest));
	HOLDS(!format_writer_put(w, payload.data, payload.len, &info, digest, &err));
	free(digest);
	buf_fini(&payload);
}

/* The capture in blocks of @n events, with digests whatever they take. */
static void copy_events(struct thinned *th, struct buf *out, uint32_t n)
{
	struct cdict_reader *r = th->reader;
	const struct cdict_schema *schema = cdict_reader_schema(r);
	uint32_t cpus = cdict_reader_cpus(r);
	struct format_encoder *encs[CPUS_MAX] = { 0 };
	struct cdict_error err = { 0 };
	struct cdict_event ev;
	struct cdict_writer *w;
	uint8_t raw[1 << 16];
	const char *key, *value;

	HOLDS(!cdict_writer_open(&w, to_buf, out, &err));
	format_writer_digests(w, 100000000);
	for (size_t i = 0; i < cdict_reader_info_count(r); i++) {
		cdict_reader_info_at(r, i, &key, &value);
		cdict_writer_info(w, key, value, &err);
	}
	HOLDS(!cdict_writer_schema(w, schema, &err));
	for (size_t i = 0; i < cdict_reader_task_count(r); i++)
		cdict_writer_task(w, cdict_reader_task_at(r, i), &err);
	for (size_t i = 0; i < cdict_reader_loss_count(r); i++)
		cdict_writer_loss(w, cdict_reader_loss_at(r, i), &err);
	HOLDS(!cdict_events_open(&th->it, r, NULL, &err));
	while (cdict_events_next(th->it, &ev, &err) > 0) {
		struct cdict_sample s = { ev.t_ns, ev.cpu, ev.pid, ev.tid, ev.mode, 0 };
		uint32_t cpu = ev.cpu < cpus ? ev.cpu : cpus;
		size_t size = cdict_event_payload(schema, &ev, raw, sizeof(raw));

		if (cpus >= CPUS_MAX)
			break;
		if (!encs[cpu])
			encs[cpu] = format_encoder_new(schema);
		if (format_encoder_events(encs[cpu]) >= n)
			put_block(w, encs[cpu]);
		if (format_encoder_add(encs[cpu], &s, ev.type->index, raw, size) == CDICT_ELIMIT) {
			put_block(w, encs[cpu]);
			HOLDS(!format_encoder_add(encs[cpu], &s, ev.type->index, raw, size));
		}
	}
	cdict_events_close(th->it);
	for (uint32_t c = 0; c < CPUS_MAX; c++) {
		if (encs[c])
			put_block(w, encs[c]);
		format_encoder_free(encs[c]);
	}
	HOLDS(!cdict_writer_finish(w, &err));
	cdict_writer_close(w);
}

static bool is_after(uint64_t a, uint64_t b)
{
	return a != ANALYZE_NO_TIME && (b == ANALYZE_NO_TIME || a > b);
}

static bool same_when(const struct digest_when *a, const struct digest_when *b)
{
	return a->t_ns == b->t_ns && (a->t_ns == ANALYZE_NO_TIME || a->cpu == b->cpu);
}

#define AGREE(what)                                                                                \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "addup: at %" PRIu64 " digests of %d: %s\n", t_ns, tid,    \
				#what);                                                            \
			return false;                                                              \
		}                                                                                  \
	} while (0)

/* Values that are not used any more may differ. */
static bool rows_agree(const struct digest *x, const struct digest_row *a, const struct digest *y,
		       const struct digest_row *b, uint64_t t_ns)
{
	const struct digest_kvm *k = a->kvm ? &x->kvm.at[a->kvm - 1] : NULL;
	const struct digest_kvm *l = b->kvm ? &y->kvm.at[b->kvm - 1] : NULL;
	int tid = a->tid;

	AGREE(same_when(&a->out[0], &b->out[0]));
	AGREE(a->out[0].t_ns == ANALYZE_NO_TIME || a->off == b->off);
	AGREE(is_after(a->in[0].t_ns, a->out[0].t_ns) == is_after(b->in[0].t_ns, b->out[0].t_ns));
	if (is_after(a->in[0].t_ns, a->out[0].t_ns))
		AGREE(same_when(&a->in[0], &b->in[0]));
	AGREE((a->in[0].t_ns != ANALYZE_NO_TIME) == (b->in[0].t_ns != ANALYZE_NO_TIME));
	if (is_after(a->wake[0].t_ns, a->out[0].t_ns))
		AGREE(same_when(&a->wake[0], &b->wake[0]));
	if (is_after(a->wake[1].t_ns, a->out[0].t_ns))
		AGREE(a->wake[1].t_ns == b->wake[1].t_ns);
	if (is_after(a->woken.t_ns, a->out[0].t_ns))
		AGREE(same_when(&a->woken, &b->woken));
	if (is_after(a->moved[0].t_ns, a->out[0].t_ns))
		AGREE(same_when(&a->moved[0], &b->moved[0]));
	AGREE(is_after(a->io_ns, a->out[0].t_ns) == is_after(b->io_ns, b->out[0].t_ns));
	AGREE(same_when(&a->early, &b->early));
	AGREE(!k == !l);
	if (!k)
		return true;
	AGREE(same_when(&k->exit, &l->exit) && same_when(&k->entry, &l->entry));
	AGREE(same_when(&k->user, &l->user));
	/* The file gives the vCPU before an event does. */
	AGREE(k->vcpu_id == l->vcpu_id || k->vcpu_id == -1);
	AGREE(k->exit.t_ns == ANALYZE_NO_TIME ||
	      (k->type == l->type && k->value == l->value && k->how == l->how && k->isa == l->isa));
	if (is_after(k->access_ns, k->exit.t_ns))
		AGREE(k->access_ns == l->access_ns);
	if (is_after(k->exit.t_ns, k->entry.t_ns) && is_after(a->out[1].t_ns, k->exit.t_ns))
		AGREE(same_when(&a->out[1], &b->out[1]));
	return true;
}

/* There is no row of a task that has ended. */
static bool is_over(const struct digest_row *row)
{
	uint64_t out = row->out[0].t_ns;

	return out != ANALYZE_NO_TIME && row->off == ANALYZE_OFF_DEAD &&
	       !is_after(row->in[0].t_ns, out) && !is_after(row->woken.t_ns, out) &&
	       !is_after(row->moved[0].t_ns, out);
}

/* Digests worked out at a time are those that the file stores. */
static bool digests_agree(struct digests *read, struct digests *stored, uint64_t t_ns)
{
	struct digest x = { 0 }, y = { 0 };
	struct cdict_error err = { 0 };
	bool agree = !digests_at(read, t_ns, NULL, &x, &err) &&
		     !digests_at(stored, t_ns, NULL, &y, &err) && x.n_cpus == y.n_cpus;

	for (size_t i = 0; agree && i < x.rows.n; i++) {
		const struct digest_row *a = &x.rows.at[i];
		const struct digest_row *row = digest_find(&y, a->tid, x.tasks.at[a->task].cpu);

		if (!row && is_over(a))
			continue;
		agree = row && rows_agree(&x, a, &y, row, t_ns);
		if (!row)
			fprintf(stderr, "addup: at %" PRIu64 " there is no row of %d\n", t_ns,
				a->tid);
	}
	for (uint32_t c = 0; agree && c < x.n_cpus; c++) {
		const struct digest_cpu *a = &x.cpus[c], *b = &y.cpus[c];

		agree = a->first_ns == b->first_ns && a->last_ns == b->last_ns &&
			a->first_switch_ns == b->first_switch_ns && a->switch_ns == b->switch_ns &&
			(a->switch_ns == ANALYZE_NO_TIME ||
			 (a->cur == b->cur && a->first_prev == b->first_prev)) &&
			a->sample_ns == b->sample_ns && a->mixed == b->mixed &&
			(a->break_ns == ANALYZE_NO_TIME || b->break_ns >= a->break_ns);
		if (!agree)
			fprintf(stderr, "addup: at %" PRIu64 " CPU %u is another\n", t_ns, c);
	}
	digest_fini(&x);
	digest_fini(&y);
	return agree;
}

static void compare_digests(struct thinned *th, unsigned rounds)
{
	struct digests *read = NULL, *stored = NULL;
	struct cdict_error err = { 0 };
	uint64_t first_ns, last_ns;

	HOLDS(!digests_new(&read, th->reader, 500, &err) &&
	      !digests_stored(&stored, th->reader, &err));
	HOLDS(cdict_reader_window(th->reader, &first_ns, &last_ns));
	if (stored) {
		HOLDS(!digests_step(read, UINT64_MAX, &err) && digests_can_resume(read));
		for (unsigned i = 0; i < rounds; i++) {
			struct digest x = { 0 };
			uint64_t t_ns = first_ns + 1 + rnd(th, last_ns - first_ns);

			/* Half of them where something happened. */
			HOLDS(!digests_at(read, t_ns, NULL, &x, &err));
			if (i % 2 && x.rows.n)
				t_ns = x.rows.at[rnd(th, x.rows.n)].in[0].t_ns;
			digest_fini(&x);
			if (t_ns != ANALYZE_NO_TIME && t_ns > first_ns)
				HOLDS(digests_agree(read, stored, t_ns));
		}
	}
	digests_free(read);
	digests_free(stored);
}

/* A walk over a window alone gives the same as that part of a walk over the whole capture. */
static void windows_of(struct thinned *th, unsigned rounds, bool stored)
{
	struct cdict_error err = { 0 };
	uint64_t first_ns, last_ns;

	HOLDS(cdict_reader_window(th->reader, &first_ns, &last_ns));
	for (unsigned round = 0; round < rounds; round++) {
		uint64_t length = (last_ns - first_ns) >> rnd(th, 12);
		struct analyze_options opts = { 0 };
		struct digests *digests = NULL;

		opts.from_ns = first_ns + rnd(th, last_ns - first_ns - length);
		opts.to_ns = opts.from_ns + 1 + rnd(th, length);
		if (stored)
			HOLDS(!digests_stored(&digests, th->reader, &err));
		else
			HOLDS(!digests_new(&digests, th->reader, 1 + rnd(th, 2000), &err));
		if (!digests)
			return;
		n_windows++;
		for (int alone = 0; alone < 2; alone++) {
			struct parts *parts = alone ? &th->alone : &th->whole;
			struct all a;

			opts.digests = alone ? digests : NULL;
			all_new(&a, &opts);
			HOLDS(!analyze_engine_run_reader(a.eng, th->reader, &err));
			must_hold(&a);
			parts_take(parts, &a);
			parts_take_edges(parts, &a, !stored);
			all_free(&a);
		}
		parts_must_equal(&th->whole, &th->alone);
		digests_free(digests);
	}
}

int main(int argc, char **argv)
{
	struct thinned th = { .seed = 1 };
	struct cdict_error err = { 0 };
	unsigned stored, rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 20;

	if (argc < 2)
		return 129;
	if (argc > 3)
		th.seed = strtoull(argv[3], NULL, 10) | 1;
	if (cdict_reader_open(&th.reader, argv[1], &err)) {
		fprintf(stderr, "addup: %s: %s\n", argv[1], err.text);
		return 1;
	}
	for (unsigned round = 0; round < rounds; round++)
		round_of(&th, round);
	windows_of(&th, 2 * rounds, false);
	/* Of the file's own digests, when it has any, and of those of a copy with small blocks. */
	n_windows = 0;
	windows_of(&th, rounds, true);
	stored = n_windows;
	for (unsigned round = 0; round < 3; round++) {
		struct cdict_reader *whole = th.reader;
		struct buf bytes = { 0 };

		copy_events(&th, &bytes, (uint32_t)(20 + rnd(&th, 3000) * rnd(&th, 3)));
		HOLDS(!cdict_reader_parse(&th.reader, bytes.data, bytes.len, &err));
		compare_digests(&th, 10 * rounds);
		windows_of(&th, rounds, true);
		cdict_reader_close(th.reader);
		buf_fini(&bytes);
		th.reader = whole;
	}
	printf("%u windows by the file's digests, %u by a copy's\n", stored, n_windows - stored);
	cdict_reader_close(th.reader);
	return 0;
}
