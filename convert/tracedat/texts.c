/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracefs files in a trace.dat: page layout, formats, names of tasks. */
#include <errno.h>
#include <stdlib.h>

#include "base/text/kernel_functions.h"
#include "convert/tracedat/internal.h"

/* Copies a text of @n bytes, a length read from a u64 or u32. */
static const char *take_text(struct tracedat *td, struct cursor *c, uint64_t n)
{
	const uint8_t *p = n > c->left ? NULL : cursor_take(c, (size_t)n);

	if (!p)
		c->failed = true;
	return p ? tracedat_keep(td, p, (size_t)n) : NULL;
}

static int broken(const struct tracedat *td)
{
	return td->no_memory ? -ENOMEM : CDICT_ECORRUPT;
}

/* Reads "header_page" or "header_event", its NUL, a u64 size and the text. */
static const char *header_file(struct tracedat *td, struct cursor *c, const char *name)
{
	size_t n = strlen(name) + 1;
	const uint8_t *p = cursor_take(c, n);

	if (!p || memcmp(p, name, n)) {
		c->failed = true;
		return NULL;
	}
	return take_text(td, c, cursor_u64(c));
}

/* Parses the field @name of header_page: "field: local_t commit;\toffset:8;\tsize:8;\tsigned:1;" */
static bool page_field(const char *page, const char *name, uint32_t *offset, uint32_t *size)
{
	size_t n = strlen(name);

	for (const char *line = page; line; line = strchr(line, '\n')) {
		const char *semicolon, *at, *bytes;

		line += *line == '\n';
		semicolon = strchr(line, ';');
		if (!semicolon)
			return false;
		if ((size_t)(semicolon - line) <= n || strncmp(semicolon - n, name, n))
			continue;
		at = strstr(semicolon, "offset:");
		bytes = strstr(semicolon, "size:");
		if (!at || !bytes)
			return false;
		*offset = (uint32_t)strtoul(at + 7, NULL, 10);
		*size = (uint32_t)strtoul(bytes + 5, NULL, 10);
		return true;
	}
	return false;
}

/* Takes the layout from the kernel's own page header; its long may be longer than the recorder's. */
static bool page_layout(struct tracedat *td, const char *page)
{
	uint32_t at, size, data_size;

	if (!page_field(page, " timestamp", &at, &size) || at || size != 8)
		return false;
	if (!page_field(page, " commit", &td->commit_at, &td->commit_size) ||
	    (td->commit_size != 4 && td->commit_size != 8) || td->commit_at > 64)
		return false;
	if (!page_field(page, " data", &td->data_at, &data_size) ||
	    td->data_at < td->commit_at + td->commit_size || td->data_at > 128)
		return false;
	/* since Linux 6.8 a sub-buffer may be larger than a page */
	if (data_size >= 64 && data_size <= 1u << 24)
		td->page_size = td->data_at + data_size;
	td->tracing.long_size = (int)td->commit_size;
	return true;
}

int tracedat_header_info(struct tracedat *td, struct cursor *c)
{
	const char *page = header_file(td, c, "header_page");

	if (!page)
		return broken(td);
	if (!page_layout(td, page)) {
		tracedat_note(td, "its header_page describes an unknown page layout");
		td->data_at = 0;
	}
	return header_file(td, c, "header_event") ? 0 : broken(td);
}

static int add_format(struct tracedat *td, const char *system, struct cursor *c)
{
	struct perfdata_format f = { .system = system };
	uint64_t size = cursor_u64(c);

	f.text = take_text(td, c, size);
	if (!f.text)
		return broken(td);
	f.len = strlen(f.text);
	return array_push(&td->formats, f) ? -ENOMEM : 0;
}

int tracedat_ftrace_formats(struct tracedat *td, struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	int ret = 0;

	while (n-- && !ret)
		ret = add_format(td, "ftrace", c);
	return ret ? ret : cursor_ok(c) ? 0 : CDICT_ECORRUPT;
}

int tracedat_event_formats(struct tracedat *td, struct cursor *c)
{
	uint32_t systems = cursor_u32(c);

	while (systems-- && cursor_ok(c)) {
		size_t len;
		const char *name = cursor_text(c, &len);
		uint32_t n = cursor_u32(c);
		int ret = 0;

		if (!cursor_ok(c))
			break;
		name = tracedat_keep(td, name, len);
		if (!name)
			return -ENOMEM;
		while (n-- && !ret)
			ret = add_format(td, name, c);
		if (ret)
			return ret;
	}
	return cursor_ok(c) ? 0 : CDICT_ECORRUPT;
}

int tracedat_kallsyms(struct tracedat *td, struct cursor *c)
{
	uint32_t size = cursor_u32(c);
	uint64_t table = 0;

	if (!size)
		return cursor_ok(c) ? 0 : CDICT_ECORRUPT;
	td->tracing.kallsyms = take_text(td, c, size);
	if (!td->tracing.kallsyms)
		return broken(td);
	/* memory of the symbol table, if needed; twice while it is sorted */
	for (const char *p = td->tracing.kallsyms; *p; p += strcspn(p, "\n"), p += *p == '\n')
		table += 2 * sizeof(struct kernel_address);
	if (table < TRACEDAT_MEMORY(td) - td->kept_bytes) {
		td->kept_bytes += table;
		return 0;
	}
	tracedat_note(td, "its kernel symbols need too much memory and are left out");
	td->tracing.kallsyms = NULL;
	return 0;
}

int tracedat_printk(struct tracedat *td, struct cursor *c)
{
	uint32_t size = cursor_u32(c);

	if (!size)
		return cursor_ok(c) ? 0 : CDICT_ECORRUPT;
	td->tracing.printk = take_text(td, c, size);
	return td->tracing.printk ? 0 : broken(td);
}

int tracedat_cmdlines(struct tracedat *td, struct cursor *c)
{
	td->cmdlines = take_text(td, c, cursor_u64(c));
	return td->cmdlines ? 0 : broken(td);
}
