// SPDX-License-Identifier: GPL-2.0-only
/* Splits server names into task names and groups with a regular expression. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "annotate/openstack/namepattern.h"

#include <errno.h>
#include <pcre2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/escape.h"

/* Two alternatives use the same group names: (?J). */
#define DEFAULT_PATTERN                                                                            \
	"(?Ji)^(?:chain|group|grp|sfc)[-_. ]?(?<group>[0-9]{1,9})[-_. ]+(?<name>.*\\S)\\s*$"       \
	"|^(?<name>.*[^-_. 0-9])[-_. ](?<group>[0-9]{1,9})$"

/* Matching steps; a sensible pattern needs tens per name. */
#define MATCH_LIMIT 100000u

struct namepattern {
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *context;
	bool has_name, has_group;
};

static bool names(const pcre2_code *code, const char *name)
{
	PCRE2_SPTR first, last;

	return pcre2_substring_nametable_scan(code, (PCRE2_SPTR)name, &first, &last) > 0;
}

static int compile(struct namepattern *p, const char *pattern, struct cdict_error *err)
{
	PCRE2_UCHAR text[160];
	PCRE2_SIZE at;
	int code;

	p->code = pcre2_compile((PCRE2_SPTR)(pattern ? pattern : DEFAULT_PATTERN),
				PCRE2_ZERO_TERMINATED, PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &code,
				&at, NULL);
	if (!p->code && code == PCRE2_ERROR_HEAP_FAILED)
		return cdict_fail_nomem(err);
	if (!p->code) {
		pcre2_get_error_message(code, text, sizeof(text));
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "name pattern '%s': %s, near character %zu", pattern,
				  (const char *)text, (size_t)at);
	}
	p->has_name = names(p->code, "name");
	p->has_group = names(p->code, "group");
	if (!p->has_name && !p->has_group)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "name pattern '%s' has neither (?<name>...) nor (?<group>...)",
				  pattern);
	return 0;
}

int namepattern_new(struct namepattern **out, const char *pattern, struct cdict_error *err)
{
	struct namepattern *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return cdict_fail_nomem(err);
	rc = compile(p, pattern, err);
	if (!rc) {
		p->match = pcre2_match_data_create_from_pattern(p->code, NULL);
		p->context = pcre2_match_context_create(NULL);
		if (!p->match || !p->context)
			rc = cdict_fail_nomem(err);
	}
	if (rc) {
		namepattern_free(p);
		return rc;
	}
	pcre2_set_match_limit(p->context, MATCH_LIMIT);
	pcre2_set_depth_limit(p->context, MATCH_LIMIT);
	pcre2_set_heap_limit(p->context, 4096); /* KiB */
	*out = p;
	return 0;
}

void namepattern_free(struct namepattern *p)
{
	if (!p)
		return;
	pcre2_match_context_free(p->context);
	pcre2_match_data_free(p->match);
	pcre2_code_free(p->code);
	free(p);
}

/* Copies at most NAMEPATTERN_TEXT_MAX bytes, without splitting a character. */
static void copy(char *into, const char *text, size_t len)
{
	len = escape_cut(text, len, NAMEPATTERN_TEXT_MAX);
	memcpy(into, text, len);
	into[len] = '\0';
}

/* The text of the named group; if several have the name, of the first that matched. */
static bool named(const struct namepattern *p, const char *server, const char *name, char *into)
{
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(p->match);
	uint32_t n = pcre2_get_ovector_count(p->match);
	PCRE2_SPTR first, last;
	int size = pcre2_substring_nametable_scan(p->code, (PCRE2_SPTR)name, &first, &last);

	for (; size > 0 && first <= last; first += size) {
		uint32_t i = (uint32_t)first[0] << 8 | first[1];

		if (i >= n || at[2 * i] == PCRE2_UNSET || at[2 * i + 1] <= at[2 * i])
			continue;
		copy(into, server + at[2 * i], at[2 * i + 1] - at[2 * i]);
		return true;
	}
	return false;
}

void namepattern_tidy_group(char *group)
{
	size_t len = strlen(group), zeros = strspn(group, "0");

	if (!len || strspn(group, "0123456789") != len)
		return;
	if (zeros == len)
		zeros--;
	memmove(group, group + zeros, len - zeros + 1);
}

int namepattern_apply(const struct namepattern *p, const char *server,
		      struct namepattern_result *out)
{
	size_t len = strlen(server);
	int found;

	copy(out->name, server, len);
	out->group[0] = '\0';
	found = pcre2_match(p->code, (PCRE2_SPTR)server, len, 0, 0, p->match, p->context);
	if (found <= 0)
		return found == PCRE2_ERROR_NOMEMORY ? -ENOMEM : 0;
	named(p, server, "name", out->name);
	if (named(p, server, "group", out->group))
		namepattern_tidy_group(out->group);
	return 0;
}
