/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * tables.h - the tables of what a walk found.
 *
 * Each fills a new table after tables_walk_run() from the analysis of its name, which must
 * have been asked for; given (free it), NULL: out of memory.
 */
#ifndef TABLES_TABLES_H
#define TABLES_TABLES_H

#include "tables/columns/table.h"
#include "tables/columns/walk.h"
#include "tables/names/syscalls.h"

struct table *tables_tasks(const struct tables_walk *w, bool per_cpu);
/* The same, many as few rows (fold.h): by VM, else by name; and by the parts of a VM, the kinds of kernel threads. */
struct table *tables_tasks_groups(const struct tables_walk *w);
struct table *tables_tasks_roles(const struct tables_walk *w);
struct table *tables_latency(const struct tables_walk *w);
struct table *tables_latency_cpus(const struct tables_walk *w); /* made with by_cpu */
struct table *tables_latency_perf(const struct tables_walk *w); /* made with like_perf */
/* tables_latency_chart - bars by powers of two of the waits of all wanted tasks. */
char *tables_latency_chart(const struct tables_walk *w);

struct table *tables_switches(const struct tables_walk *w);      /* a row a CPU and bucket */
struct table *tables_switches_cpus(const struct tables_walk *w); /* a row a CPU */
/* How the rows of w->counts are shown: where tasks are filtered they are counted apart, and may be one row. */
struct tables_count_options {
	bool by_task;
	enum syscalls_abi abi;
};
struct table *tables_count(const struct tables_walk *w, const struct tables_count_options *how);
struct table *tables_successors(const struct tables_walk *w);
struct table *tables_coremap(const struct tables_walk *w);      /* a row a cell */
struct table *tables_coremap_cpus(const struct tables_walk *w); /* a row a CPU */
/* tables_coremap_groups, tables_coremap_roles - the cells of tasks, many as few (fold.h). */
struct table *tables_coremap_groups(const struct tables_walk *w);
struct table *tables_coremap_roles(const struct tables_walk *w);

enum tables_exits_by {
	TABLES_EXITS_BY_TASK = 0,
	TABLES_EXITS_BY_REASON,
	TABLES_EXITS_BY_VM,
	TABLES_EXITS_BY_VCPU,
};
/* HLT and its kin are the guest being idle, not work: kept apart. */
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
/* tables_vcpu_row - which vCPU row @row of tables_vcpu() is about, however it was sorted. */
const struct analyze_vcpu_row *tables_vcpu_row(const struct tables_walk *w,
					       const struct table *vcpu, size_t row);
struct table *tables_vcpu_shares(const struct tables_walk *w);
/* tables_vcpu_groups - the states of all vCPUs of a VM together. */
struct table *tables_vcpu_groups(const struct tables_walk *w);
struct table *tables_vcpu_reasons(const struct tables_walk *w);
/* tables_antagonists - of the vCPUs that @vcpu (from tables_vcpu()) shows, in its order, the
 * @most worst of each; 0: all. */
struct table *tables_antagonists(const struct tables_walk *w, const struct table *vcpu,
				 size_t most);

/* tables_delays - the same by VM: a row for each VM that waited and each that was in its way: VMs (itself
 * too), tasks of the host by name, kernel threads as one, nobody, and what is not known; its rows
 * add up to what tables_vcpu() says was delayed. */
struct table *tables_delays(const struct tables_walk *w);
/* tables_beside - a row for each VM and each that had the other thread of the core while it was in the guest, as in
 * tables_delays(); where cores have several others, each counts; rows where it has none. Without such cores
 * there are no rows. */
struct table *tables_beside(const struct tables_walk *w);
/* tables_beside_text - what it tells, or why it is empty. */
const char *tables_beside_text(const struct tables_walk *w);
/* tables_halts - how the halts of each vCPU ended; made with halts. */
struct table *tables_halts(const struct tables_walk *w);
/* tables_halts_vms - the same added up by VM. */
struct table *tables_halts_vms(const struct tables_walk *w);
/* tables_capacity - one row: CPUs, how busy they were, vCPUs; in words: "4 CPUs, 97 % busy, 8 vCPUs:
 * overcommitted", given, NULL: out of memory. */
struct table *tables_capacity(const struct tables_walk *w);
char *tables_capacity_text(const struct tables_walk *w);

/* tables_vcpu_findings - at most five sentences, one a line, on what kept the wanted vCPUs from
 * running; given, NULL: out of memory. */
char *tables_vcpu_findings(const struct tables_walk *w);

/* What each of these sentences is about. */
struct tables_finding {
	const char *kind;       /* "delayed", "handling", "unknown", "good" */
	uint32_t task;          /* ANALYZE_NO_TASK: none in particular */
	const char *reason;     /* borrowed from the analysis, or NULL */
	uint64_t at_ns, dur_ns; /* of the worst, dur_ns 0: no moment in particular */
	uint32_t cpu;           /* there, CDICT_CPU_UNKNOWN */
	/* Of a vCPU's worst wait who had which CPU longest, and for how long; ANALYZE_NO_TASK. */
	uint32_t behind, behind_cpu;
	uint64_t held_ns;
};
enum { TABLES_FINDINGS = 10 };
/* tables_vcpu_findings_about - the same with what each sentence is about: @about has room
 * for TABLES_FINDINGS, *n of them are told. What others may call by another name stands in it as a
 * mention: TABLES_MENTION, 't' and a task's number, 'c' and a time of the recording's clock or 'u' for a unit, a
 * blank, the words, TABLES_MENTION_END. */
char *tables_vcpu_findings_about(const struct tables_walk *w, struct tables_finding *about,
				 size_t *n);
enum { TABLES_MENTION = 1, TABLES_MENTION_END = 2 };
void tables_say_who(struct sink *s, const struct tables_walk *w, uint32_t task);
void tables_say_when(struct sink *s, uint64_t t_ns);
/* tables_plain - takes away what makes mentions of words. */
void tables_plain(char *text);
/* tables_findings_json - what stands at the top of the page: vCPUs or, without them, tasks,
 * imbalance, loss; times count from @t0_ns, tasks are those of @numbers by the walk's (NULL: the
 * walk's own).  Needs vcpus, latency and coremap; 0 or -ENOMEM. */
int tables_findings_json(struct json *j, const struct tables_walk *w, uint64_t t0_ns,
			 const uint32_t *numbers);
/* tables_duration - "5.00 s", "38 ms", "1.2 ms", "250 us". */
void tables_duration(struct sink *s, uint64_t ns);

#endif
