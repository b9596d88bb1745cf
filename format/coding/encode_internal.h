/* SPDX-License-Identifier: LGPL-2.1-only */
/* encode_internal.h - the encoder's parts: tables, fields, blocks. */
#ifndef FORMAT_CODING_ENCODE_INTERNAL_H
#define FORMAT_CODING_ENCODE_INTERNAL_H

#include "format/coding/columns.h"
#include "format/coding/encode.h"
#include "format/coding/state.h"
#include "format/digest.h"

/* A byte string of the block; texts up to 16 bytes can be compared as two words. */
struct entry {
	uint64_t word[2];
	uint32_t at, len; /* in encoder.text */
	/* Its words are all of it and identify it: it does not end in a NUL. */
	bool is_word;
};

struct adding;

/* State of one event type within a block. */
struct encode_type {
	void (*add)(struct adding *a);   /* codes its fields, and takes notes for a digest */
	void (*shape)(struct adding *a); /* codes its fields */
	struct digest_fields digest;
	uint32_t wakee_cpu;     /* of a type with a WAKEE: offset of its CPU in the payload */
	struct column *columns; /* one per coded field */
	struct numbers times;   /* time since the previous event */
	uint32_t events;        /* in this block */
	uint32_t local;         /* its number in this block, when it has events */
	const struct format_type *t;
	uint32_t payload_size; /* of t */
	/* Number of fields from the first to the last without a fixed place; of a single one, the
	 * offset of its u32 and the base of the offset in that. */
	uint32_t n_dynamic, dynamic_at, dynamic_base;
	bool big;
	uint32_t followed; /* the smaller of local and FORMAT_FOLLOWED */
	/* Payload bytes 0..3 of the last event of the type that followed the same one. */
	uint32_t heads[FORMAT_FOLLOWED + 1];
};

/* One event on its way through the fields. */
struct adding {
	struct format_encoder *enc;
	const struct format_type *t;
	struct encode_type *type;
	uint32_t at; /* number of the event within its type */
	const uint8_t *payload;
	size_t size; /* of the payload */
	uint64_t row[FORMAT_F_SAMPLE + FORMAT_MAX_FIELDS];
};

struct format_encoder {
	const struct cdict_schema *schema;
	struct state st;
	struct adding adding;
	struct column_sink sink;
	struct encode_type *types; /* by index in the schema */
	uint32_t n_types;
	uint32_t used[UINT8_MAX + 1]; /* types by their number in the block */
	uint32_t n_used;

	uint8_t *kinds;
	uint32_t n;
	uint32_t cpu;
	uint64_t first_ns, last_ns;
	struct buf order;
	uint32_t order_at, order_last;

	struct entry *entries;
	uint32_t n_entries, cap_entries;
	struct buf text;
	struct buf pool;      /* stream 1, deflated */
	struct buf odd;       /* a dynamic string in its stored form, when that is longer */
	uint32_t *entry_hash; /* 1 + index */
	uint32_t entry_slots;
	uint32_t *tid_hash; /* 1 + task */
	uint32_t tid_slots;
	uint32_t foreign; /* of format_block */

	/* The block's digest, by task like the rows of st. */
	struct block_task *digests;
	uint32_t cap_digests;
	bool digested;       /* the block's types have one */
	bool wakeup_counts;  /* there is no sched_waking */
	bool taken_over;     /* a thread that called exec took another's tid */
	bool switched;       /* there was a switch */
	uint32_t first_prev; /* of the first switch */
	uint64_t first_switch_ns, switch_ns;
	uint32_t left; /* switched in at left_ns; a later sample is of another */
	uint64_t left_ns;
	uint64_t missing; /* switches */
	uint64_t early_ns;
	bool failed;
};

/* encode_tables.c: the block's tasks and strings */
bool encode_tables_reset(struct format_encoder *enc);
void encode_tables_fini(struct format_encoder *enc);
uint32_t encode_task(struct format_encoder *enc, int32_t tid); /* or STATE_NONE */
uint32_t encode_key(struct format_encoder *enc, const uint8_t *p, size_t n);

/* digest_collect.c */
/* Choose the notes to keep of type @at of enc->types; start a block's notes of a type. */
void digest_type(struct format_encoder *enc, uint32_t at);
void digest_type_begin(struct encode_type *et);
/* A task was added to enc->st; false: out of memory. */
bool digest_task_add(struct format_encoder *enc);
/* The block has its first FORMAT_BLOCK_EARLY events. */
void digest_note_early(struct format_encoder *enc);
/* Notes a sample of @task while @before was current. */
void digest_note_sample(struct format_encoder *enc, uint32_t task, uint32_t before);
/* Notes a switch whose prev was not the current task. */
void digest_note_prev(struct format_encoder *enc, uint32_t prev);

/* encode_fields.c */
uint64_t encode_scalar(const uint8_t *p, unsigned size, bool is_signed, bool big);
/* Whether every dynamic field of the payload lies inside it. */
bool encode_dynamic_fits(const struct format_type *t, const uint8_t *payload, size_t size,
			 bool big);
/* The function for the fields of events of type @t. */
void (*encode_shape(const struct format_type *t, bool big))(struct adding *a);
/* Code a sample's task or value that is not as predicted. */
uint32_t encode_add_task(struct adding *a, const struct format_field *f, int32_t tid);
void encode_add_value(struct adding *a, const struct format_field *f, uint64_t v);

#endif
