/* SPDX-License-Identifier: GPL-2.0-only */
/* parse_internal.h - a line while it is read: by its own keys (pfw_parse.c), by those of "args" (pfw_args.c). */
#ifndef EXCHANGE_PFW_PARSE_INTERNAL_H
#define EXCHANGE_PFW_PARSE_INTERNAL_H

#include "convert/pfw/parse.h"
#include "convert/pfw/scan.h"

struct line {
	struct pfw_part *part;
	const char *end;     /* of the text */
	uint8_t follows[10]; /* by member: which came behind it, the last first */
	unsigned holds;      /* PFW_ESCAPED: within the last string, PFW_BEYOND: somewhere */
	bool no_memory;
};

/* One event while its object is read. */
struct reading {
	const char *name, *category;
	uint32_t name_len, category_len;
	int64_t pid, tid;
	uint64_t ts_ns, dur_ns;
	bool has_ts, has_kind;
	char phase;
	uint32_t kind; /* when the names came before the arguments */
	uint32_t first_arg, n_args;
	uint32_t words[PFW_ARGS_MAX]; /* the arguments' keys */
};

/* From behind a string's opening quote: its content. What follows it, or NULL. */
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
		p[*len] = '"'; /* a number in it ends there */
	}
	return end + 1;
}

/* What is inside "args", from behind its bracket; these give what follows, or NULL. */
char *pfw_args(struct line *l, struct reading *r, char *p);
/* A line's key that is none of its own, from its quote on, and its value. */
char *pfw_other_member(struct line *l, struct reading *r, char *p);
/* From a value to what follows it, whatever it is. */
char *pfw_skip(struct line *l, char *p);
/* The kind of the events so named, which begins with its first one. */
uint32_t pfw_kind_of(struct line *l, const struct reading *r);
/* The role of a word as a key. */
uint8_t pfw_role_of(struct line *l, uint32_t key);

#endif
