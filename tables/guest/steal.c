// SPDX-License-Identifier: LGPL-2.1-only
/* Steal time: as a guest's kernel counted it (/proc/stat, by the recorder), and as the host shows it. */
#include <stdlib.h>

#include "tables/columns/table.h"
#include "tables/guest/guests.h"

enum { VM, CPU, KERNEL, WAITED, EXITS, UNKNOWN };

static const struct table_column columns[] = {
	[VM] = { "vm", "vm", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	[CPU] = { "guest_cpu", "guest CPU", TABLE_INTEGER, TABLE_KEEP, NULL, 0 },
	[KERNEL] = { "steal_kernel_ns", "steal by its kernel ms", TABLE_MS, TABLE_KEEP, NULL, 0 },
	[WAITED] = { "vcpu_wait_ns", "vCPU waited ms", TABLE_MS, TABLE_KEEP, NULL, 0 },
	[EXITS] = { "vcpu_exit_ns", "in exits ms", TABLE_MS, 0, NULL, 0 },
	[UNKNOWN] = { "vcpu_unknown_ns", "unknown ms", TABLE_MS, 0, NULL, 0 },
	TABLE_COLUMNS_END,
};

/* The next "CPU:NS" of @*text; false at its end and before anything else. */
static bool next_cpu(const char **text, unsigned long *cpu, uint64_t *ns)
{
	char *end;

	*cpu = strtoul(*text, &end, 10);
	if (end == *text || *end != ':')
		return false;
	*text = end + 1;
	*ns = strtoull(*text, &end, 10);
	if (end == *text)
		return false;
	*text = end;
	return true;
}

/* Sums of the vCPU's states while the guest recorded. */
static void add_states(uint64_t sums[ANALYZE_VCPU_STATES], const struct guests *g,
		       const struct guest *one, unsigned long cpu)
{
	uint32_t task = cpu < one->n_vcpus ? one->vcpus[cpu] : ANALYZE_NO_TASK;
	uint64_t first, last;
	size_t at = 0;

	if (!cdict_reader_window(one->reader, &first, &last))
		return;
	first = guest_clock_host_ns(&one->clock, first);
	last = guest_clock_host_ns(&one->clock, last);
	while (first < last) {
		struct guest_vcpu_piece p = guest_vcpu_track_at(g->track, task, &at, first, last);

		sums[p.state] += p.to_ns - first;
		first = p.to_ns;
	}
}

static void put_cpu(struct table *t, const struct guests *g, const struct guest *one,
		    unsigned long cpu, uint64_t steal_ns)
{
	uint64_t sums[ANALYZE_VCPU_STATES] = { 0 };

	add_states(sums, g, one, cpu);
	table_row(t);
	table_text(t, VM, one->vm);
	table_u64(t, CPU, cpu);
	table_u64(t, KERNEL, steal_ns);
	table_u64(t, WAITED, sums[ANALYZE_VCPU_PREEMPTED] + sums[ANALYZE_VCPU_WAITING]);
	table_u64(t, EXITS, sums[ANALYZE_VCPU_EXIT] + sums[ANALYZE_VCPU_QEMU]);
	table_u64(t, UNKNOWN, sums[ANALYZE_VCPU_UNKNOWN]);
	if (cpu < one->n_vcpus && one->vcpus[cpu] != ANALYZE_NO_TASK)
		table_lossy(t, tables_lossy(&g->walk,
					    analyze_engine_task(g->walk.eng, one->vcpus[cpu])));
}

struct table *guests_steal(const struct guests *g)
{
	struct table *t = table_new("guest_steal", columns);

	for (uint32_t i = 0; t && i < g->n; i++) {
		const struct guest *one = &g->all[i];
		const char *from = one->inside ? cdict_reader_info(one->reader, "steal.start")
					       : NULL,
			   *to = from ? cdict_reader_info(one->reader, "steal.end") : NULL;
		unsigned long cpu, before_cpu = 0;
		uint64_t ns, before_ns = 0;
		bool any = to && next_cpu(&from, &before_cpu, &before_ns);

		/* CPUs that are online at begin and end; both are in the same order. */
		while (any && next_cpu(&to, &cpu, &ns)) {
			while (any && before_cpu < cpu)
				any = next_cpu(&from, &before_cpu, &before_ns);
			if (any && before_cpu == cpu && before_ns <= ns)
				put_cpu(t, g, one, cpu, ns - before_ns);
		}
	}
	return t ? table_done(t) : NULL;
}
