/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfetto.h - shared by the two files of the Perfetto writer: a trace is a sequence of packets, first those with
 * names (perfetto_names.c), then those with events (perfetto.c).
 *
 * Field numbers are those of protos/perfetto/trace in Perfetto's sources.
 */
#ifndef QUERY_EXPORT_PERFETTO_H
#define QUERY_EXPORT_PERFETTO_H

#include "query/export/export.h"
#include "query/export/proto.h"

enum { TRACE_PACKET = 1 };
enum {
	PACKET_FTRACE_EVENTS = 1,
	PACKET_PROCESS_TREE = 2,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10, /* trusted_packet_sequence_id */
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_SYSTEM_INFO = 45,
	PACKET_TRACK_DESCRIPTOR = 60,
	PACKET_FIRST_ON_SEQUENCE = 87,
};
enum { SEQUENCE_CLEARED = 1, SEQUENCE_NEEDS_STATE = 2 };
enum {
	TREE_PROCESSES = 1,
	TREE_THREADS = 2,
	PROCESS_PID = 1,
	PROCESS_PPID = 2,
	PROCESS_CMDLINE = 3,
	THREAD_TID = 1,
	THREAD_NAME = 2,
	THREAD_TGID = 3,
};
enum {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_PROCESS_PID = 1,
	TRACK_PROCESS_NAME = 6,
	TRACK_THREAD_PID = 1,
	TRACK_THREAD_TID = 2,
	TRACK_THREAD_NAME = 5,
};
enum {
	TRACK_EVENT_CATEGORY_IID = 3,
	TRACK_EVENT_ANNOTATION = 4,
	TRACK_EVENT_TYPE = 9,
	TRACK_EVENT_NAME_IID = 10,
	TRACK_EVENT_TRACK = 11,
	SLICE_BEGIN = 1,
	SLICE_END = 2,
	INSTANT = 3,
};
enum { INTERNED_CATEGORIES = 1, INTERNED_EVENT_NAMES = 2 };
/* All packets are from one writer. */
enum { SEQUENCE_ID = 1 };
enum { CLOCK_REALTIME_ID = 1, CLOCK_BOOTTIME_ID = 6 };

/*
 * Above every tid of Linux (PID_MAX_LIMIT is 2^22): on each CPU one thread that stands for unknown time, and one for
 * tasks that are not wanted.
 */
enum perfetto_stand_in { STAND_IN_UNKNOWN = 0, STAND_IN_OTHERS, STAND_INS };
#define STAND_IN_PID(what) ((1 << 22) + 1 + (int32_t)(what))
#define STAND_IN_TID(what, cpu)                                                                    \
	((1 << 22) + 1 + STAND_INS + (int32_t)(cpu)*STAND_INS + (int32_t)(what))
extern const char *const perfetto_stand_ins[STAND_INS];

/* perfetto_packet - begins a packet in @b, which proto_close() ends; with a time unless that is ANALYZE_NO_TIME. */
size_t perfetto_packet(struct buf *b, uint64_t t_ns);
/* perfetto_interned - defines @name as number @iid of the kind @what (INTERNED_*) from now on. */
void perfetto_interned(struct buf *b, unsigned what, uint32_t iid, const char *name);
/* perfetto_track - the number of the track with a task's slices. */
uint64_t perfetto_track(uint32_t task);

/* perfetto_first - writes the packets with which every trace begins: kernel, clocks. */
void perfetto_first(struct buf *b, const struct tables_walk *w);

/* perfetto_names - writes those and the packets with names. @needed: which stand-ins, on each of the @cpus CPUs. */
int perfetto_names(struct export *x, const bool needed[STAND_INS], uint32_t cpus,
		   struct cdict_error *err);

/* The kernel's version as numbers; 0.0: unknown, which Perfetto takes as 4.4. */
struct perfetto_kernel {
	unsigned major, minor;
};
struct perfetto_kernel perfetto_kernel(const struct tables_walk *w);
/* perfetto_state - prev_state as in that kernel's sched_switch. */
uint64_t perfetto_state(struct perfetto_kernel kernel, enum analyze_off off, uint64_t prev_state);

#endif
