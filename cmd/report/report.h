/* SPDX-License-Identifier: GPL-2.0-only */
/* report.h - writes the page of cdict report, for the commands that need it. */
#ifndef CMD_REPORT_REPORT_H
#define CMD_REPORT_REPORT_H

#include "base/memory/buf.h"
#include "cmd/tables/figures.h"
#include "render/engine/capture.h"

/* Limit of captures that a page compares. */
#define REPORT_FILES 16

enum report_embed { REPORT_EMBED_AUTO = 0, REPORT_EMBED_ALL, REPORT_EMBED_NONE };
/* With --embed auto: cdicts with a larger total size are not embedded. */
#define REPORT_EMBED_LIMIT (UINT64_C(64) << 20)

struct report_capture {
	struct figures f;
	char *label;
	struct page_capture page;
	struct buf joined; /* the capture's bytes with guests that were given as operands; or empty */
};

/* report_open - opens @file, walks it, fills the tables; a status. Call report_close() also after a
 * failure; @c must not move. */
int report_open(struct report_capture *c, const struct cmd_call *call, const char *file,
		const char *label);
void report_close(struct report_capture *c);
/* report_label - returns @label, else "run" for "dir/run.cdict"; given. */
char *report_label(const char *file, const char *label);

/* report_write - writes the page of the captures to @path; a status. */
int report_write(const struct cmd_call *call, const char *path, struct report_capture *captures,
		 size_t n, const struct page_view *view, int embed);

#endif
