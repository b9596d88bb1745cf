/* SPDX-License-Identifier: GPL-2.0-only */
/* record.h - `cdict record`, split over cmd/record*.c. */
#ifndef CMD_RECORD_H
#define CMD_RECORD_H

#include <pthread.h>

#include "format/labels/mapping.h"
#include "capture/record/record.h"
#include "cmd/core/cmd.h"
#include "cmd/core/options.h"
#include "cmd/names/openstack.h"
#include "query/fleet/figures/start.h"

struct record_opts {
	struct options_shared shared;
	struct cmd_list events; /* "event=sched:*", "filter=prev_pid != 0", in order */
	bool all, all_cpus;
	const char *seconds, *delay;
	struct cmd_tids pids;
	const char *user;
	struct cmd_list cgroups;
	bool no_inherit, dry_run, timestamp_filename;
	bool stacks, kernel_stacks, user_stacks;
	const char *call_graph;
	const char *max_size, *switch_output, *control;
	uint64_t switch_max_files;
	const char *buffer, *queue;
	uint64_t realtime, groups;
	const char *clock;
	const char *keep, *trigger;
	const char *perf_data;
	bool stats, no_names;
	const char *libvirt;
	struct openstack_opts openstack;
	bool push, wait;
	const char *spool;
};

/* --- record_units.c: values with units; CDICT_EUSAGE and the option's name in *err */

/* "128" pages, "4K", "4M", "1G". */
int record_size(const char *option, const char *text, bool pages, uint64_t *bytes,
		struct cdict_error *err);
/* "30s", "500ms", "2m", "64M", "30s,64M". */
int record_keep(const char *text, uint64_t *ns, uint64_t *bytes, struct cdict_error *err);

/* "5" seconds, "300ms", "2m": more than nothing. */
int record_time(const char *option, const char *text, uint64_t *ns, struct cdict_error *err);
/* "500" ms, "-1", "10-20,30-40". Spans are given. */
int record_delay(const char *text, struct record_span **spans, size_t *n, bool *paused,
		 struct cdict_error *err);
/* "fp": 0 bytes of the stack; "dwarf", "dwarf,4096". */
int record_call_graph(const char *text, uint32_t *stack_bytes, struct cdict_error *err);
/* "signal", "30s", "2G". */
int record_rotation(const char *text, struct record_options *o, struct cdict_error *err);

/* --- record_perf_options.c: what perf record has and we do not need */

extern const struct cmd_foreign record_perf_options[];

/* --- record_progress.c: what a terminal shows */

struct record_meter {
	const char *output;
	bool shown;
};

/* struct record_options.progress; the meter's line is taken away by record_progress_end(). */
void record_progress_show(void *meter, const struct record_progress *p);
void record_progress_end(struct record_meter *m);

/* --- record_names.c: labels of the tasks */

struct record_names {
	const struct cmd_call *call;
	struct mapping labels;
	int status;  /* of the mapping files */
	bool failed; /* something that was asked for names did not give them */
	/* OpenStack is asked while it is recorded, by a thread of its own. */
	struct openstack_ask *ask;
	struct mapping asked; /* what is known, and then what came */
	pthread_t thread;
	bool asking;
};

/* Looks at the host and reads the mapping files, before the recording; a status. */
int record_names_init(struct record_names *n, const struct cmd_call *call);
void record_names_fini(struct record_names *n);
/* Waits for who is still asked, and takes what came; false: not all gave their names. */
bool record_names_wait(struct record_names *n);
/* struct record_options.labels */
int record_names_write(void *names, bool last, struct cdict_writer *w, struct cdict_error *err);

/* --- record_push.c: figures of what is recorded, into a job, while it is */

struct record_push {
	int pid; /* 0: none */
	int socket;
};

/* Starts who pushes; before any thread. A status. */
int record_push_begin(struct record_push *p, const struct cmd_call *call, const char *output);
/* struct record_options.view */
void record_push_view(void *push, const struct record_view *view);
/* The file is whole. */
void record_push_over(struct record_push *p);
/* Waits until the rest is pushed; a status. */
int record_push_end(struct record_push *p, const struct cmd_call *call);

/* --- record_start.c: --wait */

struct record_moment {
	const struct cmd_call *call;
	struct store *st;
	struct fleet_waiter me;
	uint64_t after_ns; /* starts of later moments are heeded */
};

/* struct record_options.wait */
int record_moment_wait(void *moment, const sigset_t *signals, struct record_start *start,
		       struct cdict_error *err);
/* When it has recorded, from @began_wall_ns on; 0: it has not. */
void record_moment_end(struct record_moment *m, uint64_t began_wall_ns);

/* --- record_perf.c: perf record beside us */

struct record_perf {
	const struct record_opts *opts;
	int pid;
	int control, ack; /* perf's --control */
};

/* struct record_options.beside */
int record_perf_beside(void *perf, const struct choice *choice, size_t ring_bytes,
		       struct cdict_error *err);

#endif
