/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * names.h - the names that a perfwhiz file gives to tasks: a comm, or what its mapping made of one,
 * Firewall.05.vcpu0, which is a label here.
 *
 * Ownership  caller's storage, perfwhiz_names_fini() empties it
 */
#ifndef EXCHANGE_PERFWHIZ_NAMES_H
#define EXCHANGE_PERFWHIZ_NAMES_H

#include "base/memory/array.h"
#include "base/memory/map.h"
#include "convert/ingest/ingest.h"

struct perfwhiz_name {
	int32_t tid;
	char *text;
};

struct perfwhiz_names {
	struct map by_tid;
	ARRAY(struct perfwhiz_name) all;
};

/* perfwhiz_names_add - @tid is called @text; the first name stays. 0 or -ENOMEM. */
int perfwhiz_names_add(struct perfwhiz_names *n, int64_t tid, const char *text);
/* perfwhiz_names_tell - the comms, as of tasks that were there before. */
int perfwhiz_names_tell(const struct perfwhiz_names *n, struct ingest *in, struct cdict_error *err);
/* perfwhiz_names_label - those that are no comms. */
int perfwhiz_names_label(const struct perfwhiz_names *n, struct cdict_writer *w,
			 struct cdict_error *err);
void perfwhiz_names_fini(struct perfwhiz_names *n);

/* perfwhiz_comm - @text as a comm: 15 bytes at most, no half character, and zeros behind. */
void perfwhiz_comm(char comm[16], const char *text);

#endif
