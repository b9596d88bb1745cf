/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Folded stacks and logs of calls: read or refused with a reason; stacks that were read add up, are
 * written, and are read back unchanged.
 */
#include <stdlib.h>
#include <string.h>

#include "tables/stacks/calllog.h"
#include "tables/stacks/flame.h"
#include "tests/fuzz/lib/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool so)
{
	if (!so)
		abort();
}

static char *written(const struct folded *f, size_t size)
{
	struct sink s;
	char *text;
	size_t len;

	sink_to_memory(&s);
	folded_write(f, NULL, &s);
	text = sink_take(&s, &len);
	must(text);
	limits_output(len, size);
	return text;
}

/* The value of a frame is its own and that of its callees; callers are first. */
static void adds_up(const struct folded *f)
{
	uint64_t *sums = calloc(f->nodes.n, sizeof(*sums)), all = 0;
	bool *seen = calloc(f->nodes.n, sizeof(*seen));

	must(sums && seen);
	for (size_t i = 0; i < f->nodes.n; i++) {
		const struct folded_node *n = &f->nodes.at[f->order[i]];

		must(!seen[f->order[i]]);
		seen[f->order[i]] = true;
		all += n->value;
		sums[f->order[i]] += n->value;
		if (!i)
			continue;
		must(n->parent < f->order[i] && seen[n->parent]);
		must(n->depth == f->nodes.at[n->parent].depth + 1 && n->depth <= FOLDED_DEPTH);
		sums[n->parent] += n->total;
	}
	must(all == f->sum);
	for (size_t i = 0; i < f->nodes.n; i++)
		must(sums[i] == f->nodes.at[i].total);
	free(sums);
	free(seen);
}

static char *read_and_written(const char *text, uint64_t sum)
{
	struct cdict_error err;
	struct folded f;
	size_t ignored = 0;
	char *again;

	must(!folded_init(&f));
	f.parts = 100;
	must(!folded_parse(&f, text, strlen(text), &ignored, &err) && !ignored);
	must(!folded_done(&f) && f.sum == sum);
	again = written(&f, strlen(text));
	folded_fini(&f);
	return again;
}

/* Bytes that are not text are shown differently, and may change their place in the order: once. */
static void again(const struct folded *f, size_t size)
{
	char *text = written(f, size), *second = read_and_written(text, f->sum);
	char *third = read_and_written(second, f->sum);

	must(!strcmp(second, third));
	free(text);
	free(second);
	free(third);
}

static void table_of(struct table *t, size_t size)
{
	struct table_frame frame = { .command = "flame", .file = "x" };

	must(t && !table_sort(t, NULL, NULL));
	for (int as = TABLE_AS_TEXT; as <= TABLE_AS_OPENMETRICS; as++) {
		struct sink s;
		size_t len;

		sink_to_memory(&s);
		must(!table_print(&s, (enum table_format)as, &frame, &t, 1));
		free(sink_take(&s, &len));
		limits_output(len, size);
	}
	table_free(t);
}

static void stacks(const char *text, size_t size)
{
	struct cdict_error err = { 0 };
	struct folded f;
	size_t ignored = 0;

	must(!folded_init(&f));
	f.parts = 100;
	if (folded_parse(&f, text, size, &ignored, &err)) {
		must(err.code == CDICT_ELIMIT && *err.text);
	} else {
		must(!folded_done(&f));
		adds_up(&f);
		again(&f, size);
		table_of(flame_table(&f, NULL, -1), size);
	}
	folded_fini(&f);
}

static void calls(const char *text, size_t size)
{
	struct cdict_error err = { 0 };
	struct calllog log;
	int rc;

	must(!calllog_init(&log));
	rc = calllog_read(&log, text, size / 2, &err);
	if (!rc)
		rc = calllog_read(&log, text + size / 2, size - size / 2, &err);
	if (!rc)
		rc = calllog_done(&log, CALLLOG_NS, &err);
	if (rc) {
		must(err.code == CDICT_ELIMIT && *err.text);
	} else {
		must(log.lines || log.tree.nodes.n == 1);
		adds_up(&log.tree);
		again(&log.tree, size);
		table_of(calllog_table(&log), size);
	}
	calllog_fini(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	stacks((const char *)data, size);
	calls((const char *)data, size);
	return 0;
}
