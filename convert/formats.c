/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns the tracepoint formats of a recording into event types. */
#include "convert/formats.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "base/event_glob.h"
#include "base/fail.h"
#include "base/sampled.h"
#include "base/text/kernel_functions.h"
#include "convert/sampled.h"

static const char *const default_globs[] = { "sched:*", "kvm:*" };

void formats_init(struct formats *f, const char *const *globs, size_t n_globs)
{
	*f = (struct formats){ .globs = globs, .n_globs = n_globs };
	if (!n_globs) {
		f->globs = default_globs;
		f->n_globs = sizeof(default_globs) / sizeof(default_globs[0]);
	}
}

void formats_fini(struct formats *f)
{
	cdict_schema_free(f->schema);
	array_fini(&f->source);
	array_fini(&f->events);
	*f = (struct formats){ 0 };
}

bool formats_wants(const struct formats *f, const char *name)
{
	for (size_t i = 0; i < f->n_globs; i++)
		if (event_glob(f->globs[i], name))
			return true;
	return false;
}

bool formats_name(const struct perfdata_format *format, char *out, size_t size, uint32_t *id)
{
	const char *name = strncmp(format->text, "name: ", 6) ? NULL : format->text + 6;
	const char *id_line = strstr(format->text, "\nID: ");
	size_t len;

	if (!name || !id_line)
		return false;
	len = strcspn(name, "\n");
	*id = (uint32_t)strtoul(id_line + 5, NULL, 10);
	return (size_t)snprintf(out, size, "%s:%.*s", format->system, (int)len, name) < size;
}

static const struct perfdata_format *format_of(const struct perfdata_tracing *tracing, uint64_t id,
					       char *name, size_t size)
{
	for (size_t i = 0; i < tracing->n_formats; i++) {
		uint32_t n;

		if (formats_name(&tracing->formats[i], name, size, &n) && n == id)
			return &tracing->formats[i];
	}
	return NULL;
}

static struct tep_handle *tep_new(bool big, int long_size, int page_size)
{
	struct tep_handle *tep = tep_alloc();

	/* Keep it from writing to stderr; formats that it cannot parse are printed field by field. Its setters ignore a
	 * handle that is NULL, which is returned. */
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_file_bigendian(tep, big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(tep, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(tep, long_size);
	tep_set_page_size(tep, page_size);
	return tep;
}

/* libtraceevent must parse the format as we do: perf uses it. */
static bool agrees(const struct cdict_event_type *type, const struct tep_event *event)
{
	size_t n = 0;

	for (int common = 1; common >= 0; common--) {
		const struct tep_format_field *t = common ? event->format.common_fields
							  : event->format.fields;

		for (; t; t = t->next, n++) {
			const struct cdict_field *f;
			bool dynamic = t->flags & TEP_FIELD_IS_DYNAMIC;

			if (n == type->n_fields)
				return false;
			f = &type->fields[n];
			if (strcmp(f->name, t->name) || f->offset != (uint32_t)t->offset ||
			    (f->size != (uint32_t)t->size && !cdict_field_is_flexible(type, f)) ||
			    dynamic != (f->kind > CDICT_FIELD_BYTES))
				return false;
			if (f->kind <= CDICT_FIELD_INT &&
			    (f->kind == CDICT_FIELD_INT) != !!(t->flags & TEP_FIELD_IS_SIGNED))
				return false;
		}
	}
	return n == type->n_fields;
}

/* Length up to the print format: libtraceevent crashes on some print formats of damaged files, and
 * parses the fields without it. It begins with the word print on a new line, after any kind of
 * space. */
static size_t fields_len(const struct perfdata_format *format)
{
	const char *line = format->text, *end = format->text + format->len;

	while (line < end) {
		const char *eol = memchr(line, '\n', (size_t)(end - line));
		const char *word = line + strspn(line, " \t\r\v\f");

		if (!strncmp(word, "print", 5))
			break;
		line = eol ? eol + 1 : end;
	}
	return (size_t)(line - format->text);
}

/* libtraceevent takes other bytes for the end of the text, and crashes (1.7.1). */
static bool is_ascii(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr("\t\n\r", text[i]) && (text[i] < ' ' || text[i] > '~'))
			return false;
	return true;
}

/* Whether libtraceevent parses @format as @type: 1, 0 or -ENOMEM. */
static int is_agreed(const struct perfdata_tracing *tracing, const struct perfdata_format *format,
		     const struct cdict_event_type *type)
{
	struct tep_handle *tep =
		tep_new(tracing->big_endian, tracing->long_size, (int)tracing->page_size);
	size_t len = fields_len(format);
	struct tep_event *event;
	bool yes;

	if (!tep)
		return -ENOMEM;
	if (is_ascii(format->text, len))
		tep_parse_event(tep, format->text, len, format->system);
	event = tep_find_event_by_name(tep, format->system, type->event);
	yes = event && agrees(type, event);
	tep_free(tep);
	return yes;
}

int formats_add(struct formats *f, const struct perfdata_tracing *tracing,
		const struct perfdata_format *format, const char *name, struct cdict_error *err)
{
	struct cdict_schema *alone;
	int ret, agreed;

	/* Check in a separate schema: a type cannot be removed. */
	alone = cdict_schema_new(tracing->big_endian, (unsigned)tracing->long_size,
				 tracing->page_size);
	if (!alone)
		return cdict_fail_nomem(err);
	ret = cdict_schema_add(alone, format->system, format->text, format->len, err);
	if (ret >= 0) {
		agreed = is_agreed(tracing, format, cdict_schema_at(alone, 0));
		/* A memory shortage inside libtraceevent looks the same: try again. */
		if (!agreed)
			agreed = is_agreed(tracing, format, cdict_schema_at(alone, 0));
		if (agreed < 0)
			ret = cdict_fail_nomem(err);
		else if (!agreed)
			ret = cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
					 "libtraceevent cannot read the format of %s", name);
	}
	cdict_schema_free(alone);
	if (ret < 0)
		return ret;
	return cdict_schema_add(f->schema, format->system, format->text, format->len, err);
}

/* Whether the samples of @ev are stored: by default in a recording without tracepoints. A glob is of
 * perf's name, or as for all events. */
static bool wants_sampled(const struct formats *f, const char *name)
{
	char whole[300];

	if (f->globs == default_globs)
		return !f->has_tracepoints;
	snprintf(whole, sizeof(whole), SAMPLED_SYSTEM ":%.255s", name);
	return formats_wants(f, whole);
}

/* Like map_event(), for an event that is no tracepoint. */
static int map_sampled(struct formats *f, const struct perfdata_event *ev, struct cdict_error *err)
{
	const struct perfdata_sample_layout *l = &ev->layout;
	const char *name = *ev->name ? ev->name : sampled_name(ev->attr_type, ev->config);

	/* perf's dummy and BPF's output count nothing */
	if (!name || !wants_sampled(f, name) ||
	    (ev->attr_type == PERF_TYPE_SOFTWARE &&
	     (ev->config == PERF_COUNT_SW_DUMMY || ev->config == PERF_COUNT_SW_BPF_OUTPUT)))
		return SOURCE_UNSTORED;
	if (l->time < 0 || l->tid < 0 || l->ip < 0) {
		cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
			   "samples of %.200s were recorded without %s", name,
			   l->time < 0  ? "a time"
			   : l->tid < 0 ? "a thread id"
					: "an instruction address");
		return SOURCE_UNSTORED;
	}
	return sampled_add(f->schema, name, err);
}

/* The schema index of event @ev, SOURCE_UNSTORED, or -ENOMEM. */
static int map_event(struct formats *f, const struct perfdata_event *ev,
		     const struct perfdata_tracing *tracing, struct cdict_error *err)
{
	const struct cdict_event_type *type;
	const struct perfdata_format *format;
	char name[256];

	err->code = 0;
	if (ev->attr_type != PERF_TYPE_TRACEPOINT)
		return map_sampled(f, ev, err);
	format = format_of(tracing, ev->config, name, sizeof(name));
	if (!format) {
		if (formats_wants(f, ev->name))
			cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
				   "the file has no tracepoint format of %s (id %llu)", ev->name,
				   (unsigned long long)ev->config);
		return SOURCE_UNSTORED;
	}
	if (!formats_wants(f, name))
		return SOURCE_UNSTORED;
	if (!ev->layout.has_raw || ev->layout.time < 0 || ev->layout.tid < 0) {
		cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
			   "samples of %s were recorded without %s", name,
			   !ev->layout.has_raw   ? "their fields (PERF_SAMPLE_RAW)"
			   : ev->layout.time < 0 ? "a time"
						 : "a thread id");
		return SOURCE_UNSTORED;
	}
	type = cdict_schema_find(f->schema, name);
	if (type)
		return (int)type->index;
	return formats_add(f, tracing, format, name, err);
}

static int make_schema(struct formats *f, const struct perfdata_tracing *tracing,
		       struct cdict_error *err)
{
	if (!f->schema)
		f->schema = cdict_schema_new(tracing->present && tracing->big_endian,
					     tracing->present ? (unsigned)tracing->long_size : 8,
					     tracing->present ? tracing->page_size : 4096);
	return f->schema ? 0 : cdict_fail_nomem(err);
}

static int add_event(struct formats *f, const struct perfdata_event *ev,
		     const struct perfdata_tracing *tracing, struct cdict_error *err)
{
	const struct perfdata_sample_layout *l = &ev->layout;
	struct source_event source = {
		.type = SOURCE_UNSTORED,
		.tid = l->tid,
		.raw = l->raw_fixed >= 0 && l->tid >= 0 ? l->raw_fixed + 4 : -1,
	};
	struct cdict_error why;
	int type, ret = make_schema(f, tracing, err);

	if (ret)
		return ret;
	type = map_event(f, ev, tracing, &why);
	if (type == -ENOMEM) {
		*err = why;
		return type;
	}
	if (type >= 0)
		source.type = type;
	/* its payload is made by read() */
	if (ev->attr_type != PERF_TYPE_TRACEPOINT)
		source.raw = -1;
	if (why.code && !f->bad++)
		snprintf(f->why, sizeof(f->why), "%.255s", why.text);
	if (array_push(&f->source, source) || array_push(&f->events, ev))
		return cdict_fail_nomem(err);
	return 0;
}

int formats_update(struct formats *f, const struct perfdata *pd, struct cdict_error *err)
{
	const struct perfdata_tracing *tracing = perfdata_tracing(pd);
	int ret = make_schema(f, tracing, err);

	for (size_t i = f->events.n; i < perfdata_event_count(pd); i++)
		f->has_tracepoints |= perfdata_event_at(pd, i)->attr_type == PERF_TYPE_TRACEPOINT;
	while (!ret && f->events.n < perfdata_event_count(pd))
		ret = add_event(f, perfdata_event_at(pd, f->events.n), tracing, err);
	return ret;
}

bool formats_need_strings(const struct cdict_schema *schema)
{
	for (size_t i = 0; i < cdict_schema_count(schema); i++) {
		const struct cdict_event_type *type = cdict_schema_at(schema, i);
		const char *fmt = strstr(type->format, "print fmt:");
		const char *pointer = strstr(type->format, "char *");

		if (pointer && fmt && pointer < fmt)
			return true;
	}
	return false;
}

/* Adds printk_formats of tracefs: lines of address : "string". */
static void add_strings(struct tep_handle *tep, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		const char *colon = memchr(text, ':', len);
		char *string = colon && (size_t)(colon - text) + 2 < len
				       ? strndup(colon + 2, len - (size_t)(colon - text) - 2)
				       : NULL;

		if (string)
			tep_register_print_string(tep, string, strtoull(text, NULL, 16));
		free(string);
		text += len + (text[len] == '\n');
	}
}

void formats_tep_add(struct tep_handle *tep, const struct cdict_event_type *type)
{
	/* An event with an unreadable print format is printed as by perf: field by field. */
	tep_parse_event(tep, type->format, type->format_len, type->system);
}

/* libtraceevent's callback: finds the function at *@address, sets *@address to its begin, and
 * returns its name. */
static char *resolve(void *ctx, unsigned long long *address, char **module)
{
	const struct kernel_function *s = kernel_functions_find(ctx, *address);
	struct kernel_functions *k = ctx;

	(void)module;
	if (!s)
		return NULL;
	*address = s->address;
	k->name.len = 0;
	buf_add(&k->name, s->name, s->len);
	buf_u8(&k->name, 0);
	return k->name.failed ? NULL : (char *)k->name.data;
}

struct tep_handle *formats_tep(const struct cdict_schema *schema, const char *strings,
			       struct kernel_functions *symbols)
{
	struct tep_handle *tep = tep_new(cdict_schema_big_endian(schema),
					 (int)cdict_schema_long_size(schema),
					 (int)cdict_schema_page_size(schema));

	if (tep && strings)
		add_strings(tep, strings);
	if (tep && symbols)
		tep_set_function_resolver(tep, resolve, symbols);
	return tep;
}
