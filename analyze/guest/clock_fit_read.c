// SPDX-License-Identifier: LGPL-2.1-only
/* clock_fit_read.c - a guest's events, and what of the host bounds them. */
#include "analyze/guest/clock_fit.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/saturate.h"

/* Events of the guest that are read, and the parts of its recording in which they are. */
#define EVENTS_MOST 100000u
#define PARTS 20u
/* The same to check a clock that is known: the host is only read there. */
#define CHECK_EVENTS 20000u
#define CHECK_PARTS 8u
#define CHECK_MARGIN_NS 1000000u

/* Without any field's values. */
static int open_events(struct cdict_events **it, struct cdict_reader *guest,
		       const struct fit_span *part, struct cdict_error *err)
{
	const struct cdict_schema *schema = cdict_reader_schema(guest);
	size_t n = cdict_schema_count(schema), words = 1;
	const uint64_t **fields = calloc(n + 1, sizeof(*fields));
	struct cdict_query query = {
		.size = sizeof(query),
		.from_ns = part->from_ns,
		.to_ns = part->to_ns,
		.fields = fields,
		.n_fields = n,
	};
	uint64_t *none;
	int ret;

	for (size_t i = 0; i < n; i++)
		if (cdict_schema_at(schema, i)->n_fields / 64 >= words)
			words = cdict_schema_at(schema, i)->n_fields / 64 + 1;
	none = calloc(words, sizeof(*none));
	for (size_t i = 0; i < n && fields; i++)
		fields[i] = none;
	ret = fields && none ? cdict_events_open(it, guest, &query, err) : cdict_fail_nomem(err);
	free(none);
	free(fields);
	return ret;
}

static int read_part(struct fit_vcpu *vcpus, const struct guest_fit_vcpu *of, size_t n,
		     struct cdict_reader *guest, const struct fit_span *part,
		     struct cdict_error *err)
{
	struct cdict_events *it = NULL;
	struct cdict_event ev;
	int ret = open_events(&it, guest, part, err);

	while (!ret) {
		int got = cdict_events_next(it, &ev, err);
		size_t i = 0;

		if (got <= 0) {
			ret = got;
			break;
		}
		while (i < n && of[i].guest_cpu != ev.cpu)
			i++;
		if (i < n && vcpus[i].entered.n && array_push(&vcpus[i].events, ev.t_ns))
			ret = cdict_fail_nomem(err);
	}
	cdict_events_close(it);
	return ret;
}

/* Of a long recording some parts suffice, the first and the last among them. Returns how many. */
static size_t choose_parts(struct fit_span parts[PARTS], const struct cdict_reader *guest,
			   uint64_t most, uint64_t n)
{
	uint64_t events = cdict_reader_events(guest), first_ns, last_ns, step_ns, part_ns;

	parts[0] = (struct fit_span){ 0, 0 };
	if (events <= most || !cdict_reader_window(guest, &first_ns, &last_ns))
		return 1;
	step_ns = (last_ns - first_ns) / n;
	if (!step_ns)
		return 1;
	part_ns = (uint64_t)((double)step_ns * (double)most / (double)events);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t from_ns = first_ns + i * step_ns + i * (step_ns - part_ns) / (n - 1);

		parts[i] = (struct fit_span){ from_ns, from_ns + part_ns };
	}
	return n;
}

static int read_parts(struct fit_vcpu *vcpus, const struct fit_host *host,
		      struct cdict_reader *guest, const struct guest_fit_vcpu *of, size_t n,
		      const struct fit_span *parts, size_t n_parts, struct cdict_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < n; i++) {
		const struct fit_vcpu *v = fit_host_vcpu(host, of[i].tid);

		vcpus[i] = v ? *v : (struct fit_vcpu){ 0 };
	}
	for (size_t i = 0; i < n_parts && !ret; i++)
		ret = read_part(vcpus, of, n, guest, &parts[i], err);
	return ret;
}

int fit_read(struct fit_vcpu *vcpus, const struct fit_host *host, struct cdict_reader *guest,
	     const struct guest_fit_vcpu *of, size_t n, struct cdict_error *err)
{
	struct fit_span parts[PARTS];
	size_t n_parts = choose_parts(parts, guest, EVENTS_MOST, PARTS);

	return read_parts(vcpus, host, guest, of, n, parts, n_parts, err);
}

void fit_read_fini(struct fit_vcpu *vcpus, size_t n)
{
	for (size_t i = 0; i < n; i++)
		array_fini(&vcpus[i].events);
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

static size_t first_from(const struct fit_vcpu *v, uint64_t ns)
{
	size_t lo = 0, hi = v->events.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v->events.at[mid] < ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The first event of any vCPU at @ns or later; UINT64_MAX: none. */
static uint64_t next_event(const struct fit_vcpu *vcpus, size_t n, uint64_t ns)
{
	uint64_t next_ns = UINT64_MAX;

	for (size_t i = 0; i < n; i++) {
		size_t e = first_from(&vcpus[i], ns);

		if (e < vcpus[i].events.n && vcpus[i].events.at[e] < next_ns)
			next_ns = vcpus[i].events.at[e];
	}
	return next_ns;
}

/* A stretch of events begins at @from_ns; returns the time of its last one: the next event, if any, is
 * more than @gap_ns later. */
static uint64_t stretch_end(const struct fit_vcpu *vcpus, size_t n, uint64_t from_ns,
			    uint64_t gap_ns)
{
	for (;;) {
		uint64_t last_ns = from_ns, next_ns;

		for (size_t i = 0; i < n; i++) {
			size_t e = first_from(&vcpus[i], saturated_sum(from_ns, gap_ns));

			if (e && vcpus[i].events.at[e - 1] > last_ns)
				last_ns = vcpus[i].events.at[e - 1];
		}
		if (last_ns == from_ns)
			return last_ns;
		next_ns = next_event(vcpus, n, last_ns + 1);
		if (next_ns == UINT64_MAX || next_ns - last_ns > gap_ns)
			return last_ns;
		from_ns = next_ns;
	}
}

static uint64_t host_length(const struct fit_vcpu *vcpus, size_t n)
{
	uint64_t first_ns = UINT64_MAX, last_ns = 0;

	for (size_t i = 0; i < n; i++) {
		if (!vcpus[i].entered.n)
			continue;
		first_ns = vcpus[i].first_ns < first_ns ? vcpus[i].first_ns : first_ns;
		last_ns = vcpus[i].last_ns > last_ns ? vcpus[i].last_ns : last_ns;
	}
	return last_ns > first_ns ? last_ns - first_ns : 0;
}

#define STRETCHES_MOST 8u

/* Fits one stretch of the guest's events. Stretches are further apart than the host's recording is long, so
 * that only one can lie in it: the guest recorded the others before or after it, or its clock stepped, as at a
 * reboot or a migration. Takes the stretch with most events that fits; the times of the others are unknown. */
static int fit_stretches(struct guest_clock *out, const struct fit_input *in,
			 struct cdict_error *err)
{
	struct fit_vcpu *part = calloc(in->n + 1, sizeof(*part));
	struct fit_input one = *in;
	uint64_t gap_ns = host_length(in->vcpus, in->n), from_ns, to_ns;
	size_t n = 0, most = 0, most_tried = 0;
	int ret = CDICT_ENOTFOUND;

	one.vcpus = part;
	if (!part)
		return cdict_fail_nomem(err);
	from_ns = next_event(in->vcpus, in->n, 0);
	for (; from_ns != UINT64_MAX && n < STRETCHES_MOST && (!ret || ret == CDICT_ENOTFOUND);
	     n++, from_ns = next_event(in->vcpus, in->n, saturated_sum(to_ns, 1))) {
		struct guest_clock clock = { 0 };
		struct cdict_error why = { 0 };
		size_t events = 0;
		int rc;

		to_ns = stretch_end(in->vcpus, in->n, from_ns, gap_ns);
		for (size_t i = 0; i < in->n; i++) {
			size_t first = first_from(&in->vcpus[i], from_ns),
			       end = first_from(&in->vcpus[i], saturated_sum(to_ns, 1));

			part[i] = in->vcpus[i];
			part[i].events.at = end > first ? part[i].events.at + first : NULL;
			part[i].events.n = end - first;
			events += end - first;
		}
		rc = fit_clock(&clock, &one, &why);
		if (!rc && events > most) {
			guest_clock_fini(out);
			*out = clock;
			most = events;
			ret = 0;
			continue;
		}
		guest_clock_fini(&clock);
		if (rc && (rc != CDICT_ENOTFOUND || (ret && events > most_tried))) {
			most_tried = events;
			ret = rc;
			*err = why;
		}
	}
	free(part);
	return ret;
}

int guest_clock_fit(struct guest_clock *out, const struct fit_host *h, struct cdict_reader *host,
		    struct cdict_reader *guest, const struct guest_fit_vcpu *vcpus, size_t n,
		    struct cdict_error *err)
{
	struct fit_vcpu *all = calloc(n ? n : 1, sizeof(*all));
	struct fit_input in = { .vcpus = all, .n = n };
	struct fit_span parts[PARTS];
	bool whole = choose_parts(parts, guest, EVENTS_MOST, PARTS) == 1;
	int ret;

	if (!all)
		return cdict_fail_nomem(err);
	ret = fit_read(all, h, guest, vcpus, n, err);
	if (!ret) {
		guess(&in, host, guest);
		ret = whole && next_event(all, n, 0) != UINT64_MAX ? fit_stretches(out, &in, err)
								   : fit_clock(out, &in, err);
	}
	fit_read_fini(all, n);
	free(all);
	return ret;
}

/* --- a clock that is known --- */

/* How far [@from_ns, @to_ns] is from the nearest time in guest mode; 0 if they overlap. */
static uint64_t outside(const struct fit_vcpu *v, uint64_t from_ns, uint64_t to_ns)
{
	size_t lo = 0, hi = v->entered.n;
	uint64_t off_ns = UINT64_MAX;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v->entered.at[mid].to_ns < from_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < v->entered.n && v->entered.at[lo].from_ns <= to_ns)
		return 0;
	if (lo < v->entered.n)
		off_ns = v->entered.at[lo].from_ns - to_ns;
	if (lo && from_ns - v->entered.at[lo - 1].to_ns < off_ns)
		off_ns = from_ns - v->entered.at[lo - 1].to_ns;
	return off_ns;
}

static uint64_t most_outside(const struct guest_clock *clock, const struct fit_vcpu *vcpus,
			     size_t n)
{
	uint64_t most_ns = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t e = 0; e < vcpus[i].events.n; e++) {
			uint64_t at = guest_clock_host_ns(clock, vcpus[i].events.at[e]), off_ns;

			off_ns = outside(&vcpus[i], at > clock->error_ns ? at - clock->error_ns : 0,
					 saturated_sum(at, clock->error_ns));
			most_ns = off_ns > most_ns ? off_ns : most_ns;
		}
	return most_ns;
}

int guest_clock_agrees(uint64_t *off_ns, const struct guest_clock *clock, struct cdict_reader *host,
		       struct cdict_reader *guest, const struct guest_fit_vcpu *vcpus, size_t n,
		       struct cdict_error *err)
{
	struct fit_span parts[PARTS], host_parts[PARTS];
	size_t n_parts = choose_parts(parts, guest, CHECK_EVENTS, CHECK_PARTS);
	struct fit_vcpu *all = calloc(n ? n : 1, sizeof(*all));
	int32_t *tids = calloc(n + 1, sizeof(*tids));
	uint64_t margin_ns = saturated_sum(clock->error_ns, CHECK_MARGIN_NS);
	struct fit_host *h = NULL;
	int ret = all && tids ? 0 : cdict_fail_nomem(err);

	*off_ns = 0;
	for (size_t i = 0; i < n && !ret; i++)
		tids[i] = vcpus[i].tid;
	for (size_t i = 0; i < n_parts && n_parts > 1; i++) {
		uint64_t from = guest_clock_host_ns(clock, parts[i].from_ns),
			 to = guest_clock_host_ns(clock, parts[i].to_ns);

		host_parts[i].from_ns = from > margin_ns ? from - margin_ns : 0;
		host_parts[i].to_ns = saturated_sum(to, margin_ns);
		if (i && host_parts[i].from_ns <= host_parts[i - 1].to_ns)
			host_parts[i].from_ns = host_parts[i - 1].to_ns + 1;
	}
	if (!ret)
		ret = fit_host_new(&h, host, tids, n, n_parts > 1 ? host_parts : NULL, n_parts,
				   err);
	if (!ret)
		ret = read_parts(all, h, guest, vcpus, n, parts, n_parts, err);
	if (!ret)
		*off_ns = most_outside(clock, all, n);
	if (all)
		fit_read_fini(all, n);
	fit_host_free(h);
	free(tids);
	free(all);
	return ret;
}
