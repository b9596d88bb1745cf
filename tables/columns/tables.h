/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * tables.h - the tables of a walk's results.
 *
 * Each returns a new table after tables_walk_run(), filled from the analysis of its name, which
 * must be registered; the caller frees it; NULL: out of memory.
 */
#ifndef TABLES_COLUMNS_TABLES_H
#define TABLES_COLUMNS_TABLES_H

#include "tables/columns/table.h"
#include "tables/columns/walk.h"
#include "tables/names/syscalls.h"

struct table *tables_tasks(const struct tables_walk *w, bool per_cpu);
/* The same with tasks folded (fold.h): by VM, else by name; and by the parts of a VM, the kinds of
 * kernel threads. */
struct table *tables_tasks_groups(const struct tables_walk *w);
struct table *tables_tasks_roles(const struct tables_walk *w);
struct table *tables_tasks_cgroups(const struct tables_walk *w);
struct table *tables_latency(const struct tables_walk *w);
struct table *tables_latency_cpus(const struct tables_walk *w); /* made with by_cpu */
struct table *tables_latency_perf(const struct tables_walk *w); /* made with like_perf */
/* tables_latency_chart - bars of the waits of all wanted tasks by powers of two. */
char *tables_latency_chart(const struct tables_walk *w);

struct table *tables_switches(const struct tables_walk *w);      /* a row per CPU and bucket */
struct table *tables_switches_cpus(const struct tables_walk *w); /* a row per CPU */
/* How to show the rows of w->counts: with a filter tasks are counted separately, but may share a
 * row. */
struct tables_count_options {
	bool by_task;
	enum syscalls_abi abi;
};
struct table *tables_count(const struct tables_walk *w, const struct tables_count_options *how);
struct table *tables_successors(const struct tables_walk *w);
struct table *tables_coremap(const struct tables_walk *w);      /* a row per cell */
struct table *tables_coremap_cpus(const struct tables_walk *w); /* a row per CPU */
/* tables_coremap_groups, tables_coremap_roles - the cells with tasks folded (fold.h). */
struct table *tables_coremap_groups(const struct tables_walk *w);
struct table *tables_coremap_roles(const struct tables_walk *w);

enum tables_exits_by {
	TABLES_EXITS_BY_TASK = 0,
	TABLES_EXITS_BY_REASON,
	TABLES_EXITS_BY_VM,
	TABLES_EXITS_BY_VCPU,
};
/* HLT and similar exits, in which the guest is idle, are kept apart. */
struct tables_idle_exits {
	uint64_t events, time_ns;
};
/* tables_exits - @idle may be NULL. */
struct table *tables_exits(const struct tables_walk *w, enum tables_exits_by by,
			   struct tables_idle_exits *idle);
struct table *tables_guest(const struct tables_walk *w);
struct table *tables_accesses(const struct tables_walk *w, enum analyze_access_kind kind);

/* Worst first. */
struct table *tables_vcpu(const struct tables_walk *w);
/* tables_vcpu_row - the vCPU of row @row of tables_vcpu(), in any sort order. */
const struct analyze_vcpu_row *tables_vcpu_row(const struct tables_walk *w,
					       const struct table *vcpu, size_t row);
struct table *tables_vcpu_shares(const struct tables_walk *w);
/* tables_vcpu_groups - the states of all vCPUs of a VM together. */
struct table *tables_vcpu_groups(const struct tables_walk *w);
struct table *tables_vcpu_reasons(const struct tables_walk *w);
/* tables_antagonists - the @most worst antagonists of each vCPU shown in @vcpu (from
 * tables_vcpu()), in its order; 0: all. */
struct table *tables_antagonists(const struct tables_walk *w, const struct table *vcpu,
				 size_t most);

/* tables_delays - antagonists by VM: a row for each VM that waited and each culprit: VMs (also
 * itself), tasks of the host by name, kernel threads as one, idle, unknown; the rows add up to the
 * delay in tables_vcpu(). */
struct table *tables_delays(const struct tables_walk *w);
/* tables_beside - a row for each VM and each party that had the other thread of the core while it
 * was in the guest, grouped as in tables_delays(); several other threads each count; also a row for
 * time without another thread. No rows without such cores. */
struct table *tables_beside(const struct tables_walk *w);
/* tables_beside_text - a line about that table, or why it is empty. */
const char *tables_beside_text(const struct tables_walk *w);
/* tables_halts - how the halts of each vCPU ended; needs w->halts. */
struct table *tables_halts(const struct tables_walk *w);
/* tables_halts_vms - the sums by VM. */
struct table *tables_halts_vms(const struct tables_walk *w);
/* tables_capacity - one row: CPUs, how busy they were, vCPUs. tables_capacity_text - in words: "4
 * CPUs, 97 % busy, 8 vCPUs: overcommitted", to be freed, NULL: out of memory. */
struct table *tables_capacity(const struct tables_walk *w);
char *tables_capacity_text(const struct tables_walk *w);

/* tables_vcpu_findings - at most five sentences, one per line, on what kept the wanted vCPUs from
 * running; to be freed, NULL: out of memory. */
char *tables_vcpu_findings(const struct tables_walk *w);

/* The subject of each of these sentences. */
struct tables_finding {
	const char *kind;       /* "delayed", "handling", "unknown", "good" */
	uint32_t task;          /* ANALYZE_NO_TASK: none in particular */
	const char *reason;     /* borrowed from the analysis, or NULL */
	uint64_t at_ns, dur_ns; /* of the worst wait, dur_ns 0: no particular time */
	uint32_t cpu;           /* of it, or CDICT_CPU_UNKNOWN */
	/* In a vCPU's worst wait the task that held a CPU longest, or ANALYZE_NO_TASK, that CPU,
	 * and for how long. */
	uint32_t behind, behind_cpu;
	uint64_t held_ns;
};
enum { TABLES_FINDINGS = 14 };
/* tables_vcpu_findings_about - the same with the subject of each sentence: @about has room for
 * TABLES_FINDINGS, *n are filled. Words that readers may show differently are mentions:
 * TABLES_MENTION, 't' and a task's number, 'c' and a time of the recording's clock or 'u' for a
 * unit, a blank, the words, TABLES_MENTION_END. */
char *tables_vcpu_findings_about(const struct tables_walk *w, struct tables_finding *about,
				 size_t *n);
enum { TABLES_MENTION = 1, TABLES_MENTION_END = 2 };
void tables_say_who(struct sink *s, const struct tables_walk *w, uint32_t task);
/* tables_say_task - the same with the unit, container or pod that it runs in, if it is of no VM. */
void tables_say_task(struct sink *s, const struct tables_walk *w, uint32_t task);
void tables_say_when(struct sink *s, uint64_t t_ns);
/* tables_say_waits - "vhost-1841 waited 822 ms of 8.17 s for a CPU, 188 times; worst 165 ms at 3.4 s",
 * with mentions. */
void tables_say_waits(struct sink *s, const struct tables_walk *w,
		      const struct analyze_task_row *row);
/* tables_says_json - the sentence in pieces, words, tasks and times, as the array @key; times are
 * relative to @t0_ns, @numbers maps tasks to the page's (NULL: the same). Units become "µs" in
 * @text. */
void tables_says_json(struct json *j, const char *key, char *text, uint64_t t0_ns,
		      const uint32_t *numbers);
/* tables_plain - reduces mentions to their words, in place. */
void tables_plain(char *text);
/* tables_findings_json - the findings at the top of the page: vCPUs or, without them, tasks,
 * imbalance, loss; times are relative to @t0_ns; @numbers maps the walk's task numbers to the
 * page's (NULL: the same). @g: joined guests after their walks, or NULL. Needs vcpus, latency and coremap; 0 or -ENOMEM. */
struct guests;
int tables_findings_json(struct json *j, const struct tables_walk *w, uint64_t t0_ns,
			 const uint32_t *numbers, const struct guests *g);
/* tables_duration - "5.00 s", "38 ms", "1.2 ms", "250 us". */
void tables_duration(struct sink *s, uint64_t ns);

#endif
