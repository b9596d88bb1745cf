/* SPDX-License-Identifier: GPL-2.0-only */
/* One question at a time about an open capture, answered in steps. */
#include "render/engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/printing/reasons.h"
#include "analyze/sched/slices.h"
#include "analyze/walk/digest.h"
#include "base/fail.h"
#include "render/engine/bins.h"
#include "render/engine/capture.h"
#include "render/engine/engine_internal.h"
#include "tables/guest/guests.h"
#include "tables/names/names.h"

#define COLUMNS_MAX 65535u

/* ---- reasons ---- */

int page_engine_reasons(struct page_engine *e, struct analyze_reasons **out,
			struct cdict_error *err)
{
	return analyze_reasons_of(out, cdict_reader_schema(e->reader), err);
}

bool page_engine_wants(const struct page_engine *e, struct analyze_reasons *names,
		       const struct analyze_slice *slice)
{
	uint32_t isa = slice->isa;
	uint64_t code = slice->reason;
	const char *name;
	char room[24];

	if (!names || slice->kind != ANALYZE_SLICE_EXIT)
		return true;
	if (isa == UINT32_MAX)
		return false;
	analyze_reasons_code(names, &isa, &code, slice->how);
	name = analyze_reasons_text(names, isa, code, room);
	for (size_t i = 0; i < e->reasons.n; i++)
		if (!strcmp(e->reasons.at[i], name))
			return true;
	return false;
}

/* ---- heat maps alone ---- */

static bool heated(void *ctx, uint32_t task)
{
	return page_tasks_heated(ctx, task);
}

struct heat {
	struct page_bins *bins;
	struct analyze_reasons
		*reasons; /* names of exit reasons; NULL: exits are not chosen by these */
	struct page_engine *e;
};

static bool exit_wanted(void *ctx, const struct analyze_slice *slice)
{
	const struct heat *heat = ctx;

	return page_engine_wants(heat->e, heat->reasons, slice);
}

static int bins_add(struct page_engine *e, struct cdict_error *err)
{
	struct page_bins_options how = { .from_ns = e->t0_ns + e->q.from_ns,
					 .to_ns = e->t0_ns + e->q.to_ns,
					 .by_task = e->chosen || e->q.filtered,
					 .kinds = e->q.kinds,
					 .columns = e->q.columns };
	struct heat *heat = e->state;
	int rc = e->reasons.n ? page_engine_reasons(e, &heat->reasons, err) : 0;

	heat->e = e;
	if (heat->reasons) {
		how.exit_wanted = exit_wanted;
		how.ctx = heat;
	}
	return rc ? rc : page_bins_new(&heat->bins, e->eng, &how, err);
}

static int bins_write(struct page_engine *e, struct arrays *a, struct cdict_error *err)
{
	struct page_bins_select select = { .t0_ns = e->t0_ns, .wanted = heated, .ctx = e };
	struct heat *heat = e->state;

	return page_bins_write(heat->bins, &select, a->j, a->out) ? cdict_fail_nomem(err) : 0;
}

static void bins_fini(struct page_engine *e)
{
	struct heat *heat = e->state;

	page_bins_free(heat->bins);
	analyze_reasons_free(heat->reasons);
}

static const struct page_call page_bins_call = {
	.state_size = sizeof(struct heat), .add = bins_add, .write = bins_write, .fini = bins_fini
};

/* ---- questions ---- */

static const struct {
	const char *name;
	const struct page_call *call;
	int part;
} questions[] = {
	{ "figures", &page_figures, PAGE_EVERYTHING },
	{ "exits", &page_figures, PAGE_ONLY_EXITS },
	{ "coremap", &page_figures, PAGE_ONLY_COREMAP },
	{ "tasks", &page_figures, PAGE_ONLY_TASKS },
	{ "vcpus", &page_figures, PAGE_ONLY_VCPUS },
	{ "findings", &page_figures, PAGE_ONLY_FINDINGS },
	{ "bins", &page_bins_call, 0 },
	{ "histogram", &page_histogram, 0 },
	{ "pieces", &page_pieces, 0 },
	{ "states", &page_states, 0 },
	{ "marks", &page_marks, 0 },
	{ "select", &page_select, 0 },
	{ "subsecond", &page_subsecond, 0 },
	{ "events", &page_events, 0 },
	{ "rows", &page_events, PAGE_ROWS },
	{ "checksum", &page_checksum, 0 },
	{ "flame", &page_flame, 0 },
	{ "detail", &page_detail, 0 },
	{ "tracks", &page_tracks, 0 },
	{ "story", &page_story, 0 },
	{ "queues", &page_queues, 0 },
	{ "chain", &page_chain, 0 },
	{ "critical", &page_critical, 0 },
	{ "inside", &page_inside, 0 },
};

int page_engine_open(struct page_engine **out, const void *data, size_t size,
		     struct cdict_error *err)
{
	struct page_engine *e = calloc(1, sizeof(*e));
	int rc;

	*out = NULL;
	if (!e)
		return cdict_fail_nomem(err);
	rc = cdict_reader_parse(&e->reader, data, size, err);
	if (!rc && !cdict_reader_window(e->reader, &e->t0_ns, &e->last_ns))
		rc = cdict_fail(err, CDICT_ENOEVENTS, CDICT_NO_OFFSET, "no events");
	if (rc) {
		page_engine_close(e);
		return rc;
	}
	*out = e;
	return 0;
}

/* Drops the current question and its answer. */
static void give_up(struct page_engine *e)
{
	if (e->call)
		e->call->fini(e);
	e->call = NULL;
	free(e->state);
	e->state = NULL;
	analyze_engine_free(e->eng);
	e->eng = NULL;
	free(e->chosen);
	free(e->cpus);
	while (e->reasons.n)
		free(e->reasons.at[--e->reasons.n]);
	array_fini(&e->reasons);
	e->chosen = e->cpus = NULL;
	e->enough = false;
	page_tasks_forget(&e->tasks);
	sink_finish(&e->json);
	sink_finish(&e->arrays);
	sink_to_memory(&e->json);
	sink_to_memory(&e->arrays);
}

void page_engine_close(struct page_engine *e)
{
	if (!e)
		return;
	give_up(e);
	page_tasks_fini(&e->tasks);
	digests_free(e->digests);
	guests_free(e->guests);
	label_index_free(e->labels);
	cdict_reader_close(e->reader);
	free(e);
}

int page_engine_kind(const char *name)
{
	static const char *const names[] = { [ANALYZE_SLICE_RUN] = "run",
					     [ANALYZE_SLICE_SLEEP] = "sleep",
					     [ANALYZE_SLICE_WAKEUP] = "wakeup",
					     [ANALYZE_SLICE_GUEST] = "guest",
					     [ANALYZE_SLICE_EXIT] = "exit" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name))
			return (int)i;
	return -1;
}

/* A bitmap of the numbers in @list below @n; others are ignored.  NULL: out of memory. */
static uint64_t *bitmap_of(const uint32_t *list, size_t n_list, size_t n)
{
	uint64_t *bits = calloc(n / 64 + 1, sizeof(*bits));

	for (size_t i = 0; bits && i < n_list; i++)
		if (list[i] < n)
			bits[list[i] / 64] |= UINT64_C(1) << list[i] % 64;
	return bits;
}

static int take_lists(struct page_engine *e, const struct page_query *q)
{
	e->q.tasks = e->q.cpus = NULL; /* the caller's again */
	e->q.reasons = NULL;
	for (size_t i = 0; i < q->n_reasons; i++) {
		char *copy = strdup(q->reasons[i]);

		if (!copy || array_push(&e->reasons, copy)) {
			free(copy);
			return -ENOMEM;
		}
	}
	if (q->tasks) {
		e->chosen = bitmap_of(q->tasks, q->n_tasks, e->tasks.all.n);
		if (!e->chosen)
			return -ENOMEM;
	}
	if (q->cpus) {
		e->n_cpus = cdict_reader_cpus(e->reader);
		e->cpus = bitmap_of(q->cpus, q->n_cpus, e->n_cpus);
		if (!e->cpus)
			return -ENOMEM;
	}
	return 0;
}

int page_engine_digests(struct page_engine *e, struct digests **out, struct cdict_error *err)
{
	int rc = 0;

	if (!e->digests && !e->no_digests) {
		rc = digests_new(&e->digests, e->reader, 0, err);
		e->no_digests = !e->digests;
	}
	*out = e->digests;
	return rc;
}

int page_engine_labels(struct page_engine *e, struct label_index **out, struct cdict_error *err)
{
	int rc = 0;

	if (!e->labels && cdict_reader_label_count(e->reader))
		rc = label_index_new(&e->labels, e->reader, false, NULL, err);
	*out = e->labels;
	return rc;
}

static int begin_question(struct page_engine *e, struct cdict_error *err)
{
	struct analyze_options opts = { .from_ns = e->t0_ns + e->q.from_ns,
					.to_ns = e->t0_ns + e->q.to_ns,
					.cpus = e->cpus,
					.n_cpus = e->n_cpus };
	int rc = page_engine_digests(e, &opts.digests, err);

	if (!rc)
		rc = analyze_engine_new(&e->eng, &opts, err);
	if (!rc)
		rc = e->call->add(e, err);
	return rc ? rc : analyze_engine_begin(e->eng, e->reader, err);
}

int page_engine_ask(struct page_engine *e, const struct page_query *q, struct cdict_error *err)
{
	const struct page_call *call = NULL;
	int rc;

	give_up(e);
	e->q = *q;
	if (!e->q.columns)
		e->q.columns = 1024;
	if (e->q.columns > COLUMNS_MAX || q->to_ns < q->from_ns || q->to_ns > e->last_ns - e->t0_ns)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "the range is outside this capture");
	if (take_lists(e, q)) {
		give_up(e);
		return cdict_fail_nomem(err);
	}
	for (size_t i = 0; !call && i < sizeof(questions) / sizeof(questions[0]); i++) {
		if (strcmp(questions[i].name, q->call))
			continue;
		call = questions[i].call;
		e->part = questions[i].part;
	}
	if (!call)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "unknown call \"%s\"",
				  q->call);
	e->state = calloc(1, call->state_size);
	if (!e->state)
		return cdict_fail_nomem(err);
	e->call = call;
	rc = e->call->step ? e->call->add(e, err) : begin_question(e, err);
	if (rc)
		give_up(e);
	return rc;
}

static int write_answer(struct page_engine *e, struct cdict_error *err)
{
	struct json j;
	struct arrays a = { .j = &j, .out = &e->arrays };
	int rc = 0;

	json_init(&j, &e->json);
	json_open(&j, NULL, '{', true);
	json_bool(&j, "complete", !e->enough);
	if (!e->enough)
		rc = e->call->write(e, &a, err);
	json_close(&j);
	if (!rc && (sink_flush(&e->json) || sink_flush(&e->arrays)))
		rc = cdict_fail_nomem(err);
	return rc;
}

int page_engine_step(struct page_engine *e, uint64_t events, struct cdict_error *err)
{
	int rc = e->call->step ? e->call->step(e, events, err)
			       : analyze_engine_step(e->eng, events, err);

	if (rc > 0 && e->enough)
		rc = 0;
	return rc ? rc : write_answer(e, err);
}

double page_engine_share(const struct page_engine *e)
{
	uint64_t from_ns, to_ns, now_ns;

	if (!e->eng)
		return 0;
	analyze_engine_walk(e->eng, &from_ns, &to_ns);
	now_ns = analyze_engine_now(e->eng);
	return to_ns > from_ns && now_ns > from_ns
		       ? (double)(now_ns - from_ns) / (double)(to_ns - from_ns)
		       : 0;
}

const char *page_engine_json(const struct page_engine *e, size_t *len)
{
	*len = e->json.buf.len;
	return (const char *)e->json.buf.data;
}

const void *page_engine_arrays(const struct page_engine *e, size_t *len)
{
	*len = e->arrays.buf.len;
	return e->arrays.buf.data;
}
