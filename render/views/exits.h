/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * exits.h - why guests exited: one stacked bar per task, by count or by time.
 *
 * Reasons beyond the eight largest are merged into "other".  By time, idle reasons are
 * not part of the bars but written next to them.
 *
 * Ownership  exit_mix is the caller's storage, zeroed; names are copied
 */
#ifndef RENDER_VIEWS_EXITS_H
#define RENDER_VIEWS_EXITS_H

#include "base/memory/array.h"
#include "render/draw/frame.h"

struct exit_reason {
	char *name; /* clean */
	bool idle;  /* HLT and the like */
	uint64_t count, time_ns;
	uint64_t timed; /* of count: with a known end */
};

struct exit_part {
	uint64_t count, time_ns;
};

struct exit_bar {
	char *name; /* clean */
	uint32_t task;
	ARRAY(struct exit_part) parts; /* by reason */
	uint64_t work, idle;           /* drawn value (set by view_exits()); idle time */
};

struct exit_mix {
	ARRAY(struct exit_reason) reasons;
	ARRAY(struct exit_bar) bars;
	bool on_cpu;     /* times are those on a CPU, except for idle reasons */
	bool grouped;    /* a bar is for several vCPUs */
	uint64_t off_ns; /* then: the rest of the time from kvm_exit to kvm_entry */
};

/* exit_mix_add - adds @count exits of @task, @timed of which took @time_ns together; 0 or
 * -ENOMEM.  All exits of a task must be added in succession. */
int exit_mix_add(struct exit_mix *mix, uint32_t task, const char *task_name, const char *reason,
		 bool idle, uint64_t count, uint64_t timed, uint64_t time_ns);
void exit_mix_fini(struct exit_mix *mix);

/* view_exits - draws and sorts @mix, the largest bar first; 0 or -ENOMEM. */
int view_exits(struct marks *m, const struct canvas *c, const struct frame_caption *caption,
	       struct exit_mix *mix, bool by_time);

#endif
