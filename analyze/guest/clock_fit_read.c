// SPDX-License-Identifier: LGPL-2.1-only
/* Reads what the fit of a guest's clock needs: when each vCPU may have been in guest mode, by the host's
 * events, and when the guest had events on it. */
#include "analyze/guest/clock_fit.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/scope.h"

/* Events of the guest that are read, and the parts of its recording in which they are. */
#define EVENTS_MOST 100000u
#define PARTS 20u

/* A vCPU while the host's events are read. */
struct state {
	bool seen, entered;
	uint64_t since_ns;
};

struct side {
	struct fit_vcpu *vcpus;
	struct state *states;
	const struct guest_fit_vcpu *of;
	size_t n;
	const struct cdict_event_type *entry, *exit, *sched;
	int prev;
	uint64_t begins_ns; /* the recorder enables its events one after the other up to here */
};

void fit_vcpu_fini(struct fit_vcpu *v)
{
	array_fini(&v->entered);
	array_fini(&v->events);
}

static bool add_span(struct fit_vcpu *v, uint64_t from_ns, uint64_t to_ns)
{
	struct fit_span *s = array_add(&v->entered);

	if (s)
		*s = (struct fit_span){ from_ns, to_ns };
	return s;
}

static size_t vcpu_of(const struct side *h, int32_t tid)
{
	size_t i = 0;

	while (i < h->n && h->of[i].tid != tid)
		i++;
	return i;
}

static int host_event(struct side *h, const struct cdict_event *ev)
{
	bool switched = ev->type == h->sched;
	size_t i = vcpu_of(h, switched ? (int32_t)ev->values[h->prev] : ev->tid);
	struct fit_vcpu *v = &h->vcpus[i];
	struct state *s = &h->states[i];
	bool added = true;

	if (i == h->n || ev->t_ns < h->begins_ns)
		return 0;
	if (!s->seen) {
		if (ev->type == h->sched)
			return 0;
		s->seen = true;
		v->first_ns = ev->t_ns;
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
		added = add_span(v, s->since_ns, ev->t_ns);
	s->entered = false;
	return added ? 0 : -ENOMEM;
}

static int by_from(const void *a, const void *b)
{
	const struct fit_span *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* Adds the time in which nothing is known, and joins what overlaps. */
static int close_spans(struct fit_vcpu *v, const struct state *s, const struct cdict_reader *host)
{
	size_t kept = 0;

	if (!s->seen)
		return 0;
	if (!add_span(v, 0, v->first_ns) ||
	    !add_span(v, s->entered ? s->since_ns : v->last_ns, UINT64_MAX))
		return -ENOMEM;
	for (size_t i = 0; i < cdict_reader_loss_count(host); i++) {
		const struct cdict_loss *l = cdict_reader_loss_at(host, i);

		if (!add_span(v, l->from_ns, l->to_ns > l->from_ns ? l->to_ns : l->from_ns))
			return -ENOMEM;
	}
	qsort(v->entered.at, v->entered.n, sizeof(*v->entered.at), by_from);
	for (size_t i = 1; i < v->entered.n; i++) {
		struct fit_span *a = &v->entered.at[kept], *b = &v->entered.at[i];

		if (b->from_ns <= a->to_ns)
			a->to_ns = b->to_ns > a->to_ns ? b->to_ns : a->to_ns;
		else
			v->entered.at[++kept] = *b;
	}
	v->entered.n = kept + 1;
	return 0;
}

static void want(uint64_t *types, const struct cdict_event_type *type)
{
	if (type)
		types[type->index / 64] |= UINT64_C(1) << type->index % 64;
}

static int read_host(struct side *h, struct cdict_reader *host, struct cdict_error *err)
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
	struct cdict_events *it = NULL;
	struct cdict_event ev;
	struct scope scope;
	int ret;

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
	ret = cdict_events_open(&it, host, &query, err);
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
	for (size_t i = 0; i < h->n && !ret; i++)
		if (close_spans(&h->vcpus[i], &h->states[i], host))
			ret = cdict_fail_nomem(err);
out:
	free(none);
	free(types);
	free(fields);
	return ret;
}

/* The guest's events from @from_ns to @to_ns. */
static int read_part(struct side *h, struct cdict_reader *guest, uint64_t from_ns, uint64_t to_ns,
		     struct cdict_error *err)
{
	struct cdict_query query = { .size = sizeof(query), .from_ns = from_ns, .to_ns = to_ns };
	struct cdict_events *it = NULL;
	struct cdict_event ev;
	int ret = cdict_events_open(&it, guest, &query, err);

	while (!ret) {
		int got = cdict_events_next(it, &ev, err);
		size_t i = 0;

		if (got <= 0) {
			ret = got;
			break;
		}
		while (i < h->n && h->of[i].guest_cpu != ev.cpu)
			i++;
		if (i < h->n && h->states[i].seen && array_push(&h->vcpus[i].events, ev.t_ns))
			ret = cdict_fail_nomem(err);
	}
	cdict_events_close(it);
	return ret;
}

/* Of a long recording some parts suffice, the first and the last among them. */
static int read_guest(struct side *h, struct cdict_reader *guest, struct cdict_error *err)
{
	uint64_t events = cdict_reader_events(guest), first_ns, last_ns, step_ns, part_ns;
	int ret = 0;

	if (events <= EVENTS_MOST || !cdict_reader_window(guest, &first_ns, &last_ns))
		return read_part(h, guest, 0, 0, err);
	step_ns = (last_ns - first_ns) / PARTS;
	if (!step_ns)
		return read_part(h, guest, 0, 0, err);
	part_ns = (uint64_t)((double)step_ns * EVENTS_MOST / (double)events);
	for (uint64_t i = 0; i < PARTS && !ret; i++) {
		uint64_t from_ns = first_ns + i * step_ns + i * (step_ns - part_ns) / (PARTS - 1);

		ret = read_part(h, guest, from_ns, from_ns + part_ns, err);
	}
	return ret;
}

int fit_read(struct fit_vcpu *vcpus, const struct guest_fit_vcpu *of, size_t n,
	     struct cdict_reader *host, struct cdict_reader *guest, struct cdict_error *err)
{
	struct state *states = calloc(n ? n : 1, sizeof(*states));
	struct side h = { .vcpus = vcpus, .states = states, .of = of, .n = n };
	int ret;

	if (!states)
		return cdict_fail_nomem(err);
	ret = read_host(&h, host, err);
	if (!ret)
		ret = read_guest(&h, guest, err);
	free(states);
	return ret;
}

/* The difference of the clocks by the wall clocks of both recordings. */
static void guess(struct fit_input *in, const struct cdict_reader *host,
		  const struct cdict_reader *guest)
{
	const char *text[4] = { cdict_reader_info(host, "clock.wall_ns"),
				cdict_reader_info(host, "clock.mono_ns"),
				cdict_reader_info(guest, "clock.wall_ns"),
				cdict_reader_info(guest, "clock.mono_ns") };
	uint64_t value[4];

	for (size_t i = 0; i < 4; i++) {
		if (!text[i])
			return;
		value[i] = strtoull(text[i], NULL, 10);
	}
	in->guessed = true;
	in->guess_ns = (int64_t)((value[1] - value[0]) - (value[3] - value[2]));
}

int guest_clock_fit(struct guest_clock *out, struct cdict_reader *host, struct cdict_reader *guest,
		    const struct guest_fit_vcpu *vcpus, size_t n, struct cdict_error *err)
{
	struct fit_vcpu *all = calloc(n ? n : 1, sizeof(*all));
	struct fit_input in = { .vcpus = all, .n = n };
	int ret;

	if (!all)
		return cdict_fail_nomem(err);
	ret = fit_read(all, vcpus, n, host, guest, err);
	if (!ret) {
		guess(&in, host, guest);
		ret = fit_clock(out, &in, err);
	}
	for (size_t i = 0; i < n; i++)
		fit_vcpu_fini(&all[i]);
	free(all);
	return ret;
}
