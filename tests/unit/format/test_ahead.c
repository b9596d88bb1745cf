/* SPDX-License-Identifier: GPL-2.0-only */
/* A walk that another thread does ahead gives the same as a walk without it; and the pool. */
#include "base/memory/pool.h"
#include "tests/unit/cdictfile.h"

#define EVENTS 40000u /* per CPU: enough to make the thread worthwhile */
#define CPUS 3u

static uint64_t dice_state = 7;

static unsigned dice(unsigned n)
{
	dice_state = dice_state * UINT64_C(6364136223846793005) + 1;
	return (unsigned)(dice_state >> 33) % n;
}

/* Events of all types and kinds of fields, times near and far, texts short and very long. */
static void make(struct buf *out, struct cdict_schema *schema)
{
	static char large[9000];
	uint64_t t_ns[CPUS] = { 1000, 500, 2000 };
	struct cdict_error err = { 0 };
	struct cdict_writer *w;
	struct payload p;

	memset(large, 'x', sizeof(large));
	assert_int_equal(cdict_writer_open(&w, to_buf, out, &err), 0);
	assert_int_equal(cdict_writer_schema(w, schema, &err), 0);
	for (unsigned i = 0; i < EVENTS; i++)
		for (unsigned cpu = 0; cpu < CPUS; cpu++) {
			struct cdict_sample s = { .cpu = cpu ? cpu : CDICT_CPU_UNKNOWN };

			t_ns[cpu] += dice(100) ? dice(70000) : dice(2) * 20000000000u;
			s.t_ns = t_ns[cpu];
			s.tid = (int32_t)dice(4) - 1;
			s.pid = (int32_t)dice(3);
			s.mode = (uint8_t)(dice(50) ? 1 : 4);
			payload_init(&p, schema, dice(3));
			payload_number(&p, "common_pid", (uint64_t)(int64_t)s.tid);
			if (p.type->index == ODD) {
				payload_number(&p, "small", 0 - (uint64_t)dice(3));
				payload_number(&p, "big", (uint64_t)dice(100) << 40);
				payload_bytes(&p, "mac", "\0\1\2\0\4\0", 6);
				payload_bytes(&p, "name", large, dice(1000) ? dice(40) : 3000);
				payload_bytes(&p, "list", large, 4 * dice(3));
			} else if (p.type->index == SWITCH) {
				payload_text(&p, "prev_comm", dice(2) ? "one" : "another");
				payload_number(&p, "next_pid", dice(9));
				payload_number(&p, "prev_state", 0 - (uint64_t)dice(2));
			}
			assert_int_equal(
				cdict_writer_event(w, &s, p.type->index, p.data, p.size, &err), 0);
		}
	assert_int_equal(cdict_writer_finish(w, &err), 0);
	cdict_writer_close(w);
}

/* The result of a walk, as one number, and its number of events. */
static uint64_t walk(const struct buf *file, struct cdict_query query, unsigned jobs, uint64_t *n,
		     struct cdict_damage *damage)
{
	struct cdict_error err = { 0 };
	struct cdict_reader *r;
	struct cdict_events *it;
	struct cdict_event ev;
	uint64_t sum = 1;
	int ret;

	query.jobs = jobs;
	assert_int_equal(cdict_reader_parse(&r, file->data, file->len, &err), 0);
	assert_int_equal(cdict_events_open(&it, r, &query, &err), 0);
	for (*n = 0; (ret = cdict_events_next(it, &ev, &err)) > 0; ++*n) {
		uint64_t parts[] = { ev.t_ns,          ev.cpu,  (uint64_t)ev.pid,
				     (uint64_t)ev.tid, ev.mode, ev.type->index };

		for (size_t i = 0; i < COUNT(parts); i++)
			sum = sum * 31 + parts[i];
		for (size_t i = 0; i < ev.type->n_fields; i++) {
			struct cdict_bytes b;

			if (query.fields && !(query.fields[ev.type->index][0] >> i & 1))
				continue;
			if (ev.type->fields[i].kind <= CDICT_FIELD_INT) {
				sum = sum * 31 + ev.values[i];
				continue;
			}
			b = cdict_event_bytes(&ev, i);
			sum = sum * 31 + b.len;
			for (size_t k = 0; k < b.len; k++)
				sum = sum * 31 + b.data[k];
		}
	}
	assert_int_equal(ret, 0);
	cdict_events_close(it);
	cdict_reader_damage(r, damage);
	cdict_reader_close(r);
	return sum;
}

static struct cdict_schema *schema;
static struct buf whole;

static void same(const struct buf *file, struct cdict_query query, uint64_t least)
{
	struct cdict_damage damage, again;
	uint64_t n, m, sum = walk(file, query, 1, &n, &damage);

	assert_true(n >= least);
	for (unsigned jobs = 2; jobs < 5; jobs++) {
		assert_true(walk(file, query, jobs, &m, &again) == sum);
		assert_true(n == m);
		assert_true(damage.events == again.events && damage.blocks == again.blocks);
		assert_string_equal(damage.first, again.first);
	}
}

static void every_event_is_the_same(void **state)
{
	(void)state;
	same(&whole, (struct cdict_query){ 0 }, EVENTS * CPUS);
}

static void a_selection_of_events_is_the_same(void **state)
{
	const uint64_t types[] = { 1u << SWITCH | 1u << ODD }, cpus[] = { 4 };
	const uint64_t few[] = { 1u << 5 | 1u << 8 }, none[] = { 0 };
	const uint64_t *const fields[] = { few, none, few };

	(void)state;
	same(&whole, (struct cdict_query){ .types = types, .n_types = 3 }, EVENTS);
	same(&whole, (struct cdict_query){ .cpus = cpus, .n_cpus = 3 }, EVENTS);
	same(&whole, (struct cdict_query){ .fields = fields, .n_fields = 3 }, EVENTS * CPUS);
	same(&whole, (struct cdict_query){ .from_ns = 100000000, .to_ns = 3000000000000 }, EVENTS);
}

struct lead {
	uint64_t from_ns, n, last_ns[CPUS];
};

static void on_lead(void *ctx, const struct cdict_event *ev)
{
	struct lead *l = ctx;
	uint32_t cpu = ev->cpu == CDICT_CPU_UNKNOWN ? 0 : ev->cpu;

	assert_true(ev->t_ns < l->from_ns && ev->t_ns >= l->last_ns[cpu]);
	l->last_ns[cpu] = ev->t_ns;
	l->n++;
}

/* Events of the blocks that do not end before @from_ns. */
static uint64_t events_of(uint64_t from_ns)
{
	struct cdict_reader *r;
	uint64_t n = 0;

	assert_int_equal(cdict_reader_parse(&r, whole.data, whole.len, NULL), 0);
	for (size_t i = 0; i < cdict_reader_block_count(r); i++)
		if (cdict_reader_block_at(r, i)->last_ns >= from_ns)
			n += cdict_reader_block_at(r, i)->events;
	cdict_reader_close(r);
	return n;
}

static void events_before_a_time_are_the_rest_of_the_blocks_read(void **state)
{
	uint64_t first_ns, last_ns, n, sum;
	struct cdict_damage damage;
	struct cdict_reader *r;

	(void)state;
	assert_int_equal(cdict_reader_parse(&r, whole.data, whole.len, NULL), 0);
	assert_int_equal(cdict_reader_window(r, &first_ns, &last_ns), 1);
	cdict_reader_close(r);
	for (unsigned i = 1; i < 6; i++) {
		struct cdict_query q = { .from_ns = first_ns + (last_ns - first_ns) / 6 * i };

		sum = walk(&whole, q, 1, &n, &damage);
		for (unsigned jobs = 1; jobs < 5; jobs++) {
			struct lead l = { .from_ns = q.from_ns };
			uint64_t m;

			q.lead = on_lead;
			q.lead_ctx = &l;
			q.size = 0; /* as a caller that does not know it */
			assert_true(walk(&whole, q, jobs, &m, &damage) == sum && !l.n);
			q.size = sizeof(q);
			assert_true(walk(&whole, q, jobs, &m, &damage) == sum && m == n);
			assert_true(l.n && l.n + n == events_of(q.from_ns));
		}
	}
}

static void damaged_files_give_the_same(void **state)
{
	struct buf copy = { 0 };

	(void)state;
	for (size_t i = 1; i < 12; i++) {
		copy.len = 0;
		buf_add(&copy, whole.data, whole.len);
		copy.data[whole.len / 12 * i] ^= 0x10;
		copy.data[whole.len / 24 * i + 100] ^= 0x10;
		same(&copy, (struct cdict_query){ 0 }, 0);
	}
	buf_fini(&copy);
}

static void a_walk_may_end_before_its_events(void **state)
{
	const struct cdict_query query = { .jobs = 2 };
	struct cdict_error err = { 0 };
	struct cdict_reader *r;
	struct cdict_events *it;
	struct cdict_event ev;

	(void)state;
	assert_int_equal(cdict_reader_parse(&r, whole.data, whole.len, &err), 0);
	for (unsigned n = 0; n < 20000; n = 3 * n + 1) {
		assert_int_equal(cdict_events_open(&it, r, &query, &err), 0);
		for (unsigned i = 0; i < n; i++)
			assert_int_equal(cdict_events_next(it, &ev, &err), 1);
		cdict_events_close(it);
	}
	cdict_reader_close(r);
}

struct add {
	struct pool_job job;
	unsigned n, times;
};

static void add(struct pool_job *job)
{
	struct add *a = (struct add *)(void *)job;

	for (unsigned i = 0; i < 1000; i++)
		a->n += i;
	a->times++;
}

static void a_pool_does_each_job_once(void **state)
{
	(void)state;
	for (unsigned jobs = 0; jobs < 5; jobs++) {
		struct pool *p = pool_new(jobs);
		struct add adds[100] = { 0 };

		assert_non_null(p);
		for (unsigned round = 1; round < 4; round++) {
			for (size_t i = 0; i < COUNT(adds); i++) {
				adds[i].job.run = add;
				pool_submit(p, &adds[i].job);
			}
			for (size_t i = COUNT(adds); i--;) {
				pool_wait(p, &adds[i].job);
				assert_int_equal(adds[i].times, round);
				assert_int_equal(adds[i].n, round * 499500);
			}
		}
		for (size_t i = 0; i < COUNT(adds); i++)
			pool_submit(p, &adds[i].job);
		pool_free(p); /* begun or forgotten */
		for (size_t i = 0; i < COUNT(adds); i++)
			assert_true(adds[i].times == 3 || adds[i].times == 4);
	}
	pool_free(NULL);
	assert_true(pool_cpus() >= 1);
}

static int setup(void **state)
{
	(void)state;
	schema = usual_schema();
	make(&whole, schema);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	buf_fini(&whole);
	cdict_schema_free(schema);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_is_the_same),
		cmocka_unit_test(a_selection_of_events_is_the_same),
		cmocka_unit_test(events_before_a_time_are_the_rest_of_the_blocks_read),
		cmocka_unit_test(damaged_files_give_the_same),
		cmocka_unit_test(a_walk_may_end_before_its_events),
		cmocka_unit_test(a_pool_does_each_job_once),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
