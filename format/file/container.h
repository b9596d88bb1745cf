/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * container.h - blocks inside the file: headers, CRCs, the envelope of all blocks
 * but those of events, and their rows.
 */
#ifndef FORMAT_FILE_CONTAINER_H
#define FORMAT_FILE_CONTAINER_H

#include "base/cursor.h"
#include "base/memory/buf.h"
#include "cdict/loss.h"
#include "cdict/task.h"
#include "format/coding/codec.h"
#include "format/coding/encode.h"
#include "format/layout.h"

struct container_header {
	uint32_t type, size, ordinal, payload_crc;
};

void container_header_write(uint8_t out[FORMAT_BLOCK_HEADER_SIZE],
			    const struct container_header *h);
/* False when the bytes are not a block header. */
bool container_header_read(const uint8_t *at, struct container_header *h);

/* container_resync - offset of the first block header at or after @at, or @size. */
uint64_t container_resync(const uint8_t *data, uint64_t size, uint64_t at);

void container_file_header(uint8_t out[FORMAT_HEADER_SIZE]);
void container_trailer(uint8_t out[FORMAT_TRAILER_SIZE], uint64_t index_offset);

/* Envelope of all payloads but EVNT's: u8 codec, varint inflated size, bytes. */
void container_pack(struct codec *codec, const struct buf *raw, struct buf *out);
/* container_unpack - the inflated bytes in @out (given; free with buf_fini), or
 * CDICT_ECORRUPT / CDICT_ELIMIT / -ENOMEM. CDICT_ELIMIT: more than 16 MiB plus @file_size bytes,
 * which no block of such a file has. */
int container_unpack(struct codec *codec, const uint8_t *payload, size_t size, size_t file_size,
		     struct buf *out);

/* Rows of TASK blocks; the memory that deltas need starts empty at every block. */
struct task_rows {
	struct buf out;
	struct buf comms; /* the comms given so far: u32 offset, u32 length pairs are in @at */
	struct buf at;
	uint64_t t_ns;
	int32_t tid, ppid;
	uint32_t n;
};
void task_rows_add(struct task_rows *rows, const struct cdict_task_event *ev);
void task_rows_reset(struct task_rows *rows);
void task_rows_fini(struct task_rows *rows);

/* Reads every row. @keep makes a NUL-terminated copy of a comm, once for all rows that
 * name it (NULL: out of memory); @fn gets the rows. 0; CDICT_ECORRUPT when damaged or when
 * either of them fails; -ENOMEM. */
typedef const char *(*task_text_fn)(void *ctx, const void *data, size_t len);
typedef bool (*task_row_fn)(void *ctx, const struct cdict_task_event *ev);
int task_rows_read(const void *data, size_t size, task_text_fn keep, task_row_fn fn, void *ctx);

void loss_row_write(struct buf *out, const struct cdict_loss *loss);
bool loss_row_read(struct cursor *c, struct cdict_loss *loss);

/* One entry of the index. */
struct index_row {
	uint32_t type;
	uint64_t size;              /* with the header */
	struct format_block events; /* of EVNT blocks */
};
void index_row_write(struct buf *out, const struct index_row *row, uint64_t *last_ns);
bool index_row_read(struct cursor *c, struct index_row *row, uint64_t *last_ns);

#endif
