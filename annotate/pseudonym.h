/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pseudonym.h - names that say nothing, the same for the same name everywhere.
 *
 * A pseudonym is a keyed hash (SipHash-2-4) of kind and name.  Without a secret anybody
 * can hash the names he suspects and compare; with one nobody can who has not got it.
 *
 * Threads    one at a time per struct
 * Ownership  caller's storage; texts are borrowed until pseudonyms_fini()
 */
#ifndef ANNOTATE_PSEUDONYM_H
#define ANNOTATE_PSEUDONYM_H

#include <stddef.h>
#include <stdint.h>

#include "base/stringset.h"
#include "cdict/label.h"

struct pseudonyms {
	uint64_t key[2];
	struct stringset texts;
	const char *last, *last_pseudonym; /* of comms: the one asked for last */
};

/* pseudonyms_init - with the secret @secret[@size]; size 0: none. */
void pseudonyms_init(struct pseudonyms *p, const void *secret, size_t size);
void pseudonyms_fini(struct pseudonyms *p);

/* pseudonym - of @text: "t-0123456789" for the kind 't'; "" stays "".  NULL when out of
 * memory. */
const char *pseudonym(struct pseudonyms *p, char kind, const char *text, size_t len);
/* pseudonym_comm - the same for what a task is called; the kernel's own threads and QEMU's
 * ("swapper/3", "CPU 0/KVM"), which say nothing about anybody, keep their names. */
const char *pseudonym_comm(struct pseudonyms *p, const char *text, size_t len);
/* pseudonym_label - every text of @l; numbers of groups and the usual roles stay. 0 or
 * -ENOMEM. */
int pseudonym_label(struct pseudonyms *p, struct cdict_label *l);

/* pseudonym_siphash - SipHash-2-4. */
uint64_t pseudonym_siphash(const uint64_t key[2], const uint8_t *data, size_t size);

#endif
