/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * namepattern.h - splits a server's name into the task's name and its group.
 *
 * A pattern is a Perl regular expression (PCRE2) with the named groups `name`, `group`, or
 * both; it may match anywhere in the server's name. A name that does not match is kept whole,
 * without a group. A numeric group loses its leading zeros ("05" and "5" are the same
 * group, printed as 05).
 *
 * The default (NULL) recognises:
 *	chain-05-Firewall   group 5, name Firewall   (chain, group, grp, sfc; also . _ and blanks)
 *	Firewall.05, fw-05  group 5, name Firewall, fw   (not after a digit: "debian-12.1" stays)
 *
 * Threads    one at a time per pattern
 * Ownership  namepattern_new() gives; results are the caller's storage
 */
#ifndef ANNOTATE_OPENSTACK_NAMEPATTERN_H
#define ANNOTATE_OPENSTACK_NAMEPATTERN_H

#include <stddef.h>

#include "cdict/error.h"

#define NAMEPATTERN_TEXT_MAX 1024 /* longer names are truncated between characters */

struct namepattern;

struct namepattern_result {
	char name[NAMEPATTERN_TEXT_MAX + 1];
	char group[NAMEPATTERN_TEXT_MAX + 1]; /* "" without a group */
};

/* namepattern_new - CDICT_EUSAGE when @pattern is not a regular expression or has neither
 * group; -ENOMEM. */
int namepattern_new(struct namepattern **out, const char *pattern, struct cdict_error *err);
void namepattern_free(struct namepattern *p);

/* namepattern_apply - 0 or -ENOMEM; a name whose match fails (a hostile name may need too many
 * steps) is kept whole. */
int namepattern_apply(const struct namepattern *p, const char *server,
		      struct namepattern_result *out);

/* namepattern_tidy_group - removes leading zeros from @group if it is a number. */
void namepattern_tidy_group(char *group);

#endif
