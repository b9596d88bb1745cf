/* SPDX-License-Identifier: GPL-2.0-only */
/* Events and formats -> a small perf.data in memory -> event types. */
#include "plugin/types.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

#define RECORD_ATTR 64u
#define RECORD_TRACING_DATA 66u
/* Of an attr only what the choice of a type needs. */
#define SAMPLE_FIELDS (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW)

void types_init(struct types *t, const char *const *globs, size_t n_globs)
{
	*t = (struct types){ 0 };
	formats_init(&t->formats, globs, n_globs);
}

void types_fini(struct types *t)
{
	formats_fini(&t->formats);
	for (size_t i = 0; i < t->n_made; i++) {
		perfdata_close(t->made[i].pd);
		buf_fini(&t->made[i].bytes);
	}
	free(t->made);
	free(t->events);
	*t = (struct types){ 0 };
}

static void put32(struct buf *b, uint32_t v)
{
	buf_add(b, &v, sizeof(v));
}

static void put64(struct buf *b, uint64_t v)
{
	buf_add(b, &v, sizeof(v));
}

/* In the byte order that the tracing data state of themselves. */
static void put_size(struct buf *b, uint64_t v, unsigned bytes, bool big)
{
	for (unsigned i = 0; i < bytes; i++)
		buf_u8(b, (uint8_t)(v >> 8 * (big ? bytes - 1 - i : i)));
}

static void put_record(struct buf *b, uint32_t type, size_t size)
{
	uint16_t head[2] = { 0, (uint16_t)size };

	put32(b, type);
	buf_add(b, head, sizeof(head));
}

static void put_attr(struct buf *b, const struct types_event *ev)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = PERF_ATTR_SIZE_VER0,
		.config = ev->config,
		.sample_type = ev->sample_type & SAMPLE_FIELDS,
	};

	put_record(b, RECORD_ATTR, 8 + PERF_ATTR_SIZE_VER0);
	buf_add(b, &attr, PERF_ATTR_SIZE_VER0);
}

static void put_text(struct buf *b, const char *text, size_t len, bool big)
{
	put_size(b, len, 8, big);
	buf_add(b, text, len);
}

/* Formats of one system after the other, as they follow each other. */
static void put_systems(struct buf *b, const struct perfdata_tracing *t)
{
	size_t systems = 0, end;

	for (size_t i = 0; i < t->n_formats; i++)
		systems += !i || strcmp(t->formats[i].system, t->formats[i - 1].system);
	put_size(b, systems, 4, t->big_endian);
	for (size_t i = 0; i < t->n_formats; i = end) {
		const char *system = t->formats[i].system;

		for (end = i; end < t->n_formats && !strcmp(t->formats[end].system, system); end++)
			;
		buf_add(b, system, strlen(system) + 1);
		put_size(b, end - i, 4, t->big_endian);
		for (size_t k = i; k < end; k++)
			put_text(b, t->formats[k].text, t->formats[k].len, t->big_endian);
	}
}

static void put_tracing(struct buf *b, const struct perfdata_tracing *t)
{
	static const char version[] = "0.5", page[] = "header_page", event[] = "header_event";
	size_t record = b->len, from;

	put_record(b, RECORD_TRACING_DATA, 12);
	put32(b, 0);
	from = b->len;
	buf_add(b, "\x17\x08\x44tracing", 10);
	buf_add(b, version, sizeof(version));
	buf_u8(b, t->big_endian);
	buf_u8(b, (uint8_t)t->long_size);
	put_size(b, t->page_size, 4, t->big_endian);
	buf_add(b, page, sizeof(page));
	put_text(b, "", 0, t->big_endian);
	buf_add(b, event, sizeof(event));
	put_text(b, "", 0, t->big_endian);
	put_size(b, 0, 4, t->big_endian); /* ftrace's own */
	put_systems(b, t);
	put_size(b, 0, 4, t->big_endian); /* kallsyms */
	put_size(b, 0, 4, t->big_endian); /* printk_formats */
	if (!b->failed) {
		uint32_t size = (uint32_t)(b->len - from);

		memcpy(b->data + record + 8, &size, sizeof(size));
	}
}

static void put_all(struct buf *b, const struct types *t, const struct perfdata_tracing *tracing)
{
	/* A pipe's header: the magic says which byte order the records have. */
	buf_add(b, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "2ELIFREP" : "PERFILE2", 8);
	put64(b, 16);
	for (size_t i = 0; i < t->n; i++)
		put_attr(b, &t->events[i]);
	if (tracing->present)
		put_tracing(b, tracing);
}

static int no_memory(struct cdict_error *err)
{
	return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
}

int types_add(struct types *t, const struct perfdata_tracing *tracing,
	      const struct types_event *events, size_t n, struct cdict_error *err)
{
	struct types_event *all = realloc(t->events, (t->n + n + 1) * sizeof(*all));
	struct types_made *made = realloc(t->made, (t->n_made + 1) * sizeof(*made));
	struct perfdata_record rec;
	int ret;

	if (all)
		t->events = all;
	if (made)
		t->made = made;
	if (!all || !made)
		return no_memory(err);
	made += t->n_made;
	*made = (struct types_made){ 0 };
	memcpy(all + t->n, events, n * sizeof(*all));
	t->n += n;
	put_all(&made->bytes, t, tracing);
	if (made->bytes.failed) {
		buf_fini(&made->bytes);
		return no_memory(err);
	}
	ret = perfdata_parse(&made->pd, made->bytes.data, made->bytes.len, err);
	if (ret) {
		buf_fini(&made->bytes);
		return ret;
	}
	t->n_made++;
	while ((ret = perfdata_next(made->pd, &rec, err)) > 0)
		;
	if (ret < 0)
		return ret;
	return formats_update(&t->formats, made->pd, &t->bad, t->why, sizeof(t->why), err);
}

int types_find(const struct types *t, uint64_t config, uint64_t sample_type)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->events[i].config == config &&
		    !((t->events[i].sample_type ^ sample_type) & SAMPLE_FIELDS))
			return (int)i;
	return -1;
}

const struct cdict_schema *types_schema(const struct types *t)
{
	return t->formats.schema;
}
