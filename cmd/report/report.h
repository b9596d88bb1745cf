/* SPDX-License-Identifier: GPL-2.0-only */
/* report.h - the page of cdict report, for the commands that write one. */
#ifndef CMD_REPORT_H
#define CMD_REPORT_H

#include "cmd/tables/figures.h"
#include "render/engine/capture.h"

/* As many as a page compares. */
#define REPORT_FILES 16

enum report_embed { REPORT_EMBED_AUTO = 0, REPORT_EMBED_ALL, REPORT_EMBED_NONE };
/* With --embed auto: cdicts of more bytes, together, stay outside the page. */
#define REPORT_EMBED_LIMIT (UINT64_C(64) << 20)

struct report_capture {
	struct figures f;
	char *label;
	struct page_capture page;
};

/* report_open - opens @file, walks it, fills the tables; a status.  report_close() also after
 * a failure; @c stays where it is. */
int report_open(struct report_capture *c, const struct cmd_call *call, const char *file,
		const char *label);
void report_close(struct report_capture *c);
/* report_label - @label, else "run" of "dir/run.cdict"; given. */
char *report_label(const char *file, const char *label);

/* report_write - the page of the captures to @path; a status. */
int report_write(const struct cmd_call *call, const char *path, struct report_capture *captures,
		 size_t n, const struct page_view *view, int embed);

#endif
