/* SPDX-License-Identifier: LGPL-2.1-only */
/* Opening a cdict: the file, and the walk over its blocks. */
#include "format/file/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/tracedat.h"
#include "format/coding/decode.h"
#include "format/file/guests.h"

int reader_add_block(struct cdict_reader *r, uint64_t at, uint32_t ordinal, uint64_t size,
		     const struct format_block *info, struct cdict_error *err)
{
	struct cdict_block_info *b;

	if (array_push(&r->ordinals, ordinal) || !(b = array_add(&r->blocks)))
		return cdict_fail_nomem(err);
	*b = (struct cdict_block_info){ at,           size,           info->cpu,
					info->events, info->first_ns, info->last_ns };
	return 0;
}

static int add_block(struct cdict_reader *r, uint64_t at, const struct container_header *h,
		     struct cdict_error *err)
{
	struct format_block info;

	/* The head of the payload is trusted for now; its CRC is checked on reading. */
	if (!format_block_peek(r->data + at + FORMAT_BLOCK_HEADER_SIZE, h->size, &info, NULL, 0,
			       NULL))
		return reader_add_block(r, at, h->ordinal, h->size + FORMAT_BLOCK_HEADER_SIZE,
					&info, err);
	r->damage.blocks++;
	reader_note(r, at, "event block at byte %" PRIu64 " is damaged", at);
	return 0;
}

/* Walks the blocks from the front. *index_at: where the index block was, or 0. */
static int scan(struct cdict_reader *r, struct codec *codec, uint64_t *index_at,
		struct cdict_error *err)
{
	uint64_t at = FORMAT_HEADER_SIZE;
	uint32_t ordinal = 0;
	int ret;

	*index_at = 0;
	r->damage.cut_at = at;
	while (at < r->size) {
		struct container_header h;
		uint64_t left = r->size - at;

		if (*index_at && left == FORMAT_TRAILER_SIZE)
			return 0;
		if (left < FORMAT_BLOCK_HEADER_SIZE || !container_header_read(r->data + at, &h)) {
			uint64_t next = left < FORMAT_BLOCK_HEADER_SIZE
						? r->size
						: container_resync(r->data, r->size, at + 1);

			r->damage.skipped_bytes += next - at;
			reader_note(r, at, "%" PRIu64 " bytes at byte %" PRIu64 " are not a block",
				    next - at, at);
			at = next;
			continue;
		}
		if (h.size > left - FORMAT_BLOCK_HEADER_SIZE) {
			reader_note(r, at,
				    "block at byte %" PRIu64 " needs %u bytes, %" PRIu64
				    " are left",
				    at, h.size, left - FORMAT_BLOCK_HEADER_SIZE);
			return 0;
		}
		if (h.ordinal != ordinal) {
			r->damage.blocks += h.ordinal > ordinal ? h.ordinal - ordinal : 1;
			reader_note(r, at, "block %u is missing before byte %" PRIu64, ordinal, at);
		}
		ordinal = h.ordinal + 1;
		if (h.type == FORMAT_EVENTS)
			ret = add_block(r, at, &h, err);
		else
			ret = reader_small_block(r, codec, at, &h, err);
		if (ret)
			return ret;
		if (h.type == FORMAT_INDEX &&
		    codec_crc(r->data + at + FORMAT_BLOCK_HEADER_SIZE, h.size) == h.payload_crc)
			*index_at = at;
		at += FORMAT_BLOCK_HEADER_SIZE + h.size;
		r->damage.cut_at = at;
	}
	return 0;
}

/* Reads a file whose index is missing or does not fit. */
static int scan_all(struct cdict_reader *r, struct codec *codec, struct cdict_error *err)
{
	uint64_t index_at, end_at;
	int ret = scan(r, codec, &index_at, err);

	if (!ret && index_at)
		ret = reader_check_index(r, codec, index_at, err);
	if (!ret && (!index_at || !reader_trailer(r, &end_at) || end_at != index_at)) {
		r->damage.cut = true;
		reader_note(r, r->size, "is truncated at byte %" PRIu64 ": its end is missing",
			    (uint64_t)r->size);
	}
	return ret;
}

static void sum_up(struct cdict_reader *r)
{
	const char *topology = cdict_reader_info(r, "topology.core");

	r->first_ns = UINT64_MAX;
	for (size_t i = 0; i < r->blocks.n; i++) {
		const struct cdict_block_info *b = &r->blocks.at[i];

		r->events += b->events;
		if (b->first_ns < r->first_ns)
			r->first_ns = b->first_ns;
		if (b->last_ns > r->last_ns)
			r->last_ns = b->last_ns;
		if (b->cpu != CDICT_CPU_UNKNOWN && b->cpu >= r->cpus)
			r->cpus = b->cpu + 1;
	}
	if (topology) {
		uint32_t n = 1;

		for (; *topology && n <= FORMAT_MAX_CPUS; topology++)
			n += *topology == ',';
		if (n > r->cpus && n <= FORMAT_MAX_CPUS)
			r->cpus = n;
	}
	r->damage.input_damaged = cdict_reader_info(r, "input.damage") != NULL;
}

static int open_data(struct cdict_reader *r, struct cdict_error *err)
{
	struct codec *codec;
	int ret;

	if (!r->size)
		return cdict_fail_empty(err, r->piped ? "-" : "");
	if (tracedat_is(r->data, r->size))
		return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
				  "is a trace.dat of trace-cmd: convert it with 'cdict convert'");
	if (r->size < FORMAT_HEADER_SIZE || memcmp(r->data, FORMAT_MAGIC, FORMAT_MAGIC_SIZE))
		return cdict_fail(err, CDICT_EFORMAT, 0,
				  "is not a cdict file: its first bytes are not the cdict magic%s",
				  r->size >= 8 && (!memcmp(r->data, "PERFILE2", 8) ||
						   !memcmp(r->data, "2ELIFREP", 8))
					  ? " but perf's: convert it with 'cdict convert'"
					  : "");
	if (codec_crc(r->data, 12) != le32(r->data + 12))
		return cdict_fail(err, CDICT_ECORRUPT, 8, "file header is damaged");
	if ((le32(r->data + 8) & 0xffff) != FORMAT_MAJOR)
		return cdict_fail(err, CDICT_EVERSION, 8,
				  "has format version %u.%u, this reader supports %u.x",
				  le32(r->data + 8) & 0xffff, le32(r->data + 8) >> 16,
				  FORMAT_MAJOR);
	r->room = ((uint64_t)24 << 20) + 7 * (uint64_t)r->size;
	codec = codec_new();
	r->type_events = calloc(FORMAT_MAX_TYPES, sizeof(*r->type_events));
	if (!codec || !r->type_events) {
		codec_free(codec);
		return cdict_fail_nomem(err);
	}
	ret = reader_by_index(r, codec, err);
	if (ret > 0)
		ret = scan_all(r, codec, err);
	codec_free(codec);
	if (ret)
		return ret;
	if (!r->schema) {
		r->schema = cdict_schema_new(false, 8, 4096);
		if (!r->schema)
			return cdict_fail_nomem(err);
	}
	r->block_bad = calloc(r->blocks.n ? r->blocks.n : 1, 1);
	if (!r->block_bad)
		return cdict_fail_nomem(err);
	sum_up(r);
	return 0;
}

static struct cdict_reader *reader_new(void)
{
	struct cdict_reader *r = calloc(1, sizeof(*r));

	if (r) {
		pthread_mutex_init(&r->lock, NULL);
		pthread_mutex_init(&r->counting, NULL);
	}
	return r;
}

static int finish_open(struct cdict_reader **out, struct cdict_reader *r, int ret,
		       struct cdict_error *err)
{
	if (!ret)
		ret = open_data(r, err);
	if (ret) {
		cdict_reader_close(r);
		return ret;
	}
	*out = r;
	return 0;
}

int cdict_reader_parse(struct cdict_reader **out, const void *data, size_t size,
		       struct cdict_error *err)
{
	struct cdict_reader *r = reader_new();

	*out = NULL;
	if (!r)
		return cdict_fail_nomem(err);
	r->data = data;
	r->size = size;
	return finish_open(out, r, 0, err);
}

int reader_take(struct cdict_reader **out, void *data, size_t size, struct cdict_error *err)
{
	struct cdict_reader *r = reader_new();

	*out = NULL;
	if (!r) {
		free(data);
		return cdict_fail_nomem(err);
	}
	r->owned = data;
	r->data = data;
	r->size = size;
	return finish_open(out, r, 0, err);
}

/* Reads a pipe, or another file that cannot be mapped. */
static int read_all(struct cdict_reader *r, int fd, struct cdict_error *err)
{
	struct buf b = { 0 };
	ssize_t n = 0;

	do {
		uint8_t *room = buf_room(&b, 1 << 20);

		if (!room)
			break;
		n = read(fd, room, 1 << 20);
		if (n > 0)
			b.len += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	r->owned = b.data;
	r->data = b.data;
	r->size = b.len;
	if (b.failed)
		return cdict_fail_nomem(err);
	return n < 0 ? cdict_fail_errno(err, "cannot be read") : 0;
}

int cdict_reader_open(struct cdict_reader **out, const char *path, struct cdict_error *err)
{
	struct cdict_reader *r = reader_new();
	int fd = STDIN_FILENO, ret = 0;
	struct stat st;

	*out = NULL;
	if (!r)
		return cdict_fail_nomem(err);
	r->piped = !strcmp(path, "-");
	if (!r->piped)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0) {
		ret = cdict_fail_errno(err, "cannot be opened");
	} else if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		ret = cdict_fail_errno(err, "cannot be opened");
	} else if (S_ISREG(st.st_mode) && st.st_size > 0) {
		r->mapped = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (r->mapped == MAP_FAILED) {
			r->mapped = NULL;
			ret = read_all(r, fd, err);
		} else {
			r->data = r->mapped;
			r->size = (size_t)st.st_size;
		}
	} else {
		ret = read_all(r, fd, err);
	}
	if (fd > STDIN_FILENO)
		close(fd);
	return finish_open(out, r, ret, err);
}

void cdict_reader_close(struct cdict_reader *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->info.n; i++)
		free(r->info.at[i].key);
	stringset_fini(&r->texts);
	array_fini(&r->info);
	array_fini(&r->tasks);
	array_fini(&r->losses);
	array_fini(&r->late);
	array_fini(&r->labels);
	array_fini(&r->unstored);
	array_fini(&r->blocks);
	array_fini(&r->ordinals);
	array_fini(&r->digests);
	reader_guests_fini(r);
	reader_decoders_fini(r);
	free(r->block_bad);
	stack_table_free(r->stacks);
	free(r->type_events);
	cdict_schema_free(r->schema);
	if (r->mapped)
		munmap(r->mapped, r->size);
	free(r->owned);
	pthread_mutex_destroy(&r->lock);
	pthread_mutex_destroy(&r->counting);
	free(r);
}
