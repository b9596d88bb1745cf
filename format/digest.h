/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * digest.h - what the events of a block leave behind, task by task, while they are encoded, and
 * the DGST blocks that are made of it; cdict(5).
 *
 * Threads    as the encoder; as the writer
 * Ownership  digest_collect() gives a block's digest, free() takes it
 */
#ifndef FORMAT_DIGEST_H
#define FORMAT_DIGEST_H

#include "base/memory/array.h"
#include "base/memory/buf.h"
#include "base/memory/map.h"
#include "cdict/digest.h"
#include "format/schema.h"

struct format_encoder;
struct format_block;

/* Times of a row, in the order in which they are written. */
enum digest_time {
	DIGEST_OUT,
	DIGEST_OUT_BEFORE,
	DIGEST_IN,
	DIGEST_WAKE,
	DIGEST_WAKE_BEFORE,
	DIGEST_WOKEN,
	DIGEST_MOVED,
	DIGEST_MOVED_BEFORE,
	DIGEST_IO,
	DIGEST_ENTRY,
	DIGEST_EXIT,
	DIGEST_USER,
	DIGEST_ACCESS,
	DIGEST_TIMES,
};

/* --- while events are encoded (digest_collect.c) --- */

/* What the events of a type do to a digest. */
enum digest_kind {
	DIGEST_NONE,
	DIGEST_SWITCH,
	DIGEST_WAKING,
	DIGEST_WAKEUP,
	DIGEST_WAKEUP_NEW,
	DIGEST_MIGRATE,
	DIGEST_IOWAIT,
	DIGEST_EXEC,
	DIGEST_KVM_ENTRY,
	DIGEST_KVM_EXIT,
	DIGEST_KVM_USERSPACE,
	DIGEST_KVM_OTHER,
};

/* Where it is told. */
struct digest_fields {
	uint8_t kind;
	uint8_t task;                                  /* coded field */
	const struct format_field *cpu;                /* where to; NULL: not told */
	const struct format_field *reason, *how, *isa; /* of an exit, or NULL */
	const struct format_field *old;                /* of an exec: which tid it had */
	const struct format_field *success; /* of a wake-up: 0: it woke nobody; NULL: it did */
};

/* digest_fields_of - false: a digest of @type's events cannot be made. */
bool digest_fields_of(struct digest_fields *out, const struct cdict_schema *schema,
		      const struct format_type *type);

/* What happened to a task, so that what was of it before is of no use. */
enum digest_over {
	OVER_OUT = 1,
	OVER_RAN = 2, /* before it was switched out */
	OVER_OUT_TWICE = 4,
	OVER_WAKE_TWICE = 8,
	OVER_WOKEN = 16,
	OVER_MOVED_TWICE = 32,
	OVER_IO = 64,
	OVER_EXIT = 128,
	OVER_ENTRY = 256,
	OVER_USER = 512,
	OVER_ACCESS = 1024,
	OVER_UP_TWICE = 2048,
};

struct block_task;
unsigned digest_over(const struct block_task *task);

struct block_task {
	struct cdict_digest_row row;
	uint64_t up_ns[2]; /* sched_wakeup beside sched_waking, the latest first */
	uint64_t first_ns;
	int32_t pid, vcpu_id;
	char comm[16];
	uint32_t book;  /* the writer's: in the list of all tasks */
	uint16_t early; /* enum digest_over, of the block's first events */
	bool seen;      /* by a sample, a switch, a wake-up, ... */
	bool turned_up; /* on the CPU, without a switch-in */
};

/* Of a block. */
struct block_digest {
	bool switched;
	bool wakeup_counts;
	int32_t first_prev, cur; /* of the first and the last switch */
	uint64_t first_switch_ns, switch_ns;
	uint64_t missing;
	uint64_t early_ns; /* the last of its first FORMAT_BLOCK_EARLY events; CDICT_NEVER: it has not so many */
	size_t n;
	struct block_task tasks[]; /* n */
};

/* digest_collect - of the block that @enc holds; NULL: there is none. */
struct block_digest *digest_collect(struct format_encoder *enc);

/* --- while blocks are written, in their order (digest_write.c) --- */

/* In the flags of a DGST block: deaths and ahead_ns are told. */
#define DIGEST_DEATHS 12u
/* In a row's WOKEN and WAKE there is no wake-up that woke nobody, and the block has the column of
 * sched_wakeup beside sched_waking. */
#define DIGEST_WAKES_APART 16u

/* A task's death is told in about milliseconds: when it is certainly over, by its last switch-out, or
 * by its PERF_RECORD_EXIT, which comes a little before that. */
#define DIGEST_DEATH_SHIFT 20

static inline uint64_t digest_death(uint64_t t_ns, unsigned later)
{
	return ((t_ns >> DIGEST_DEATH_SHIFT) + 1 + later) << DIGEST_DEATH_SHIFT;
}

struct digest_cpu;
struct book_task;

struct digest_book {
	ARRAY(struct digest_cpu) cpus;
	ARRAY(struct book_task) tasks; /* of the whole file */
	size_t listed;                 /* of them: those that the records do not tell of */
	struct map index;              /* of them, by tid */
	uint32_t blocks;
	uint64_t event_bytes;
	uint64_t stored; /* bytes of DGST blocks */
	uint32_t cuts, n_cuts;
	struct buf head, flags, tids, times, values, ups;
	uint64_t rows, ups_row; /* of the block, and the one after the latest in ups */
	bool wakeup_counts;
	bool off;        /* no digest, for good */
	bool failed;     /* out of memory: nothing to go on with */
	uint32_t budget; /* DGST bytes in a million of those of events; 0: DIGEST_BUDGET */
};

/* digest_book_add - block number @ordinal of @info, of @size bytes, was written; @d: its
 * digest, which is changed; NULL: it has none. */
void digest_book_add(struct digest_book *b, const struct format_block *info, uint32_t ordinal,
		     uint64_t size, struct block_digest *d);
/* digest_book_record - a record of a task is in the file, or will be. */
void digest_book_record(struct digest_book *b, const struct cdict_task_event *ev);
/* digest_book_take - the content of a DGST block, if it is time for one: when @last, of the last. */
bool digest_book_take(struct digest_book *b, struct buf *out, bool last);
/* digest_book_view - what digest_book_take() would give now if the file ended here; the book goes on as it was. */
bool digest_book_view(const struct digest_book *b, struct buf *out);
/* digest_book_stored - the block was written, @size bytes. */
void digest_book_stored(struct digest_book *b, uint64_t size);
void digest_book_fini(struct digest_book *b);

#endif
