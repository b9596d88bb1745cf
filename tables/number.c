/* SPDX-License-Identifier: LGPL-2.1-only */
/* Numbers for people. */
#include "tables/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NS_PER_SEC UINT64_C(1000000000)

char *number_grouped(char out[NUMBER_ROOM], uint64_t v)
{
	char digits[32];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, v);
	char *p = out;

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			*p++ = ',';
		*p++ = digits[i];
	}
	*p = '\0';
	return out;
}

char *number_seconds(char out[NUMBER_ROOM], uint64_t ns)
{
	snprintf(out, NUMBER_ROOM, "%" PRIu64 ".%06" PRIu64, ns / NS_PER_SEC,
		 ns % NS_PER_SEC / 1000);
	return out;
}

char *number_ns(char out[NUMBER_ROOM], uint64_t ns)
{
	snprintf(out, NUMBER_ROOM, "%" PRIu64 ".%09" PRIu64, ns / NS_PER_SEC, ns % NS_PER_SEC);
	return out;
}

char *number_bytes(char out[NUMBER_ROOM], uint64_t bytes)
{
	static const char *const units[] = { "bytes", "kB", "MB", "GB", "TB", "PB", "EB" };
	double v = (double)bytes;
	unsigned unit = 0;

	for (; v >= 999.5 && unit < 6; unit++)
		v /= 1000;
	if (unit == 0)
		snprintf(out, NUMBER_ROOM, "%" PRIu64 " %s", bytes, units[0]);
	else
		snprintf(out, NUMBER_ROOM, "%.*f %s",
			 v < 9.995   ? 2
			 : v < 99.95 ? 1
				     : 0,
			 v, units[unit]);
	return out;
}

char *number_scaled(char out[NUMBER_ROOM], uint64_t ns, uint64_t unit_ns, unsigned decimals)
{
	uint64_t step = unit_ns, whole, part;

	for (unsigned i = 0; i < decimals; i++)
		step /= 10;
	if (!step)
		step = 1;
	whole = ns / unit_ns;
	part = (ns % unit_ns + step / 2) / step;
	if (part >= unit_ns / step) {
		whole++;
		part = 0;
	}
	if (decimals)
		snprintf(out, NUMBER_ROOM, "%" PRIu64 ".%0*" PRIu64, whole, (int)decimals, part);
	else
		snprintf(out, NUMBER_ROOM, "%" PRIu64, whole);
	return out;
}

char *number_utc(char out[NUMBER_ROOM], uint64_t ns)
{
	time_t t = (time_t)(ns / NS_PER_SEC);
	struct tm tm;
	size_t n;

	if (!gmtime_r(&t, &tm)) {
		strcpy(out, "?");
		return out;
	}
	n = strftime(out, NUMBER_ROOM, "%Y-%m-%d %H:%M:%S", &tm);
	snprintf(out + n, NUMBER_ROOM - n, ".%09" PRIu64 " UTC", ns % NS_PER_SEC);
	return out;
}
