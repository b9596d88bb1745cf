/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * folded.h - stacks with figures as a tree: every frame once below its caller. The data of flame
 * graphs and of files of folded stacks, "main;work;read 12".
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
 * Names of frames are untrusted text, stored as they are: escape them on output.
 *
 * Units      values are in units of the tree divided by @parts: 100: hundredths; 1: whole units
 * Failure    0 or a negative code with *err filled
 * Ownership  caller's storage, it owns the names; folded_fini() also after a failure
 */
#ifndef TABLES_STACKS_FOLDED_H
#define TABLES_STACKS_FOLDED_H

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
#define FOLDED_UNKNOWN "[unknown]" /* name of a frame without one */
/* Limit of frames in a stack, more than any recorder stores: deeper ones are refused. */
#define FOLDED_DEPTH 8192

/* The kind of a frame, if known. */
enum folded_kind {
	FOLDED_PLAIN = 0,
	FOLDED_TASK,
	FOLDED_KERNEL,
	FOLDED_USER,
	FOLDED_NOTE, /* added by cdict: reason, waker, no stack */
	FOLDED_KINDS,
};

struct folded_node {
	const char *name;
	uint32_t parent; /* before it in the tree */
	uint16_t depth;  /* FOLDED_ROOT: 0 */
	uint8_t kind;    /* enum folded_kind */
	bool stack;      /* some stack ends here */
	uint64_t value, count;
	/* After folded_done(): including callees. */
	uint64_t total;
};

struct folded {
	ARRAY(struct folded_node) nodes; /* [0] is the root of all stacks, without a name */
	struct map children;             /* (parent, name) */
	struct stringset texts;
	unsigned parts; /* of a unit, 100 or 1 */
	/* After folded_done(), depth first: callees by name; the largest first, by name if equal. */
	uint32_t *order, *by_size;
	uint64_t sum; /* of all values */
	uint64_t cut; /* stacks without their last frames: the tree was too large */
};

int folded_init(struct folded *f); /* parts: 1; 0 or -ENOMEM */
void folded_fini(struct folded *f);

/* folded_child - the node of @name under @parent, created if new; FOLDED_NONE: out of memory. The
 * depth of @parent must be below FOLDED_DEPTH. */
uint32_t folded_child(struct folded *f, uint32_t parent, const char *name, size_t len,
		      enum folded_kind kind);
/* folded_add - a stack ends in @node, @count times, worth @value; CDICT_ELIMIT: more than 2^64 in all. */
int folded_add(struct folded *f, uint32_t node, uint64_t value, uint64_t count,
	       struct cdict_error *err);
/* folded_done - adds up and sorts; 0 or -ENOMEM. */
int folded_done(struct folded *f);

/* folded_parse - adds the lines of @text to the tree, whose parts must be 100: frames separated by
 * ';', a blank and a number; comments, "# duration: 23873", are skipped. *ignored: the number of
 * malformed lines. CDICT_ELIMIT: too deep, or the sum overflows. */
int folded_parse(struct folded *f, const char *text, size_t size, size_t *ignored,
		 struct cdict_error *err);
/* folded_is_comparison - whether each stack in @text has two numbers, as written by
 * difffolded.pl. */
bool folded_is_comparison(const char *text, size_t size);
/* folded_parse_comparison - like folded_parse(), but for such lines: adds the first number to
 * @before, the second to @after; the nodes of both have the same numbers if they were empty
 * before. */
int folded_parse_comparison(struct folded *before, struct folded *after, const char *text,
			    size_t size, size_t *ignored, struct cdict_error *err);
/* folded_write - writes such lines, sorted by name; characters in names that would end a frame or
 * line, or begin a comment, are escaped. @before: in a comparison, whose lines have two numbers;
 * else NULL. */
void folded_write(const struct folded *f, const struct folded *before, struct sink *s);
/* folded_path - writes the frames from the first to @node separated by ';', as in such a line. */
void folded_path(const struct folded *f, uint32_t node, struct sink *s);

/* folded_number - "12", "12.50": @value divided by @parts. */
#define FOLDED_ROOM 32
char *folded_number(char out[FOLDED_ROOM], unsigned parts, uint64_t value);
/* folded_read_number - parses @len characters, digits with or without a point, to rounded
 * hundredths; false: not a number, or too large. */
bool folded_read_number(const char *text, size_t len, uint64_t *hundredths);

#endif
