/* SPDX-License-Identifier: GPL-2.0-only */
/* annotate.h - cdict annotate: shared by its files. */
#ifndef CMD_NAMES_ANNOTATE_H
#define CMD_NAMES_ANNOTATE_H

#include "format/labels/label_index.h"
#include "cmd/core/options.h"
#include "cmd/names/openstack.h"

struct annotate_opts {
	struct options_shared shared;
	bool clear, anonymize;
	const char *anonymize_key;
	struct openstack_opts openstack;
};

/* The result, from one walk over the events. */
struct annotate_report {
	size_t labels;               /* in the new file */
	size_t tasks;                /* that now have a name */
	uint64_t events, all_events; /* of these tasks; of the whole capture */
	size_t unmatched;            /* new labels that match no task */
	char *unmatched_text;        /* "tid 7 (Firewall.05.vcpu0), ..."; given */
	size_t ambiguous;
	char *ambiguous_text;
	size_t unnamed; /* unnamed threads of VMs */
	char *unnamed_text;
};

/* annotate_foreign - whether none of the @rows of --map matches a task of the capture. */
bool annotate_foreign(const struct annotate_report *report, size_t rows);
/* annotate_look - makes the report; the first @n_old labels of @labels are the file's own. A
 * status. */
int annotate_look(struct annotate_report *out, const struct cmd_call *call, const char *file,
		  struct cdict_reader *r, struct label_index *labels, size_t n_old);
/* annotate_report_print - prints the report; @rows: number of labels from --map and other new sources. */
void annotate_report_print(const struct annotate_report *report, const struct cmd_call *call,
			   const char *file, size_t rows);
void annotate_report_fini(struct annotate_report *report);

#endif
