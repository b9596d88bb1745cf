/* SPDX-License-Identifier: LGPL-2.1-only */
/* Parses the time windows of --time. */
#include "base/text/timespec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

#define NS_PER_SEC UINT64_C(1000000000)

int timespec_seconds(const char *text, size_t len, uint64_t *ns)
{
	uint64_t v = 0;
	size_t i = 0, decimals = 0;

	for (; i < len && text[i] >= '0' && text[i] <= '9'; i++) {
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(text[i] - '0'), &v))
			return CDICT_EUSAGE;
	}
	if (i == 0)
		return CDICT_EUSAGE;
	if (__builtin_mul_overflow(v, NS_PER_SEC, &v))
		return CDICT_EUSAGE;
	if (i < len && text[i] == '.') {
		uint64_t part = 0;

		for (i++; i < len && text[i] >= '0' && text[i] <= '9'; i++, decimals++) {
			if (decimals == 9)
				return CDICT_EUSAGE;
			part = part * 10 + (uint64_t)(text[i] - '0');
		}
		for (; decimals < 9; decimals++)
			part *= 10;
		if (__builtin_add_overflow(v, part, &v))
			return CDICT_EUSAGE;
	}
	if (i != len)
		return CDICT_EUSAGE;
	*ns = v;
	return 0;
}

static int refuse(const char *text, struct cdict_error *err)
{
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			  "time '%s' is neither START,STOP in seconds nor percent as in "
			  "10%%-20%% or 10%%/2",
			  text);
}

static int add_window(struct timespec_set *set, uint64_t from_ns, uint64_t to_ns)
{
	struct timespec_window *grown;

	grown = realloc(set->windows, (set->n + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	set->windows = grown;
	grown[set->n++] = (struct timespec_window){ from_ns, to_ns };
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct timespec_window *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* Sorts windows, merges touching ones. */
static void merge_windows(struct timespec_set *set)
{
	size_t n = 0;

	if (!set->n)
		return;
	qsort(set->windows, set->n, sizeof(*set->windows), by_start);
	for (size_t i = 1; i < set->n; i++) {
		struct timespec_window *w = &set->windows[n], *next = &set->windows[i];

		if (next->from_ns > w->to_ns && next->from_ns - w->to_ns > 1)
			set->windows[++n] = *next;
		else if (next->to_ns > w->to_ns)
			w->to_ns = next->to_ns;
	}
	set->n = n + 1;
}

/* "12.5%" up to @end, as a share. */
static bool percent(const char **text, double *share)
{
	char *end;

	if (**text < '0' || **text > '9') /* no sign, no "inf" */
		return false;
	*share = strtod(*text, &end) / 100;
	if (*end != '%')
		return false;
	*text = end + 1;
	return true;
}

/* One of "10%", "10%/2", "10%-20%", ending at a comma or NUL. */
static bool percent_window(const char **text, double *from, double *to)
{
	double share;

	if (!percent(text, &share))
		return false;
	if (**text == '-') {
		(*text)++;
		*from = share;
		return percent(text, to);
	}
	*from = 0;
	*to = share;
	if (**text == '/') {
		unsigned long nth;
		char *end;

		(*text)++;
		if (**text < '0' || **text > '9')
			return false;
		nth = strtoul(*text, &end, 10);
		*text = end;
		if (nth < 1 || nth > 1000000000)
			return false;
		*from = share * (double)(nth - 1);
		*to = share * (double)nth;
	}
	return true;
}

static int parse_percents(struct timespec_set *set, const char *text, uint64_t first_ns,
			  uint64_t last_ns, struct cdict_error *err)
{
	double total = (double)(last_ns - first_ns);
	const char *p = text;

	for (;;) {
		double from, to;
		uint64_t from_ns, to_ns;
		int rc;

		if (!percent_window(&p, &from, &to) || (*p && *p != ','))
			return refuse(text, err);
		/* 10%/9 computes to slightly above 0.9 of the end: tolerate that at 100% */
		if (to > 1 && to < 1 + 1e-9)
			to = 1;
		if (from > to || to > 1 || to <= 0)
			return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					  "time '%s' is not within 0%%-100%%, or empty", text);
		from_ns = from >= 1 ? last_ns : first_ns + (uint64_t)(from * total + 0.5);
		to_ns = to >= 1 ? last_ns : first_ns + (uint64_t)(to * total + 0.5);
		/* windows are inclusive, so only the last one contains its end */
		if (to_ns > from_ns && to_ns != last_ns)
			to_ns--;
		/* below the precision of a double */
		if (from_ns > to_ns)
			from_ns = to_ns;
		rc = add_window(set, from_ns, to_ns);
		if (rc)
			return cdict_fail(err, rc, CDICT_NO_OFFSET, "out of memory");
		if (!*p++)
			return 0;
	}
}

static int parse_seconds(struct timespec_set *set, const char *text, uint64_t first_ns,
			 uint64_t last_ns, struct cdict_error *err)
{
	const char *p = text;

	for (;;) {
		size_t len = strcspn(p, " "), comma = strcspn(p, ",");
		uint64_t from_ns = first_ns, to_ns = last_ns;
		int rc;

		if (comma >= len)
			return refuse(text, err);
		if (comma && timespec_seconds(p, comma, &from_ns))
			return refuse(text, err);
		if (comma + 1 < len && timespec_seconds(p + comma + 1, len - comma - 1, &to_ns))
			return refuse(text, err);
		/* an open side is the capture's start or end; the other side may lie outside */
		if (comma && comma + 1 == len && from_ns > to_ns)
			to_ns = from_ns;
		if (!comma && to_ns < from_ns)
			from_ns = to_ns;
		if (from_ns > to_ns)
			return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					  "time '%s' ends before it begins", text);
		rc = add_window(set, from_ns, to_ns);
		if (rc)
			return cdict_fail(err, rc, CDICT_NO_OFFSET, "out of memory");
		p += len;
		p += strspn(p, " ");
		if (!*p)
			return 0;
	}
}

int timespec_parse(struct timespec_set *out, const char *text, uint64_t first_ns, uint64_t last_ns,
		   struct cdict_error *err)
{
	struct timespec_set set = { 0 };
	int rc;

	text += strspn(text, " ");
	if (strchr(text, '%'))
		rc = parse_percents(&set, text, first_ns, last_ns, err);
	else
		rc = parse_seconds(&set, text, first_ns, last_ns, err);
	if (rc) {
		timespec_fini(&set);
		return rc;
	}
	merge_windows(&set);
	*out = set;
	return 0;
}

int timespec_one(struct timespec_set *out, uint64_t from_ns, uint64_t to_ns)
{
	struct timespec_set set = { 0 };
	int rc = add_window(&set, from_ns, to_ns);

	if (!rc)
		*out = set;
	return rc;
}

void timespec_fini(struct timespec_set *set)
{
	free(set->windows);
	*set = (struct timespec_set){ 0 };
}

void timespec_clip(struct timespec_set *set, uint64_t from_ns, uint64_t to_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++) {
		struct timespec_window w = set->windows[i];

		if (w.from_ns < from_ns)
			w.from_ns = from_ns;
		if (w.to_ns > to_ns)
			w.to_ns = to_ns;
		if (w.from_ns <= w.to_ns)
			set->windows[n++] = w;
	}
	set->n = n;
}

bool timespec_covers(const struct timespec_set *set, uint64_t t_ns)
{
	for (size_t i = 0; i < set->n; i++) {
		if (t_ns < set->windows[i].from_ns)
			return false;
		if (t_ns <= set->windows[i].to_ns)
			return true;
	}
	return false;
}
