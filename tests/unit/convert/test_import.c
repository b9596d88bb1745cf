/* SPDX-License-Identifier: GPL-2.0-only */
/* What all imports share: the file is the same, to the byte, with however many threads. */
#include <pthread.h>

#include "convert/import.h"
#include "convert/ingest/source.h"
#include "tests/unit/cdictfile.h"

/* The file, whose writing can be stalled. */
struct place {
	struct buf bytes;
	pthread_mutex_t gate;
};

static int write_there(void *ctx, const void *data, size_t size)
{
	struct place *p = ctx;

	pthread_mutex_lock(&p->gate);
	buf_add(&p->bytes, data, size);
	pthread_mutex_unlock(&p->gate);
	return 0;
}

static void add_sample(struct import *in, const struct cdict_schema *schema, uint64_t t_ns)
{
	uint8_t record[sizeof(struct source_record) + 256];
	struct source_record head = { .pid = 5, .tid = 5 };
	struct batch_sample s = { .t_ns = t_ns, .record = record };
	struct payload p;

	payload_init(&p, schema, WAKING);
	payload_number(&p, "pid", t_ns % 7);
	head.raw_size = (uint32_t)p.size;
	head.size = (uint16_t)(sizeof(head) + p.size);
	memcpy(record, &head, sizeof(head));
	memcpy(record + sizeof(head), p.data, p.size);
	assert_int_equal(ingest_add(&in->ingest, 0, &s, head.size, in->err), 0);
}

/* Events, then @n_tasks names of tasks, a loss after every thousandth, then events again. */
static struct buf import_with(unsigned jobs, int32_t n_tasks)
{
	struct cdict_schema *schema = usual_schema();
	const struct source_event events[] = { { WAKING, offsetof(struct source_record, pid),
						 sizeof(struct source_record) } };
	const struct convert_options opts = { .jobs = jobs };
	struct convert_report report;
	struct cdict_error err = { 0 };
	struct place place = { .bytes = { 0 } };
	struct import in;

	pthread_mutex_init(&place.gate, NULL);
	assert_int_equal(import_open(&in, &opts, write_there, &place, &report, &err), 0);
	assert_int_equal(cdict_writer_schema(in.w, schema, &err), 0);
	assert_int_equal(import_start(&in, schema, events, 1), 0);
	/* With threads, a block is not written yet when the names come. */
	if (jobs > 1)
		pthread_mutex_lock(&place.gate);
	for (uint64_t t_ns = 1000; t_ns < 2000; t_ns++)
		add_sample(&in, schema, t_ns);
	assert_int_equal(ingest_cut(&in.ingest, &err), 0);
	for (int32_t i = 1; i <= n_tasks; i++) {
		const struct cdict_task_event ev = { 0, CDICT_TASK_COMM, i, i, 0, 0, "a task" };
		const struct cdict_loss loss = { CDICT_LOSS_SAMPLES, 0, CDICT_TYPE_ANY, 2000, 2000,
						 (uint64_t)i };

		assert_int_equal(ingest_task(&in.ingest, &ev, &err), 0);
		if (i % 1000 == 0)
			assert_int_equal(ingest_loss(&in.ingest, &loss, &err), 0);
	}
	if (jobs > 1)
		pthread_mutex_unlock(&place.gate);
	for (uint64_t t_ns = 3000; t_ns < 4000; t_ns++)
		add_sample(&in, schema, t_ns);
	assert_int_equal(import_settle(&in, schema), 0);
	assert_int_equal(import_finish(&in), 0);
	assert_int_equal(report.events, 2000);
	assert_int_equal(report.first_ns, 1000);
	assert_int_equal(report.last_ns, 3999);
	import_close(&in);
	pthread_mutex_destroy(&place.gate);
	cdict_schema_free(schema);
	assert_false(place.bytes.failed);
	return place.bytes;
}

static void threads_do_not_change_the_file(void **state)
{
	static const int32_t counts[] = { 0, 10, 30000 };

	(void)state;
	for (size_t i = 0; i < COUNT(counts); i++) {
		struct buf one = import_with(1, counts[i]);
		struct cdict_reader *r = open_bytes(one.data, one.len);

		assert_whole(r);
		assert_int_equal(cdict_reader_events(r), 2000);
		assert_int_equal(cdict_reader_task_count(r), counts[i]);
		assert_int_equal(cdict_reader_loss_count(r), counts[i] / 1000);
		cdict_reader_close(r);
		for (unsigned jobs = 2; jobs <= 3; jobs++) {
			struct buf many = import_with(jobs, counts[i]);

			assert_int_equal(many.len, one.len);
			assert_memory_equal(many.data, one.data, one.len);
			buf_fini(&many);
		}
		buf_fini(&one);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_do_not_change_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
