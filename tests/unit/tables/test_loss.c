/* SPDX-License-Identifier: GPL-2.0-only */
/* How much of a capture is missing: sums of loss records, and the sentences made of them. */
#include <math.h>

#include "tables/columns/loss.h"
#include "base/text/json.h"
#include "tests/unit/cdictfile.h"

/* One event of each of two CPUs, at 1000 and 2000 ns, and ten left out by name. */
static struct cdict_reader *lossy(struct buf *bytes, const struct cdict_loss *losses, size_t n)
{
	struct cdict_schema *schema = usual_schema();
	struct cdict_error err = { 0 };
	struct cdict_reader *r;
	struct file f;

	file_begin(&f, schema);
	file_switch(&f, schema, 0, 1000, 1, 2);
	file_switch(&f, schema, 1, 2000, 3, 4);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(cdict_writer_loss(f.w, &losses[i], &err), 0);
	assert_int_equal(cdict_writer_unstored(f.w, "irq:irq_handler_entry", 10, &err), 0);
	assert_int_equal(cdict_writer_unstored(f.w, "PERF_RECORD_MMAP2", 100, &err), 0);
	file_end(&f);
	cdict_schema_free(schema);
	*bytes = f.bytes;
	assert_int_equal(cdict_reader_parse(&r, bytes->data, bytes->len, &err), 0);
	return r;
}

static void records_that_touch_the_window_count_whole(void **state)
{
	static const struct cdict_loss losses[] = {
		{ CDICT_LOSS_RING, 0, CDICT_TYPE_ANY, 1100, 1200, 3 },
		{ CDICT_LOSS_SAMPLES, 0, SWITCH, 1050, 1150, 2 },
		{ CDICT_LOSS_RING, 1, CDICT_TYPE_ANY, 1300, 1500, 4 },
		{ CDICT_LOSS_DAMAGE, CDICT_CPU_UNKNOWN, CDICT_TYPE_ANY, 1200, 1400, 8 },
		{ CDICT_LOSS_DISORDER, 1, SWITCH, 1200, 1200, 16 },
		{ CDICT_LOSS_THROTTLE, 1, SWITCH, 1400, 1750, 32 },
	};
	struct loss_sum sum;
	struct buf bytes;
	struct cdict_reader *r = lossy(&bytes, losses, COUNT(losses));

	(void)state;
	loss_sum(&sum, r, 1000, 2000);
	assert_int_equal(sum.lost, 9);
	assert_int_equal(sum.unreadable, 8);
	assert_int_equal(sum.damaged, 0);
	assert_int_equal(sum.disordered, 16);
	assert_int_equal(sum.throttled_ns, 350);
	assert_int_equal(sum.stored, 2);
	assert_true(sum.any_cpu);
	/* CPU 0 lost most, 5 of them, in the range that holds both records */
	assert_int_equal(sum.cpus, 2);
	assert_int_equal(sum.worst_cpu, 0);
	assert_int_equal(sum.worst_count, 5);
	assert_int_equal(sum.worst_from_ns, 1050);
	assert_int_equal(sum.worst_to_ns, 1200);
	/* 17 of 2 stored, 10 left out and themselves: a ring loses new events */
	assert_true(sum.percent > 58.6206 && sum.percent < 58.6208);
	/* from its last instant on, and up to its first */
	loss_sum(&sum, r, 1500, 1800);
	assert_int_equal(sum.lost, 4);
	assert_int_equal(sum.throttled_ns, 350);
	assert_int_equal(sum.unreadable, 0);
	assert_int_equal(sum.worst_cpu, 1);
	assert_int_equal(sum.cpus, 1);
	assert_false(sum.any_cpu);
	loss_sum(&sum, r, 1020, 1050);
	assert_int_equal(sum.lost, 2);
	assert_int_equal(sum.disordered, 0);
	loss_sum(&sum, r, 1020, 1049);
	assert_int_equal(sum.lost, 0);
	assert_int_equal(sum.cpus, 0);
	assert_int_equal(sum.worst_cpu, CDICT_CPU_UNKNOWN);
	loss_sum(&sum, r, 1501, 1800);
	assert_int_equal(sum.lost, 0);
	cdict_reader_close(r);
	buf_fini(&bytes);
}

static void events_lost_before_the_first_event_count_in_a_window_from_it(void **state)
{
	static const struct cdict_loss early = { CDICT_LOSS_SAMPLES, 1, SWITCH, 10, 20, 2 };
	struct loss_sum sum;
	struct buf bytes;
	struct cdict_reader *r = lossy(&bytes, &early, 1);

	(void)state;
	assert_int_equal(loss_since(r, 5), 0);
	assert_int_equal(loss_since(r, 1500), 1500);
	loss_sum(&sum, r, 10, 2000);
	assert_int_equal(sum.lost, 2);
	assert_int_equal(sum.worst_cpu, 1);
	assert_int_equal(sum.worst_from_ns, 1000); /* as far as the capture goes */
	/* its type is known: it is not a loss of events that were left out; half of all events */
	assert_true(sum.percent == 50);
	loss_sum(&sum, r, 1500, 2000);
	assert_int_equal(sum.lost, 0);
	cdict_reader_close(r);
	buf_fini(&bytes);
}

/* The index counts them as stored: they are not counted once more. */
static void events_of_damaged_blocks_are_part_of_what_is_missing(void **state)
{
	static const struct cdict_loss loss = { CDICT_LOSS_RING, 0, CDICT_TYPE_ANY, 1100, 1200, 3 };
	struct loss_sum sum;
	struct buf bytes;

	(void)state;
	for (size_t n = 0; n < 2; n++) {
		struct cdict_reader *r = lossy(&bytes, &loss, n);
		size_t at = (size_t)cdict_reader_block_at(r, 0)->offset + FORMAT_BLOCK_HEADER_SIZE;

		cdict_reader_close(r);
		bytes.data[at] ^= 1;
		r = open_bytes(bytes.data, bytes.len);
		assert_int_equal(cdict_reader_verify(r, NULL), CDICT_ECORRUPT);
		loss_sum(&sum, r, 1000, 2000);
		assert_int_equal(sum.damaged, 1);
		assert_int_equal(sum.stored, 2);
		/* 1 of 2 stored; 1 and 3 lost by a ring, of 2 stored, 10 left out and those 3 */
		assert_true(fabs(sum.percent - (n ? 100.0 * 4 / 15 : 50)) < 1e-9);
		cdict_reader_close(r);
		buf_fini(&bytes);
	}
}

/* The counts of the listed records, each followed by a blank. */
static void assert_listed(const struct cdict_reader *r, uint64_t from_ns, uint64_t to_ns,
			  const char *want)
{
	struct loss_sum sum;
	struct json j;
	struct sink s;
	char *text, *at, got[256] = "";
	size_t n = 0;

	sink_to_memory(&s);
	json_init(&j, &s);
	loss_sum(&sum, r, from_ns, to_ns);
	json_open(&j, NULL, '{', true);
	loss_json(&j, &sum, r, from_ns, to_ns, NULL);
	json_close(&j);
	text = sink_take(&s, NULL);
	assert_non_null(text);
	for (at = text; (at = strstr(at, "\"count\": ")); at++)
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%d ", atoi(at + 9));
	assert_string_equal(got, want);
	free(text);
}

static void records_that_touch_the_window_are_listed(void **state)
{
	static const struct cdict_loss losses[] = {
		{ CDICT_LOSS_RING, 0, CDICT_TYPE_ANY, 1100, 1200, 3 },
		{ CDICT_LOSS_RING, 1, CDICT_TYPE_ANY, 1300, 1500, 4 },
		{ CDICT_LOSS_THROTTLE, 1, SWITCH, 1600, 1700, 5 },
	};
	struct buf bytes;
	struct cdict_reader *r = lossy(&bytes, losses, COUNT(losses));

	(void)state;
	assert_listed(r, 1000, 2000, "3 4 5 ");
	assert_listed(r, 1200, 1300, "3 4 ");
	assert_listed(r, 1201, 1299, "");
	assert_listed(r, 1501, 1600, "5 ");
	assert_listed(r, 1701, 2000, "");
	cdict_reader_close(r);
	buf_fini(&bytes);
}

static void assert_line(const struct loss_sum *sum, uint64_t unknown_ns, const char *want)
{
	char *text = loss_text(sum, unknown_ns);

	assert_non_null(text);
	assert_string_equal(text, want);
	free(text);
}

static void each_part_of_the_sentence_stands_where_it_is_so(void **state)
{
	struct loss_sum none = { .worst_cpu = CDICT_CPU_UNKNOWN }, s = none;

	(void)state;
	assert_line(&none, 0, "loss: none");
	assert_line(&none, 1500000,
		    "loss: no events lost; 1.500 ms of CPU time unknown (running task unknown)");
	s.throttled_ns = 250000;
	assert_line(&s, 0, "loss: throttled for 0.250 ms");
	assert_line(&s, 1000000, "loss: throttled for 0.250 ms, 1.000 ms of CPU time unknown");
	s.disordered = 3;
	assert_line(&s, 0, "loss: throttled for 0.250 ms, 3 events out of order");
	s = none;
	s.disordered = 3;
	assert_line(&s, 2000000, "loss: 3 events out of order, 2.000 ms of CPU time unknown");
	s = none;
	s.unreadable = 7;
	s.percent = 12.345;
	assert_line(&s, 0, "loss: 7 unreadable in the recording (12.35 % of all)");
	s.damaged = 1234;
	assert_line(
		&s, 0,
		"loss: 7 unreadable in the recording, 1,234 in damaged blocks of this file (12.35 % of all)");
	s = (struct loss_sum){ .lost = 5,
			       .percent = 50,
			       .worst_cpu = 3,
			       .worst_from_ns = 1500000000,
			       .worst_to_ns = 2500000000,
			       .cpus = 1,
			       .throttled_ns = 1000000 };
	assert_line(&s, 0,
		    "loss: 5 events lost while recording (50.00 % of all), on CPU 3 between "
		    "1.500000 and 2.500000 s, throttled for 1.000 ms");
	s.cpus = 2;
	s.throttled_ns = 0;
	assert_line(&s, 0,
		    "loss: 5 events lost while recording (50.00 % of all), most on CPU 3 between "
		    "1.500000 and 2.500000 s");
}

static void assert_scope(const struct scope *scope, uint64_t from_ns, const char *want)
{
	struct sink s;
	char *text;

	sink_to_memory(&s);
	loss_scope(&s, scope, from_ns);
	text = sink_take(&s, NULL);
	assert_non_null(text);
	assert_int_equal(strncmp(text, want, strlen(want)), 0);
	assert_int_equal(*text != '\0', *want != '\0');
	free(text);
}

static void each_kind_of_event_not_recorded_has_its_own_line(void **state)
{
	(void)state;
	assert_scope(&(struct scope){ .kind = SCOPE_SYSTEM }, 0, "");
	assert_scope(&(struct scope){ .kind = SCOPE_TASKS }, 0, "recorded: some tasks only: other");
	assert_scope(&(struct scope){ .kind = SCOPE_TASKS, .no_inherit = true }, 0,
		     "recorded: some tasks only, not their children: other");
	assert_scope(&(struct scope){ .kind = SCOPE_CPUS }, 0, "recorded: some CPUs only");
	assert_scope(&(struct scope){ .filtered = true }, 0,
		     "recorded: some sched_switch events only");
	assert_scope(&(struct scope){ .overwritten = true }, 0, "recorded: overwriting rings");
	assert_scope(&(struct scope){ .late = true }, 0, "recorded: starting some time after");
	assert_scope(&(struct scope){ .foreign = true }, 0, "recorded: in a PID namespace");
	assert_scope(&(struct scope){ .begins_ns = 1500000000 }, 1499999999,
		     "recorded: one CPU after the other up to 1.500000 s");
	assert_scope(&(struct scope){ .begins_ns = 1500000000 }, 1500000000, "");
}

static void only_some_records_are_of_missing_events(void **state)
{
	static const struct {
		enum cdict_loss_what what;
		const char *name;
		bool missing;
	} all[] = {
		{ CDICT_LOSS_RING, "ring", true },
		{ CDICT_LOSS_SAMPLES, "samples", true },
		{ CDICT_LOSS_DAMAGE, "damage", true },
		{ CDICT_LOSS_THROTTLE, "throttle", false },
		{ CDICT_LOSS_DISORDER, "disorder", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(all); i++) {
		assert_string_equal(loss_what(all[i].what), all[i].name);
		assert_int_equal(loss_missing(&(struct cdict_loss){ .what = all[i].what }),
				 all[i].missing);
	}
	assert_string_equal(loss_what((enum cdict_loss_what)99), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_that_touch_the_window_count_whole),
		cmocka_unit_test(events_lost_before_the_first_event_count_in_a_window_from_it),
		cmocka_unit_test(events_of_damaged_blocks_are_part_of_what_is_missing),
		cmocka_unit_test(records_that_touch_the_window_are_listed),
		cmocka_unit_test(each_part_of_the_sentence_stands_where_it_is_so),
		cmocka_unit_test(each_kind_of_event_not_recorded_has_its_own_line),
		cmocka_unit_test(only_some_records_are_of_missing_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
