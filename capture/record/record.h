/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record.h - live recording, directly to a cdict file.
 *
 *	rings --reader--> batches --queue--> encoder --> store --> file, or memory (--keep)
 *	(one reader and one encoder for each group of CPUs: group.h)
 *
 * Signals    record_run() blocks and handles SIGINT, SIGTERM, SIGHUP, SIGUSR2 and SIGCHLD;
 *            it ignores SIGPIPE and SIGXFSZ
 * Failure    negative code with *err filled: nothing was recorded. If a recording ends early (a
 *            full disk), the report says why, and the data written stays
 */
#ifndef CAPTURE_RECORD_RECORD_H
#define CAPTURE_RECORD_RECORD_H

#include <signal.h>
#include <stdbool.h>

#include "capture/host/choose.h"
#include "capture/record/control.h"
#include "capture/trigger/trigger.h"
#include "cdict/writer.h"

struct record_event {
	bool is_filter; /* a filter for the events that the last @text named */
	const char *text;
};

struct record_report;

/* A dump of the flight recorder whose file the caller names. */
struct record_dump {
	const char *why;               /* one line */
	const struct trigger_hit *hit; /* NULL: requested */
	uint64_t bytes;                /* its approximate size */
	char *path;                    /* the caller's answer, which it frees in dumped() */
	const char *of; /* of its trigger: VM, unit or task, for INFO; NULL: unknown. Borrowed */
};

enum record_dump_answer { RECORD_DUMP_WRITE = 0, RECORD_DUMP_SKIP };

struct record_dumps {
	/* Whether this trigger makes no dump. */
	bool (*skip)(void *ctx, const struct record_dump *d);
	/* The events are held already, and recording continues. */
	enum record_dump_answer (*begin)(void *ctx, struct record_dump *d);
	/* The file system is full: whether the caller removed files, so that one more try is worth
	 * it. */
	bool (*full)(void *ctx, const struct record_dump *d);
	/* It is complete, or with @err nothing was written; to be reported by the caller. */
	void (*end)(void *ctx, const struct record_dump *d, const struct cdict_error *err);
	void *ctx;
};

enum record_key {
	RECORD_KEY_NONE = 0,
	RECORD_KEY_DUMP, /* write what the flight recorder holds */
	RECORD_KEY_END,
};

/* When events are recorded, in ms since the start of the recording. */
struct record_span {
	uint64_t from_ms, to_ms; /* to_ms 0: until the end */
};

/* Progress of a running recording. */
struct record_progress {
	double seconds;
	uint64_t events;    /* read from the rings so far */
	uint64_t bytes;     /* encoded, and written or held in memory */
	uint64_t lost;      /* known to be lost by the rings, or dropped by the recorder */
	double cpu_seconds; /* the recorder's own */
	bool paused;
};

/* A growing file, for a reader beside the recorder. */
struct record_view {
	int fd;           /* borrowed */
	uint64_t bytes;   /* size of its whole blocks */
	const void *tail; /* what the file's end would be, to be appended to them */
	size_t tail_size;
	uint64_t certain_ns; /* all events before this time are in it; 0: unknown */
};

/* When the recording starts, and the INFO pairs that the file stores about it. */
struct record_start {
	uint64_t wall_ns; /* CLOCK_REALTIME */
	double seconds;   /* duration; 0: opts->seconds */
	struct {
		const char *key;
		char value[32];
	} info[4]; /* up to the first without a key */
};

struct record_options {
	const struct record_event *events; /* in the order given; NULL: the default */
	size_t n_events;
	bool all;             /* sched:* and kvm:* */
	bool report_missing;  /* report which default events the kernel lacks */
	const uint64_t *cpus; /* bitmap; NULL: all online CPUs */
	size_t n_cpus;        /* number of bits */
	double seconds; /* from when events are recorded; 0: until a signal or the command's end */
	const char *const *command; /* NULL: none */
	const char *output;
	/* A sequence of files, each with the time in its name: rotated by time, size or SIGUSR2. */
	bool rotate;
	uint64_t rotate_ns, rotate_bytes; /* 0: no limit of that kind */
	unsigned rotate_files;            /* files kept; 0: all */
	uint64_t max_bytes;               /* size that ends it; 0: no limit */
	const char *const *inputs;        /* files that it must not replace */
	size_t n_inputs;
	const char *host;    /* its name in INFO; NULL: this machine's */
	const char *cmdline; /* what the user typed, for INFO */
	size_t ring_bytes;   /* per CPU; 0: by the number of CPUs */
	size_t queue_bytes;  /* in total; 0: RECORD_QUEUE_BYTES */
	unsigned groups;     /* 0: by the number of CPUs */
	int realtime;        /* priority, 0: none */
	bool use_clockid;
	int clockid;
	const int32_t *tids; /* record only these tids, ascending; NULL: all tasks */
	size_t n_tids;
	bool only_command; /* record only @command's task and its children; no spans or pauses */
	bool no_inherit;   /* do not record their children */
	/* Events that are no tracepoints: struct choice_sampling. */
	uint64_t sample_freq, sample_period;
	bool only_samples;  /* refuse tracepoints */
	uint16_t max_stack; /* frames of a call chain; 0: the kernel's limit */
	bool stacks;        /* record each event's call chain, by frame pointers */
	bool no_kernel_stacks, no_user_stacks;
	uint32_t stack_bytes; /* bytes of stack to unwind the user part; 0: by frame pointers */
	const struct record_span *spans; /* ascending; NULL: all the time */
	size_t n_spans;
	bool begin_paused;       /* until @control resumes it */
	struct control *control; /* NULL: none */
	/* The flight recorder. */
	bool keep;
	uint64_t keep_ns, keep_bytes; /* 0: no limit of that kind */
	const char *const *triggers;  /* conditions, any of them */
	size_t n_triggers;
	const char *trigger_task;     /* regular expression, or NULL */
	trigger_idle_fn exit_is_idle; /* NULL: every exit counts */
	void *exit_ctx;
	/* Names the dumps instead of @output; any number of them, and none at the end. NULL: FILE,
	 * FILE.2.cdict, ... */
	const struct record_dumps *dumps;
	/* Before each dump, when names of tasks may be read again: what the trigger's task belongs
	 * to, for struct record_dump. NULL: unknown. */
	const char *(*trigger_of)(void *ctx, const struct trigger_hit *hit);
	void *trigger_of_ctx;
	/* Writes labels of the tasks; called when the recording has begun, and before it ends with
	 * @last. */
	int (*labels)(void *ctx, bool last, struct cdict_writer *w, struct cdict_error *err);
	void *labels_ctx;
	struct record_cgroups *cgroups; /* filled during the recording; NULL: none */
	/* For another recorder that runs in parallel: called before the events begin, and with @choice
	 * NULL after they ended. */
	int (*beside)(void *ctx, const struct choice *choice, size_t ring_bytes,
		      struct cdict_error *err);
	void *beside_ctx;
	/* The file is complete and @report as it will be returned. Closing the events follows,
	 * which may take the kernel seconds: 36 ms for each KVM tracepoint (Linux 6.18). */
	void (*ended)(void *ctx, const struct record_report *report);
	void *ended_ctx;
	/* With keep, every look_every_ms (0: once a second): a cdict of the last look_ns, in memory,
	 * valid during the call. No file is then written at the end. */
	void (*look)(void *ctx, const void *cdict, size_t size);
	void *look_ctx;
	uint64_t look_ns;
	unsigned look_every_ms;
	/* Waits until shortly before the start time: everything is open by then, but the file is
	 * empty. @signals are blocked. A negative code ends the recording, with *err filled. */
	int (*wait)(void *ctx, const sigset_t *signals, struct record_start *start,
		    struct cdict_error *err);
	void *wait_ctx;
	/* When writing a file: called when it has begun, and then once a second, from a thread of
	 * its own; must not block for long. */
	void (*view)(void *ctx, const struct record_view *view);
	void *view_ctx;
	/* Called several times a second: returns the key typed by the user. */
	enum record_key (*key)(void *ctx);
	void *key_ctx;
	/* Once a second; may be NULL. */
	void (*progress)(void *ctx, const struct record_progress *p);
	void *progress_ctx;
	/* One line for the user: a missing default event, a dump that was written. */
	void (*say)(void *ctx, bool warning, const char *line);
	void *say_ctx;
};

/* Total size of the rings, with the limits per ring: half a second of a storm on a small machine,
 * and no more than a large one can spare. */
#define RECORD_RINGS_BYTES ((size_t)256 << 20)
#define RECORD_RING_MAX ((size_t)16 << 20)
/* libperf keeps a ring's mask in an int: in a larger ring events would be missed. */
#define RECORD_RING_LIMIT ((size_t)1 << 30)
#define RECORD_RING_MIN ((size_t)4 << 20)
#define RECORD_QUEUE_BYTES ((size_t)128 << 20)
#define RECORD_GROUP_CPUS 16u
/* The most that a group holds beside the queue: samples that make no block yet (BATCHER_BYTES_MAX
 * of records, and their index), a batch being encoded, its columns, one encoded block. */
#define RECORD_GROUP_BYTES ((size_t)32 << 20)
/* The program, its libraries, and the live tasks. */
#define RECORD_BASE_BYTES ((size_t)32 << 20)

struct record_report {
	uint64_t began_wall_ns; /* CLOCK_REALTIME */
	uint64_t events, bytes_out, bytes_rings;
	uint64_t lost;                       /* in the rings, as reported by the kernel */
	uint64_t dropped;                    /* by the recorder: encoding or disk too slow */
	uint64_t samples;                    /* read from the rings */
	uint64_t kernel_events, kernel_lost; /* by its counters: see struct group_counts */
	uint64_t disordered;                 /* out of order, and sorted */
	size_t types, cpus, groups;
	size_t ring_bytes;     /* actual size */
	uint64_t memory_bytes; /* upper bound: doc/cdict-record.1, Memory */
	uint64_t over_limit; /* samples that came after max_bytes was reached, and are not in the file */
	double seconds;      /* how long events were recorded */
	/* The recorder's own CPU time; with that of the preparation, in @own_seconds. */
	double cpu_seconds, own_seconds;
	uint64_t wakeups, max_rss_bytes;
	unsigned dumps; /* of the flight recorder */
	unsigned failed_dumps;
	struct cdict_error dump_error; /* of the last dump */
	unsigned files;                /* with rotate */
	bool have_status;
	int command_status;
	struct cdict_error ended; /* code 0, or why it ended early */
};

int record_run(const struct record_options *opts, struct record_report *report,
	       struct cdict_error *err);

#endif
