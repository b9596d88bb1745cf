// SPDX-License-Identifier: LGPL-2.1-only
/* sparse.c - see sparse.h. */
#include "analyze/walk/sparse.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"

#define PACKED (UINT32_C(1) << 31) /* the other bits: the place, in units */
#define UNIT 8u
#define BLOCK_UNITS 8192u

static char *at_unit(const struct sparse *s, uint32_t unit)
{
	return s->blocks.at[unit / BLOCK_UNITS] + (size_t)(unit % BLOCK_UNITS) * UNIT;
}

/* ---- room for packed rows: a list of free places for each size ---- */

static uint32_t units_of(size_t bytes)
{
	return (uint32_t)((bytes + UNIT - 1) / UNIT);
}

/* UINT32_MAX: out of memory. */
static uint32_t take_units(struct sparse *s, uint32_t n)
{
	uint32_t unit = s->free[n];
	char *block;

	if (unit) {
		memcpy(&s->free[n], at_unit(s, unit - 1), sizeof(unit));
		return unit - 1;
	}
	if (s->end % BLOCK_UNITS + n > BLOCK_UNITS)
		s->end += BLOCK_UNITS - s->end % BLOCK_UNITS;
	if (s->end >= PACKED - BLOCK_UNITS)
		return UINT32_MAX;
	if (s->end / BLOCK_UNITS == s->blocks.n) {
		block = malloc((size_t)BLOCK_UNITS * UNIT);
		if (!block || array_push(&s->blocks, block)) {
			free(block);
			return UINT32_MAX;
		}
	}
	unit = s->end;
	s->end += n;
	return unit;
}

static void give_units(struct sparse *s, uint32_t unit, uint32_t n)
{
	memcpy(at_unit(s, unit), &s->free[n], sizeof(unit));
	s->free[n] = unit + 1;
}

/* ---- a packed row: a mask of the non-zero words, then these words, seven bits a byte ---- */

static size_t mask_bytes(const struct sparse *s)
{
	return (s->size / 8 + 7) / 8;
}

static size_t pack(const struct sparse *s, const char *row, unsigned char *out)
{
	unsigned char *p = out + mask_bytes(s);
	uint64_t mask = 0;

	for (unsigned i = 0; i < s->size / 8; i++) {
		uint64_t word;

		memcpy(&word, row + i * sizeof(word), sizeof(word));
		if (!word)
			continue;
		mask |= UINT64_C(1) << i;
		for (; word > 127; word >>= 7)
			*p++ = (unsigned char)(word | 128);
		*p++ = (unsigned char)word;
	}
	for (size_t i = 0; i < mask_bytes(s); i++)
		out[i] = (unsigned char)(mask >> 8 * i);
	return (size_t)(p - out);
}

/* Returns the number of packed bytes. */
static size_t unpack(const struct sparse *s, const unsigned char *in, char *row)
{
	const unsigned char *p = in + mask_bytes(s);
	/* the mask is shorter than the unit of eight bytes that it begins */
	uint64_t mask = le64(in) & UINT64_MAX >> (64 - 8 * mask_bytes(s));

	memset(row, 0, s->size);
	for (; mask; mask &= mask - 1) {
		uint64_t word = 0;
		unsigned shift = 0;

		for (; *p > 127; shift += 7)
			word |= (uint64_t)(*p++ & 127) << shift;
		word |= (uint64_t)*p++ << shift;
		memcpy(row + (size_t)__builtin_ctzll(mask) * sizeof(word), &word, sizeof(word));
	}
	return (size_t)(p - in);
}

/* ---- rows ---- */

static bool more_rows(struct sparse *s, uint32_t most)
{
	uint32_t room = !s->room ? 16 : 2 * s->room;
	uint32_t *numbers;
	char *rows;

	room = room < most ? room : most;
	rows = realloc(s->rows, (size_t)room * s->size);
	if (!rows)
		return false;
	s->rows = rows;
	numbers = realloc(s->numbers, room * sizeof(*numbers));
	if (!numbers)
		return false;
	s->numbers = numbers;
	s->room = room;
	return true;
}

/* A place for one more row; UINT32_MAX: out of memory. */
static uint32_t free_place(struct sparse *s)
{
	uint32_t most = s->most ? s->most : SPARSE_ROWS, place = s->next, unit;
	unsigned char packed[SPARSE_UNITS_MAX * UNIT];
	size_t n;

	if (s->n_rows < most)
		return s->n_rows < s->room || more_rows(s, most) ? s->n_rows++ : UINT32_MAX;
	n = pack(s, s->rows + (size_t)place * s->size, packed);
	unit = take_units(s, units_of(n));
	if (unit == UINT32_MAX)
		return unit;
	memcpy(at_unit(s, unit), packed, n);
	s->slots.at[s->numbers[place]] = unit | PACKED;
	s->next = (place + 1) % most;
	return place;
}

void *sparse_take(struct sparse *s, uint32_t number)
{
	uint32_t place, slot;
	char *row;

	if (number >= s->slots.n && (number == UINT32_MAX || array_resize(&s->slots, number + 1)))
		return NULL;
	place = free_place(s);
	if (place == UINT32_MAX)
		return NULL;
	row = s->rows + (size_t)place * s->size;
	slot = s->slots.at[number];
	if (slot) {
		uint32_t unit = slot & ~PACKED;
		const unsigned char *packed = (const unsigned char *)at_unit(s, unit);

		give_units(s, unit, units_of(unpack(s, packed, row)));
	} else if (s->fresh) {
		memcpy(row, s->fresh, s->size);
	} else {
		memset(row, 0, s->size);
	}
	s->slots.at[number] = place + 1;
	s->numbers[place] = number;
	return row;
}

bool sparse_read(const struct sparse *s, uint32_t number, void *out)
{
	uint32_t slot = number < s->slots.n ? s->slots.at[number] : 0;

	if (slot & PACKED)
		unpack(s, (const unsigned char *)at_unit(s, slot & ~PACKED), out);
	else if (slot)
		memcpy(out, s->rows + (size_t)(slot - 1) * s->size, s->size);
	return slot;
}

void sparse_fini(struct sparse *s, void (*fini)(void *row))
{
	uint64_t row[SPARSE_SIZE_MAX / 8];

	for (uint32_t i = 0; fini && i < s->n_rows; i++)
		fini(s->rows + (size_t)i * s->size);
	for (size_t i = 0; fini && i < s->slots.n; i++) {
		uint32_t slot = s->slots.at[i];

		if (!(slot & PACKED))
			continue;
		unpack(s, (const unsigned char *)at_unit(s, slot & ~PACKED), (char *)row);
		fini(row);
	}
	for (size_t i = 0; i < s->blocks.n; i++)
		free(s->blocks.at[i]);
	array_fini(&s->blocks);
	array_fini(&s->slots);
	free(s->rows);
	free(s->numbers);
	*s = (struct sparse){ .size = s->size };
}
