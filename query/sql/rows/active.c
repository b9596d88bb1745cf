/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * active.c - two walks over the blocks, each by several threads: the first gathers the active times, the second sums the events
 * that overlap them. Neither keeps an event.
 */
#include "query/sql/rows/active.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory/pool.h"
#include "format/coding/decode.h"
#include "format/file/reader.h"

#define JOBS_MAX 64u
/* How long an event without a duration lasts in the notebook. */
#define INSTANT_NS 1000u

/* The fields of a type that are read; dur negative: its events have no duration. */
struct active_type {
	int dur, fname, phase;
	bool may; /* its events may be active ones */
};

struct active_walk {
	struct cdict_reader *r;
	const struct active_options *opts;
	struct active *out;
	struct active_type *types;
	struct format_plan *plan;
	bool gathers;                /* the first walk */
	struct active_interval span; /* in which an event must lie */
	atomic_size_t next;          /* block */
	uint64_t to_ns;
};

/* A thread's share. */
struct active_job {
	struct pool_job job;
	struct active_walk *walk;
	ARRAY(struct active_interval) intervals;
	struct active_row *rows; /* by type */
	ARRAY(uint8_t) matches;  /* by text of the block: 0 not tested, 1 no, 2 yes */
	size_t hint;             /* index of the previous event's interval */
	int failed;
};

/* ---- one event ---- */

static bool matches(struct active_job *job, const struct cdict_event *ev, int field)
{
	uint64_t key = ev->values[field];
	const char *file = job->walk->opts->file;
	struct cdict_bytes text;

	if (key >= job->matches.n && array_resize(&job->matches, key + 64)) {
		job->failed = -ENOMEM;
		return false;
	}
	if (!job->matches.at[key]) {
		text = ev->bytes[key];
		job->matches.at[key] =
			text.len && memmem(text.data, text.len, file, strlen(file)) ? 2 : 1;
	}
	return job->matches.at[key] == 2;
}

static void gather(struct active_job *job, const struct cdict_event *ev, uint64_t from_ns,
		   uint64_t to_ns)
{
	const struct active_type *t = &job->walk->types[ev->type->index];
	struct active_interval *last;

	if (!t->may || !matches(job, ev, t->fname))
		return;
	/* Extend the last interval if the event follows it without a break. */
	last = job->intervals.n ? &job->intervals.at[job->intervals.n - 1] : NULL;
	if (last && from_ns <= last->to_ns && to_ns >= last->to_ns && from_ns >= last->from_ns)
		last->to_ns = to_ns;
	else if (array_push(&job->intervals, (struct active_interval){ from_ns, to_ns }))
		job->failed = -ENOMEM;
}

/* The first interval that ends after @from_ns, searched from that of the previous event; n: none does. */
static size_t first_after(struct active_job *job, uint64_t from_ns)
{
	const struct active_interval *iv = job->walk->out->intervals.at;
	size_t n = job->walk->out->intervals.n, low = job->hint, high, step;

	if (low < n && iv[low].to_ns <= from_ns) {
		high = low + 1;
		for (step = 2; high < n && iv[high].to_ns <= from_ns; step *= 2) {
			low = high;
			high = n - high > step ? high + step : n;
		}
		low++;
	} else {
		high = low;
		for (step = 1; low; step *= 2) {
			size_t probe = low > step ? low - step : 0;

			if (iv[probe].to_ns <= from_ns) {
				low = probe + 1;
				break;
			}
			low = high = probe;
		}
	}
	/* All before low end by then, and that at high does not. */
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (iv[mid].to_ns <= from_ns)
			low = mid + 1;
		else
			high = mid;
	}
	job->hint = low;
	return low;
}

/* Whether the event overlaps the active times, and lies within their span if it must. */
static bool counts(struct active_job *job, uint64_t from_ns, uint64_t to_ns)
{
	const struct active *a = job->walk->out;
	size_t i = first_after(job, from_ns);

	if (i == a->intervals.n || a->intervals.at[i].from_ns >= to_ns)
		return false;
	return from_ns >= job->walk->span.from_ns && to_ns <= job->walk->span.to_ns;
}

static void sum(struct active_job *job, const struct cdict_event *ev, uint64_t from_ns,
		uint64_t to_ns)
{
	struct active_row *row = &job->rows[ev->type->index];

	if (!job->walk->opts->all && !counts(job, from_ns, to_ns))
		return;
	row->count++;
	row->dur_ns += to_ns - from_ns;
	if (job->walk->opts->histograms && histogram_add(&row->durations, to_ns - from_ns, to_ns))
		job->failed = -ENOMEM;
}

/* How long the event lasts; 0: it is skipped by this walk. */
static uint64_t lasts(const struct active_walk *w, const struct cdict_event *ev)
{
	const struct active_type *t = &w->types[ev->type->index];
	uint64_t dur_ns = t->dur < 0 ? 0 : ev->values[t->dur];

	if (dur_ns || !w->opts->notebook || t->dur < 0)
		return dur_ns;
	/* A line of another phase than X has no duration. */
	return w->gathers || t->phase < 0 || ev->values[t->phase] != 'X' ? INSTANT_NS : 0;
}

static void event(struct active_job *job, const struct cdict_event *ev)
{
	const struct active_walk *w = job->walk;
	uint64_t dur_ns = lasts(w, ev), from_ns, to_ns = ev->t_ns;
	int field = w->types[ev->type->index].dur;

	if (field < 0 || (!dur_ns && !w->opts->all))
		return;
	if (dur_ns == ev->values[field])
		from_ns = to_ns > dur_ns ? to_ns - dur_ns : 0;
	else
		to_ns = (from_ns = to_ns) + dur_ns;
	if (to_ns < w->opts->from_ns || from_ns > w->to_ns)
		return;
	if (w->gathers)
		gather(job, ev, from_ns, to_ns);
	else
		sum(job, ev, from_ns, to_ns);
}

/* ---- blocks ---- */

static void block(struct active_job *job, struct format_decoder *dec, size_t i)
{
	struct active_walk *w = job->walk;
	struct cdict_error why = { 0 };
	const uint8_t *payload;
	struct cdict_event ev;
	uint32_t order;
	size_t size;
	int ret;

	job->matches.n = 0;
	ret = reader_block(w->r, i, &payload, &size, &why);
	if (ret) {
		job->failed = ret == -ENOMEM ? ret : job->failed;
		return;
	}
	ret = format_decoder_open(dec, payload, size, &why);
	while (!ret && (ret = format_decoder_next(dec, &ev, &order, &why)) > 0) {
		event(job, &ev);
		ret = job->failed;
	}
	if (ret == -ENOMEM)
		job->failed = ret;
	else if (ret < 0)
		reader_block_bad(w->r, i, why.text);
}

static void run(struct pool_job *pool_job)
{
	struct active_job *job = (struct active_job *)pool_job; /* its first member */
	struct active_walk *w = job->walk;
	struct format_decoder *dec = format_decoder_new(w->r->schema);
	size_t i;

	if (!dec) {
		job->failed = -ENOMEM;
		return;
	}
	format_decoder_use(dec, w->plan);
	while (!job->failed && (i = atomic_fetch_add(&w->next, 1)) < w->r->blocks.n) {
		if (w->r->blocks.at[i].last_ns >= w->opts->from_ns)
			block(job, dec, i);
	}
	format_decoder_free(dec);
}

/* ---- the walks ---- */

/* A plan for the fields that a walk reads. */
static struct format_plan *plan_of(const struct active_walk *w)
{
	size_t n = w->r->schema->types.n, words = FORMAT_MAX_FIELDS / 64;
	uint64_t *bits = calloc(n + 1, words * sizeof(*bits));
	const uint64_t **fields = calloc(n + 1, sizeof(*fields));
	struct cdict_query query = { .size = sizeof(query), .fields = fields, .n_fields = n };
	struct format_plan *plan = NULL;

	for (size_t i = 0; bits && fields && i < n; i++) {
		const struct active_type *t = &w->types[i];
		uint64_t *of = bits + i * words;

		fields[i] = of;
		if (t->dur >= 0 && (!w->gathers || t->may))
			of[t->dur / 64] |= 1ull << t->dur % 64;
		if (t->phase >= 0 && !w->gathers)
			of[t->phase / 64] |= 1ull << t->phase % 64;
		if (w->gathers && t->may)
			of[t->fname / 64] |= 1ull << t->fname % 64;
	}
	if (bits && fields)
		plan = format_plan_new(w->r->schema, &query);
	free(bits);
	free(fields);
	return plan;
}

static int walk(struct active_walk *w, struct pool *pool, struct active_job *jobs, unsigned n)
{
	int failed = 0;

	w->plan = plan_of(w);
	if (!w->plan)
		return -ENOMEM;
	atomic_store(&w->next, 0);
	for (unsigned i = 0; i < n; i++)
		pool_submit(pool, &jobs[i].job);
	for (unsigned i = 0; i < n; i++) {
		pool_wait(pool, &jobs[i].job);
		failed = failed ? failed : jobs[i].failed;
	}
	format_plan_free(w->plan);
	return failed;
}

static int by_begin(const void *a, const void *b)
{
	const struct active_interval *x = a, *y = b;

	return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

/* Sorts the threads' intervals and joins those that overlap or touch. */
static int join(struct active *out, struct active_job *jobs, unsigned n)
{
	size_t kept = 0;

	for (unsigned i = 0; i < n; i++) {
		size_t before = out->intervals.n;

		if (array_resize(&out->intervals, before + jobs[i].intervals.n))
			return -ENOMEM;
		if (jobs[i].intervals.n)
			memcpy(out->intervals.at + before, jobs[i].intervals.at,
			       jobs[i].intervals.n * sizeof(*out->intervals.at));
		array_fini(&jobs[i].intervals);
	}
	if (!out->intervals.n)
		return 0;
	qsort(out->intervals.at, out->intervals.n, sizeof(*out->intervals.at), by_begin);
	for (size_t i = 1; i < out->intervals.n; i++) {
		struct active_interval *last = &out->intervals.at[kept],
				       *next = &out->intervals.at[i];

		if (next->from_ns > last->to_ns)
			out->intervals.at[++kept] = *next;
		else if (next->to_ns > last->to_ns)
			last->to_ns = next->to_ns;
	}
	out->intervals.n = kept + 1;
	return 0;
}

static int by_dur(const void *a, const void *b)
{
	const struct active_row *x = a, *y = b;

	if (x->dur_ns != y->dur_ns)
		return x->dur_ns < y->dur_ns ? 1 : -1;
	return x->type->index < y->type->index ? -1 : 1;
}

static int add_up(struct active *out, const struct active_walk *w, const struct active_job *jobs,
		  unsigned n)
{
	for (size_t t = 0; t < w->r->schema->types.n; t++) {
		struct active_row row = { .type = cdict_schema_at(w->r->schema, t) };

		for (unsigned i = 0; i < n; i++) {
			row.count += jobs[i].rows[t].count;
			row.dur_ns += jobs[i].rows[t].dur_ns;
			if (histogram_merge(&row.durations, &jobs[i].rows[t].durations)) {
				histogram_fini(&row.durations);
				return -ENOMEM;
			}
		}
		if (row.count && array_push(&out->rows, row)) {
			histogram_fini(&row.durations);
			return -ENOMEM;
		}
	}
	if (out->rows.n)
		qsort(out->rows.at, out->rows.n, sizeof(*out->rows.at), by_dur);
	return 0;
}

/* Looks up the fields of the types. */
static void look(struct active_walk *w)
{
	for (size_t i = 0; i < w->r->schema->types.n; i++) {
		const struct cdict_event_type *type = cdict_schema_at(w->r->schema, i);
		struct active_type *t = &w->types[i];

		t->dur = cdict_event_type_field(type, "dur");
		t->fname = cdict_event_type_field(type, "fname");
		t->phase = w->opts->notebook ? cdict_event_type_field(type, "ph") : -1;
		if (t->dur >= 0 && type->fields[t->dur].kind != CDICT_FIELD_UINT)
			t->dur = -1;
		t->may = t->dur >= 0 && t->fname >= 0 &&
			 type->fields[t->fname].kind > CDICT_FIELD_INT &&
			 (!w->opts->name || !strcmp(w->opts->name, type->event));
	}
}

/* The active times: those given, or those of the events. */
static int times(struct active_walk *w, struct pool *pool, struct active_job *jobs, unsigned n)
{
	const struct active_options *opts = w->opts;
	int ret;

	w->gathers = true;
	if (!opts->set) {
		ret = walk(w, pool, jobs, n);
		return ret ? ret : join(w->out, jobs, n);
	}
	if (array_resize(&w->out->intervals, opts->n_set))
		return -ENOMEM;
	if (opts->n_set)
		memcpy(w->out->intervals.at, opts->set, opts->n_set * sizeof(*opts->set));
	return 0;
}

static int sums(struct active_walk *w, struct pool *pool, struct active_job *jobs, unsigned n)
{
	const struct active *a = w->out;
	int ret;

	w->gathers = false;
	w->span = (struct active_interval){ 0, UINT64_MAX };
	if (w->opts->notebook && a->intervals.n) {
		uint64_t margin_ns = w->opts->margin_ns;

		w->span = (struct active_interval){ a->intervals.at[0].from_ns,
						    a->intervals.at[a->intervals.n - 1].to_ns };
		w->span.from_ns -= margin_ns < w->span.from_ns ? margin_ns : w->span.from_ns;
		saturated_add(&w->span.to_ns, margin_ns);
	}
	ret = w->opts->all || a->intervals.n ? walk(w, pool, jobs, n) : 0;
	return ret ? ret : add_up(w->out, w, jobs, n);
}

int active_sums(struct active *out, struct cdict_reader *r, const struct active_options *opts,
		struct cdict_error *err)
{
	size_t n_types = r->schema ? r->schema->types.n : 0;
	unsigned n = opts->jobs ? opts->jobs : pool_cpus();
	struct active_walk w = {
		.r = r,
		.opts = opts,
		.out = out,
		.to_ns = opts->to_ns ? opts->to_ns : UINT64_MAX,
	};
	struct active_job *jobs;
	struct pool *pool;
	int ret = -ENOMEM;

	*out = (struct active){ 0 };
	if (!n_types)
		return 0;
	n = n > JOBS_MAX ? JOBS_MAX : n;
	jobs = calloc(n, sizeof(*jobs));
	pool = pool_new(n);
	w.types = calloc(n_types, sizeof(*w.types));
	if (!jobs || !pool || !w.types)
		goto out;
	for (unsigned i = 0; i < n; i++) {
		jobs[i].job.run = run;
		jobs[i].walk = &w;
		jobs[i].rows = calloc(n_types, sizeof(*jobs[i].rows));
		if (!jobs[i].rows)
			goto out;
	}
	look(&w);
	ret = opts->all ? 0 : times(&w, pool, jobs, n);
	if (!ret && !opts->only_times)
		ret = sums(&w, pool, jobs, n);
out:
	pool_free(pool);
	for (unsigned i = 0; jobs && i < n; i++) {
		array_fini(&jobs[i].intervals);
		array_fini(&jobs[i].matches);
		for (size_t t = 0; jobs[i].rows && t < n_types; t++)
			histogram_fini(&jobs[i].rows[t].durations);
		free(jobs[i].rows);
	}
	free(jobs);
	free(w.types);
	if (ret)
		active_fini(out);
	return ret ? cdict_fail_nomem(err) : 0;
}

void active_fini(struct active *a)
{
	for (size_t i = 0; i < a->rows.n; i++)
		histogram_fini(&a->rows.at[i].durations);
	array_fini(&a->rows);
	array_fini(&a->intervals);
}
