/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * chains.h - the waits of some tasks for a CPU, and for the longest one of each, or that at a given time, the chain of
 * wake-ups that led to it: "late 165 ms, woken by vhost-1841, woken by worker, woken by an
 * interrupt".
 *
 * A wait is one of wake-up latency (latency.h) or one after a preemption.
 *
 * Units      *_ns: times in the recording's clock, durations; a wait is whole, not clipped
 * Ownership  new gives, free takes; rows are borrowed and die with the analysis
 */
#ifndef ANALYZE_SCHED_CHAINS_H
#define ANALYZE_SCHED_CHAINS_H

#include "analyze/kvm/vcpu.h"
#include "analyze/walk/engine.h"

/* What precedes the last link. */
enum analyze_chain_end {
	ANALYZE_CHAIN_INTERRUPT = 0, /* an interrupt on a CPU woke the task */
	ANALYZE_CHAIN_PREEMPTED, /* the wait began with a preemption, by .by; only of the first link */
	ANALYZE_CHAIN_NOT_WOKEN, /* .by woke it; its own wake-up precedes the first event */
	ANALYZE_CHAIN_UNKNOWN,   /* the task on the waker's CPU is unknown */
	ANALYZE_CHAIN_LOST,      /* events are missing */
	ANALYZE_CHAIN_LONG,      /* more than ANALYZE_CHAIN_LINKS, or very long ago */
	ANALYZE_CHAIN_ENDS,
};

/* A task of a chain: its wake-up, and what it did until it woke the task before it in the chain;
 * the first link: until it was switched in. */
struct analyze_chain_link {
	uint32_t task;
	uint32_t cpu;       /* of the waker, or CDICT_CPU_UNKNOWN */
	uint64_t from_ns;   /* its wake-up; the first link: or its preemption */
	uint64_t waited_ns; /* for a CPU, in all waits since */
	uint64_t ran_ns;    /* the rest */
};

enum { ANALYZE_CHAIN_LINKS = 16 };

struct analyze_chain_row {
	uint32_t task;
	/* The longest wait, or the one that options.at_ns is in: its part in the window; dur_ns 0:
	 * there was none. */
	struct analyze_wait worst;
	uint64_t held_ns; /* of it: how long @worst.behind had the CPU */
	bool open;        /* it lasts beyond the window's end */
	struct analyze_chain_link link[ANALYZE_CHAIN_LINKS];
	unsigned n_links;
	enum analyze_chain_end end;
	uint32_t by; /* PREEMPTED, NOT_WOKEN: the task; else ANALYZE_NO_TASK */
};

struct analyze_chains_options {
	/* Whether to find the waits of @task, which may change once during the walk, from false to
	 * true. */
	bool (*wanted)(void *ctx, uint32_t task);
	/* A wait of such a task that ended, or lasts to the walk's end; may be NULL. */
	void (*on_wait)(void *ctx, uint32_t task, uint64_t from_ns, uint64_t to_ns);
	void *ctx;
	/* Not 0: a row has the wait that this time is in, instead of the longest. */
	uint64_t at_ns;
};

struct analyze_chains;

int analyze_chains_new(struct analyze_chains **out, struct analyze_engine *eng,
		       const struct analyze_chains_options *opts, struct cdict_error *err);
void analyze_chains_free(struct analyze_chains *c);

/* Rows of the wanted tasks with a wait, by task index. */
size_t analyze_chains_row_count(const struct analyze_chains *c);
const struct analyze_chain_row *analyze_chains_row_at(const struct analyze_chains *c, size_t i);

#endif
