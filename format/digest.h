/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * digest.h - per task, the latest events of a block, collected while it is encoded, and the DGST
 * blocks built from them; cdict(5).
 *
 * Threads    like the encoder; like the writer
 * Ownership  the caller frees digest_collect()'s digest with free()
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

/* How the events of a type change a digest. */
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

/* The fields of an event type that a digest reads. */
struct digest_fields {
	uint8_t kind;
	uint8_t task;                                  /* coded field */
	const struct format_field *cpu;                /* destination; NULL: not recorded */
	const struct format_field *reason, *how, *isa; /* of an exit, or NULL */
	const struct format_field *old;                /* of an exec: the old tid */
	const struct format_field *success; /* of a wake-up: 0: no task woke; NULL: one did */
};

/* digest_fields_of - sets @out for @type; false when its events cannot be digested. */
bool digest_fields_of(struct digest_fields *out, const struct cdict_schema *schema,
		      const struct format_type *type);

/* Events of a task that make parts of its earlier digest useless. */
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
	uint64_t up_ns[2]; /* sched_wakeup in addition to sched_waking, latest first */
	uint64_t first_ns;
	int32_t pid, vcpu_id;
	char comm[16];
	uint32_t book;  /* index in the writer's list of all tasks */
	uint16_t early; /* enum digest_over of the block's first events */
	bool seen;      /* in a sample, a switch, a wake-up, ... */
	bool turned_up; /* found on the CPU without a switch-in */
};

/* The digest of a block. */
struct block_digest {
	bool switched;
	bool wakeup_counts;
	int32_t first_prev, cur; /* prev of the first switch, next of the last */
	uint64_t first_switch_ns, switch_ns;
	uint64_t missing;
	uint64_t early_ns; /* of the last of its first FORMAT_BLOCK_EARLY events; CDICT_NEVER: it has fewer */
	size_t n;
	struct block_task tasks[]; /* n */
};

/* digest_collect - the digest of the block in @enc; NULL if there is none. */
struct block_digest *digest_collect(struct format_encoder *enc);

/* --- while blocks are written, in their order (digest_write.c) --- */

/* Flags of a DGST block: deaths and ahead_ns are stored. */
#define DIGEST_DEATHS 12u
/* WOKEN and WAKE of a row exclude wake-ups that woke no task, and the block has a column for
 * sched_wakeup in addition to sched_waking. */
#define DIGEST_WAKES_APART 16u

/* A task's death is stored in units of about a millisecond, rounded up so that it is certainly over:
 * from its last switch-out, or from its PERF_RECORD_EXIT, which comes a little before that. */
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
	size_t listed;                 /* number of tasks that the task records do not describe */
	struct map index;              /* of tasks, by tid */
	uint32_t blocks;
	uint64_t event_bytes;
	uint64_t stored; /* bytes of DGST blocks */
	uint32_t cuts, n_cuts;
	struct buf head, flags, tids, times, values, ups;
	uint64_t rows, ups_row; /* rows of the block; the row after the latest in ups */
	bool wakeup_counts;
	bool off;        /* no more digests for this file */
	bool failed;     /* out of memory: the writer must stop */
	uint32_t budget; /* DGST bytes in millionths of event bytes; 0: the default */
};

/* digest_book_add - adds the written event block @ordinal: @info describes it, @size is its size in
 * bytes, @d its digest, which is changed, or NULL. */
void digest_book_add(struct digest_book *b, const struct format_block *info, uint32_t ordinal,
		     uint64_t size, struct block_digest *d);
/* digest_book_record - notes a task record that is in the file, or will be. */
void digest_book_record(struct digest_book *b, const struct cdict_task_event *ev);
/* digest_book_take - appends the content of a DGST block to @out; false when none is due. @last: it
 * is the file's last one. */
bool digest_book_take(struct digest_book *b, struct buf *out, bool last);
/* digest_book_view - appends what digest_book_take() would if the file ended here; @b is unchanged. */
bool digest_book_view(const struct digest_book *b, struct buf *out);
/* digest_book_stored - notes that the DGST block was written, with @size bytes. */
void digest_book_stored(struct digest_book *b, uint64_t size);
void digest_book_fini(struct digest_book *b);

#endif
