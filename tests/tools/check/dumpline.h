/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dumpline.h - one event as one line of text, for tests: every stored bit of it, in
 * a form that a second reader in another language can print just the same.
 *
 *	CPU T_NS TID PID MODE NAME FIELD=VALUE...
 *
 * CPU is - when unknown. Scalars are decimal. Texts stand in double quotes, with
 * every byte that is not printable ASCII, the quote and the backslash as \xNN; other
 * bytes are hexadecimal, two digits each, in braces.
 */
#ifndef TESTS_TOOLS_CHECK_DUMPLINE_H
#define TESTS_TOOLS_CHECK_DUMPLINE_H

#include <inttypes.h>

#include "base/memory/buf.h"
#include "cdict/event.h"

static inline void dump_bytes(struct buf *out, struct cdict_bytes b, bool is_text)
{
	buf_u8(out, is_text ? '"' : '{');
	for (size_t i = 0; i < b.len; i++) {
		uint8_t c = b.data[i];

		if (!is_text)
			buf_printf(out, "%02x", c);
		else if (c < 0x20 || c > 0x7e || c == '"' || c == '\\')
			buf_printf(out, "\\x%02x", c);
		else
			buf_u8(out, c);
	}
	buf_u8(out, is_text ? '"' : '}');
}

/* dump_line - appends the line with its newline; no NUL. */
static inline void dump_line(struct buf *out, const struct cdict_event *ev)
{
	const struct cdict_event_type *t = ev->type;

	if (ev->cpu == CDICT_CPU_UNKNOWN)
		buf_printf(out, "-");
	else
		buf_printf(out, "%" PRIu32, ev->cpu);
	buf_printf(out, " %" PRIu64 " %" PRId32 " %" PRId32 " %u %s", ev->t_ns, ev->tid, ev->pid,
		   ev->mode, t->name);
	for (size_t i = 0; i < t->n_fields; i++) {
		const struct cdict_field *f = &t->fields[i];

		buf_printf(out, " %s=", f->name);
		if (f->kind == CDICT_FIELD_UINT)
			buf_printf(out, "%" PRIu64, ev->values[i]);
		else if (f->kind == CDICT_FIELD_INT)
			buf_printf(out, "%" PRId64, (int64_t)ev->values[i]);
		else
			dump_bytes(out, cdict_event_bytes(ev, i), f->is_text);
	}
	buf_u8(out, '\n');
}

#endif
