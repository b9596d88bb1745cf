/* SPDX-License-Identifier: GPL-2.0-only */
/* Pieces of a file of gzip members, which are read independently of each other: large members, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "convert/pfw/input.h"

enum { MEMBERS = 4 };

/* A file in the current folder, and the text and begin of each of its members. */
struct made {
	struct buf texts[MEMBERS], file;
	uint64_t begins[MEMBERS + 1];
};

/* Adds a member of @lines, packed as by gzip -@level; the last line continues in the next member if it is not @whole. */
static void add_member(struct made *m, unsigned i, unsigned lines, int level, bool whole)
{
	struct buf *text = &m->texts[i];
	z_stream z = { 0 };

	m->begins[i] = m->file.len;
	for (unsigned k = 0; k < lines; k++)
		buf_printf(text, "%u line %u of member %u, %08x%s", k, k * 77, i, k * 2654435761u,
			   k + 1 < lines || whole ? "\n" : "");
	assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = text->data;
	z.avail_in = (uInt)text->len;
	z.avail_out = (uInt)deflateBound(&z, text->len);
	z.next_out = buf_room(&m->file, z.avail_out);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	m->file.len += z.total_out;
	deflateEnd(&z);
	m->begins[i + 1] = m->file.len;
}

static void make(struct made *m, const unsigned lines[MEMBERS], int level, unsigned open_ended)
{
	FILE *f = fopen("made.pfw.gz", "w");

	*m = (struct made){ 0 };
	for (unsigned i = 0; i < MEMBERS; i++)
		add_member(m, i, lines[i], level, i != open_ended);
	assert_non_null(f);
	assert_int_equal(fwrite(m->file.data, 1, m->file.len, f), m->file.len);
	fclose(f);
}

static void made_fini(struct made *m)
{
	for (unsigned i = 0; i < MEMBERS; i++)
		buf_fini(&m->texts[i]);
	buf_fini(&m->file);
	unlink("made.pfw.gz");
}

/* The piece has the members that begin in its range: all of their text, its last line apart if it has no end. */
static void assert_piece(const struct made *m, const struct pfw_piece *p)
{
	uint64_t at = p->number * PFW_PIECE_MEMBERS;
	unsigned first = 0, end;
	size_t len = 0;

	while (first < MEMBERS && m->begins[first] < at)
		first++;
	for (end = first; end < MEMBERS && m->begins[end] < at + PFW_PIECE_MEMBERS; end++) {
		size_t in_text = p->text.len > len ? p->text.len - len : 0;

		if (in_text > m->texts[end].len)
			in_text = m->texts[end].len;
		assert_memory_equal(p->text.data + len, m->texts[end].data, in_text);
		assert_memory_equal(p->tail.data, m->texts[end].data + in_text,
				    m->texts[end].len - in_text);
		len += m->texts[end].len;
	}
	assert_false(p->unfit);
	assert_int_equal(p->failed.code, 0);
	assert_int_equal(p->text.len + p->tail.len, len);
	assert_true(!p->text.len || p->text.data[p->text.len - 1] == '\n');
	assert_int_equal(p->tail.len != 0,
			 end > first && m->texts[end - 1].data[m->texts[end - 1].len - 1] != '\n');
	if (end > first) {
		assert_int_equal(p->from, m->begins[first]);
		assert_int_equal(p->to, m->begins[end]);
	} else {
		assert_int_equal(p->from, p->to);
	}
}

static void each_piece_has_the_whole_members_that_begin_in_its_range(void **state)
{
	static const unsigned lines[][MEMBERS] = {
		{ 100, 20000, 10, 100 }, /* of 900 kB unpacked: more than is read at once */
		{ 20000, 1, 6000, 20000 },
		{ 1, 1, 1, 5000 },
	};

	(void)state;
	for (unsigned i = 0; i < 3 * 2 * 2; i++) {
		struct made m;
		struct pfw_input in;
		struct cdict_error err = { 0 };

		make(&m, lines[i / 4], i % 2 ? 6 : 0, i / 2 % 2 ? 1 : MEMBERS);
		assert_int_equal(pfw_input_open(&in, "made.pfw.gz", &err), 0);
		assert_true(in.members ==
			    (m.file.len > PFW_PIECE_MEMBERS && m.begins[1] < 1 << 20));
		for (uint64_t n = 0; in.members && n * PFW_PIECE_MEMBERS < m.file.len; n++) {
			struct pfw_piece piece = { .input = &in, .number = n, .member = true };

			pfw_input_piece(&piece);
			assert_piece(&m, &piece);
			buf_fini(&piece.text);
			buf_fini(&piece.tail);
		}
		pfw_input_close(&in);
		made_fini(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_piece_has_the_whole_members_that_begin_in_its_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
