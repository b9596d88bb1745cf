// SPDX-License-Identifier: GPL-2.0-only
/* encode.c - see encode.h. */
#include "query/parquet/encode.h"

#include <endian.h>

/* Values of a bit-packed group, of a block of differences, and of its parts, which have a width each. */
enum { GROUP = 8, BLOCK = 128, PARTS = 4, PART = BLOCK / PARTS };

/* Appends numbers of a few bits each, the least significant bit first. */
struct packer {
	uint8_t *at;
	uint64_t bits; /* not yet written, fewer than 8 */
	unsigned n;
};

enum { PACK_MOST = 56 }; /* bits at once: with 7 others, below 64 */

/* The buffer has room for 8 bytes. */
static inline void pack(struct packer *p, uint64_t v, unsigned width)
{
	uint64_t le;

	p->bits |= v << p->n;
	p->n += width;
	le = htole64(p->bits);
	memcpy(p->at, &le, sizeof(le));
	p->at += p->n / 8;
	p->bits >>= p->n & ~7u;
	p->n &= 7;
}

/* A group of values of at most 8 bits each, at a whole byte: it is a word. */
static inline void pack_group(struct packer *p, const uint32_t *values, unsigned width)
{
	uint64_t word = 0;

	for (unsigned i = 0; i < GROUP; i++)
		word |= (uint64_t)values[i] << i * width;
	word = htole64(word);
	memcpy(p->at, &word, sizeof(word));
	p->at += width;
}

/* Groups of values, the last one filled with zeros. */
static void pack_groups(struct packer *p, const uint32_t *values, size_t n, unsigned width)
{
	uint32_t rest[GROUP] = { 0 };
	size_t at = 0;

	for (; n - at >= GROUP && width <= GROUP; at += GROUP)
		pack_group(p, values + at, width);
	for (; n - at >= GROUP; at += GROUP)
		for (unsigned i = 0; i < GROUP; i++)
			pack(p, values[at + i], width);
	memcpy(rest, values + at, (n - at) * sizeof(*rest));
	for (unsigned i = 0; i < GROUP && at < n; i++)
		pack(p, rest[i], width);
}

/* ---- runs ---- */

/* How many values from @values on are equal, counting no further than @most. */
static size_t run_of(const uint32_t *values, size_t n, size_t most)
{
	size_t len = 1;

	while (len < n && len < most && values[len] == values[0])
		len++;
	return len;
}

static void add_run(struct buf *out, uint32_t value, size_t len, unsigned width)
{
	buf_varint(out, (uint64_t)len << 1);
	for (unsigned bit = 0; bit < width; bit += 8)
		buf_u8(out, (uint8_t)(value >> bit));
}

/* Only the last group may have fewer values than GROUP; its rest is zero. */
static void add_groups(struct buf *out, const uint32_t *values, size_t n, unsigned width)
{
	size_t groups = (n + GROUP - 1) / GROUP, size = groups * width;
	struct packer p = { 0 };

	buf_varint(out, (uint64_t)groups << 1 | 1);
	p.at = buf_room(out, size + sizeof(uint64_t));
	if (!p.at)
		return;
	pack_groups(&p, values, n, width);
	out->len += size;
}

void parquet_hybrid(struct buf *out, const uint32_t *values, size_t n, unsigned width)
{
	size_t at = 0;

	while (at < n) {
		size_t begin = at, run = run_of(values + at, n - at, GROUP);

		while (at < n && run < GROUP) {
			at = n - at < GROUP ? n : at + GROUP;
			run = at < n ? run_of(values + at, n - at, GROUP) : 0;
		}
		if (at > begin)
			add_groups(out, values + begin, at - begin, width);
		if (at >= n)
			break;
		run = run_of(values + at, n - at, n - at);
		add_run(out, values[at], run, width);
		at += run;
	}
}

/* ---- differences ---- */

static void add_block(struct buf *out, const uint64_t *values, size_t n)
{
	uint64_t deltas[BLOCK] = { 0 }, most[PARTS] = { 0 };
	uint8_t widths[PARTS];
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < n; i++) {
		deltas[i] = values[i] - values[(ptrdiff_t)i - 1];
		least = (int64_t)deltas[i] < least ? (int64_t)deltas[i] : least;
	}
	for (size_t i = 0; i < n; i++) {
		deltas[i] -= (uint64_t)least;
		most[i / PART] |= deltas[i];
	}
	buf_svarint(out, least);
	for (size_t i = 0; i < PARTS; i++)
		widths[i] = most[i] ? (uint8_t)(64 - __builtin_clzll(most[i])) : 0;
	buf_add(out, widths, PARTS);
	for (size_t part = 0; part * PART < n; part++) {
		unsigned width = widths[part], low = width > PACK_MOST ? 32 : width;
		size_t size = (size_t)width * PART / 8;
		struct packer p = { .at = buf_room(out, size + sizeof(uint64_t)) };

		if (!p.at)
			return;
		for (size_t i = part * PART; i < (part + 1) * PART; i++) {
			pack(&p, low < width ? (uint32_t)deltas[i] : deltas[i], low);
			if (low < width)
				pack(&p, deltas[i] >> 32, width - low);
		}
		out->len += size;
	}
}

void parquet_delta(struct buf *out, const uint64_t *values, size_t n)
{
	buf_varint(out, BLOCK);
	buf_varint(out, PARTS);
	buf_varint(out, n);
	buf_svarint(out, n ? (int64_t)values[0] : 0);
	for (size_t at = 1; at < n; at += BLOCK)
		add_block(out, values + at, n - at < BLOCK ? n - at : BLOCK);
}
