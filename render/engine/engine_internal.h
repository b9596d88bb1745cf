/* SPDX-License-Identifier: GPL-2.0-only */
/* engine_internal.h - shared by page_engine.c, page_tasks.c and page_lists.c. */
#ifndef RENDER_PAGE_ENGINE_INTERNAL_H
#define RENDER_PAGE_ENGINE_INTERNAL_H

#include "analyze/printing/reasons.h"
#include "analyze/sched/slices.h"
#include "analyze/walk/engine.h"
#include "base/memory/array.h"
#include "render/engine/arrays.h"
#include "render/engine/engine.h"

#define PAGE_NO_TASK UINT32_MAX

/* One of the page's tasks, and what tells it apart. */
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

	const struct page_call *call; /* NULL: nothing is under way */
	int part; /* of what it answers: figures (page_capture.h); events: PAGE_ROWS alone */
	struct page_query q;
	uint64_t *chosen; /* bitmap of q.tasks; NULL: all */
	uint64_t *cpus;   /* of q.cpus */
	size_t n_cpus;
	ARRAY(char *) reasons; /* of q.reasons */
	struct analyze_engine *eng;
	struct digests *digests; /* made by the first walk, or NULL */
	bool no_digests;         /* the capture has none */
	struct label_index
		*labels; /* of the file; made by the first walk that names tasks, or NULL */
	void *state;     /* the call's */
	bool enough;     /* more than q.max: the walk need not go on */
	struct sink json, arrays;
};

enum { PAGE_ROWS = 1 };

struct page_call {
	size_t state_size; /* of e->state, which is zeroed */
	/* Intervals: each of the question's kinds. */
	int (*tell)(void *ctx, const struct analyze_slice *slice);
	/* Registers with e->eng. */
	int (*add)(struct page_engine *e, struct cdict_error *err);
	/* Members of the answer; 0 or a negative code. */
	int (*write)(struct page_engine *e, struct arrays *a, struct cdict_error *err);
	void (*fini)(struct page_engine *e); /* empties e->state */
	/* Instead of the engine's walk; as page_engine_step(), without the answer. */
	int (*step)(struct page_engine *e, uint64_t events, struct cdict_error *err);
};

extern const struct page_call page_figures, page_histogram, page_pieces, page_states, page_marks,
	page_select, page_subsecond, page_events, page_checksum, page_flame, page_detail,
	page_tracks;

/* page_engine_digests - what the capture's events leave behind, made by the first walk; NULL: it has none. */
int page_engine_digests(struct page_engine *e, struct digests **out, struct cdict_error *err);

/* page_engine_labels - names of tasks that the file holds; NULL: it has none. */
int page_engine_labels(struct page_engine *e, struct label_index **out, struct cdict_error *err);

/* page_engine_walk - over the question's range, of its tasks and CPUs; e->eng is the walk's. */
struct tables_walk;
int page_engine_walk(struct page_engine *e, struct tables_walk *w, struct cdict_error *err);

/* page_engine_reasons - what exits are called. */
int page_engine_reasons(struct page_engine *e, struct analyze_reasons **out,
			struct cdict_error *err);
/* page_engine_wants - whether an interval is wanted: of exits those of the question's reasons; @names NULL: any. */
bool page_engine_wants(const struct page_engine *e, struct analyze_reasons *names,
		       const struct analyze_slice *slice);

/* --- page_tasks.c --- */

void page_tasks_forget(struct page_tasks *t); /* what the walk's tasks are: another one begins */
void page_tasks_fini(struct page_tasks *t);
/* page_tasks_of - the page's task that one of the walk is, NULL: none.  Of several with one tid the
 * latest that was born by then. */
const struct page_task_key *page_tasks_of(struct page_engine *e, uint32_t task);
/* page_tasks_at - the one that a sample of @tid on @cpu is of, @t_ns since the first event. */
const struct page_task_key *page_tasks_at(struct page_engine *e, int32_t tid, uint32_t cpu,
					  uint64_t t_ns);
/* page_tasks_number - its number, or PAGE_NO_TASK. */
uint32_t page_tasks_number(struct page_engine *e, uint32_t task);
/* page_tasks_wanted - whether it is of the question's tasks; without such, of those that the page
 * was made for. */
bool page_tasks_wanted(struct page_engine *e, const struct page_task_key *known);
/* page_tasks_heated - the same for heat maps: those of all tasks leave out IDLE. */
bool page_tasks_heated(struct page_engine *e, uint32_t task);

#endif
