/* SPDX-License-Identifier: LGPL-2.1-only */
/* Growing an array. */
#include "base/memory/array.h"

#include <stdint.h>

void *array_grow(void *at, size_t *cap, size_t want, size_t size)
{
	size_t most = PTRDIFF_MAX / size, n = *cap < 4 ? 8 : *cap + *cap / 2;
	void *p;

	if (want > most)
		return NULL;
	if (n > most)
		n = most;
	if (n < want)
		n = want;
	p = realloc(at, n * size);
	if (p)
		*cap = n;
	return p;
}
