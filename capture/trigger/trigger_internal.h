/* SPDX-License-Identifier: GPL-2.0-only */
/* trigger_internal.h - the notes of readers, and how they are examined. */
#ifndef CAPTURE_TRIGGER_TRIGGER_INTERNAL_H
#define CAPTURE_TRIGGER_TRIGGER_INTERNAL_H

#include <pthread.h>

#include "base/memory/buf.h"
#include "capture/trigger/task_pattern.h"
#include "capture/trigger/trigger.h"

enum note_kind { NOTE_NONE, NOTE_WAKE, NOTE_SWITCH, NOTE_EXIT, NOTE_ENTRY, NOTE_LOSS };

/* The relevant part of an event. */
struct note {
	uint64_t t_ns;
	enum note_kind kind;
	bool flag;    /* SWITCH: prev stays runnable; EXIT: the vCPU is idle; WAKE: a new task */
	bool gone;    /* SWITCH: prev has ended */
	int32_t tid;  /* woken task; prev; vCPU thread */
	int32_t next; /* SWITCH */
	union {
		char comm[16];     /* of the woken task, of next */
		uint64_t until_ns; /* LOSS */
	};
};

/* A scalar or text field of an event type; size 0: absent. */
struct watch_field {
	uint32_t offset, size;
	bool data_loc;
};

/* How to make a note of an event type. */
struct watch {
	enum note_kind kind;
	bool is_new; /* WAKE */
	struct watch_field tid, next, state, comm, code, isa, esr, success;
	const struct cdict_event_type *type;
};

struct trigger_feed {
	struct trigger *trigger;
	struct trigger_feed *next;
	struct clock *clock;
	bool clock_tried;
	uint64_t began_ns;   /* start of the pass; 0: no clock */
	struct buf notes;    /* of the current pass */
	uint64_t horizon_ns; /* protected by the trigger's lock */
};

struct watcher; /* one condition, and the state of all tasks: trigger_watch.c */

struct trigger {
	struct trigger_options opts;
	struct watch *watches; /* by event type */
	size_t n_types;
	pthread_mutex_t lock;
	struct trigger_feed *feeds;
	struct buf incoming;        /* struct note, from all feeds */
	bool overflow;              /* notes are missing: too many before trigger_run() */
	uint64_t blind_ns;          /* end of the missing time */
	struct buf waiting;         /* used by trigger_run(): notes beyond the horizon */
	struct watcher **watchers;  /* by condition */
	struct task_pattern *tasks; /* NULL: all tasks */
};

struct watcher *watcher_new(const struct trigger_options *opts, const struct trigger_spec *spec,
			    struct task_pattern *tasks);
void watcher_free(struct watcher *w);
/* Examines one note; true and *hit when the condition is met. */
bool watcher_note(struct watcher *w, const struct note *n, struct trigger_hit *hit);
/* Checks tasks that still wait at @now_ns. */
bool watcher_time(struct watcher *w, uint64_t now_ns, struct trigger_hit *hit);

#endif
