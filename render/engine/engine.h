/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * engine.h - the page's questions about a capture: doc/page.md, "The decoder".  In the page this
 * runs as WebAssembly (render/wasm/), in tests natively.
 *
 *	page_engine_open(&e, data, size, err);
 *	page_engine_task(e, &task);			// each of the page's, in order
 *	struct page_query q = { .call = "figures", .from_ns = a, .to_ns = b };
 *	page_engine_ask(e, &q, err);
 *	while ((rc = page_engine_step(e, 100000, err)) > 0)
 *		;					// page_engine_share(e): progress
 *	... page_engine_json(e, &len), page_engine_arrays(e, &len) ...
 *
 * Times      ns since the capture's first event
 * Failure    0 or a negative code with *err filled
 * Ownership  the capture's bytes are borrowed; answers are valid until the next question
 */
#ifndef RENDER_ENGINE_ENGINE_H
#define RENDER_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"

struct page_engine;

int page_engine_open(struct page_engine **out, const void *data, size_t size,
		     struct cdict_error *err);
void page_engine_close(struct page_engine *e);

/* A task of the page: its identity, and what was selected when the page was made. */
struct page_task {
	int32_t tid;
	uint32_t idle_cpu; /* of IDLE */
	int64_t born_ns;   /* INT64_MIN: before the capture, or unknown */
	bool wanted, vcpu;
};
/* page_engine_task - adds the next task; before the first question.  0 or -ENOMEM. */
int page_engine_task(struct page_engine *e, const struct page_task *task);

/* A question; task numbers are the page's. */
struct page_query {
	const char *call; /* "figures", "pieces", ...: see doc/page.md */
	uint64_t from_ns, to_ns;
	const uint32_t *tasks; /* NULL: all wanted ones */
	size_t n_tasks;
	const uint32_t *cpus; /* NULL: all */
	size_t n_cpus;
	bool filtered;         /* by -t, --tid or --vm: heat maps have only wanted tasks */
	unsigned columns;      /* 0: 1024 */
	unsigned kinds;        /* a bit for each page_engine_kind() */
	uint64_t lo_ns, hi_ns; /* select: length; hi_ns 0: any.  detail: lo_ns is a time in it */
	size_t max;      /* pieces, states, marks, tracks: no answer beyond; select, events: rows */
	uint64_t offset; /* events: rows to skip */
	const char *type; /* events: of this type only; NULL: all.  detail: kind of thing */
	const char *const *reasons; /* exits: in the sums; NULL: all */
	size_t n_reasons;
};

/* page_engine_kind - the number of a kind of interval ("run", "sleep", "wakeup", "guest", "exit"),
 * or -1. */
int page_engine_kind(const char *name);

/* page_engine_ask - begins a question; one in progress is dropped. */
int page_engine_ask(struct page_engine *e, const struct page_query *q, struct cdict_error *err);
/* page_engine_step - handles about @events more; 1: there are more, 0: the answer is ready. */
int page_engine_step(struct page_engine *e, uint64_t events, struct cdict_error *err);
double page_engine_share(const struct page_engine *e); /* 0..1 done */

/* The answer: JSON, and the memory of its arrays (arrays.h). */
const char *page_engine_json(const struct page_engine *e, size_t *len);
const void *page_engine_arrays(const struct page_engine *e, size_t *len);

#endif
