/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The DGST blocks of a file and the events after their cuts give the same answers as all events;
 * and whatever bytes are changed, a reader gives an answer or none, and does not crash.
 */
#include "analyze/walk/digest.h"
#include "cdict/digest.h"
#include "format/digest.h"
#include "format/file/writer.h"
#include "tests/unit/cdictfile.h"

enum { CPUS = 3, TASKS = 40, BLOCKS = 30, EVENTS = 120 };

struct latest {
	uint64_t out_ns, wake_ns, state;
	uint32_t wake_cpu;
};

struct event {
	uint64_t t_ns;
	bool is_switch;
	int32_t prev, next; /* or the task that is woken, and its CPU */
};

static struct event events[CPUS][BLOCKS][EVENTS];
static uint64_t dice_now;

static unsigned dice(unsigned n)
{
	dice_now = dice_now * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(dice_now >> 33) % n;
}

/* Ends the block and writes it. */
static void end_block(struct file *f, struct format_encoder *enc)
{
	struct buf payload = { 0 };
	struct format_block info;
	struct block_digest *digest;

	assert_int_equal(format_encoder_finish(enc, &payload, &info, &digest), 0);
	assert_non_null(digest);
	assert_int_equal(format_writer_put(f->w, payload.data, payload.len, &info, digest, NULL),
			 0);
	free(digest);
	buf_fini(&payload);
	format_encoder_free(enc);
}

static void put_block(struct file *f, const struct cdict_schema *schema, uint32_t cpu, unsigned b,
		      int32_t *cur)
{
	struct format_encoder *enc = format_encoder_new(schema);

	for (unsigned i = 0; i < EVENTS; i++) {
		struct event *ev = &events[cpu][b][i];
		struct cdict_sample s = { .cpu = cpu, .tid = *cur, .pid = *cur, .mode = 1 };
		struct payload p;

		/* Some tasks are busy, others rest for many blocks. */
		ev->next = (int32_t)(dice(20) ? 3 * cpu + 1 + dice(5) : 1 + dice(TASKS));
		ev->t_ns = s.t_ns = 1000 + (b * EVENTS + i) * 100 + dice(100);
		ev->is_switch = dice(3) != 0 && ev->next != *cur;
		ev->prev = *cur;
		payload_init(&p, schema, ev->is_switch ? SWITCH : WAKING);
		payload_number(&p, "common_pid", (uint64_t)*cur);
		if (ev->is_switch) {
			payload_number(&p, "prev_pid", (uint64_t)*cur);
			payload_number(&p, "prev_state", (uint64_t)i % 5);
			payload_number(&p, "next_pid", (uint64_t)ev->next);
			payload_text(&p, "next_comm", "a task");
			*cur = ev->next;
		} else {
			ev->prev = (int32_t)dice(CPUS);
			payload_number(&p, "pid", (uint64_t)ev->next);
			payload_number(&p, "target_cpu", (uint64_t)ev->prev);
		}
		assert_int_equal(format_encoder_add(enc, &s, p.type->index, p.data, p.size), 0);
	}
	end_block(f, enc);
}

static void make_file(struct file *f, const struct cdict_schema *schema, uint32_t millionths)
{
	int32_t cur[CPUS] = { 1, 2, 3 };

	dice_now = 1;
	file_begin(f, schema);
	format_writer_digests(f->w, millionths);
	for (unsigned b = 0; b < BLOCKS; b++)
		for (uint32_t cpu = 0; cpu < CPUS; cpu++)
			put_block(f, schema, cpu, b, &cur[cpu]);
	file_end(f);
}

/* The same, but with a copy after each block: @views[n] is the file as it looks with n blocks. */
static void make_looked_at(struct file *f, const struct cdict_schema *schema, struct buf *views)
{
	int32_t cur[CPUS] = { 1, 2, 3 };

	dice_now = 1;
	file_begin(f, schema);
	format_writer_digests(f->w, 1000000);
	for (unsigned b = 0; b < BLOCKS; b++)
		for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
			struct buf *view = &views[b * CPUS + cpu + 1];

			put_block(f, schema, cpu, b, &cur[cpu]);
			buf_add(view, f->bytes.data, f->bytes.len);
			assert_int_equal(format_writer_view(f->w, "a key", "a value", view), 0);
		}
	file_end(f);
}

/* A file that ends with block @n has these digests. */
static void check_view(const struct cdict_schema *schema, const struct buf *view, unsigned n)
{
	int32_t cur[CPUS] = { 1, 2, 3 };
	struct cdict_digests *a, *b;
	struct cdict_reader *seen, *whole;
	struct file f;

	dice_now = 1;
	file_begin(&f, schema);
	format_writer_digests(f.w, 1000000);
	for (unsigned i = 0; i < n; i++)
		put_block(&f, schema, i % CPUS, i / CPUS, &cur[i % CPUS]);
	file_end(&f);
	assert_int_equal(cdict_reader_parse(&seen, view->data, view->len, NULL), 0);
	assert_int_equal(cdict_reader_parse(&whole, f.bytes.data, f.bytes.len, NULL), 0);
	assert_string_equal(cdict_reader_info(seen, "a key"), "a value");
	assert_int_equal(cdict_reader_digests(seen, &a, NULL), 0);
	assert_int_equal(cdict_reader_digests(whole, &b, NULL), 0);
	assert_true(!a == !b);
	assert_true(a || n <= CPUS); /* the first cut is before a CPU's second block */
	if (a) {
		assert_int_equal(a->n_cuts, b->n_cuts);
		assert_int_equal(a->n_tasks, b->n_tasks);
		for (size_t c = 0; c < a->n_cuts; c++) {
			assert_int_equal(a->cuts[c].n_rows, b->cuts[c].n_rows);
			assert_int_equal(a->cuts[c].block, b->cuts[c].block);
			assert_int_equal(a->cuts[c].missing, b->cuts[c].missing);
			assert_int_equal(a->cuts[c].cur, b->cuts[c].cur);
			for (size_t i = 0; i < a->cuts[c].n_rows; i++)
				assert_int_equal(a->cuts[c].rows[i].tid, b->cuts[c].rows[i].tid);
		}
	}
	cdict_digests_free(a);
	cdict_digests_free(b);
	cdict_reader_close(seen);
	cdict_reader_close(whole);
	buf_fini(&f.bytes);
}

static void a_reader_of_a_growing_file_sees_what_its_end_would_contain(void **state)
{
	static struct buf views[CPUS * BLOCKS + 1];
	struct cdict_schema *schema = usual_schema();
	struct file f, alone;

	(void)state;
	make_looked_at(&f, schema, views);
	make_file(&alone, schema, 1000000);
	/* and leaves no trace */
	assert_int_equal(f.bytes.len, alone.bytes.len);
	assert_memory_equal(f.bytes.data, alone.bytes.data, f.bytes.len);
	for (unsigned n = 1; n <= CPUS * BLOCKS; n++) {
		check_view(schema, &views[n], n);
		buf_fini(&views[n]);
	}
	buf_fini(&f.bytes);
	buf_fini(&alone.bytes);
	cdict_schema_free(schema);
}

static void fold(struct latest *l, const struct event *ev, unsigned i)
{
	if (ev->is_switch) {
		l[ev->prev].out_ns = ev->t_ns;
		l[ev->prev].state = i % 5;
	} else {
		l[ev->next].wake_ns = ev->t_ns;
		l[ev->next].wake_cpu = (uint32_t)ev->prev;
	}
}

/* Rows of the cuts of @cpu up to @at, then the next block. */
static void by_digests(struct latest *l, const struct cdict_digests *d, uint32_t cpu, size_t at)
{
	for (size_t c = 0; c <= at; c++)
		for (size_t i = 0; i < d->cuts[c].n_rows && d->cuts[c].cpu == cpu; i++) {
			const struct cdict_digest_row *row = &d->cuts[c].rows[i];

			assert_in_range(row->tid, 1, TASKS);
			if (row->out_ns[0] != CDICT_NEVER) {
				l[row->tid].out_ns = row->out_ns[0];
				l[row->tid].state = row->prev_state;
			}
			if (row->wake_ns[0] != CDICT_NEVER) {
				l[row->tid].wake_ns = row->wake_ns[0];
				l[row->tid].wake_cpu = row->wake_cpu;
			}
		}
	for (unsigned i = 0; i < EVENTS; i++)
		fold(l, &events[cpu][d->cuts[at].block / CPUS + 1][i], i);
}

static void rows_and_the_next_block_give_the_same_as_all_events(void **state)
{
	struct cdict_schema *schema = usual_schema();
	struct cdict_digests *d;
	struct cdict_reader *r;
	struct file f;
	size_t rows = 0, cuts = 0;

	(void)state;
	make_file(&f, schema, 1000000);
	assert_int_equal(cdict_reader_parse(&r, f.bytes.data, f.bytes.len, NULL), 0);
	assert_int_equal(cdict_reader_digests(r, &d, NULL), 0);
	assert_non_null(d);
	assert_false(d->wakeup_counts);
	assert_int_equal(d->n_tasks, TASKS); /* no IDLE */
	for (size_t c = 0; c < d->n_cuts; c++) {
		const struct cdict_digest_cut *cut = &d->cuts[c];
		struct latest digested[TASKS + 1] = { 0 }, right[TASKS + 1] = { 0 };

		rows += cut->n_rows;
		cuts += !cut->last;
		assert_true(cut->switched);
		assert_int_equal(cut->missing, 0);
		if (cut->last)
			continue;
		for (unsigned b = 0; b <= cut->block / CPUS + 1; b++)
			for (unsigned i = 0; i < EVENTS; i++)
				fold(right, &events[cut->cpu][b][i], i);
		by_digests(digested, d, cut->cpu, c);
		for (int tid = 1; tid <= TASKS; tid++) {
			assert_int_equal(digested[tid].out_ns, right[tid].out_ns);
			assert_int_equal(digested[tid].state, right[tid].state);
			/* A wake-up before the switch-out has ended. */
			if (right[tid].wake_ns < right[tid].out_ns)
				continue;
			assert_int_equal(digested[tid].wake_ns, right[tid].wake_ns);
			assert_int_equal(digested[tid].wake_cpu, right[tid].wake_cpu);
		}
	}
	assert_int_equal(cuts, CPUS * (BLOCKS - 1));
	assert_in_range(rows, cuts, cuts * TASKS / 2);
	cdict_digests_free(d);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
	cdict_schema_free(schema);
}

static uint64_t dgst_bytes(const struct file *f, uint64_t *events_bytes)
{
	uint64_t sum = 0;

	*events_bytes = 0;
	for (size_t at = FORMAT_HEADER_SIZE; at + FORMAT_TRAILER_SIZE < f->bytes.len;) {
		uint32_t size = le32(f->bytes.data + at + 8) + FORMAT_BLOCK_HEADER_SIZE;

		if (le32(f->bytes.data + at + 4) == FORMAT_DIGEST)
			sum += size;
		if (le32(f->bytes.data + at + 4) == FORMAT_EVENTS)
			*events_bytes += size;
		at += size;
	}
	return sum;
}

static void digests_stay_within_their_budget(void **state)
{
	static const uint32_t budgets[] = { 0, 20000, 60000, 150000, 1000000 };
	struct cdict_schema *schema = usual_schema();
	uint64_t before = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(budgets); i++) {
		uint64_t of_events, bytes;
		struct file f;

		make_file(&f, schema, budgets[i]);
		bytes = dgst_bytes(&f, &of_events);
		assert_in_range(bytes, before,
				of_events * (budgets[i] ? budgets[i] : 18000) / 1000000);
		before = bytes;
		buf_fini(&f.bytes);
	}
	assert_true(before);
	cdict_schema_free(schema);
}

/* Each byte of each DGST block is changed, with a corrected check sum. */
static void changed_bytes_do_no_harm(void **state)
{
	struct cdict_schema *schema = usual_schema();
	uint64_t sum = 0, none = 0;
	struct file f;

	(void)state;
	make_file(&f, schema, 1000000);
	for (size_t at = FORMAT_HEADER_SIZE, size; at + FORMAT_TRAILER_SIZE < f.bytes.len;
	     at += size) {
		uint8_t *p = f.bytes.data + at;

		size = le32(p + 8) + FORMAT_BLOCK_HEADER_SIZE;
		for (size_t i = FORMAT_BLOCK_HEADER_SIZE; i < size && le32(p + 4) == FORMAT_DIGEST;
		     i++) {
			struct cdict_digests *d;
			struct cdict_reader *r;
			uint8_t was = p[i];

			p[i] ^= (uint8_t)(1 << dice(8));
			store_scalar(p + 16,
				     codec_crc(p + FORMAT_BLOCK_HEADER_SIZE,
					       size - FORMAT_BLOCK_HEADER_SIZE),
				     4, false);
			store_scalar(p + 20, codec_crc(p, 20), 4, false);
			assert_int_equal(cdict_reader_parse(&r, f.bytes.data, f.bytes.len, NULL),
					 0);
			assert_int_equal(cdict_reader_digests(r, &d, NULL), 0);
			none += !d;
			for (size_t c = 0; d && c < d->n_cuts; c++)
				for (size_t k = 0; k < d->cuts[c].n_rows; k++)
					sum += d->cuts[c].rows[k].out_ns[0];
			cdict_digests_free(d);
			cdict_reader_close(r);
			p[i] = was;
			store_scalar(p + 16,
				     codec_crc(p + FORMAT_BLOCK_HEADER_SIZE,
					       size - FORMAT_BLOCK_HEADER_SIZE),
				     4, false);
			store_scalar(p + 20, codec_crc(p, 20), 4, false);
		}
	}
	assert_true(none && sum);
	buf_fini(&f.bytes);
	cdict_schema_free(schema);
}

/* ---- tasks that die ---- */

enum { LIVES = 8, BACK = 100 + LIVES };

#define MS 1000000ull

static void put_switch(struct format_encoder *enc, const struct cdict_schema *schema, uint64_t t_ns,
		       uint32_t cpu, int32_t prev, uint64_t state, int32_t next)
{
	struct cdict_sample s = { .t_ns = t_ns, .cpu = cpu, .tid = prev, .pid = prev, .mode = 1 };
	struct payload p;

	payload_init(&p, schema, SWITCH);
	payload_number(&p, "common_pid", (uint64_t)prev);
	payload_number(&p, "prev_pid", (uint64_t)prev);
	payload_text(&p, "prev_comm", "a task");
	payload_number(&p, "prev_state", state);
	payload_number(&p, "next_pid", (uint64_t)next);
	payload_text(&p, "next_comm", "a task");
	assert_int_equal(format_encoder_add(enc, &s, p.type->index, p.data, p.size), 0);
}

static void put_record(struct file *f, enum cdict_task_what what, int32_t tid, uint64_t t_ns)
{
	const struct cdict_task_event ev = {
		.t_ns = t_ns, .what = what, .pid = tid, .tid = tid, .comm = "a task"
	};

	assert_int_equal(cdict_writer_task(f->w, &ev, NULL), 0);
}

static uint64_t born(int i)
{
	return (uint64_t)(i + 1) * 40 * MS;
}

/* Every 40 ms a task 100 + i is born on CPU 0, sleeps, goes on on CPU 1, dies there, 10 ms old; of
 * every second one it is recorded.  @back: a tid lives twice. */
static void make_lives(struct file *f, const struct cdict_schema *schema, bool back)
{
	int32_t cur[2] = { 1, 2 };

	file_begin(f, schema);
	format_writer_digests(f->w, 1000000);
	for (int i = 0; i < LIVES; i += 2) { /* not in order */
		put_record(f, CDICT_TASK_EXIT, 100 + i, born(i) + 9 * MS);
		put_record(f, CDICT_TASK_FORK, 100 + i, born(i) - MS);
		put_record(f, CDICT_TASK_COMM, 100 + i, born(i) - MS / 2);
	}
	for (int i = 0; i <= LIVES; i++)
		for (uint32_t cpu = 0; cpu < 2; cpu++) {
			struct format_encoder *enc = format_encoder_new(schema);
			uint64_t t_ns = born(i) + cpu * 8 * MS;
			int32_t tid = i < LIVES ? 100 + i
				      : back    ? 100
						: BACK,
				busy = (int32_t)cpu + 1;

			put_switch(enc, schema, t_ns, cpu, cur[cpu], 0, tid);
			put_switch(enc, schema, t_ns + MS, cpu, tid, cpu ? 0x20 : 1, busy);
			put_switch(enc, schema, t_ns + 3 * MS, cpu, busy, 1, 3 + busy);
			put_switch(enc, schema, t_ns + 20 * MS, cpu, 3 + busy, 1, busy);
			cur[cpu] = busy;
			end_block(f, enc);
		}
	file_end(f);
}

static void of_tasks_that_ended_only_the_time_is_kept(void **state)
{
	struct cdict_schema *schema = usual_schema();
	struct cdict_digests *d;
	struct cdict_reader *r;
	struct file f;
	unsigned dead = 0;

	(void)state;
	make_lives(&f, schema, false);
	assert_int_equal(cdict_reader_parse(&r, f.bytes.data, f.bytes.len, NULL), 0);
	assert_int_equal(cdict_reader_digests(r, &d, NULL), 0);
	assert_non_null(d);
	assert_int_equal(d->n_lives, LIVES / 2);
	for (int i = 0; i < LIVES / 2; i++) {
		assert_int_equal(d->lives[i].tid, 100 + 2 * i);
		assert_int_equal(d->lives[i].born_ns, born(2 * i) - MS);
		/* A little later than it was. */
		assert_in_range(d->lives[i].died_ns, born(2 * i) + 9 * MS, born(2 * i) + 12 * MS);
	}
	for (size_t i = 0; i < d->n_tasks; i++) {
		const struct cdict_digest_task *t = &d->tasks[i];

		if (t->tid < 100 || t->tid == BACK) {
			assert_true(t->died_ns == CDICT_NEVER || t->tid == BACK);
			continue;
		}
		assert_true(t->tid % 2);
		assert_in_range(t->died_ns, born(t->tid - 100) + 9 * MS,
				born(t->tid - 100) + 11 * MS);
		dead++;
	}
	assert_int_equal(dead, LIVES / 2);
	for (size_t c = 0; c < d->n_cuts; c++)
		for (size_t i = 0; i < d->cuts[c].n_rows; i++)
			assert_in_range(d->cuts[c].rows[i].tid, 1, 5);
	cdict_digests_free(d);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
	cdict_schema_free(schema);
}

/* Another task has the same tid, and rows of the first are left out: no end is reported at all. */
static void a_task_that_comes_back_had_not_ended(void **state)
{
	struct cdict_schema *schema = usual_schema();
	struct cdict_digests *d;
	struct cdict_reader *r;
	struct file f;

	(void)state;
	make_lives(&f, schema, true);
	assert_int_equal(cdict_reader_parse(&r, f.bytes.data, f.bytes.len, NULL), 0);
	assert_int_equal(cdict_reader_digests(r, &d, NULL), 0);
	assert_null(d);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
	cdict_schema_free(schema);
}

/* The first switch of @cpu in (after_ns, to_ns), by the events themselves. */
static struct digest_switch next_of(uint32_t cpu, uint64_t after_ns, uint64_t to_ns)
{
	for (unsigned b = 0; b < BLOCKS; b++)
		for (unsigned i = 0; i < EVENTS; i++) {
			const struct event *ev = &events[cpu][b][i];

			if (ev->is_switch && ev->t_ns > after_ns && ev->t_ns < to_ns)
				return (struct digest_switch){ ev->t_ns, ev->prev };
		}
	return (struct digest_switch){ .t_ns = ANALYZE_NO_TIME };
}

/* Asked again, of another CPU at the same time, and up to a time before and after it. */
static void the_next_switch_is_the_same_when_it_is_asked_again(void **state)
{
	struct cdict_schema *schema = usual_schema();
	struct digests *d;
	struct cdict_reader *r;
	struct file f;

	(void)state;
	make_file(&f, schema, 1000000);
	assert_int_equal(cdict_reader_parse(&r, f.bytes.data, f.bytes.len, NULL), 0);
	assert_int_equal(digests_new(&d, r, 0, NULL), 0);
	assert_non_null(d);
	for (unsigned i = 0; i < 3000; i++) {
		uint64_t after = 1000 + dice(40) * 9000, to = after + (dice(3) ? 200 : 20000);
		uint32_t cpu = dice(CPUS);
		struct digest_switch right = next_of(cpu, after, to), next;

		assert_int_equal(digests_next_switch(d, cpu, after, to, &next, NULL), 0);
		assert_true(next.t_ns == right.t_ns);
		if (right.t_ns != ANALYZE_NO_TIME)
			assert_int_equal(next.prev, right.prev);
	}
	digests_free(d);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
	cdict_schema_free(schema);
}

/* 900 tasks run in the first block, and in the second one, but not at its beginning. Where there
 * is no room for their rows, these rest on the whole second block, and are few. */
static void rows_rest_on_the_first_512_events_of_the_next_block(void **state)
{
	static const struct {
		uint32_t millionths;
		uint64_t events;
	} cases[] = { { 1000000, 512 }, { 100000, 24576 } };
	struct cdict_schema *schema = usual_schema();

	(void)state;
	for (size_t c = 0; c < COUNT(cases); c++) {
		struct cdict_digests *d;
		struct cdict_reader *r;
		struct file f;
		unsigned cuts = 0;

		file_begin(&f, schema);
		format_writer_digests(f.w, cases[c].millionths);
		dice_now = 7;
		for (unsigned i = 0, next = 1, prev; i < 6 * 24576; i++) {
			prev = next;
			next = 1 + dice(i < 20000 || (i > 28000 && i < 48000) ? 900 : 9);
			file_switch(&f, schema, 0, 1000 + 10ull * i, (int32_t)prev, (int32_t)next);
		}
		file_end(&f);
		r = open_bytes(f.bytes.data, f.bytes.len);
		assert_whole(r);
		assert_int_equal(cdict_reader_digests(r, &d, NULL), 0);
		for (size_t i = 0; i < d->n_cuts; i++) {
			const struct cdict_digest_cut *cut = &d->cuts[i];
			uint64_t end = cdict_reader_block_at(r, cut->block)->last_ns;

			if (cut->last)
				continue;
			cuts++;
			if (cuts > 1)
				continue;
			assert_int_equal(cut->ahead_ns - end, 10 * cases[c].events);
			assert_true(cut->n_rows > 800 || cases[c].events == 24576);
		}
		assert_in_range(cuts, 1, 5);
		cdict_digests_free(d);
		cdict_reader_close(r);
		buf_fini(&f.bytes);
	}
	cdict_schema_free(schema);
}

/* A block of two switches. */
static void put_pair(struct file *f, const struct cdict_schema *schema, uint32_t cpu, uint64_t t_ns,
		     int32_t first, int32_t second, int32_t third)
{
	struct format_encoder *enc = format_encoder_new(schema);

	put_switch(enc, schema, t_ns, cpu, first, 1, second);
	put_switch(enc, schema, t_ns + 10, cpu, second, 1, third);
	end_block(f, enc);
}

/* Task 7 ran on CPU 1, whose block is written last; those of CPU 0 mention it later, without its
 * process. */
static void facts_about_a_task_from_an_earlier_time_are_kept(void **state)
{
	struct cdict_schema *schema = usual_schema();
	struct cdict_digests *d;
	struct cdict_reader *r;
	struct file f;
	unsigned found = 0;

	(void)state;
	file_begin(&f, schema);
	format_writer_digests(f.w, 1000000);
	for (uint64_t t_ns = 2000; t_ns < 12000; t_ns += 1000)
		put_pair(&f, schema, 0, t_ns, 1, 2, t_ns == 11000 ? 7 : 1);
	put_pair(&f, schema, 1, 1000, 7, 6, 5);
	file_end(&f);
	r = open_bytes(f.bytes.data, f.bytes.len);
	assert_whole(r);
	assert_int_equal(cdict_reader_digests(r, &d, NULL), 0);
	assert_non_null(d);
	for (size_t i = 0; i < d->n_tasks; i++)
		if (d->tasks[i].tid == 7) {
			found++;
			assert_int_equal(d->tasks[i].pid, 7);
		}
	assert_int_equal(found, 1);
	cdict_digests_free(d);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
	cdict_schema_free(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_and_the_next_block_give_the_same_as_all_events),
		cmocka_unit_test(digests_stay_within_their_budget),
		cmocka_unit_test(a_reader_of_a_growing_file_sees_what_its_end_would_contain),
		cmocka_unit_test(changed_bytes_do_no_harm),
		cmocka_unit_test(of_tasks_that_ended_only_the_time_is_kept),
		cmocka_unit_test(a_task_that_comes_back_had_not_ended),
		cmocka_unit_test(the_next_switch_is_the_same_when_it_is_asked_again),
		cmocka_unit_test(rows_rest_on_the_first_512_events_of_the_next_block),
		cmocka_unit_test(facts_about_a_task_from_an_earlier_time_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
