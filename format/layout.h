/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * layout.h - the constants of the cdict file. doc/cdict.5 is the normative text.
 */
#ifndef FORMAT_LAYOUT_H
#define FORMAT_LAYOUT_H

#include <stdint.h>

/* File header: 8 bytes magic, u16 major, u16 minor, u32 CRC of the 12 before. */
#define FORMAT_MAGIC                                                                               \
	"\x89"                                                                                     \
	"CDICT"                                                                                    \
	"\r\n"
#define FORMAT_MAGIC_SIZE 8
#define FORMAT_HEADER_SIZE 16
/* A reader refuses another major; a minor adds blocks, columns and INFO keys. */
#define FORMAT_MAJOR 1
#define FORMAT_MINOR 1

/* Block header, little-endian:
 *	u32 sync, u32 type, u32 payload bytes, u32 ordinal,
 *	u32 CRC of the payload, u32 CRC of the 20 bytes before */
#define FORMAT_SYNC 0x1eb10cdcu
#define FORMAT_BLOCK_HEADER_SIZE 24
#define FORMAT_BLOCK_MAX (256u << 20)

#define FORMAT_FOURCC(a, b, c, d)                                                                  \
	((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

enum format_block_type {
	FORMAT_INFO = FORMAT_FOURCC('I', 'N', 'F', 'O'),   /* key/value text */
	FORMAT_SCHEMA = FORMAT_FOURCC('S', 'C', 'H', 'M'), /* event types */
	FORMAT_EVENTS = FORMAT_FOURCC('E', 'V', 'N', 'T'), /* one CPU's events */
	FORMAT_TASKS = FORMAT_FOURCC('T', 'A', 'S', 'K'),  /* birth, names, death of tasks */
	FORMAT_LOSSES = FORMAT_FOURCC('L', 'O', 'S', 'S'),
	FORMAT_LABELS = FORMAT_FOURCC('L', 'A', 'B', 'L'),       /* names given to tasks */
	FORMAT_UNSTORED = FORMAT_FOURCC('S', 'K', 'I', 'P'),     /* input that was not stored */
	FORMAT_STACKS = FORMAT_FOURCC('S', 'T', 'A', 'K'),       /* frames and stacks */
	FORMAT_STACK_EVENTS = FORMAT_FOURCC('S', 'T', 'E', 'V'), /* which event has which stack */
	FORMAT_DIGEST = FORMAT_FOURCC('D', 'G', 'S', 'T'),       /* digests of event blocks */
	FORMAT_GUEST = FORMAT_FOURCC('G', 'U', 'E', 'S'),        /* a guest's recording */
	FORMAT_GUEST_PART = FORMAT_FOURCC('G', 'D', 'A', 'T'),   /* bytes of its file */
	FORMAT_INDEX = FORMAT_FOURCC('I', 'N', 'D', 'X'),        /* event blocks; the last block */
};

/* Trailer, the file's last 16 bytes: u64 offset of the index block, u32 CRC of
 * those 8, u32 FORMAT_END. */
#define FORMAT_END FORMAT_FOURCC('C', 'D', 'N', 'D')
#define FORMAT_TRAILER_SIZE 16

/* Events that a writer puts into a block: to read 10 ms of a capture, a block is decoded from its start. Measured with
 * 16 Ki and 24 Ki: 3.039 and 2.999 bytes per event (8 M of perf bench sched messaging); 13.1 and 15.7 ms of CPU time
 * to read 10 ms (8 M events of four CPUs with 40 vCPUs). */
#define FORMAT_BLOCK_FILL 24576u
/* Events at the start of a block on which the rows of the cut before it may rely (DGST); less than FORMAT_BLOCK_FILL. */
#define FORMAT_BLOCK_EARLY 512u

/* Limits a reader may rely on. */
#define FORMAT_BLOCK_EVENTS 65536u
#define FORMAT_MAX_TYPES 4096u
#define FORMAT_MAX_CPUS 65536u
#define FORMAT_MAX_FIELDS 128u
#define FORMAT_MAX_ALL_FIELDS 65536u /* of all types together */
#define FORMAT_MAX_CELLS 32u
#define FORMAT_MAX_PAYLOAD (1u << 20) /* offset and size of a field */
#define FORMAT_MAX_KEYS 4096u         /* different keys of INFO */
#define FORMAT_MAX_LABELS (1u << 22)  /* rows of LABL */
#define FORMAT_LABEL_TEXT 4096u       /* bytes of a label's text */
#define FORMAT_LABEL_FIELDS 64u       /* texts in a row of LABL */
#define FORMAT_MAX_FRAMES (1u << 22)  /* frames, and texts, of STAK */
#define FORMAT_MAX_STACKS (1u << 24)
#define FORMAT_MAX_STACK_FRAMES (1u << 26) /* of all stacks together */
#define FORMAT_MAX_GUESTS 1024u
#define FORMAT_GUEST_KEYS 64u
#define FORMAT_STACK_DEPTH 8192u
#define FORMAT_STACK_TEXT 4096u /* bytes of a symbol's or object's name */
/* FOLLOW distinguishes the previous event's type by its number in the block's list of types;
 * this number, higher ones and the block's start count as one. */
#define FORMAT_FOLLOWED 15u

/* Row of a LOSS block that is not a loss: an event that perf delivers late (from_ns: its
 * time, to_ns: the later time that came before it). Other values are enum cdict_loss_what. */
#define FORMAT_LOSS_LATE 5u

/* A block with at most this many types has the kinds of two events in a byte, the first in the
 * low half. */
#define FORMAT_PAIRED 16u

/* Models: how a field's value is predicted (cdict(5), "Models"). */
enum format_model {
	FORMAT_LAST = 0,     /* the field's own previous value in the block */
	FORMAT_TIME = 1,     /* the previous event's time; the residual is unsigned */
	FORMAT_CURRENT = 2,  /* the task that runs on the CPU */
	FORMAT_NEXT = 3,     /* task that followed `who` the last times; becomes current */
	FORMAT_WAKEE = 4,    /* task woken after the one this task woke last */
	FORMAT_WOKEN = 5,    /* the task of the last WAKEE field on the CPU */
	FORMAT_TASK = 6,     /* a task: the field's own previous one */
	FORMAT_SAMETASK = 7, /* a task: that of the task field `who` */
	FORMAT_CELL = 8,     /* cell `cell` of task `who` */
	FORMAT_PROCESS = 9,  /* the same; before the first value: the tid of `who` */
	FORMAT_ELAPSED = 10, /* time since the CPU last accounted a task's run time */
	FORMAT_SUM = 11,     /* cell `cell` of task `who` plus the value of field `arg` */
	FORMAT_SINCE = 12,   /* time since task `who` was switched out on this CPU */
	FORMAT_CONTEXT = 13, /* the value that followed the same previous value of the same task */
	FORMAT_FOLLOW = 14,  /* the field's value when the event before was of the same type */
	FORMAT_MODELS
};

static inline int format_model_is_task(unsigned kind)
{
	return kind >= FORMAT_CURRENT && kind <= FORMAT_SAMETASK;
}

/* Every event starts with four fields of the sample, before the recorded ones. */
enum format_sample_field {
	FORMAT_F_TIME,
	FORMAT_F_TID,
	FORMAT_F_PID,
	FORMAT_F_MODE,
	FORMAT_F_SAMPLE
};

/* Column encodings. */
enum format_coding {
	FORMAT_C_DELTA = 0,  /* value - prediction, modulo 2^64 */
	FORMAT_C_SIGNED = 1, /* the same, zigzag */
	FORMAT_C_RAW = 2,    /* the value */
	FORMAT_C_DICT = 3,   /* index into the column's table of values */
	FORMAT_C_CODE = 4,   /* task code or key of bytes, LEB128 */
};
#define FORMAT_DENSE 0x80u  /* or'ed to the coding: a symbol for every event */
#define FORMAT_SYM_HIT 128u /* symbol of a dense numeric column: as predicted */

/* Columns before those of the fields. */
enum format_column {
	FORMAT_COL_KIND = 0,      /* index into the block's types: one byte per event, or, with
			      * at most FORMAT_PAIRED types, two events in a byte */
	FORMAT_COL_TIDS = 1,      /* tids of the block's tasks, zigzag LEB128 deltas */
	FORMAT_COL_BYTES_LEN = 2, /* lengths of the block's strings, LEB128 */
	FORMAT_COL_BYTES = 3,     /* their bytes */
	FORMAT_COL_ORDER = 4,     /* the recorder's passes: (events, pass delta) pairs */
	FORMAT_COL_FIELDS = 5,
};

enum format_codec { FORMAT_STORED = 0, FORMAT_DEFLATE = 1 };

/* Streams 0 (bits, stored) and 1 (small parts, deflated together) always exist. */
#define FORMAT_STREAM_BITS 0u
#define FORMAT_STREAM_POOL 1u

#endif
