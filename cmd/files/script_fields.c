/* SPDX-License-Identifier: GPL-2.0-only */
/* The fields in a line of cdict script. */
#include "cmd/files/script_fields.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/sampled.h"
#include "base/text/plural.h"
#include "base/text/suggest.h"
#include "cdict/stack.h"

#define FIELDS(X)                                                                                  \
	X(comm)                                                                                    \
	X(pid) X(tid) X(cpu) X(time) X(period) X(event) X(trace) X(ip) X(sym) X(symoff) X(dso)

static bool *field(struct script_fields *f, const char *name, size_t len)
{
	const struct {
		const char *name;
		bool *on;
	} all[] = {
#define X(name) { #name, &f->name },
		FIELDS(X)
#undef X
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (strlen(all[i].name) == len && !strncmp(all[i].name, name, len))
			return all[i].on;
	}
	return NULL;
}

static int unknown(const char *name, size_t len, struct cdict_error *err)
{
	static const char *const names[] = {
#define X(name) #name,
		FIELDS(X)
#undef X
	};
	struct suggest s;

	suggest_begin(&s, name, len);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		suggest_try(&s, names[i]);
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			  "option --fields: '%.*s' is not a field; expected comm, pid, tid, cpu, "
			  "time, period, event, trace, ip, sym, symoff, dso%s",
			  (int)len, name, suggest_text(&s, ""));
}

int script_fields_parse(struct script_fields *f, const char *text, bool ns, struct cdict_error *err)
{
	bool changes = text && (*text == '+' || *text == '-');

	*f = (struct script_fields){ .usual = !text, .ns = ns || !text || changes };
	if (!text || changes)
		f->tid = f->cpu = f->time = f->period = f->event = f->trace = f->ip = f->sym =
			f->symoff = f->dso = true;
	/* "trace:comm,cpu": for tracepoints */
	if (text && !strncmp(text, "trace:", 6))
		text += 6;
	for (const char *p = text; p && *p;) {
		size_t len = strcspn(p, ",");
		bool sign = *p == '+' || *p == '-', *on = field(f, p + sign, len - sign);

		if (!on)
			return unknown(p + sign, len - sign, err);
		if (sign != changes)
			return cdict_fail(
				err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				"option --fields takes names, or changes as in +pid,-cpu, "
				"not both");
		*on = *p != '-';
		p += len + (p[len] == ',');
	}
	if (changes)
		f->usual = f->tid && f->cpu && f->time && f->event && f->trace && !f->comm &&
			   !f->pid;
	/* As in perf: the others describe the addresses. */
	if (!f->ip && (f->sym || f->symoff || f->dso) && !changes)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "option --fields: sym, symoff and dso need ip");
	return 0;
}

/* A stack of perf has 127 frames at most by default (PERF_MAX_STACK_DEPTH). Of deeper ones the frames beyond that are printed
 * as long as they are at most DEEP_FRAMES in all, then the first SHORT_FRAMES of a stack. */
#define STACK_FRAMES 127u
#define SHORT_FRAMES 64u
#define DEEP_FRAMES 20000u

int script_fields_init(struct script_fields *f, const struct cdict_reader *r,
		       struct cdict_error *err)
{
	f->deep_left = DEEP_FRAMES;
	return f->comm ? comms_init(&f->comms, r, err) : 0;
}

void script_fields_fini(struct script_fields *f)
{
	comms_fini(&f->comms);
	*f = (struct script_fields){ 0 };
}

static void add_comm(struct script_fields *f, const struct cdict_event *ev, struct buf *out)
{
	const char *name;
	char number[16];

	if (comms_at(&f->comms, ev->tid, ev->t_ns, &name)) {
		out->failed = true;
		return;
	}
	if (!name) {
		snprintf(number, sizeof(number), ":%d", ev->tid);
		name = number;
	}
	buf_printf(out, "%16s ", name);
}

/* Like perf script: fields in its order, not in the order given. */
void script_fields_head(struct script_fields *f, struct printer *p, const struct cdict_event *ev,
			struct buf *out)
{
	bool sampled = sampled_is(ev->type);

	if (f->usual && !sampled) {
		printer_head(p, ev, out);
		return;
	}
	if (f->comm)
		add_comm(f, ev, out);
	if (f->pid && f->tid)
		buf_printf(out, "%5d/%-5d ", ev->pid, ev->tid);
	else if (f->pid || f->tid)
		buf_printf(out, "%5d ", f->pid ? ev->pid : ev->tid);
	if (f->cpu)
		buf_printf(out, "[%03d] ", (int)ev->cpu);
	if (f->time && f->ns)
		buf_printf(out, "%5" PRIu64 ".%09" PRIu64 ": ", ev->t_ns / 1000000000,
			   ev->t_ns % 1000000000);
	else if (f->time)
		buf_printf(out, "%5" PRIu64 ".%06" PRIu64 ": ", ev->t_ns / 1000000000,
			   ev->t_ns % 1000000000 / 1000);
	if (f->period && sampled)
		buf_printf(out, "%10" PRIu64 " ", ev->values[SAMPLED_PERIOD]);
	if (f->event)
		printer_name(p, ev, out);
}

/* Like perf script: "ffffffff8113b4d2 schedule+0x2e (/lib/x)". */
static void add_frame(const struct script_fields *f, const struct cdict_frame *frame,
		      struct buf *out)
{
	buf_printf(out, "%16" PRIx64, frame->address);
	if (f->sym)
		buf_printf(out, " %s", *frame->symbol ? frame->symbol : "[unknown]");
	if (f->sym && f->symoff && *frame->symbol)
		buf_printf(out, "+0x%" PRIx64, frame->offset);
	if (f->dso)
		buf_printf(out, " (%s)", *frame->object ? frame->object : "[unknown]");
}

bool script_fields_ip(const struct script_fields *f, const struct cdict_reader *r,
		      const struct cdict_event *ev, uint32_t stack, struct buf *out)
{
	const uint32_t *frames;

	if (!f->ip || !sampled_is(ev->type) || (stack != CDICT_NO_STACK && !f->alone))
		return false;
	buf_u8(out, ' ');
	if (stack == CDICT_NO_STACK || !cdict_reader_stack_at(r, stack, &frames))
		buf_printf(out, "%16" PRIx64, ev->values[SAMPLED_IP]);
	else
		add_frame(f, cdict_reader_frame_at(r, frames[0]), out);
	return true;
}

void script_fields_stack(struct script_fields *f, const struct cdict_reader *r, uint32_t stack,
			 struct buf *out)
{
	const uint32_t *frames;
	size_t n = stack == CDICT_NO_STACK ? 0 : cdict_reader_stack_at(r, stack, &frames);

	for (size_t i = 0; i < n; i++) {
		if (i >= SHORT_FRAMES && n > STACK_FRAMES && f->deep_left-- == 0) {
			f->deep_left = 0;
			buf_printf(out, "\t... and %s more\n", GROUPED(n - i));
			break;
		}
		buf_u8(out, '\t');
		add_frame(f, cdict_reader_frame_at(r, frames[i]), out);
		buf_u8(out, '\n');
	}
	if (n)
		buf_u8(out, '\n');
}
