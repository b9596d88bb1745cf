/* SPDX-License-Identifier: LGPL-2.1-only */
/* Rows of LABL blocks. */
#include "format/labels/labels.h"

#include <errno.h>
#include <string.h>

#include "base/cursor.h"
#include "cdict/error.h"
#include "format/layout.h"

/* How a text is stored: none; new, its bytes follow; TEXT_KNOWN + n: the n-th latest. */
enum { TEXT_NONE = 0, TEXT_NEW = 1, TEXT_KNOWN = 2 };

/* A VM's threads are adjacent and share texts: only this many are searched, the latest first,
 * so that a million labels stay linear. */
#define LOOK_BACK 64u

static void texts_of(const struct cdict_label *l, const char *texts[LABEL_TEXTS])
{
	const char *all[LABEL_TEXTS] = {
		l->name,     l->group,   l->group_type, l->role, l->uuid,
		l->instance, l->project, l->host,       l->unit, l->cgroup
	};

	for (unsigned i = 0; i < LABEL_TEXTS; i++)
		texts[i] = all[i] ? all[i] : "";
}

static void add_text(struct label_rows *rows, const char *text, size_t len)
{
	uint32_t n = (uint32_t)(rows->at.len / 8);

	if (rows->out.failed) /* texts[] may lack text that at[] points to */
		return;
	if (!len) {
		buf_varint(&rows->out, TEXT_NONE);
		return;
	}
	for (uint32_t i = n; i > 0 && i + LOOK_BACK > n; i--) {
		uint32_t at = le32(rows->at.data + 8 * (i - 1));
		uint32_t size = le32(rows->at.data + 8 * (i - 1) + 4);

		if (size == len && !memcmp(rows->texts.data + at, text, len)) {
			buf_varint(&rows->out, TEXT_KNOWN + (n - i));
			return;
		}
	}
	buf_le32(&rows->at, (uint32_t)rows->texts.len);
	buf_le32(&rows->at, (uint32_t)len);
	buf_add(&rows->texts, text, len);
	buf_varint(&rows->out, TEXT_NEW);
	buf_string(&rows->out, text, len);
	rows->out.failed |= rows->at.failed || rows->texts.failed;
}

bool label_rows_add(struct label_rows *rows, const struct cdict_label *label)
{
	const char *texts[LABEL_TEXTS];

	texts_of(label, texts);
	for (unsigned i = 0; i < LABEL_TEXTS; i++) {
		if (strlen(texts[i]) > FORMAT_LABEL_TEXT)
			return false;
	}
	if (rows->out.failed)
		return true;
	if (!rows->n)
		buf_varint(&rows->out, LABEL_TEXTS);
	buf_u8(&rows->out, (uint8_t)label->origin);
	buf_svarint(&rows->out, (int64_t)label->tid - rows->tid);
	buf_svarint(&rows->out, (int64_t)label->pid - label->tid);
	buf_svarint(&rows->out, (int64_t)(label->start_ns - rows->start_ns));
	for (unsigned i = 0; i < LABEL_TEXTS; i++)
		add_text(rows, texts[i], strlen(texts[i]));
	rows->tid = label->tid;
	rows->start_ns = label->start_ns;
	rows->n++;
	return true;
}

/* Limits of a block in rows and in bytes: labels may have long texts. */
#define ROWS_MAX 8192u
#define BYTES_MAX (4u << 20)

bool label_rows_full(const struct label_rows *rows)
{
	return rows->n >= ROWS_MAX || rows->out.len >= BYTES_MAX;
}

void label_rows_reset(struct label_rows *rows)
{
	rows->out.len = rows->texts.len = rows->at.len = 0;
	rows->tid = 0;
	rows->start_ns = 0;
	rows->n = 0;
}

void label_rows_fini(struct label_rows *rows)
{
	buf_fini(&rows->out);
	buf_fini(&rows->texts);
	buf_fini(&rows->at);
}

/* Reading: the block's texts in the order of arrival. */
struct reading {
	struct cursor c;
	struct buf texts; /* const char * */
	const char *(*keep)(void *ctx, const void *data, size_t len);
	void *ctx;
};

static const char *new_text(struct reading *rd)
{
	uint64_t len = cursor_varint(&rd->c);
	const uint8_t *data = len <= rd->c.left ? cursor_take(&rd->c, (size_t)len) : NULL;
	const char *text;

	if (!data || !cursor_ok(&rd->c))
		return NULL;
	text = rd->keep(rd->ctx, data, (size_t)len);
	if (text)
		buf_add(&rd->texts, &text, sizeof(text));
	return rd->texts.failed ? NULL : text;
}

static const char *read_text(struct reading *rd)
{
	uint64_t how = cursor_varint(&rd->c), n = rd->texts.len / sizeof(const char *);
	const char *text;

	if (how == TEXT_NONE)
		return cursor_ok(&rd->c) ? "" : NULL;
	if (how == TEXT_NEW)
		return new_text(rd);
	how -= TEXT_KNOWN;
	if (how >= n)
		return NULL;
	memcpy(&text, rd->texts.data + sizeof(text) * (n - 1 - how), sizeof(text));
	return text;
}

/* Deltas of a damaged block may have any value: they wrap. */
static int32_t moved(int32_t from, struct cursor *c)
{
	return (int32_t)((uint64_t)from + (uint64_t)cursor_svarint(c));
}

static bool read_row(struct reading *rd, uint64_t n_texts, struct cdict_label *l, unsigned *origin)
{
	const char **into[LABEL_TEXTS] = { &l->name, &l->group,    &l->group_type, &l->role,
					   &l->uuid, &l->instance, &l->project,    &l->host,
					   &l->unit, &l->cgroup };

	*origin = cursor_u8(&rd->c);
	l->tid = moved(l->tid, &rd->c);
	l->pid = moved(l->tid, &rd->c);
	l->start_ns += (uint64_t)cursor_svarint(&rd->c);
	for (uint64_t i = 0; i < n_texts; i++) {
		const char *text = read_text(rd);

		if (!text)
			return false;
		if (i < LABEL_TEXTS)
			*into[i] = text;
	}
	return cursor_ok(&rd->c) && l->tid > 0 && l->pid >= 0;
}

int label_rows_read(const void *data, size_t size,
		    const char *(*keep)(void *ctx, const void *data, size_t len),
		    bool (*fn)(void *ctx, const struct cdict_label *label), void *ctx)
{
	struct reading rd = { cursor_init(data, size, false), { 0 }, keep, ctx };
	uint64_t n_texts = cursor_varint(&rd.c);
	struct cdict_label l = { .unit = "", .cgroup = "" };
	bool ok = cursor_ok(&rd.c) && n_texts >= LABEL_TEXTS_MIN && n_texts <= FORMAT_LABEL_FIELDS;
	unsigned origin;
	int ret;

	if (!size) /* the labels were removed */
		return 0;
	while (ok && rd.c.left) {
		ok = read_row(&rd, n_texts, &l, &origin);
		l.origin = (enum cdict_label_origin)origin;
		if (ok && origin >= CDICT_LABEL_PROC && origin <= CDICT_LABEL_CSV)
			ok = fn(ctx, &l);
	}
	ret = ok ? 0 : rd.texts.failed ? -ENOMEM : CDICT_ECORRUPT;
	buf_fini(&rd.texts);
	return ret;
}
