/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens a trace.dat: its header, and the walk through its sections. */
#include "convert/tracedat/tracedat.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "convert/tracedat/internal.h"

/* All formats of a kernel are 4 MB of text. */
#define SECTION_MAX (32u << 20)
#define SECTIONS_MAX 4096u
#define SECTION_COMPRESSED 1u

const char *tracedat_keep(struct tracedat *td, const void *text, size_t n)
{
	char *p;

	if (n >= TRACEDAT_MEMORY(td) - td->kept_bytes) {
		td->no_memory = td->too_much = true;
		return NULL;
	}
	td->kept_bytes += n;
	p = malloc(n + 1);
	if (!p || array_push(&td->kept, p)) {
		free(p);
		td->no_memory = true;
		return NULL;
	}
	memcpy(p, text, n);
	p[n] = '\0';
	return p;
}

int tracedat_add_cpu(struct tracedat *td, struct tracedat_buffer *b, const struct tracedat_cpu *cpu)
{
	/* each takes 16 bytes of the file, and they do not overlap */
	if (td->n_cpu_places == td->file.size / 16)
		return CDICT_ECORRUPT;
	td->n_cpu_places++;
	return array_push(&b->cpus, *cpu) ? -ENOMEM : 0;
}

void tracedat_note(struct tracedat *td, const char *fmt, ...)
{
	va_list args;

	if (td->damage[0])
		return;
	va_start(args, fmt);
	vsnprintf(td->damage, sizeof(td->damage), fmt, args);
	va_end(args);
}

int tracedat_unpack(struct tracedat *td, const uint8_t *in, size_t size, uint8_t *out,
		    size_t out_size)
{
	uLongf got = (uLongf)out_size;
	size_t made;
	int ret;

	if (td->codec == CODEC_ZLIB) {
		ret = uncompress(out, &got, in, (uLong)size);
		if (ret == Z_MEM_ERROR)
			return -ENOMEM;
		return ret == Z_OK && got == out_size ? 0 : CDICT_ECORRUPT;
	}
	if (!td->zstd)
		td->zstd = ZSTD_createDCtx();
	if (!td->zstd)
		return -ENOMEM;
	made = ZSTD_decompressDCtx(td->zstd, out, out_size, in, size);
	if (ZSTD_isError(made) && ZSTD_getErrorCode(made) == ZSTD_error_memory_allocation)
		return -ENOMEM;
	return made == out_size ? 0 : CDICT_ECORRUPT;
}

/* ---- version 7: sections ---- */

struct section {
	struct cursor c;
	uint16_t id, flags;
	uint8_t *unpacked; /* given */
};

static bool section_header(struct tracedat *td, uint64_t at, struct section *s, uint64_t *size)
{
	if (at > td->file.size)
		return false;
	s->c = cursor_init(td->file.data + at, td->file.size - (size_t)at, td->tracing.big_endian);
	s->id = cursor_u16(&s->c);
	s->flags = cursor_u16(&s->c);
	cursor_u32(&s->c); /* name, an offset in a section of strings */
	*size = cursor_u64(&s->c);
	return cursor_ok(&s->c);
}

/* Opens the content of the section at @at: 0, CDICT_ECORRUPT or -ENOMEM. */
static int section_open(struct tracedat *td, uint64_t at, struct section *s)
{
	const uint8_t *packed;
	uint32_t in, out;
	uint64_t size;
	int ret;

	*s = (struct section){ .flags = 0 };
	if (!section_header(td, at, s, &size))
		return CDICT_ECORRUPT;
	if (size < s->c.left)
		s->c.left = (size_t)size;
	if (!(s->flags & SECTION_COMPRESSED))
		return 0;
	in = cursor_u32(&s->c);
	out = cursor_u32(&s->c);
	packed = cursor_take(&s->c, in);
	if (!packed || out > SECTION_MAX || td->codec == CODEC_NONE)
		return CDICT_ECORRUPT;
	s->unpacked = malloc(out ? out : 1);
	if (!s->unpacked)
		return -ENOMEM;
	ret = tracedat_unpack(td, packed, in, s->unpacked, out);
	if (ret) {
		free(s->unpacked);
		s->unpacked = NULL;
		return ret;
	}
	s->c = cursor_init(s->unpacked, out, td->tracing.big_endian);
	return 0;
}

/* Reads the options of one section; sets *@next to the offset of the next section, 0: none. */
static int options_v7(struct tracedat *td, uint64_t at, uint64_t *next)
{
	struct section s;
	int ret = section_open(td, at, &s);

	*next = 0;
	if (!ret && s.id != OPTION_DONE)
		ret = CDICT_ECORRUPT;
	while (!ret) {
		uint16_t id = cursor_u16(&s.c);
		uint32_t size = cursor_u32(&s.c);
		const uint8_t *data = cursor_take(&s.c, size);
		struct cursor c = cursor_init(data, data ? size : 0, s.c.big);

		if (!data) {
			ret = CDICT_ECORRUPT;
		} else if (id == OPTION_DONE) {
			*next = cursor_u64(&c);
			break;
		} else {
			ret = tracedat_option(td, id, &c);
		}
	}
	free(s.unpacked);
	return ret;
}

static int all_options_v7(struct tracedat *td, uint64_t at)
{
	for (unsigned n = 0; at; n++) {
		uint64_t next;
		int ret = n < SECTIONS_MAX ? options_v7(td, at, &next) : CDICT_ECORRUPT;

		if (ret == -ENOMEM)
			return ret;
		if (ret) {
			tracedat_note(td, "its options cannot be read (at byte %llu)",
				      (unsigned long long)at);
			return 0;
		}
		at = next;
	}
	return 0;
}

static int read_section(struct tracedat *td, enum tracedat_option id, const char *what,
			int (*reads)(struct tracedat *td, struct cursor *c))
{
	struct section s;
	int ret;

	if (!td->section_at[id])
		return 0;
	ret = section_open(td, td->section_at[id], &s);
	if (!ret)
		ret = s.id == id ? reads(td, &s.c) : CDICT_ECORRUPT;
	free(s.unpacked);
	if (ret == CDICT_ECORRUPT)
		tracedat_note(td, "its %s cannot be read (at byte %llu)", what,
			      (unsigned long long)td->section_at[id]);
	return ret == -ENOMEM ? ret : 0;
}

/* Notes whether the buffers' sections are compressed. */
static void note_compressed(struct tracedat *td)
{
	for (size_t i = 0; i < td->buffers.n; i++) {
		struct tracedat_buffer *b = &td->buffers.at[i];
		struct section s;
		uint64_t size;

		if (section_header(td, b->offset, &s, &size))
			b->compressed = s.flags & SECTION_COMPRESSED;
		else
			tracedat_note(td, "buffer '%s' is beyond the end of the file", b->name);
	}
}

static int codec_of(struct tracedat *td, const char *name, const char *version,
		    struct cdict_error *err)
{
	if (!strcmp(name, "none"))
		td->codec = CODEC_NONE;
	else if (!strcmp(name, "zstd"))
		td->codec = CODEC_ZSTD;
	else if (!strcmp(name, "zlib"))
		td->codec = CODEC_ZLIB;
	else
		return cdict_fail(err, CDICT_EVERSION, CDICT_NO_OFFSET,
				  "its compression '%.32s' (%.32s) is neither zstd nor zlib", name,
				  version);
	return 0;
}

static int read_v7(struct tracedat *td, struct cursor *c, struct cdict_error *err)
{
	const char *codec = cursor_text(c, NULL), *version = cursor_text(c, NULL);
	uint64_t options = cursor_u64(c);
	int ret;

	if (!cursor_ok(c))
		return cdict_fail(err, CDICT_ETRUNCATED, cursor_pos(c),
				  "the trace.dat is truncated within its header");
	ret = codec_of(td, codec, version, err);
	if (ret)
		return ret;
	ret = all_options_v7(td, options);
	if (!ret)
		ret = read_section(td, OPTION_HEADER_INFO, "page header", tracedat_header_info);
	if (!ret)
		ret = read_section(td, OPTION_FTRACE_EVENTS, "ftrace formats",
				   tracedat_ftrace_formats);
	if (!ret)
		ret = read_section(td, OPTION_EVENT_FORMATS, "event formats",
				   tracedat_event_formats);
	if (!ret)
		ret = read_section(td, OPTION_KALLSYMS, "kernel symbols", tracedat_kallsyms);
	if (!ret)
		ret = read_section(td, OPTION_PRINTK, "printk formats", tracedat_printk);
	if (!ret)
		ret = read_section(td, OPTION_CMDLINES, "task names", tracedat_cmdlines);
	if (!ret)
		note_compressed(td);
	return ret ? cdict_fail_nomem(err) : 0;
}

/* ---- version 6: everything in sequence ---- */

static int options_v6(struct tracedat *td, struct cursor *c)
{
	for (;;) {
		uint16_t id = cursor_u16(c);
		uint32_t size;
		const uint8_t *data;
		struct cursor option;
		int ret;

		if (!cursor_ok(c) || id == OPTION_DONE)
			return cursor_ok(c) ? 0 : CDICT_ECORRUPT;
		size = cursor_u32(c);
		data = cursor_take(c, size);
		if (!data)
			return CDICT_ECORRUPT;
		option = cursor_init(data, size, c->big);
		ret = tracedat_option(td, id, &option);
		if (ret)
			return ret;
	}
}

/* Gets x86-tsc from "[x86-tsc]" in the kernel's trace_clock. */
static int clock_v6(struct tracedat *td, struct cursor *c)
{
	uint64_t size = cursor_u64(c);
	const uint8_t *text = size > c->left ? NULL : cursor_take(c, (size_t)size);
	struct cursor option = cursor_init(text, text ? (size_t)size : 0, c->big);

	/* a bug of trace-cmd left it out: then it is the kernel's default clock */
	return text ? tracedat_option(td, OPTION_TRACECLOCK, &option) : 0;
}

/* Finds each CPU's pages, after the options. */
static int buffer_v6(struct tracedat *td, struct cursor *c, size_t buffer)
{
	const uint8_t *what = cursor_take(c, 10);
	struct tracedat_buffer *b;
	int ret;

	if (what && !memcmp(what, "options", 7)) {
		ret = options_v6(td, c);
		if (ret)
			return ret;
		what = cursor_take(c, 10);
	}
	b = &td->buffers.at[buffer];
	if (what && !memcmp(what, "latency", 7)) {
		b->text = true;
		return 0;
	}
	if (!what || memcmp(what, "flyrecord", 9))
		return CDICT_ECORRUPT;
	for (uint32_t i = 0; i < td->n_cpus; i++) {
		struct tracedat_cpu cpu = { .cpu = i };

		cpu.offset = cursor_u64(c);
		cpu.size = cursor_u64(c);
		if (!cursor_ok(c))
			return CDICT_ECORRUPT;
		ret = tracedat_add_cpu(td, b, &cpu);
		if (ret)
			return ret;
	}
	return 0;
}

static int instances_v6(struct tracedat *td)
{
	/* an instance's options do not add buffers: buffers.n is constant */
	size_t n = td->buffers.n;

	for (size_t i = 1; i < n; i++) {
		uint64_t at = td->buffers.at[i].offset;
		struct cursor c;
		int ret = CDICT_ECORRUPT;

		if (at < td->file.size) {
			c = cursor_init(td->file.data + at, td->file.size - (size_t)at,
					td->tracing.big_endian);
			ret = buffer_v6(td, &c, i);
		}
		if (ret == -ENOMEM)
			return ret;
		if (ret)
			tracedat_note(td, "buffer '%s' cannot be read (at byte %llu)",
				      td->buffers.at[i].name, (unsigned long long)at);
	}
	while (td->buffers.n > n)
		array_fini(&td->buffers.at[--td->buffers.n].cpus);
	return 0;
}

static int head_v6(struct tracedat *td, struct cursor *c)
{
	int ret = tracedat_header_info(td, c);

	if (!ret)
		ret = tracedat_ftrace_formats(td, c);
	if (!ret)
		ret = tracedat_event_formats(td, c);
	if (ret)
		return ret;
	ret = tracedat_kallsyms(td, c);
	if (!ret)
		ret = tracedat_printk(td, c);
	if (!ret)
		ret = tracedat_cmdlines(td, c);
	if (ret)
		return ret;
	td->n_cpus = cursor_u32(c);
	ret = buffer_v6(td, c, 0);
	if (!ret && td->clock_follows && !td->clock)
		ret = clock_v6(td, c);
	return ret ? ret : instances_v6(td);
}

static int read_v6(struct tracedat *td, struct cursor *c, struct cdict_error *err)
{
	struct tracedat_buffer *top = array_add(&td->buffers);
	int ret;

	if (!top)
		return cdict_fail_nomem(err);
	top->name = "";
	ret = head_v6(td, c);
	if (ret == -ENOMEM)
		return cdict_fail_nomem(err);
	if (ret)
		tracedat_note(td, "its header is truncated or damaged at byte %zu",
			      (size_t)(c->at - td->file.data));
	return 0;
}

/* ---- open ---- */

static int read_all(struct tracedat *td, struct cdict_error *err)
{
	struct cursor c = cursor_init(td->file.data, td->file.size, false);
	const uint8_t *magic = cursor_take(&c, TRACEDAT_MAGIC_SIZE);
	const char *version;
	int ret;

	if (!magic || !tracedat_is(magic, TRACEDAT_MAGIC_SIZE))
		return cdict_fail(err, CDICT_EFORMAT, 0, "not a trace.dat of trace-cmd");
	version = cursor_text(&c, NULL);
	td->tracing.big_endian = cursor_u8(&c) != 0;
	td->tracing.long_size = cursor_u8(&c);
	c.big = td->tracing.big_endian;
	td->page_size = td->tracing.page_size = cursor_u32(&c);
	if (!cursor_ok(&c))
		return cdict_fail(err, CDICT_ETRUNCATED, cursor_pos(&c),
				  "the trace.dat is truncated within its header");
	td->version = (unsigned)strtoul(version, NULL, 10);
	if (td->version != 6 && td->version != 7)
		return cdict_fail(err, CDICT_EVERSION, TRACEDAT_MAGIC_SIZE,
				  "trace.dat version '%.16s' is not supported; expected 6 or 7",
				  version);
	if ((td->tracing.long_size != 4 && td->tracing.long_size != 8) || td->page_size < 64 ||
	    td->page_size > 1u << 24)
		return cdict_fail(
			err, CDICT_ECORRUPT, cursor_pos(&c),
			"a trace.dat with an invalid size of a long (%d bytes) or page (%u)",
			td->tracing.long_size, td->page_size);
	ret = td->version == 7 ? read_v7(td, &c, err) : read_v6(td, &c, err);
	if (ret)
		return ret;
	if (td->no_memory)
		return cdict_fail_nomem(err);
	td->tracing.present = true;
	td->tracing.formats = td->formats.at;
	td->tracing.n_formats = td->formats.n;
	return 0;
}

static int read_head(struct tracedat *td, struct cdict_error *err)
{
	int ret = read_all(td, err);

	return td->too_much
		       ? cdict_fail(
				 err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				 "its texts need more memory than 64 MiB plus eight times the file's size")
		       : ret;
}

/* @ret: result of getting its bytes. */
static int finish_open(struct tracedat **out, struct tracedat *td, int ret, struct cdict_error *err)
{
	if (!ret)
		ret = read_head(td, err);
	if (ret)
		tracedat_close(td);
	*out = ret ? NULL : td;
	return ret;
}

int tracedat_parse(struct tracedat **out, const void *data, size_t size, struct cdict_error *err)
{
	struct tracedat *td = calloc(1, sizeof(*td));

	if (td)
		td->file = (struct import_bytes){ .data = data, .size = size };
	return finish_open(out, td, td ? 0 : cdict_fail_nomem(err), err);
}

int tracedat_open(struct tracedat **out, const char *path, struct cdict_error *err)
{
	struct tracedat *td = calloc(1, sizeof(*td));

	return finish_open(
		out, td, td ? import_bytes_open(&td->file, path, err) : cdict_fail_nomem(err), err);
}

void tracedat_close(struct tracedat *td)
{
	if (!td)
		return;
	for (size_t i = 0; i < td->buffers.n; i++)
		array_fini(&td->buffers.at[i].cpus);
	for (size_t i = 0; i < td->guests.n; i++)
		array_fini(&td->guests.at[i].vcpus);
	for (size_t i = 0; i < td->shifts.n; i++)
		array_fini(&td->shifts.at[i].at);
	for (size_t i = 0; i < td->kept.n; i++)
		free(td->kept.at[i]);
	array_fini(&td->buffers);
	array_fini(&td->guests);
	array_fini(&td->shifts);
	array_fini(&td->stats);
	array_fini(&td->formats);
	array_fini(&td->kept);
	array_fini(&td->processes);
	import_bytes_close(&td->file);
	ZSTD_freeDCtx(td->zstd);
	free(td);
}
