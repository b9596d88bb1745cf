/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * printdiff FORMAT-FILE... - analyze/printing/print.h against libtraceevent: events of each tracepoint
 * format, with made-up fields, in both byte orders. Prints what differs, and last how many
 * formats there were and how many of them analyze/printing/print.h takes; status 1 when anything differs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/printing/print.h"
#include "base/memory/buf.h"
#include "convert/print.h"

enum { EVENTS = 40, TEXT_MAX = 200 };

static uint64_t seed = 1;

static uint64_t draw(uint64_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (seed >> 33) % n;
}

static uint64_t number(void)
{
	switch (draw(5)) {
	case 0:
		return draw(2);
	case 1:
		return draw(40);
	case 2:
		return 0 - draw(3);
	case 3:
		return UINT64_C(1) << draw(64);
	default:
		return draw(UINT32_MAX) << 33 ^ draw(UINT32_MAX);
	}
}

/* Many versions of libtraceevent crash on a negative count of bytes. */
static uint64_t without_sign(const struct cdict_event_type *type, uint64_t v)
{
	return strstr(type->format, "__print_hex") ? v & INT8_MAX : v;
}

/* Values of every field of @type, texts in @room. */
static void make_up(const struct cdict_event_type *type, uint64_t *values,
		    struct cdict_bytes *bytes, uint8_t *room)
{
	for (size_t i = 0; i < type->n_fields; i++) {
		const struct cdict_field *f = &type->fields[i];
		uint64_t v = number();
		size_t n = f->kind == CDICT_FIELD_BYTES ? f->size : draw(TEXT_MAX);

		if (f->kind <= CDICT_FIELD_INT) {
			unsigned left = 64 - 8 * f->size;

			v = without_sign(type, v);
			values[i] = f->kind == CDICT_FIELD_INT
					    ? (uint64_t)((int64_t)(v << left) >> left)
					    : v << left >> left;
			if (!strcmp(f->name, "common_type"))
				values[i] = type->tracepoint;
			continue;
		}
		n = n < TEXT_MAX ? n : TEXT_MAX;
		values[i] = i;
		bytes[i] = (struct cdict_bytes){ room + i * TEXT_MAX, n };
		for (size_t k = 0; k < n; k++)
			room[i * TEXT_MAX + k] = f->is_text ? (uint8_t)(' ' + draw(95))
							    : (uint8_t)draw(256);
		if (f->is_text && n && draw(2))
			room[i * TEXT_MAX + draw(n)] = 0;
	}
}

/* How many events of the file's format are printed otherwise; *known when it is taken at all. */
static int compare(const char *file, const struct buf *format, bool big, bool *known)
{
	struct cdict_schema *schema = cdict_schema_new(big, 8, 4096);
	struct cdict_error err = { 0 };
	const struct cdict_event_type *type;
	struct buf ours = { 0 }, theirs = { 0 };
	struct printer *printer;
	struct print *print;
	struct cdict_bytes *bytes;
	struct cdict_event ev = { .t_ns = 1 };
	uint64_t *values;
	uint8_t *room;
	int differ = 0;

	if (cdict_schema_add(schema, "sched", (const char *)format->data, format->len, &err) < 0) {
		fprintf(stderr, "%s: %s\n", file, err.text);
		cdict_schema_free(schema);
		return 0;
	}
	type = cdict_schema_at(schema, 0);
	printer = printer_new(schema);
	print = print_new(schema, NULL);
	values = calloc(type->n_fields, sizeof(*values));
	bytes = calloc(type->n_fields, sizeof(*bytes));
	room = calloc(type->n_fields, TEXT_MAX);
	*known = printer_knows(printer, 0);
	ev.type = type;
	ev.values = values;
	ev.bytes = bytes;
	for (int i = 0; i < EVENTS && *known; i++) {
		make_up(type, values, bytes, room);
		ours.len = theirs.len = 0;
		if (!printer_text(printer, &ev, &ours) || !print_text(print, &ev, &theirs))
			continue;
		if (ours.len == theirs.len && !memcmp(ours.data, theirs.data, ours.len))
			continue;
		if (!differ++)
			printf("%s:\n  ours   %.*s\n  theirs %.*s\n", file, (int)ours.len,
			       (const char *)ours.data, (int)theirs.len, (const char *)theirs.data);
	}
	printer_free(printer);
	print_free(print);
	buf_fini(&ours);
	buf_fini(&theirs);
	free(values);
	free(bytes);
	free(room);
	cdict_schema_free(schema);
	return differ;
}

int main(int argc, char **argv)
{
	int differ = 0, known = 0, n = 0;

	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "r");
		struct buf format = { 0 };
		bool taken = false;
		size_t got = 0;

		if (!file) {
			perror(argv[i]);
			return 1;
		}
		do {
			format.len += got;
			buf_room(&format, 1 << 16);
		} while ((got = fread(format.data + format.len, 1, 1 << 16, file)) > 0);
		fclose(file);
		n++;
		differ += compare(argv[i], &format, false, &taken);
		known += taken;
		if (!taken)
			printf("not taken: %s\n", argv[i]);
		differ += compare(argv[i], &format, true, &taken);
		buf_fini(&format);
	}
	printf("%d formats, %d taken, %d events differ\n", n, known, differ);
	return differ != 0;
}
