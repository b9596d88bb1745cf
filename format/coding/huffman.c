/* SPDX-License-Identifier: LGPL-2.1-only */
/* Huffman-only deflate; RFC 1951 for the stream, and for the code lengths A. Moffat,
 * J. Katajainen: In-Place Calculation of Minimum-Redundancy Codes (1995). */
#include "format/coding/huffman.h"

#define LITERALS 257u /* bytes and the end of the block */
#define END 256u
#define LENGTHS 19u /* symbols that encode code lengths */
#define LITERAL_BITS 15u
#define LENGTH_BITS 7u

#define DIGIT 5 /* bits of a frequency per sorting pass */

/* Symbols of one block: longer input takes several, each with its table. */
#define BLOCK (1u << 17)

struct code {
	uint16_t bits[LITERALS]; /* first bit lowest */
	uint8_t len[LITERALS];
};

struct bits {
	uint64_t acc;
	unsigned fill;
	uint8_t *at;
};

static inline void put_bits(struct bits *b, uint64_t bits, unsigned n)
{
	b->acc |= bits << b->fill;
	b->fill += n;
}

/* Whole bytes to memory; up to 7 bits stay. */
static inline void spill(struct bits *b)
{
	uint64_t le = b->acc;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	le = __builtin_bswap64(le);
#endif
	memcpy(b->at, &le, 8);
	b->at += b->fill / 8;
	b->acc >>= b->fill & ~7u;
	b->fill &= 7;
}

/* Turns frequencies in ascending order into code lengths. */
static void lengths_in_place(uint32_t *a, int n)
{
	int root = 0, leaf = 2, next, free_nodes = 1, used = 0;
	uint32_t depth = 0;

	if (n == 1) {
		a[0] = 1;
		return;
	}
	a[0] += a[1];
	for (next = 1; next < n - 1; next++) {
		if (leaf >= n || a[root] < a[leaf]) {
			a[next] = a[root];
			a[root++] = (uint32_t)next;
		} else {
			a[next] = a[leaf++];
		}
		if (leaf >= n || (root < next && a[root] < a[leaf])) {
			a[next] += a[root];
			a[root++] = (uint32_t)next;
		} else {
			a[next] += a[leaf++];
		}
	}
	a[n - 2] = 0;
	for (next = n - 3; next >= 0; next--)
		a[next] = a[a[next]] + 1;
	root = n - 2;
	next = n - 1;
	while (free_nodes > 0) {
		for (; root >= 0 && a[root] == depth; root--)
			used++;
		for (; free_nodes > used; free_nodes--)
			a[next--] = depth;
		free_nodes = 2 * used;
		depth++;
		used = 0;
	}
}

/* Canonical codes (RFC 1951, 3.2.2), bits reversed as deflate wants them. */
static void assign_codes(struct code *c, unsigned n)
{
	uint16_t count[LITERAL_BITS + 1] = { 0 }, next[LITERAL_BITS + 2] = { 0 };

	for (unsigned i = 0; i < n; i++)
		count[c->len[i]]++;
	count[0] = 0;
	for (unsigned i = 1; i <= LITERAL_BITS; i++)
		next[i + 1] = (uint16_t)((next[i] + count[i]) << 1);
	for (unsigned i = 0; i < n; i++) {
		unsigned len = c->len[i], v = len ? next[len]++ : 0, r = 0;

		for (unsigned k = 0; k < len; k++)
			r |= (v >> k & 1) << (len - 1 - k);
		c->bits[i] = (uint16_t)r;
	}
}

/* Sorts the symbols that occur by frequency, then by number: radix sort, lowest digit first. */
static unsigned sort(uint16_t *symbol, const uint32_t *freq, unsigned n)
{
	uint16_t other[LITERALS], *from = other, *to = symbol;
	uint32_t bits = 0;
	unsigned used = 0;

	for (unsigned i = 0; i < n; i++) {
		symbol[used] = (uint16_t)i;
		used += freq[i] != 0;
		bits |= freq[i];
	}
	for (unsigned shift = 0; bits >> shift; shift += DIGIT) {
		unsigned at[1 << DIGIT] = { 0 }, sum = 0;
		uint16_t *was = from;

		from = to;
		to = was;
		for (unsigned i = 0; i < used; i++)
			at[freq[from[i]] >> shift & ((1 << DIGIT) - 1)]++;
		for (unsigned k = 0; k < 1 << DIGIT; k++) {
			unsigned many = at[k];

			at[k] = sum;
			sum += many;
		}
		for (unsigned i = 0; i < used; i++)
			to[at[freq[from[i]] >> shift & ((1 << DIGIT) - 1)]++] = from[i];
	}
	if (to != symbol)
		memcpy(symbol, to, used * sizeof(*symbol));
	return used;
}

/* GCC 12.2 for arm64 at -O2 (-fipa-modref) drops make_code()'s writes to code.bits in its callers: wrong
 * bytes, and a warning that code is uninitialized. */
#if defined(__GNUC__) && !defined(__clang__)
#define NOIPA __attribute__((noipa))
#else
#define NOIPA
#endif

/* A code for @n symbols of the given frequencies, no length above @limit. */
NOIPA static void make_code(struct code *c, uint32_t *freq, unsigned n, unsigned limit)
{
	uint16_t symbol[LITERALS];
	uint32_t sorted[LITERALS];
	unsigned used, longest;

	do {
		used = sort(symbol, freq, n);
		memset(c->len, 0, n);
		for (unsigned i = 0; i < used; i++)
			sorted[i] = freq[symbol[i]];
		lengths_in_place(sorted, (int)used);
		longest = 0;
		for (unsigned i = 0; i < used; i++) {
			c->len[symbol[i]] = (uint8_t)sorted[i];
			longest = sorted[i] > longest ? sorted[i] : longest;
		}
		/* Too long: flatter frequencies give a flatter tree. */
		if (longest > limit)
			for (unsigned i = 0; i < n; i++)
				freq[i] = freq[i] ? freq[i] / 2 + 1 : 0;
	} while (longest > limit);
	assign_codes(c, n);
}

/* Run-length form of the code lengths (RFC 1951, 3.2.7): symbols 0..18, the repeat
 * counts of 16, 17 and 18 in @extra. */
static unsigned run_lengths(const uint8_t *len, unsigned n, uint8_t *symbol, uint8_t *extra)
{
	unsigned out = 0;

	for (unsigned i = 0, run; i < n; i += run) {
		for (run = 1; i + run < n && len[i + run] == len[i]; run++)
			;
		if (!len[i] && run >= 3) {
			run = run > 138 ? 138 : run;
			symbol[out] = run > 10 ? 18 : 17;
			extra[out++] = (uint8_t)(run - (run > 10 ? 11 : 3));
		} else if (len[i] && run >= 4) {
			run = run > 7 ? 7 : run;
			symbol[out++] = len[i];
			symbol[out] = 16;
			extra[out++] = (uint8_t)(run - 1 - 3);
		} else {
			run = 1;
			symbol[out++] = len[i];
		}
	}
	return out;
}

/* Header of a dynamic block; two unused distance codes of one bit. */
static void write_header(struct bits *b, const struct code *literals, bool last)
{
	static const uint8_t order[LENGTHS] = { 16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
						11, 4,  12, 3, 13, 2, 14, 1, 15 };
	static const uint8_t extra_bits[LENGTHS] = { [16] = 2, [17] = 3, [18] = 7 };
	uint8_t len[LITERALS + 2], symbol[LITERALS + 2], extra[LITERALS + 2] = { 0 };
	uint32_t freq[LENGTHS] = { 0 };
	unsigned n, n_lengths = LENGTHS;
	struct code code = { 0 };

	memcpy(len, literals->len, LITERALS);
	len[LITERALS] = len[LITERALS + 1] = 1;
	n = run_lengths(len, LITERALS + 2, symbol, extra);
	for (unsigned i = 0; i < n; i++)
		freq[symbol[i]]++;
	/* A code of one symbol alone would be incomplete. */
	freq[0] += !freq[0];
	freq[18] += !freq[18];
	make_code(&code, freq, LENGTHS, LENGTH_BITS);
	while (n_lengths > 4 && !code.len[order[n_lengths - 1]])
		n_lengths--;
	put_bits(b, last, 1);
	put_bits(b, 2, 2);
	put_bits(b, LITERALS - 257, 5);
	put_bits(b, 2 - 1, 5);
	put_bits(b, n_lengths - 4, 4);
	for (unsigned i = 0; i < n_lengths; i++) {
		put_bits(b, code.len[order[i]], 3);
		spill(b);
	}
	for (unsigned i = 0; i < n; i++) {
		put_bits(b, code.bits[symbol[i]], code.len[symbol[i]]);
		put_bits(b, extra[i], extra_bits[symbol[i]]);
		spill(b);
	}
}

static void count(const uint8_t *data, size_t size, uint32_t freq[LITERALS])
{
	uint32_t part[4][256] = { { 0 } };
	size_t i = 0;

	/* Four counters: an increment need not wait for one of the same symbol before it. */
	for (; i + 4 <= size; i += 4)
		for (int k = 0; k < 4; k++)
			part[k][data[i + k]]++;
	for (; i < size; i++)
		part[0][data[i]]++;
	for (unsigned k = 0; k < 256; k++)
		freq[k] = part[0][k] + part[1][k] + part[2][k] + part[3][k];
	freq[END] = 1;
}

static void write_symbols(struct bits *b, const struct code *c, const uint8_t *data, size_t size)
{
	size_t i = 0;

	/* 7 remaining bits and three codes of at most 15 fit into 64. */
	for (; i + 3 <= size; i += 3) {
		put_bits(b, c->bits[data[i]], c->len[data[i]]);
		put_bits(b, c->bits[data[i + 1]], c->len[data[i + 1]]);
		put_bits(b, c->bits[data[i + 2]], c->len[data[i + 2]]);
		spill(b);
	}
	for (; i < size; i++) {
		put_bits(b, c->bits[data[i]], c->len[data[i]]);
		spill(b);
	}
	put_bits(b, c->bits[END], c->len[END]);
	spill(b);
}

size_t huffman_deflate(const uint8_t *data, size_t size, struct buf *out)
{
	size_t blocks = (size + BLOCK - 1) / BLOCK, done;
	/* A code has at most 15 bits, a header at most 400 bytes. */
	uint8_t *start = size ? buf_room(out, size * 2 + blocks * 400 + 16) : NULL;
	struct bits b = { .at = start };
	uint32_t freq[LITERALS];
	struct code code;

	if (!start)
		return 0;
	for (size_t at = 0; at < size; at += BLOCK) {
		size_t n = size - at < BLOCK ? size - at : BLOCK;

		count(data + at, n, freq);
		make_code(&code, freq, LITERALS, LITERAL_BITS);
		write_header(&b, &code, at + n == size);
		write_symbols(&b, &code, data + at, n);
	}
	done = (size_t)(b.at - start) + (b.fill ? 1 : 0);
	if (done >= size)
		return 0;
	out->len += done;
	return done;
}
