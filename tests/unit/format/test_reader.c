/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening a cdict: its description, versions and kinds of file. */
#include <unistd.h>

#include "format/file/container.h"
#include "tests/unit/wholefile.h"

/* --- everything except events */

static void the_description_of_a_capture_is_read_back(void **state)
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
	struct buf a = { 0 };
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
	assert_holds(r, &a);
	cdict_reader_close(r);
	unlink(path);

	assert_int_equal(pipe(ends), 0);
	assert_true(whole.bytes.len < 65536); /* the capacity of a pipe */
	assert_int_equal(write(ends[1], whole.bytes.data, whole.bytes.len), whole.bytes.len);
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	assert_int_equal(cdict_reader_open(&r, "-", &err), 0);
	dup2(in, STDIN_FILENO);
	close(in);
	assert_holds(r, &a);
	cdict_reader_close(r);
	buf_fini(&a);

	assert_true(cdict_reader_open(&r, "/nonexistent/x.cdict", &err) < 0);
	assert_null(r);
	assert_true(cdict_reader_open(&r, "/tmp", &err) < 0);
}

/* --- versions and kinds of file */

static void a_file_that_is_not_a_cdict_is_refused(void **state)
{
	uint8_t head[FORMAT_HEADER_SIZE];
	struct cdict_error err = { 0 };
	struct cdict_reader *r;

	(void)state;
	assert_int_equal(cdict_reader_parse(&r, whole.bytes.data, 0, &err), CDICT_ETRUNCATED);
	assert_non_null(strstr(err.text, "is empty"));
	for (size_t n = 1; n < FORMAT_HEADER_SIZE; n++)
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

/* The file with block @k's type made an unknown one. */
static void an_unknown_block_is_skipped(void **state)
{
	struct block_at blocks[64];
	size_t n = find_blocks(&whole.bytes, blocks, COUNT(blocks));
	uint8_t *copy = malloc(whole.bytes.len);
	struct cdict_reader *r = open_bytes(whole.bytes.data, whole.bytes.len);
	struct buf a = { 0 };
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
		assert_holds(r, &a);
		cdict_reader_close(r);
		tried++;

		/* But its check sum is verified. */
		copy[blocks[k].at + blocks[k].size - 1] ^= 1;
		r = open_bytes(copy, whole.bytes.len);
		assert_int_equal(cdict_reader_verify(r, NULL), CDICT_ECORRUPT);
		cdict_reader_close(r);
	}
	assert_int_equal(tried, 4); /* INFO, TASK, LOSS, SKIP */
	buf_fini(&a);
	free(copy);
}

/* A fork after any event returns the rest, and leaves the walk where it was. */
static void a_fork_goes_on_by_itself(void **state)
{
	struct cdict_reader *r = open_bytes(whole.bytes.data, whole.bytes.len);
	const struct cdict_query all = { .size = sizeof(all) };
	struct cdict_events *it, *fork;
	struct buf want = { 0 }, seen = { 0 };
	struct cdict_event ev;

	(void)state;
	dump_all(r, &want);
	assert_int_equal(cdict_events_open(&it, r, NULL, NULL), 0);
	for (size_t n = 0; cdict_events_next(it, &ev, NULL) == 1; n++) {
		size_t len;

		dump_line(&seen, &ev);
		len = seen.len;
		assert_int_equal(cdict_events_fork(&fork, it, &all, NULL), 0);
		assert_non_null(fork);
		while (cdict_events_next(fork, &ev, NULL) == 1)
			dump_line(&seen, &ev);
		cdict_events_close(fork);
		assert_int_equal(seen.len, want.len);
		assert_memory_equal(seen.data, want.data, want.len);
		seen.len = len;
	}
	assert_int_equal(seen.len, want.len);
	cdict_events_close(it);
	cdict_reader_close(r);
	buf_fini(&want);
	buf_fini(&seen);
}

/* A row of losses with a CPU or a type that has no room in 32 bits is damaged. */
static void a_loss_beyond_32_bits_is_refused(void **state)
{
	static const uint64_t rows[][2] = { /* CPU + 1, type + 1 */
					    { 0, 0 },
					    { UINT32_MAX, UINT32_MAX },
					    { UINT64_C(1) << 32, 1 },
					    { 1, UINT64_C(1) << 32 }
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf b = { 0 };
		struct cdict_loss loss;
		struct cursor c;

		buf_varint(&b, CDICT_LOSS_RING);
		buf_varint(&b, rows[i][0]);
		buf_varint(&b, rows[i][1]);
		for (size_t k = 0; k < 3; k++)
			buf_varint(&b, 1);
		c = cursor_init(b.data, b.len, false);
		assert_int_equal(loss_row_read(&c, &loss), i < 2);
		buf_fini(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fork_goes_on_by_itself),
		cmocka_unit_test(the_description_of_a_capture_is_read_back),
		cmocka_unit_test(ten_thousand_tasks_take_several_blocks),
		cmocka_unit_test(types_are_read_back_as_they_were_added),
		cmocka_unit_test(a_file_and_a_pipe_read_like_memory),
		cmocka_unit_test(a_file_that_is_not_a_cdict_is_refused),
		cmocka_unit_test(a_newer_major_version_is_refused_and_a_newer_minor_is_read),
		cmocka_unit_test(an_unknown_block_is_skipped),
		cmocka_unit_test(a_loss_beyond_32_bits_is_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
