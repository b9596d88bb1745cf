/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pseudonym.h - meaningless names: the same name always gets the same pseudonym.
 *
 * A pseudonym is a keyed hash (SipHash-2-4) of kind and name.  Without a secret anybody
 * can hash suspected names and compare; with a secret that requires the secret.
 *
 * Threads    one at a time per struct
 * Ownership  caller's storage; texts are borrowed until pseudonyms_fini()
 */
#ifndef ANNOTATE_PSEUDONYM_H
#define ANNOTATE_PSEUDONYM_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory/stringset.h"
#include "cdict/label.h"

struct pseudonyms {
	uint64_t key[2];
	struct stringset texts;
	const char *last, *last_pseudonym; /* the latest comm */
};

/* pseudonyms_init - uses the secret @secret[@size]; size 0: none. */
void pseudonyms_init(struct pseudonyms *p, const void *secret, size_t size);
void pseudonyms_fini(struct pseudonyms *p);

/* pseudonym - "t-0123456789" for @text of kind 't'; "" stays "".  NULL when out of
 * memory. */
const char *pseudonym(struct pseudonyms *p, char kind, const char *text, size_t len);
/* pseudonym_comm - the same for a task's comm; common names of kernel threads and of QEMU's
 * ("swapper/3", "CPU 0/KVM") identify no person and stay. */
const char *pseudonym_comm(struct pseudonyms *p, const char *text, size_t len);
/* pseudonym_uuid - a UUID for a UUID. */
const char *pseudonym_uuid(struct pseudonyms *p, const char *uuid);
/* pseudonym_label - replaces every text of @l; group numbers and common roles stay. 0 or
 * -ENOMEM. */
int pseudonym_label(struct pseudonyms *p, struct cdict_label *l);

/* pseudonym_siphash - SipHash-2-4. */
uint64_t pseudonym_siphash(const uint64_t key[2], const uint8_t *data, size_t size);

#endif
