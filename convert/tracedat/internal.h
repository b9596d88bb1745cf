/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * internal.h - a trace.dat that was read: options, texts, and the location of the pages.
 *
 * Ownership  everything read from it is borrowed and dies with it
 */
#ifndef CONVERT_TRACEDAT_INTERNAL_H
#define CONVERT_TRACEDAT_INTERNAL_H

#include "base/cursor.h"
#include "base/fail.h"
#include "base/memory/array.h"
#include "base/memory/buf.h"
#include "base/tracedat.h"
#include "convert/import.h"
#include "convert/perfdata/perfdata.h"
#include "convert/tracedat/tracedat.h"

/* From trace-cmd-private.h; ids from 16 on are also those of the sections that they refer to. */
enum tracedat_option {
	OPTION_DONE = 0,
	OPTION_DATE = 1,
	OPTION_CPUSTAT = 2,
	OPTION_BUFFER = 3,
	OPTION_TRACECLOCK = 4,
	OPTION_UNAME = 5,
	OPTION_HOOK = 6,
	OPTION_OFFSET = 7,
	OPTION_CPUCOUNT = 8,
	OPTION_VERSION = 9,
	OPTION_PROCMAPS = 10,
	OPTION_TRACEID = 11,
	OPTION_TIME_SHIFT = 12,
	OPTION_GUEST = 13,
	OPTION_TSC2NSEC = 14,
	OPTION_STRINGS = 15,
	OPTION_HEADER_INFO = 16,
	OPTION_FTRACE_EVENTS = 17,
	OPTION_EVENT_FORMATS = 18,
	OPTION_KALLSYMS = 19,
	OPTION_PRINTK = 20,
	OPTION_CMDLINES = 21,
	OPTION_BUFFER_TEXT = 22,
};

/* Limit of memory for all texts, options or packed pages of a file, as for readers in cdict(5).
 * Sections may be referred to several times, or overlap. */
#define TRACEDAT_MEMORY(td) ((64ull << 20) + 8ull * (td)->file.size)
#define TID_MAX (1 << 30)

enum tracedat_codec { CODEC_NONE, CODEC_ZLIB, CODEC_ZSTD };

/* Location of the pages of one CPU. */
struct tracedat_cpu {
	uint32_t cpu;
	uint64_t offset, size;
};

/* A trace instance; the one without a name is the top-level one. */
struct tracedat_buffer {
	const char *name, *clock; /* clock: NULL when the file does not state this buffer's */
	uint64_t offset;          /* v7: of its section; v6: of its list of CPUs */
	uint32_t page_size;       /* 0: that of the file */
	bool compressed, text;    /* text: from a latency tracer, contains no events */
	ARRAY(struct tracedat_cpu) cpus;
};

struct tracedat_vcpu {
	uint32_t vcpu;
	int32_t tid;
};

struct tracedat_guest {
	const char *name;
	uint64_t trace_id;
	ARRAY(struct tracedat_vcpu) vcpus;
};

/* A guest's clock relative to its host's at a time. */
struct tracedat_shift_at {
	int64_t t, offset, scaling, fraction;
};

/* For one CPU, in time order. */
struct tracedat_shift {
	ARRAY(struct tracedat_shift_at) at;
};

/* Kernel counters of a CPU. */
struct tracedat_stat {
	uint32_t cpu;
	uint64_t lost;
};

struct tracedat {
	struct import_bytes file;
	ARRAY(void *) kept;

	unsigned version;
	enum tracedat_codec codec;
	struct ZSTD_DCtx_s *zstd;
	struct perfdata_tracing tracing; /* its formats are in .formats */
	ARRAY(struct perfdata_format) formats;
	const char *cmdlines; /* saved_cmdlines: lines of "tid comm" */

	/* layout of a page of the ring buffer (header_page): offsets of commit and data */
	uint32_t page_size, commit_at, commit_size, data_at;

	ARRAY(struct tracedat_buffer) buffers;
	uint32_t n_cpus; /* as stated in the file */
	ARRAY(struct tracedat_guest) guests;
	ARRAY(struct tracedat_shift) shifts; /* by CPU */
	uint32_t shift_flags;
	uint64_t peer_id; /* the trace that @shifts lead to */
	ARRAY(struct tracedat_stat) stats;
	bool stats_of_instance;
	const char *clock, *uname, *recorder;
	ARRAY(int32_t) processes; /* those whose maps are stored */
	uint64_t trace_id;
	bool has_trace_id, has_date, clock_follows;
	int64_t offset_ns; /* OFFSET and DATE: added to every time */
	uint32_t tsc_mult, tsc_shift;

	uint64_t section_at[OPTION_BUFFER_TEXT + 1];     /* v7: by id; 0: none */
	uint64_t option_bytes, kept_bytes, n_cpu_places; /* so far; limited by TRACEDAT_MEMORY */
	bool no_memory, too_much;
	char damage[256]; /* the first fault, as a sentence; "" */
};

/* tracedat_keep - copies @n bytes of @text and a NUL; NULL, with td->no_memory when out of memory,
 * or td->too_much when it exceeds the limit. */
const char *tracedat_keep(struct tracedat *td, const void *text, size_t n);
/* tracedat_add_cpu - adds @cpu to a buffer; 0, -ENOMEM, or CDICT_ECORRUPT when there are more than
 * the file has room for. */
int tracedat_add_cpu(struct tracedat *td, struct tracedat_buffer *b,
		     const struct tracedat_cpu *cpu);
/* tracedat_note - notes a fault; only the first is kept. */
void tracedat_note(struct tracedat *td, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* tracedat_option - parses option @id, whose data are @c; 0 or -ENOMEM. Faults are noted. */
int tracedat_option(struct tracedat *td, uint16_t id, struct cursor *c);

/* tracedat_header_info, _formats - parse a section's content, which is the same in both versions.
 * 0, -ENOMEM, or CDICT_ECORRUPT where it is cut off; the part before is then kept. */
int tracedat_header_info(struct tracedat *td, struct cursor *c);
int tracedat_ftrace_formats(struct tracedat *td, struct cursor *c);
int tracedat_event_formats(struct tracedat *td, struct cursor *c);
int tracedat_kallsyms(struct tracedat *td, struct cursor *c);
int tracedat_printk(struct tracedat *td, struct cursor *c);
int tracedat_cmdlines(struct tracedat *td, struct cursor *c);

/* tracedat_unpack - unpacks @size bytes at @in to exactly @out_size bytes at @out: 0, else
 * CDICT_ECORRUPT or -ENOMEM. */
int tracedat_unpack(struct tracedat *td, const uint8_t *in, size_t size, uint8_t *out,
		    size_t out_size);

#endif
