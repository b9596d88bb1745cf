/* SPDX-License-Identifier: GPL-2.0-only */
/* Which tasks a trigger is for. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <errno.h>
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "capture/trigger_internal.h"

struct regex {
	pcre2_code *code;
	pcre2_match_data *match;
};

void trigger_regex_free(void *regex)
{
	struct regex *re = regex;

	if (!re)
		return;
	pcre2_match_data_free(re->match);
	pcre2_code_free(re->code);
	free(re);
}

int trigger_regex_new(void **regex, const char *pattern, struct cdict_error *err)
{
	struct regex *re = calloc(1, sizeof(*re));
	PCRE2_UCHAR text[160];
	char *whole = NULL;
	PCRE2_SIZE at;
	int code = 0;

	*regex = NULL;
	if (!re || asprintf(&whole, *pattern == '*' ? ".%s" : "%s", pattern) < 0) {
		free(re);
		return cdict_fail_nomem(err);
	}
	re->code = pcre2_compile((PCRE2_SPTR)whole, PCRE2_ZERO_TERMINATED,
				 PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &code, &at, NULL);
	free(whole);
	if (re->code)
		re->match = pcre2_match_data_create_from_pattern(re->code, NULL);
	if (re->match) {
		*regex = re;
		return 0;
	}
	pcre2_get_error_message(code, text, sizeof(text));
	trigger_regex_free(re);
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "task pattern '%s': %s", pattern,
			  (const char *)text);
}

bool trigger_regex_matches(const void *regex, const char *comm)
{
	const struct regex *re = regex;

	return !re ||
	       pcre2_match(re->code, (PCRE2_SPTR)comm, strlen(comm), 0, 0, re->match, NULL) >= 0;
}
