/* SPDX-License-Identifier: LGPL-2.1-only */
/* A VM's story in sentences. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/escape.h"
#include "tables/columns/tables.h"
#include "tables/vm/story.h"

/* Shares from which a part is named, in percent of the VM's time; at most so many of a part's. */
#define NAMED_FROM 1.0
#define MOST_NAMED 3

/* A VM without a name has the number of its process: "VM 1841". */
static void put_vm(struct sink *out, const char *vm)
{
	sink_puts(out, vm[strspn(vm, "0123456789")] ? "" : "VM ");
	escape_terminal(out, vm, strlen(vm));
}

void story_put_of(struct sink *out, const struct story_row *row)
{
	if (row->kind && !strcmp(row->kind, "idle")) {
		sink_puts(out, "while that CPU was idle");
	} else if (row->kind && !strcmp(row->kind, "self")) {
		sink_puts(out, "behind itself");
	} else if (!row->of) {
		sink_puts(out,
			  row->part == STORY_WAITED ? "behind an unknown task" : "unknown reason");
	} else {
		sink_puts(out, row->part == STORY_WAITED ? "behind " : "");
		if (row->kind && !strcmp(row->kind, "vm"))
			put_vm(out, row->of);
		else
			escape_terminal(out, row->of, strlen(row->of));
	}
}

static double percent(const struct story *s, uint64_t ns)
{
	return s->life_ns ? 100.0 * (double)ns / (double)s->life_ns : 0;
}

/* "(12.6 % behind VM 1959, 7.9 % behind VM 1775)", "(2.9 % io, 2.2 % msr)": the details of a part. */
static void put_details(struct sink *out, const struct story *s, enum story_part part)
{
	size_t n = 0;

	for (size_t i = 0; i < s->rows.n && n < MOST_NAMED; i++) {
		const struct story_row *row = &s->rows.at[i];

		if (row->part != part || !row->of || percent(s, row->ns) < NAMED_FROM)
			continue;
		sink_puts(out, !n++ ? " (" : ", ");
		sink_printf(out, "%.1f %% ", percent(s, row->ns));
		story_put_of(out, row);
	}
	if (n)
		sink_putc(out, ')');
}

static void put_part(struct sink *out, const struct story *s, enum story_part part,
		     const char *text, bool *first)
{
	if (percent(s, s->sums[part]) < 0.05) /* "0.0 %" */
		return;
	sink_printf(out, "%s%.1f %% %s", *first ? "" : ", ", percent(s, s->sums[part]), text);
	*first = false;
	put_details(out, s, part);
}

/* "vhost-1841 waited 822 ms for a CPU, at most 165 ms at 927.123456 s, behind CPU 1/KVM-1841." */
static void put_thread(struct sink *out, const struct story *s, const struct story_thread *thread)
{
	const struct analyze_wait *worst = &thread->waits->worst;

	tables_say_who(out, s->w, thread->task);
	sink_puts(out, tables_has_wakeups(s->w) ? " waited " : " was preempted for ");
	tables_duration(out, thread->delayed_ns);
	sink_puts(out, tables_has_wakeups(s->w) ? " for a CPU, at most " : ", at most ");
	tables_duration(out, worst->dur_ns);
	sink_puts(out, " at ");
	tables_say_when(out, worst->at_ns);
	if (thread->waits->open)
		sink_puts(out, ", still waiting at the window's end");
	if (worst->behind != ANALYZE_NO_TASK &&
	    analyze_engine_task(s->w->eng, worst->behind)->tid) {
		sink_puts(out, ", longest behind ");
		tables_say_task(out, s->w, worst->behind);
	}
	sink_puts(out, ".\n");
}

char *story_says(const struct story *s)
{
	struct sink out;
	bool first = true;
	size_t n = 0;
	char *text;

	sink_to_memory(&out);
	put_vm(&out, s->vm);
	sink_printf(&out, ": %zu vCPU%s, ", s->n_vcpus, s->n_vcpus == 1 ? "" : "s");
	tables_duration(&out, s->life_ns);
	sink_puts(&out, s->n_vcpus == 1 ? ": " : " in all: ");
	put_part(&out, s, STORY_GUEST, "in the guest", &first);
	put_part(&out, s, STORY_WAITED,
		 tables_has_wakeups(s->w) ? "waiting for a CPU" : "preempted", &first);
	put_part(&out, s, STORY_EXIT, "handling exits", &first);
	put_part(&out, s, STORY_VMM, "in the VMM", &first);
	put_part(&out, s, STORY_HALTED_OWN, "halted while another of its threads waited for a CPU",
		 &first);
	put_part(&out, s, STORY_HALTED, s->sums[STORY_HALTED_OWN] ? "halted otherwise" : "halted",
		 &first);
	put_part(&out, s, STORY_BLOCKED, "blocked", &first);
	put_part(&out, s, STORY_UNKNOWN, "unknown", &first);
	sink_putc(&out, '.');
	sink_puts(&out, s->next_step);
	sink_putc(&out, '\n');
	for (size_t i = 0; i < s->threads.n && n < MOST_NAMED; i++) {
		const struct story_thread *thread = &s->threads.at[i];

		if (strcmp(thread->role, "vcpu") != 0 && thread->waits &&
		    thread->waits->worst.dur_ns) {
			put_thread(&out, s, thread);
			n++;
		}
	}
	text = sink_take(&out, NULL);
	if (text && *text)
		text[strlen(text) - 1] = 0; /* the caller adds the last newline */
	return text;
}

char *story_text(const struct story *s)
{
	char *text = story_says(s);

	if (text)
		tables_plain(text);
	return text;
}
