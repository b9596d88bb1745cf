/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * twoparts - prints all tables of a cdict by a walk in one, and by walks in two parts that are cut at random times,
 * and ends with a message where a byte differs.
 *
 *	twoparts FILE.cdict [ROUNDS [SEED]]	"10 walks, 8 joined"
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/walk/digest.h"
#include "tables/columns/tables.h"

static uint64_t seed = 1;

static uint64_t rnd(uint64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return n ? (seed >> 20) % n : 0;
}

static void must(int ret, const struct cdict_error *err)
{
	if (!ret)
		return;
	fprintf(stderr, "twoparts: %s\n", err->text);
	exit(1);
}

/* Every table that a command prints. */
static char *text_of(const struct tables_walk *w, const char *file)
{
	const struct analyze_summary *sum = analyze_engine_summary(w->eng);
	struct table_frame frame = { .command = "twoparts",
				     .file = file,
				     .reader = w->reader,
				     .from_ns = sum->from_ns,
				     .to_ns = sum->to_ns,
				     .unknown_ns = &sum->unknown_ns };
	struct table *tables[] = { tables_vcpu(w),
				   tables_vcpu_shares(w),
				   tables_vcpu_reasons(w),
				   tables_delays(w),
				   tables_beside(w),
				   tables_capacity(w),
				   tables_halts(w),
				   tables_halts_vms(w),
				   tables_exits(w, TABLES_EXITS_BY_TASK, NULL),
				   tables_guest(w),
				   tables_accesses(w, ANALYZE_ACCESS_PIO),
				   tables_accesses(w, ANALYZE_ACCESS_MMIO),
				   tables_accesses(w, ANALYZE_ACCESS_MSR),
				   tables_accesses(w, ANALYZE_ACCESS_VIRQ),
				   tables_tasks(w, false),
				   tables_latency(w),
				   tables_switches(w),
				   tables_switches_cpus(w),
				   tables_successors(w),
				   tables_coremap(w),
				   tables_coremap_cpus(w),
				   NULL };
	size_t n = sizeof(tables) / sizeof(*tables) - 1;
	struct sink s;
	char *text;

	tables[n++] = tables_antagonists(w, tables[0], 0);
	sink_to_memory(&s);
	sink_printf(&s, "%" PRIu64 " events, %" PRIu64 " in guests, %" PRIu64 " mismatches\n",
		    sum->events, sum->guest_mode, sum->mismatches);
	for (size_t i = 0; i < analyze_engine_task_count(w->eng); i++) {
		const struct analyze_task *t = analyze_engine_task(w->eng, (uint32_t)i);

		sink_printf(&s, "%d %d %d %.16s %" PRIu64 " %" PRIu64 " %" PRIu64 " %d\n", t->tid,
			    t->pid, t->vcpu_id, t->comm, t->born_ns, t->exit_ns, t->events,
			    t->is_vcpu);
	}
	for (size_t i = 0; i < analyze_vcpus_row_count(w->vcpus); i++) {
		const struct analyze_vcpu_row *row = analyze_vcpus_row_at(w->vcpus, i);

		sink_printf(&s, "of %" PRIu64 " idle", row->idle_of_ns);
		for (uint32_t c = 0; row->idle_ns && c < analyze_engine_cpus(w->eng); c++)
			sink_printf(&s, " %" PRIu64, row->idle_ns[c]);
		for (size_t k = 0; k < row->n_antagonists; k++)
			sink_printf(&s, "; %" PRIu32, row->antagonists[k].cpu);
		sink_putc(&s, '\n');
	}
	if (table_print(&s, TABLE_AS_JSON, &frame, tables, n))
		abort();
	for (size_t i = 0; i < n; i++)
		table_free(tables[i]);
	text = sink_take(&s, NULL);
	if (!text)
		abort();
	return text;
}

static void add(struct tables_walk *w, struct cdict_reader *r, bool access, bool per_cpu)
{
	const struct analyze_tasks_options tasks = { .per_cpu = per_cpu, .stat_runtime = true };
	const struct analyze_exits_options exits = { .no_accesses = !access };
	const struct tables_options opts = { 0 };
	struct cdict_error err;

	must(tables_walk_init(w, r, &opts, &err), &err);
	/* Most machines that captures are from had one thread a core. */
	for (uint32_t c = 0; w->cores && !w->smt && c < cdict_reader_cpus(r); c++)
		w->cores[c] = (int32_t)(c / 2);
	w->smt |= w->cores != NULL;
	must(analyze_tasks_new(&w->tasks, w->eng, &tasks, &err), &err);
	must(analyze_latency_new(&w->latency, w->eng, NULL, &err), &err);
	must(analyze_exits_new(&w->exits, w->eng, &exits, &err), &err);
	must(analyze_vcpus_new(&w->vcpus, w->eng, &err), &err);
	must(analyze_halts_new(&w->halts, w->eng, &err), &err);
	must(analyze_coremap_new(&w->coremap, w->eng, &err), &err);
	must(analyze_switches_new(&w->switches, w->eng, NULL, &err), &err);
	must(analyze_successors_new(&w->successors, w->eng, &err), &err);
}

/* Where they differ first. */
static void compare(const char *one, const char *two, uint64_t cut_ns)
{
	size_t i = 0, from;

	while (one[i] && one[i] == two[i])
		i++;
	if (one[i] == two[i])
		return;
	from = i > 400 ? i - 400 : 0;
	fprintf(stderr,
		"twoparts: cut at %" PRIu64 " the tables differ:\n%.600s\ninstead of\n%.600s\n",
		cut_ns, two + from, one + from);
	exit(1);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 20, joined = 0, n = 0;
	struct cdict_reader *r, *other;
	struct cdict_error err;
	uint64_t first_ns, last_ns;

	if (argc < 2)
		return 129;
	if (argc > 3)
		seed = strtoull(argv[3], NULL, 10);
	must(cdict_reader_open(&r, argv[1], &err), &err);
	must(cdict_reader_open(&other, argv[1], &err), &err);
	if (!cdict_reader_window(r, &first_ns, &last_ns))
		rounds = 0;
	for (unsigned i = 0; i < rounds; i++) {
		bool access = i % 3 == 2, per_cpu = i % 4 == 3;
		struct analyze_parts parts = { .reader = other };
		struct tables_walk one, two;
		char *text, *text_two;

		parts.cut_ns = i ? first_ns + rnd(last_ns - first_ns) : 0;
		if (i % 2)
			must(digests_stored(&parts.digests, other, &err), &err);
		if (!parts.digests)
			must(digests_new(&parts.digests, other, 1 + rnd(3000), &err), &err);
		if (!parts.digests)
			break; /* a capture that is walked in one */
		if (!digests_done(parts.digests))
			must(digests_step(parts.digests, UINT64_MAX, &err), &err);
		add(&one, r, access, per_cpu);
		must(tables_walk_run(&one, &err), &err);
		add(&two, r, access, per_cpu);
		must(analyze_engine_begin_two(two.eng, r, &parts, &two.later, &err), &err);
		n++;
		if (two.later)
			must(tables_walk_later(&two, &err), &err);
		must(tables_walk_first(&two, &err), &err);
		must(tables_walk_join(&two, &err), &err);
		joined += analyze_engine_joined(two.eng);
		text = text_of(&one, argv[1]);
		text_two = text_of(&two, argv[1]);
		compare(text, text_two, parts.cut_ns);
		free(text);
		free(text_two);
		tables_walk_fini(&one);
		tables_walk_fini(&two);
		digests_free(parts.digests);
	}
	printf("%u walks, %u joined\n", n, joined);
	cdict_reader_close(r);
	cdict_reader_close(other);
	return 0;
}
