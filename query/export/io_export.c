/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of I/O traces, in their own and in other formats. */
#include "query/export/io_export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory/map.h"
#include "base/text/escape.h"
#include "base/text/json_text.h"
#include "query/export/io_perfetto.h"

/* A number that the event does not have. */
#define ABSENT INT64_MIN

struct writer {
	struct tables_walk *w;
	struct sink *out;
	enum io_to to;
	uint64_t id;
	struct map wanted; /* tid -> 0 or 1; empty: all */
	struct io_perfetto perfetto;
};

/* Field numbers, by type, of the fields that have their own place; -1: none. */
struct io_type {
	int dur, ph, fname, host, size, args;
};

bool io_export_is(const struct cdict_reader *r)
{
	const char *source = cdict_reader_info(r, "source");

	return source && !strcmp(source, "pfw");
}

/* ---- values ---- */

static struct io_type type_of(const struct cdict_event_type *type)
{
	return (struct io_type){ .dur = cdict_event_type_field(type, "dur"),
				 .ph = cdict_event_type_field(type, "ph"),
				 .fname = cdict_event_type_field(type, "fname"),
				 .host = cdict_event_type_field(type, "host"),
				 .size = cdict_event_type_field(type, "size"),
				 .args = cdict_event_type_field(type, "args") };
}

static bool is_number(const struct cdict_event_type *type, int field)
{
	return field >= 0 && (type->fields[field].kind == CDICT_FIELD_UINT ||
			      type->fields[field].kind == CDICT_FIELD_INT);
}

static uint64_t number_of(const struct cdict_event *ev, int field)
{
	return is_number(ev->type, field) ? ev->values[field] : 0;
}

/* The text without trailing zeros; empty: none. */
static struct cdict_bytes text_of(const struct cdict_event *ev, int field)
{
	struct cdict_bytes b = { 0 };

	if (field < 0 || is_number(ev->type, field))
		return b;
	b = cdict_event_bytes(ev, (size_t)field);
	b.len = b.len ? strnlen((const char *)b.data, b.len) : 0;
	return b;
}

static void quoted(struct sink *s, const void *text, size_t len)
{
	sink_putc(s, '"');
	escape_json_exact(s, text, len);
	sink_putc(s, '"');
}

/* ---- JSON ---- */

static void key(struct sink *s, bool *any, const char *name)
{
	sink_puts(s, *any ? ",\"" : "\"");
	escape_json_exact(s, name, strlen(name));
	sink_puts(s, "\":");
	*any = true;
}

/* Appends the args that are not fields unchanged, if they are JSON. */
static void rest(struct sink *s, bool *any, struct cdict_bytes b)
{
	const char *text = (const char *)b.data;

	if (!b.len)
		return;
	if (!json_text_is_object(text, b.len)) {
		key(s, any, "args");
		quoted(s, text, b.len);
		return;
	}
	if (b.len > 2) {
		sink_puts(s, *any ? "," : "");
		sink_add(s, text + 1, b.len - 2);
		*any = true;
	}
}

static void args(struct sink *s, const struct cdict_event *ev, const struct io_type *t,
		 bool leave_named)
{
	bool any = false;

	sink_putc(s, '{');
	for (size_t i = 0; i < ev->type->n_fields; i++) {
		const struct cdict_field *field = &ev->type->fields[i];
		struct cdict_bytes b;
		int at = (int)i;

		if (!strncmp(field->name, "common_", 7) || at == t->dur || at == t->ph ||
		    at == t->args ||
		    (leave_named && (at == t->fname || at == t->host || at == t->size)))
			continue;
		if (field->kind == CDICT_FIELD_INT && (int64_t)ev->values[i] != ABSENT) {
			key(s, &any, field->name);
			sink_printf(s, "%" PRId64, (int64_t)ev->values[i]);
		} else if (field->kind == CDICT_FIELD_UINT) {
			key(s, &any, field->name);
			sink_printf(s, "%" PRIu64, ev->values[i]);
		} else if (!is_number(ev->type, at)) {
			b = text_of(ev, at);
			if (!b.len)
				continue;
			key(s, &any, field->name);
			quoted(s, b.data, b.len);
		}
	}
	rest(s, &any, text_of(ev, t->args));
	sink_putc(s, '}');
}

static void as_json(struct writer *w, const struct cdict_event *ev, const struct io_type *t,
		    uint64_t dur_ns)
{
	struct sink *s = w->out;
	uint64_t ph = number_of(ev, t->ph);
	char phase = ph > ' ' && ph < 0x7f && ph != '"' && ph != '\\' ? (char)ph : 'X';

	if (w->to == IO_CHROME)
		sink_puts(s, w->id ? ",\n" : "\n");
	sink_printf(s, "{\"id\":%" PRIu64 ",\"name\":", w->id++);
	quoted(s, ev->type->event, strlen(ev->type->event));
	sink_puts(s, ",\"cat\":");
	quoted(s, ev->type->system, strlen(ev->type->system));
	sink_printf(s, ",\"pid\":%" PRId32 ",\"tid\":%" PRId32 ",\"ph\":\"%c\",\"ts\":", ev->pid,
		    ev->tid, phase);
	export_us(s, ev->t_ns - dur_ns);
	if (phase == 'X' || dur_ns) {
		sink_puts(s, ",\"dur\":");
		export_us(s, dur_ns);
	}
	sink_puts(s, ",\"args\":");
	args(s, ev, t, false);
	sink_puts(s, w->to == IO_CHROME ? "}" : "}\n");
}

/* ---- CSV ---- */

static void cell(struct sink *s, struct cdict_bytes b)
{
	if (b.len)
		escape_csv(s, (const char *)b.data, b.len);
	sink_putc(s, ',');
}

static int as_csv(struct writer *w, const struct cdict_event *ev, const struct io_type *t,
		  uint64_t dur_ns)
{
	struct sink *s = w->out, more;
	char *text;
	size_t len;

	sink_printf(s, "%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRId32 ",%" PRId32 ",",
		    ev->t_ns - dur_ns, dur_ns, ev->cpu, ev->pid, ev->tid);
	escape_csv(s, ev->type->system, strlen(ev->type->system));
	sink_putc(s, ',');
	escape_csv(s, ev->type->event, strlen(ev->type->event));
	sink_putc(s, ',');
	cell(s, text_of(ev, t->fname));
	cell(s, text_of(ev, t->host));
	if (is_number(ev->type, t->size) && (int64_t)number_of(ev, t->size) != ABSENT)
		sink_printf(s, "%" PRId64, (int64_t)number_of(ev, t->size));
	sink_putc(s, ',');
	sink_to_memory(&more);
	args(&more, ev, t, true);
	text = sink_take(&more, &len);
	if (!text)
		return -ENOMEM;
	if (len > 2)
		escape_csv(s, text, len);
	free(text);
	sink_puts(s, "\r\n");
	return 0;
}

/* ---- the events ---- */

/* Collects the wanted threads, if there is a filter. */
static int want(struct writer *w)
{
	const struct names_filter *f = &w->w->opts.names.filter;
	const struct analyze_engine *eng = w->w->eng;

	if (!f->vm && !f->n_tids && !f->matches && !f->wanted)
		return 0;
	for (size_t i = 0; i < analyze_engine_task_count(eng); i++) {
		const struct analyze_task *t = analyze_engine_task(eng, (uint32_t)i);
		uint32_t *at = map_add(&w->wanted, (uint64_t)(uint32_t)t->tid, 0);

		if (!at)
			return -ENOMEM;
		*at = names_wanted(&w->w->names, t);
	}
	return 0;
}

static bool is_wanted(const struct writer *w, const struct cdict_event *ev)
{
	const uint32_t *at = w->wanted.n ? map_find(&w->wanted, (uint64_t)(uint32_t)ev->tid, 0)
					 : NULL;

	return !w->wanted.n || (at && *at);
}

static int event(struct writer *w, const struct cdict_event *ev)
{
	struct io_type t = type_of(ev->type);
	uint64_t dur_ns = number_of(ev, t.dur);

	if (!is_wanted(w, ev))
		return 0;
	/* no event begins before time 0 */
	if (dur_ns > ev->t_ns)
		dur_ns = ev->t_ns;
	switch (w->to) {
	case IO_CSV:
		return as_csv(w, ev, &t, dur_ns);
	case IO_PERFETTO:
		return io_perfetto_event(&w->perfetto, w->out, ev, dur_ns,
					 !dur_ns && number_of(ev, t.ph) != 'X',
					 text_of(ev, t.fname));
	case IO_CHROME:
	case IO_PFW:
		as_json(w, ev, &t, dur_ns);
	}
	return 0;
}

static int events(struct writer *w, struct cdict_error *err)
{
	const struct analyze_summary *sum = analyze_engine_summary(w->w->eng);
	struct cdict_query query = { .size = sizeof(query),
				     .from_ns = sum->from_ns,
				     .to_ns = sum->to_ns,
				     .cpus = w->w->opts.cpus,
				     .n_cpus = w->w->opts.n_cpus,
				     .jobs = w->w->opts.jobs };
	bool closed = sum->to_ns == sum->last_ns;
	struct cdict_events *it = NULL;
	struct cdict_event ev;
	int rc = cdict_events_open(&it, w->w->reader, &query, err);

	while (!rc && !w->out->error && (rc = cdict_events_next(it, &ev, err)) > 0) {
		rc = 0;
		if ((ev.t_ns < sum->to_ns || closed) && event(w, &ev))
			rc = cdict_fail_nomem(err);
	}
	cdict_events_close(it);
	return rc;
}

int io_export_write(struct tables_walk *w, enum io_to to, struct sink *out,
		    struct export_report *report, struct cdict_error *err)
{
	struct writer wr = { .w = w, .out = out, .to = to };
	int rc = want(&wr) ? cdict_fail_nomem(err) : 0;

	if (to == IO_PFW)
		sink_puts(out, "[\n");
	else if (to == IO_CHROME)
		sink_puts(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	else if (to == IO_CSV)
		sink_puts(out,
			  "ts_ns,dur_ns,stream,pid,tid,category,name,fname,host,size,args\r\n");
	else if (!rc && io_perfetto_begin(&wr.perfetto, w, out))
		rc = cdict_fail_nomem(err);
	if (!rc)
		rc = events(&wr, err);
	if (to == IO_CHROME)
		sink_puts(out, "\n]}\n");
	report->left_out = wr.perfetto.left_out;
	map_fini(&wr.wanted);
	io_perfetto_fini(&wr.perfetto);
	return rc;
}
