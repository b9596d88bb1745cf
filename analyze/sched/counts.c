// SPDX-License-Identifier: LGPL-2.1-only
/* counts.c - see counts.h. */
#include "analyze/sched/counts.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"

enum { ERRNO_MAX = 4095 }; /* MAX_ERRNO of the kernel's <linux/err.h> */
/* The number in sys_exit of sigreturn, which restores the registers from before the signal: its own
 * number is lost, and its return value belongs to the interrupted code. */
#define FORGOTTEN (-1)
enum { CPU_BITS = 17 }; /* CPUS_MAX of engine.c, and one for none */

/* A thread's current call. */
struct open_call {
	bool open, counted;
	uint32_t cpu;
	uint64_t t_ns;
	int64_t nr;
};

struct analyze_counts {
	struct analyze_engine *eng;
	struct analyze_counts_options opts;
	uint64_t from_ns;
	struct index numbers; /* maps 64-bit system call numbers, which are untrusted, to 32 bits */
	struct index keys;    /* of rows */
	ARRAY(struct analyze_counts_row) rows;
	ARRAY(struct open_call) threads; /* by task */
};

static bool wanted(const struct analyze_counts *c, uint32_t type)
{
	return !c->opts.types ||
	       (type < c->opts.n_types && c->opts.types[type / 64] >> type % 64 & 1);
}

/* NULL: out of memory, reported to the engine. */
static struct analyze_counts_row *row_of(struct analyze_counts *c, uint64_t what, uint32_t task,
					 uint32_t cpu, uint64_t t_ns)
{
	uint64_t bucket = c->opts.bucket_ns ? (t_ns - c->from_ns) / c->opts.bucket_ns : 0;
	struct analyze_counts_row *row;
	uint64_t a = what << 32, b;
	uint32_t i;

	if (c->opts.by & ANALYZE_COUNTS_BY_WINDOW)
		bucket = analyze_engine_window_of(c->eng, t_ns);
	b = bucket << CPU_BITS;
	if (c->opts.by & ANALYZE_COUNTS_BY_TASK)
		a |= task;
	if (c->opts.by & ANALYZE_COUNTS_BY_CPU)
		b |= cpu < analyze_engine_cpus(c->eng) ? cpu : (1u << CPU_BITS) - 1;
	i = index_take(&c->keys, a, b);
	row = row_at(&c->rows, i);
	if (!row) {
		analyze_engine_out_of_memory(c->eng);
		return NULL;
	}
	row->bucket = bucket;
	if (c->opts.by & ANALYZE_COUNTS_BY_TASK)
		row->task = task;
	if (c->opts.by & ANALYZE_COUNTS_BY_CPU)
		row->cpu = cpu < analyze_engine_cpus(c->eng) ? cpu : CDICT_CPU_UNKNOWN;
	return row;
}

static void on_event(void *self, const struct analyze_event *ev)
{
	struct analyze_counts *c = self;
	struct analyze_counts_row *row;

	if (!ev->in || !wanted(c, ev->type))
		return;
	row = row_of(c, c->opts.by & ANALYZE_COUNTS_BY_EVENT ? ev->type : 0, ev->task, ev->cpu,
		     ev->t_ns);
	if (!row)
		return;
	if (c->opts.by & ANALYZE_COUNTS_BY_EVENT)
		row->type = ev->type;
	row->events++;
}

static struct analyze_counts_row *row_of_call(struct analyze_counts *c,
					      const struct analyze_syscall *sc, int64_t nr)
{
	uint32_t number = index_take(&c->numbers, (uint64_t)nr, 0);
	struct analyze_counts_row *row =
		number == INDEX_NONE ? NULL : row_of(c, number, sc->task, sc->cpu, sc->t_ns);

	if (row)
		row->nr = nr;
	else
		analyze_engine_out_of_memory(c->eng);
	return row;
}

/* Whether a task marked a window between two times. */
static bool marked(const struct analyze_counts *c, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	return c->opts.n_markers &&
	       markers_call_in(c->opts.markers, c->opts.n_markers,
			       analyze_engine_task(c->eng, task)->tid, from_ns, to_ns);
}

/* A call turned out to be a marker: it no longer counts. */
static void uncount(struct analyze_counts *c, uint32_t task, struct open_call *call)
{
	const struct analyze_syscall begin = { .t_ns = call->t_ns, .cpu = call->cpu, .task = task };
	struct analyze_counts_row *row = call->counted ? row_of_call(c, &begin, call->nr) : NULL;

	if (row)
		row->events--;
	call->counted = false;
}

static void begin_call(struct analyze_counts *c, const struct analyze_syscall *sc,
		       struct open_call *call)
{
	struct analyze_counts_row *row = NULL;

	/* the call before has no return */
	if (call->open && call->counted && marked(c, sc->task, call->t_ns, sc->t_ns - 1))
		uncount(c, sc->task, call);
	if (sc->in && !marked(c, sc->task, sc->t_ns, sc->t_ns))
		row = row_of_call(c, sc, sc->nr);
	if (row)
		row->events++;
	*call = (struct open_call){
		.open = true, .counted = row, .cpu = sc->cpu, .t_ns = sc->t_ns, .nr = sc->nr
	};
}

static void on_syscall(void *self, const struct analyze_syscall *sc)
{
	struct analyze_counts *c = self;
	struct open_call *call = row_at(&c->threads, sc->task);
	struct analyze_counts_row *row;
	bool whole, forgotten, same, marker;
	int64_t nr = sc->nr;

	if (!call) {
		analyze_engine_out_of_memory(c->eng);
		return;
	}
	if (!sc->exit) {
		begin_call(c, sc, call);
		return;
	}
	forgotten = sc->nr == FORGOTTEN;
	if (forgotten && call->open)
		nr = call->nr;
	same = call->open && call->nr == nr;
	marker = marked(c, sc->task, same ? call->t_ns : sc->t_ns, sc->t_ns);
	if (marker && same)
		uncount(c, sc->task, call);
	whole = same && !analyze_engine_call_broken(c->eng, sc, call->t_ns, call->cpu);
	call->open = false;
	row = sc->in && !marker ? row_of_call(c, sc, nr) : NULL;
	if (!row)
		return;
	row->returns++;
	row->errors += !forgotten && sc->ret < 0 && sc->ret >= -ERRNO_MAX;
	row->broken += !whole;
	if (whole)
		analyze_count(c->eng, &row->time, sc->t_ns - call->t_ns, call->t_ns);
}

/* Calls that never returned in the capture. */
static int on_finish(void *self, struct cdict_error *err)
{
	struct analyze_counts *c = self;

	(void)err;
	for (size_t i = 0; i < c->threads.n && c->opts.n_markers; i++) {
		struct open_call *call = &c->threads.at[i];

		if (call->open && call->counted && marked(c, (uint32_t)i, call->t_ns, UINT64_MAX))
			uncount(c, (uint32_t)i, call);
	}
	return 0;
}

static int on_start(void *self, const struct cdict_schema *schema, struct cdict_error *err)
{
	struct analyze_counts *c = self;
	uint64_t to_ns;

	(void)schema;
	analyze_engine_window(c->eng, &c->from_ns, &to_ns);
	if (c->opts.bucket_ns && (to_ns - c->from_ns) / c->opts.bucket_ns >= ANALYZE_COUNTS_BUCKETS)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "the window has more than %llu buckets of this length",
				  (unsigned long long)ANALYZE_COUNTS_BUCKETS);
	return 0;
}

static const struct analyze_ops ops_events = {
	.event = on_event,
	.start = on_start,
	.resumes = true,
};

/* A call that returns in the window may have begun any time before: no .resumes, the walk covers
 * the whole capture. */
static const struct analyze_ops ops_syscalls = {
	.needs = ANALYZE_NEED_SYSCALLS,
	.syscall = on_syscall,
	.start = on_start,
	.finish = on_finish,
};

int analyze_counts_new(struct analyze_counts **out, struct analyze_engine *eng,
		       const struct analyze_counts_options *opts, struct cdict_error *err)
{
	struct analyze_counts *c = calloc(1, sizeof(*c));
	int ret;

	*out = NULL;
	if (!c)
		return cdict_fail_nomem(err);
	c->eng = eng;
	c->opts = *opts;
	ret = analyze_engine_add(
		eng, opts->by & ANALYZE_COUNTS_BY_SYSCALL ? &ops_syscalls : &ops_events, c, err);
	if (ret) {
		free(c);
		return ret;
	}
	*out = c;
	return 0;
}

void analyze_counts_free(struct analyze_counts *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->rows.n; i++)
		analyze_counts_row_fini(&c->rows.at[i]);
	array_fini(&c->rows);
	array_fini(&c->threads);
	index_fini(&c->numbers);
	index_fini(&c->keys);
	free(c);
}

size_t analyze_counts_row_count(const struct analyze_counts *c)
{
	return c->rows.n;
}

const struct analyze_counts_row *analyze_counts_row_at(const struct analyze_counts *c, size_t i)
{
	return &c->rows.at[i];
}

const struct analyze_counts_options *analyze_counts_how(const struct analyze_counts *c)
{
	return &c->opts;
}

int analyze_counts_row_merge(struct analyze_counts_row *to, const struct analyze_counts_row *from)
{
	to->events += from->events;
	to->returns += from->returns;
	to->errors += from->errors;
	to->broken += from->broken;
	return histogram_merge(&to->time, &from->time);
}

void analyze_counts_row_fini(struct analyze_counts_row *row)
{
	histogram_fini(&row->time);
}
