/* SPDX-License-Identifier: GPL-2.0-only */
/* A walk in two parts: every analysis has a say, and each part's figures count once. Times are ns. */
#include "analyze/sched/switches.h"
#include "analyze/walk/digest.h"
#include "analyze/walk/ops.h"
#include "tests/unit/cdictfile.h"

enum { SWITCHES = 600, PROBES = 3, BUCKETS = 3 };

/* An analysis that counts switches. */
struct probe {
	unsigned switches, joins;
	bool refuses; /* to take the later part's figures */
	struct probe *later;
};

static void on_switch(void *self, const struct analyze_switch *sw)
{
	((struct probe *)self)->switches += sw->in;
}

static int part(void *self, struct analyze_engine *eng, struct cdict_error *err);

static bool agrees(const void *self, const void *later)
{
	const struct probe *p = self;

	assert_ptr_equal(p->later, later);
	return !p->refuses;
}

static int join(void *self, void *later)
{
	struct probe *p = self;

	assert_ptr_equal(p->later, later);
	p->switches += p->later->switches;
	p->joins++;
	return 0;
}

static const struct analyze_ops ops = {
	.needs = ANALYZE_NEED(SWITCH),
	.sw = on_switch,
	.resumes = true,
	.part = part,
	.agrees = agrees,
	.join = join,
};

static int part(void *self, struct analyze_engine *eng, struct cdict_error *err)
{
	return analyze_engine_add(eng, &ops, ((struct probe *)self)->later, err);
}

/* @refuses: the number of the probe that does; PROBES: none. */
static void walk(struct cdict_reader *r, struct cdict_reader *other, unsigned refuses)
{
	struct analyze_parts parts = { .reader = other, .cut_ns = 1000 + 10 * SWITCHES / 2 };
	struct probe probes[PROBES] = { 0 }, laters[PROBES] = { 0 };
	struct analyze_engine *eng, *later;

	assert_int_equal(digests_new(&parts.digests, other, 50, NULL), 0);
	assert_int_equal(digests_step(parts.digests, UINT64_MAX, NULL), 0);
	assert_int_equal(analyze_engine_new(&eng, NULL, NULL), 0);
	for (unsigned i = 0; i < PROBES; i++) {
		probes[i].later = &laters[i];
		probes[i].refuses = i == refuses;
		assert_int_equal(analyze_engine_add(eng, &ops, &probes[i], NULL), 0);
	}
	assert_int_equal(analyze_engine_begin_two(eng, r, &parts, &later, NULL), 0);
	assert_non_null(later);
	assert_int_equal(analyze_engine_run_later(later, NULL), 0);
	assert_int_equal(analyze_engine_step(eng, UINT64_MAX, NULL), 0);
	assert_int_equal(analyze_engine_join(eng, later, NULL), 0);
	assert_int_equal(analyze_engine_joined(eng), refuses == PROBES);
	for (unsigned i = 0; i < PROBES; i++) {
		assert_in_range(laters[i].switches, SWITCHES / 4, SWITCHES * 3 / 4);
		assert_int_equal(probes[i].switches, SWITCHES);
		assert_int_equal(probes[i].joins, refuses == PROBES);
	}
	analyze_engine_free(later);
	analyze_engine_free(eng);
	digests_free(parts.digests);
}

static void parts_are_joined_if_all_analyses_agree(void **state)
{
	struct cdict_schema *schema = usual_schema();
	struct cdict_reader *r, *other;
	struct file f;

	(void)state;
	file_begin(&f, schema);
	for (unsigned i = 0; i < SWITCHES; i++)
		file_switch(&f, schema, 0, 1000 + 10ull * i, 1 + (int32_t)(i % 7),
			    1 + (int32_t)((i + 1) % 7));
	file_end(&f);
	r = open_bytes(f.bytes.data, f.bytes.len);
	other = open_bytes(f.bytes.data, f.bytes.len);
	for (unsigned refuses = 0; refuses <= PROBES; refuses++)
		walk(r, other, refuses);
	cdict_reader_close(other);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
	cdict_schema_free(schema);
}

/* The cells of CPU 0 of a walk in one part, or in two that are cut at @cut_ns. */
static void walk_switches(struct cdict_reader *r, struct cdict_reader *other, uint64_t cut_ns,
			  struct analyze_switch_cell cells[BUCKETS])
{
	const struct analyze_switches_options opts = { .buckets = BUCKETS };
	struct analyze_parts parts = { .reader = other, .cut_ns = cut_ns };
	struct analyze_engine *eng, *later = NULL;
	struct analyze_switches *s;

	assert_int_equal(analyze_engine_new(&eng, NULL, NULL), 0);
	assert_int_equal(analyze_switches_new(&s, eng, &opts, NULL), 0);
	if (cut_ns) {
		assert_int_equal(digests_new(&parts.digests, other, 50, NULL), 0);
		assert_int_equal(digests_step(parts.digests, UINT64_MAX, NULL), 0);
		assert_int_equal(analyze_engine_begin_two(eng, r, &parts, &later, NULL), 0);
		assert_non_null(later);
		assert_int_equal(analyze_engine_run_later(later, NULL), 0);
	} else {
		assert_int_equal(analyze_engine_begin(eng, r, NULL), 0);
	}
	assert_int_equal(analyze_engine_step(eng, UINT64_MAX, NULL), 0);
	if (later) {
		assert_int_equal(analyze_engine_join(eng, later, NULL), 0);
		assert_true(analyze_engine_joined(eng));
	}
	for (uint32_t i = 0; i < BUCKETS; i++)
		cells[i] = *analyze_switches_at(s, 0, i);
	analyze_engine_free(later);
	analyze_engine_free(eng);
	analyze_switches_free(s);
	digests_free(parts.digests);
}

/* Busy, idle and unknown time is all time, also of the bucket that the cut is in. Another task than the last one that
 * was switched in leaves every 50th time: who ran since is unknown. */
static void each_part_adds_its_time_of_every_kind(void **state)
{
	struct analyze_switch_cell one[BUCKETS], two[BUCKETS];
	struct cdict_schema *schema = usual_schema();
	struct cdict_reader *r, *other;
	uint64_t unknown_ns = 0, all_ns = 0, switches = 0;
	struct file f;

	(void)state;
	file_begin(&f, schema);
	for (unsigned i = 0; i < SWITCHES; i++)
		file_switch(&f, schema, 0, 1000 + 10ull * i, i % 50 == 49 ? 9 : (int32_t)(i % 3),
			    (int32_t)((i + 1) % 3));
	file_end(&f);
	r = open_bytes(f.bytes.data, f.bytes.len);
	other = open_bytes(f.bytes.data, f.bytes.len);
	walk_switches(r, other, 0, one);
	for (uint64_t cut_ns = 2500; cut_ns < 5500; cut_ns += 490) {
		walk_switches(r, other, cut_ns, two);
		assert_memory_equal(one, two, sizeof(one));
	}
	for (uint32_t i = 0; i < BUCKETS; i++) {
		unknown_ns += one[i].unknown_ns;
		all_ns += one[i].busy_ns + one[i].idle_ns + one[i].unknown_ns;
		switches += one[i].switches;
	}
	assert_int_equal(switches, SWITCHES);
	assert_int_equal(all_ns, 10 * (SWITCHES - 1));
	assert_int_equal(unknown_ns, 10 * SWITCHES / 50);
	cdict_reader_close(other);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
	cdict_schema_free(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_part_adds_its_time_of_every_kind),
		cmocka_unit_test(parts_are_joined_if_all_analyses_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
