/* SPDX-License-Identifier: GPL-2.0-only */
/* record.h - `cdict record`, shared by the files of cmd/record. */
#ifndef CMD_RECORD_RECORD_H
#define CMD_RECORD_RECORD_H

#include <pthread.h>

#include "format/labels/mapping.h"
#include "annotate/host/containers.h"
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
	const char *freq, *count;
	const char *max_size, *switch_output, *control;
	uint64_t switch_max_files;
	const char *buffer, *queue;
	uint64_t realtime, groups;
	const char *clock;
	const char *keep;
	struct cmd_list triggers;
	const char *perf_data;
	bool stats, no_names, all_cgroups;
	const char *libvirt;
	struct openstack_opts openstack;
	bool push, wait;
	const char *spool, *host;
};

/* --- record.c */

/* A flight recorder that names its own dumps: cmd/flight. */
struct record_flight {
	struct record_dumps dumps;
	/* Once a second, with the context of @dumps. */
	void (*progress)(void *ctx, const struct record_progress *p);
};

/* Records by the struct record_opts of @call; @flight may be NULL. A status. */
int record_command(const struct cmd_call *call, const struct record_flight *flight);
/* Whether these options are valid; CDICT_EUSAGE or another code with the reason. */
int record_check(const struct cmd_call *call, struct cdict_error *err);

extern const struct cmd cmd_record;

/* --- units.c: values with units; CDICT_EUSAGE and the option's name in *err */

/* "128" pages, "4K", "4M", "1G". */
int record_size(const char *option, const char *text, bool pages, uint64_t *bytes,
		struct cdict_error *err);
/* "30s", "500ms", "2m", "64M", "30s,64M". */
int record_keep(const char *text, uint64_t *ns, uint64_t *bytes, struct cdict_error *err);

/* "5" seconds, "300ms", "2m": greater than 0. */
int record_time(const char *option, const char *text, uint64_t *ns, struct cdict_error *err);
/* "500" ms, "-1", "10-20,30-40". *spans is given. */
int record_delay(const char *text, struct record_span **spans, size_t *n, bool *paused,
		 struct cdict_error *err);
/* "fp": sets *stack_bytes to 0; "dwarf", "dwarf,4096". */
int record_call_graph(const char *text, uint32_t *stack_bytes, struct cdict_error *err);
/* --freq, --count; NULL: not given. */
int record_sampling(const char *freq, const char *period, struct record_options *to,
		    struct cdict_error *err);
/* "signal", "30s", "2G". */
int record_rotation(const char *text, struct record_options *o, struct cdict_error *err);

/* --- perf_options.c: options that only perf record has */

extern const struct cmd_foreign record_perf_options[];

/* --- progress.c: progress on a terminal */

struct record_meter {
	const char *output;
	bool shown;
};

/* The callback progress of struct record_options; record_progress_end() erases the line. */
void record_progress_show(void *meter, const struct record_progress *p);
void record_progress_end(struct record_meter *m);

/* --- names.c: labels of the tasks */

struct record_names {
	const struct cmd_call *call;
	struct mapping labels;
	struct mapping before; /* the host's tasks before record_names_again() */
	int status;            /* status of reading the mapping files */
	bool failed;           /* a requested source of names failed */
	/* A separate thread queries OpenStack during the recording; @ask to @asked are the thread's
	 * until it is joined. */
	struct openstack_ask *ask;
	struct mapping
		known;   /* a copy of the labels when it started: the recorder replaces its own */
	bool unanswered; /* OpenStack could not be queried */
	struct mapping asked; /* the answer */
	pthread_t thread;
	bool asking;
	struct record_cgroups *cgroups; /* with --all-cgroups; NULL: none */
	struct containers containers;
};

/* Reads the host's tasks and the mapping files, before the recording; a status. */
int record_names_init(struct record_names *n, const struct cmd_call *call);
void record_names_fini(struct record_names *n);
/* Reads the host's tasks again, for a recording of days. */
void record_names_again(struct record_names *n);
/* Waits for pending queries, and takes the answers; false: a source failed. */
bool record_names_wait(struct record_names *n);
/* The callback labels of struct record_options. */
int record_names_write(void *names, bool last, struct cdict_writer *w, struct cdict_error *err);

/* --- push.c: pushes figures into a job during the recording */

struct record_push {
	int pid; /* 0: none */
	int socket;
};

/* Starts the pusher; to be called before there are threads. A status. */
int record_push_begin(struct record_push *p, const struct cmd_call *call, const char *output);
/* The callback view of struct record_options. */
void record_push_view(void *push, const struct record_view *view);
/* The file is complete. */
void record_push_over(struct record_push *p);
/* Waits until the rest is pushed; a status. */
int record_push_end(struct record_push *p, const struct cmd_call *call);

/* --- start.c: --wait */

struct record_moment {
	const struct cmd_call *call;
	struct store *st;
	struct fleet_waiter me;
	const char *host;  /* its name; NULL: this machine's */
	uint64_t after_ns; /* only starts after this time are used */
};

/* The callback wait of struct record_options. */
int record_moment_wait(void *moment, const sigset_t *signals, struct record_start *start,
		       struct cdict_error *err);
/* Called after the recording, which began at @began_wall_ns; 0: it did not begin. */
void record_moment_end(struct record_moment *m, uint64_t began_wall_ns);

/* --- perf.c: perf record in parallel */

struct record_perf {
	const struct record_opts *opts;
	int pid;
	int control, ack; /* pipes for perf's --control */
};

/* The callback beside of struct record_options. */
int record_perf_beside(void *perf, const struct choice *choice, size_t ring_bytes,
		       struct cdict_error *err);

#endif
