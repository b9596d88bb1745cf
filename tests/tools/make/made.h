/* SPDX-License-Identifier: GPL-2.0-only */
/* What tools that make up captures have in common: types from tests/data/formats, payloads, the writer. */
#ifndef TESTS_TOOLS_MAKE_MADE_H
#define TESTS_TOOLS_MAKE_MADE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cdict/writer.h"

static inline void made_check(int rc, const struct cdict_error *err)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "a made-up capture: %s\n", err->text);
	exit(1);
}

static inline int made_put(void *ctx, const void *data, size_t size)
{
	return fwrite(data, 1, size, ctx) == size ? 0 : -5;
}

/* made_type - adds the event type @system:@event of @folder to @schema. */
static inline void made_type(struct cdict_schema *schema, const char *folder, const char *system,
			     const char *event)
{
	char path[512], text[16384];
	struct cdict_error err;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s.%s.format", folder, system, event);
	f = fopen(path, "r");
	if (!f) {
		perror(path);
		exit(1);
	}
	n = fread(text, 1, sizeof(text), f);
	fclose(f);
	made_check(cdict_schema_add(schema, system, text, n, &err), &err);
}

static inline void made_set(const struct cdict_event_type *type, unsigned char *payload,
			    const char *field, uint64_t v)
{
	int i = cdict_event_type_field(type, field);

	if (i >= 0)
		memcpy(payload + type->fields[i].offset, &v, type->fields[i].size);
}

static inline void made_text(const struct cdict_event_type *type, unsigned char *payload,
			     const char *field, const char *text)
{
	int i = cdict_event_type_field(type, field);

	if (i >= 0)
		snprintf((char *)payload + type->fields[i].offset, type->fields[i].size, "%s",
			 text);
}

static inline void made_event(struct cdict_writer *w, const struct cdict_sample *sample,
			      const struct cdict_event_type *type, const unsigned char *payload)
{
	struct cdict_error err;

	made_check(cdict_writer_event(w, sample, type->index, payload, type->payload_size, &err),
		   &err);
}

#endif
