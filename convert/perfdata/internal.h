/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * internal.h - shared by the files that implement perfdata.h: the object, its input streams and the
 * constants of the format.
 *
 * There are two kinds of input: bytes in memory (a mapping, or the caller's) and a descriptor that
 * is read incrementally. A directory is several streams of the first kind.
 */
#ifndef CONVERT_PERFDATA_INTERNAL_H
#define CONVERT_PERFDATA_INTERNAL_H

#include "base/cursor.h"
#include "base/fail.h"
#include "base/memory/array.h"
#include "base/memory/buf.h"
#include "base/memory/places.h"
#include "convert/perfdata/perfdata.h"

/* Record types, from <perf/event.h> and <linux/perf_event.h>; listed here because the installed
 * headers may be older than the file. */
#define PERFDATA_RECORDS(X)                                                                        \
	X(MMAP, 1)                                                                                 \
	X(LOST, 2)                                                                                 \
	X(COMM, 3)                                                                                 \
	X(EXIT, 4)                                                                                 \
	X(THROTTLE, 5)                                                                             \
	X(UNTHROTTLE, 6)                                                                           \
	X(FORK, 7)                                                                                 \
	X(READ, 8)                                                                                 \
	X(SAMPLE, 9)                                                                               \
	X(MMAP2, 10)                                                                               \
	X(AUX, 11)                                                                                 \
	X(ITRACE_START, 12)                                                                        \
	X(LOST_SAMPLES, 13)                                                                        \
	X(SWITCH, 14)                                                                              \
	X(SWITCH_CPU_WIDE, 15)                                                                     \
	X(NAMESPACES, 16)                                                                          \
	X(KSYMBOL, 17)                                                                             \
	X(BPF_EVENT, 18)                                                                           \
	X(CGROUP, 19)                                                                              \
	X(TEXT_POKE, 20)                                                                           \
	X(AUX_OUTPUT_HW_ID, 21)                                                                    \
	X(CALLCHAIN_DEFERRED, 22)                                                                  \
	X(ATTR, 64)                                                                                \
	X(EVENT_TYPE, 65)                                                                          \
	X(TRACING_DATA, 66)                                                                        \
	X(BUILD_ID, 67)                                                                            \
	X(FINISHED_ROUND, 68)                                                                      \
	X(ID_INDEX, 69)                                                                            \
	X(AUXTRACE_INFO, 70)                                                                       \
	X(AUXTRACE, 71)                                                                            \
	X(AUXTRACE_ERROR, 72)                                                                      \
	X(THREAD_MAP, 73)                                                                          \
	X(CPU_MAP, 74)                                                                             \
	X(STAT_CONFIG, 75)                                                                         \
	X(STAT, 76)                                                                                \
	X(STAT_ROUND, 77)                                                                          \
	X(EVENT_UPDATE, 78)                                                                        \
	X(TIME_CONV, 79)                                                                           \
	X(FEATURE, 80)                                                                             \
	X(COMPRESSED, 81)                                                                          \
	X(FINISHED_INIT, 82)                                                                       \
	X(COMPRESSED2, 83)                                                                         \
	X(BPF_METADATA, 84)

enum record_type {
#define X(name, value) RECORD_##name = value,
	PERFDATA_RECORDS(X)
#undef X
		RECORD_USER_START = 64, /* from here on written by perf, not by the kernel */
	RECORD_TYPE_MAX = 0xffff,       /* AOSP's simpleperf uses 32768 and up */
};

/* Header features (bits of adds_features), tools/perf/util/header.h. */
enum feature {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_CPUID = 9,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_CPU_TOPOLOGY = 13,
	FEATURE_NUMA_TOPOLOGY = 14,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_CLOCKID = 23,
	FEATURE_DIR_FORMAT = 24,
	FEATURE_COMPRESSED = 27,
	FEATURE_CLOCK_DATA = 29,
	FEATURE_COUNT = 256,
};

#define RECORD_HEADER_SIZE 8
#define ATTR_SIZE_MIN 64        /* PERF_ATTR_SIZE_VER0 */
#define TRACING_MAX (64u << 20) /* in-band tracing data from a pipe */
#define ARENA_MAX (256u << 20)  /* all strings and tables of one recording */
#define EVENTS_MAX 65536        /* attrs; perf itself stops at open files */
#define TYPE_TRACEPOINT 2       /* PERF_TYPE_TRACEPOINT */

/* Memory that a pd owns until it is closed, in blocks. */
struct arena_block {
	struct arena_block *next;
	size_t used, size;
	uint8_t data[];
};

struct event {
	struct perfdata_event pub;
	bool named; /* its name is in the recording; else it is made from its format */
	uint64_t regs_intr;
};

/* A sample id. */
struct id_slot {
	uint64_t id;
	int32_t event;
	int32_t cpu; /* -1: unknown */
};

struct inflate; /* one zstd stream */

struct stream {
	const uint8_t *at, *end; /* rest of the plain bytes available */
	uint64_t end_offset;     /* file offset of @end */
	int fd;                  /* to read more from; -1: all bytes are in memory */
	uint8_t *buf;            /* bytes read from @fd */
	size_t cap;
	bool eof, done;
	bool cut;        /* the bytes end before the end stated in the header */
	bool open_ended; /* only the end of the input marks the end of the records */
	uint32_t file;
	uint32_t chunk;
	uint64_t turn; /* bytes so far of the current 2 MiB turn */
	struct inflate *inflate;
	const uint8_t *map; /* mapping to be unmapped, or NULL */
	size_t map_size;
	/* Directory mode: the record that is to be merged. */
	struct perfdata_record head;
	uint64_t head_time;
};

struct perfdata {
	bool big, pipe, directory, stable;
	bool mapped; /* @bytes is a mapping that we own */
	bool own_fd; /* main.fd is ours to close */
	struct stream main;
	const uint8_t *bytes; /* the main file, when all of it is in memory */
	size_t size;

	ARRAY(struct event *) events;
	ARRAY(struct id_slot) ids;
	struct places ids_at;           /* by id */
	uint64_t id_bytes;              /* bytes of ids taken from the file, see attr_ids() */
	uint64_t id_places;             /* bit n: an event has its id at offset 8n */
	struct perfdata_recent *recent; /* cache of sample ids, checked before the table */
	int id_at;      /* offset of the id in samples, -1: the events differ or have none */
	int time_at;    /* offset of the time, likewise */
	bool same_tail; /* one sample_id trailer fits all events */

	struct perfdata_features features;
	ARRAY(struct perfdata_build_id) build_ids;
	struct perfdata_tracing tracing;
	ARRAY(struct perfdata_format) formats; /* from the tracing data */
	struct format_id {
		uint64_t id;
		size_t format;
	} * format_ids; /* sorted */
	size_t n_format_ids;
	bool compressed; /* feature COMPRESSED */
	enum perfdata_recorded recorded;
	bool killed;      /* the header states no size of the data, */
	bool cut;         /* or one beyond the end of the file; or a feature is beyond it */
	char damage[256]; /* the first, as a sentence; "" */

	ARRAY(struct stream *) streams; /* directory: [0] is &main */
	size_t *heap;                   /* indices of streams, by head_time */
	size_t n_heap;
	uint32_t note_file; /* directory: the stream being read, for perfdata_note() */

	struct arena_block *arena;
	size_t arena_size;
	bool no_memory; /* out of memory for the arena, or the list of formats: not damage */
};

/* --- perfdata.c */

/* Notes damage; only the first is kept. */
void perfdata_note(struct perfdata *pd, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns zeroed memory that lives as long as @pd, or NULL (no memory, or ARENA_MAX). */
void *perfdata_keep(struct perfdata *pd, size_t n);
/* Returns a NUL-terminated copy of @n bytes; NULL as above. */
const char *perfdata_keep_text(struct perfdata *pd, const void *text, size_t n);

/* Reads the header from @fd into a new @pd. */
int perfdata_open_main(struct perfdata *pd, int fd, struct cdict_error *err);

/* --- stream.c */

/* Bytes [@from, @to) of @bytes, whose first is at file offset 0. */
void perfdata_stream_init(struct stream *s, const uint8_t *bytes, uint64_t from, uint64_t to);
void perfdata_stream_fini(struct stream *s);
/* Returns 1 and *rec, 0 at the end, negative when reading failed. */
int perfdata_stream_next(struct perfdata *pd, struct stream *s, struct perfdata_record *rec,
			 struct cdict_error *err);
/* Makes @n bytes available at s->at: 1, 0 when the input ends before, or negative. */
int perfdata_stream_need(struct stream *s, size_t n, struct cdict_error *err);
/* Takes the @n bytes that follow a record: 1, 0 when the input ends before, or
 * negative.  *@data points to them, in the input or in @into; NULL to skip them. */
int perfdata_stream_payload(struct stream *s, uint64_t n, struct buf *into, const uint8_t **data,
			    struct cdict_error *err);
/* Whether a COMPRESSED record precedes the first sample. */
bool perfdata_stream_is_compressed(const struct perfdata *pd, const struct stream *s);

/* --- zstd.c */

int perfdata_inflate_start(struct stream *s, const uint8_t *data, size_t size, uint64_t offset,
			   struct cdict_error *err);
/* Gets the next record inside: 1; 0 when the input so far is used up; CDICT_ECORRUPT (the stream
 * cannot continue); or -ENOMEM. */
int perfdata_inflate_next(const struct perfdata *pd, struct stream *s, struct perfdata_record *rec);
bool perfdata_inflate_busy(const struct stream *s);
size_t perfdata_inflate_partial(const struct stream *s); /* bytes of an unfinished record */
void perfdata_inflate_free(struct inflate *z);

/* --- user.c */

/* Interprets @rec and the payload after it: 1; 0 when the input ends inside the payload; or
 * negative. */
int perfdata_user_record(struct perfdata *pd, struct stream *s, const struct perfdata_record *rec,
			 struct cdict_error *err);
/* Number of bytes that follow the record at @head (of which @n are available) and are not in its
 * size. */
uint64_t perfdata_payload_size(const struct perfdata *pd, const uint8_t *head, size_t n);

/* --- attrs.c */

/* Adds the event of the attr in @size bytes at @attr, with @n_ids ids at @ids; 0 or negative. */
int perfdata_add_event(struct perfdata *pd, const uint8_t *attr, size_t size, const uint8_t *ids,
		       size_t n_ids);
int perfdata_read_attrs(struct perfdata *pd, uint64_t offset, uint64_t size, uint64_t attr_size,
			struct cdict_error *err);
void perfdata_layout(struct perfdata_sample_layout *l, uint64_t sample_type, uint64_t read_format,
		     uint64_t branch_sample_type, bool sample_id_all);
struct id_slot *perfdata_find_id(const struct perfdata *pd, uint64_t id);

/* --- sample.c */

/* The record's time; 0: none. */
uint64_t perfdata_record_time(const struct perfdata *pd, const struct perfdata_record *rec);

/* --- features.c */

/* Takes the build id in a BUILD_ID record at @c, after its header; 0, or negative. */
int perfdata_take_build_id(struct perfdata *pd, struct cursor *c, uint16_t misc);
void perfdata_read_features(struct perfdata *pd, const uint64_t bitmap[4], uint64_t offset);
/* Parses one feature; 0, or negative when it is incomplete. */
int perfdata_feature(struct perfdata *pd, unsigned feature, const uint8_t *data, size_t size,
		     uint64_t offset);

/* --- tracing.c */

int perfdata_read_tracing(struct perfdata *pd, const uint8_t *data, size_t size, uint64_t offset);
/* Makes the names of the events from @first on whose names are not in the recording. */
void perfdata_name_events(struct perfdata *pd, size_t first);

/* --- dir.c */

/* Opens a directory by descriptor, which stays the caller's. */
int perfdata_dir_open(struct perfdata *pd, int dir, struct cdict_error *err);
int perfdata_dir_next(struct perfdata *pd, struct perfdata_record *rec, struct cdict_error *err);
void perfdata_dir_close(struct perfdata *pd);

#endif
