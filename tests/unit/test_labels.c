/* SPDX-License-Identifier: GPL-2.0-only */
/* Labels in the file, put in and taken away, brought to tasks, and shown. */
#include <errno.h>

#include "annotate/apply.h"
#include "annotate/label_index.h"
#include "annotate/label_text.h"
#include "annotate/pseudonym.h"
#include "format/labels.h"
#include "tests/unit/cdictfile.h"

#define S UINT64_C(1000000000)

/* --- in the file --- */

/* Label @i of many; texts repeat as those of VMs do. */
static struct cdict_label label_at(int i, char room[4][32])
{
	snprintf(room[0], 32, "vcpu%d", i % 8);
	snprintf(room[1], 32, "instance-%08x", i / 8);
	snprintf(room[2], 32, "%d", i / 80);
	snprintf(room[3], 32, "name \xff %d", i % 3);
	return (struct cdict_label){ .tid = 1 + (i * 7919) % 100000,
				     .pid = i % 2 ? 5 + i : 0,
				     .start_ns = i % 3 ? (uint64_t)i * 12345678901u : 0,
				     .origin = (enum cdict_label_origin)(1 + i % 4),
				     .name = room[3],
				     .group = i % 5 ? room[2] : "",
				     .group_type = i % 7 ? "" : "FULL",
				     .role = room[0],
				     .uuid = i % 2 ? "8f81e3a1-6b1b-4c1c-9f3f-0123456789ab" : NULL,
				     .instance = room[1],
				     .project = "p",
				     .host = "compute-01" };
}

static void assert_text(const char *a, const char *b)
{
	assert_string_equal(a ? a : "", b ? b : "");
}

static void assert_same(const struct cdict_label *a, const struct cdict_label *b)
{
	assert_int_equal(a->tid, b->tid);
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->start_ns, b->start_ns);
	assert_int_equal(a->origin, b->origin);
	assert_text(a->name, b->name);
	assert_text(a->group, b->group);
	assert_text(a->group_type, b->group_type);
	assert_text(a->role, b->role);
	assert_text(a->uuid, b->uuid);
	assert_text(a->instance, b->instance);
	assert_text(a->project, b->project);
	assert_text(a->host, b->host);
}

static void some_events(struct file *f, struct cdict_schema *schema)
{
	for (uint32_t i = 0; i < 200; i++)
		file_switch(f, schema, i % 2, 1000 + i * 100, (int32_t)(1 + i % 13),
			    (int32_t)(1 + (i + 3) % 13));
}

/* A file of two CPUs with @before labels at its start and @after at its end. */
static void make(struct file *f, int before, int after)
{
	struct cdict_schema *schema = usual_schema();
	char room[4][32];

	file_begin(f, schema);
	assert_int_equal(cdict_writer_info(f->w, "key", "value", NULL), 0);
	for (int i = 0; i < before; i++)
		assert_int_equal(
			cdict_writer_label(f->w, (struct cdict_label[]){ label_at(i, room) }, NULL),
			0);
	some_events(f, schema);
	/* an event back in time ends the block before it: labels may follow it */
	file_switch(f, schema, 0, 5, 1, 2);
	for (int i = before; i < before + after; i++)
		assert_int_equal(
			cdict_writer_label(f->w, (struct cdict_label[]){ label_at(i, room) }, NULL),
			0);
	file_end(f);
	cdict_schema_free(schema);
}

static void labels_are_read_as_they_were_written(void **state)
{
	static const int counts[][2] = { { 0, 0 },  { 1, 0 },    { 0, 1 },
					 { 3, 20 }, { 8192, 1 }, { 20000, 9000 } };

	(void)state;
	for (size_t c = 0; c < COUNT(counts); c++) {
		struct file f, again;
		struct cdict_reader *r;
		char room[4][32];

		make(&f, counts[c][0], counts[c][1]);
		make(&again, counts[c][0], counts[c][1]);
		assert_int_equal(f.bytes.len, again.bytes.len);
		assert_memory_equal(f.bytes.data, again.bytes.data, f.bytes.len);
		r = open_bytes(f.bytes.data, f.bytes.len);
		assert_whole(r);
		assert_int_equal(cdict_reader_events(r), 201);
		assert_int_equal(cdict_reader_label_count(r),
				 (size_t)(counts[c][0] + counts[c][1]));
		for (size_t i = 0; i < cdict_reader_label_count(r); i++) {
			struct cdict_label l = label_at((int)i, room);

			assert_same(cdict_reader_label_at(r, i), &l);
		}
		cdict_reader_close(r);
		buf_fini(&f.bytes);
		buf_fini(&again.bytes);
	}
}

static void a_label_that_cannot_be_stored_is_refused_and_the_next_one_is_not(void **state)
{
	struct cdict_label l = { .tid = 7, .origin = CDICT_LABEL_CSV, .name = "Web" };
	struct cdict_error err = { 0 };
	struct cdict_reader *r;
	char text[FORMAT_LABEL_TEXT + 2];
	struct file f;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	file_begin(&f, NULL);
	l.role = text;
	assert_int_equal(cdict_writer_label(f.w, &l, &err), CDICT_ELIMIT);
	l.role = text + 1;
	l.tid = 0;
	assert_int_equal(cdict_writer_label(f.w, &l, &err), CDICT_EUSAGE);
	l.tid = 7;
	l.origin = (enum cdict_label_origin)5;
	assert_int_equal(cdict_writer_label(f.w, &l, &err), CDICT_EUSAGE);
	l.origin = CDICT_LABEL_CSV;
	assert_int_equal(cdict_writer_label(f.w, &l, &err), 0);
	file_end(&f);
	r = open_bytes(f.bytes.data, f.bytes.len);
	assert_int_equal(cdict_reader_label_count(r), 1);
	assert_same(cdict_reader_label_at(r, 0), &l);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
}

/* Reading rows without a file. */
struct rows {
	size_t n;
	int32_t tids[16];
	char names[16][16];
};

static const char *keep_text(void *ctx, const void *data, size_t len)
{
	static char kept[64][64];
	static size_t n;
	char *at = kept[n++ % 64];

	(void)ctx;
	assert_true(len < 64);
	memcpy(at, data, len);
	at[len] = 0;
	return at;
}

static bool add_row(void *ctx, const struct cdict_label *l)
{
	struct rows *rows = ctx;

	assert_true(rows->n < 16);
	rows->tids[rows->n] = l->tid;
	snprintf(rows->names[rows->n++], 16, "%s", l->name);
	return true;
}

static void a_later_minor_version_may_add_texts_and_origins(void **state)
{
	/* 9 texts a row; origin 9 is not known here */
	static const uint8_t content[] = { 9, 4, 14,  13, 0, 1,  1, 'A', 0, 0, 0, 0, 0, 0, 0,
					   1, 1, '+', 9,  2, 13, 0, 3,   0, 0, 0, 0, 0, 0, 0,
					   0, 4, 2,   17, 0, 3,  0, 0,   0, 0, 0, 0, 0, 2 };
	static const uint8_t bad[][16] = { { 7, 4, 14 }, { 65, 4, 14 }, { 8, 4, 14, 13 } };
	struct rows rows = { 0 };

	(void)state;
	assert_true(label_rows_read(content, sizeof(content), keep_text, add_row, &rows));
	assert_int_equal(rows.n, 2);
	assert_int_equal(rows.tids[0], 7);
	assert_string_equal(rows.names[0], "A");
	assert_int_equal(rows.tids[1], 9);
	assert_string_equal(rows.names[1], "A");
	assert_true(label_rows_read("", 0, keep_text, add_row, &rows));
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_false(label_rows_read(bad[i], 4, keep_text, add_row, &rows));
}

static void a_damaged_block_of_labels_costs_no_event(void **state)
{
	struct block_at blocks[16];
	struct file f;
	size_t n;

	(void)state;
	make(&f, 3, 0);
	n = find_blocks(&f.bytes, blocks, COUNT(blocks));
	for (size_t b = 0; b < n; b++) {
		if (blocks[b].type != FORMAT_LABELS)
			continue;
		for (size_t at = FORMAT_BLOCK_HEADER_SIZE; at < blocks[b].size; at++) {
			for (unsigned bit = 0; bit < 9; bit++) {
				uint8_t *block = f.bytes.data + blocks[b].at, was = block[at];
				struct cdict_reader *r;
				struct cdict_damage d;

				block[at] ^= (uint8_t)(1u << bit % 8);
				if (bit < 8) /* else the check sum tells */
					fix_block(block);
				r = open_bytes(f.bytes.data, f.bytes.len);
				cdict_reader_damage(r, &d);
				assert_int_equal(cdict_reader_events(r), 201);
				assert_true(bit < 8 || d.blocks == 1);
				for (size_t i = 0; i < cdict_reader_label_count(r); i++)
					assert_true(cdict_reader_label_at(r, i)->tid > 0);
				cdict_reader_close(r);
				block[at] = was;
				fix_block(block);
			}
		}
	}
	buf_fini(&f.bytes);
}

/* --- put in and taken away --- */

static void some_labels(struct mapping *m, int from, int to)
{
	char room[4][32];

	for (int i = from; i < to; i++)
		assert_int_equal(mapping_add(m, (struct cdict_label[]){ label_at(i, room) }, NULL),
				 0);
}

static struct buf apply(const void *data, size_t size, const struct mapping *m, bool clear)
{
	struct cdict_reader *r = open_bytes(data, size);
	struct cdict_error err = { 0 };
	struct buf out = { 0 };

	if (apply_labels(r, m, clear, to_buf, &out, &err))
		fail_msg("%s", err.text);
	cdict_reader_close(r);
	return out;
}

static void assert_labels(const struct buf *file, const struct mapping *m)
{
	struct cdict_reader *r = open_bytes(file->data, file->len);

	assert_int_equal(cdict_reader_label_count(r), m->n);
	for (size_t i = 0; i < m->n; i++)
		assert_same(cdict_reader_label_at(r, i), &m->labels[i]);
	cdict_reader_close(r);
}

static struct buf dump(const struct buf *file)
{
	struct cdict_reader *r = open_bytes(file->data, file->len);
	struct buf out = { 0 };

	dump_all(r, &out);
	cdict_reader_close(r);
	return out;
}

static void assert_same_bytes(const struct buf *a, const struct buf *b)
{
	assert_int_equal(a->len, b->len);
	if (a->len)
		assert_memory_equal(a->data, b->data, a->len);
}

static void applied_labels_are_those_that_were_wanted_and_clearing_gives_the_old_file(void **state)
{
	static const int counts[] = { 0, 1, 20, 20000 };
	struct mapping none = { 0 };
	struct file f;

	(void)state;
	make(&f, 0, 0);
	for (size_t c = 0; c < COUNT(counts); c++) {
		struct mapping m = { 0 };
		struct buf once, twice, cleared;
		struct cdict_reader *r;

		some_labels(&m, 0, counts[c]);
		once = apply(f.bytes.data, f.bytes.len, &m, false);
		r = open_bytes(once.data, once.len);
		assert_whole(r);
		cdict_reader_close(r);
		assert_labels(&once, &m);
		twice = apply(once.data, once.len, &m, false);
		assert_same_bytes(&twice, &once);
		cleared = apply(once.data, once.len, &none, false);
		assert_same_bytes(&cleared, &f.bytes);
		buf_fini(&once);
		buf_fini(&twice);
		buf_fini(&cleared);
		mapping_fini(&m);
	}
	buf_fini(&f.bytes);
}

static void labels_from_the_start_of_a_file_go_and_no_block_changes_its_number(void **state)
{
	struct block_at old[32] = { 0 }, new[32] = { 0 };
	struct mapping m = { 0 };
	struct buf out, twice, a, b;
	struct cdict_reader *r;
	struct file f;
	size_t n_old, n_new;

	(void)state;
	make(&f, 5, 5);
	some_labels(&m, 100, 130);
	out = apply(f.bytes.data, f.bytes.len, &m, false);
	r = open_bytes(out.data, out.len);
	assert_whole(r);
	cdict_reader_close(r);
	assert_labels(&out, &m);
	n_old = find_blocks(&f.bytes, old, COUNT(old));
	n_new = find_blocks(&out, new, COUNT(new));
	/* those that were there are empty now, the new ones stand before the index */
	assert_int_equal(n_new, n_old + 1);
	assert_int_equal(new[n_old - 1].type, FORMAT_LABELS);
	for (size_t i = 0; i < n_new; i++) {
		assert_true(i + 1 >= n_old || new[i].type == old[i].type);
		assert_int_equal(le32(out.data + new[i].at + 12), i);
	}
	a = dump(&f.bytes);
	b = dump(&out);
	assert_same_bytes(&a, &b);
	twice = apply(out.data, out.len, &m, false);
	assert_same_bytes(&twice, &out);
	buf_fini(&a);
	buf_fini(&b);
	buf_fini(&out);
	buf_fini(&twice);
	buf_fini(&f.bytes);
	mapping_fini(&m);
}

/* A damaged or cut file with labels is as damaged and cut as before, and without them
 * again the same bytes. */
static void compare_bad(const void *data, size_t size, const struct mapping *m)
{
	struct buf bad = { .data = (uint8_t *)data, .len = size }, with, without, a, b;
	struct mapping none = { 0 };
	struct cdict_damage before, after;
	struct cdict_reader *r;

	if (cdict_reader_parse(&r, data, size, NULL))
		return; /* the file's own header: nobody can open it */
	cdict_reader_verify(r, NULL);
	cdict_reader_damage(r, &before);
	cdict_reader_close(r);
	with = apply(data, size, m, false);
	assert_labels(&with, m);
	r = open_bytes(with.data, with.len);
	cdict_reader_verify(r, NULL);
	cdict_reader_damage(r, &after);
	cdict_reader_close(r);
	assert_int_equal(after.cut, before.cut);
	assert_int_equal(after.blocks, before.blocks);
	assert_int_equal(after.events, before.events);
	assert_int_equal(after.skipped_bytes, before.skipped_bytes);
	assert_int_equal(!after.first[0], !before.first[0]);
	a = dump(&bad);
	b = dump(&with);
	assert_same_bytes(&a, &b);
	without = apply(with.data, with.len, &none, false);
	assert_same_bytes(&without, &bad);
	buf_fini(&with);
	buf_fini(&without);
	buf_fini(&a);
	buf_fini(&b);
}

static void a_cut_file_stays_as_cut_at_every_length(void **state)
{
	struct mapping m = { 0 };
	struct file f;

	(void)state;
	make(&f, 0, 0);
	some_labels(&m, 0, 4);
	for (size_t size = FORMAT_HEADER_SIZE; size <= f.bytes.len; size++)
		compare_bad(f.bytes.data, size, &m);
	buf_fini(&f.bytes);
	mapping_fini(&m);
}

static void a_damaged_file_stays_as_damaged_whichever_byte_it_is(void **state)
{
	struct mapping m = { 0 };
	struct file f;

	(void)state;
	make(&f, 0, 0);
	some_labels(&m, 0, 4);
	for (size_t at = 0; at < f.bytes.len; at++) {
		f.bytes.data[at] ^= 0x55;
		compare_bad(f.bytes.data, f.bytes.len, &m);
		f.bytes.data[at] ^= 0x55;
	}
	buf_fini(&f.bytes);
	mapping_fini(&m);
}

static void a_file_that_misses_a_block_still_misses_it(void **state)
{
	struct mapping m = { 0 };
	struct block_at blocks[16];
	struct file f;
	size_t n;

	(void)state;
	make(&f, 0, 0);
	some_labels(&m, 0, 4);
	n = find_blocks(&f.bytes, blocks, COUNT(blocks));
	assert_true(n > 4);
	for (size_t b = 0; b < n; b++) {
		struct buf rest = { 0 };

		buf_add(&rest, f.bytes.data, blocks[b].at);
		buf_add(&rest, f.bytes.data + blocks[b].at + blocks[b].size,
			f.bytes.len - blocks[b].at - blocks[b].size);
		compare_bad(rest.data, rest.len, &m);
		buf_fini(&rest);
	}
	buf_fini(&f.bytes);
	mapping_fini(&m);
}

static void a_damaged_block_of_labels_stays_until_it_is_cleared(void **state)
{
	struct mapping m = { 0 };
	struct block_at blocks[16];
	struct cdict_reader *r;
	struct cdict_damage d;
	struct file f;
	struct buf out;
	size_t n, at = 0;

	(void)state;
	make(&f, 0, 3);
	some_labels(&m, 0, 4);
	n = find_blocks(&f.bytes, blocks, COUNT(blocks));
	while (at < n && blocks[at].type != FORMAT_LABELS)
		at++;
	assert_true(at < n);
	f.bytes.data[blocks[at].at + FORMAT_BLOCK_HEADER_SIZE + 4] ^= 1;
	out = apply(f.bytes.data, f.bytes.len, &m, false);
	r = open_bytes(out.data, out.len);
	cdict_reader_damage(r, &d);
	assert_int_equal(d.blocks, 1);
	cdict_reader_close(r);
	assert_labels(&out, &m);
	buf_fini(&out);
	out = apply(f.bytes.data, f.bytes.len, &m, true);
	r = open_bytes(out.data, out.len);
	assert_whole(r);
	cdict_reader_close(r);
	assert_labels(&out, &m);
	buf_fini(&out);
	buf_fini(&f.bytes);
	mapping_fini(&m);
}

static void labels_put_in_while_writing_give_the_same_file(void **state)
{
	static const size_t steps[] = { 1, 7, 1000000 };
	struct mapping m = { 0 };
	struct buf out;
	struct file f;

	(void)state;
	make(&f, 0, 0);
	some_labels(&m, 0, 9000);
	out = apply(f.bytes.data, f.bytes.len, &m, false);
	for (size_t s = 0; s < COUNT(steps); s++) {
		struct apply_filter *flt;
		struct buf passed = { 0 };

		assert_int_equal(apply_filter_new(&flt, &m, to_buf, &passed, NULL), 0);
		for (size_t at = 0; at < f.bytes.len; at += steps[s]) {
			size_t n = f.bytes.len - at < steps[s] ? f.bytes.len - at : steps[s];

			assert_int_equal(apply_filter_write(flt, f.bytes.data + at, n), 0);
		}
		apply_filter_free(flt);
		assert_same_bytes(&passed, &out);
		buf_fini(&passed);
	}
	buf_fini(&out);
	buf_fini(&f.bytes);
	mapping_fini(&m);
}

/* --- whose label --- */

struct capture {
	struct file file;
	struct cdict_schema *schema;
	struct cdict_reader *r;
	struct mapping m;
	struct label_index *ix;
};

static void task(struct capture *c, enum cdict_task_what what, int32_t tid, uint64_t t_ns)
{
	struct cdict_task_event ev = { .t_ns = t_ns, .what = what, .tid = tid, .pid = tid };

	ev.comm = what == CDICT_TASK_COMM ? "x" : NULL;
	assert_int_equal(cdict_writer_task(c->file.w, &ev, NULL), 0);
}

static void name(struct capture *c, int32_t tid, uint64_t start_ns, const char *called)
{
	struct cdict_label l = { .tid = tid, .start_ns = start_ns, .origin = CDICT_LABEL_CSV };

	l.name = called;
	assert_int_equal(mapping_add(&c->m, &l, NULL), 0);
}

/* 100 s to 110 s after the boot of the recording's clock; tid 7 was there, dies at 103 s
 * and is born again at 105 s, dies at 106 s, and is born a third time at 108 s. */
static void capture_begin(struct capture *c, const char *clock, const char *mono, const char *boot)
{
	*c = (struct capture){ .schema = usual_schema() };
	file_begin(&c->file, c->schema);
	if (clock)
		assert_int_equal(cdict_writer_info(c->file.w, "clock.id", clock, NULL), 0);
	if (mono)
		assert_int_equal(cdict_writer_info(c->file.w, "clock.mono_ns", mono, NULL), 0);
	if (boot)
		assert_int_equal(cdict_writer_info(c->file.w, "clock.boot_ns", boot, NULL), 0);
	task(c, CDICT_TASK_COMM, 7, 0);
	task(c, CDICT_TASK_COMM, 8, 0);
	task(c, CDICT_TASK_EXIT, 7, 103 * S);
	task(c, CDICT_TASK_FORK, 7, 105 * S);
	task(c, CDICT_TASK_COMM, 7, 105 * S + 5);
	task(c, CDICT_TASK_EXIT, 7, 106 * S);
	task(c, CDICT_TASK_FORK, 7, 108 * S);
	file_switch(&c->file, c->schema, 0, 100 * S, 7, 8);
	file_switch(&c->file, c->schema, 0, 110 * S, 8, 7);
	file_end(&c->file);
	c->r = open_bytes(c->file.bytes.data, c->file.bytes.len);
}

static void capture_look(struct capture *c)
{
	label_index_free(c->ix);
	assert_int_equal(label_index_new(&c->ix, c->r, false, &c->m, NULL), 0);
}

static void capture_end(struct capture *c)
{
	label_index_free(c->ix);
	mapping_fini(&c->m);
	cdict_reader_close(c->r);
	cdict_schema_free(c->schema);
	buf_fini(&c->file.bytes);
}

/* Name of the task of @tid that was first heard of at @first (born then, if @born). */
static const char *called(struct capture *c, int32_t tid, uint64_t first_ns, bool born)
{
	static char text[32];
	struct label_task who = { tid, born ? first_ns : UINT64_MAX, first_ns, UINT64_MAX };
	struct cdict_label l;

	if (!label_index_find(c->ix, &who, &l))
		return "-";
	snprintf(text, sizeof(text), "%s", l.name);
	return text;
}

static void a_label_without_a_start_names_every_task_of_its_tid(void **state)
{
	struct capture c;

	(void)state;
	capture_begin(&c, "perf", NULL, NULL);
	name(&c, 7, 0, "all");
	name(&c, 9, 0, "nobody");
	capture_look(&c);
	assert_string_equal(called(&c, 7, 100 * S, false), "all");
	assert_string_equal(called(&c, 7, 105 * S, true), "all");
	assert_string_equal(called(&c, 8, 100 * S, false), "-");
	assert_int_equal(label_index_use(c.ix, 0), LABEL_USED);
	assert_int_equal(label_index_use(c.ix, 1), LABEL_NO_TASK);
	capture_end(&c);
}

static void a_label_with_a_start_names_only_the_task_that_started_then(void **state)
{
	struct capture c;

	(void)state;
	capture_begin(&c, "perf", NULL, NULL);
	name(&c, 7, 40 * S, "first");
	name(&c, 7, 105 * S - 7000000, "second"); /* /proc counts in 10 ms */
	name(&c, 7, 108 * S, "third");
	name(&c, 7, 120 * S, "later");
	name(&c, 7, 104 * S, "never");
	name(&c, 8, 50 * S, "other");
	capture_look(&c);
	assert_string_equal(called(&c, 7, 100 * S, false), "first");
	assert_string_equal(called(&c, 7, 101 * S, false), "first");
	assert_string_equal(called(&c, 7, 105 * S, true), "second");
	assert_string_equal(called(&c, 7, 105 * S + 300, false), "second");
	assert_string_equal(called(&c, 7, 108 * S, true), "third");
	assert_string_equal(called(&c, 7, 109 * S, false), "third");
	assert_string_equal(called(&c, 8, 100 * S, false), "other");
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(label_index_use(c.ix, i),
				 i == 3 || i == 4 ? LABEL_OTHER_START : LABEL_USED);
	capture_end(&c);
}

static void the_clocks_of_the_capture_are_taken_into_account(void **state)
{
	struct capture c;

	(void)state;
	/* the machine slept for 1000 s: its boot clock is ahead */
	capture_begin(&c, "perf", "100000000000", "1100000000000");
	name(&c, 7, 1105 * S, "second");
	name(&c, 7, 105 * S, "first");
	name(&c, 7, 1104 * S + 970000000, "never");
	capture_look(&c);
	assert_string_equal(called(&c, 7, 100 * S, false), "first");
	assert_string_equal(called(&c, 7, 105 * S, true), "second");
	assert_int_equal(label_index_use(c.ix, 2), LABEL_OTHER_START);
	capture_end(&c);
}

static void what_cannot_be_told_apart_is_not_guessed(void **state)
{
	struct capture c;

	(void)state;
	/* a clock that counts from 1970 tells nothing of the boot clock */
	capture_begin(&c, "realtime", NULL, NULL);
	name(&c, 7, 105 * S, "which");
	name(&c, 8, 50 * S, "only one");
	capture_look(&c);
	assert_string_equal(called(&c, 7, 100 * S, false), "-");
	assert_string_equal(called(&c, 7, 105 * S, true), "-");
	assert_string_equal(called(&c, 8, 100 * S, false), "only one");
	assert_int_equal(label_index_use(c.ix, 0), LABEL_AMBIGUOUS);
	capture_end(&c);
}

static void a_birth_that_only_the_events_tell_of_counts_too(void **state)
{
	struct capture c;

	(void)state;
	capture_begin(&c, "perf", NULL, NULL);
	/* the records know one task 8; a sched_process_fork at 107 s told of another */
	name(&c, 8, 50 * S, "old");
	name(&c, 8, 107 * S, "new");
	capture_look(&c);
	assert_string_equal(called(&c, 8, 107 * S, true), "-"); /* never "old" */
	capture_end(&c);
}

static void labels_of_the_file_and_new_ones_add_up(void **state)
{
	struct capture c;

	(void)state;
	capture_begin(&c, "perf", NULL, NULL);
	name(&c, 7, 0, "in the file");
	{
		struct buf with = apply(c.file.bytes.data, c.file.bytes.len, &c.m, false);
		struct mapping more = { 0 };
		struct cdict_label role = { .tid = 7, .origin = CDICT_LABEL_OPENSTACK };
		struct cdict_label l;
		struct cdict_reader *r = open_bytes(with.data, with.len);
		struct label_task who = { 7, UINT64_MAX, 100 * S, UINT64_MAX };

		role.role = "vcpu0";
		role.name = "of a lesser origin";
		assert_int_equal(mapping_add(&more, &role, NULL), 0);
		assert_int_equal(label_index_new(&c.ix, r, false, &more, NULL), 0);
		assert_true(label_index_find(c.ix, &who, &l));
		assert_string_equal(l.name, "in the file");
		assert_string_equal(l.role, "vcpu0");
		label_index_free(c.ix);
		assert_int_equal(label_index_new(&c.ix, r, true, &more, NULL), 0);
		assert_true(label_index_find(c.ix, &who, &l));
		assert_string_equal(l.name, "of a lesser origin");
		mapping_fini(&more);
		cdict_reader_close(r);
		buf_fini(&with);
	}
	capture_end(&c);
}

/* --- shown --- */

static const struct {
	const char *name, *group, *role, *instance, *uuid, *shown, *vm;
} displays[] = {
	{ "Firewall", "5", "vcpu0", "", "", "Firewall.05.vcpu0", "Firewall.05" },
	{ "Firewall", "05", "vcpu0", "", "", "Firewall.05.vcpu0", "Firewall.05" },
	{ "Firewall", "123", "vcpu0", "", "", "Firewall.123.vcpu0", "Firewall.123" },
	{ "Firewall", "0", "", "", "", "Firewall.00", "Firewall.00" },
	{ "Firewall", "", "vcpu0", "i-1", "u", "Firewall.vcpu0", "Firewall" },
	{ "Firewall", "east", "vcpu0", "", "", "Firewall.east.vcpu0", "Firewall.east" },
	{ "Firewall", "5a", "vcpu0", "", "", "Firewall.5a.vcpu0", "Firewall.5a" },
	{ "", "5", "vcpu0", "i-1", "u", "i-1.05.vcpu0", "i-1.05" },
	{ "", "", "vcpu0", "i-1", "", "i-1.vcpu0", "i-1" },
	{ "", "", "vcpu0", "", "u", NULL, "u" },
	{ "", "5", "vcpu0", "", "", NULL, NULL },
	{ "99999999999999999999", "99999999999999999999", "", "", "",
	  "99999999999999999999.99999999999999999999",
	  "99999999999999999999.99999999999999999999" },
};

static void a_name_is_name_group_and_role(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(displays); i++) {
		struct cdict_label l = { .name = displays[i].name,
					 .group = displays[i].group,
					 .role = displays[i].role,
					 .instance = displays[i].instance,
					 .uuid = displays[i].uuid };
		bool failed = false;
		char *shown = label_text_name(&l, &failed), *vm = label_text_vm(&l, &failed);

		assert_false(failed);
		assert_int_equal(!shown, !displays[i].shown);
		assert_text(shown, displays[i].shown);
		assert_int_equal(!vm, !displays[i].vm);
		assert_text(vm, displays[i].vm);
		free(shown);
		free(vm);
	}
}

static void names_are_sorted_by_group_then_name_then_role(void **state)
{
	static const struct cdict_label sorted[] = {
		{ .name = "B", .group = "2", .role = "vcpu0" },
		{ .name = "A", .group = "5", .role = "emulator" },
		{ .name = "A", .group = "5", .role = "vcpu2" },
		{ .name = "A", .group = "5", .role = "vcpu10" },
		{ .name = "A2", .group = "5", .role = "vcpu0" },
		{ .name = "A10", .group = "5", .role = "vcpu0" },
		{ .name = "A", .group = "12", .role = "vcpu0" },
		{ .name = "A", .group = "east", .role = "vcpu0" },
		{ .name = "A", .role = "vcpu0" },
		{ .instance = "instance-1", .role = "vcpu0" },
	};

	(void)state;
	for (size_t i = 1; i < COUNT(sorted); i++) {
		char *a = label_text_order(&sorted[i - 1]), *b = label_text_order(&sorted[i]);

		if (strcmp(a, b) >= 0)
			fail_msg("%zu is not before %zu", i - 1, i);
		free(a);
		free(b);
	}
}

static void siphash_gives_the_vectors_of_its_authors(void **state)
{
	const uint64_t key[2] = { UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908) };
	uint8_t data[15];

	(void)state;
	for (uint8_t i = 0; i < sizeof(data); i++)
		data[i] = i;
	assert_true(pseudonym_siphash(key, data, 15) == UINT64_C(0xa129ca6149be45e5));
	assert_true(pseudonym_siphash(key, data, 0) == UINT64_C(0x726fdb47dd0e0e31));
}

static void a_pseudonym_depends_on_kind_name_and_secret_only(void **state)
{
	struct pseudonyms a, b, c;
	const char *x;

	(void)state;
	pseudonyms_init(&a, NULL, 0);
	pseudonyms_init(&b, NULL, 0);
	pseudonyms_init(&c, "secret", 6);
	x = pseudonym_comm(&a, "nginx", 5);
	assert_int_equal(strlen(x), 12);
	assert_string_equal(pseudonym_comm(&b, "other", 5), pseudonym_comm(&a, "other", 5));
	assert_string_equal(pseudonym_comm(&b, "nginx", 5), x);
	assert_string_equal(pseudonym_comm(&b, "nginx\0rest", 10), x);
	assert_string_not_equal(pseudonym_comm(&c, "nginx", 5), x);
	assert_string_not_equal(pseudonym(&a, 'n', "nginx", 5) + 1, x + 1);
	assert_string_equal(pseudonym_comm(&a, "CPU 11/KVM", 10), "CPU 11/KVM");
	assert_string_equal(pseudonym_comm(&a, "kworker/u8:2", 12), "kworker/u8:2");
	assert_string_equal(pseudonym_comm(&a, "", 0), "");
	assert_int_equal(pseudonym_comm(&a, "kworker/u8:2-mine", 17)[0], 't');
	assert_int_equal(pseudonym_comm(&a, "CPU x/KVM", 9)[0], 't');
	pseudonyms_fini(&a);
	pseudonyms_fini(&b);
	pseudonyms_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_are_read_as_they_were_written),
		cmocka_unit_test(a_label_that_cannot_be_stored_is_refused_and_the_next_one_is_not),
		cmocka_unit_test(a_later_minor_version_may_add_texts_and_origins),
		cmocka_unit_test(a_damaged_block_of_labels_costs_no_event),
		cmocka_unit_test(
			applied_labels_are_those_that_were_wanted_and_clearing_gives_the_old_file),
		cmocka_unit_test(
			labels_from_the_start_of_a_file_go_and_no_block_changes_its_number),
		cmocka_unit_test(a_cut_file_stays_as_cut_at_every_length),
		cmocka_unit_test(a_damaged_file_stays_as_damaged_whichever_byte_it_is),
		cmocka_unit_test(a_file_that_misses_a_block_still_misses_it),
		cmocka_unit_test(a_damaged_block_of_labels_stays_until_it_is_cleared),
		cmocka_unit_test(labels_put_in_while_writing_give_the_same_file),
		cmocka_unit_test(a_label_without_a_start_names_every_task_of_its_tid),
		cmocka_unit_test(a_label_with_a_start_names_only_the_task_that_started_then),
		cmocka_unit_test(the_clocks_of_the_capture_are_taken_into_account),
		cmocka_unit_test(what_cannot_be_told_apart_is_not_guessed),
		cmocka_unit_test(a_birth_that_only_the_events_tell_of_counts_too),
		cmocka_unit_test(labels_of_the_file_and_new_ones_add_up),
		cmocka_unit_test(a_name_is_name_group_and_role),
		cmocka_unit_test(names_are_sorted_by_group_then_name_then_role),
		cmocka_unit_test(siphash_gives_the_vectors_of_its_authors),
		cmocka_unit_test(a_pseudonym_depends_on_kind_name_and_secret_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
