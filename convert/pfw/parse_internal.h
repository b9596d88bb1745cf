/* SPDX-License-Identifier: GPL-2.0-only */
/* parse_internal.h - parses a line: its own keys (parse.c), those of "args" (args.c). */
#ifndef CONVERT_PFW_PARSE_INTERNAL_H
#define CONVERT_PFW_PARSE_INTERNAL_H

#include "convert/pfw/parse.h"
#include "convert/pfw/scan.h"

struct line {
	struct pfw_part *part;
	const char *end;     /* of the text */
	uint8_t follows[10]; /* by member: the one that last followed it */
	unsigned holds;      /* PFW_ESCAPED: in the last string, PFW_BEYOND: anywhere */
	bool no_memory;
};

/* An event while its object is parsed. */
struct reading {
	const char *name, *category;
	uint32_t name_len, category_len;
	int64_t pid, tid;
	uint64_t ts_ns, dur_ns;
	bool has_ts, has_kind;
	char phase;
	uint32_t kind;              /* when the names preceded the arguments */
	uint32_t first_arg, n_args; /* their keys are words */
};

/* Parses a string, from after its opening quote; returns the position after it, or NULL. */
static inline char *pfw_string(struct line *l, char *p, const char **text, uint32_t *len)
{
	char *end;

	l->holds &= ~PFW_ESCAPED;
	end = pfw_string_end(p, &l->holds);
	if (!end)
		return NULL;
	*text = p;
	*len = (uint32_t)(end - p);
	if (l->holds & PFW_ESCAPED) {
		*len = pfw_unescape(p, end);
		p[*len] = '"'; /* ends a number in the string */
	}
	return end + 1;
}

/* Parses the inside of "args", from after its bracket. Like the next two, returns the position
 * after it, or NULL. */
char *pfw_args(struct line *l, struct reading *r, char *p);
/* Parses a key that is not one of the line's own, from its quote on, and its value. */
char *pfw_other_member(struct line *l, struct reading *r, char *p);
/* Skips any value. */
char *pfw_skip(struct line *l, char *p);
/* Finds or adds the kind of events with these names. */
uint32_t pfw_kind_of(struct line *l, const struct reading *r);
/* The role of a word as a key. */
uint8_t pfw_role_of(struct line *l, uint32_t key);

#endif
