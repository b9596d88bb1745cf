/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * names.h - the names of tasks in a perfwhiz file: a comm, or a name made by its mapping, such as
 * Firewall.05.vcpu0, which becomes a label here.
 *
 * Ownership  caller's storage, perfwhiz_names_fini() empties it
 */
#ifndef CONVERT_PERFWHIZ_NAMES_H
#define CONVERT_PERFWHIZ_NAMES_H

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

/* perfwhiz_names_add - sets the name of @tid, if it has none yet. 0 or -ENOMEM. */
int perfwhiz_names_add(struct perfwhiz_names *n, int64_t tid, const char *text);
/* perfwhiz_names_store - stores the comms, as of tasks that existed at the start. */
int perfwhiz_names_store(const struct perfwhiz_names *n, struct ingest *in,
			 struct cdict_error *err);
/* perfwhiz_names_label - stores the names that are not comms as labels. */
int perfwhiz_names_label(const struct perfwhiz_names *n, struct cdict_writer *w,
			 struct cdict_error *err);
void perfwhiz_names_fini(struct perfwhiz_names *n);

/* perfwhiz_comm - makes a comm of @text: at most 15 bytes, no partial character, zero-padded. */
void perfwhiz_comm(char comm[16], const char *text);

#endif
