/* SPDX-License-Identifier: LGPL-2.1-only */
/* Joined guests in sentences. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/escape.h"
#include "tables/columns/tables.h"
#include "tables/guest/guests.h"

/* Untrusted text, so it has no mentions. */
static void put_text(struct sink *out, const char *text)
{
	escape_terminal(out, text, strlen(text));
}

static void put_culprit(struct sink *out, const struct guests *g, const struct guest_culprit *who)
{
	struct sink raw;
	char *text;

	sink_to_memory(&raw);
	guests_put_culprit(&raw, g, who);
	text = sink_take(&raw, NULL);
	if (text)
		put_text(out, text);
	else
		out->error = -ENOMEM;
	free(text);
}

void guest_say_clock(struct sink *out, const struct guest_clock *clock)
{
	sink_printf(out, "clock: %s", guest_clock_method_name(clock->method));
	if (clock->error_ns) {
		sink_puts(out, ", within ");
		tables_duration(out, clock->error_ns);
	}
	if (clock->knots.n > 1) {
		double ppm = guest_clock_drift(clock) / 1e3;

		if (fabs(ppm) < 0.0005)
			sink_puts(out, ", no drift");
		else
			sink_printf(out, ", drift %+.3f ppm", ppm);
	}
}

void guest_say_damage(struct sink *out, const struct cdict_reader *guest)
{
	struct cdict_damage d;

	cdict_reader_damage(guest, &d);
	if (d.first[0])
		sink_printf(out, "; its recording is damaged: %s", d.first);
	else if (d.input_damaged)
		sink_puts(out, "; it was made from a damaged recording");
}

static void say_guest(struct sink *out, const struct guests *g, const struct guest *one)
{
	uint64_t first = 0, last = 0;

	put_text(out, one->vm);
	sink_puts(out, ": ");
	if (one->found) {
		put_text(out, one->found);
		sink_puts(out, "; ");
	}
	guest_say_clock(out, &one->clock);
	if (one->missing)
		sink_printf(out, "; the host never saw the vCPUs of %zu of %zu CPUs", one->missing,
			    one->cpus);
	if (!cdict_reader_window(one->reader, &first, &last)) {
		sink_puts(out, "; no events");
	} else {
		first = guest_clock_host_ns(&one->clock, first);
		last = guest_clock_host_ns(&one->clock, last);
		if (first >= g->to_ns || last <= g->from_ns)
			sink_puts(out, "; it recorded nothing in this window");
		else if (first > g->from_ns || last < g->to_ns) {
			first = first < g->from_ns ? g->from_ns : first;
			last = last > g->to_ns ? g->to_ns : last;
			sink_puts(out, "; it recorded ");
			tables_duration(out, last - first);
			sink_puts(out, " of the window's ");
			tables_duration(out, g->to_ns - g->from_ns);
		}
	}
	guest_say_damage(out, one->reader);
	sink_putc(out, '\n');
}

void guests_say_finding(struct sink *out, const struct guests *g, const struct guest_finding *f)
{
	const struct guest *one = &g->all[f->guest];
	char *name = names_full(&one->walk.names, analyze_engine_task(one->walk.eng, f->task));
	size_t n;
	const struct guest_share *s = guest_inside_shares(one->inside, f->task, &n);

	if (!name)
		out->error = -ENOMEM;
	put_text(out, name ? name : "");
	free(name);
	sink_puts(out, " in ");
	put_text(out, one->vm);
	sink_puts(out, " waited ");
	tables_duration(out, f->ns);
	sink_puts(out, " for its vCPU");
	for (size_t i = 0; i < n; i++) {
		if (s[i].kind != GUEST_SHARE_HOST && s[i].kind != GUEST_SHARE_GUEST)
			continue;
		if (s[i].kind == GUEST_SHARE_HOST && s[i].who.task == ANALYZE_NO_TASK)
			continue;
		sink_puts(out, ", ");
		if (s[i].stolen_ns + s[i].away_ns < f->ns) {
			tables_duration(out, s[i].stolen_ns + s[i].away_ns);
			sink_puts(out, " of it");
		} else {
			sink_puts(out, "all");
		}
		sink_puts(out, " behind ");
		put_culprit(out, g, &s[i].who);
		break;
	}
}

/* Inserts the task among those that waited longest if it belongs there. */
static size_t insert(struct guest_finding *all, size_t n, const struct guest_finding *f)
{
	size_t at = n;

	while (at && all[at - 1].ns < f->ns)
		at--;
	if (at == GUEST_FINDINGS)
		return n;
	if (n < GUEST_FINDINGS)
		n++;
	for (size_t i = n - 1; i > at; i--)
		all[i] = all[i - 1];
	all[at] = *f;
	return n;
}

/* The vCPU of the guest's CPU, or the first that the host saw. */
static uint32_t vcpu_of(const struct guest *one, uint32_t cpu)
{
	if (cpu < one->n_vcpus && one->vcpus[cpu] != ANALYZE_NO_TASK)
		return one->vcpus[cpu];
	for (size_t i = 0; i < one->n_vcpus; i++)
		if (one->vcpus[i] != ANALYZE_NO_TASK)
			return one->vcpus[i];
	return ANALYZE_NO_TASK;
}

size_t guests_findings(const struct guests *g, struct guest_finding found[GUEST_FINDINGS])
{
	size_t n = 0;

	for (uint32_t i = 0; i < g->n; i++) {
		const struct guest *one = &g->all[i];

		for (size_t k = 0; one->inside && k < guest_inside_row_count(one->inside); k++) {
			const struct guest_task_row *row = guest_inside_row_at(one->inside, k);
			struct guest_finding f = {
				.guest = i,
				.task = row->task,
				.vcpu = vcpu_of(one, row->cpu),
				.tid = analyze_engine_task(one->walk.eng, row->task)->tid,
				.ns = guest_task_vcpu_wait_ns(row),
				.at_ns = row->worst.at_ns,
				.dur_ns = row->worst.dur_ns,
			};

			if (f.ns)
				n = insert(found, n, &f);
		}
	}
	return n;
}

char *guests_says(const struct guests *g)
{
	struct guest_finding found[GUEST_FINDINGS];
	size_t n = guests_findings(g, found);
	struct sink out;
	char *text;

	sink_to_memory(&out);
	for (uint32_t i = 0; i < g->n; i++)
		if (g->all[i].inside)
			say_guest(&out, g, &g->all[i]);
	for (size_t i = 0; i < n; i++) {
		guests_say_finding(&out, g, &found[i]);
		sink_putc(&out, '\n');
	}
	text = sink_take(&out, NULL);
	if (text && *text)
		text[strlen(text) - 1] = 0; /* the last newline */
	return text;
}

char *guests_text(const struct guests *g)
{
	char *text = guests_says(g);

	if (text)
		tables_plain(text);
	return text;
}
