/* SPDX-License-Identifier: GPL-2.0-only */
/* The frame of stored figures. */
#include "query/fleet/values/packed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "format/coding/codec.h"

enum { MAGIC = 4, VERSION = 1 };
enum { STORED = 0, DEFLATED = 1 };

int fleet_pack(struct buf *out, const char magic[4], const struct buf *body, size_t most,
	       struct cdict_error *err)
{
	struct codec *codec;
	size_t coding_at, body_at, n = 0;

	if (body->len > FLEET_VALUE_MOST)
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				  "bucket has %zu bytes of figures; the limit is %u", body->len,
				  FLEET_VALUE_MOST);
	codec = codec_new();
	if (!codec)
		return cdict_fail_nomem(err);
	buf_add(out, magic, MAGIC);
	buf_u8(out, VERSION);
	coding_at = out->len;
	buf_u8(out, DEFLATED);
	buf_le32(out, codec_crc(body->data, body->len));
	buf_le32(out, (uint32_t)body->len);
	body_at = out->len;
	if (!out->failed)
		n = codec_deflate(codec, CODEC_TEXT, body->data, body->len, out);
	if (!out->failed && (!n || n > most)) {
		out->len = body_at;
		out->data[coding_at] = STORED;
		buf_add(out, body->data, body->len);
	}
	codec_free(codec);
	return out->failed ? cdict_fail_nomem(err) : 0;
}

static int get_body(struct cursor *c, uint8_t **out, size_t *size, struct cdict_error *err)
{
	uint8_t coding = cursor_u8(c);
	uint32_t crc = cursor_u32(c), raw = cursor_u32(c);
	struct codec *codec;
	int rc = 0;

	if (!cursor_ok(c) || coding > DEFLATED || raw > FLEET_VALUE_MOST ||
	    (coding == STORED ? raw != c->left : !codec_plausible(c->left, raw)))
		return cdict_fail(err, CDICT_ECORRUPT, CDICT_NO_OFFSET,
				  "stored figures: impossible size");
	*out = malloc(raw ? raw : 1);
	codec = codec_new();
	if (!*out || !codec)
		rc = cdict_fail_nomem(err);
	else if (coding == STORED)
		memcpy(*out, c->at, raw);
	else
		rc = codec_inflate(codec, c->at, c->left, *out, raw);
	if (rc == -ENOMEM)
		rc = cdict_fail_nomem(err);
	else if (rc)
		rc = cdict_fail(err, CDICT_ECORRUPT, CDICT_NO_OFFSET,
				"stored figures: cannot decompress");
	if (!rc && codec_crc(*out, raw) != crc)
		rc = cdict_fail(err, CDICT_ECORRUPT, CDICT_NO_OFFSET,
				"stored figures: wrong checksum");
	codec_free(codec);
	*size = raw;
	if (rc) {
		free(*out);
		*out = NULL;
	}
	return rc;
}

int fleet_unpack(const char magic[4], const void *data, size_t size, uint8_t **body, size_t *n,
		 struct cdict_error *err)
{
	struct cursor c = cursor_init(data, size, false);
	const uint8_t *head = cursor_take(&c, MAGIC);
	uint8_t version = cursor_u8(&c);

	*body = NULL;
	if (!head || memcmp(head, magic, MAGIC) != 0)
		return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET, "not figures from cdict");
	if (version != VERSION)
		return cdict_fail(err, CDICT_EVERSION, CDICT_NO_OFFSET,
				  "figures have version %u; this program reads version %d", version,
				  VERSION);
	return get_body(&c, body, n, err);
}
