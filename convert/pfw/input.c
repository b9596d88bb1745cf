/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads files and pipes, gzip or plain, as text. */
#include "convert/pfw/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"

#define READ_SIZE (128u << 10)
/* Range in which a second member is searched: without one, the file is read sequentially. */
#define LOOK_SIZE (4u << 20)

/* ---- gzip members ---- */

/* Whether these ten bytes may be the start of a member (RFC 1952). */
static bool member_at(const uint8_t *p)
{
	return p[0] == 0x1f && p[1] == 0x8b && p[2] == 8 && !(p[3] & 0xe0) &&
	       (p[8] == 0 || p[8] == 2 || p[8] == 4) && (p[9] <= 13 || p[9] == 255);
}

/* The first position in [from, to) of @p[@n] where one may begin; @n: none. */
static size_t find_member(const uint8_t *p, size_t n, size_t from, size_t to)
{
	while (from < to && n - from >= 10) {
		const uint8_t *hit = memchr(p + from, 0x1f, to - from);

		if (!hit || (size_t)(hit - p) + 10 > n)
			break;
		if (member_at(hit))
			return (size_t)(hit - p);
		from = (size_t)(hit - p) + 1;
	}
	return n;
}

static int read_at(const struct pfw_input *in, struct buf *b, size_t size, uint64_t offset)
{
	uint8_t *room = buf_room(b, size + 8); /* ISA-L loads eight bytes at a time */
	ssize_t got;

	if (!room)
		return -ENOMEM;
	while (size) {
		got = in->regular ? pread(in->fd, room, size, (off_t)offset)
				  : read(in->fd, room, size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		b->len += (size_t)got;
		room += got;
		size -= (size_t)got;
		offset += (uint64_t)got;
		if (!in->regular)
			break; /* all that a pipe has now */
	}
	return 0;
}

/* Inflates the members from @begin of @raw on, up to the first that begins at @span or later. */
static int inflate_members(struct pfw_piece *piece, struct gunzip *z, struct buf *raw,
			   uint64_t offset, size_t begin, size_t span)
{
	z->next_in = raw->data + begin;
	z->avail_in = raw->len - begin;
	while (!piece->unfit) {
		uint8_t *room = buf_room(&piece->text, PFW_PIECE_TEXT);
		size_t before = raw->len, used;
		enum gunzip_state state;
		bool stuck;
		int rc;

		if (!room)
			return -ENOMEM;
		z->next_out = room;
		z->avail_out = PFW_PIECE_TEXT;
		state = gunzip_run(z);
		stuck = state == GUNZIP_MORE && z->avail_out == PFW_PIECE_TEXT;
		piece->text.len += PFW_PIECE_TEXT - z->avail_out;
		used = (size_t)(z->next_in - raw->data);
		if (state == GUNZIP_NOMEM)
			return -ENOMEM;
		piece->unfit = piece->text.len > PFW_PIECE_MEMBERS_TEXT || state == GUNZIP_DAMAGED;
		if (state == GUNZIP_END) {
			piece->to = offset + used;
			if (used >= span)
				return 0;
			gunzip_next(z);
		}
		if (raw->len - used >= 10 || piece->unfit)
			continue;
		/* The member continues after the bytes read so far. */
		rc = read_at(piece->input, raw, READ_SIZE, offset + raw->len);
		if (rc)
			return rc;
		z->next_in = raw->data + used;
		z->avail_in = raw->len - used;
		if (raw->len == before && state == GUNZIP_END)
			return 0; /* at the end of the file, or of the members */
		piece->unfit |= raw->len == before && stuck;
	}
	return 0;
}

/* Moves the text after the last newline to the next piece. */
static void cut_lines(struct buf *text, struct buf *rest)
{
	const uint8_t *newline = text->len ? memrchr(text->data, '\n', text->len) : NULL;
	size_t whole = newline ? (size_t)(newline - text->data) + 1 : 0;

	if (text->len > whole)
		buf_add(rest, text->data + whole, text->len - whole);
	text->len = whole;
}

static void pad(struct buf *text)
{
	uint8_t *room = buf_room(text, PFW_PADDING);

	if (room)
		memset(room, 0, PFW_PADDING);
}

static int members_piece(struct pfw_piece *piece)
{
	uint64_t offset = piece->number * PFW_PIECE_MEMBERS;
	struct buf raw = { 0 };
	struct gunzip z;
	size_t begin, span;
	int ret = read_at(piece->input, &raw, PFW_PIECE_MEMBERS + READ_SIZE, offset);

	span = raw.len < PFW_PIECE_MEMBERS ? raw.len : PFW_PIECE_MEMBERS;
	begin = ret ? raw.len : find_member(raw.data, raw.len, 0, span);
	piece->from = piece->to = offset + begin;
	if (!ret && begin < raw.len) {
		ret = gunzip_open(&z);
		if (!ret) {
			ret = inflate_members(piece, &z, &raw, offset, begin, span);
			gunzip_close(&z);
		}
	}
	buf_fini(&raw);
	piece->read = piece->to;
	cut_lines(&piece->text, &piece->tail);
	return ret;
}

/* ---- sequential pieces ---- */

static void note_damage(struct pfw_piece *piece, uint64_t offset, const char *what)
{
	if (!piece->damage.code)
		cdict_fail(&piece->damage, CDICT_ECORRUPT, offset, "%s", what);
}

/* Reads more of the input; false at its end. */
static bool more_raw(struct pfw_input *in, int *rc)
{
	size_t before;

	in->offset += in->at;
	in->raw.len -= in->at;
	if (in->raw.len)
		memmove(in->raw.data, in->raw.data + in->at, in->raw.len);
	in->at = 0;
	before = in->raw.len;
	*rc = read_at(in, &in->raw, READ_SIZE, in->offset + in->raw.len);
	return !*rc && in->raw.len > before;
}

/* After a member, or other bytes: skips to the start of the next one. */
static int next_member(struct pfw_piece *piece)
{
	struct pfw_input *in = piece->input;
	bool zeros = true, more = true;
	int rc = 0;

	for (;;) {
		size_t left = in->raw.len - in->at, at;

		if (left < 10 && more) {
			more = more_raw(in, &rc);
			if (rc)
				return rc;
			continue;
		}
		at = left ? find_member(in->raw.data + in->at, left, 0, left) : 0;
		/* The last bytes may be part of a member's ten. */
		if (at == left && more && left > 9)
			at = left - 9;
		for (size_t i = 0; zeros && i < at; i++)
			zeros = !in->raw.data[in->at + i];
		if (!zeros && !piece->damage.code)
			note_damage(piece, in->offset + in->at, "no gzip member begins here");
		in->at += at;
		if (in->at == in->raw.len && !more) {
			in->ended = true;
			return 0;
		}
		if (in->raw.len - in->at >= 10 && member_at(in->raw.data + in->at)) {
			in->in_member = true;
			gunzip_next(&in->z);
			return 0;
		}
	}
}

/* Inflates the next part of the members to the text. */
static int more_inflated(struct pfw_piece *piece)
{
	struct pfw_input *in = piece->input;
	enum gunzip_state state;
	uint8_t *room;
	int rc = 0;

	if (!in->in_member)
		return next_member(piece);
	if (in->at == in->raw.len && !more_raw(in, &rc)) {
		if (!rc)
			note_damage(piece, in->offset,
				    "the input is truncated within a gzip member");
		in->ended = true;
		return rc;
	}
	room = buf_room(&piece->text, PFW_PIECE_TEXT);
	if (!room)
		return -ENOMEM;
	in->z.next_in = in->raw.data + in->at;
	in->z.avail_in = in->raw.len - in->at;
	in->z.next_out = room;
	in->z.avail_out = PFW_PIECE_TEXT;
	state = gunzip_run(&in->z);
	in->at = in->raw.len - in->z.avail_in;
	piece->text.len += PFW_PIECE_TEXT - in->z.avail_out;
	if (state == GUNZIP_NOMEM)
		return -ENOMEM;
	if (state != GUNZIP_MORE)
		in->in_member = false;
	if (state == GUNZIP_DAMAGED) {
		note_damage(piece, in->offset + in->at, "a gzip member is damaged");
		/* Its line is cut off: end it, so that the text after it is another line. */
		buf_u8(&piece->text, '\n');
	}
	return 0;
}

static int more_plain(struct pfw_piece *piece)
{
	struct pfw_input *in = piece->input;
	size_t before = piece->text.len;
	int rc;

	/* The bytes that were read to detect the format. */
	if (in->raw.len) {
		buf_add(&piece->text, in->raw.data, in->raw.len);
		in->offset += in->raw.len;
		in->raw.len = 0;
		return 0;
	}
	rc = read_at(in, &piece->text, READ_SIZE, in->offset);
	in->offset += piece->text.len - before;
	in->ended = piece->text.len == before;
	return rc;
}

/* Removes a line that is too long, up to its end. */
static void skip_line(struct pfw_piece *piece)
{
	struct pfw_input *in = piece->input;
	const uint8_t *newline = piece->text.len ? memchr(piece->text.data, '\n', piece->text.len)
						 : NULL;
	size_t n = newline ? (size_t)(newline - piece->text.data) + 1 : piece->text.len;

	in->skipping = !newline;
	piece->text.len -= n;
	if (piece->text.len)
		memmove(piece->text.data, piece->text.data + n, piece->text.len);
}

static int going_piece(struct pfw_piece *piece)
{
	struct pfw_input *in = piece->input;
	struct buf *text = &piece->text;
	int rc = 0;

	buf_add(text, in->rest.data, in->rest.len);
	in->rest.len = 0;
	while (!rc) {
		if (in->skipping && text->len)
			skip_line(piece);
		/* also from the text left by the previous piece, which alone may be too long */
		if (text->len >= PFW_PIECE_TEXT && !memchr(text->data, '\n', text->len)) {
			piece->long_lines++;
			in->skipping = true;
			text->len = 0;
		}
		if (in->ended || text->len >= PFW_PIECE_TEXT)
			break;
		rc = in->gzip ? more_inflated(piece) : more_plain(piece);
	}
	if (in->ended && text->len && text->data[text->len - 1] != '\n')
		buf_u8(text, '\n');
	cut_lines(text, &in->rest);
	piece->read = in->offset + in->at;
	piece->last = in->ended;
	return rc || text->failed || in->rest.failed ? (rc ? rc : -ENOMEM) : 0;
}

void pfw_input_piece(struct pfw_piece *piece)
{
	struct pfw_input *in = piece->input;
	int rc;

	piece->text.len = piece->tail.len = 0;
	piece->unfit = piece->last = false;
	piece->long_lines = 0;
	piece->damage.code = piece->failed.code = 0;
	if (piece->member) {
		rc = members_piece(piece);
	} else {
		pthread_mutex_lock(&in->lock);
		while (in->turn != piece->number)
			pthread_cond_wait(&in->turned, &in->lock);
		pthread_mutex_unlock(&in->lock);
		rc = going_piece(piece);
		pthread_mutex_lock(&in->lock);
		in->ended |= rc != 0;
		in->turn++;
		pthread_cond_broadcast(&in->turned);
		pthread_mutex_unlock(&in->lock);
	}
	pad(&piece->text);
	if (!rc && (piece->text.failed || piece->tail.failed))
		rc = -ENOMEM;
	if (rc == -ENOMEM)
		cdict_fail_nomem(&piece->failed);
	else if (rc)
		cdict_fail(&piece->failed, rc, CDICT_NO_OFFSET, "%s", strerror(-rc));
}

int pfw_input_go_on(struct pfw_input *in, uint64_t offset, const struct buf *rest,
		    struct cdict_error *err)
{
	if (in->gzip && !in->z_open) {
		if (gunzip_open(&in->z))
			return cdict_fail_nomem(err);
		in->z_open = true;
	}
	in->members = false;
	in->raw.len = in->at = 0;
	in->offset = offset;
	in->turn = 0;
	buf_add(&in->rest, rest->data, rest->len);
	return in->rest.failed ? cdict_fail_nomem(err) : 0;
}

/* ---- the input ---- */

/* Detects the format, by its first bytes, and whether a second member is near. */
static int look(struct pfw_input *in)
{
	uint64_t size = in->regular ? LOOK_SIZE : 10;
	int rc = 0;

	while (!rc && in->raw.len < 10) {
		size_t before = in->raw.len;

		rc = read_at(in, &in->raw, 10, before);
		if (in->raw.len == before)
			break;
	}
	in->gzip = in->raw.len >= 2 && in->raw.data[0] == 0x1f && in->raw.data[1] == 0x8b;
	if (rc || !in->gzip || !in->regular || in->size <= PFW_PIECE_MEMBERS)
		return rc;
	in->raw.len = 0;
	rc = read_at(in, &in->raw, size, 0);
	in->members = !rc && find_member(in->raw.data, in->raw.len, 10, in->raw.len) < in->raw.len;
	buf_fini(&in->raw);
	in->raw = (struct buf){ 0 };
	return rc;
}

int pfw_input_open(struct pfw_input *in, const char *name, struct cdict_error *err)
{
	struct stat st;
	int rc;

	*in = (struct pfw_input){ .name = name, .fd = STDIN_FILENO };
	if (strcmp(name, "-") != 0)
		in->fd = open(name, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0 || fstat(in->fd, &st)) {
		in->fd = in->fd < 0 ? STDIN_FILENO : in->fd;
		return cdict_fail_errno(err, NULL);
	}
	pthread_mutex_init(&in->lock, NULL);
	pthread_cond_init(&in->turned, NULL);
	/* Part of standard input may have been read already. */
	in->regular = S_ISREG(st.st_mode) && in->fd != STDIN_FILENO;
	in->size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	rc = look(in);
	if (!rc && in->gzip && !in->members) {
		rc = gunzip_open(&in->z);
		in->z_open = !rc;
	}
	if (rc == -ENOMEM)
		return cdict_fail_nomem(err);
	return rc ? cdict_fail(err, rc, CDICT_NO_OFFSET, "%s", strerror(-rc)) : 0;
}

void pfw_input_close(struct pfw_input *in)
{
	if (in->fd != STDIN_FILENO)
		close(in->fd);
	in->fd = STDIN_FILENO;
	if (in->z_open)
		gunzip_close(&in->z);
	in->z_open = false;
	buf_fini(&in->raw);
	buf_fini(&in->rest);
}
