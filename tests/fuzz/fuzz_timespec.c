/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of --time, against captures of several lengths: refused, or windows in order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/timespec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct timespec_window captures[] = {
	{ 0, UINT64_C(9000000000) },
	{ 1000, 2000 },
	{ UINT64_C(5000000000), UINT64_C(5000000000) },
	{ UINT64_C(1700000000000000000), UINT64_C(1700000001000000000) },
	{ 0, UINT64_MAX }, /* a damaged file's */
};

static void must(bool so)
{
	if (!so)
		abort();
}

/* Ascending, not overlapping, none inverted; and covered at both ends, not outside of them. */
static void check(const struct timespec_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct timespec_window *w = &set->windows[i];

		must(w->from_ns <= w->to_ns);
		must(!i || w[-1].to_ns < w->from_ns);
		/* The search is linear: not for thousands of windows. */
		if (i >= 16)
			continue;
		must(timespec_covers(set, w->from_ns) && timespec_covers(set, w->to_ns));
		must(!i || w->from_ns - w[-1].to_ns < 2 || !timespec_covers(set, w->from_ns - 1));
	}
}

/* Seconds are read back unchanged when they are printed with all their decimals. */
static void seconds(const char *text, size_t size)
{
	uint64_t ns, again;
	char all[40];
	int len;

	if (timespec_seconds(text, size, &ns))
		return;
	len = snprintf(all, sizeof(all), "%llu.%09llu", (unsigned long long)(ns / 1000000000),
		       (unsigned long long)(ns % 1000000000));
	must(!timespec_seconds(all, (size_t)len, &again) && again == ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Exactly as long: timespec_seconds() sees no NUL after it. */
	char *exact = malloc(size ? size : 1), *text = malloc(size + 1);

	if (size) {
		memcpy(exact, data, size);
		memcpy(text, data, size);
	}
	text[size] = '\0';
	seconds(exact, size);
	for (size_t i = 0; i < sizeof(captures) / sizeof(captures[0]); i++) {
		const struct timespec_window *w = &captures[i];
		struct cdict_error err = { 0 };
		struct timespec_set set;
		int ret = timespec_parse(&set, text, w->from_ns, w->to_ns, &err);

		if (ret) {
			must(ret == CDICT_EUSAGE && err.code == ret && err.text[0]);
			continue;
		}
		must(set.n > 0);
		check(&set);
		timespec_clip(&set, w->from_ns, w->to_ns);
		check(&set);
		for (size_t k = 0; k < set.n; k++)
			must(set.windows[k].from_ns >= w->from_ns &&
			     set.windows[k].to_ns <= w->to_ns);
		timespec_fini(&set);
	}
	free(text);
	free(exact);
	return 0;
}
