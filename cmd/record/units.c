/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses sizes and times of cdict record's options. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/fail.h"
#include "cmd/record/record.h"

/* Parses the number at the start of @text; sets *end after it. False: no number. */
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
	} units[] = { { "ns", 1 },   { "us", 1e3 },   { "ms", 1e6 },   { "s", 1e9 },
		      { "m", 60e9 }, { "h", 3600e9 }, { "d", 86400e9 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].name, unit))
			return units[i].ns;
	return 0;
}

int record_size(const char *option, const char *text, bool pages, uint64_t *bytes,
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
	*bytes = (uint64_t)(v * unit);
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

int record_time(const char *option, const char *text, uint64_t *ns, struct cdict_error *err)
{
	double v = 0, unit = 0;
	char *end = NULL;

	if (number(text, &v, &end))
		unit = *end ? unit_ns(end) : 1e9;
	if (!unit || v * unit < 1 || v * unit >= 1e18)
		return cdict_fail(
			err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			unit && v == 0
				? "option --%s must be greater than 0, not '%s'"
				: "option --%s takes seconds, or a time as in 300ms or 2m, not '%s'",
			option, text);
	*ns = (uint64_t)(v * unit);
	return 0;
}

static bool span(const char *text, struct record_span *s, bool range)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	s->from_ms = strtoull(text, &end, 10);
	if (!range)
		return !*end;
	if (*end != '-' || end[1] < '0' || end[1] > '9')
		return false;
	s->to_ms = strtoull(end + 1, &end, 10);
	return !*end && s->to_ms > s->from_ms;
}

int record_delay(const char *text, struct record_span **spans, size_t *n, bool *paused,
		 struct cdict_error *err)
{
	bool range = strchr(text, '-') != NULL, ok = true;
	char *copy, *rest, *part;

	*spans = NULL;
	*n = 0;
	*paused = !strcmp(text, "-1");
	if (*paused)
		return 0;
	*spans = calloc(strlen(text) + 1, sizeof(**spans));
	copy = rest = strdup(text);
	if (!*spans || !copy) {
		free(copy);
		return cdict_fail_nomem(err);
	}
	while (ok && (part = strsep(&rest, ","))) {
		ok = span(part, &(*spans)[*n], range) && (range || !*n) &&
		     (!*n || (*spans)[*n].from_ms >= (*spans)[*n - 1].to_ms) &&
		     (*spans)[*n].from_ms < UINT64_C(1) << 40 &&
		     (*spans)[*n].to_ms < UINT64_C(1) << 40;
		++*n;
	}
	free(copy);
	if (ok)
		return 0;
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			  "option --delay takes milliseconds, -1, or ranges as in 10-20,30-40, not "
			  "'%s'",
			  text);
}

int record_rotation(const char *text, struct record_options *o, struct cdict_error *err)
{
	uint64_t bytes;

	o->rotate = true;
	if (!*text || !strcmp(text, "signal"))
		return 0;
	if (!record_size("switch-output", text, false, &bytes, NULL) &&
	    text[strspn(text, "0123456789.")]) {
		o->rotate_bytes = bytes;
		return 0;
	}
	if (text[strspn(text, "0123456789.")] &&
	    !record_time("switch-output", text, &o->rotate_ns, NULL)) {
		if (o->rotate_ns >= 100000000) /* shorter files are useless */
			return 0;
	}
	return cdict_fail(
		err, CDICT_EUSAGE, CDICT_NO_OFFSET,
		"option --switch-output takes signal, a time of at least 100ms, or a size, as in "
		"30s or 2G, not '%s'",
		text);
}

/* perf's default and limit for the stack dump of a sample, a record whose size has 16 bits. */
#define DUMP_DEFAULT 8192u
#define DUMP_MAX 65528u

int record_call_graph(const char *text, uint32_t *stack_bytes, struct cdict_error *err)
{
	bool dwarf = !strncmp(text, "dwarf", 5) && (!text[5] || text[5] == ',');
	unsigned long size = DUMP_DEFAULT;
	char *end = NULL;

	*stack_bytes = 0;
	if (!strcmp(text, "fp"))
		return 0;
	if (!dwarf)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "option --call-graph takes fp or dwarf[,SIZE], not '%s'%s", text,
				  strcmp(text, "lbr") ? "" : ": branch records are not sampled");
	if (text[5])
		size = strtoul(text + 6, &end, 0);
	if (end && (end == text + 6 || *end || text[6] == '-' || !size || size > DUMP_MAX))
		return cdict_fail(
			err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			"option --call-graph dwarf takes 1 to %u bytes of the stack, not '%s'",
			DUMP_MAX, text + 6);
	*stack_bytes = (uint32_t)(size + 7) & ~7u;
	return 0;
}

/* A whole number above 0. */
static int count(const char *option, const char *text, uint64_t *out, struct cdict_error *err)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	/* the kernel takes the upper bit for a sign */
	if (*text < '0' || *text > '9' || *end || errno || !*out || *out >> 63)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "option --%s takes a number above 0%s, not '%s'", option,
				  *option == 'f' ? ", or max" : "", text);
	return 0;
}

int record_sampling(const char *freq, const char *period, struct record_options *to,
		    struct cdict_error *err)
{
	int ret = 0;

	if (freq && period)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "takes --freq or --count, not both");
	if ((freq || period) && !to->n_events)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, CHOICE_NOT_SAMPLED,
				  freq ? "freq" : "count");
	if (freq && !strcmp(freq, "max"))
		to->sample_freq = CHOICE_FREQ_MOST;
	else if (freq)
		ret = count("freq", freq, &to->sample_freq, err);
	return ret || !period ? ret : count("count", period, &to->sample_period, err);
}
