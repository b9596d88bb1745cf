/* SPDX-License-Identifier: GPL-2.0-only */
/* Units of metrics: prefixes are read, so that 1.44 M of KB/s is 1.44 GB/s, and not 1.44 MKB/s. */
#include <stdio.h>
#include <string.h>

#include "cmd/sweep/run/sweep.h"
#include "render/draw/text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Whether @name is the @len bytes at @text. */
static bool is(const char *name, const char *text, size_t len)
{
	return strlen(name) == len && !memcmp(name, text, len);
}

/* The unit of time in ns; 0: not a unit of time. */
static double time_unit(const char *unit, size_t len)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ns", 1 },     { "nsec", 1 },   { "us", 1e3 },     { "µs", 1e3 },
		      { "usec", 1e3 }, { "ms", 1e6 },   { "msec", 1e6 },   { "s", 1e9 },
		      { "sec", 1e9 },  { "secs", 1e9 }, { "seconds", 1e9 } };

	for (size_t i = 0; i < COUNT(units); i++) {
		if (is(units[i].name, unit, len))
			return units[i].ns;
	}
	return 0;
}

/* Units that have prefixes; others, as "Threads", may begin with the same letter. */
static bool takes_prefix(const char *unit, size_t len)
{
	static const char *const names[] = { "",      "B",       "b",      "bit",     "bits",
					     "byte",  "bytes",   "Byte",   "Bytes",   "bps",
					     "Bps",   "Hz",      "FLOP",   "FLOPS",   "FLOP/s",
					     "flops", "IOPS",    "iops",   "IO",      "IOs",
					     "op",    "ops",     "req",    "reqs",    "pps",
					     "pkts",  "packets", "events", "requests" };

	for (size_t i = 0; i < COUNT(names); i++) {
		if (is(names[i], unit, len))
			return true;
	}
	return false;
}

const char *sweep_unit(const char *unit, double *factor)
{
	static const struct {
		const char *prefix;
		double factor;
	} prefixes[] = { { "Ki", 1024 },       { "Mi", 1048576 },
			 { "Gi", 1073741824 }, { "Ti", 1099511627776 },
			 { "k", 1e3 },         { "K", 1e3 },
			 { "M", 1e6 },         { "G", 1e9 },
			 { "T", 1e12 } };
	size_t len = strcspn(unit, "/");

	*factor = unit[len] ? 0 : time_unit(unit, len);
	if (*factor > 0)
		return "ns";
	*factor = 1;
	for (size_t i = 0; i < COUNT(prefixes); i++) {
		size_t n = strlen(prefixes[i].prefix);

		if (len < n || memcmp(unit, prefixes[i].prefix, n) != 0 ||
		    !takes_prefix(unit + n, len - n))
			continue;
		*factor = prefixes[i].factor;
		return unit + n;
	}
	return unit;
}

char *sweep_human(char out[NUMBER_ROOM], double v, const char *unit)
{
	size_t len = strcspn(unit, "/"), n;
	double ns = v * time_unit(unit, len), factor;
	char text[TEXT_ROOM];

	if (ns >= 1 && ns < 1e15) { /* also "1.50 us/op" */
		text_duration(text, ns);
		snprintf(out, NUMBER_ROOM, "%.40s%.16s", text, unit + len);
		return out;
	}
	if (time_unit(unit, len) == 0) {
		unit = sweep_unit(unit, &factor);
		v *= factor;
	}
	if (!strcmp(unit, "%")) {
		snprintf(out, NUMBER_ROOM, "%.4g %%", v);
		return out;
	}
	if (v && (fabs(v) < 0.01 || fabs(v) >= 1e15)) {
		snprintf(out, NUMBER_ROOM, "%.3g%s%.16s", v, *unit ? " " : "", unit);
		return out;
	}
	text_short(text, fabs(v));
	n = strcspn(text, "kMGT");
	/* 12.3 MB/s, not 12.3M B/s */
	snprintf(out, NUMBER_ROOM, "%s%.*s%s%s%.16s", v < 0 ? "-" : "", (int)n, text,
		 *unit || text[n] ? " " : "", text + n, unit);
	return out;
}
