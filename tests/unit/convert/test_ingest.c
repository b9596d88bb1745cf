/* SPDX-License-Identifier: GPL-2.0-only */
/* The common input path: order, loss, and stores that fail or stall. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fail.h"
#include "convert/ingest/ingest.h"

static const char format[] = "name: mark\n"
			     "ID: 7\n"
			     "format:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:int number;\toffset:4;\tsize:4;\tsigned:1;\n"
			     "\n"
			     "print fmt: \"%d\", REC->number\n";

/* The store of blocks: they are noted in the order of their arrival. */
struct place {
	struct {
		uint32_t cpu, events;
		uint64_t first_ns;
	} blocks[4096];
	size_t n;
	struct rows rows; /* losses of all items */
	int fails_at;     /* the block that fails, -1: none */
	pthread_mutex_t gate;
};

static int put(void *ctx, struct store_item *item, struct cdict_error *err)
{
	struct place *p = ctx;

	pthread_mutex_lock(&p->gate);
	pthread_mutex_unlock(&p->gate);
	for (size_t i = 0; i < item->n_parts; i++) {
		if ((int)p->n == p->fails_at)
			return cdict_fail(err, -ENOSPC, CDICT_NO_OFFSET, "no room");
		assert_true(p->n < 4096);
		p->blocks[p->n].cpu = item->parts[i].info.cpu;
		p->blocks[p->n].events = item->parts[i].info.events;
		p->blocks[p->n++].first_ns = item->parts[i].info.first_ns;
	}
	for (size_t i = 0; i < rows_losses(&item->rows); i++)
		rows_add_loss(&p->rows, rows_loss(&item->rows, i));
	return 0;
}

static const struct store_ops ops = { .put = put, .keep_bad = true };

struct bench {
	struct place place;
	struct store *store;
	struct cdict_schema *schema;
	struct source_event event;
	struct ingest in;
};

static struct bench *begin(unsigned threads, unsigned depth, size_t queue_bytes)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct encode_options opts = { .threads = threads, .depth = depth, .helps = !queue_bytes };
	struct ingest_options in = { .queue_bytes = queue_bytes };
	struct cdict_error err = { 0 };

	assert_non_null(b);
	pthread_mutex_init(&b->place.gate, NULL);
	b->place.fails_at = -1;
	b->store = in.store = store_new(&ops, &b->place);
	b->schema = cdict_schema_new(false, 8, 4096);
	assert_non_null(b->store);
	assert_non_null(b->schema);
	assert_int_equal(cdict_schema_add(b->schema, "made", format, strlen(format), &err), 0);
	b->event = (struct source_event){ 0, offsetof(struct source_record, pid),
					  sizeof(struct source_record) };
	ingest_init(&b->in, &in);
	b->in.source = (struct source){ .events = &b->event,
					.n_events = 1,
					.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
					.copy = true };
	opts.schema = b->schema;
	assert_int_equal(ingest_start(&b->in, &opts, &err), 0);
	return b;
}

static void end(struct bench *b)
{
	ingest_fini(&b->in);
	store_free(b->store);
	cdict_schema_free(b->schema);
	rows_fini(&b->place.rows);
	pthread_mutex_destroy(&b->place.gate);
	free(b);
}

/* An event of @cpu whose payload has @payload bytes; 8 is complete. */
static int add(struct bench *b, uint32_t cpu, uint64_t t_ns, uint32_t payload,
	       struct cdict_error *err)
{
	struct {
		struct source_record head;
		uint8_t raw[64];
	} r = { .head = { .pid = 5, .tid = 5, .raw_size = payload } };
	struct batch_sample s = { .t_ns = t_ns, .record = (const uint8_t *)&r };

	r.head.size = (uint16_t)(sizeof(r.head) + payload);
	return ingest_add(&b->in, cpu, &s, r.head.size, err);
}

static void finish(struct bench *b)
{
	struct cdict_error err = { 0 };

	assert_int_equal(ingest_cut(&b->in, &err), 0);
	assert_int_equal(ingest_wait(&b->in, &err), 0);
}

/* The blocks made of some events, with so many threads. */
static size_t blocks_with(unsigned threads, struct place *out)
{
	struct bench *b = begin(threads, threads + 2, 0);
	struct cdict_error err = { 0 };

	for (uint64_t t = 1; t <= 400000; t++)
		assert_int_equal(add(b, t % 7 ? 1 : (uint32_t)(t % 5), 1000 + t, 8, &err), 0);
	finish(b);
	*out = b->place;
	end(b);
	return out->n;
}

static void blocks_come_in_the_order_in_which_they_were_cut_however_many_threads(void **state)
{
	struct place *one = calloc(2, sizeof(*one)), *many = one + 1;
	uint64_t events = 0;

	(void)state;
	assert_non_null(one);
	assert_true(blocks_with(0, one) > 6);
	for (unsigned threads = 1; threads <= 4; threads++) {
		assert_int_equal(blocks_with(threads, many), one->n);
		assert_memory_equal(many->blocks, one->blocks, sizeof(one->blocks));
	}
	for (size_t i = 0; i < one->n; i++)
		events += one->blocks[i].events;
	assert_int_equal(events, 400000);
	free(one);
}

static void events_out_of_order_are_sorted_in_and_counted(void **state)
{
	struct bench *b = begin(1, 4, 0);
	struct cdict_error err = { 0 };
	struct rows losses = { 0 };

	(void)state;
	for (uint64_t t = 0; t < 1000; t++)
		assert_int_equal(add(b, 0, 5000 + (t ^ 1), 8, &err), 0);
	finish(b);
	assert_int_equal(b->place.n, 1);
	assert_int_equal(b->place.blocks[0].events, 1000);
	assert_int_equal(b->place.blocks[0].first_ns, 5000);
	assert_int_equal(ingest_losses(&b->in, &losses, &err), 0);
	assert_int_equal(b->in.disordered, 500);
	assert_int_equal(rows_losses(&losses), 0);
	rows_fini(&losses);
	end(b);
}

static void events_that_do_not_fit_are_dropped_and_reported_once(void **state)
{
	struct bench *b = begin(1, 0, 3 << 20);
	struct cdict_error err = { 0 };
	uint64_t events = 0, lost = 0;

	(void)state;
	/* The disk stalls; the producer does not. */
	pthread_mutex_lock(&b->place.gate);
	for (uint64_t t = 1; t <= 600000; t++)
		add(b, 3, 1000 + t, 8, &err);
	pthread_mutex_unlock(&b->place.gate);
	finish(b);
	for (size_t i = 0; i < b->place.n; i++)
		events += b->place.blocks[i].events;
	assert_true(b->in.dropped > 0);
	assert_int_equal(events + b->in.dropped, 600000);
	/* Consecutive losses are one loss. */
	assert_int_equal(rows_losses(&b->place.rows), 1);
	lost = rows_loss(&b->place.rows, 0)->count;
	assert_int_equal(lost, b->in.dropped);
	assert_int_equal(rows_loss(&b->place.rows, 0)->cpu, 3);
	assert_int_equal(rows_loss(&b->place.rows, 0)->what, CDICT_LOSS_RING);
	end(b);
}

static void
after_a_failed_store_the_waiting_caller_gets_the_error_and_the_rest_is_counted(void **state)
{
	struct bench *b = begin(1, 2, 0);
	struct cdict_error err = { 0 };
	uint64_t added = 0, events = 0, since_ns;
	int ret = 0;

	(void)state;
	b->place.fails_at = 1;
	while (!ret && added < 2000000) {
		added++;
		ret = add(b, 0, 1000 + added, 8, &err);
	}
	assert_int_equal(ret, -ENOSPC);
	assert_string_equal(err.text, "no room");
	ingest_cut(&b->in, &err);
	assert_int_equal(ingest_wait(&b->in, &err), -ENOSPC);
	for (size_t i = 0; i < b->place.n; i++)
		events += b->place.blocks[i].events;
	assert_int_equal(store_dropped(b->store, &since_ns), added - events);
	assert_int_equal(since_ns, 1000 + events + 1);
	end(b);
}

static void records_that_are_too_short_are_reported_with_their_time(void **state)
{
	struct bench *b = begin(0, 2, 0);
	struct cdict_error err = { 0 };

	(void)state;
	for (uint64_t t = 1; t <= 10; t++)
		assert_int_equal(add(b, 2, t, t == 4 || t == 6 ? 2 : 8, &err), 0);
	finish(b);
	assert_int_equal(b->place.blocks[0].events, 8);
	assert_int_equal(rows_losses(&b->place.rows), 1);
	assert_int_equal(rows_loss(&b->place.rows, 0)->what, CDICT_LOSS_DAMAGE);
	assert_int_equal(rows_loss(&b->place.rows, 0)->from_ns, 4);
	assert_int_equal(rows_loss(&b->place.rows, 0)->to_ns, 6);
	assert_int_equal(rows_loss(&b->place.rows, 0)->count, 2);
	assert_int_equal(store_counts(b->store)->bad, 2);
	end(b);
}

static void losses_counted_only_by_the_kernel_extend_to_the_end_of_the_recording(void **state)
{
	struct bench *b = begin(0, 2, 0);
	struct cdict_error err = { 0 };
	struct rows rows = { 0 };

	(void)state;
	assert_int_equal(add(b, 0, 10, 8, &err), 0);
	assert_int_equal(add(b, 1, 20, 8, &err), 0);
	/* On CPU 0 the last record is a loss, later than all events. */
	assert_int_equal(ingest_lost(&b->in, CDICT_LOSS_RING, 0, 90, 3, NULL, &err), 0);
	assert_int_equal(ingest_counted(&b->in, 0, 3, &err), 0);
	assert_int_equal(ingest_counted(&b->in, 1, 4, &err), 0);
	finish(b);
	assert_int_equal(ingest_losses(&b->in, &rows, &err), 0);
	assert_int_equal(rows_losses(&rows), 1);
	assert_int_equal(rows_loss(&rows, 0)->cpu, 1);
	assert_int_equal(rows_loss(&rows, 0)->count, 4);
	assert_int_equal(rows_loss(&rows, 0)->from_ns, 20);
	assert_int_equal(rows_loss(&rows, 0)->to_ns, 90);
	rows_fini(&rows);
	end(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			blocks_come_in_the_order_in_which_they_were_cut_however_many_threads),
		cmocka_unit_test(events_out_of_order_are_sorted_in_and_counted),
		cmocka_unit_test(events_that_do_not_fit_are_dropped_and_reported_once),
		cmocka_unit_test(
			after_a_failed_store_the_waiting_caller_gets_the_error_and_the_rest_is_counted),
		cmocka_unit_test(records_that_are_too_short_are_reported_with_their_time),
		cmocka_unit_test(
			losses_counted_only_by_the_kernel_extend_to_the_end_of_the_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
