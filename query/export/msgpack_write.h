/* SPDX-License-Identifier: GPL-2.0-only */
/* msgpack_write.h - writes MessagePack into a sink, each value in the shortest form that there is for it. */
#ifndef EXCHANGE_MSGPACK_WRITE_H
#define EXCHANGE_MSGPACK_WRITE_H

#include <stdint.h>

#include "base/text/sink.h"

/* The heads: so many pairs, or values, follow. */
void msgpack_map(struct sink *s, uint32_t n);
void msgpack_array(struct sink *s, uint32_t n);
void msgpack_nil(struct sink *s);
void msgpack_int(struct sink *s, int64_t v);
/* msgpack_text - foreign text: what is no UTF-8 becomes U+FFFD, as a string must be it. */
void msgpack_text(struct sink *s, const char *text);

#endif
