/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record.h - live recording, straight into a cdict.
 *
 *	rings --reader--> batches --queue--> encoder --> store --> file, or memory (--keep)
 *	(one reader and one encoder for each group of CPUs: group.h)
 *
 * Signals    record_run() blocks SIGINT, SIGTERM, SIGHUP, SIGUSR2 and SIGCHLD and answers them;
 *            it ignores SIGPIPE and SIGXFSZ
 * Failure    negative code with *err filled: nothing was recorded. What ends a recording early
 *            (a full disk) is told in the report: what was written stays
 * Ownership  the caller frees the report with record_report_fini()
 */
#ifndef CAPTURE_RECORD_H
#define CAPTURE_RECORD_H

#include <signal.h>
#include <stdbool.h>

#include "capture/host/choose.h"
#include "capture/record/control.h"
#include "capture/trigger/trigger.h"
#include "cdict/writer.h"

struct record_event {
	bool is_filter; /* of the events that the last @text named */
	const char *text;
};

struct record_report;

enum record_key {
	RECORD_KEY_NONE = 0,
	RECORD_KEY_DUMP, /* write what is kept */
	RECORD_KEY_END,
};

/* When events are recorded, by the time since the recording began. */
struct record_span {
	uint64_t from_ms, to_ms; /* to_ms 0: to the end */
};

/* While it records. */
struct record_progress {
	double seconds;
	uint64_t events;    /* read from the rings so far */
	uint64_t bytes;     /* encoded, and written or held */
	uint64_t lost;      /* by the rings and by us, as far as is known */
	double cpu_seconds; /* the recorder's own */
	bool paused;
};

/* The file while it grows, for who reads beside the recorder. */
struct record_view {
	int fd;           /* borrowed */
	uint64_t bytes;   /* of whole blocks */
	const void *tail; /* behind them: what the file's end would say */
	size_t tail_size;
	uint64_t certain_ns; /* all events before are there; 0: none is known to be */
};

/* When it shall begin, and what the file says of that: pairs of INFO. */
struct record_start {
	uint64_t wall_ns; /* CLOCK_REALTIME */
	double seconds;   /* how long; 0: as opts->seconds says */
	struct {
		const char *key;
		char value[32];
	} info[4]; /* up to one without a key */
};

struct record_options {
	const struct record_event *events; /* in the order given; NULL: the default */
	size_t n_events;
	bool all;             /* sched:* and kvm:* */
	bool tell_missing;    /* which of the default the kernel lacks */
	const uint64_t *cpus; /* bitmap; NULL: all that are online */
	size_t n_cpus;        /* bits */
	double seconds; /* from when events are recorded; 0: until a signal or the command's end */
	const char *const *command; /* NULL: none */
	const char *output;
	/* One file after the other, each with the time in its name: by time, size or SIGUSR2. */
	bool rotate;
	uint64_t rotate_ns, rotate_bytes; /* 0: not by that */
	unsigned rotate_files;            /* only so many are left; 0: all */
	uint64_t max_bytes;               /* ends it; 0: no bound */
	const char *const *inputs;        /* files that it must not replace */
	size_t n_inputs;
	const char *cmdline; /* what the user typed, for INFO */
	size_t ring_bytes;   /* of each CPU; 0: by the number of CPUs */
	size_t queue_bytes;  /* of all; 0: RECORD_QUEUE_BYTES */
	unsigned groups;     /* 0: by the number of CPUs */
	int realtime;        /* priority, 0: none */
	bool use_clockid;
	int clockid;
	const int32_t *tids; /* only these, ascending; NULL: all tasks */
	size_t n_tids;
	bool no_inherit; /* of them: not what they start */
	bool stacks;     /* of each event the call chain, by frame pointers */
	bool no_kernel_stacks, no_user_stacks;
	uint32_t stack_bytes; /* of the program's part by unwind tables and so much of its stack; 0: not so */
	const struct record_span *spans; /* ascending; NULL: from the beginning to the end */
	size_t n_spans;
	bool begin_paused;       /* until @control says otherwise */
	struct control *control; /* NULL: none */
	/* The flight recorder. */
	bool keep;
	uint64_t keep_ns, keep_bytes; /* 0: no bound of that kind */
	const char *trigger;          /* or NULL */
	const char *trigger_task;     /* regular expression, or NULL */
	trigger_idle_fn exit_is_idle; /* NULL: every exit counts */
	void *exit_ctx;
	/* Writes labels of the tasks; called when the recording has begun and before it ends, @last. */
	int (*labels)(void *ctx, bool last, struct cdict_writer *w, struct cdict_error *err);
	void *labels_ctx;
	/* Called before the events begin, and after they ended with @choice NULL: something that
	 * records beside us. */
	int (*beside)(void *ctx, const struct choice *choice, size_t ring_bytes,
		      struct cdict_error *err);
	void *beside_ctx;
	/* The file is whole and @report as it will be returned. What follows is the closing of the
	 * events, for which the kernel may take seconds: 36 ms for each KVM tracepoint (Linux 6.18). */
	void (*ended)(void *ctx, const struct record_report *report);
	void *ended_ctx;
	/* With keep, once a second: a cdict of the last look_ns, in memory, that is gone afterwards. Then none is
	 * written at the end. */
	void (*look)(void *ctx, const void *cdict, size_t size);
	void *look_ctx;
	uint64_t look_ns;
	/* Waits until the moment of the begin is near: everything is open by then, nothing is in the file yet. @signals are
	 * blocked. A negative code ends it, with *err filled. */
	int (*wait)(void *ctx, const sigset_t *signals, struct record_start *start,
		    struct cdict_error *err);
	void *wait_ctx;
	/* Into a file: when it has begun, and then once a second, from a thread of its own, which must not wait long. */
	void (*view)(void *ctx, const struct record_view *view);
	void *view_ctx;
	/* Some times a second: what somebody typed. */
	enum record_key (*key)(void *ctx);
	void *key_ctx;
	/* Once a second; NULL: nobody looks. */
	void (*progress)(void *ctx, const struct record_progress *p);
	void *progress_ctx;
	/* One line for the user: a default event that is missing, a dump that was written. */
	void (*say)(void *ctx, bool warning, const char *line);
	void *say_ctx;
};

/* Rings are so large together, but each within these: half a second of a storm on a small
 * machine, and no more than a large one has to spare. */
#define RECORD_RINGS_BYTES ((size_t)256 << 20)
#define RECORD_RING_MAX ((size_t)16 << 20)
/* libperf keeps a ring's mask in an int: events of a larger ring would not be seen. */
#define RECORD_RING_LIMIT ((size_t)1 << 30)
#define RECORD_RING_MIN ((size_t)4 << 20)
#define RECORD_QUEUE_BYTES ((size_t)128 << 20)
#define RECORD_GROUP_CPUS 16u
/* What a group holds at most beside the queue: samples that make no block yet (BATCHER_BYTES_MAX of
 * records, and where each of them is), one being encoded, its columns, one block encoded. */
#define RECORD_GROUP_BYTES ((size_t)32 << 20)
/* The program, its libraries, and the tasks that live. */
#define RECORD_BASE_BYTES ((size_t)32 << 20)

struct record_report {
	uint64_t began_wall_ns; /* CLOCK_REALTIME */
	uint64_t events, bytes_out, bytes_rings;
	uint64_t lost;                       /* in the rings, as the kernel says */
	uint64_t dropped;                    /* by us, because encoding or the disk was too slow */
	uint64_t samples;                    /* read from the rings */
	uint64_t kernel_events, kernel_lost; /* by its counters: see struct group_counts */
	uint64_t disordered;                 /* sorted in */
	size_t types, cpus, groups;
	size_t ring_bytes;     /* as they came to be */
	uint64_t memory_bytes; /* never more than that: doc/cdict-record.1, Memory */
	uint64_t over_limit; /* of those that came when max_bytes was reached, and are not in the file */
	double seconds;      /* events were recorded so long */
	/* The recorder's own: CPU, with that of preparing, in @own_seconds. */
	double cpu_seconds, own_seconds;
	uint64_t wakeups, max_rss_bytes;
	unsigned dumps; /* of the flight recorder */
	unsigned failed_dumps;
	struct cdict_error dump_error; /* of the last of them */
	unsigned files;                /* with rotate */
	bool have_status;
	int command_status;
	struct cdict_error ended; /* code 0, or why it ended early */
};

int record_run(const struct record_options *opts, struct record_report *report,
	       struct cdict_error *err);

#endif
