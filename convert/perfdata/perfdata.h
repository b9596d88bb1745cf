/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfdata.h - what perf record writes: records, attrs, sample layouts,
 * header features and tracepoint formats, in every shape (file, pipe, -z,
 * --threads directory, either byte order).
 *
 * The layouts are those of libperf's <perf/event.h> and of
 * tools/perf/Documentation/perf.data-file-format.txt (Linux 6.1); what a newer
 * perf added is read as far as it is known, never refused for being new.
 *
 * Threads    one thread at a time per struct perfdata; the bytes of a record
 *            may be read from any thread while they live
 * Units      times are the recording's own clock, ns
 * Failure    negative code with *err filled (offset = byte of the input file)
 * Ownership  perfdata_open() gives, perfdata_close() takes (NULL is fine);
 *            everything read from it is borrowed and dies with it
 */
#ifndef CONVERT_PERFDATA_H
#define CONVERT_PERFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"

/* One record, header included, in the file's byte order. */
struct perfdata_record {
	const uint8_t *data; /* whole record; see perfdata_stable() for how long it lives */
	uint32_t size;       /* of data, >= 8; equals header.size unless the type carries more */
	uint32_t type;       /* PERF_RECORD_* */
	uint16_t misc;
	uint64_t offset; /* of the record in its file (of the enclosing one when compressed) */
	uint32_t file;   /* 0: the main data file; n: data.(n-1) of a directory */
	uint32_t chunk;  /* directory mode: which 2 MiB turn perf would read it in; else 0 */
};

/* Where things lie in the samples of one attr; offsets are from the record's
 * start, -1 when the sample_type lacks the field. */
struct perfdata_sample_layout {
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_sample_type;
	int id, tid, time, cpu; /* fixed offsets in PERF_RECORD_SAMPLE */
	int raw_fixed; /* offset of RAW's u32 size, or -1: absent, or after variable fields */
	bool has_raw;
	int tail_size; /* bytes of the sample_id trailer on other records, 0 if none */
	int tail_id, tail_time, tail_cpu; /* offsets from the trailer's start, -1 absent */
};

/* One event of the recording. */
struct perfdata_event {
	const char
		*name; /* as perf prints it ("sched:sched_switch"); "" when the file does not say */
	uint32_t attr_type; /* PERF_TYPE_* */
	uint64_t config;    /* tracepoint id for PERF_TYPE_TRACEPOINT */
	struct perfdata_sample_layout layout;
	bool inherit;        /* recorded of some tasks, and of what they start */
	bool write_backward; /* into a ring that keeps its latest */
	uint32_t clockid;
	bool use_clockid;
};

/* Header features, found as sections (file) or as records (pipe). Strings are
 * borrowed, NULL when absent; numbers 0. The text is untrusted. */
struct perfdata_features {
	const char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	uint32_t nrcpus_online, nrcpus_avail;
	uint64_t total_mem_kb;
	const char *const *cmdline;
	size_t n_cmdline;
	const char *const *sibling_threads; /* CPU lists, e.g. "0-3" */
	size_t n_sibling_threads;
	const int32_t *core_id, *socket_id, *die_id; /* per CPU, n_topology entries (or NULL) */
	size_t n_topology;
	struct perfdata_numa_node {
		uint32_t node;
		const char *cpus; /* CPU list */
	} const *numa;
	size_t n_numa;
	uint64_t clock_data_wall_ns, clock_data_clock_ns; /* perf record -k: taken together */
};

/* Tracing data: the kernel's own format files, as recorded. */
struct perfdata_format {
	const char *system; /* "sched", "kvm", "ftrace" */
	const char *text;   /* whole format file, NUL-terminated, borrowed */
	size_t len;
};
struct perfdata_tracing {
	bool present;
	bool big_endian; /* byte order of raw payloads */
	int long_size;   /* bytes */
	uint32_t page_size;
	const struct perfdata_format *formats;
	size_t n_formats;
	const char *printk;   /* printk_formats text, may be NULL */
	const char *kallsyms; /* may be NULL: perf has left them out since 4.4 */
};

struct perfdata;

/* perfdata_open - @path is a perf.data file, a directory made by
 * perf record --threads, or "-" (standard input). Reads the header; in pipe
 * mode attrs, features and tracing data arrive with perfdata_next(). */
int perfdata_open(struct perfdata **out, const char *path, struct cdict_error *err);

/* perfdata_open_fd - the same from an open descriptor (borrowed). */
int perfdata_open_fd(struct perfdata **out, int fd, struct cdict_error *err);

/* perfdata_parse - the same from memory, which must outlive the object. */
int perfdata_parse(struct perfdata **out, const void *data, size_t size, struct cdict_error *err);

void perfdata_close(struct perfdata *pd);

/* perfdata_map - maps all of a regular file, of whatever format: 1, 0 when it cannot be mapped or is
 * empty, -ENOMEM. */
int perfdata_map(int fd, const uint8_t **bytes, size_t *size);

/* perfdata_stable - whether record bytes live until perfdata_close() (a mapped
 * file without compression) or only until the next perfdata_next(). */
bool perfdata_stable(const struct perfdata *pd);

/* perfdata_next - 1 and *rec, 0 at the end, or a negative code (nothing more
 * can be read). Records that describe the recording itself (ATTR,
 * EVENT_UPDATE, FEATURE, TRACING_DATA, ID_INDEX, COMPRESSED*, AUXTRACE
 * payload) are consumed here, and also handed out - without their payload's
 * interpretation - so that they can be counted; COMPRESSED ones are not. */
int perfdata_next(struct perfdata *pd, struct perfdata_record *rec, struct cdict_error *err);

/* Sample ids met last, by id modulo PERFDATA_RECENT. Ids of one recording follow each
 * other: they do not collide in practice. */
#define PERFDATA_RECENT 4096u
struct perfdata_recent {
	uint64_t id;
	int32_t event; /* -1: none yet */
};

/* perfdata_span - the records ahead, for who walks samples without a call each: of one
 * mapped file, uncompressed, whose samples all have their id at one place. False when
 * the recording is not of that kind. perfdata_span_end() says how far the walk came. */
struct perfdata_span {
	const uint8_t *at, *end;
	const struct perfdata_recent *recent;
	uint32_t id_at;
};
bool perfdata_span(const struct perfdata *pd, struct perfdata_span *span);
void perfdata_span_end(struct perfdata *pd, const uint8_t *at);

bool perfdata_big_endian(const struct perfdata *pd); /* byte order of records */
bool perfdata_pipe_mode(const struct perfdata *pd);
uint64_t perfdata_bytes_read(const struct perfdata *pd); /* so far */
uint64_t perfdata_size(const struct perfdata *pd);       /* total, 0 when unknown (pipe) */

size_t perfdata_event_count(const struct perfdata *pd);
const struct perfdata_event *perfdata_event_at(const struct perfdata *pd, size_t i);

/* perfdata_event_of - index of the event of a PERF_RECORD_SAMPLE, or -1 when
 * its id is unknown. Constant time; with one event no id is needed, with ids
 * unknown but one common layout the first event is NOT guessed. */
int perfdata_event_of(const struct perfdata *pd, const struct perfdata_record *rec);

/* perfdata_event_by_id - index of the event with this sample id, or -1. */
int perfdata_event_by_id(const struct perfdata *pd, uint64_t id);

/* perfdata_id_cpu - the CPU that ID_INDEX names for this id, -1 when unknown. */
int perfdata_id_cpu(const struct perfdata *pd, uint64_t id);

struct perfdata_sample {
	uint64_t time, id;
	int32_t pid, tid;
	uint32_t cpu;       /* UINT32_MAX when absent */
	const uint8_t *raw; /* NULL when absent */
	uint32_t raw_size;
};

/* perfdata_sample - decode a PERF_RECORD_SAMPLE of event @ev; 0, or
 * CDICT_ECORRUPT when a field does not fit the record. Checks every bound. */
int perfdata_sample(const struct perfdata *pd, const struct perfdata_event *ev,
		    const struct perfdata_record *rec, struct perfdata_sample *out);

struct perfdata_sample_id {
	bool has_time, has_cpu;
	uint64_t time, id;
	uint32_t cpu;
};

/* perfdata_sample_id - the sample_id trailer of a record that is no sample;
 * all has_* false when there is none. */
void perfdata_sample_id(const struct perfdata *pd, const struct perfdata_record *rec,
			struct perfdata_sample_id *out);

const struct perfdata_features *perfdata_features(const struct perfdata *pd);
const struct perfdata_tracing *perfdata_tracing(const struct perfdata *pd);
/* perfdata_lend - formats from elsewhere, which live as long as @pd: of events that have none they count as the
 * recording's. 0 or -ENOMEM. */
int perfdata_lend(struct perfdata *pd, const struct perfdata_tracing *lent);
/* perfdata_format - the format of event @ev, or NULL. */
const struct perfdata_format *perfdata_format(const struct perfdata *pd,
					      const struct perfdata_event *ev);
/* perfdata_whom - whose events were asked for, by a THREAD_MAP record; perf writes it first. */
enum perfdata_whom { PERFDATA_UNKNOWN, PERFDATA_ALL, PERFDATA_SOME };
enum perfdata_whom perfdata_whom(const struct perfdata *pd);
/* perfdata_unfinished - why the end of the recording is not there, where perf writes what it knows of events and host:
 * "the recorder was killed", "it is cut"; NULL: the end is there, or nothing says. */
const char *perfdata_unfinished(const struct perfdata *pd);
/* perfdata_damage - the first thing that was damaged or odd, as a sentence with its offset; "" if none. The caller
 * reports it and exits 2. */
const char *perfdata_damage(const struct perfdata *pd);

/* perfdata_type_name - "SAMPLE", "LOST", ...; NULL when unknown. */
const char *perfdata_type_name(uint32_t type);

#endif
