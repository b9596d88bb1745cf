/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * engine.h - what the page asks of a capture: doc/page.md, "The decoder".  In the page this runs
 * as WebAssembly (render/wasm/), in tests as it is.
 *
 *	page_engine_open(&e, data, size, err);
 *	page_engine_task(e, &task);			// each of the page's, in order
 *	struct page_query q = { .call = "figures", .from_ns = a, .to_ns = b };
 *	page_engine_ask(e, &q, err);
 *	while ((rc = page_engine_step(e, 100000, err)) > 0)
 *		;					// page_engine_share(e) is done
 *	... page_engine_json(e, &len), page_engine_arrays(e, &len) ...
 *
 * Times      ns since the capture's first event
 * Failure    0 or a negative code with *err filled
 * Ownership  the capture's bytes are borrowed; answers die with the next question
 */
#ifndef RENDER_PAGE_ENGINE_H
#define RENDER_PAGE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"

struct page_engine;

int page_engine_open(struct page_engine **out, const void *data, size_t size,
		     struct cdict_error *err);
void page_engine_close(struct page_engine *e);

/* A task of the page: what tells it from its likes, and what was chosen when the page was made. */
struct page_task {
	int32_t tid;
	uint32_t idle_cpu; /* of IDLE */
	int64_t born_ns;   /* INT64_MIN: before the capture, or not known */
	bool wanted, vcpu;
};
/* page_engine_task - the next one; before the first question.  0 or -ENOMEM. */
int page_engine_task(struct page_engine *e, const struct page_task *task);

/* Numbers of tasks are the page's. */
struct page_query {
	const char *call; /* "figures", "pieces", ...: those of doc/page.md */
	uint64_t from_ns, to_ns;
	const uint32_t *tasks; /* NULL: all that are wanted */
	size_t n_tasks;
	const uint32_t *cpus; /* NULL: all */
	size_t n_cpus;
	bool filtered;         /* by -t, --tid or --vm: heat maps are of the wanted tasks */
	unsigned columns;      /* 0: 1024 */
	unsigned kinds;        /* a bit for each page_engine_kind() */
	uint64_t lo_ns, hi_ns; /* select: how long; hi_ns 0: any.  detail: lo_ns is a time in it */
	size_t max;       /* pieces, states, marks, tracks: give up beyond; select, events: rows */
	uint64_t offset;  /* events: rows to leave out */
	const char *type; /* events: of this type only; NULL: all.  detail: of what */
	const char *const *reasons; /* exits: what sums are of; NULL: all */
	size_t n_reasons;
};

/* page_engine_kind - the number of a kind of interval ("run", "sleep", "wakeup", "guest", "exit"),
 * -1: there is none. */
int page_engine_kind(const char *name);

/* page_engine_ask - begins; what was under way is given up. */
int page_engine_ask(struct page_engine *e, const struct page_query *q, struct cdict_error *err);
/* page_engine_step - about @events more; 1: there are more, 0: the answer is there. */
int page_engine_step(struct page_engine *e, uint64_t events, struct cdict_error *err);
double page_engine_share(const struct page_engine *e); /* 0..1 done */

/* The answer: JSON, and what its arrays (page_arrays.h) point into. */
const char *page_engine_json(const struct page_engine *e, size_t *len);
const void *page_engine_arrays(const struct page_engine *e, size_t *len);

#endif
