/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * export.h - exports of a capture for other tools: Perfetto, Chrome's trace viewer, readers of .pfw, CSV, perfwhiz.
 *
 *	tables_walk_init(&w, reader, &opts, err);
 *	export_prepare(&w, err);			// the first walk collects all names
 *	tables_walk_run(&w, err);
 *	export_write(&w, &export_perfetto, sink, &report, err);
 *	tables_walk_fini(&w);
 *
 * The capture is walked twice: a trace begins with the names of its tasks, which are known at the end of a walk. Both
 * walks are the same, so a task has the same number in both. A format gets slices, exits and wake-ups as they end, and
 * keeps them only if it says so.
 *
 * Units      *_ns in the recording's clock
 * Failure    0 or a negative code with *err filled; the sink keeps write errors
 * Ownership  the walk, its reader and the sink are borrowed; arguments of a format's functions, for the call
 */
#ifndef QUERY_EXPORT_EXPORT_H
#define QUERY_EXPORT_EXPORT_H

#include "analyze/walk/ops.h"
#include "base/text/sink.h"
#include "tables/columns/walk.h"

/* A piece of one CPU's time, inside the window. Those of a CPU come in order and without holes. */
struct export_slice {
	uint32_t cpu;
	uint32_t task; /* ANALYZE_NO_TASK: unknown */
	uint64_t from_ns, to_ns;
	bool switched; /* a sched_switch of the window ends it: its state is known */
	enum analyze_off off;
	uint64_t prev_state;            /* as recorded */
	char state[ANALYZE_STATE_ROOM]; /* the same in the kernel's letters; empty: not known */
	int32_t prio;                   /* or ANALYZE_NO_PRIO */
};

/* A sched_switch of the window, even if the time before it is unknown. */
struct export_switch {
	uint64_t t_ns;
	uint64_t from_ns; /* of the slice that it ends; ANALYZE_NO_TIME: no known switch began it */
	uint32_t cpu, prev, next;
};

/* A kvm_exit with its kvm_entry, which is in the window. */
struct export_exit {
	uint32_t task;
	uint32_t cpu; /* of the entry */
	uint64_t t_ns, ns;
	uint32_t isa;
	uint64_t code;
	const char *reason; /* its name, or the number in hex */
};

/* From kvm_entry to kvm_exit, which is in the window. */
struct export_guest {
	uint32_t task, cpu;
	uint64_t from_ns, to_ns;
	uint32_t isa;
	uint64_t code; /* of the exit */
};

struct export_wake {
	uint64_t t_ns;
	uint32_t cpu;         /* of the waker */
	uint32_t task, waker; /* ANALYZE_NO_TASK: not known */
	uint32_t target_cpu;  /* or CDICT_CPU_UNKNOWN */
	int32_t prio;
};

/* Numbers for the command's messages. */
struct export_report {
	uint64_t slices, exits;
	uint32_t cpus_left_out; /* that the format does not support */
	uint64_t left_out;      /* events that it does not support */
};

struct export
{
	struct tables_walk *walk;   /* the first walk: names, VMs, wanted tasks */
	struct analyze_engine *eng; /* that of the current walk */
	struct sink *out;
	struct export_report *report;
	const struct analyze_summary *sum; /* the window */
	char **names;                      /* by task, made on demand */
	size_t n_names;
	bool failed; /* out of memory */
	void *own;   /* the format's */
};

struct export_format {
	const char *name;
	size_t own_size; /* of x->own, which is zeroed at first */
	int (*begin)(struct export *x, struct cdict_error *err);
	void (*slice)(struct export *x, const struct export_slice *s);
	void (*sw)(struct export *x, const struct export_switch *s);   /* of wanted tasks */
	void (*exit)(struct export *x, const struct export_exit *e);   /* of wanted tasks */
	void (*guest)(struct export *x, const struct export_guest *g); /* of wanted tasks */
	void (*wake)(struct export *x, const struct export_wake *w);   /* of wanted tasks */
	int (*end)(struct export *x, struct cdict_error *err);
	void (*fini)(struct export *x); /* also after a failure; may be NULL, like those above */
};

extern const struct export_format export_perfetto, export_chrome, export_pfw, export_csv,
	export_perfwhiz;

/* export_prepare - call it before the first walk. */
int export_prepare(struct tables_walk *w, struct cdict_error *err);
/* export_write - call it after that walk: walks again and writes the export. */
int export_write(struct tables_walk *w, const struct export_format *format, struct sink *out,
		 struct export_report *report, struct cdict_error *err);

/* ---- for the formats ---- */

/* export_out_of_memory - ends the walk and the export. */
void export_out_of_memory(struct export *x);
const struct analyze_task *export_task(const struct export *x, uint32_t task);
/* export_wanted - whether --task, --tid, --vm select the task; IDLE matches no name but its own. */
bool export_wanted(const struct export *x, uint32_t task);
/* export_name - the task's name; borrowed. NULL: out of memory, which ends the walk. */
const char *export_name(struct export *x, uint32_t task);
/* export_comm - the task's current comm: "swapper/3" is IDLE of CPU 3; in @room or borrowed. */
#define EXPORT_COMM 32
const char *export_comm(const struct export *x, uint32_t task, char room[EXPORT_COMM]);
/* export_filtered - whether only some tasks are wanted. */
bool export_filtered(const struct export *x);
/* export_pid - the task's process; if that is unknown, its tid, as for a main thread. */
int32_t export_pid(const struct analyze_task *t);
/* export_text - writes foreign text as a JSON string; NULL: an empty one. */
void export_text(struct sink *s, const char *text);
/* export_us - writes nanoseconds as microseconds with as many decimals as needed: 12, 12.5, 12.345. */
void export_us(struct sink *s, uint64_t ns);

#endif
