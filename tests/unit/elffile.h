/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * elffile.h - makes small ELF files of either class and byte order: a build id, functions, and a procedure linkage table.
 * One segment has the whole file, at ELF_AT.
 */
#ifndef TESTS_UNIT_ELFFILE_H
#define TESTS_UNIT_ELFFILE_H

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory/buf.h"

#define ELF_AT 0x1000u
#define ELF_PLT_ENTRY 16u
enum {
	ELF_NOTE = 1,
	ELF_PLT,
	ELF_RELA,
	ELF_DYNSYM,
	ELF_DYNSTR,
	ELF_SYMTAB,
	ELF_STRTAB,
	ELF_NAMES,
	ELF_SECTIONS
};

struct elf_symbol {
	const char *name;
	uint64_t address, size;
	uint8_t info;
};

struct elf_made {
	bool wide, big;
	uint8_t build_id[20];
	const struct elf_symbol *functions; /* until a NULL name */
	const char *const
		*imported; /* the entries of the table, until NULL; "": one without a symbol */
};

static inline void elf_put(struct buf *b, const struct elf_made *m, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		buf_u8(b, (uint8_t)(v >> 8 * (m->big ? bytes - 1 - i : i)));
}

static inline void elf_word(struct buf *b, const struct elf_made *m, uint64_t v)
{
	elf_put(b, m, v, m->wide ? 8 : 4);
}

static inline uint32_t elf_text(struct buf *table, const char *text)
{
	uint32_t at = (uint32_t)table->len;

	buf_add(table, text, strlen(text) + 1);
	return at;
}

static inline void elf_symbol(struct buf *b, const struct elf_made *m, uint32_t name,
			      const struct elf_symbol *s, unsigned section)
{
	elf_put(b, m, name, 4);
	if (m->wide) {
		elf_put(b, m, s->info, 1);
		elf_put(b, m, 0, 1);
		elf_put(b, m, section, 2);
	}
	elf_word(b, m, s->address);
	elf_word(b, m, s->size);
	if (!m->wide) {
		elf_put(b, m, s->info, 1);
		elf_put(b, m, 0, 1);
		elf_put(b, m, section, 2);
	}
}

static inline void elf_segment(struct buf *b, const struct elf_made *m, unsigned type,
			       uint64_t offset, uint64_t size)
{
	elf_put(b, m, type, 4);
	if (m->wide)
		elf_put(b, m, PF_R | PF_X, 4);
	elf_word(b, m, offset);
	elf_word(b, m, ELF_AT + offset);
	elf_word(b, m, ELF_AT + offset);
	elf_word(b, m, size);
	elf_word(b, m, size);
	if (!m->wide)
		elf_put(b, m, PF_R | PF_X, 4);
	elf_word(b, m, type == PT_LOAD ? ELF_AT : 4);
}

/* The contents of the sections, but for the names of sections. */
static inline void elf_contents(struct buf of[ELF_SECTIONS], const struct elf_made *m)
{
	static const struct elf_symbol none = { "", 0, 0, 0 };
	struct elf_symbol imported = { "", 0, 0, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) };
	uint64_t symbols = 1;

	elf_put(&of[ELF_NOTE], m, 4, 4);
	elf_put(&of[ELF_NOTE], m, sizeof(m->build_id), 4);
	elf_put(&of[ELF_NOTE], m, NT_GNU_BUILD_ID, 4);
	buf_add(&of[ELF_NOTE], "GNU", 4);
	buf_add(&of[ELF_NOTE], m->build_id, sizeof(m->build_id));
	elf_text(&of[ELF_DYNSTR], "");
	elf_text(&of[ELF_STRTAB], "");
	elf_symbol(&of[ELF_DYNSYM], m, 0, &none, SHN_UNDEF);
	elf_symbol(&of[ELF_SYMTAB], m, 0, &none, SHN_UNDEF);
	for (unsigned i = 0; i < ELF_PLT_ENTRY; i++)
		buf_u8(&of[ELF_PLT], 0);
	for (const char *const *name = m->imported; name && *name; name++) {
		uint64_t symbol = **name ? symbols++ : 0;

		if (symbol)
			elf_symbol(&of[ELF_DYNSYM], m, elf_text(&of[ELF_DYNSTR], *name), &imported,
				   SHN_UNDEF);
		elf_word(&of[ELF_RELA], m, 0);
		elf_word(&of[ELF_RELA], m, (m->wide ? symbol << 32 : symbol << 8) | 7);
		elf_word(&of[ELF_RELA], m, symbol ? 0 : 0x5678);
		for (unsigned i = 0; i < ELF_PLT_ENTRY; i++)
			buf_u8(&of[ELF_PLT], 0);
	}
	for (const struct elf_symbol *s = m->functions; s && s->name; s++)
		elf_symbol(&of[ELF_SYMTAB], m, elf_text(&of[ELF_STRTAB], s->name), s, ELF_PLT);
}

/* elf_make - appends the file to @b, which is empty; returns the address of the table's first named entry. */
static inline uint64_t elf_make(struct buf *b, const struct elf_made *m)
{
	static const char *const names[] = { "",          ".note",   ".plt",
					     ".rela.plt", ".dynsym", ".dynstr",
					     ".symtab",   ".strtab", ".shstrtab" };
	static const uint32_t types[] = { 0,          SHT_NOTE,   SHT_PROGBITS,
					  SHT_RELA,   SHT_DYNSYM, SHT_STRTAB,
					  SHT_SYMTAB, SHT_STRTAB, SHT_STRTAB };
	static const uint32_t links[] = { [ELF_RELA] = ELF_DYNSYM,
					  [ELF_DYNSYM] = ELF_DYNSTR,
					  [ELF_SYMTAB] = ELF_STRTAB,
					  [ELF_NAMES] = 0 };
	unsigned header = m->wide ? 64 : 52, segment = m->wide ? 56 : 32,
		 section = m->wide ? 64 : 40;
	uint64_t symbol = m->wide ? 24 : 16;
	uint64_t entries[ELF_SECTIONS] = { [ELF_PLT] = ELF_PLT_ENTRY,
					   [ELF_RELA] = m->wide ? 24 : 12,
					   [ELF_DYNSYM] = symbol,
					   [ELF_SYMTAB] = symbol };
	struct buf of[ELF_SECTIONS] = { { 0 } };
	uint64_t at[ELF_SECTIONS] = { 0 }, end = header + 2 * segment;
	uint32_t name[ELF_SECTIONS];

	elf_contents(of, m);
	for (unsigned i = 0; i < ELF_SECTIONS; i++)
		name[i] = elf_text(&of[ELF_NAMES], names[i]);
	for (unsigned i = 1; i < ELF_SECTIONS; i++) {
		at[i] = end;
		end = (end + of[i].len + 7) / 8 * 8;
	}
	buf_add(b, ELFMAG, SELFMAG);
	buf_u8(b, m->wide ? ELFCLASS64 : ELFCLASS32);
	buf_u8(b, m->big ? ELFDATA2MSB : ELFDATA2LSB);
	buf_u8(b, EV_CURRENT);
	while (b->len < EI_NIDENT)
		buf_u8(b, 0);
	elf_put(b, m, ET_DYN, 2);
	elf_put(b, m, m->wide ? (m->big ? EM_S390 : EM_X86_64) : (m->big ? EM_PPC : EM_386), 2);
	elf_put(b, m, EV_CURRENT, 4);
	elf_word(b, m, 0);
	elf_word(b, m, header);
	elf_word(b, m, end);
	elf_put(b, m, 0, 4);
	elf_put(b, m, header, 2);
	elf_put(b, m, segment, 2);
	elf_put(b, m, 2, 2);
	elf_put(b, m, section, 2);
	elf_put(b, m, ELF_SECTIONS, 2);
	elf_put(b, m, ELF_NAMES, 2);
	elf_segment(b, m, PT_LOAD, 0, end);
	elf_segment(b, m, PT_NOTE, at[ELF_NOTE], of[ELF_NOTE].len);
	for (unsigned i = 1; i < ELF_SECTIONS; i++) {
		buf_add(b, of[i].data, of[i].len);
		while (b->len % 8)
			buf_u8(b, 0);
	}
	for (unsigned i = 0; i < ELF_SECTIONS; i++) {
		elf_put(b, m, name[i], 4);
		elf_put(b, m, types[i], 4);
		elf_word(b, m, i && i < ELF_SYMTAB ? SHF_ALLOC : 0);
		elf_word(b, m, i ? ELF_AT + at[i] : 0);
		elf_word(b, m, at[i]);
		elf_word(b, m, of[i].len);
		elf_put(b, m, links[i], 4);
		elf_put(b, m, i == ELF_DYNSYM || i == ELF_SYMTAB, 4);
		elf_word(b, m, i ? 8 : 0);
		elf_word(b, m, entries[i]);
		buf_fini(&of[i]);
	}
	return ELF_AT + at[ELF_PLT] + ELF_PLT_ENTRY;
}

#endif
