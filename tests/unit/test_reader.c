/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening a cdict: what it says of itself, versions, damage and what it costs. */
#include <unistd.h>

#include "tests/unit/cdictfile.h"

/* Twelve blocks of events over three CPUs, with everything else a file may hold. */
static void make_file(struct file *f, struct cdict_schema *schema)
{
	static const struct cdict_task_event tasks[] = {
		{ 0, CDICT_TASK_COMM, 1, 1, 0, 0, "init" },
		{ 0, CDICT_TASK_EXEC, 7, 7, 0, 0, "</script>\"\n" },
		{ 5, CDICT_TASK_FORK, 8, 9, 7, 8, NULL },
		{ 6, CDICT_TASK_COMM, 8, 9, 0, 0, "init" },
		{ 3, CDICT_TASK_FORK, INT32_MAX, INT32_MIN, INT32_MIN, INT32_MAX, NULL },
		{ UINT64_MAX, CDICT_TASK_EXIT, -1, -1, -1, -1, NULL },
		{ 0, CDICT_TASK_COMM, 0, 0, 0, 0, "" },
	};
	static const struct cdict_loss losses[] = {
		{ CDICT_LOSS_RING, 0, CDICT_TYPE_ANY, 100, 200, 12 },
		{ CDICT_LOSS_SAMPLES, CDICT_CPU_UNKNOWN, 2, 0, UINT64_MAX, UINT64_MAX },
		{ CDICT_LOSS_THROTTLE, 4000, 0, 7, 7, 0 },
		{ CDICT_LOSS_DISORDER, 1, CDICT_TYPE_ANY, 1, 2, 3 },
		{ CDICT_LOSS_DAMAGE, 2, CDICT_TYPE_ANY, UINT64_MAX, UINT64_MAX, 1 },
	};
	static const struct cdict_late late[] = { { 3, 1000, 2000 }, { 0, 0, UINT64_MAX } };

	file_begin(f, schema);
	assert_int_equal(cdict_writer_info(f->w, "host.name", "first", NULL), 0);
	assert_int_equal(cdict_writer_info(f->w, "other", "", NULL), 0);
	assert_int_equal(cdict_writer_info(f->w, "host.name", "second", NULL), 0);
	for (size_t i = 0; i < COUNT(tasks); i++)
		assert_int_equal(cdict_writer_task(f->w, &tasks[i], NULL), 0);
	for (size_t i = 0; i < COUNT(losses); i++)
		assert_int_equal(cdict_writer_loss(f->w, &losses[i], NULL), 0);
	for (size_t i = 0; i < COUNT(late); i++)
		assert_int_equal(cdict_writer_late(f->w, &late[i], NULL), 0);
	/* A time that goes back ends a block: four a CPU, none overlaps another. */
	for (uint64_t round = 0; round < 4; round++)
		for (uint32_t cpu = 0; cpu < 3; cpu++)
			for (uint64_t i = 0; i < 20 + cpu; i++)
				file_switch(f, schema, cpu,
					    1000040000 - 10000 * round + 100 * i + 7 * cpu,
					    (int32_t)(i % 4), (int32_t)((i + 1) % 4));
	assert_int_equal(cdict_writer_unstored(f->w, "cycles:u", 12345678901, NULL), 0);
	assert_int_equal(cdict_writer_unstored(f->w, "PERF_RECORD_MMAP2", 1, NULL), 0);
	file_end(f);
}

static struct cdict_schema *schema;
static struct file whole;

static int setup(void **state)
{
	(void)state;
	schema = usual_schema();
	make_file(&whole, schema);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	buf_fini(&whole.bytes);
	cdict_schema_free(schema);
	return 0;
}

/* --- what is not an event */

static void what_a_capture_says_of_itself_is_read_back(void **state)
{
	struct cdict_reader *r = open_bytes(whole.bytes.data, whole.bytes.len);
	const struct cdict_task_event *t;
	const struct cdict_loss *l;
	const char *key, *value;

	(void)state;
	assert_whole(r);
	assert_int_equal(cdict_reader_size(r), whole.bytes.len);
	assert_int_equal(cdict_reader_info_count(r), 2);
	cdict_reader_info_at(r, 0, &key, &value);
	assert_string_equal(key, "host.name");
	assert_string_equal(value, "second");
	assert_string_equal(cdict_reader_info(r, "other"), "");
	assert_null(cdict_reader_info(r, "host"));

	assert_int_equal(cdict_reader_task_count(r), 7);
	t = cdict_reader_task_at(r, 1);
	assert_int_equal(t->what, CDICT_TASK_EXEC);
	assert_string_equal(t->comm, "</script>\"\n");
	t = cdict_reader_task_at(r, 3);
	assert_string_equal(t->comm, "init");
	assert_int_equal(t->pid, 8);
	assert_int_equal(t->tid, 9);
	assert_int_equal(t->t_ns, 6);
	t = cdict_reader_task_at(r, 4);
	assert_int_equal(t->what, CDICT_TASK_FORK);
	assert_int_equal(t->pid, INT32_MAX);
	assert_int_equal(t->tid, INT32_MIN);
	assert_int_equal(t->ppid, INT32_MIN);
	assert_int_equal(t->ptid, INT32_MAX);
	assert_null(t->comm);
	t = cdict_reader_task_at(r, 5);
	assert_true(t->t_ns == UINT64_MAX);
	assert_int_equal(t->what, CDICT_TASK_EXIT);
	assert_string_equal(cdict_reader_task_at(r, 6)->comm, "");

	assert_int_equal(cdict_reader_loss_count(r), 5);
	l = cdict_reader_loss_at(r, 1);
	assert_int_equal(l->what, CDICT_LOSS_SAMPLES);
	assert_int_equal(l->cpu, CDICT_CPU_UNKNOWN);
	assert_int_equal(l->type, 2);
	assert_true(l->to_ns == UINT64_MAX && l->count == UINT64_MAX);
	assert_true(cdict_reader_loss_at(r, 4)->from_ns == UINT64_MAX);
	assert_int_equal(cdict_reader_late_count(r), 2);
	assert_int_equal(cdict_reader_late_at(r, 0)->after_ns, 2000);
	assert_true(cdict_reader_late_at(r, 1)->after_ns == UINT64_MAX);

	assert_int_equal(cdict_reader_unstored_count(r), 2);
	assert_string_equal(cdict_reader_unstored_at(r, 0)->name, "cycles:u");
	assert_int_equal(cdict_reader_unstored_at(r, 0)->count, 12345678901);
	cdict_reader_close(r);
}

static void ten_thousand_tasks_take_several_blocks(void **state)
{
	struct cdict_reader *r;
	struct block_at blocks[16];
	struct file f;
	char comm[16];

	(void)state;
	file_begin(&f, NULL);
	for (int32_t i = 0; i < 20000; i++) {
		struct cdict_task_event ev = { (uint64_t)i, CDICT_TASK_COMM, i / 3, i, 0, 0, comm };

		snprintf(comm, sizeof(comm), "worker-%d", i % 100);
		assert_int_equal(cdict_writer_task(f.w, &ev, NULL), 0);
	}
	file_end(&f);
	assert_int_equal(find_blocks(&f.bytes, blocks, COUNT(blocks)), 4); /* 3 and the index */
	r = open_bytes(f.bytes.data, f.bytes.len);
	assert_whole(r);
	assert_int_equal(cdict_reader_task_count(r), 20000);
	for (int32_t i = 0; i < 20000; i++) {
		const struct cdict_task_event *t = cdict_reader_task_at(r, (size_t)i);

		snprintf(comm, sizeof(comm), "worker-%d", i % 100);
		assert_string_equal(t->comm, comm);
		assert_int_equal(t->tid, i);
		assert_int_equal(t->pid, i / 3);
	}
	cdict_reader_close(r);
	buf_fini(&f.bytes);
}

static void types_are_read_back_as_they_were_added(void **state)
{
	struct cdict_reader *r = open_bytes(whole.bytes.data, whole.bytes.len);
	const struct cdict_schema *back = cdict_reader_schema(r);

	(void)state;
	assert_int_equal(cdict_schema_count(back), cdict_schema_count(schema));
	for (size_t i = 0; i < cdict_schema_count(schema); i++) {
		const struct cdict_event_type *a = cdict_schema_at(schema, i);
		const struct cdict_event_type *b = cdict_schema_at(back, i);

		assert_string_equal(a->name, b->name);
		assert_string_equal(a->system, b->system);
		assert_string_equal(a->event, b->event);
		assert_string_equal(a->format, b->format);
		assert_int_equal(a->tracepoint, b->tracepoint);
		assert_int_equal(a->payload_size, b->payload_size);
		assert_int_equal(a->n_fields, b->n_fields);
		for (size_t f = 0; f < a->n_fields; f++) {
			assert_string_equal(a->fields[f].name, b->fields[f].name);
			assert_int_equal(a->fields[f].offset, b->fields[f].offset);
			assert_int_equal(a->fields[f].size, b->fields[f].size);
			assert_int_equal(a->fields[f].kind, b->fields[f].kind);
			assert_int_equal(a->fields[f].is_text, b->fields[f].is_text);
			assert_memory_equal(&a->fields[f].model, &b->fields[f].model,
					    sizeof(a->fields[f].model));
		}
		assert_ptr_equal(cdict_schema_find(back, a->name), b);
	}
	assert_null(cdict_schema_find(back, "sched:sched"));
	cdict_reader_close(r);
}

static void a_file_and_a_pipe_read_like_memory(void **state)
{
	char path[] = "/tmp/cdict-test-XXXXXX";
	struct buf a = { 0 }, b = { 0 };
	struct cdict_error err = { 0 };
	struct cdict_reader *r = open_bytes(whole.bytes.data, whole.bytes.len);
	int fd = mkstemp(path), ends[2], in = dup(STDIN_FILENO);

	(void)state;
	dump_all(r, &a);
	cdict_reader_close(r);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, whole.bytes.data, whole.bytes.len), whole.bytes.len);
	close(fd);
	assert_int_equal(cdict_reader_open(&r, path, &err), 0);
	assert_whole(r);
	dump_all(r, &b);
	cdict_reader_close(r);
	unlink(path);
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.data, b.data, a.len);

	assert_int_equal(pipe(ends), 0);
	assert_true(whole.bytes.len < 65536); /* what a pipe holds */
	assert_int_equal(write(ends[1], whole.bytes.data, whole.bytes.len), whole.bytes.len);
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	assert_int_equal(cdict_reader_open(&r, "-", &err), 0);
	dup2(in, STDIN_FILENO);
	close(in);
	b.len = 0;
	dump_all(r, &b);
	cdict_reader_close(r);
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.data, b.data, a.len);
	buf_fini(&a);
	buf_fini(&b);

	assert_true(cdict_reader_open(&r, "/nonexistent/x.cdict", &err) < 0);
	assert_null(r);
	assert_true(cdict_reader_open(&r, "/tmp", &err) < 0);
}

/* --- versions and kinds of file */

static void what_is_no_cdict_is_refused(void **state)
{
	uint8_t head[FORMAT_HEADER_SIZE];
	struct cdict_error err = { 0 };
	struct cdict_reader *r;

	(void)state;
	for (size_t n = 0; n < FORMAT_HEADER_SIZE; n++)
		assert_int_equal(cdict_reader_parse(&r, whole.bytes.data, n, &err), CDICT_EFORMAT);
	assert_int_equal(cdict_reader_parse(&r, "PERFILE2PERFILE2PERFILE2", 24, &err),
			 CDICT_EFORMAT);
	assert_non_null(strstr(err.text, "cdict convert"));
	for (size_t i = 0; i < FORMAT_HEADER_SIZE; i++) {
		memcpy(head, whole.bytes.data, sizeof(head));
		head[i] ^= 4;
		assert_int_equal(cdict_reader_parse(&r, head, sizeof(head), &err),
				 i < FORMAT_MAGIC_SIZE ? CDICT_EFORMAT : CDICT_ECORRUPT);
		assert_null(r);
	}
}

static uint8_t *with_version(unsigned major, unsigned minor)
{
	uint8_t *copy = malloc(whole.bytes.len);

	assert_non_null(copy);
	memcpy(copy, whole.bytes.data, whole.bytes.len);
	store_scalar(copy + 8, major, 2, false);
	store_scalar(copy + 10, minor, 2, false);
	store_scalar(copy + 12, codec_crc(copy, 12), 4, false);
	return copy;
}

static void a_newer_major_version_is_refused_and_a_newer_minor_is_read(void **state)
{
	static const struct {
		unsigned major, minor;
		int ret;
	} cases[] = {
		{ 0, 0, CDICT_EVERSION },
		{ FORMAT_MAJOR, 0, 0 },
		{ FORMAT_MAJOR, 1, 0 },
		{ FORMAT_MAJOR, 65535, 0 },
		{ FORMAT_MAJOR + 1, 0, CDICT_EVERSION },
		{ 65535, 0, CDICT_EVERSION },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint8_t *copy = with_version(cases[i].major, cases[i].minor);
		struct cdict_error err = { 0 };
		struct cdict_reader *r;

		assert_int_equal(cdict_reader_parse(&r, copy, whole.bytes.len, &err), cases[i].ret);
		if (!cases[i].ret)
			assert_whole(r);
		else
			assert_non_null(strstr(err.text, "version"));
		cdict_reader_close(r);
		free(copy);
	}
}

/* The file with block @k's type made one that nobody knows. */
static void an_unknown_block_is_skipped(void **state)
{
	struct block_at blocks[64];
	size_t n = find_blocks(&whole.bytes, blocks, COUNT(blocks));
	uint8_t *copy = malloc(whole.bytes.len);
	struct cdict_reader *r = open_bytes(whole.bytes.data, whole.bytes.len);
	struct buf a = { 0 }, b = { 0 };
	size_t tried = 0;

	(void)state;
	assert_non_null(copy);
	dump_all(r, &a);
	cdict_reader_close(r);
	for (size_t k = 0; k < n; k++) {
		if (blocks[k].type == FORMAT_EVENTS || blocks[k].type == FORMAT_SCHEMA ||
		    blocks[k].type == FORMAT_INDEX)
			continue;
		memcpy(copy, whole.bytes.data, whole.bytes.len);
		store_scalar(copy + blocks[k].at + 4, FORMAT_FOURCC('X', 'T', 'R', 'A'), 4, false);
		fix_block(copy + blocks[k].at);
		r = open_bytes(copy, whole.bytes.len);
		assert_whole(r);
		b.len = 0;
		dump_all(r, &b);
		assert_int_equal(a.len, b.len);
		assert_memory_equal(a.data, b.data, a.len);
		cdict_reader_close(r);
		tried++;

		/* But its check sum is looked at. */
		copy[blocks[k].at + blocks[k].size - 1] ^= 1;
		r = open_bytes(copy, whole.bytes.len);
		assert_int_equal(cdict_reader_verify(r, NULL), CDICT_ECORRUPT);
		cdict_reader_close(r);
	}
	assert_int_equal(tried, 4); /* INFO, TASK, LOSS, SKIP */
	buf_fini(&a);
	buf_fini(&b);
	free(copy);
}

/* --- cut files */

static void without_its_end_a_file_is_read_and_said_to_be_cut(void **state)
{
	struct block_at blocks[64];
	size_t n = find_blocks(&whole.bytes, blocks, COUNT(blocks));
	size_t index = blocks[n - 1].at;
	const size_t ends[] = { whole.bytes.len - 1, whole.bytes.len - FORMAT_TRAILER_SIZE,
				whole.bytes.len - FORMAT_TRAILER_SIZE - 1, index + 5, index };
	struct cdict_reader *r = open_bytes(whole.bytes.data, whole.bytes.len);
	struct buf a = { 0 }, b = { 0 };
	struct cdict_error err = { 0 };
	struct cdict_damage d;
	uint64_t events = cdict_reader_events(r);

	(void)state;
	assert_int_equal(blocks[n - 1].type, FORMAT_INDEX);
	dump_all(r, &a);
	cdict_reader_close(r);
	for (size_t i = 0; i < COUNT(ends); i++) {
		r = open_bytes(whole.bytes.data, ends[i]);
		cdict_reader_damage(r, &d);
		assert_true(d.cut);
		assert_true(d.first[0]);
		assert_int_equal(d.events, 0);
		assert_int_equal(cdict_reader_events(r), events);
		assert_int_equal(cdict_reader_verify(r, &err), CDICT_ETRUNCATED);
		b.len = 0;
		dump_all(r, &b);
		assert_int_equal(a.len, b.len);
		assert_memory_equal(a.data, b.data, a.len);
		cdict_reader_close(r);
	}
	buf_fini(&a);
	buf_fini(&b);
}

static void a_file_cut_between_blocks_holds_what_came_before(void **state)
{
	struct block_at blocks[64];
	size_t n = find_blocks(&whole.bytes, blocks, COUNT(blocks)), seen = 0;

	(void)state;
	for (size_t k = 0; k + 1 < n; k++) {
		struct cdict_reader *r = open_bytes(whole.bytes.data, blocks[k].at);
		struct cdict_damage d;

		cdict_reader_damage(r, &d);
		assert_true(d.cut);
		assert_int_equal(d.cut_at, blocks[k].at);
		assert_int_equal(d.blocks, 0);
		assert_int_equal(cdict_reader_block_count(r), seen);
		seen += blocks[k].type == FORMAT_EVENTS;
		cdict_reader_close(r);
	}
	assert_int_equal(seen, 12);
}

static void a_missing_block_is_noticed_by_its_number(void **state)
{
	struct block_at blocks[64];
	size_t n = find_blocks(&whole.bytes, blocks, COUNT(blocks));

	(void)state;
	for (size_t k = 0; k + 1 < n; k++)
		for (int indexed = 0; indexed < 2; indexed++) {
			size_t after = blocks[k].at + blocks[k].size;
			size_t end = indexed ? whole.bytes.len : blocks[n - 1].at;
			struct buf b = { 0 };
			struct cdict_reader *r;
			struct cdict_damage d;

			if (after == end)
				continue; /* the last one: only cut */
			buf_add(&b, whole.bytes.data, blocks[k].at);
			buf_add(&b, whole.bytes.data + after, end - after);
			r = open_bytes(b.data, b.len);
			cdict_reader_damage(r, &d);
			assert_true(d.first[0]);
			assert_int_equal(d.blocks,
					 indexed && blocks[k].type == FORMAT_EVENTS ? 1 : d.blocks);
			assert_true(d.blocks >= 1);
			if (indexed && blocks[k].type == FORMAT_EVENTS)
				assert_true(d.events > 0);
			assert_int_not_equal(cdict_reader_verify(r, NULL), 0);
			cdict_reader_close(r);
			buf_fini(&b);
		}
}

/* --- damage isolation */

/* One changed byte in an event block, wherever: exactly its events are missing, and
 * damage says whose, when and how many. */
static void a_changed_byte_costs_one_block_which_is_named(void **state)
{
	struct block_at blocks[64];
	size_t n = find_blocks(&whole.bytes, blocks, COUNT(blocks)), k_events = 0;
	uint8_t *copy = malloc(whole.bytes.len);
	struct cdict_reader *good = open_bytes(whole.bytes.data, whole.bytes.len);

	(void)state;
	assert_non_null(copy);
	for (size_t k = 0; k < n; k++) {
		const struct cdict_block_info *info;
		struct buf want = { 0 };
		struct cdict_events *it;
		struct cdict_event ev;

		if (blocks[k].type != FORMAT_EVENTS)
			continue;
		info = cdict_reader_block_at(good, k_events++);
		assert_int_equal(info->offset, blocks[k].at);
		/* Its lines: this CPU's in its time, no other block overlaps it. */
		assert_int_equal(cdict_events_open(&it, good, NULL, NULL), 0);
		while (cdict_events_next(it, &ev, NULL) == 1)
			if (ev.cpu != info->cpu || ev.t_ns < info->first_ns ||
			    ev.t_ns > info->last_ns)
				dump_line(&want, &ev);
		cdict_events_close(it);

		for (size_t i = 0; i < blocks[k].size; i++) {
			struct cdict_reader *r;
			struct cdict_damage d;
			struct buf got = { 0 };
			char cpu[32], count[32];

			memcpy(copy, whole.bytes.data, whole.bytes.len);
			copy[blocks[k].at + i] ^= (uint8_t)(1u << i % 8);
			r = open_bytes(copy, whole.bytes.len);
			dump_all(r, &got);
			cdict_reader_damage(r, &d);
			assert_int_equal(d.blocks, 1);
			assert_int_equal(d.events, info->events);
			assert_int_equal(d.cpu, info->cpu);
			assert_true(d.first_ns == info->first_ns);
			assert_true(d.last_ns == info->last_ns);
			assert_false(d.cut);
			snprintf(cpu, sizeof(cpu), "CPU %u ", info->cpu);
			snprintf(count, sizeof(count), " %u events", info->events);
			if (!strstr(d.first, cpu) || !strstr(d.first, count))
				print_message("byte %zu: %s\n", i, d.first);
			assert_non_null(strstr(d.first, cpu));
			assert_non_null(strstr(d.first, count));
			assert_int_equal(got.len, want.len);
			assert_memory_equal(got.data, want.data, want.len);
			assert_int_equal(cdict_reader_verify(r, NULL), CDICT_ECORRUPT);
			cdict_reader_close(r);
			buf_fini(&got);
		}
		buf_fini(&want);
	}
	assert_int_equal(k_events, 12);
	cdict_reader_close(good);
	free(copy);
}

/* When a block of event types is lost, the later ones keep their numbers: events are
 * never read as another type's. */
static void a_lost_schema_block_never_renames_events(void **state)
{
	struct cdict_schema *grown = cdict_schema_new(false, 8, 4096);
	struct block_at blocks[32];
	struct cdict_sample s = { .cpu = 0 };
	struct payload p;
	struct file f;
	size_t n;

	(void)state;
	assert_int_equal(add_type(grown, "a", "one", 1, odd_fields, COUNT(odd_fields)), 0);
	file_begin(&f, grown);
	for (unsigned i = 0; i < 3; i++) {
		static const char *const later[] = { "two", "three" };

		s.t_ns += 10;
		payload_init(&p, grown, i);
		payload_number(&p, "tiny", i);
		file_event(&f, &s, &p);
		s.t_ns--; /* the block ends with the next event */
		payload_init(&p, grown, i);
		file_event(&f, &s, &p);
		if (i < 2)
			assert_int_equal(add_type(grown, "a", later[i], 1, odd_fields,
						  COUNT(odd_fields)),
					 i + 1);
	}
	file_end(&f);
	n = find_blocks(&f.bytes, blocks, COUNT(blocks));
	for (size_t k = 0; k < n; k++)
		for (size_t at = 0; at < 40 && blocks[k].type == FORMAT_SCHEMA; at += 30) {
			struct cdict_reader *good = open_bytes(f.bytes.data, f.bytes.len), *r;
			uint8_t *copy = malloc(f.bytes.len);
			struct buf a = { 0 }, line = { 0 };
			struct cdict_events *it;
			struct cdict_event ev;

			assert_non_null(copy);
			dump_all(good, &a);
			memcpy(copy, f.bytes.data, f.bytes.len);
			copy[blocks[k].at + at] ^= 1;
			r = open_bytes(copy, f.bytes.len);
			assert_int_not_equal(cdict_reader_verify(r, NULL), 0);
			assert_int_equal(cdict_events_open(&it, r, NULL, NULL), 0);
			while (cdict_events_next(it, &ev, NULL) == 1) {
				line.len = 0;
				dump_line(&line, &ev);
				assert_non_null(memmem(a.data, a.len, line.data, line.len));
			}
			cdict_events_close(it);
			cdict_reader_close(r);
			cdict_reader_close(good);
			buf_fini(&a);
			buf_fini(&line);
			free(copy);
		}
	buf_fini(&f.bytes);
	cdict_schema_free(grown);
}

static void bytes_between_blocks_are_counted(void **state)
{
	struct block_at blocks[64];
	size_t n = find_blocks(&whole.bytes, blocks, COUNT(blocks));
	struct cdict_reader *r = open_bytes(whole.bytes.data, whole.bytes.len);
	struct buf a = { 0 }, got = { 0 };

	(void)state;
	dump_all(r, &a);
	cdict_reader_close(r);
	for (size_t k = 0; k < n; k++) {
		struct buf b = { 0 };
		struct cdict_damage d;

		buf_add(&b, whole.bytes.data, blocks[k].at);
		buf_add(&b, "\xdc\x0c\xb1\x1e is no block", 16);
		buf_add(&b, whole.bytes.data + blocks[k].at, whole.bytes.len - blocks[k].at);
		r = open_bytes(b.data, b.len);
		cdict_reader_damage(r, &d);
		assert_int_equal(d.skipped_bytes, 16);
		got.len = 0;
		dump_all(r, &got);
		assert_int_equal(got.len, a.len);
		assert_memory_equal(got.data, a.data, a.len);
		cdict_reader_close(r);
		buf_fini(&b);
	}
	buf_fini(&a);
	buf_fini(&got);
}

static void a_damaged_input_is_remembered(void **state)
{
	struct cdict_reader *r;
	struct cdict_damage d;
	struct file f;

	(void)state;
	file_begin(&f, NULL);
	assert_int_equal(cdict_writer_info(f.w, "input.damage", "was cut", NULL), 0);
	file_end(&f);
	r = open_bytes(f.bytes.data, f.bytes.len);
	cdict_reader_damage(r, &d);
	assert_true(d.input_damaged);
	assert_false(d.cut);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_capture_says_of_itself_is_read_back),
		cmocka_unit_test(ten_thousand_tasks_take_several_blocks),
		cmocka_unit_test(types_are_read_back_as_they_were_added),
		cmocka_unit_test(a_file_and_a_pipe_read_like_memory),
		cmocka_unit_test(what_is_no_cdict_is_refused),
		cmocka_unit_test(a_newer_major_version_is_refused_and_a_newer_minor_is_read),
		cmocka_unit_test(an_unknown_block_is_skipped),
		cmocka_unit_test(without_its_end_a_file_is_read_and_said_to_be_cut),
		cmocka_unit_test(a_file_cut_between_blocks_holds_what_came_before),
		cmocka_unit_test(a_missing_block_is_noticed_by_its_number),
		cmocka_unit_test(a_changed_byte_costs_one_block_which_is_named),
		cmocka_unit_test(a_lost_schema_block_never_renames_events),
		cmocka_unit_test(bytes_between_blocks_are_counted),
		cmocka_unit_test(a_damaged_input_is_remembered),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
