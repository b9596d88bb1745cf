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
	const uint64_t **fields; /* used, by type; NULL: the type is no marker */
	struct comms comms;
	ARRAY(struct timespec_window) windows;
	ARRAY(struct markers_call) calls;
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

/* Whether events of this type occur in a system call of their task that is the marker's: ftrace:print is written to the
 * file trace_marker. */
static bool in_call(const struct cdict_event_type *type)
{
	static const char *const systems[] = { "raw_syscalls:", "syscalls:", "ftrace:",
					       "user_events:" };

	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++) {
		if (!strncmp(type->name, systems[i], strlen(systems[i])))
			return true;
	}
	return false;
}

static int add_call(struct search *s, const struct cdict_event *ev, struct cdict_error *err)
{
	struct markers_call call = { ev->tid, ev->t_ns };

	return in_call(ev->type) && array_push(&s->calls, call) ? cdict_fail_nomem(err) : 0;
}

/* An event that opens a window does not end it, and one that ends a window does not open another, except when windows are
 * re-armed. */
static int take_event(struct search *s, const struct cdict_event *ev, struct cdict_error *err)
{
	bool rearmed = s->how->pick == MARKERS_REARMED, is_start, is_end;
	const char *comm = NULL;
	int rc = 0;

	if ((s->start.comm || s->end.comm) && comms_at(&s->comms, ev->tid, ev->t_ns, &comm))
		return cdict_fail_nomem(err);
	is_start = matches(&s->start, ev, comm);
	is_end = matches(&s->end, ev, comm);
	if (s->open && is_end) {
		end(s, ev->t_ns);
		if (rearmed && is_start)
			rc = begin_window(s, ev->t_ns, err);
	} else if (s->open && is_start && rearmed) {
		s->windows.at[s->windows.n - 1].from_ns = ev->t_ns;
		s->found->restarts++;
	} else if (s->open && is_start) {
		s->found->nested++;
		return 0;
	} else if (is_start) {
		rc = begin_window(s, ev->t_ns, err);
	} else {
		s->found->ends += is_end && s->how->start;
		return 0;
	}
	return rc ? rc : add_call(s, ev, err);
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
	size_t n = cdict_schema_count(s->schema);

	s->fields = calloc(n + 1, sizeof(*s->fields));
	if (!s->fields)
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		struct marker_filter *a = s->start.by_type ? s->start.by_type[i] : NULL;
		struct marker_filter *b = s->end.by_type ? s->end.by_type[i] : NULL;

		if (a && b)
			marker_filter_share(a, b);
		s->fields[i] = a ? marker_filter_fields(a) : b ? marker_filter_fields(b) : NULL;
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
	case MARKERS_REARMED:
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

static int compare_calls(const void *a, const void *b)
{
	const struct markers_call *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->t_ns > y->t_ns) - (x->t_ns < y->t_ns);
}

bool markers_call_in(const struct markers_call *calls, size_t n, int32_t tid, uint64_t from_ns,
		     uint64_t to_ns)
{
	const struct markers_call first = { tid, from_ns };
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (compare_calls(&calls[mid], &first) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && calls[lo].tid == tid && calls[lo].t_ns <= to_ns;
}

void markers_found_fini(struct markers_found *found)
{
	free(found->calls);
	*found = (struct markers_found){ 0 };
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
		if (s.calls.n)
			qsort(s.calls.at, s.calls.n, sizeof(*s.calls.at), compare_calls);
		found->calls = s.calls.at;
		found->n_calls = s.calls.n;
		s.calls.at = NULL;
		s.calls.n = s.calls.cap = 0;
	}
	marker_fini(&s, &s.start);
	marker_fini(&s, &s.end);
	comms_fini(&s.comms);
	array_fini(&s.windows);
	array_fini(&s.calls);
	free(s.types);
	free(s.fields);
	return ret;
}
