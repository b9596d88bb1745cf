/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfdata.h - reads perf.data: records, attrs, sample layouts, header features and tracepoint
 * formats, in every variant (file, pipe, -z, --threads directory, either byte order).
 *
 * The layouts are those of libperf's <perf/event.h> and of
 * tools/perf/Documentation/perf.data-file-format.txt (Linux 6.1); additions of newer perfs are read
 * as far as they are known, never rejected for being new.
 *
 * Threads    one thread at a time per struct perfdata; any thread may read the bytes of a record
 *            while they are valid
 * Units      times are the recording's own clock, ns
 * Failure    negative code with *err filled (offset = byte of the input file)
 * Ownership  perfdata_open() gives, perfdata_close() takes (NULL is fine);
 *            everything read from it is borrowed and dies with it
 */
#ifndef CONVERT_PERFDATA_PERFDATA_H
#define CONVERT_PERFDATA_PERFDATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"

/* One record, header included, in the file's byte order. */
struct perfdata_record {
	const uint8_t *data; /* whole record; perfdata_stable() says how long it is valid */
	uint32_t size;       /* of data, >= 8; equals header.size unless the type carries more */
	uint32_t type;       /* PERF_RECORD_* */
	uint16_t misc;
	uint64_t offset; /* file offset of the record (of the enclosing one when compressed) */
	uint32_t file;   /* 0: the main data file; n: data.(n-1) of a directory */
	uint32_t chunk;  /* directory mode: the 2 MiB turn in which perf would read it; else 0 */
};

/* Offsets of fields in the samples of one attr, from the start of the record; -1 when the
 * sample_type lacks the field. */
struct perfdata_sample_layout {
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_sample_type;
	int id, tid, time, cpu, ip, period; /* offsets in PERF_RECORD_SAMPLE when fixed */
	int raw_fixed; /* offset of RAW's u32 size; -1: absent, or after variable fields */
	bool has_raw;
	int tail_size; /* size of the sample_id trailer of other records, 0: none */
	int tail_id, tail_time, tail_cpu; /* offsets from the trailer's start, -1: absent */
};

/* One event of the recording. */
struct perfdata_event {
	const char
		*name; /* as perf prints it ("sched:sched_switch"); "" when it is not in the file */
	uint32_t attr_type; /* PERF_TYPE_* */
	uint64_t config;    /* tracepoint id for PERF_TYPE_TRACEPOINT */
	uint64_t period;    /* of every sample, when its layout has none; 0: unknown */
	struct perfdata_sample_layout layout;
	uint64_t regs_user;  /* bits of PERF_REG_*: registers in each sample */
	bool inherit;        /* recorded for some tasks and their children */
	bool write_backward; /* into a ring that overwrites its oldest records */
	uint32_t clockid;
	bool use_clockid;
};

/* Header features, from sections (file) or records (pipe). Strings are borrowed, NULL when absent;
 * numbers 0. The text is untrusted. */
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
	/* PERF_RECORD_TIME_CONV: ns = zero + (tsc * mult >> shift); mult 0: not recorded */
	uint64_t time_zero_ns, time_mult, time_shift;
};

/* Tracing data: the kernel's format files, as recorded. */
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
	const char *kallsyms; /* may be NULL: perf has omitted them since 4.4 */
};

struct perfdata;

/* perfdata_open - @path is a perf.data file, a directory made by
 * perf record --threads, or "-" (standard input). Reads the header; in pipe
 * mode attrs, features and tracing data arrive with perfdata_next(). */
int perfdata_open(struct perfdata **out, const char *path, struct cdict_error *err);

/* perfdata_open_fd - like perfdata_open(), from an open descriptor (borrowed). */
int perfdata_open_fd(struct perfdata **out, int fd, struct cdict_error *err);

/* perfdata_parse - like perfdata_open(), from memory, which must outlive the object. */
int perfdata_parse(struct perfdata **out, const void *data, size_t size, struct cdict_error *err);

void perfdata_close(struct perfdata *pd);

/* perfdata_map - maps all of a regular file of any format: 1; 0 when it cannot be mapped or is
 * empty; -ENOMEM. */
int perfdata_map(int fd, const uint8_t **bytes, size_t *size);

/* perfdata_stable - true when record bytes are valid until perfdata_close() (a mapped file without
 * compression), false when only until the next perfdata_next(). */
bool perfdata_stable(const struct perfdata *pd);

/* perfdata_next - 1 and *rec; 0 at the end; or a negative code (nothing more can be read). Records
 * that describe the recording itself (ATTR, EVENT_UPDATE, FEATURE, TRACING_DATA, ID_INDEX,
 * COMPRESSED*, AUXTRACE payload) are interpreted here, and also returned, so that they can be
 * counted; COMPRESSED ones are not. */
int perfdata_next(struct perfdata *pd, struct perfdata_record *rec, struct cdict_error *err);

/* A cache of recent sample ids, indexed by id modulo PERFDATA_RECENT. The ids of a recording are
 * consecutive: in practice they do not collide. */
#define PERFDATA_RECENT 4096u
struct perfdata_recent {
	uint64_t id;
	int32_t event; /* -1: none yet */
};

/* perfdata_span - the records ahead, for walking samples without a call per sample: in one mapped
 * file, uncompressed, whose samples all have their id at one offset. False for other recordings.
 * perfdata_span_end() reports how far the walk came. */
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

/* perfdata_event_of - index of the event of a PERF_RECORD_SAMPLE, or -1 when its id is unknown.
 * Constant time; with a single event no id is needed; with several events the first is not assumed
 * for unknown ids. */
int perfdata_event_of(const struct perfdata *pd, const struct perfdata_record *rec);

/* perfdata_event_by_id - index of the event with this sample id, or -1. */
int perfdata_event_by_id(const struct perfdata *pd, uint64_t id);

/* perfdata_id_cpu - the CPU of this id in ID_INDEX, -1 when unknown. */
int perfdata_id_cpu(const struct perfdata *pd, uint64_t id);

struct perfdata_sample {
	uint64_t time, id;
	int32_t pid, tid;
	uint32_t cpu;       /* UINT32_MAX when absent */
	const uint8_t *raw; /* NULL when absent */
	uint32_t raw_size;
	/* NULL when absent; u64 in the file's byte order. */
	const uint8_t *chain;
	uint64_t n_chain;
	/* The registers in @regs_user of the event, and the top of the user stack. */
	uint64_t regs_abi; /* PERF_SAMPLE_REGS_ABI_*; 0: no registers */
	const uint8_t *regs;
	const uint8_t *stack;
	uint64_t stack_bytes;
};

/* perfdata_sample - decodes a PERF_RECORD_SAMPLE of event @ev; 0, or CDICT_ECORRUPT when a field
 * does not fit the record. Checks every bound. */
int perfdata_sample(const struct perfdata *pd, const struct perfdata_event *ev,
		    const struct perfdata_record *rec, struct perfdata_sample *out);

struct perfdata_sample_id {
	bool has_time, has_cpu;
	uint64_t time, id;
	uint32_t cpu;
};

/* perfdata_sample_id - decodes the sample_id trailer of a record other than a sample; all has_*
 * false if there is none. */
void perfdata_sample_id(const struct perfdata *pd, const struct perfdata_record *rec,
			struct perfdata_sample_id *out);

/* The build id of a file, from the header or a record. */
struct perfdata_build_id {
	uint16_t misc; /* PERF_RECORD_MISC_*: whose file it is */
	uint8_t size;
	uint8_t id[20];
	const char *path; /* "/bin/true", "[kernel.kallsyms]" */
};
/* perfdata_build_ids - those read so far. */
const struct perfdata_build_id *perfdata_build_ids(const struct perfdata *pd, size_t *n);

/* perfdata_in_memory - whether all of it is mapped, or was given in memory, as one file. */
bool perfdata_in_memory(const struct perfdata *pd);
/* perfdata_again - opens the same bytes once more: 1; 0 when they are not in memory; or a negative
 * code. @pd must stay open as long. */
int perfdata_again(struct perfdata **out, const struct perfdata *pd, struct cdict_error *err);

const struct perfdata_features *perfdata_features(const struct perfdata *pd);
const struct perfdata_tracing *perfdata_tracing(const struct perfdata *pd);
/* perfdata_lend - adds formats from elsewhere, which must live as long as @pd: for events without a
 * format they count as the recording's. 0 or -ENOMEM. */
int perfdata_lend(struct perfdata *pd, const struct perfdata_tracing *lent);
/* perfdata_format - the format of event @ev, or NULL. */
const struct perfdata_format *perfdata_format(const struct perfdata *pd,
					      const struct perfdata_event *ev);
/* perfdata_recorded - which tasks were recorded, from a THREAD_MAP record, which perf writes first. */
enum perfdata_recorded { PERFDATA_UNKNOWN, PERFDATA_ALL, PERFDATA_SOME };
enum perfdata_recorded perfdata_recorded(const struct perfdata *pd);
/* perfdata_unfinished - why the end of the recording is missing, where perf describes events and
 * host: "the recorder was killed", "it is truncated"; NULL: it is there, or that is unknown. */
const char *perfdata_unfinished(const struct perfdata *pd);
/* perfdata_damage - the first damage or oddity, as a sentence with its offset; "" if none. The
 * caller reports it and exits with 2. */
const char *perfdata_damage(const struct perfdata *pd);

/* perfdata_type_name - "SAMPLE", "LOST", ...; NULL when unknown. */
const char *perfdata_type_name(uint32_t type);

#endif
