/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * export.h - a capture as other tools read it: Perfetto, Chrome's trace viewer, readers of .pfw, CSV, perfwhiz.
 *
 *	tables_walk_init(&w, reader, &opts, err);
 *	export_prepare(&w, err);			// who is who is known before anything is written
 *	tables_walk_run(&w, err);
 *	export_write(&w, &export_perfetto, sink, &report, err);
 *	tables_walk_fini(&w);
 *
 * The capture is walked twice, for a trace begins with the names of its tasks and what they are called is known
 * at a walk's end. Both walks are the same, so a task has one number in both. A format is told of everything as
 * it ends and keeps nothing of it, but for what it says itself.
 *
 * Units      *_ns in the recording's clock
 * Failure    0 or a negative code with *err filled; what could not be written the sink remembers
 * Ownership  the walk, its reader and the sink are borrowed; what a format is told of is borrowed for the call
 */
#ifndef EXCHANGE_EXPORT_H
#define EXCHANGE_EXPORT_H

#include "analyze/walk/ops.h"
#include "base/text/sink.h"
#include "tables/columns/walk.h"

/* A piece of one CPU's time, inside the window. Those of a CPU come in order and leave nothing out. */
struct export_slice {
	uint32_t cpu;
	uint32_t task; /* ANALYZE_NO_TASK: nobody knows who ran */
	uint64_t from_ns, to_ns;
	bool switched; /* a sched_switch of the window ends it: its state is known */
	enum analyze_off off;
	uint64_t prev_state;            /* as recorded */
	char state[ANALYZE_STATE_ROOM]; /* the same in the kernel's letters; empty: not known */
	int32_t prio;                   /* or ANALYZE_NO_PRIO */
};

/* A sched_switch of the window, whatever is known of the time before. */
struct export_switch {
	uint64_t t_ns;
	uint64_t from_ns; /* of the slice that it ends, ANALYZE_NO_TIME: no switch began it that is known */
	uint32_t cpu, prev, next;
};

/* A kvm_exit with its kvm_entry, which lies in the window. */
struct export_exit {
	uint32_t task;
	uint32_t cpu; /* of the entry */
	uint64_t t_ns, ns;
	uint32_t isa;
	uint64_t code;
	const char *reason; /* its name, or the number in hex */
};

/* From kvm_entry to kvm_exit, which lies in the window. */
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

/* What the command tells its user. */
struct export_report {
	uint64_t slices, exits;
	uint32_t cpus_left_out; /* that the format cannot have */
	uint64_t left_out;      /* events of the same fate */
};

struct export
{
	struct tables_walk *walk;   /* the first walk: names, VMs, who is wanted */
	struct analyze_engine *eng; /* the one that is told of now */
	struct sink *out;
	struct export_report *report;
	const struct analyze_summary *sum; /* the window */
	char **names;                      /* by task, made when they are asked for */
	size_t n_names;
	bool failed; /* out of memory */
	void *own;   /* the format's */
};

struct export_format {
	const char *name;
	size_t own_size; /* of x->own, which begins as zeroes */
	int (*begin)(struct export *x, struct cdict_error *err);
	void (*slice)(struct export *x, const struct export_slice *s);
	void (*sw)(struct export *x, const struct export_switch *s);   /* of wanted tasks */
	void (*exit)(struct export *x, const struct export_exit *e);   /* of wanted tasks */
	void (*guest)(struct export *x, const struct export_guest *g); /* of wanted tasks */
	void (*wake)(struct export *x, const struct export_wake *w);   /* of wanted tasks */
	int (*end)(struct export *x, struct cdict_error *err);
	void (*fini)(struct export *x); /* also after a failure; may be NULL, as any of the above */
};

extern const struct export_format export_perfetto, export_chrome, export_pfw, export_csv,
	export_perfwhiz;

/* export_prepare - before the first walk. */
int export_prepare(struct tables_walk *w, struct cdict_error *err);
/* export_write - after it. */
int export_write(struct tables_walk *w, const struct export_format *format, struct sink *out,
		 struct export_report *report, struct cdict_error *err);

/* ---- for the formats ---- */

/* export_out_of_memory - ends the walk, and the export. */
void export_out_of_memory(struct export *x);
const struct analyze_task *export_task(const struct export *x, uint32_t task);
/* export_wanted - by --task, --tid, --vm; IDLE is never asked for by a name but its own. */
bool export_wanted(const struct export *x, uint32_t task);
/* export_name - what the task is called; borrowed. NULL: out of memory, which ends the walk. */
const char *export_name(struct export *x, uint32_t task);
/* export_comm - as the kernel calls it now: "swapper/3" is IDLE of CPU 3; in @room or borrowed. */
#define EXPORT_COMM 32
const char *export_comm(const struct export *x, uint32_t task, char room[EXPORT_COMM]);
/* export_filtered - whether anything but all tasks was asked for. */
bool export_filtered(const struct export *x);
/* export_pid - of a task of which nobody told the process: it is its own, as a process's first thread is. */
int32_t export_pid(const struct analyze_task *t);
/* export_text - foreign text as a string of JSON; NULL: an empty one. */
void export_text(struct sink *s, const char *text);
/* export_us - nanoseconds as microseconds with as many decimals as there are: 12, 12.5, 12.345. */
void export_us(struct sink *s, uint64_t ns);

#endif
