/* SPDX-License-Identifier: GPL-2.0-only */
/* Overlap with the union of active intervals: an example by hand, and made-up traces against every
 * pair of events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory/buf.h"
#include "convert/pfw/import.h"
#include "query/sql/rows/active.h"

static int to_buf(void *ctx, const void *data, size_t size)
{
	buf_add(ctx, data, size);
	return 0;
}

/* The lines in @text as a capture, whose bytes are *out. */
static struct cdict_reader *capture_of(const struct buf *text, struct buf *out)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	struct convert_options opts = { .jobs = 1 };
	struct convert_report report;
	struct cdict_error err;
	struct cdict_reader *r;
	const char *at;
	struct pfw *p;
	char name[64];

	assert_true(fd >= 0 && write(fd, text->data, text->len) == (ssize_t)text->len);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	at = name;
	assert_int_equal(pfw_open(&p, &at, 1, &err), 0);
	assert_int_equal(pfw_run(p, &opts, to_buf, out, &report, &err), 0);
	convert_report_fini(&report);
	pfw_close(p);
	close(fd);
	assert_int_equal(cdict_reader_parse(&r, out->data, out->len, &err), 0);
	return r;
}

struct made {
	uint64_t ts, dur; /* µs */
	unsigned name, file;
};

static void add_line(struct buf *text, const struct made *m)
{
	buf_printf(text,
		   "{\"name\":\"n%u\",\"cat\":\"c\",\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":%llu,"
		   "\"dur\":%llu,\"args\":{\"fname\":\"/f%u\"}}\n",
		   m->name, 1 + m->file, (unsigned long long)m->ts, (unsigned long long)m->dur,
		   m->file);
}

static const struct active_row *row_of(const struct active *a, const char *name)
{
	for (size_t i = 0; i < a->rows.n; i++)
		if (!strcmp(a->rows.at[i].type->event, name))
			return &a->rows.at[i];
	return NULL;
}

static void adjacent_intervals_do_not_overlap_and_an_empty_interval_is_not_active(void **state)
{
	static const struct made lines[] = {
		{ 10, 10, 0, 7 },  { 15, 15, 0, 7 }, /* active 10 to 30 */
		{ 5, 5, 1, 1 },                      /* ends as it begins */
		{ 30, 5, 2, 1 },                     /* begins as it ends */
		{ 29, 100, 3, 1 }, { 1, 500, 4, 1 },
		{ 12, 0, 5, 1 },   { 100, 0, 0, 7 }, /* takes no time: */
		{ 90, 20, 6, 1 },                    /* nothing was active */
	};
	struct active_options opts = { .file = "f7", .jobs = 2 };
	struct buf text = { 0 }, out = { 0 };
	struct cdict_error err;
	struct cdict_reader *r;
	struct active a;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		add_line(&text, &lines[i]);
	r = capture_of(&text, &out);
	assert_int_equal(active_sums(&a, r, &opts, &err), 0);
	assert_int_equal(a.intervals.n, 1);
	assert_int_equal(a.intervals.at[0].from_ns, 10000);
	assert_int_equal(a.intervals.at[0].to_ns, 30000);
	assert_int_equal(a.rows.n, 3);
	assert_string_equal(a.rows.at[0].type->event, "n4"); /* the longest first */
	assert_int_equal(row_of(&a, "n3")->dur_ns, 100000);
	assert_int_equal(row_of(&a, "n0")->count, 2);
	assert_int_equal(row_of(&a, "n0")->dur_ns, 25000);
	active_fini(&a);
	opts.name = "n1"; /* no option of that file has this name */
	assert_int_equal(active_sums(&a, r, &opts, &err), 0);
	assert_int_equal(a.rows.n + a.intervals.n, 0);
	active_fini(&a);
	cdict_reader_close(r);
	buf_fini(&text);
	buf_fini(&out);
}

/* Whether an event overlaps one of the active ones: each of them is compared. */
static bool overlaps_any(const struct made *all, size_t n, const struct made *e, unsigned file)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].file == file && all[i].dur && all[i].ts < e->ts + e->dur &&
		    e->ts < all[i].ts + all[i].dur)
			return true;
	return false;
}

static void sums_are_those_of_every_pair_however_many_threads(void **state)
{
	enum { N = 3000, NAMES = 5 };
	struct made *all = calloc(N, sizeof(*all));
	uint64_t count[NAMES] = { 0 }, dur[NAMES] = { 0 };
	struct buf text = { 0 }, out = { 0 };
	struct cdict_error err;
	struct cdict_reader *r;

	(void)state;
	srand(5);
	for (size_t i = 0; i < N; i++) {
		all[i] = (struct made){ (uint64_t)(rand() % 200000), (uint64_t)(rand() % 40),
					(unsigned)(rand() % NAMES), (unsigned)(rand() % 6) };
		if (!(rand() % 50))
			all[i].dur *= 100;
		add_line(&text, &all[i]);
	}
	for (size_t i = 0; i < N; i++) {
		if (!all[i].dur || !overlaps_any(all, N, &all[i], 3))
			continue;
		count[all[i].name]++;
		dur[all[i].name] += all[i].dur * 1000;
	}
	r = capture_of(&text, &out);
	for (unsigned jobs = 1; jobs <= 4; jobs++) {
		struct active_options opts = { .file = "f3", .jobs = jobs };
		struct active a;

		assert_int_equal(active_sums(&a, r, &opts, &err), 0);
		assert_true(a.intervals.n > 10);
		for (unsigned k = 0; k < NAMES; k++) {
			char name[8];
			const struct active_row *row;

			snprintf(name, sizeof(name), "n%u", k);
			row = row_of(&a, name);
			assert_non_null(row);
			assert_int_equal(row->count, count[k]);
			assert_int_equal(row->dur_ns, dur[k]);
		}
		active_fini(&a);
	}
	cdict_reader_close(r);
	buf_fini(&text);
	buf_fini(&out);
	free(all);
}

static void the_notebook_counts_events_within_the_span_and_instants_last_a_microsecond(void **state)
{
	static const struct made lines[] = {
		{ 10, 10, 0, 7 }, { 100, 0, 0, 7 }, /* active 10 to 20, and 100 to 101 */
		{ 9, 5, 1, 1 },                     /* begins before the span */
		{ 100, 2, 2, 1 },                   /* ends after it */
		{ 15, 80, 3, 1 }, { 20, 80, 4, 1 }, /* the second overlaps nothing */
		{ 100, 1, 5, 1 }, { 12, 0, 6, 1 },  /* has no duration */
	};
	struct active_options opts = { .file = "f7", .jobs = 2, .notebook = true };
	struct buf text = { 0 }, out = { 0 };
	struct cdict_error err;
	struct cdict_reader *r;
	struct active a;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		add_line(&text, &lines[i]);
	buf_printf(&text, "{\"name\":\"n7\",\"cat\":\"c\",\"ph\":\"i\",\"pid\":1,\"tid\":1,"
			  "\"ts\":100,\"args\":{}}\n");
	r = capture_of(&text, &out);
	assert_int_equal(active_sums(&a, r, &opts, &err), 0);
	assert_int_equal(a.intervals.n, 2);
	assert_int_equal(a.intervals.at[1].from_ns, 100000);
	assert_int_equal(a.intervals.at[1].to_ns, 101000);
	assert_int_equal(a.rows.n, 4);
	assert_int_equal(row_of(&a, "n0")->count, 1);
	assert_int_equal(row_of(&a, "n3")->dur_ns, 80000);
	assert_int_equal(row_of(&a, "n5")->dur_ns, 1000);
	assert_int_equal(row_of(&a, "n7")->dur_ns, 1000);
	active_fini(&a);
	opts.margin_ns = 1000;
	assert_int_equal(active_sums(&a, r, &opts, &err), 0);
	assert_int_equal(a.rows.n, 6);
	assert_int_equal(row_of(&a, "n1")->dur_ns, 5000);
	assert_int_equal(row_of(&a, "n2")->dur_ns, 2000);
	active_fini(&a);
	cdict_reader_close(r);
	buf_fini(&text);
	buf_fini(&out);
}

static void a_given_set_replaces_the_files_and_histograms_have_every_duration(void **state)
{
	static const struct made lines[] = {
		{ 10, 10, 0, 7 },
		{ 30, 5, 0, 1 },
		{ 31, 7, 0, 2 },
		{ 50, 0, 1, 1 },
	};
	static const struct active_interval set[] = { { 15000, 16000 }, { 36000, 40000 } };
	struct active_options opts = { .set = set, .n_set = 2, .jobs = 2, .histograms = true };
	struct buf text = { 0 }, out = { 0 };
	struct cdict_error err;
	struct cdict_reader *r;
	struct active a;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		add_line(&text, &lines[i]);
	r = capture_of(&text, &out);
	assert_int_equal(active_sums(&a, r, &opts, &err), 0);
	assert_int_equal(a.rows.n, 1);
	assert_int_equal(a.rows.at[0].count, 2);
	assert_int_equal(a.rows.at[0].dur_ns, 17000);
	assert_int_equal(a.rows.at[0].durations.count, 2);
	assert_int_equal(a.rows.at[0].durations.min, 7000);
	assert_int_equal(a.rows.at[0].durations.max, 10000);
	active_fini(&a);
	opts = (struct active_options){ .all = true, .jobs = 3, .histograms = true };
	assert_int_equal(active_sums(&a, r, &opts, &err), 0);
	assert_int_equal(row_of(&a, "n0")->count, 3);
	assert_int_equal(row_of(&a, "n0")->dur_ns, 22000);
	assert_int_equal(row_of(&a, "n1")->count, 1);
	assert_int_equal(row_of(&a, "n1")->dur_ns, 0);
	assert_int_equal(row_of(&a, "n0")->durations.sum, 22000);
	active_fini(&a);
	opts = (struct active_options){ .file = "f7", .jobs = 1, .only_times = true };
	assert_int_equal(active_sums(&a, r, &opts, &err), 0);
	assert_int_equal(a.intervals.n, 1);
	assert_int_equal(a.rows.n, 0);
	active_fini(&a);
	cdict_reader_close(r);
	buf_fini(&text);
	buf_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			adjacent_intervals_do_not_overlap_and_an_empty_interval_is_not_active),
		cmocka_unit_test(sums_are_those_of_every_pair_however_many_threads),
		cmocka_unit_test(
			the_notebook_counts_events_within_the_span_and_instants_last_a_microsecond),
		cmocka_unit_test(a_given_set_replaces_the_files_and_histograms_have_every_duration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
