/* SPDX-License-Identifier: LGPL-2.1-only */
/* vCPUs: sentences on what to look at. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/escape.h"
#include "tables/columns/number.h"
#include "tables/columns/tables.h"
#include "tables/findings/fold.h"
#include "tables/findings/next_step.h"

/* Thresholds for a sentence, in percent of a vCPU's life. */
#define DELAYED_FROM 1.0
#define HANDLING_FROM 20.0
#define UNKNOWN_FROM 10.0
/* In percent of a vCPU's delay: threshold for naming a second antagonist; if the first one has
 * less, its group is named. */
#define SECOND_FROM 20.0

/* The longest wait from which a VM's other thread gets a sentence; at most so many do. */
#define LONG_WAIT_NS 10000000
#define MOST_HELPERS 3

/* Number of most delayed vCPUs that get a sentence; then the most delayed one of each further VM
 * does, while there are lines; the rest share one. */
#define MOST_DELAYED 2

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

void tables_duration(struct sink *s, uint64_t ns)
{
	char grouped[NUMBER_ROOM];

	if (ns >= UINT64_C(999995000000))
		sink_printf(s, "%s s", number_grouped(grouped, (ns + 500000000) / 1000000000));
	else if (ns >= UINT64_C(995000000))
		sink_printf(s, "%.2f s", (double)ns / 1e9);
	else if (ns >= 9950000)
		sink_printf(s, "%.0f ms", (double)ns / 1e6);
	else if (ns >= 995000)
		sink_printf(s, "%.1f ms", (double)ns / 1e6);
	else
		sink_printf(s, "%.*f %cu us%c", ns < 9950, (double)ns / 1e3, TABLES_MENTION,
			    TABLES_MENTION_END);
}

/* Untrusted text in a sentence is escaped, so it cannot contain the two mention characters. */
void tables_say_who(struct sink *s, const struct tables_walk *w, uint32_t task)
{
	char *name = names_full(&w->names, analyze_engine_task(w->eng, task));

	sink_printf(s, "%ct%" PRIu32 " ", TABLES_MENTION, task);
	if (name)
		escape_terminal(s, name, strlen(name));
	else
		s->error = -ENOMEM;
	sink_putc(s, TABLES_MENTION_END);
	free(name);
}

void tables_say_task(struct sink *s, const struct tables_walk *w, uint32_t task)
{
	const char *unit = names_unit_beside(&w->names, analyze_engine_task(w->eng, task));

	tables_say_who(s, w, task);
	if (!unit)
		return;
	sink_puts(s, " (");
	escape_terminal(s, unit, strlen(unit));
	sink_putc(s, ')');
}

void tables_say_when(struct sink *s, uint64_t t_ns)
{
	char at[NUMBER_ROOM];

	sink_printf(s, "%cc%" PRIu64 " %s s%c", TABLES_MENTION, t_ns, number_seconds(at, t_ns),
		    TABLES_MENTION_END);
}

void tables_say_waits(struct sink *s, const struct tables_walk *w,
		      const struct analyze_task_row *row)
{
	char times[NUMBER_ROOM];

	tables_say_task(s, w, row->task);
	sink_puts(s, tables_has_wakeups(w) ? " waited " : " was preempted for ");
	tables_duration(s, row->delayed_ns);
	sink_puts(s, " of ");
	tables_duration(s, analyze_engine_summary(w->eng)->window_ns);
	sink_puts(s, tables_has_wakeups(w) ? " for a CPU" : "");
	if (row->delays)
		sink_printf(s, ", %s time%s", number_grouped(times, row->delays),
			    row->delays == 1 ? "" : "s");
	sink_puts(s, "; worst ");
	tables_duration(s, row->worst.dur_ns);
	sink_puts(s, " at ");
	tables_say_when(s, row->worst.at_ns);
}

void tables_plain(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text == TABLES_MENTION)
			while (*text != ' ')
				text++;
		else if (*text != TABLES_MENTION_END)
			*to++ = *text;
	}
	*to = 0;
}

static bool is_idle(const struct tables_walk *w, uint32_t task)
{
	return !analyze_engine_task(w->eng, task)->tid;
}

/* A VM without a name has its pid as name. */
static void say_crowd(struct sink *s, const struct culprits_crowd *crowd)
{
	if (!strcmp(crowd->kind, "vm") && !crowd->name[strspn(crowd->name, "0123456789")])
		sink_puts(s, "VM ");
	escape_terminal(s, crowd->name, strlen(crowd->name));
}

/* "54 % behind ceph-osd (12 tasks), 20 % behind its own VM (3 tasks)"; false: nothing written, no
 * crowd has more than one task. */
static bool behind_crowd(struct sink *s, const struct tables_walk *w, struct culprits *c,
			 const struct analyze_vcpu_row *row)
{
	struct culprits_crowds crowds = { 0 };
	const struct culprits_crowd *crowd, *first;
	char tasks[NUMBER_ROOM];
	bool many;

	culprits_crowds(c, w->eng, row, &crowds);
	crowd = first = culprits_most(&crowds, NULL);
	many = !c->failed && crowd && crowd->tasks > 1 && strcmp(crowd->kind, "idle") != 0;
	while (many && crowd) {
		double share = percent(crowd->ns, analyze_vcpu_delayed_ns(row));

		if (crowd != first && (share < SECOND_FROM || !strcmp(crowd->kind, "idle")))
			break;
		sink_printf(s, "%s%.0f %% behind ", crowd == first ? ": " : ", ", share);
		if (!strcmp(crowd->kind, "self"))
			sink_puts(s, "its own VM");
		else
			say_crowd(s, crowd);
		if (crowd->tasks > 1)
			sink_printf(s, " (%s tasks)", number_grouped(tasks, crowd->tasks));
		crowd = crowd == first ? culprits_most(&crowds, first) : NULL;
	}
	culprits_crowds_fini(&crowds);
	return many;
}

/* "61 % behind A, 20 % behind B" */
static void behind(struct sink *s, const struct tables_walk *w, const struct analyze_vcpu_row *row)
{
	for (size_t k = 0; k < row->n_antagonists && k < 2; k++) {
		const struct analyze_antagonist *a = &row->antagonists[k];
		double share = percent(analyze_behind_ns(a), analyze_vcpu_delayed_ns(row));

		if (k && share < SECOND_FROM)
			break;
		sink_printf(s, "%s%.0f %% ", k ? ", " : ": ", share);
		if (is_idle(w, a->task)) {
			sink_puts(s, "while that CPU was idle");
			continue;
		}
		sink_puts(s, "behind ");
		tables_say_task(s, w, a->task);
	}
}

static void worst(struct sink *s, const struct tables_walk *w, const struct analyze_vcpu_row *row,
		  bool named)
{
	const struct analyze_wait *wait = &row->worst;

	sink_puts(s, "; worst ");
	tables_duration(s, wait->dur_ns);
	sink_puts(s, " at ");
	tables_say_when(s, wait->at_ns);
	if (wait->cpu != CDICT_CPU_UNKNOWN)
		sink_printf(s, " on CPU %" PRIu32, wait->cpu);
	if (wait->behind == ANALYZE_NO_TASK || is_idle(w, wait->behind) ||
	    (named && row->n_antagonists && row->antagonists[0].task == wait->behind))
		return;
	sink_puts(s, " behind ");
	tables_say_task(s, w, wait->behind);
}

/* The base of a time: if much is unknown, the known time. */
static void known(struct sink *s, const struct analyze_vcpu_row *row)
{
	uint64_t life_ns = analyze_vcpu_life_ns(row), unknown_ns = analyze_vcpu_unknown_ns(row);

	if (percent(unknown_ns, life_ns) < UNKNOWN_FROM) {
		tables_duration(s, life_ns);
		return;
	}
	sink_puts(s, "the known ");
	tables_duration(s, life_ns - unknown_ns);
}

static void say_delayed(struct sink *s, const struct tables_walk *w, struct culprits *c,
			const struct analyze_vcpu_row *row)
{
	const struct analyze_antagonist *first = row->n_antagonists ? row->antagonists : NULL;
	bool crowd = first &&
		     percent(analyze_behind_ns(first), analyze_vcpu_delayed_ns(row)) < SECOND_FROM;

	tables_say_task(s, w, row->task);
	sink_puts(s, tables_has_wakeups(w) ? " waited " : " was preempted for ");
	tables_duration(s, analyze_vcpu_delayed_ns(row));
	sink_puts(s, " of ");
	known(s, row);
	if (tables_has_wakeups(w))
		sink_puts(s, " for a CPU");
	crowd = crowd && behind_crowd(s, w, c, row);
	if (!crowd)
		behind(s, w, row);
	worst(s, w, row, !crowd);
	sink_putc(s, '.');
}

/* Time in which the vCPU ran, but not its guest: exits other than idle ones, and QEMU. */
struct handling {
	uint64_t all_ns, qemu_ns, most_ns;
	const char *most; /* the reason that took longest; borrowed */
};

static struct handling handling_of(const struct analyze_vcpu_row *row)
{
	struct handling h = { 0 };

	for (size_t k = 0; k < row->n_reasons; k++) {
		const struct analyze_vcpu_reason *r = &row->reasons[k];
		uint64_t ns = r->exit_ns + r->qemu_ns;

		if (r->idle)
			continue;
		h.all_ns += ns;
		h.qemu_ns += r->qemu_ns;
		if (ns > h.most_ns) {
			h.most_ns = ns;
			h.most = r->name;
		}
	}
	return h;
}

static void say_handling(struct sink *s, const struct tables_walk *w,
			 const struct analyze_vcpu_row *row, const struct handling *h)
{
	tables_say_task(s, w, row->task);
	sink_puts(s, " spent ");
	tables_duration(s, h->all_ns);
	sink_printf(s, " (%.0f %%) handling exits", percent(h->all_ns, analyze_vcpu_life_ns(row)));
	if (h->qemu_ns) {
		sink_puts(s, ", ");
		tables_duration(s, h->qemu_ns);
		sink_puts(s, " of it in the VMM");
	}
	if (h->most) {
		sink_puts(s, "; ");
		tables_duration(s, h->most_ns);
		sink_puts(s, " for ");
		escape_terminal(s, h->most, strlen(h->most));
	}
	sink_puts(s, ".\n");
}

static void say_unknown(struct sink *s, const struct tables_walk *w,
			const struct analyze_vcpu_row *row)
{
	tables_say_task(s, w, row->task);
	sink_printf(s, "'s state is unknown for %.0f %% of the time",
		    percent(analyze_vcpu_unknown_ns(row), analyze_vcpu_life_ns(row)));
	if (row->lost_ns <= analyze_vcpu_unknown_ns(row) / 2)
		sink_puts(s, ": before its first entry or exit.\n");
	else if (cdict_reader_loss_count(w->reader))
		sink_puts(s, ": events are missing.\n");
	else
		sink_puts(s, ": only some of its events were recorded.\n");
}

static bool is_delayed(const struct analyze_vcpu_row *row)
{
	return percent(analyze_vcpu_delayed_ns(row), analyze_vcpu_life_ns(row)) >= DELAYED_FROM;
}

/* Summary of all wanted vCPUs; the rows come worst first. */
struct findings {
	size_t seen, delayed;
	struct fold_lines lines;
	const struct analyze_vcpu_row *longest, *busiest, *unknown;
	struct handling handling; /* of @busiest */
	struct tables_finding *about;
	size_t n_about;
	const char *advised[TABLES_FINDINGS]; /* VMs whose next step was said */
	size_t n_advised;
};

static void look(struct findings *found, const struct analyze_vcpu_row *row)
{
	uint64_t life_ns = analyze_vcpu_life_ns(row);
	uint64_t unknown_ns = analyze_vcpu_unknown_ns(row);
	struct handling h = handling_of(row);

	found->seen++;
	found->delayed += is_delayed(row);
	if (row->worst.dur_ns &&
	    (!found->longest || row->worst.dur_ns > found->longest->worst.dur_ns))
		found->longest = row;
	if (percent(h.all_ns, life_ns) >= HANDLING_FROM && h.all_ns > found->handling.all_ns) {
		found->busiest = row;
		found->handling = h;
	}
	if (percent(unknown_ns, life_ns) >= UNKNOWN_FROM &&
	    (!found->unknown || unknown_ns > analyze_vcpu_unknown_ns(found->unknown)))
		found->unknown = row;
}

static void say_nothing_wrong(struct sink *s, const struct tables_walk *w,
			      const struct findings *found)
{
	sink_puts(s, found->unknown ? "As far as known, no vCPU" : "No vCPU");
	sink_puts(s, tables_has_wakeups(w) ? " waited 1 % of the time for a CPU"
					   : " was preempted for 1 % of the time");
	if (found->longest) {
		sink_puts(s, "; the longest wait was ");
		tables_duration(s, found->longest->worst.dur_ns);
		sink_puts(s, ", of ");
		tables_say_task(s, w, found->longest->task);
		sink_puts(s, " at ");
		tables_say_when(s, found->longest->worst.at_ns);
	}
	sink_puts(s, ".\n");
}

/* Notes the subject of the next sentence. */
static void note_subject(struct findings *found, const char *kind,
			 const struct analyze_vcpu_row *row)
{
	struct tables_finding *about = &found->about[found->n_about++];

	*about = (struct tables_finding){ .kind = kind,
					  .task = row ? row->task : ANALYZE_NO_TASK,
					  .behind = ANALYZE_NO_TASK,
					  .cpu = CDICT_CPU_UNKNOWN };
}

/* Notes the worst wait as the interval to show. */
static void note_worst(struct findings *found, const struct analyze_vcpu_row *row)
{
	struct tables_finding *about = &found->about[found->n_about - 1];

	about->at_ns = row->worst.at_ns;
	about->dur_ns = row->worst.dur_ns;
	about->cpu = row->worst.cpu;
	about->behind = row->worst_by;
	about->behind_cpu = row->worst_by_cpu;
	about->held_ns = row->worst_held_ns;
}

static const struct analyze_task *task_of(const struct tables_walk *w,
					  const struct analyze_vcpu_row *row)
{
	return analyze_engine_task(w->eng, row->task);
}

static bool is_wanted(const struct tables_walk *w, const struct analyze_vcpu_row *row)
{
	return names_wanted(&w->names, task_of(w, row));
}

/* Whether the delayed vCPU gets its own sentence, with @rest left including it: those still left
 * afterwards need a line, too. */
static bool has_line(struct findings *found, const struct tables_walk *w,
		     const struct analyze_vcpu_row *row, size_t rest)
{
	bool more = fold_lines_has(&found->lines, task_of(w, row));

	if (more)
		return found->n_about < MOST_DELAYED;
	return found->lines.n + (rest > 1) < FOLD_LINES &&
	       fold_lines_add(&found->lines, task_of(w, row));
}

/* The next step for the vCPU's VM, once. */
static void advise(struct sink *s, const struct tables_walk *w, struct findings *found,
		   const struct analyze_vcpu_row *row)
{
	struct culprits *c = &found->lines.fold.culprits;
	const char *vm = culprits_vm(c, task_of(w, row));

	for (size_t i = 0; i < found->n_advised; i++)
		if (found->advised[i] == vm)
			return;
	found->advised[found->n_advised++] = vm;
	next_step_say(s, w, c, vm);
}

/* The VM of a thread that is no vCPU: vhost, an I/O thread, a worker, the emulator; or NULL. */
static const char *helps(const struct tables_walk *w, const struct analyze_task *task)
{
	const char *vm = task->tid && !task->is_vcpu ? names_vm(&w->names, task) : NULL;

	return vm || task->is_vcpu ? vm : names_vm_served(&w->names, task);
}

/* The wanted thread with the longest wait that helps a VM other than those in @said. */
static bool find_helper(const struct tables_walk *w, const char *const *said, size_t n,
			struct analyze_task_row *out)
{
	*out = (struct analyze_task_row){ 0 };
	for (size_t i = 0; w->tasks && i < analyze_tasks_row_count(w->tasks); i++) {
		const struct analyze_task_row *row = analyze_tasks_row_at(w->tasks, i);
		const struct analyze_task *task = analyze_engine_task(w->eng, row->task);
		const char *vm = row->worst.dur_ns > out->worst.dur_ns ? helps(w, task) : NULL;
		size_t k = 0;

		if (!vm || !names_wanted(&w->names, task) || row->worst.dur_ns < LONG_WAIT_NS)
			continue;
		while (k < n && said[k] != vm)
			k++;
		if (k < n)
			continue;
		*out = *row; /* only its numbers are used */
	}
	return out->worst.dur_ns;
}

/* The guest waits for these threads, too: of each VM the one with the longest wait. */
static void say_helpers(struct sink *s, const struct tables_walk *w, struct findings *found)
{
	const char *said[MOST_HELPERS];
	struct analyze_task_row row;

	for (size_t n = 0; n < MOST_HELPERS && find_helper(w, said, n, &row); n++) {
		said[n] = helps(w, analyze_engine_task(w->eng, row.task));
		found->about[found->n_about++] =
			(struct tables_finding){ .kind = "delayed",
						 .task = row.task,
						 .at_ns = row.worst.at_ns,
						 .dur_ns = row.worst.dur_ns,
						 .behind = ANALYZE_NO_TASK,
						 .cpu = row.worst.cpu };
		tables_say_waits(s, w, &row);
		if (row.worst.cpu != CDICT_CPU_UNKNOWN)
			sink_printf(s, " on CPU %" PRIu32, row.worst.cpu);
		sink_puts(s, ".\n");
	}
}

static void say(struct sink *s, const struct tables_walk *w, struct findings *found)
{
	size_t rest = found->delayed;
	char more[NUMBER_ROOM];
	double most = 0;     /* largest share among the rest, */
	bool partly = false; /* of the known time only */

	if (!found->seen) {
		note_subject(found, "good", NULL);
		sink_puts(s, "No vCPUs found.\n");
		return;
	}
	if (found->busiest)
		fold_lines_add(&found->lines, task_of(w, found->busiest));
	if (found->unknown)
		fold_lines_add(&found->lines, task_of(w, found->unknown));
	for (size_t i = 0; i < analyze_vcpus_row_count(w->vcpus) && rest; i++) {
		const struct analyze_vcpu_row *row = analyze_vcpus_row_at(w->vcpus, i);

		if (!is_wanted(w, row) || !is_delayed(row))
			continue;
		if (!has_line(found, w, row, rest)) {
			uint64_t life_ns = analyze_vcpu_life_ns(row);
			bool some = percent(analyze_vcpu_unknown_ns(row), life_ns) >= UNKNOWN_FROM;
			double part = percent(analyze_vcpu_delayed_ns(row),
					      life_ns - (some ? analyze_vcpu_unknown_ns(row) : 0));

			partly |= some;
			most = part > most ? part : most;
			continue;
		}
		note_subject(found, "delayed", row);
		note_worst(found, row);
		say_delayed(s, w, &found->lines.fold.culprits, row);
		advise(s, w, found, row);
		sink_putc(s, '\n');
		rest--;
	}
	if (rest) {
		note_subject(found, "delayed", NULL);
		sink_printf(s, "%s more vCPU%s %s%s%.0f %% of the %stime%s.\n",
			    number_grouped(more, rest), rest == 1 ? "" : "s",
			    tables_has_wakeups(w) ? "waited "
			    : rest == 1           ? "was preempted for "
						  : "were preempted for ",
			    rest == 1 ? "" : "up to ", most, partly ? "known " : "",
			    tables_has_wakeups(w) ? " for a CPU" : "");
	}
	if (!(tables_lacks(w) & (TABLE_OF_TIMES_OFF | TABLE_OF_STATES)))
		say_helpers(s, w, found);
	if (!found->delayed && !(tables_lacks(w) & (TABLE_OF_TIMES_OFF | TABLE_OF_STATES))) {
		note_subject(found, "good", found->longest);
		if (found->longest)
			note_worst(found, found->longest);
		say_nothing_wrong(s, w, found);
	}
	if (found->busiest) {
		note_subject(found, "handling", found->busiest);
		found->about[found->n_about - 1].reason = found->handling.most;
		say_handling(s, w, found->busiest, &found->handling);
	}
	if (found->unknown) {
		note_subject(found, "unknown", found->unknown);
		say_unknown(s, w, found->unknown);
	}
}

char *tables_vcpu_findings(const struct tables_walk *w)
{
	struct tables_finding about[TABLES_FINDINGS];
	size_t n;
	char *text = tables_vcpu_findings_about(w, about, &n);

	if (text)
		tables_plain(text);
	return text;
}

char *tables_vcpu_findings_about(const struct tables_walk *w, struct tables_finding *about,
				 size_t *n)
{
	struct findings found = { .about = about, .lines.fold.culprits.names = &w->names };
	struct sink s;
	size_t len = 0;
	char *text;

	for (size_t i = 0; i < analyze_vcpus_row_count(w->vcpus); i++) {
		const struct analyze_vcpu_row *row = analyze_vcpus_row_at(w->vcpus, i);

		if (is_wanted(w, row))
			look(&found, row);
	}
	sink_to_memory(&s);
	say(&s, w, &found);
	*n = found.n_about;
	if (found.lines.fold.culprits.failed)
		s.error = -ENOMEM;
	fold_fini(&found.lines.fold);
	text = sink_take(&s, &len);
	if (text && len)
		text[len - 1] = 0; /* the caller adds the last newline */
	return text;
}
