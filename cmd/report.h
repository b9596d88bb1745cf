/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report.h - the parts of cdict report: options and the file (report.c), one walk a capture
 * (report_capture.c), what the page is told of it (report_head.c, report_findings.c), several
 * captures beside each other (report_compare.c).  doc/page.md describes what they write.
 */
#ifndef CMD_REPORT_H
#define CMD_REPORT_H

#include "analyze/coremap.h"
#include "analyze/exits.h"
#include "analyze/latency.h"
#include "analyze/tasks.h"
#include "analyze/vcpu.h"
#include "base/json.h"
#include "cmd/figures.h"
#include "render/page_bins.h"

enum report_embed { REPORT_EMBED_AUTO = 0, REPORT_EMBED_ALL, REPORT_EMBED_NONE };
/* With --embed auto: cdicts of more bytes, together, stay outside the page. */
#define REPORT_EMBED_LIMIT (UINT64_C(64) << 20)

/* In the order in which they are written. */
enum report_table {
	REPORT_TASKS = 0,
	REPORT_EXITS,
	REPORT_GUEST,
	REPORT_VCPU,
	REPORT_VCPU_REASONS,
	REPORT_ANTAGONISTS,
	REPORT_LATENCY,
	REPORT_COREMAP,
	REPORT_CPUS,
	REPORT_TABLES,
};

struct report_capture {
	struct figures f;
	char *label;
	uint64_t t0_ns, last_ns; /* first and last event of the whole file */
	struct analyze_tasks *tasks;
	struct analyze_exits *exits;
	struct analyze_vcpus *vcpus;
	struct analyze_latency *latency;
	struct analyze_coremap *coremap;
	struct page_bins *bins;
	struct table *tables[REPORT_TABLES];
	bool embedded;
};

/* report_capture_open - opens @file, walks it, fills the tables; a status.
 * report_capture_close() also after a failure. */
int report_capture_open(struct report_capture *c, const struct cmd_call *call, const char *file,
			const char *label);
void report_capture_close(struct report_capture *c);
bool report_wanted(void *capture, uint32_t task); /* by -t, --tid, --vm */

/* What a page shows: everything, or one view. */
struct report_view {
	const char *only;      /* "exits"; NULL: everything */
	const char *what, *by; /* with which the view starts, or NULL */
};

/* report_head_json - the page's head, with j->script set; 0 or -ENOMEM. */
int report_head_json(struct json *j, struct report_capture *captures, size_t n,
		     const struct report_view *view);
/* report_tables_json - tasks, tables and bins of one capture; the bins' numbers go to
 * @arrays. 0 or -ENOMEM. */
int report_tables_json(struct json *j, struct report_capture *c, struct sink *arrays);
int report_findings_json(struct json *j, const struct report_capture *c);
int report_palette_json(struct json *j, const struct report_capture *captures, size_t n);

/* report_compare_json - the member "compare" of two or more captures. */
int report_compare_json(struct json *j, const struct report_capture *captures, size_t n);

/* report_write - the page of the captures to @path; a status. */
int report_write(const struct cmd_call *call, const char *path, struct report_capture *captures,
		 size_t n, const struct report_view *view, int embed);

#endif
