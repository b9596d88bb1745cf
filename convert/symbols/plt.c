/* SPDX-License-Identifier: GPL-2.0-only */
/* Entries of .plt: the n-th is for the n-th relocation of .rela.plt. */
#include "convert/symbols/plt.h"

#include <errno.h>
#include <stdio.h>

#include "base/cursor.h"
#include "convert/symbols/demangle.h"

struct section {
	uint32_t name, type, link;
	uint64_t address, entry;
	const uint8_t *bytes; /* NULL: outside of the file, or it has none */
	size_t size;
};

struct elf {
	const uint8_t *data;
	size_t size;
	bool wide, big;
	uint16_t machine;
	uint64_t sections;
	uint16_t section_size, n, names;
};

static uint64_t word(struct cursor *c, const struct elf *e)
{
	return e->wide ? cursor_u64(c) : cursor_u32(c);
}

static bool open_elf(struct elf *e, const uint8_t *data, size_t size)
{
	struct cursor c;

	if (size < EI_NIDENT || memcmp(data, ELFMAG, SELFMAG))
		return false;
	*e = (struct elf){ .data = data,
			   .size = size,
			   .wide = data[EI_CLASS] == ELFCLASS64,
			   .big = data[EI_DATA] == ELFDATA2MSB };
	c = cursor_init(data, size, e->big);
	cursor_skip(&c, EI_NIDENT + 2);
	e->machine = cursor_u16(&c);
	cursor_u32(&c); /* version */
	word(&c, e);    /* entry, segments */
	word(&c, e);
	e->sections = word(&c, e);
	cursor_skip(&c, 10); /* flags, header's size, size and number of segments */
	e->section_size = cursor_u16(&c);
	e->n = cursor_u16(&c);
	e->names = cursor_u16(&c);
	return cursor_ok(&c) &&
	       e->section_size >= (e->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
}

static bool section_at(const struct elf *e, uint32_t i, struct section *out)
{
	uint64_t at, offset, size;
	struct cursor c;

	if (i >= e->n || e->sections > e->size)
		return false;
	at = e->sections + (uint64_t)i * e->section_size;
	if (at > e->size)
		return false;
	c = cursor_init(e->data + at, e->size - (size_t)at, e->big);
	*out = (struct section){ .name = cursor_u32(&c), .type = cursor_u32(&c) };
	word(&c, e); /* flags */
	out->address = word(&c, e);
	offset = word(&c, e);
	size = word(&c, e);
	out->link = cursor_u32(&c);
	cursor_u32(&c); /* info */
	word(&c, e);    /* alignment */
	out->entry = word(&c, e);
	if (!cursor_ok(&c))
		return false;
	if (out->type != SHT_NOBITS && offset <= e->size && size <= e->size - offset) {
		out->bytes = e->data + offset;
		out->size = (size_t)size;
	}
	return true;
}

/* The string at @at of a table, or NULL. */
static const char *string_at(const struct section *table, uint32_t at)
{
	if (!table->bytes || at >= table->size || !memchr(table->bytes + at, 0, table->size - at))
		return NULL;
	return (const char *)table->bytes + at;
}

static bool find_section(const struct elf *e, const char *name, struct section *out)
{
	struct section names;

	if (!section_at(e, e->names, &names))
		return false;
	for (uint32_t i = 1; i < e->n && section_at(e, i, out); i++) {
		const char *is = string_at(&names, out->name);

		if (is && !strcmp(is, name) && out->bytes)
			return true;
	}
	return false;
}

/* The entries, and what they are for. */
struct plt {
	struct elf elf;
	struct section relocations, symbols, strings;
	uint64_t first, entry; /* address of the first entry, and their size */
};

/* .plt.sec has the entries where .plt only jumps to the linker; .plt begins with another entry. */
static bool find_plt(struct plt *p)
{
	struct section plt;
	uint64_t header = 0;

	if (!find_section(&p->elf, ".rela.plt", &p->relocations) &&
	    !find_section(&p->elf, ".rel.plt", &p->relocations))
		return false;
	if (!section_at(&p->elf, p->relocations.link, &p->symbols) || !p->symbols.bytes ||
	    !section_at(&p->elf, p->symbols.link, &p->strings))
		return false;
	if (find_section(&p->elf, ".plt.sec", &plt)) {
		p->entry = plt.entry;
	} else if (find_section(&p->elf, ".plt", &plt)) {
		/* linkers state no size of an entry for ARM */
		p->entry = p->elf.machine == EM_ARM       ? 12
			   : p->elf.machine == EM_AARCH64 ? 16
							  : plt.entry;
		header = p->elf.machine == EM_ARM       ? 20
			 : p->elf.machine == EM_AARCH64 ? 32
							: p->entry;
	} else {
		return false;
	}
	p->first = plt.address + header;
	return p->entry > 0 && p->entry <= 4096;
}

/* Prints the name of an entry: "read@plt", or "*ABS*+0x9f620@plt" for a function that is chosen
 * when the program starts. 0, -ENOENT: it has none, or -ENOMEM. */
static int name_of(const struct plt *p, struct cursor *relocation, struct stringset *names,
		   char *text, size_t size)
{
	size_t symbol_size = p->elf.wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	bool addend = p->relocations.type == SHT_RELA;
	uint64_t info, add;
	const char *name = NULL;
	size_t symbol;

	word(relocation, &p->elf); /* address */
	info = word(relocation, &p->elf);
	add = addend ? word(relocation, &p->elf) : 0;
	symbol = (size_t)(p->elf.wide ? info >> 32 : info >> 8);
	if (!cursor_ok(relocation))
		return -ENOENT;
	if (!symbol) {
		snprintf(text, size, "*ABS*+0x%llx@plt", (unsigned long long)add);
		return addend ? 0 : -ENOENT;
	}
	if (symbol < p->symbols.size / symbol_size)
		name = string_at(&p->strings,
				 load32(p->symbols.bytes + symbol * symbol_size, p->elf.big));
	if (!name || !*name)
		return -ENOENT;
	name = demangle(names, name);
	if (!name)
		return -ENOMEM;
	return (size_t)snprintf(text, size, "%s@plt", name) < size ? 0 : -ENOENT;
}

int plt_read(struct functions *f, const void *data, size_t size, uint64_t bias, size_t most,
	     struct stringset *names)
{
	struct plt p;
	struct cursor c;
	uint64_t at;

	if (!open_elf(&p.elf, data, size) || !find_plt(&p))
		return 0;
	c = cursor_init(p.relocations.bytes, p.relocations.size, p.elf.big);
	for (at = p.first + bias; c.left && cursor_ok(&c) && most; at += p.entry, most--) {
		struct elf_function new = { .start = at,
					    .end = at + p.entry,
					    .order = UINT32_MAX,
					    .info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) };
		char text[DEMANGLE_MAX + 8];
		int ret = name_of(&p, &c, names, text, sizeof(text));

		if (ret == -ENOMEM)
			return ret;
		if (ret || new.end < at)
			continue;
		new.name = stringset_add(names, text, strlen(text));
		if (!new.name || array_push(&f->all, new))
			return -ENOMEM;
	}
	return 0;
}
