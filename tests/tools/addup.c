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

#include "../unit/hold.h"
#include "analyze/digest.h"

struct thinned {
	struct cdict_reader *reader;
	struct cdict_events *it;
	uint64_t seed;
	uint32_t drop;   /* one event in so many, 0: none */
	uint64_t cut_ns; /* nothing after */
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

static const struct cdict_task_event *task_at(void *ctx, size_t i)
{
	return cdict_reader_task_at(((struct thinned *)ctx)->reader, i);
}

static const struct cdict_loss *loss_at(void *ctx, size_t i)
{
	return &((struct thinned *)ctx)->losses[i];
}

/* One walk over what is left of the capture in this round. */
static void walk(struct thinned *th, struct analyze_source *src, const struct analyze_options *opts,
		 struct parts *parts)
{
	uint64_t seed = th->seed;
	struct cdict_error err = { 0 };
	struct all a;

	all_new(&a, opts);
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

/* A walk over a window alone tells what one over the whole capture tells of it. */
static void windows_of(struct thinned *th, unsigned rounds)
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
		HOLDS(!digests_new(&digests, th->reader, 1 + rnd(th, 2000), &err));
		if (!digests)
			return;
		for (int alone = 0; alone < 2; alone++) {
			struct parts *parts = alone ? &th->alone : &th->whole;
			struct all a;

			opts.digests = alone ? digests : NULL;
			all_new(&a, &opts);
			HOLDS(!analyze_engine_run_reader(a.eng, th->reader, &err));
			must_hold(&a);
			parts_take(parts, &a);
			parts_take_edges(parts, &a);
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
	unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 20;

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
	windows_of(&th, 2 * rounds);
	cdict_reader_close(th.reader);
	return 0;
}
