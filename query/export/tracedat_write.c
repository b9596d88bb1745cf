/* SPDX-License-Identifier: GPL-2.0-only */
/* The head of a trace.dat: formats, texts, options, and the table of the CPUs' pages. */
#include "query/export/tracedat_write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/kernel_functions.h"
#include "base/tracedat.h"
#include "cdict/version.h"

enum option { OPTION_TRACECLOCK = 4, OPTION_UNAME = 5, OPTION_CPUCOUNT = 8, OPTION_VERSION = 9 };

void tracedat_put(const struct tracedat_writer *wr, struct buf *b, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		buf_u8(b, (uint8_t)(v >> 8 * (wr->big ? size - 1 - i : i)));
}

void tracedat_out(struct tracedat_writer *wr, const void *data, size_t size)
{
	sink_add(wr->out, data, size);
	wr->at += size;
}

void tracedat_word(struct tracedat_writer *wr, uint64_t v, unsigned size)
{
	struct buf b = { 0 };

	tracedat_put(wr, &b, v, size);
	if (b.failed)
		wr->out->error = -ENOMEM;
	else
		tracedat_out(wr, b.data, b.len);
	buf_fini(&b);
}

void tracedat_padding(struct tracedat_writer *wr)
{
	size_t n = (size_t)(-wr->at & (wr->page_size - 1));

	sink_repeat(wr->out, '\0', n);
	wr->at += n;
}

static void out_text(struct tracedat_writer *wr, const char *text)
{
	tracedat_out(wr, text, strlen(text) + 1);
}

static void out_section(struct tracedat_writer *wr, const char *name, const char *text)
{
	out_text(wr, name);
	tracedat_word(wr, strlen(text), 8);
	tracedat_out(wr, text, strlen(text));
}

static void out_headers(struct tracedat_writer *wr)
{
	struct sink s;
	size_t len;
	char *page;

	sink_to_memory(&s);
	sink_printf(&s,
		    "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		    "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
		    "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		    "\tfield: char data;\toffset:%zu;\tsize:%zu;\tsigned:1;\n",
		    wr->long_size, tracedat_page_head(wr), wr->page_size - tracedat_page_head(wr));
	page = sink_take(&s, &len);
	if (!page)
		wr->out->error = -ENOMEM;
	else
		out_section(wr, "header_page", page);
	free(page);
	out_section(wr, "header_event",
		    "# compressed entry header\n"
		    "\ttype_len    :    5 bits\n"
		    "\ttime_delta  :   27 bits\n"
		    "\tarray       :   32 bits\n"
		    "\n"
		    "\tpadding     : type == 29\n"
		    "\ttime_extend : type == 30\n"
		    "\ttime_stamp : type == 31\n"
		    "\tdata max type_len  == 28\n");
}

/* Types with a kernel's format, of @system; NULL: of all but ftrace. */
static bool is_of(const struct cdict_event_type *type, const char *system)
{
	return type->payload_size && !strcmp(type->system, system);
}

static uint32_t count_of(const struct tracedat_writer *wr, const char *system)
{
	uint32_t n = 0;

	for (size_t i = 0; i < cdict_schema_count(wr->schema); i++)
		n += is_of(cdict_schema_at(wr->schema, i), system);
	return n;
}

static void out_formats_of(struct tracedat_writer *wr, const char *system)
{
	tracedat_word(wr, count_of(wr, system), 4);
	for (size_t i = 0; i < cdict_schema_count(wr->schema); i++) {
		const struct cdict_event_type *type = cdict_schema_at(wr->schema, i);

		if (!is_of(type, system))
			continue;
		tracedat_word(wr, type->format_len, 8);
		tracedat_out(wr, type->format, type->format_len);
	}
}

/* Whether no type before the @i-th has its system. */
static bool is_first(const struct tracedat_writer *wr, size_t i)
{
	const struct cdict_event_type *type = cdict_schema_at(wr->schema, i);

	for (size_t k = 0; k < i; k++)
		if (is_of(cdict_schema_at(wr->schema, k), type->system))
			return false;
	return type->payload_size && strcmp(type->system, "ftrace");
}

static void out_formats(struct tracedat_writer *wr)
{
	uint32_t n = 0;

	out_formats_of(wr, "ftrace");
	for (size_t i = 0; i < cdict_schema_count(wr->schema); i++)
		n += is_first(wr, i);
	tracedat_word(wr, n, 4);
	for (size_t i = 0; i < cdict_schema_count(wr->schema); i++)
		if (is_first(wr, i)) {
			out_text(wr, cdict_schema_at(wr->schema, i)->system);
			out_formats_of(wr, cdict_schema_at(wr->schema, i)->system);
		}
}

/* Writes a text after its length in @size bytes. */
static void out_sink(struct tracedat_writer *wr, struct sink *s, unsigned size)
{
	size_t len;
	char *text = sink_take(s, &len);

	if (!text)
		wr->out->error = -ENOMEM;
	else {
		tracedat_word(wr, len, size);
		tracedat_out(wr, text, len);
	}
	free(text);
}

static int out_texts(struct tracedat_writer *wr, struct cdict_error *err)
{
	const char *strings = cdict_reader_info(wr->w->reader, "trace.strings");
	const char *symbols = cdict_reader_info(wr->w->reader, "trace.symbols");
	struct kernel_functions k = { 0 };
	struct sink s;

	if (symbols && kernel_functions_read(&k, symbols)) {
		kernel_functions_fini(&k);
		return cdict_fail_nomem(err);
	}
	sink_to_memory(&s);
	for (size_t i = 0; i < k.all.n; i++)
		sink_printf(&s, "%016" PRIx64 " T %.*s\n", k.all.at[i].address,
			    (int)k.all.at[i].len, k.all.at[i].name);
	kernel_functions_fini(&k);
	out_sink(wr, &s, 4);
	sink_to_memory(&s);
	sink_puts(&s, strings ? strings : "");
	out_sink(wr, &s, 4);
	sink_to_memory(&s);
	for (size_t i = 0; i < analyze_engine_task_count(wr->w->eng); i++) {
		const struct analyze_task *t = analyze_engine_task(wr->w->eng, (uint32_t)i);

		if (t->tid > 0 && *t->comm && !strchr(t->comm, '\n'))
			sink_printf(&s, "%d %s\n", t->tid, t->comm);
	}
	out_sink(wr, &s, 8);
	return 0;
}

static void out_option(struct tracedat_writer *wr, enum option option, const char *text,
		       size_t size)
{
	tracedat_word(wr, option, 2);
	tracedat_word(wr, size, 4);
	tracedat_out(wr, text, size);
}

/* The clock's name in tracefs; trace-cmd prints times of clocks that it does not know as bare numbers, so others are
 * called by one that counts ns, too. */
static const char *clock_of(const char *id)
{
	static const char *const names[][2] = { { "monotonic", "mono" },
						{ "monotonic_raw", "mono_raw" },
						{ "boottime", "boot" },
						{ "tai", "tai" },
						{ "uptime", "uptime" } };

	for (size_t i = 0; id && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i][0], id))
			return names[i][1];
	return "local";
}

static void out_options(struct tracedat_writer *wr)
{
	static const char *const keys[] = { "host.name", "host.kernel", "host.arch" };
	const struct cdict_reader *reader = wr->w->reader;
	struct buf b = { 0 };

	tracedat_word(wr, wr->n_cpus, 4);
	tracedat_out(wr, "options  ", 10);
	buf_printf(&b, "[%s]\n", clock_of(cdict_reader_info(reader, "clock.id")));
	buf_u8(&b, 0);
	if (!b.failed)
		out_option(wr, OPTION_TRACECLOCK, (const char *)b.data, b.len);
	b.len = 0;
	buf_printf(&b, "Linux");
	for (size_t i = 0; i < 3; i++) {
		const char *word = cdict_reader_info(reader, keys[i]);

		buf_printf(&b, " %s", word && *word && !strchr(word, ' ') ? word : "?");
	}
	buf_u8(&b, 0);
	if (!b.failed)
		out_option(wr, OPTION_UNAME, (const char *)b.data, b.len);
	b.len = 0;
	buf_printf(&b, "cdict %s", cdict_version());
	buf_u8(&b, 0);
	if (!b.failed)
		out_option(wr, OPTION_VERSION, (const char *)b.data, b.len);
	b.len = 0;
	tracedat_put(wr, &b, wr->n_cpus, 4);
	if (b.failed)
		wr->out->error = -ENOMEM;
	else
		out_option(wr, OPTION_CPUCOUNT, (const char *)b.data, b.len);
	buf_fini(&b);
	tracedat_word(wr, 0, 2);
}

int tracedat_head(struct tracedat_writer *wr, struct cdict_error *err)
{
	int rc;
	uint64_t at;

	tracedat_out(wr, TRACEDAT_MAGIC, TRACEDAT_MAGIC_SIZE);
	out_text(wr, "6");
	tracedat_word(wr, wr->big, 1);
	tracedat_word(wr, wr->long_size, 1);
	tracedat_word(wr, wr->page_size, 4);
	out_headers(wr);
	out_formats(wr);
	rc = out_texts(wr, err);
	if (rc)
		return rc;
	out_options(wr);
	tracedat_out(wr, "flyrecord", 10);
	at = wr->at + 16 * (uint64_t)wr->n_cpus;
	at += -at & (wr->page_size - 1);
	for (uint32_t cpu = 0; cpu < wr->n_cpus; cpu++) {
		uint64_t size = wr->pages[cpu] * wr->page_size;

		tracedat_word(wr, at, 8);
		tracedat_word(wr, size, 8);
		at += size;
	}
	tracedat_padding(wr);
	return 0;
}
