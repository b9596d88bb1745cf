/* SPDX-License-Identifier: LGPL-2.1-only */
/* Numbers for people. */
#include "tables/columns/number.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text/decimal.h"

#define NS_PER_SEC UINT64_C(1000000000)

/* @v with @width digits at least. */
static char *digits(char *out, uint64_t v, unsigned width)
{
	char room[DECIMAL_MAX], *end = room + sizeof(room), *at = decimal_before(v, end);
	size_t n = (size_t)(end - at);

	for (; width > n; width--)
		*out++ = '0';
	memcpy(out, at, n);
	out[n] = '\0';
	return out + n;
}

static char *point(char *out, uint64_t whole, uint64_t part, unsigned decimals)
{
	char *p = digits(out, whole, 1);

	*p++ = '.';
	digits(p, part, decimals);
	return out;
}

char *number_grouped(char out[NUMBER_ROOM], uint64_t v)
{
	char *p = out;

	if (v >= 1000) {
		p += strlen(number_grouped(out, v / 1000));
		*p++ = ',';
	}
	digits(p, v % 1000, p > out ? 3 : 1);
	return out;
}

char *number_seconds(char out[NUMBER_ROOM], uint64_t ns)
{
	return point(out, ns / NS_PER_SEC, ns % NS_PER_SEC / 1000, 6);
}

char *number_ns(char out[NUMBER_ROOM], uint64_t ns)
{
	return point(out, ns / NS_PER_SEC, ns % NS_PER_SEC, 9);
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

char *number_duration(char out[NUMBER_ROOM], uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double v = (double)ns;
	unsigned unit = 0;

	for (; v >= 999.5 && unit < 3; unit++)
		v /= 1000;
	if (!ns)
		return strcpy(out, "0");
	if (v >= 999.5) {
		number_grouped(out, (uint64_t)(v + 0.5));
		return strcat(out, " s");
	}
	snprintf(out, NUMBER_ROOM, "%.*f %s",
		 !unit       ? 0
		 : v < 9.995 ? 2
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
		return point(out, whole, part, decimals);
	digits(out, whole, 1);
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

char *number_time(char out[NUMBER_ROOM], uint64_t ns)
{
	bool seconds = ns >= NS_PER_SEC;

	number_scaled(out, ns, seconds ? NS_PER_SEC : NS_PER_SEC / 1000, 3);
	return strcat(out, seconds ? " s" : " ms");
}
