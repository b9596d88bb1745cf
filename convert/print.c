/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict script's printer. */
#include "convert/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "convert/formats.h"

struct print {
	const struct cdict_schema *schema;
	struct tep_handle *tep;
	struct tep_event **events; /* by type */
	struct trace_seq seq;
	uint8_t *payload;
	size_t room;
	int name_width;
};

struct print *print_new(const struct cdict_schema *schema, const char *strings)
{
	struct print *p = calloc(1, sizeof(*p));
	size_t n = cdict_schema_count(schema);

	if (!p)
		return NULL;
	p->schema = schema;
	p->tep = formats_tep(schema, strings);
	p->events = calloc(n ? n : 1, sizeof(*p->events));
	if (!p->tep || !p->events) {
		tep_free(p->tep);
		free(p->events);
		free(p);
		return NULL;
	}
	trace_seq_init(&p->seq);
	for (size_t i = 0; i < n; i++) {
		const struct cdict_event_type *t = cdict_schema_at(schema, i);
		int len = (int)strlen(t->name);

		p->events[i] = tep_find_event_by_name(p->tep, t->system, t->event);
		if (len > p->name_width)
			p->name_width = len;
	}
	return p;
}

void print_free(struct print *p)
{
	if (!p)
		return;
	trace_seq_destroy(&p->seq);
	tep_free(p->tep);
	free(p->events);
	free(p->payload);
	free(p);
}

/* The payload with zeros behind it, for strings that do not end inside it. */
static size_t rebuild(struct print *p, const struct cdict_event *ev)
{
	const size_t slack = 16;
	size_t size = cdict_event_payload(p->schema, ev, p->payload, p->room);

	if (size + slack > p->room) {
		uint8_t *bigger = realloc(p->payload, size + slack);

		if (!bigger)
			return 0;
		p->payload = bigger;
		p->room = size + slack;
		size = cdict_event_payload(p->schema, ev, p->payload, p->room);
	}
	memset(p->payload + size, 0, slack);
	return size;
}

void print_event(struct print *p, const struct cdict_event *ev, struct buf *out)
{
	struct tep_event *event = p->events[ev->type->index];
	struct tep_record record = { .cpu = (int)ev->cpu, .ts = ev->t_ns };

	buf_printf(out, "%5d [%03d] %5" PRIu64 ".%09" PRIu64 ": %*s: ", ev->tid, (int)ev->cpu,
		   ev->t_ns / 1000000000, ev->t_ns % 1000000000, p->name_width, ev->type->name);
	record.size = (int)rebuild(p, ev);
	record.data = p->payload;
	if (event && record.size) {
		trace_seq_reset(&p->seq);
		tep_print_event(p->tep, &p->seq, &record, "%s", TEP_PRINT_INFO);
		trace_seq_terminate(&p->seq);
		buf_add(out, p->seq.buffer, p->seq.len);
	}
	buf_u8(out, '\n');
}
