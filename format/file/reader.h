/* SPDX-License-Identifier: LGPL-2.1-only */
/* reader.h - the inside of an open cdict, shared by reader*.c, get.c, events.c. */
#ifndef FORMAT_FILE_READER_H
#define FORMAT_FILE_READER_H

#include <pthread.h>

#include "base/memory/array.h"
#include "base/memory/stringset.h"
#include "cdict/reader.h"
#include "format/file/container.h"
#include "format/file/stacks.h"

struct reader_pair {
	char *key;   /* owned; the value is stored after it */
	char *value; /* latest of the key */
};

/* A GDAT block, at byte @at. */
struct reader_guest_part {
	uint64_t at, offset;
	uint32_t size; /* of its payload, which is escaped */
};

struct reader_guest {
	uint32_t number;
	ARRAY(struct reader_pair) info;
	ARRAY(struct reader_guest_part) parts;
	uint64_t bytes;              /* of its file, at most */
	struct cdict_reader *reader; /* once it is opened, or added */
};

enum { READER_SPARES = 4 };

struct cdict_reader {
	const uint8_t *data;
	size_t size;
	void *mapped; /* munmap() */
	void *owned;  /* free() */
	bool piped;   /* it was standard input */

	struct cdict_schema *schema;
	ARRAY(struct reader_pair) info;
	ARRAY(struct cdict_task_event) tasks;
	ARRAY(struct cdict_loss) losses;
	ARRAY(struct cdict_late) late;
	ARRAY(struct cdict_label) labels;
	ARRAY(struct cdict_unstored) unstored;
	ARRAY(struct cdict_block_info) blocks;
	ARRAY(uint32_t) ordinals; /* per block: its number in the file */
	ARRAY(uint64_t) digests;  /* where DGST blocks are */
	ARRAY(struct reader_guest) guests;
	uint8_t *block_bad;         /* per block: already counted as damaged */
	struct stack_table *stacks; /* NULL if there are none */
	struct stringset texts;     /* every string given out, but INFO's */
	uint32_t info_rows;         /* of INFO, with those that were replaced */
	uint64_t room;              /* bytes that rows and texts may still take */
	bool no_memory;             /* for a row or text of the block being read */
	bool no_room;               /* for one: the block holds more than such a file can have */
	uint64_t *type_events; /* by type, FORMAT_MAX_TYPES of them, of the blocks counted so far */
	uint64_t events, first_ns, last_ns;
	uint64_t lost_ns; /* latest end of a loss; 0: none */
	uint32_t cpus;

	uint64_t blocks_read;                        /* calls of reader_block(), by any thread */
	size_t counted;                              /* blocks whose types are in type_events */
	pthread_mutex_t counting;                    /* of both; held before @lock */
	pthread_mutex_t lock;                        /* of damage and block_bad */
	struct format_decoder *spare[READER_SPARES]; /* under @lock, too */
	unsigned n_spare;
	struct cdict_damage damage;
	uint64_t first_at; /* byte that damage.first is about */
};

/* --- reader.c --- */

/* reader_take - like cdict_reader_parse(), but takes @data, also on failure. */
int reader_take(struct cdict_reader **out, void *data, size_t size, struct cdict_error *err);

/* reader_add_block - adds an event block of @size bytes with its header.  0 or -ENOMEM. */
int reader_add_block(struct cdict_reader *r, uint64_t at, uint32_t ordinal, uint64_t size,
		     const struct format_block *info, struct cdict_error *err);

/* --- reader_index.c --- */

/* reader_trailer - whether the trailer is good; *index_at: where it says that the index is. */
bool reader_trailer(const struct cdict_reader *r, uint64_t *index_at);
/* reader_by_index - reads all blocks but those of events, which the index describes.  0; 1: the index is missing
 * or does not fit the file, nothing was read; or -ENOMEM. */
int reader_by_index(struct cdict_reader *r, struct codec *codec, struct cdict_error *err);
/* reader_check_index - compares the rows of the index at byte @index_at with the blocks that were found.  0 or
 * -ENOMEM. */
int reader_check_index(struct cdict_reader *r, struct codec *codec, uint64_t index_at,
		       struct cdict_error *err);

/* --- decoders.c --- */

/* reader_decoder - a decoder of event blocks; NULL when out of memory. reader_decoder_done - takes it back. */
struct format_decoder *reader_decoder(struct cdict_reader *r);
void reader_decoder_done(struct cdict_reader *r, struct format_decoder *dec);
void reader_decoders_fini(struct cdict_reader *r);

/* --- reader_small.c --- */

/* reader_small_block - reads the block at byte @at, which holds no events, into @r; a bad one
 * is noted as damage.  0 or -ENOMEM. */
int reader_small_block(struct cdict_reader *r, struct codec *codec, uint64_t at,
		       const struct container_header *h, struct cdict_error *err);

/* --- reader_damage.c --- */

/* reader_note - keeps the message if it is the first about damage; it concerns byte @at. */
void reader_note(struct cdict_reader *r, uint64_t at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* reader_note_events - counts the events of @b, a block that cannot be read, as damaged; @b comes
 * from the index or from the block's head. */
void reader_note_events(struct cdict_reader *r, const struct cdict_block_info *b, const char *why);
/* reader_head - the header of event block @i; false if it is damaged, which is noted. */
bool reader_head(struct cdict_reader *r, size_t i, struct container_header *h);
/* reader_block - the payload of event block @i after checking its CRC; a bad one
 * is noted as damage. Borrowed from the file. */
int reader_block(struct cdict_reader *r, size_t i, const uint8_t **payload, size_t *size,
		 struct cdict_error *err);
/* reader_blocks_read - the number of calls of reader_block() so far. */
uint64_t reader_blocks_read(const struct cdict_reader *r);
/* reader_stacks - the stacks of block @i's events: how many (*stacks is given, NULL when it
 * has none), or -ENOMEM. Damage is noted and counts as none. */
int reader_stacks(struct cdict_reader *r, size_t i, uint32_t **stacks);
/* reader_block_bad - notes that block @i could not be read, because of @why. */
void reader_block_bad(struct cdict_reader *r, size_t i, const char *why);

#endif
