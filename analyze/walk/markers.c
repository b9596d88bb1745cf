// SPDX-License-Identifier: LGPL-2.1-only
/* markers.c - see markers.h. */
#include "analyze/walk/markers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/printing/marker_filter.h"
#include "analyze/walk/comms.h"
#include "base/fail.h"
#include "base/memory/array.h"
#include "base/text/suggest.h"

/* A marker; without a system its event may be of several types. */
struct marker {
	const char *option, *text;
	const char *filter; /* in @text */
	size_t n_event, n_filter;
	struct marker_filter **by_type; /* NULL: not this marker's event */
	bool comm;
};

struct search {
	struct cdict_reader *r;
	const struct cdict_schema *schema;
	const struct markers_options *how;
	struct markers_found *found;
	struct marker start, end;
	uint64_t *types;
	const uint64_t **fields; /* used, by type */
	uint64_t *none;          /* for types that are not markers */
	struct comms comms;
	ARRAY(struct timespec_window) windows;
	bool open;
};

static bool names_type(const struct marker *m, const struct cdict_event_type *type)
{
	const char *name = memchr(m->text, ':', m->n_event) ? type->name : type->event;

	return strlen(name) == m->n_event && !memcmp(name, m->text, m->n_event);
}

static int split(struct marker *m, const char *option, const char *text, struct cdict_error *err)
{
	size_t n = strlen(text);

	m->option = option;
	m->text = text;
	m->n_event = strcspn(text, "/");
	if (m->n_event == n)
		return 0;
	m->filter = text + m->n_event + 1;
	m->n_filter = n - m->n_event - 1;
	if (!m->n_filter || m->filter[m->n_filter - 1] != '/')
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "option --%s takes EVENT or EVENT/FILTER/: '%s' has no final /",
				  option, text);
	m->n_filter--;
	return 0;
}

static int no_event(const struct search *s, const struct marker *m, struct cdict_error *err)
{
	struct suggest like;

	suggest_begin(&like, m->text, m->n_event);
	for (size_t i = 0; i < cdict_schema_count(s->schema); i++) {
		const struct cdict_event_type *type = cdict_schema_at(s->schema, i);

		suggest_try(&like, memchr(m->text, ':', m->n_event) ? type->name : type->event);
	}
	return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
			  "option --%s: the capture has no event '%.*s'%s", m->option,
			  (int)(m->n_event < 200 ? m->n_event : 200), m->text,
			  suggest_text(&like, ""));
}

/* Creates the marker's filter for each type that it names. */
static int marker_init(struct search *s, struct marker *m, const char *option, const char *text,
		       struct cdict_error *err)
{
	size_t n = cdict_schema_count(s->schema);
	bool any = false;
	int ret = split(m, option, text, err);

	if (ret)
		return ret;
	m->by_type = calloc(n + 1, sizeof(*m->by_type));
	if (!m->by_type)
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < n && !ret; i++) {
		const struct cdict_event_type *type = cdict_schema_at(s->schema, i);

		if (!names_type(m, type))
			continue;
		any = true;
		ret = marker_filter_new(&m->by_type[i], type, m->filter, m->n_filter, err);
		if (ret == CDICT_EUSAGE) {
			char why[sizeof(err->text)];

			memcpy(why, err->text, sizeof(why));
			return cdict_fail(err, ret, CDICT_NO_OFFSET, "option --%s: %s", option,
					  why);
		}
		if (ret)
			return ret;
		s->types[i / 64] |= UINT64_C(1) << i % 64;
		m->comm |= marker_filter_asks_comm(m->by_type[i]);
	}
	return ret || any ? ret : no_event(s, m, err);
}

static void marker_fini(struct search *s, struct marker *m)
{
	for (size_t i = 0; m->by_type && i < cdict_schema_count(s->schema); i++)
		marker_filter_free(m->by_type[i]);
	free(m->by_type);
}

static bool matches(const struct marker *m, const struct cdict_event *ev, const char *comm)
{
	const struct marker_filter *f = m->by_type ? m->by_type[ev->type->index] : NULL;

	return f && marker_filter_passes(f, ev, comm);
}

static int begin_window(struct search *s, uint64_t t_ns, struct cdict_error *err)
{
	s->open = true;
	return array_push(&s->windows, (struct timespec_window){ t_ns, t_ns })
		       ? cdict_fail_nomem(err)
		       : 0;
}

static void end(struct search *s, uint64_t t_ns)
{
	s->windows.at[s->windows.n - 1].to_ns = t_ns;
	s->open = false;
}

/* An event that opens a window does not end it, and one that ends a window does not open
 * another. */
static int take_event(struct search *s, const struct cdict_event *ev, struct cdict_error *err)
{
	const char *comm = NULL;
	bool is_start, is_end;

	if ((s->start.comm || s->end.comm) && comms_at(&s->comms, ev->tid, ev->t_ns, &comm))
		return cdict_fail_nomem(err);
	is_start = matches(&s->start, ev, comm);
	is_end = matches(&s->end, ev, comm);
	if (s->open && is_end)
		end(s, ev->t_ns);
	else if (s->open && is_start)
		s->found->nested++;
	else if (is_start)
		return begin_window(s, ev->t_ns, err);
	else if (is_end && s->how->start)
		s->found->ends++;
	return 0;
}

static int walk(struct search *s, struct cdict_error *err)
{
	struct cdict_query query = { .size = sizeof(query),
				     .from_ns = s->how->from_ns,
				     .to_ns = s->how->to_ns,
				     .types = s->types,
				     .n_types = cdict_schema_count(s->schema),
				     .fields = s->fields,
				     .n_fields = cdict_schema_count(s->schema),
				     .jobs = s->how->jobs };
	struct cdict_events *it;
	struct cdict_event ev;
	int ret = cdict_events_open(&it, s->r, &query, err);

	while (!ret && (ret = cdict_events_next(it, &ev, err)) > 0)
		ret = take_event(s, &ev, err);
	cdict_events_close(it);
	return ret;
}

/* Selects the fields that the filters use, of both markers if both name a type. */
static int choose_fields(struct search *s, struct cdict_error *err)
{
	size_t n = cdict_schema_count(s->schema), words = 1;

	for (size_t i = 0; i < n; i++)
		if (cdict_schema_at(s->schema, i)->n_fields / 64 >= words)
			words = cdict_schema_at(s->schema, i)->n_fields / 64 + 1;
	s->fields = calloc(n + 1, sizeof(*s->fields));
	s->none = calloc(words, sizeof(*s->none));
	if (!s->fields || !s->none)
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		struct marker_filter *a = s->start.by_type ? s->start.by_type[i] : NULL;
		struct marker_filter *b = s->end.by_type ? s->end.by_type[i] : NULL;

		if (a && b)
			marker_filter_share(a, b);
		s->fields[i] = a ? marker_filter_fields(a) : b ? marker_filter_fields(b) : s->none;
	}
	return 0;
}

/* After the walk: drops an open window, or ends it with the time range when there is no end
 * marker. */
static int finish(struct search *s, struct cdict_error *err)
{
	size_t n = s->windows.n;

	if (s->open && !s->how->end) {
		end(s, s->how->to_ns);
	} else if (s->open) {
		s->found->open = s->how->start != NULL;
		s->found->open_at_ns = s->windows.at[n - 1].from_ns;
		n = --s->windows.n;
	}
	s->found->windows = n;
	if (!n)
		return cdict_fail(err, CDICT_ENOEVENTS, CDICT_NO_OFFSET,
				  s->found->open || !s->how->start
					  ? "no event matches --window-end%s"
					  : "no event matches --window-start%s",
				  s->found->open ? ", after the start" : "");
	return 0;
}

static void pick(struct search *s)
{
	struct timespec_window *w = s->windows.at;
	size_t n = s->windows.n;

	switch (s->how->pick) {
	case MARKERS_FIRST:
		s->windows.n = 1;
		break;
	case MARKERS_LAST:
		w[0] = w[n - 1];
		s->windows.n = 1;
		break;
	case MARKERS_OUTER:
		w[0].to_ns = w[n - 1].to_ns;
		s->windows.n = 1;
		break;
	case MARKERS_EACH:
		break;
	}
}

static int find_windows(struct search *s, struct cdict_error *err)
{
	int ret = 0;

	s->types = calloc(cdict_schema_count(s->schema) / 64 + 1, sizeof(*s->types));
	if (!s->types)
		return cdict_fail_nomem(err);
	if (s->how->start)
		ret = marker_init(s, &s->start, "window-start", s->how->start, err);
	if (!ret && s->how->end)
		ret = marker_init(s, &s->end, "window-end", s->how->end, err);
	if (!ret)
		ret = choose_fields(s, err);
	if (!ret && (s->start.comm || s->end.comm))
		ret = comms_init(&s->comms, s->r, err);
	if (!ret && !s->how->start)
		ret = begin_window(s, s->how->from_ns, err);
	if (!ret)
		ret = walk(s, err);
	return ret ? ret : finish(s, err);
}

int markers_find(struct timespec_set *out, struct markers_found *found, struct cdict_reader *r,
		 const struct markers_options *how, struct cdict_error *err)
{
	struct search s = { .r = r, .schema = cdict_reader_schema(r), .how = how, .found = found };
	int ret;

	*found = (struct markers_found){ 0 };
	ret = find_windows(&s, err);
	if (!ret) {
		pick(&s);
		*out = (struct timespec_set){ .windows = s.windows.at, .n = s.windows.n };
		s.windows.at = NULL;
		s.windows.n = s.windows.cap = 0;
	}
	marker_fini(&s, &s.start);
	marker_fini(&s, &s.end);
	comms_fini(&s.comms);
	array_fini(&s.windows);
	free(s.types);
	free(s.fields);
	free(s.none);
	return ret;
}
