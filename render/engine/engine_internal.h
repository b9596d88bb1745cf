/* SPDX-License-Identifier: GPL-2.0-only */
/* engine_internal.h - shared by engine.c, tasks.c and the answers to questions. */
#ifndef RENDER_ENGINE_ENGINE_INTERNAL_H
#define RENDER_ENGINE_ENGINE_INTERNAL_H

#include "analyze/printing/reasons.h"
#include "analyze/sched/slices.h"
#include "analyze/walk/engine.h"
#include "base/memory/array.h"
#include "base/memory/map.h"
#include "render/engine/arrays.h"
#include "render/engine/engine.h"

#define PAGE_NO_TASK UINT32_MAX

/* One of the page's tasks, with its identity. */
struct page_task_key {
	int64_t key; /* the tid; of IDLE -1 - its CPU */
	int64_t born_ns;
	uint32_t number;
	bool wanted, vcpu;
};

struct page_tasks {
	ARRAY(struct page_task_key) all;
	bool sorted;
	ARRAY(uint32_t) found; /* by the walk's task: 1 + index of @all; 0: not looked up yet */
};

struct page_engine {
	struct cdict_reader *reader;
	uint64_t t0_ns, last_ns;
	struct page_tasks tasks;

	const struct page_call *call; /* NULL: none in progress */
	int part; /* of the answer: figures (capture.h); events: only PAGE_ROWS */
	struct page_query q;
	uint64_t *chosen; /* bitmap of q.tasks; NULL: all */
	uint64_t *cpus;   /* bitmap of q.cpus */
	size_t n_cpus;
	ARRAY(char *) reasons; /* copies of q.reasons */
	struct analyze_engine *eng;
	struct digests *digests; /* made by the first walk, or NULL */
	bool no_digests;         /* the capture has none */
	struct guests *guests; /* of joined guests; made by the first question about them, or NULL */
	struct label_index
		*labels; /* of the file; made by the first walk that names tasks, or NULL */
	void *state;     /* the call's */
	bool enough;     /* more than q.max: the walk may stop */
	struct sink json, arrays;
};

enum { PAGE_ROWS = 1 };

struct page_call {
	size_t state_size; /* of e->state, which is zeroed */
	/* Called for each interval of the question's kinds. */
	int (*on_slice)(void *ctx, const struct analyze_slice *slice);
	/* Registers with e->eng. */
	int (*add)(struct page_engine *e, struct cdict_error *err);
	/* Writes members of the answer; 0 or a negative code. */
	int (*write)(struct page_engine *e, struct arrays *a, struct cdict_error *err);
	void (*fini)(struct page_engine *e); /* empties e->state */
	/* Instead of the engine's walk; like page_engine_step(), without the answer. */
	int (*step)(struct page_engine *e, uint64_t events, struct cdict_error *err);
};

extern const struct page_call page_figures, page_histogram, page_pieces, page_states, page_marks,
	page_select, page_subsecond, page_events, page_checksum, page_flame, page_detail,
	page_tracks, page_story, page_queues, page_chain, page_critical, page_inside;

/* page_engine_digests - the capture's digests, read by the first walk; NULL: it has none. */
int page_engine_digests(struct page_engine *e, struct digests **out, struct cdict_error *err);

/* page_engine_labels - labels in the file; NULL: it has none. */
int page_engine_labels(struct page_engine *e, struct label_index **out, struct cdict_error *err);

/* page_engine_walk - sets up a walk over the question's range, tasks and CPUs; e->eng is the walk's. */
struct tables_walk;
int page_engine_walk(struct page_engine *e, struct tables_walk *w, struct cdict_error *err);

/* page_guests_again - the walks over the joined guests begin, again, for the question's range; e->eng is the
 * one over the host. page_guests_step - as guests_step(); after a failure they begin anew. */
struct guest_task_piece;
int page_guests_again(struct page_engine *e,
		      void (*on_piece)(void *, const struct guest_task_piece *),
		      struct cdict_error *err);
int page_guests_step(struct page_engine *e, uint64_t events, struct cdict_error *err);

/* page_engine_reasons - the names of exit reasons. */
int page_engine_reasons(struct page_engine *e, struct analyze_reasons **out,
			struct cdict_error *err);
/* page_engine_wants - whether an interval is wanted: exits only with the question's reasons; @names NULL: any. */
bool page_engine_wants(const struct page_engine *e, struct analyze_reasons *names,
		       const struct analyze_slice *slice);

/* --- tasks.c: exit reasons --- */

struct page_reason {
	uint32_t isa;
	uint64_t code;
};

/* Exit reasons that an answer mentions, numbered in order of appearance. */
struct page_reasons {
	struct analyze_reasons *names; /* page_engine_reasons() */
	struct map numbers;            /* of (isa, code) */
	ARRAY(struct page_reason) all;
};

/* page_reasons_number - PAGE_NO_TASK when out of memory, which e->eng keeps. */
uint32_t page_reasons_number(struct page_reasons *list, struct page_engine *e, uint32_t isa,
			     uint64_t code);
void page_reasons_write(struct json *j, const char *key, const struct page_reasons *list);
void page_reasons_fini(struct page_reasons *list);

/* --- tasks.c --- */

void page_tasks_forget(struct page_tasks *t); /* the walk's tasks: another walk begins */
void page_tasks_fini(struct page_tasks *t);
/* page_tasks_of - the page's task for the walk's @task, NULL: none.  Of several with one tid the
 * latest that was born by then. */
const struct page_task_key *page_tasks_of(struct page_engine *e, uint32_t task);
/* page_tasks_at - the page's task for a sample of @tid on @cpu, @t_ns since the first event. */
const struct page_task_key *page_tasks_at(struct page_engine *e, int32_t tid, uint32_t cpu,
					  uint64_t t_ns);
/* page_tasks_number - its number, or PAGE_NO_TASK. */
uint32_t page_tasks_number(struct page_engine *e, uint32_t task);
/* page_tasks_wanted - whether it is one of the question's tasks, or, if it has none, of those that
 * the page was made for. */
bool page_tasks_wanted(struct page_engine *e, const struct page_task_key *known);
/* page_tasks_heated - the same for heat maps: those of all tasks exclude IDLE. */
bool page_tasks_heated(struct page_engine *e, uint32_t task);

#endif
