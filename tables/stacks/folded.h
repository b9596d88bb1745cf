/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * folded.h - stacks with figures as a tree: every frame once under the one that called it. What flame graphs
 * are drawn of, and what stands in a file of folded stacks, "main;work;read 12".
 *
 *	struct folded f;
 *
 *	folded_init(&f);
 *	uint32_t at = folded_child(&f, FOLDED_ROOT, "main", 4, FOLDED_PLAIN);
 *	at = folded_child(&f, at, "work", 4, FOLDED_PLAIN);
 *	folded_add(&f, at, 1200, 1, err);	// 12: hundredths
 *	folded_done(&f);
 *	... f.nodes.at[at].total ...
 *	folded_fini(&f);
 *
 * Names of frames are foreign text, kept as they are: who shows them escapes them.
 *
 * Units      values are what the tree is of, in parts of @parts: 100, hundredths; 1, whole ones
 * Failure    0 or a negative code with *err filled
 * Ownership  caller's storage, names are its own; folded_fini() also after a failure
 */
#ifndef TABLES_FOLDED_H
#define TABLES_FOLDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory/array.h"
#include "base/memory/map.h"
#include "base/memory/stringset.h"
#include "base/text/sink.h"
#include "cdict/error.h"

#define FOLDED_ROOT 0u
#define FOLDED_NONE UINT32_MAX
#define FOLDED_UNKNOWN "[unknown]" /* what a frame without a name is called */
/* More frames in a stack than anybody records: deeper ones are refused. */
#define FOLDED_DEPTH 8192

/* What a frame is, as far as that is known. */
enum folded_kind {
	FOLDED_PLAIN = 0,
	FOLDED_TASK,
	FOLDED_KERNEL,
	FOLDED_USER,
	FOLDED_NOTE, /* of ours: why, by whom, that there is no stack */
	FOLDED_KINDS,
};

struct folded_node {
	const char *name;
	uint32_t parent; /* before it in the tree */
	uint16_t depth;  /* FOLDED_ROOT: 0 */
	uint8_t kind;    /* enum folded_kind */
	bool stack;      /* stacks end here */
	uint64_t value, count;
	/* After folded_done(): with all that it called. */
	uint64_t total;
};

struct folded {
	ARRAY(struct folded_node) nodes; /* [0] is what all stacks begin in, without a name */
	struct map children;             /* (parent, name) */
	struct stringset texts;
	unsigned parts;  /* of a unit, 100 or 1 */
	uint32_t *order; /* after folded_done(): depth first, callees by name */
	uint64_t sum;    /* of all values */
};

int folded_init(struct folded *f); /* parts: 1; 0 or -ENOMEM */
void folded_fini(struct folded *f);

/* folded_child - the node of @name under @parent, made when new; FOLDED_NONE: out of memory. Its depth must be one that
 * there is: @parent's is below FOLDED_DEPTH. */
uint32_t folded_child(struct folded *f, uint32_t parent, const char *name, size_t len,
		      enum folded_kind kind);
/* folded_add - a stack ends in @node, @count times, worth @value; CDICT_ELIMIT: more than 2^64 in all. */
int folded_add(struct folded *f, uint32_t node, uint64_t value, uint64_t count,
	       struct cdict_error *err);
/* folded_done - adds up and sorts; 0 or -ENOMEM. */
int folded_done(struct folded *f);

/* folded_parse - adds the lines of @text to the tree, whose parts must be 100: frames with ';' between
 * them, a blank and a number; comments, "# duration: 23873", are left out. *ignored: lines that are none. CDICT_ELIMIT: too deep, too much. */
int folded_parse(struct folded *f, const char *text, size_t size, size_t *ignored,
		 struct cdict_error *err);
/* folded_is_comparison - whether each line of @text that is a stack has two numbers, as difffolded.pl writes them. */
bool folded_is_comparison(const char *text, size_t size);
/* folded_parse_comparison - the same of such lines: the first number to @before, the second to @after, whose nodes, when
 * both got no others, have the same numbers. */
int folded_parse_comparison(struct folded *before, struct folded *after, const char *text,
			    size_t size, size_t *ignored, struct cdict_error *err);
/* folded_write - the same lines, by name: what would end a frame or a line in a name, or be a comment, is shown otherwise.
 * @before: of a comparison, whose lines have two numbers; else NULL. */
void folded_write(const struct folded *f, const struct folded *before, struct sink *s);
/* folded_path - the frames from the first to @node with ';' between them, as there. */
void folded_path(const struct folded *f, uint32_t node, struct sink *s);

/* folded_number - "12", "12.50": @value of @parts. */
#define FOLDED_ROOM 32
char *folded_number(char out[FOLDED_ROOM], unsigned parts, uint64_t value);
/* folded_read_number - of @len digits with or without a point, as hundredths, rounded; false: it is none, or too large. */
bool folded_read_number(const char *text, size_t len, uint64_t *hundredths);

#endif
