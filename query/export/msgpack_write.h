/* SPDX-License-Identifier: GPL-2.0-only */
/* msgpack_write.h - writes MessagePack into a sink, each value in its shortest form. */
#ifndef QUERY_EXPORT_MSGPACK_WRITE_H
#define QUERY_EXPORT_MSGPACK_WRITE_H

#include <stdint.h>

#include "base/text/sink.h"

/* The heads: @n pairs, or values, follow. */
void msgpack_map(struct sink *s, uint32_t n);
void msgpack_array(struct sink *s, uint32_t n);
void msgpack_nil(struct sink *s);
void msgpack_int(struct sink *s, int64_t v);
/* msgpack_text - writes foreign text: invalid UTF-8 becomes U+FFFD, as a string must be UTF-8. */
void msgpack_text(struct sink *s, const char *text);

#endif
