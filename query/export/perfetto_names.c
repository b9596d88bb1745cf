/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first packets of a Perfetto trace: the kernel's release, which decides how sched_switch's states are read, the
 * clocks, processes and threads, and the tracks that have exits.
 *
 * A labelled thread has its name in the process tree and in its track, which overrides all other names; other threads
 * have that of sched_switch, as it may change.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory/map.h"
#include "query/export/perfetto.h"

enum {
	INFO_UTSNAME = 1,
	UTSNAME_SYSNAME = 1,
	UTSNAME_RELEASE = 3,
	UTSNAME_MACHINE = 4,
	SNAPSHOT_CLOCKS = 1,
	SNAPSHOT_PRIMARY = 2,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
	INTERNED_IID = 1,
	INTERNED_NAME = 2,
};

/* Process trees are split: one with all tasks could have any length. */
enum { PACKET_BYTES = 32 << 10 };

const char *const perfetto_stand_ins[STAND_INS] = {
	[STAND_IN_UNKNOWN] = "(unknown)", [STAND_IN_OTHERS] = "(other tasks)"
};

size_t perfetto_packet(struct buf *b, uint64_t t_ns)
{
	size_t at = proto_open(b, TRACE_PACKET);

	if (t_ns != ANALYZE_NO_TIME)
		proto_number(b, PACKET_TIMESTAMP, t_ns);
	proto_number(b, PACKET_SEQUENCE, SEQUENCE_ID);
	return at;
}

void perfetto_interned(struct buf *b, unsigned what, uint32_t iid, const char *name)
{
	size_t at = proto_open(b, what);

	proto_number(b, INTERNED_IID, iid);
	proto_text(b, INTERNED_NAME, name);
	proto_close(b, at);
}

uint64_t perfetto_track(uint32_t task)
{
	return UINT64_C(1) << 32 | task;
}

static uint64_t process_track(int32_t pid)
{
	return UINT64_C(2) << 32 | (uint32_t)pid;
}

struct perfetto_kernel perfetto_kernel(const struct tables_walk *w)
{
	const char *release = cdict_reader_info(w->reader, "host.kernel");
	struct perfetto_kernel k = { 0 };

	if (!release || sscanf(release, "%4u.%4u", &k.major, &k.minor) != 2)
		k = (struct perfetto_kernel){ 0 };
	return k;
}

static bool at_least(struct perfetto_kernel k, unsigned major, unsigned minor)
{
	return k.major > major || (k.major == major && k.minor >= minor);
}

/* Since Linux 4.14 the bits are those of TASK_REPORT, and the next one means preempted; before that they are those of
 * the scheduler, one more since 4.8. */
uint64_t perfetto_state(struct perfetto_kernel kernel, enum analyze_off off, uint64_t prev_state)
{
	if (off == ANALYZE_OFF_RUNNABLE)
		return 0;
	if (off == ANALYZE_OFF_PREEMPTED)
		return at_least(kernel, 4, 14) ? 0x100 : at_least(kernel, 4, 8) ? 0x1000 : 0x800;
	return prev_state & (at_least(kernel, 4, 14) ? 0xff : 0x7ff);
}

/* ---- packets ---- */

struct writer {
	struct export *x;
	struct buf b;
	size_t packet, inside; /* of a process tree that is being written */
};

static int done(struct writer *w)
{
	if (w->b.failed)
		return -ENOMEM;
	sink_add(w->x->out, w->b.data, w->b.len);
	w->b.len = 0;
	return 0;
}

static void system_info(struct buf *b, const struct tables_walk *w, uint64_t t_ns)
{
	const char *release = cdict_reader_info(w->reader, "host.kernel");
	const char *machine = cdict_reader_info(w->reader, "host.arch");
	size_t packet = perfetto_packet(b, t_ns), info, uts;

	proto_number(b, PACKET_SEQUENCE_FLAGS, SEQUENCE_CLEARED);
	proto_number(b, PACKET_FIRST_ON_SEQUENCE, 1);
	info = proto_open(b, PACKET_SYSTEM_INFO);
	uts = proto_open(b, INFO_UTSNAME);
	proto_text(b, UTSNAME_SYSNAME, "Linux");
	if (perfetto_kernel(w).major)
		proto_text(b, UTSNAME_RELEASE, release);
	if (machine)
		proto_text(b, UTSNAME_MACHINE, machine);
	proto_close(b, uts);
	proto_close(b, info);
	proto_close(b, packet);
}

static void one_clock(struct buf *b, uint64_t id, uint64_t ns)
{
	size_t clock = proto_open(b, SNAPSHOT_CLOCKS);

	proto_number(b, CLOCK_ID, id);
	proto_number(b, CLOCK_TIMESTAMP, ns);
	proto_close(b, clock);
}

/* The recording's clock takes the place of the boot clock in Perfetto's own traces. */
static void clocks(struct buf *b, const struct tables_walk *w, uint64_t t_ns)
{
	const char *wall = cdict_reader_info(w->reader, "clock.wall_ns");
	const char *own = cdict_reader_info(w->reader, "clock.mono_ns");
	size_t packet = perfetto_packet(b, t_ns), snapshot;

	snapshot = proto_open(b, PACKET_CLOCK_SNAPSHOT);
	if (wall && own) {
		one_clock(b, CLOCK_BOOTTIME_ID, strtoull(own, NULL, 10));
		one_clock(b, CLOCK_REALTIME_ID, strtoull(wall, NULL, 10));
	} else {
		one_clock(b, CLOCK_BOOTTIME_ID, t_ns);
	}
	proto_number(b, SNAPSHOT_PRIMARY, CLOCK_BOOTTIME_ID);
	proto_close(b, snapshot);
	proto_close(b, packet);
}

void perfetto_first(struct buf *b, const struct tables_walk *w)
{
	uint64_t t_ns = analyze_engine_summary(w->eng)->from_ns;

	system_info(b, w, t_ns);
	clocks(b, w, t_ns);
}

/* ---- processes and threads ---- */

static void tree_open(struct writer *w)
{
	w->packet = perfetto_packet(&w->b, w->x->sum->from_ns);
	w->inside = proto_open(&w->b, PACKET_PROCESS_TREE);
}

static int tree_close(struct writer *w)
{
	proto_close(&w->b, w->inside);
	proto_close(&w->b, w->packet);
	return done(w);
}

static int tree_next(struct writer *w)
{
	int rc;

	if (w->b.len < PACKET_BYTES)
		return 0;
	rc = tree_close(w);
	tree_open(w);
	return rc;
}

static void process(struct writer *w, int32_t pid, int32_t ppid, const char *name)
{
	size_t at = proto_open(&w->b, TREE_PROCESSES);

	proto_number(&w->b, PROCESS_PID, (uint64_t)pid);
	if (ppid > 0)
		proto_number(&w->b, PROCESS_PPID, (uint64_t)ppid);
	proto_text(&w->b, PROCESS_CMDLINE, name);
	proto_close(&w->b, at);
}

static void thread(struct writer *w, int32_t tid, int32_t pid, const char *name)
{
	size_t at = proto_open(&w->b, TREE_THREADS);

	proto_number(&w->b, THREAD_TID, (uint64_t)tid);
	if (name)
		proto_text(&w->b, THREAD_NAME, name);
	proto_number(&w->b, THREAD_TGID, (uint64_t)pid);
	proto_close(&w->b, at);
}

static bool is_told(const struct writer *w, const struct analyze_task *t)
{
	return t->tid > 0 && t->first_ns != ANALYZE_NO_TIME && names_wanted(&w->x->walk->names, t);
}

static const char *process_name(struct writer *w, const struct analyze_task *t)
{
	const struct names *names = &w->x->walk->names;
	const char *vm = names_vm_pid(names, export_pid(t)) ? names_vm_of_pid(names, export_pid(t))
							    : NULL;

	return vm ? vm : t->comm;
}

/* Writes each process once: for its main thread, or for its first known one. */
static int tree(struct writer *w, const bool needed[STAND_INS], uint32_t cpus)
{
	const struct analyze_engine *eng = w->x->walk->eng;
	size_t n = analyze_engine_task_count(eng);
	struct map leaders = { 0 };
	int rc = 0;

	tree_open(w);
	for (unsigned pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n && !rc; i++) {
			const struct analyze_task *t = analyze_engine_task(eng, (uint32_t)i);
			uint32_t *seen;

			if (!is_told(w, t) || (!pass && t->tid != export_pid(t)))
				continue;
			seen = map_add(&leaders, (uint64_t)export_pid(t), 0);
			if (!seen)
				rc = -ENOMEM;
			else if (*seen == MAP_NEW)
				process(w, export_pid(t), t->tid == export_pid(t) ? t->ppid : -1,
					process_name(w, t));
			if (seen)
				*seen = 0;
			rc = rc ? rc : tree_next(w);
		}
	}
	for (size_t i = 0; i < n && !rc; i++) {
		const struct analyze_task *t = analyze_engine_task(eng, (uint32_t)i);
		const char *name = NULL;

		if (!is_told(w, t))
			continue;
		if (names_named(&w->x->walk->names, t)) {
			name = export_name(w->x, t->index);
			rc = name ? 0 : -ENOMEM;
		}
		thread(w, t->tid, export_pid(t), name);
		rc = rc ? rc : tree_next(w);
	}
	for (unsigned what = 0; what < STAND_INS && !rc; what++) {
		if (!needed[what])
			continue;
		process(w, STAND_IN_PID(what), -1, perfetto_stand_ins[what]);
		for (uint32_t c = 0; c < cpus && !rc; c++) {
			thread(w, STAND_IN_TID(what, c), STAND_IN_PID(what),
			       perfetto_stand_ins[what]);
			rc = tree_next(w);
		}
	}
	map_fini(&leaders);
	return rc ? rc : tree_close(w);
}

/* ---- tracks ---- */

static void thread_track(struct writer *w, const struct analyze_task *t, const char *name,
			 uint64_t t_ns)
{
	size_t packet = perfetto_packet(&w->b, t_ns), track, inside;

	track = proto_open(&w->b, PACKET_TRACK_DESCRIPTOR);
	proto_number(&w->b, TRACK_UUID, perfetto_track(t->index));
	inside = proto_open(&w->b, TRACK_THREAD);
	proto_number(&w->b, TRACK_THREAD_PID, (uint64_t)export_pid(t));
	proto_number(&w->b, TRACK_THREAD_TID, (uint64_t)t->tid);
	if (name)
		proto_text(&w->b, TRACK_THREAD_NAME, name);
	proto_close(&w->b, inside);
	proto_close(&w->b, track);
	proto_close(&w->b, packet);
}

static void process_track_of(struct writer *w, const struct analyze_task *t)
{
	size_t packet = perfetto_packet(&w->b, w->x->sum->from_ns), track, inside;

	track = proto_open(&w->b, PACKET_TRACK_DESCRIPTOR);
	proto_number(&w->b, TRACK_UUID, process_track(export_pid(t)));
	inside = proto_open(&w->b, TRACK_PROCESS);
	proto_number(&w->b, TRACK_PROCESS_PID, (uint64_t)export_pid(t));
	proto_text(&w->b, TRACK_PROCESS_NAME, process_name(w, t));
	proto_close(&w->b, inside);
	proto_close(&w->b, track);
	proto_close(&w->b, packet);
}

/* Writes tracks of threads that have exits or a name, and of the processes of VMs. */
static int tracks(struct writer *w)
{
	const struct analyze_engine *eng = w->x->walk->eng;
	const struct names *names = &w->x->walk->names;
	struct map processes = { 0 };
	int rc = 0;

	for (size_t i = 0; i < analyze_engine_task_count(eng) && !rc; i++) {
		const struct analyze_task *t = analyze_engine_task(eng, (uint32_t)i);
		bool named = names_named(names, t);
		const char *name = NULL;
		uint32_t *seen;

		if (!is_told(w, t) || (!named && !t->is_vcpu))
			continue;
		if (names_vm_pid(names, export_pid(t))) {
			seen = map_add(&processes, (uint64_t)export_pid(t), 0);
			if (seen && *seen == MAP_NEW)
				process_track_of(w, t);
			rc = seen ? 0 : -ENOMEM;
			if (seen)
				*seen = 0;
		}
		if (named) {
			name = export_name(w->x, t->index);
			rc = name ? rc : -ENOMEM;
		}
		/* of a reused tid, from its second task on */
		thread_track(w, t, name,
			     t->reused && t->first_ns > w->x->sum->from_ns ? t->first_ns
									   : w->x->sum->from_ns);
		rc = rc ? rc : done(w);
	}
	map_fini(&processes);
	return rc;
}

int perfetto_names(struct export *x, const bool needed[STAND_INS], uint32_t cpus,
		   struct cdict_error *err)
{
	struct writer w = { .x = x };
	int rc;

	perfetto_first(&w.b, x->walk);
	rc = done(&w);
	if (!rc)
		rc = tree(&w, needed, cpus);
	if (!rc)
		rc = tracks(&w);
	buf_fini(&w.b);
	return rc ? cdict_fail_nomem(err) : 0;
}
