/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * script_fields.h - the fields of a line of cdict script, as perf script -F names them.
 *
 * Failure    negative code with *err filled
 * Ownership  script_fields_fini() empties what script_fields_init() filled; the reader is borrowed
 */
#ifndef CMD_SCRIPT_FIELDS_H
#define CMD_SCRIPT_FIELDS_H

#include "analyze/printing/print.h"
#include "analyze/walk/comms.h"
#include "cdict/event.h"
#include "cdict/reader.h"

struct script_fields {
	bool comm, pid, tid, cpu, time, event, trace;
	bool ip, sym, symoff, dso; /* of the frames of its stack */
	bool usual; /* tid, cpu, time in ns, event, trace: what printer_head() prints */
	bool ns;
	struct comms comms; /* with @comm */
};

/* script_fields_parse - "comm,tid,trace", "+pid", "-cpu" to what there is without; NULL: the usual ones. */
int script_fields_parse(struct script_fields *f, const char *text, bool ns,
			struct cdict_error *err);
int script_fields_init(struct script_fields *f, const struct cdict_reader *r,
		       struct cdict_error *err);
void script_fields_fini(struct script_fields *f);

/* script_fields_head - what stands before the trace, of events in order of time; out->failed. */
void script_fields_head(struct script_fields *f, struct printer *p, const struct cdict_event *ev,
			struct buf *out);

/* script_fields_stack - the frames of the event that @it gave last, a line each, behind its own line, and an empty one,
 * as perf script has them; nothing when it has no stack, or no field of frames is wanted. */
void script_fields_stack(const struct script_fields *f, const struct cdict_reader *r,
			 struct cdict_events *it, struct buf *out);

#endif
