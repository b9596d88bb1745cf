// SPDX-License-Identifier: GPL-2.0-only
/* stream.c - see stream.h. */
#include "query/sql/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

static int stream_next(struct query_source *src, struct cdict_error *err)
{
	struct stream_source *s = (struct stream_source *)(void *)src;

	if (s->done)
		return 0;
	s->run->db->read++;
	return cdict_events_next(s->it, &s->ev, err);
}

static void stream_close(struct query_source *src)
{
	struct stream_source *s = (struct stream_source *)(void *)src;

	cdict_events_close(s->it);
	free(s->fields);
	free(s->types);
	free(s->cpus);
	free(s);
}

static void set_window(struct stream_source *s, const struct stream_options *opts,
		       struct cdict_query *query)
{
	struct query_scan clipped = *opts->scan;
	const struct query_scan *scan = &clipped;
	uint64_t to = opts->by_end ? scan->end_to_ns : scan->to_ns;
	const struct query_thread *t;

	query_clip(s->run, &clipped);
	s->done |= clipped.nothing;
	if (!opts->by_end && scan->end_to_ns < to)
		to = scan->end_to_ns;
	query->from_ns = scan->from_ns > scan->end_from_ns ? scan->from_ns : scan->end_from_ns;
	if (scan->clip_from_ns > query->from_ns)
		query->from_ns = scan->clip_from_ns;
	/* adjacent windows add up: the end belongs to the next one, except at the capture's end */
	if (scan->clip_to_ns && scan->clip_to_ns < s->run->last_ns && scan->clip_to_ns <= to)
		to = scan->clip_to_ns - 1;
	if (scan->has_utid && s->run->has_threads) {
		t = query_thread_find(s->run, scan->utid);
		s->done |= !t;
		if (t && t->tid && t->born_ns != ANALYZE_NO_TIME && t->born_ns > query->from_ns)
			query->from_ns = t->born_ns;
	}
	query->to_ns = to;
	s->done |= !to || query->from_ns > to || query->from_ns > s->run->last_ns;
}

static int common_pid(const struct cdict_event_type *type)
{
	return cdict_event_type_field(type, "common_pid");
}

/* Selects the types and their fields; -ENOMEM. One allocation holds all bitmaps; the caller frees *@fields. */
static int set_types(struct stream_source *s, const struct stream_options *opts,
		     struct cdict_query *query, const uint64_t ***fields)
{
	const struct cdict_schema *schema = cdict_reader_schema(s->run->reader);
	size_t n = cdict_schema_count(schema), words = n / 64 + 1, at = words;
	bool any = false;
	uint64_t *bits;

	for (size_t i = 0; i < n; i++)
		words += cdict_schema_at(schema, i)->n_fields / 64 + 1;
	bits = calloc(words, sizeof(*bits));
	*fields = calloc(n + 1, sizeof(**fields));
	s->fields = calloc(n * opts->n_fields + 1, sizeof(*s->fields));
	s->n_fields = opts->n_fields;
	if (!bits || !*fields || !s->fields) {
		free(bits);
		free(*fields);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		const struct cdict_event_type *type = cdict_schema_at(schema, i);
		uint64_t *of = bits + at;

		at += type->n_fields / 64 + 1;
		(*fields)[i] = of;
		if (!opts->wants(opts->ctx, type))
			continue;
		any = true;
		bits[i / 64] |= UINT64_C(1) << i % 64;
		for (size_t f = 0; f < opts->n_fields; f++) {
			int field = opts->field(opts->ctx, type, f);

			s->fields[i * opts->n_fields + f] = field;
			if (field >= 0)
				of[field / 64] |= UINT64_C(1) << field % 64;
		}
		if (s->run->foreign && opts->utid && common_pid(type) >= 0)
			of[common_pid(type) / 64] |= UINT64_C(1) << common_pid(type) % 64;
	}
	s->done |= !any;
	query->types = bits;
	query->n_types = n;
	query->fields = *fields;
	query->n_fields = n;
	s->types = bits;
	return 0;
}

static int open_events(struct stream_source *s, const struct stream_options *opts,
		       struct cdict_error *err)
{
	struct cdict_query query = { .size = sizeof(query), .jobs = s->run->db->opts.jobs };
	uint32_t cpu = opts->scan->cpu;
	const uint64_t **fields;
	int rc = 0;

	set_window(s, opts, &query);
	if (opts->scan->has_cpu) {
		s->done |= cpu >= cdict_reader_cpus(s->run->reader);
		s->cpus = s->done ? NULL : calloc((size_t)cpu / 64 + 1, sizeof(*s->cpus));
		if (!s->done && !s->cpus)
			return cdict_fail_nomem(err);
		if (s->cpus)
			s->cpus[cpu / 64] = UINT64_C(1) << cpu % 64;
		query.cpus = s->cpus;
		query.n_cpus = (size_t)cpu + 1;
	}
	if (set_types(s, opts, &query, &fields))
		return cdict_fail_nomem(err);
	if (!s->done && !opts->scan->shared)
		rc = cdict_events_open(&s->it, s->run->reader, &query, err);
	free(fields);
	return rc;
}

int stream_open(struct query_source **out, struct query_run_of *run,
		const struct stream_options *opts,
		void (*column)(struct query_source *src, struct query_value *out, int column),
		struct cdict_error *err)
{
	struct stream_source *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return cdict_fail_nomem(err);
	s->base = (struct query_source){ stream_next, column, stream_close };
	s->run = run;
	s->ctx = opts->ctx;
	rc = opts->utid || opts->scan->has_utid ? query_threads(run, err) : 0;
	if (!rc)
		rc = open_events(s, opts, err);
	if (rc) {
		stream_close(&s->base);
		return rc;
	}
	*out = &s->base;
	return 0;
}

int stream_field(const struct stream_source *s, size_t field)
{
	return s->fields[s->ev.type->index * s->n_fields + field];
}

void stream_result_field(const struct stream_source *s, struct query_value *out, int field)
{
	const struct cdict_field *f;
	struct cdict_bytes b;

	if (field < 0)
		return;
	f = &s->ev.type->fields[field];
	if (f->kind == CDICT_FIELD_UINT || f->kind == CDICT_FIELD_INT) {
		if (s->run->sparse && f->kind == CDICT_FIELD_INT && f->size == 8 &&
		    (int64_t)s->ev.values[field] == INT64_MIN)
			return;
		query_result_int(out, (int64_t)s->ev.values[field]);
		return;
	}
	b = cdict_event_bytes(&s->ev, (size_t)field);
	if (s->run->sparse && f->is_text && !b.len)
		return;
	if (b.len > INT32_MAX)
		query_result_failed(out, -EFBIG);
	else if (f->is_text)
		query_result_bytes(out, QUERY_TEXT, b.data,
				   b.len ? strnlen((const char *)b.data, b.len) : 0);
	else
		query_result_bytes(out, QUERY_BLOB, b.data, b.len);
}

static const struct query_thread *thread_of(struct stream_source *s, int32_t tid)
{
	struct stream_thread *known = &s->threads[(uint32_t)tid % STREAM_THREADS];
	const struct query_thread *t;

	if (known->tid == tid)
		return known->thread;
	t = query_thread_at(s->run, tid, s->ev.t_ns);
	if (!query_thread_nth(s->run, tid, 1))
		*known = (struct stream_thread){ tid, t };
	return t;
}

int64_t stream_utid(struct stream_source *s)
{
	const struct query_thread *t;
	int32_t tid = s->ev.tid;

	if (s->run->foreign) {
		int field = common_pid(s->ev.type);

		tid = field >= 0 ? (int32_t)s->ev.values[field] : -1;
	}
	if (!tid)
		return 0;
	t = tid > 0 ? thread_of(s, tid) : NULL;
	return t ? t->utid : -1;
}

void stream_result_utid(struct stream_source *s, struct query_value *out)
{
	int64_t utid = stream_utid(s);

	if (utid >= 0)
		query_result_int(out, utid);
}
