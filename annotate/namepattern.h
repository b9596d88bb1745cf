/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * namepattern.h - a server's name -> the task's name and its group.
 *
 * A pattern is a Perl regular expression (PCRE2) with the named groups `name`, `group`, or
 * both; it may match anywhere in the server's name. What does not match is kept whole, as a
 * name without a group. A group of digits loses its leading zeros ("05" and "5" are the same
 * group, and shown as 05).
 *
 * The default (NULL) knows:
 *	chain-05-Firewall   group 5, name Firewall   (chain, group, grp, sfc; also . _ and blanks)
 *	Firewall.05, fw-05  group 5, name Firewall, fw   (not after a digit: "debian-12.1" stays)
 *
 * Threads    one at a time per pattern
 * Ownership  namepattern_new() gives; results are the caller's storage
 */
#ifndef ANNOTATE_NAMEPATTERN_H
#define ANNOTATE_NAMEPATTERN_H

#include <stddef.h>

#include "cdict/error.h"

#define NAMEPATTERN_TEXT_MAX 1024 /* longer names are cut, between characters */

struct namepattern;

struct namepattern_result {
	char name[NAMEPATTERN_TEXT_MAX + 1];
	char group[NAMEPATTERN_TEXT_MAX + 1]; /* "" when there is none */
};

/* namepattern_new - CDICT_EUSAGE when @pattern is no regular expression or names neither
 * group; -ENOMEM. */
int namepattern_new(struct namepattern **out, const char *pattern, struct cdict_error *err);
void namepattern_free(struct namepattern *p);

/* namepattern_apply - 0 or -ENOMEM: what cannot be matched (a hostile name may take too many
 * steps) is kept whole. */
int namepattern_apply(const struct namepattern *p, const char *server,
		      struct namepattern_result *out);

/* namepattern_tidy_group - @group without leading zeros when it is a number. */
void namepattern_tidy_group(char *group);

#endif
