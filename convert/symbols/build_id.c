/* SPDX-License-Identifier: GPL-2.0-only */
/* Build ids in ELF notes. */
#include "convert/symbols/build_id.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/memory/buf.h"

/* Limits of what is read: a program has a dozen segments, and some hundred bytes of notes. */
#define NOTES_MAX ((size_t)1 << 20)
#define SEGMENTS_MAX 256u

void build_id_hex(struct build_id *out, const uint8_t *bytes, size_t n)
{
	*out->hex = '\0';
	for (size_t i = 0; i < n && i < BUILD_ID_BYTES; i++)
		snprintf(out->hex + 2 * i, 3, "%02x", bytes[i]);
}

static void skip_padding(struct cursor *c, size_t size, unsigned align)
{
	size_t rest = size % align ? align - size % align : 0;

	cursor_skip(c, rest < c->left ? rest : c->left); /* the last one may lack it */
}

bool build_id_in_notes(const uint8_t *notes, size_t n, bool big, unsigned align,
		       struct build_id *out)
{
	struct cursor c = cursor_init(notes, n, big);

	while (c.left) {
		uint32_t name_size = cursor_u32(&c), size = cursor_u32(&c), type = cursor_u32(&c);
		const uint8_t *name = cursor_take(&c, name_size), *desc;

		skip_padding(&c, 12 + (size_t)name_size, align);
		desc = cursor_take(&c, size);
		if (!cursor_ok(&c))
			return false;
		if (type == NT_GNU_BUILD_ID && name_size == 4 && !memcmp(name, "GNU", 4) && size) {
			build_id_hex(out, desc, size);
			return true;
		}
		skip_padding(&c, size, align);
	}
	return false;
}

/* A file's class and byte order. */
struct elf_kind {
	bool wide, big;
};

static uint64_t word(struct cursor *c, const struct elf_kind *kind)
{
	return kind->wide ? cursor_u64(c) : cursor_u32(c);
}

/* A PT_NOTE segment. 0, -ENOENT, -ENOMEM. */
static int read_notes(int fd, const struct elf_kind *kind, const uint8_t *header, size_t size,
		      struct buf *buf, struct build_id *out)
{
	struct cursor c = cursor_init(header, size, kind->big);
	uint64_t offset, bytes, align;
	uint8_t *room;
	ssize_t got;

	if (cursor_u32(&c) != PT_NOTE)
		return -ENOENT;
	if (kind->wide)
		cursor_u32(&c); /* flags */
	offset = word(&c, kind);
	word(&c, kind); /* address in memory, physical address */
	word(&c, kind);
	bytes = word(&c, kind);
	word(&c, kind);
	if (!kind->wide)
		cursor_u32(&c);
	align = word(&c, kind);
	if (!cursor_ok(&c) || bytes > NOTES_MAX || offset > INT64_MAX)
		return -ENOENT;
	buf->len = 0;
	room = buf_room(buf, (size_t)bytes);
	if (!room)
		return bytes ? -ENOMEM : -ENOENT;
	got = pread(fd, room, (size_t)bytes, (off_t)offset);
	return got > 0 && build_id_in_notes(room, (size_t)got, kind->big, align == 8 ? 8 : 4, out)
		       ? 0
		       : -ENOENT;
}

int build_id_of_file(int fd, struct build_id *out)
{
	uint8_t header[sizeof(Elf64_Ehdr)] = { 0 }, segment[sizeof(Elf64_Phdr)];
	ssize_t got = pread(fd, header, sizeof(header), 0);
	struct elf_kind kind = { header[EI_CLASS] == ELFCLASS64, header[EI_DATA] == ELFDATA2MSB };
	struct cursor c = cursor_init(header, sizeof(header), kind.big);
	struct buf buf = { 0 };
	uint64_t at;
	uint16_t size, n;
	int ret = -ENOENT;

	*out->hex = '\0';
	if (got < (ssize_t)sizeof(Elf32_Ehdr) || memcmp(header, ELFMAG, SELFMAG))
		return -ENOENT;
	cursor_skip(&c, EI_NIDENT + 8); /* type, machine, version */
	word(&c, &kind);                /* entry */
	at = word(&c, &kind);
	word(&c, &kind);    /* section headers */
	cursor_skip(&c, 6); /* flags, header size */
	size = cursor_u16(&c);
	n = cursor_u16(&c);
	if (at > INT64_MAX / 2 || size < (kind.wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
		return -ENOENT;
	for (uint16_t i = 0; i < n && i < SEGMENTS_MAX && ret == -ENOENT; i++) {
		got = pread(fd, segment, sizeof(segment), (off_t)(at + (uint64_t)i * size));
		if (got <= 0)
			break;
		ret = read_notes(fd, &kind, segment, (size_t)got, &buf, out);
	}
	buf_fini(&buf);
	return ret;
}
