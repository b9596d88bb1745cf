/* SPDX-License-Identifier: LGPL-2.1-only */
/* Joined guests in sentences. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tables/columns/tables.h"
#include "tables/guest/guests.h"

/* Tasks that a reader's attention is called to. */
#define MOST_TASKS 5

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

	sink_printf(out, "%s: ", one->vm);
	if (one->found)
		sink_printf(out, "%s; ", one->found);
	sink_printf(out, "clock: %s", guest_clock_method_name(one->clock.method));
	if (one->clock.error_ns) {
		sink_puts(out, ", within ");
		tables_duration(out, one->clock.error_ns);
	}
	if (one->clock.knots.n > 1)
		sink_printf(out, ", drift %+.3f ppm", guest_clock_drift(&one->clock) / 1e3);
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

struct worst {
	uint32_t guest;
	uint64_t ns;
	struct guest_task_row row;
};

static void say_task(struct sink *out, const struct guests *g, const struct worst *w)
{
	const struct guest *one = &g->all[w->guest];
	char *name = names_full(&one->walk.names, analyze_engine_task(one->walk.eng, w->row.task));
	size_t n;
	const struct guest_share *s = guest_inside_shares(one->inside, w->row.task, &n);

	if (!name)
		out->error = -ENOMEM;
	sink_printf(out, "%s in %s waited ", name ? name : "", one->vm);
	tables_duration(out, w->ns);
	sink_puts(out, " for its vCPU");
	free(name);
	for (size_t i = 0; i < n; i++) {
		if (s[i].kind != GUEST_SHARE_HOST && s[i].kind != GUEST_SHARE_GUEST)
			continue;
		if (s[i].kind == GUEST_SHARE_HOST && s[i].who.task == ANALYZE_NO_TASK)
			continue;
		sink_puts(out, ", ");
		if (s[i].stolen_ns + s[i].away_ns < w->ns) {
			tables_duration(out, s[i].stolen_ns + s[i].away_ns);
			sink_puts(out, " of it");
		} else {
			sink_puts(out, "all");
		}
		sink_puts(out, " behind ");
		guests_put_culprit(out, g, &s[i].who);
		break;
	}
	sink_putc(out, '\n');
}

/* Inserts the row among the worst if it belongs there. */
static size_t insert(struct worst *all, size_t n, const struct worst *w)
{
	size_t at = n;

	while (at && all[at - 1].ns < w->ns)
		at--;
	if (at == MOST_TASKS)
		return n;
	if (n < MOST_TASKS)
		n++;
	for (size_t i = n - 1; i > at; i--)
		all[i] = all[i - 1];
	all[at] = *w;
	return n;
}

char *guests_text(const struct guests *g)
{
	struct worst worst[MOST_TASKS];
	size_t n = 0;
	struct sink out;
	char *text;

	sink_to_memory(&out);
	for (uint32_t i = 0; i < g->n; i++) {
		const struct guest *one = &g->all[i];

		if (!one->inside)
			continue;
		say_guest(&out, g, one);
		for (size_t k = 0; k < guest_inside_row_count(one->inside); k++) {
			struct worst w = { .guest = i,
					   .row = *guest_inside_row_at(one->inside, k) };

			w.ns = guest_task_vcpu_wait_ns(&w.row);
			if (w.ns)
				n = insert(worst, n, &w);
		}
	}
	for (size_t i = 0; i < n; i++)
		say_task(&out, g, &worst[i]);
	text = sink_take(&out, NULL);
	if (text) {
		tables_plain(text);
		if (*text)
			text[strlen(text) - 1] = 0; /* the last newline */
	}
	return text;
}
