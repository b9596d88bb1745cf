/* SPDX-License-Identifier: GPL-2.0-only */
/* annotate.h - cdict annotate: what it shares between its files. */
#ifndef CMD_ANNOTATE_H
#define CMD_ANNOTATE_H

#include "format/labels/label_index.h"
#include "cmd/core/options.h"
#include "cmd/names/openstack.h"

struct annotate_opts {
	struct options_shared shared;
	bool clear, anonymize;
	const char *anonymize_key;
	struct openstack_opts openstack;
};

/* What came of it, found by one walk over the events. */
struct annotate_report {
	size_t labels;               /* in the new file */
	size_t tasks;                /* that have a name now */
	uint64_t events, all_events; /* of these tasks; of the capture */
	size_t unmatched;            /* labels that name no task, beside those of the file */
	char *unmatched_text;        /* "tid 7 (Firewall.05.vcpu0), ..."; given */
	size_t ambiguous;
	char *ambiguous_text;
	size_t unnamed; /* threads of VMs without a name */
	char *unnamed_text;
};

/* annotate_foreign - whether of @rows of --map none is of a task of the capture. */
bool annotate_foreign(const struct annotate_report *report, size_t rows);
/* annotate_look - @n_old labels of @labels are the file's own. A status. */
int annotate_look(struct annotate_report *out, const struct cmd_call *call, const char *file,
		  struct cdict_reader *r, struct label_index *labels, size_t n_old);
/* annotate_tell - @rows: of --map and its like. */
void annotate_tell(const struct annotate_report *report, const struct cmd_call *call,
		   const char *file, size_t rows);
void annotate_report_fini(struct annotate_report *report);

#endif
