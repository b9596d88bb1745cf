/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes and times of cdict record's options. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/fail.h"
#include "cmd/record.h"

/* A number that begins @text; *end is behind it. False: there is none. */
static bool number(const char *text, double *v, char **end)
{
	size_t n = strspn(text, "0123456789.");
	char digits[32];

	if (!n || n >= sizeof(digits))
		return false;
	memcpy(digits, text, n);
	digits[n] = '\0';
	*v = strtod(digits, end);
	if (**end)
		return false;
	*end = (char *)text + n;
	return true;
}

static double unit_bytes(const char *unit)
{
	static const struct {
		const char *name;
		double bytes;
	} units[] = { { "B", 1 },        { "K", 1 << 10 },  { "KB", 1 << 10 },  { "KiB", 1 << 10 },
		      { "M", 1 << 20 },  { "MB", 1 << 20 }, { "MiB", 1 << 20 }, { "G", 1 << 30 },
		      { "GB", 1 << 30 }, { "GiB", 1 << 30 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcasecmp(units[i].name, unit))
			return units[i].bytes;
	return 0;
}

static double unit_ns(const char *unit)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ns", 1 },  { "us", 1e3 }, { "ms", 1e6 },
		      { "s", 1e9 }, { "m", 60e9 }, { "h", 3600e9 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].name, unit))
			return units[i].ns;
	return 0;
}

int record_size(const char *option, const char *text, bool pages, size_t *bytes,
		struct cdict_error *err)
{
	double v, unit = 0;
	char *end = NULL;

	if (number(text, &v, &end))
		unit = *end || !pages ? unit_bytes(end) : (double)sysconf(_SC_PAGESIZE);
	if (!unit || v * unit < 1 || v * unit > (double)(UINT64_C(1) << 40))
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "option --%s takes a size as in %s, not '%s'", option,
				  pages ? "512K, 4M, or a number of pages" : "64M or 1G", text);
	*bytes = (size_t)(v * unit);
	return 0;
}

int record_keep(const char *text, uint64_t *ns, uint64_t *bytes, struct cdict_error *err)
{
	char *copy = strdup(text), *rest = copy, *part, *end;

	*ns = *bytes = 0;
	while (copy && (part = strsep(&rest, ","))) {
		double v = 0, size;
		bool ok = number(part, &v, &end) && v > 0;

		if (ok && unit_ns(end) && !*ns) {
			v *= unit_ns(end);
			ok = v >= 1 && v < 1e18;
			*ns = (uint64_t)v;
		} else if (ok && unit_bytes(end) && !*bytes) {
			size = v * unit_bytes(end);
			ok = size >= 1 && size < (double)(UINT64_C(1) << 40);
			*bytes = (uint64_t)size;
		} else {
			ok = false;
		}
		if (!ok) {
			free(copy);
			return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					  "option --keep takes a time, a size, or both, as in 30s "
					  "or 30s,64M, not '%s'",
					  text);
		}
	}
	free(copy);
	return 0;
}
