/* SPDX-License-Identifier: LGPL-2.1-only */
/* Block headers and the small blocks; cdict(5). */
#include "format/file/container.h"

#include <errno.h>
#include <stdlib.h>

void container_header_write(uint8_t out[FORMAT_BLOCK_HEADER_SIZE], const struct container_header *h)
{
	put_le32(out, FORMAT_SYNC);
	put_le32(out + 4, h->type);
	put_le32(out + 8, h->size);
	put_le32(out + 12, h->ordinal);
	put_le32(out + 16, h->payload_crc);
	put_le32(out + 20, codec_crc(out, 20));
}

bool container_header_read(const uint8_t *at, struct container_header *h)
{
	if (le32(at) != FORMAT_SYNC || le32(at + 20) != codec_crc(at, 20))
		return false;
	*h = (struct container_header){ le32(at + 4), le32(at + 8), le32(at + 12), le32(at + 16) };
	return h->size <= FORMAT_BLOCK_MAX;
}

uint64_t container_resync(const uint8_t *data, uint64_t size, uint64_t at)
{
	struct container_header h;

	for (; size - at >= FORMAT_BLOCK_HEADER_SIZE; at++) {
		const uint8_t *p = memchr(data + at, FORMAT_SYNC & 0xff,
					  size - at - FORMAT_BLOCK_HEADER_SIZE + 1);

		if (!p)
			break;
		at = (uint64_t)(p - data);
		if (container_header_read(p, &h))
			return at;
	}
	return size;
}

void container_file_header(uint8_t out[FORMAT_HEADER_SIZE])
{
	memcpy(out, FORMAT_MAGIC, FORMAT_MAGIC_SIZE);
	put_le32(out + 8, FORMAT_MAJOR | FORMAT_MINOR << 16);
	put_le32(out + 12, codec_crc(out, 12));
}

void container_trailer(uint8_t out[FORMAT_TRAILER_SIZE], uint64_t index_offset)
{
	put_le32(out, (uint32_t)index_offset);
	put_le32(out + 4, (uint32_t)(index_offset >> 32));
	put_le32(out + 8, codec_crc(out, 8));
	put_le32(out + 12, FORMAT_END);
}

void container_pack(struct codec *codec, const struct buf *raw, struct buf *out)
{
	size_t at = out->len;

	buf_u8(out, FORMAT_DEFLATE);
	buf_varint(out, raw->len);
	if (codec_deflate(codec, CODEC_TEXT, raw->data, raw->len, out) || out->failed)
		return;
	out->data[at] = FORMAT_STORED;
	buf_add(out, raw->data, raw->len);
}

int container_unpack(struct codec *codec, const uint8_t *payload, size_t size, size_t file_size,
		     struct buf *out)
{
	struct cursor c = cursor_init(payload, size, false);
	uint8_t how = cursor_u8(&c);
	uint64_t raw = cursor_varint(&c);
	uint8_t *room;
	int ret = 0;

	if (!cursor_ok(&c) || how > FORMAT_DEFLATE || raw > FORMAT_BLOCK_MAX ||
	    (how == FORMAT_STORED ? raw != c.left : !codec_plausible(c.left, raw)))
		return CDICT_ECORRUPT;
	if (raw > ((uint64_t)16 << 20) + file_size)
		return CDICT_ELIMIT;
	room = buf_room(out, (size_t)raw + 1);
	if (!room)
		return -ENOMEM;
	if (how == FORMAT_STORED)
		memcpy(room, c.at, (size_t)raw);
	else
		ret = codec_inflate(codec, c.at, c.left, room, (size_t)raw);
	if (ret)
		return ret;
	out->len += (size_t)raw;
	return 0;
}

/* First byte of a task row: the kind, and which optional parts follow. */
enum { ROW_WHAT = 3, ROW_PID = 4, ROW_TIME = 8, ROW_PTID = 16, ROW_NEW_COMM = 32 };

/* Index of @comm among the block's comms, to which it is added; *known: it was there already. */
static uint32_t comm_index(struct task_rows *rows, const char *comm, size_t len, bool *known)
{
	uint32_t n = (uint32_t)(rows->at.len / 8);

	rows->out.failed |= rows->at.failed || rows->comms.failed;
	if (rows->out.failed)
		return 0;
	/* The latest first: threads of a process have similar names. At most 64 are tried,
	 * so that a fork storm of distinct names stays linear. */
	for (uint32_t i = n; i > 0 && i + 64 > n; i--) {
		uint32_t at = le32(rows->at.data + 8 * (i - 1));
		uint32_t size = le32(rows->at.data + 8 * (i - 1) + 4);

		if (size == len && (!len || !memcmp(rows->comms.data + at, comm, len))) {
			*known = true;
			return n - i;
		}
	}
	buf_le32(&rows->at, (uint32_t)rows->comms.len);
	buf_le32(&rows->at, (uint32_t)len);
	buf_add(&rows->comms, comm, len);
	*known = false;
	return 0;
}

void task_rows_add(struct task_rows *rows, const struct cdict_task_event *ev)
{
	bool has_comm = ev->what == CDICT_TASK_COMM || ev->what == CDICT_TASK_EXEC;
	size_t len = has_comm ? strlen(ev->comm) : 0;
	bool known = false;
	uint32_t comm = has_comm ? comm_index(rows, ev->comm, len, &known) : 0;
	unsigned flags = (unsigned)ev->what;

	flags |= ev->pid != ev->tid ? ROW_PID : 0;
	flags |= ev->t_ns != rows->t_ns ? ROW_TIME : 0;
	flags |= !has_comm && ev->ptid != ev->ppid ? ROW_PTID : 0;
	flags |= has_comm && !known ? ROW_NEW_COMM : 0;
	buf_u8(&rows->out, (uint8_t)flags);
	buf_svarint(&rows->out, (int64_t)ev->tid - rows->tid);
	if (flags & ROW_PID)
		buf_svarint(&rows->out, (int64_t)ev->pid - ev->tid);
	if (flags & ROW_TIME)
		buf_svarint(&rows->out, (int64_t)(ev->t_ns - rows->t_ns));
	if (!has_comm) {
		buf_svarint(&rows->out, (int64_t)ev->ppid - rows->ppid);
		if (flags & ROW_PTID)
			buf_svarint(&rows->out, (int64_t)ev->ptid - ev->ppid);
		rows->ppid = ev->ppid;
	} else if (known) {
		buf_varint(&rows->out, comm);
	} else {
		buf_string(&rows->out, ev->comm, len);
	}
	rows->t_ns = ev->t_ns;
	rows->tid = ev->tid;
	rows->n++;
}

void task_rows_reset(struct task_rows *rows)
{
	rows->out.len = rows->comms.len = rows->at.len = 0;
	rows->t_ns = 0;
	rows->tid = rows->ppid = 0;
	rows->n = 0;
}

void task_rows_fini(struct task_rows *rows)
{
	buf_fini(&rows->out);
	buf_fini(&rows->comms);
	buf_fini(&rows->at);
}

/* Deltas of a damaged block may have any value: they wrap. */
static int32_t moved(int32_t from, struct cursor *c)
{
	return (int32_t)((uint64_t)from + (uint64_t)cursor_svarint(c));
}

int task_rows_read(const void *data, size_t size, task_text_fn keep, task_row_fn fn, void *ctx)
{
	struct cursor c = cursor_init(data, size, false);
	struct cdict_task_event ev = { 0 };
	struct buf comms = { 0 }; /* of the block so far: const char * */
	bool ok = true;
	int ret;

	while (ok && c.left) {
		unsigned flags = cursor_u8(&c);
		uint64_t n, len;

		ev.what = flags & ROW_WHAT;
		ev.tid = moved(ev.tid, &c);
		ev.pid = flags & ROW_PID ? moved(ev.tid, &c) : ev.tid;
		if (flags & ROW_TIME)
			ev.t_ns += (uint64_t)cursor_svarint(&c);
		ev.comm = NULL;
		if (ev.what == CDICT_TASK_FORK || ev.what == CDICT_TASK_EXIT) {
			ev.ppid = moved(ev.ppid, &c);
			ev.ptid = flags & ROW_PTID ? moved(ev.ppid, &c) : ev.ppid;
		} else {
			const size_t one = sizeof(ev.comm);

			if (flags & ROW_NEW_COMM) {
				len = cursor_varint(&c);
				if (len <= c.left && cursor_ok(&c))
					ev.comm = keep(ctx, cursor_take(&c, (size_t)len),
						       (size_t)len);
				if (ev.comm)
					buf_add(&comms, &ev.comm, one);
			} else {
				n = cursor_varint(&c);
				if (n < comms.len / one)
					memcpy(&ev.comm, comms.data + comms.len - one * (n + 1),
					       one);
			}
			ok = ev.comm && !comms.failed;
		}
		ok = ok && cursor_ok(&c) && fn(ctx, &ev);
	}
	ok = ok && !comms.failed;
	ret = ok ? 0 : comms.failed ? -ENOMEM : CDICT_ECORRUPT;
	buf_fini(&comms);
	return ret;
}

void loss_row_write(struct buf *out, const struct cdict_loss *loss)
{
	buf_varint(out, (uint64_t)loss->what);
	buf_varint(out, loss->cpu + 1u);
	buf_varint(out, loss->type + 1u);
	buf_varint(out, loss->from_ns);
	buf_varint(out, loss->to_ns - loss->from_ns);
	buf_varint(out, loss->count);
}

bool loss_row_read(struct cursor *c, struct cdict_loss *loss)
{
	uint64_t what = cursor_varint(c), cpu = cursor_varint(c), type = cursor_varint(c);

	loss->what = (enum cdict_loss_what)(what & 0xff);
	loss->cpu = (uint32_t)cpu - 1u;
	loss->type = (uint32_t)type - 1u;
	loss->from_ns = cursor_varint(c);
	loss->to_ns = loss->from_ns + cursor_varint(c);
	loss->count = cursor_varint(c);
	return cursor_ok(c) && what <= 0xff && cpu <= UINT32_MAX && type <= UINT32_MAX;
}

void index_row_write(struct buf *out, const struct index_row *row, uint64_t *last_ns)
{
	buf_le32(out, row->type);
	buf_varint(out, row->size);
	if (row->type != FORMAT_EVENTS)
		return;
	buf_varint(out, row->events.cpu + 1u);
	buf_varint(out, row->events.events);
	buf_svarint(out, (int64_t)(row->events.first_ns - *last_ns));
	buf_varint(out, row->events.last_ns - row->events.first_ns);
	*last_ns = row->events.last_ns;
}

bool index_row_read(struct cursor *c, struct index_row *row, uint64_t *last_ns)
{
	uint64_t cpu, events;

	row->type = cursor_u32(c);
	row->size = cursor_varint(c);
	if (row->type != FORMAT_EVENTS)
		return cursor_ok(c);
	cpu = cursor_varint(c);
	events = cursor_varint(c);
	row->events.cpu = (uint32_t)cpu - 1u;
	row->events.events = (uint32_t)events;
	row->events.first_ns = *last_ns + (uint64_t)cursor_svarint(c);
	row->events.last_ns = row->events.first_ns + cursor_varint(c);
	*last_ns = row->events.last_ns;
	return cursor_ok(c) && cpu <= UINT32_MAX && events <= FORMAT_BLOCK_EVENTS;
}
