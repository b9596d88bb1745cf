// SPDX-License-Identifier: LGPL-2.1-only
/* clock_fit_host.c - when each vCPU may have been in guest mode, by the host's events. */
#include "analyze/guest/clock_fit.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/memory/map.h"
#include "base/saturate.h"
#include "base/text/scope.h"

/* Spans of all vCPUs that are kept: so many, or one for some bytes of the file. */
#define SPANS_FEW ((size_t)1 << 19)
#define SPAN_BYTES 6u

/* A vCPU while the host's events are read. */
struct state {
	bool seen, entered; /* seen: in this part */
	uint64_t since_ns;  /* entered, or the time is unknown, since then */
};

struct fit_host {
	ARRAY(struct fit_vcpu) vcpus; /* without events */
	ARRAY(struct state) states;
	struct map of_tid;
	size_t n_spans, most_spans;
	uint64_t least_gap_ns; /* shorter ones are left out: the vCPU may have been in guest mode */
	/* while events are read */
	const struct cdict_event_type *entry, *exit, *sched;
	int prev;
	uint64_t begins_ns; /* the recorder enables its events one after the other up to here */
};

void fit_vcpu_fini(struct fit_vcpu *v)
{
	array_fini(&v->entered);
	array_fini(&v->events);
}

void fit_host_free(struct fit_host *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->vcpus.n; i++)
		fit_vcpu_fini(&h->vcpus.at[i]);
	array_fini(&h->vcpus);
	array_fini(&h->states);
	map_fini(&h->of_tid);
	free(h);
}

static size_t join_near(struct fit_span *spans, size_t n, uint64_t gap_ns)
{
	size_t kept = 0;

	for (size_t i = 1; i < n; i++) {
		struct fit_span *a = &spans[kept], *b = &spans[i];

		if (b->from_ns <= saturated_sum(a->to_ns, gap_ns))
			a->to_ns = b->to_ns > a->to_ns ? b->to_ns : a->to_ns;
		else
			spans[++kept] = *b;
	}
	return n ? kept + 1 : 0;
}

/* Leaves out short gaps until half of the spans are left: the bounds of events between them are looser,
 * those of halts stay. */
static void thin_out(struct fit_host *h)
{
	while (h->n_spans > h->most_spans / 2 && h->least_gap_ns < UINT64_MAX / 2) {
		h->least_gap_ns = h->least_gap_ns ? 2 * h->least_gap_ns : 1000;
		h->n_spans = 0;
		for (size_t i = 0; i < h->vcpus.n; i++) {
			struct fit_vcpu *v = &h->vcpus.at[i];

			v->entered.n = join_near(v->entered.at, v->entered.n, h->least_gap_ns);
			h->n_spans += v->entered.n > 2 ? v->entered.n - 2 : 0;
		}
	}
}

/* Adds a span later than those before it. */
static bool add_span(struct fit_host *h, struct fit_vcpu *v, uint64_t from_ns, uint64_t to_ns)
{
	struct fit_span *last = v->entered.n ? &v->entered.at[v->entered.n - 1] : NULL, *s;

	if (last && from_ns <= saturated_sum(last->to_ns, h->least_gap_ns)) {
		last->to_ns = to_ns > last->to_ns ? to_ns : last->to_ns;
		return true;
	}
	s = array_add(&v->entered);
	if (!s)
		return false;
	*s = (struct fit_span){ from_ns, to_ns };
	if (++h->n_spans >= h->most_spans)
		thin_out(h);
	return true;
}

static int host_event(struct fit_host *h, const struct cdict_event *ev)
{
	bool switched = ev->type == h->sched;
	const uint32_t *i = map_find(
		&h->of_tid, (uint32_t)(switched ? (int32_t)ev->values[h->prev] : ev->tid), 0);
	struct fit_vcpu *v;
	struct state *s;
	bool added = true;

	if (!i || ev->t_ns < h->begins_ns)
		return 0;
	v = &h->vcpus.at[*i];
	s = &h->states.at[*i];
	if (!s->seen) {
		if (switched)
			return 0;
		s->seen = true;
		v->first_ns = v->first_ns ? v->first_ns : ev->t_ns;
		if (!add_span(h, v, s->since_ns, ev->t_ns))
			return -ENOMEM;
	}
	if (ev->type == h->entry) {
		/* At the end the recorder disables its events one after the other, too. */
		v->last_ns = ev->t_ns;
		/* Without an exit between two entries, it may have run in between. */
		if (!s->entered)
			s->since_ns = ev->t_ns;
		s->entered = true;
		return 0;
	}
	if (s->entered)
		added = add_span(h, v, s->since_ns, ev->t_ns);
	s->entered = false;
	return added ? 0 : -ENOMEM;
}

/* After a part nothing is known up to the next one. */
static void end_part(struct fit_host *h)
{
	for (size_t i = 0; i < h->vcpus.n; i++) {
		struct state *s = &h->states.at[i];

		if (s->seen && !s->entered)
			s->since_ns = h->vcpus.at[i].last_ns;
		s->seen = s->entered = false;
	}
}

static int by_from(const void *a, const void *b)
{
	const struct fit_span *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* Adds the time in which nothing is known, and joins what overlaps. */
static int close_spans(struct fit_host *h, size_t at, const struct fit_span *losses, size_t n)
{
	struct fit_vcpu *v = &h->vcpus.at[at];

	if (!v->entered.n)
		return 0;
	if (!add_span(h, v, h->states.at[at].since_ns, UINT64_MAX))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (array_push(&v->entered, losses[i]))
			return -ENOMEM;
	if (n)
		qsort(v->entered.at, v->entered.n, sizeof(*v->entered.at), by_from);
	v->entered.n = join_near(v->entered.at, v->entered.n, 0);
	return 0;
}

static int close_all(struct fit_host *h, const struct cdict_reader *host)
{
	ARRAY(struct fit_span) losses = { 0 };
	uint64_t gap_ns = 0;
	int ret = 0;

	for (size_t i = 0; i < cdict_reader_loss_count(host) && !ret; i++) {
		const struct cdict_loss *l = cdict_reader_loss_at(host, i);
		uint64_t to_ns = l->to_ns > l->from_ns ? l->to_ns : l->from_ns;

		ret = array_push(&losses, (struct fit_span){ l->from_ns, to_ns });
	}
	if (losses.n)
		qsort(losses.at, losses.n, sizeof(*losses.at), by_from);
	losses.n = join_near(losses.at, losses.n, 0);
	while (losses.n > 1 && losses.n > h->most_spans / (h->vcpus.n + 1)) {
		gap_ns = gap_ns ? 2 * gap_ns : 1000;
		losses.n = join_near(losses.at, losses.n, gap_ns);
	}
	for (size_t i = 0; i < h->vcpus.n && !ret; i++)
		ret = close_spans(h, i, losses.at, losses.n);
	array_fini(&losses);
	return ret;
}

static void want(uint64_t *types, const struct cdict_event_type *type)
{
	if (type)
		types[type->index / 64] |= UINT64_C(1) << type->index % 64;
}

static int read_events(struct fit_host *h, struct cdict_reader *host,
		       const struct cdict_query *query, struct cdict_error *err)
{
	struct cdict_events *it = NULL;
	struct cdict_event ev;
	int ret = cdict_events_open(&it, host, query, err);

	while (!ret) {
		int got = cdict_events_next(it, &ev, err);

		if (got <= 0) {
			ret = got;
			break;
		}
		if (host_event(h, &ev))
			ret = cdict_fail_nomem(err);
	}
	cdict_events_close(it);
	end_part(h);
	return ret;
}

static int read_host(struct fit_host *h, struct cdict_reader *host, const struct fit_span *parts,
		     size_t n_parts, struct cdict_error *err)
{
	const struct cdict_schema *schema = cdict_reader_schema(host);
	size_t n_types = cdict_schema_count(schema);
	uint64_t *types = calloc(n_types / 64 + 1, sizeof(*types));
	const uint64_t **fields = calloc(n_types + 1, sizeof(*fields));
	uint64_t *none, *prev;
	size_t words = 1;
	struct cdict_query query = { .size = sizeof(query),
				     .types = types,
				     .n_types = n_types,
				     .fields = fields,
				     .n_fields = n_types };
	struct scope scope;
	int ret = 0;

	for (size_t i = 0; i < n_types; i++)
		if (cdict_schema_at(schema, i)->n_fields / 64 >= words)
			words = cdict_schema_at(schema, i)->n_fields / 64 + 1;
	none = calloc(2 * words, sizeof(*none));
	prev = none + words;
	if (!types || !fields || !none) {
		ret = cdict_fail_nomem(err);
		goto out;
	}
	scope_of_reader(&scope, host);
	h->begins_ns = scope.begins_ns;
	h->entry = cdict_schema_find(schema, "kvm:kvm_entry");
	h->exit = cdict_schema_find(schema, "kvm:kvm_exit");
	h->sched = cdict_schema_find(schema, "sched:sched_switch");
	h->prev = h->sched ? cdict_event_type_field(h->sched, "prev_pid") : -1;
	if (h->prev < 0)
		h->sched = NULL;
	if (!h->entry || !h->exit) {
		ret = cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
				 "the host's recording has no kvm_entry and kvm_exit");
		goto out;
	}
	want(types, h->entry);
	want(types, h->exit);
	want(types, h->sched);
	for (size_t i = 0; i < n_types; i++)
		fields[i] = h->sched && i == h->sched->index ? prev : none;
	if (h->sched)
		prev[h->prev / 64] = UINT64_C(1) << h->prev % 64;
	for (size_t i = 0; i < n_parts && !ret; i++) {
		query.from_ns = parts[i].from_ns;
		query.to_ns = parts[i].to_ns;
		ret = read_events(h, host, &query, err);
	}
	if (!ret && close_all(h, host))
		ret = cdict_fail_nomem(err);
out:
	free(none);
	free(types);
	free(fields);
	return ret;
}

int fit_host_new(struct fit_host **out, struct cdict_reader *host, const int32_t *tids, size_t n,
		 const struct fit_span *parts, size_t n_parts, struct cdict_error *err)
{
	static const struct fit_span whole = { 0, 0 };
	struct fit_host *h = calloc(1, sizeof(*h));
	int ret = h ? 0 : -ENOMEM;

	*out = NULL;
	if (h)
		h->most_spans = cdict_reader_size(host) / SPAN_BYTES > SPANS_FEW
					? (size_t)(cdict_reader_size(host) / SPAN_BYTES)
					: SPANS_FEW;
	for (size_t i = 0; i < n && !ret; i++) {
		uint32_t *number = map_add(&h->of_tid, (uint32_t)tids[i], 0);

		if (!number) {
			ret = -ENOMEM;
		} else if (*number == MAP_NEW) {
			*number = (uint32_t)h->vcpus.n;
			ret = array_push(&h->vcpus, (struct fit_vcpu){ 0 }) ||
					      array_push(&h->states, (struct state){ 0 })
				      ? -ENOMEM
				      : 0;
		}
	}
	ret = ret ? cdict_fail_nomem(err)
		  : read_host(h, host, parts ? parts : &whole, parts ? n_parts : 1, err);
	if (ret)
		fit_host_free(h);
	else
		*out = h;
	return ret;
}

const struct fit_vcpu *fit_host_vcpu(const struct fit_host *h, int32_t tid)
{
	const uint32_t *i = map_find(&h->of_tid, (uint32_t)tid, 0);

	return i && h->vcpus.at[*i].entered.n ? &h->vcpus.at[*i] : NULL;
}
