/* SPDX-License-Identifier: GPL-2.0-only */
/* Selects tasks by name. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "capture/trigger/task_pattern.h"

#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

struct task_pattern {
	pcre2_code *code;
	pcre2_match_data *match;
};

int task_pattern_new(struct task_pattern **out, const char *pattern, struct cdict_error *err)
{
	struct task_pattern *p = calloc(1, sizeof(*p));
	PCRE2_UCHAR text[160];
	char *whole = NULL;
	PCRE2_SIZE at;
	int code = PCRE2_ERROR_HEAP_FAILED;

	*out = p;
	if (!p || asprintf(&whole, *pattern == '*' ? ".%s" : "%s", pattern) < 0)
		return cdict_fail_nomem(err);
	/* names may contain any byte */
	p->code = pcre2_compile((PCRE2_SPTR)whole, PCRE2_ZERO_TERMINATED,
				PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &code, &at, NULL);
	free(whole);
	if (!p->code && code != PCRE2_ERROR_HEAP_FAILED) {
		pcre2_get_error_message(code, text, sizeof(text));
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "task pattern '%s': %s, near character %zu", pattern,
				  (const char *)text, (size_t)at);
	}
	p->match = p->code ? pcre2_match_data_create_from_pattern(p->code, NULL) : NULL;
	return p->match ? 0 : cdict_fail_nomem(err);
}

void task_pattern_free(struct task_pattern *p)
{
	if (!p)
		return;
	pcre2_match_data_free(p->match);
	pcre2_code_free(p->code);
	free(p);
}

bool task_pattern_matches(void *pattern, const char *name)
{
	const struct task_pattern *p = pattern;

	return !p ||
	       pcre2_match(p->code, (PCRE2_SPTR)name, strlen(name), 0, 0, p->match, NULL) >= 0;
}
