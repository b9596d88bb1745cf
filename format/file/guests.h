/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * guests.h - recordings of guests inside a host's cdict: GUES and GDAT blocks (cdict(5)).
 *
 * A guest's recording is a whole file that its tenant made: nothing in it is read until
 * reader_guest_open(), and then only by a reader of its own, with the limits of its own size.
 *
 * Ownership  texts and readers are borrowed and die with the host's reader
 */
#ifndef FORMAT_FILE_GUESTS_H
#define FORMAT_FILE_GUESTS_H

#include "base/memory/buf.h"
#include "cdict/reader.h"

#define GUEST_PART (1u << 20) /* bytes of a guest's file in a block */

/* Keys of a guest. */
#define GUEST_VM "vm"
#define GUEST_PID "pid" /* of the VM's process on the host */
#define GUEST_FOUND "found"
#define GUEST_CLOCK "clock.knots"
#define GUEST_CLOCK_METHOD "clock.method"
#define GUEST_CLOCK_ERROR "clock.error_ns"

size_t reader_guest_count(const struct cdict_reader *r);
/* reader_guest_info - the value of @key of guest @i, or NULL. Untrusted text. */
const char *reader_guest_info(const struct cdict_reader *r, size_t i, const char *key);
/* reader_guest_bytes - of its file; at most, before it is opened. */
uint64_t reader_guest_bytes(const struct cdict_reader *r, size_t i);
/* reader_guest_open - the guest's recording, opened once; 0 or a negative code with *err filled. */
int reader_guest_open(struct cdict_reader **out, struct cdict_reader *r, size_t i,
		      struct cdict_error *err);
/* reader_guest_is_added - whether it was added, and is not in the file. */
bool reader_guest_is_added(const struct cdict_reader *r, size_t i);
/* reader_guest_add - a guest that is not in the file: takes @guest, also on failure. reader_guest_set
 * - a value of the guest added last. 0 or -ENOMEM. */
int reader_guest_add(struct cdict_reader *r, struct cdict_reader *guest);
int reader_guest_set(struct cdict_reader *r, const char *key, const char *value);

/* --- for the reader --- */

void reader_guests_fini(struct cdict_reader *r);
/* reader_guest_head, reader_guest_part - the content of a GUES block, and the payload of a GDAT block
 * at byte @at; 0, CDICT_ECORRUPT, CDICT_ELIMIT or -ENOMEM. */
int reader_guest_head(struct cdict_reader *r, const void *data, size_t size);
int reader_guest_part(struct cdict_reader *r, uint64_t at, const uint8_t *payload, size_t size);

/* --- for writers --- */

/* guest_head_write - the content of the GUES block of guest @i, which was added. guest_part_write -
 * the payload of a GDAT block with up to GUEST_PART bytes of its file from @offset on. */
void guest_head_write(struct buf *out, const struct cdict_reader *r, size_t i);
void guest_part_write(struct buf *out, const struct cdict_reader *r, size_t i, uint64_t offset);

#endif
