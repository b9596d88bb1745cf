/* SPDX-License-Identifier: GPL-2.0-only */
/* Events by libtraceevent, for what analyze/print.h does not take. */
#include "convert/print.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "base/cursor.h"
#include "convert/formats.h"

struct print {
	const struct cdict_schema *schema;
	struct tep_handle **teps;  /* [0]: of all types; [1 + type]: when one had to be left out */
	struct tep_event **events; /* by type; NULL: not printed by libtraceevent */
	const char *strings;
	bool begun; /* libtraceevent has its formats */
	struct trace_seq seq;
	uint8_t *payload;
	size_t room;
};

#define ALL_TYPES SIZE_MAX

/* A schema's formats in libtraceevent: those of all types, or of one. */
static struct tep_handle *formats_of(const struct cdict_schema *schema, const char *strings,
				     size_t only)
{
	return only == ALL_TYPES ? formats_tep(schema, strings)
				 : formats_tep_one(schema, strings, only);
}

/* Print formats come from strangers, and libtraceevent 1.7 crashes on some: a child
 * tries them first, on a payload of zeros. */
static bool survives(const struct cdict_schema *schema, const char *strings, size_t only)
{
	int status, null;
	pid_t pid = fork();

	if (pid < 0)
		return true; /* no child, no trial */
	if (!pid) {
		struct tep_handle *tep;
		struct trace_seq seq;

		null = open("/dev/null", O_WRONLY);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		tep = formats_of(schema, strings, only);
		trace_seq_init(&seq);
		for (size_t i = 0; tep && i < cdict_schema_count(schema); i++) {
			const struct cdict_event_type *t = cdict_schema_at(schema, i);
			struct tep_event *event = tep_find_event_by_name(tep, t->system, t->event);
			struct tep_record record = { .size = (int)t->payload_size };

			record.data = calloc(1, t->payload_size + 16);
			if (event && record.data)
				tep_print_event(tep, &seq, &record, "%s", TEP_PRINT_INFO);
		}
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

void print_begin(struct print *p)
{
	size_t n = cdict_schema_count(p->schema);
	bool all;

	if (p->begun)
		return;
	p->begun = true;
	all = survives(p->schema, p->strings, ALL_TYPES);
	if (all)
		p->teps[0] = formats_of(p->schema, p->strings, ALL_TYPES);
	for (size_t i = 0; i < n; i++) {
		const struct cdict_event_type *t = cdict_schema_at(p->schema, i);
		struct tep_handle *tep = p->teps[0];

		if (!all && survives(p->schema, p->strings, i))
			tep = p->teps[i + 1] = formats_of(p->schema, p->strings, i);
		else if (!all)
			tep = NULL;
		if (tep)
			p->events[i] = tep_find_event_by_name(tep, t->system, t->event);
	}
}

struct print *print_new(const struct cdict_schema *schema, const char *strings)
{
	struct print *p = calloc(1, sizeof(*p));
	size_t n = cdict_schema_count(schema);

	if (!p)
		return NULL;
	p->schema = schema;
	p->strings = strings;
	p->events = calloc(n + 1, sizeof(*p->events));
	p->teps = calloc(n + 1, sizeof(*p->teps));
	trace_seq_init(&p->seq);
	if (!p->events || !p->teps) {
		print_free(p);
		return NULL;
	}
	return p;
}

void print_free(struct print *p)
{
	if (!p)
		return;
	trace_seq_destroy(&p->seq);
	for (size_t i = 0; p->teps && i <= cdict_schema_count(p->schema); i++)
		tep_free(p->teps[i]);
	free(p->teps);
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

/* What an argument __print_array(field, count, element size) takes; NULL: it is no such argument. */
static struct tep_format_field *array_of(struct tep_event *event, const struct tep_print_arg *arg,
					 unsigned long *each)
{
	const struct tep_print_arg *field, *size;

	if (arg->type != TEP_PRINT_INT_ARRAY)
		return NULL;
	field = arg->int_array.field;
	size = arg->int_array.el_size;
	*each = size->type == TEP_PRINT_ATOM ? strtoul(size->atom.atom, NULL, 0) : 0;
	if (field->type == TEP_PRINT_DYNAMIC_ARRAY)
		return field->dynarray.field;
	return field->type == TEP_PRINT_FIELD ? tep_find_any_field(event, field->field.name) : NULL;
}

static void swap_array(struct print *p, size_t size, const struct tep_format_field *f,
		       unsigned long each, bool big)
{
	size_t at = (size_t)f->offset, n = (size_t)f->size;

	if (f->flags & TEP_FIELD_IS_DYNAMIC) {
		uint32_t where = at + 4 <= size ? load32(p->payload + at, big) : 0;

		at = (where & 0xffff) + (f->flags & TEP_FIELD_IS_RELATIVE ? at + n : 0);
		n = where >> 16;
	}
	if (at > size || n > size - at)
		return;
	for (uint8_t *e = p->payload + at; n >= each; n -= each, e += each)
		for (unsigned long i = 0; i < each / 2; i++) {
			uint8_t byte = e[i];

			e[i] = e[each - 1 - i];
			e[each - 1 - i] = byte;
		}
}

/* libtraceevent reads all numbers in the byte order that it was told, but those of arrays in its own (1.7, 1.8). */
static void swap_arrays(struct print *p, struct tep_event *event, size_t size)
{
	bool big = tep_is_file_bigendian(event->tep);
	unsigned long each, other;

	if (big == (bool)tep_is_local_bigendian(event->tep))
		return;
	for (struct tep_print_arg *arg = event->print_fmt.args; arg; arg = arg->next) {
		struct tep_format_field *f = array_of(event, arg, &each);
		struct tep_print_arg *first = event->print_fmt.args;

		while (f && first != arg && array_of(event, first, &other) != f)
			first = first->next;
		if (f && first == arg && (each == 2 || each == 4 || each == 8))
			swap_array(p, size, f, each, big);
	}
}

bool print_text(struct print *p, const struct cdict_event *ev, struct buf *out)
{
	struct tep_record record = { .cpu = (int)ev->cpu, .ts = ev->t_ns };
	struct tep_event *event;

	print_begin(p);
	event = p->events[ev->type->index];
	record.size = event ? (int)rebuild(p, ev) : 0;
	record.data = p->payload;
	if (!record.size)
		return false;
	swap_arrays(p, event, (size_t)record.size);
	trace_seq_reset(&p->seq);
	tep_print_event(event->tep, &p->seq, &record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&p->seq);
	buf_add(out, p->seq.buffer, p->seq.len);
	return true;
}
