/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * script_fields.h - the fields in a line of cdict script, named as for perf script -F.
 *
 * Failure    negative code with *err filled
 * Ownership  script_fields_fini() empties what script_fields_init() filled; the reader is borrowed
 */
#ifndef CMD_FILES_SCRIPT_FIELDS_H
#define CMD_FILES_SCRIPT_FIELDS_H

#include "analyze/printing/print.h"
#include "analyze/walk/comms.h"
#include "cdict/event.h"
#include "cdict/reader.h"

struct script_fields {
	bool comm, pid, tid, cpu, time, event, trace;
	bool period;               /* of samples, which perf prints without their event's fields */
	bool ip, sym, symoff, dso; /* for the frames of its stack */
	bool stacks;               /* print them: with @ip, set by the caller */
	bool alone;                /* no stack has callers: a sample's address is on its line */
	size_t deep_left;          /* frames of deep stacks that may still be printed */
	bool usual; /* tid, cpu, time in ns, event, trace: the same as printer_head() prints */
	bool ns;
	struct comms comms; /* with @comm */
};

/* script_fields_parse - parses "comm,tid,trace", or changes of the default, "+pid", "-cpu"; NULL:
 * the default. */
int script_fields_parse(struct script_fields *f, const char *text, bool ns,
			struct cdict_error *err);
int script_fields_init(struct script_fields *f, const struct cdict_reader *r,
		       struct cdict_error *err);
void script_fields_fini(struct script_fields *f);

/* script_fields_head - prints the part before the trace; events must be in time order; may set
 * out->failed. */
void script_fields_head(struct script_fields *f, struct printer *p, const struct cdict_event *ev,
			struct buf *out);

/* script_fields_ip - prints a sample's address, with the names in stack @stack if it has callers
 * nowhere, or alone. False: it is part of the stack on the next lines. */
bool script_fields_ip(const struct script_fields *f, const struct cdict_reader *r,
		      const struct cdict_event *ev, uint32_t stack, struct buf *out);

/* script_fields_stack - prints the frames of @stack, one per line, after the line of its event, and an empty line, like perf script; nothing for CDICT_NO_STACK. */
void script_fields_stack(struct script_fields *f, const struct cdict_reader *r, uint32_t stack,
			 struct buf *out);

#endif
