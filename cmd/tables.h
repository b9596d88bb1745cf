/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tables.h - the tables that more than one command prints.
 *
 * Each fills a new table from an analysis after figures_run(): *out is given (free it,
 * also after a failure), and a status returned.
 */
#ifndef CMD_TABLES_H
#define CMD_TABLES_H

#include "analyze/latency.h"
#include "analyze/switches.h"
#include "analyze/tasks.h"
#include "analyze/vcpu.h"
#include "cmd/figures.h"

int tables_tasks(struct table **out, const struct figures *f, const struct analyze_tasks *tasks,
		 bool per_cpu);
int tables_latency(struct table **out, const struct figures *f,
		   const struct analyze_latency *latency);
int tables_latency_cpus(struct table **out, const struct figures *f,
			const struct analyze_latency *latency); /* made with by_cpu */
int tables_latency_perf(struct table **out, const struct figures *f,
			const struct analyze_latency *latency); /* made with like_perf */
/* tables_latency_chart - bars by powers of two of the waits of all wanted tasks; given. */
char *tables_latency_chart(const struct figures *f, const struct analyze_latency *latency);

int tables_switches_cpus(struct table **out, const struct figures *f,
			 const struct analyze_switches *sw); /* a row a CPU */

/* Worst first.  The hidden column TABLES_VCPU_ROW is the row's number in @vcpus. */
enum { TABLES_VCPU_ROW = TASK_COLUMNS };
int tables_vcpu(struct table **out, const struct figures *f, const struct analyze_vcpus *vcpus);
int tables_vcpu_reasons(struct table **out, const struct figures *f,
			const struct analyze_vcpus *vcpus);
/* tables_antagonists - of the vCPUs that @vcpu (from tables_vcpu()) shows, in its order, the
 * @most worst of each; 0: all. */
int tables_antagonists(struct table **out, const struct figures *f,
		       const struct analyze_vcpus *vcpus, const struct table *vcpu, size_t most);
/* tables_vcpu_findings - at most five sentences, one a line, on what kept the wanted vCPUs from
 * running; given, NULL: out of memory. */
char *tables_vcpu_findings(const struct figures *f, const struct analyze_vcpus *vcpus);

/* What each of these sentences is about. */
struct tables_finding {
	const char *kind;       /* "delayed", "handling", "unknown", "good" */
	uint32_t task;          /* ANALYZE_NO_TASK: none in particular */
	const char *reason;     /* borrowed from @vcpus, or NULL */
	uint64_t at_ns, dur_ns; /* of the worst, dur_ns 0: no moment in particular */
	uint32_t cpu;           /* there, CDICT_CPU_UNKNOWN */
};
enum { TABLES_FINDINGS = 6 };
/* tables_vcpu_findings_about - the same with what each sentence is about: @about has room
 * for TABLES_FINDINGS, *n of them are told. */
char *tables_vcpu_findings_about(const struct figures *f, const struct analyze_vcpus *vcpus,
				 struct tables_finding *about, size_t *n);
/* tables_duration - "5.00 s", "38 ms", "1.2 ms", "250 us". */
void tables_duration(struct sink *s, uint64_t ns);

#endif
