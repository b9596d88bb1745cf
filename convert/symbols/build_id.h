/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * build_id.h - the build id of a program, library or kernel: what identifies it when its file was
 * moved or replaced.
 *
 * Threads    any
 */
#ifndef CONVERT_SYMBOLS_BUILD_ID_H
#define CONVERT_SYMBOLS_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As in perf's records: SHA-1 has as many. */
#define BUILD_ID_BYTES 20u

/* In hex digits; "": none. */
struct build_id {
	char hex[2 * BUILD_ID_BYTES + 1];
};

/* build_id_hex - writes @n bytes, at most BUILD_ID_BYTES, in hex digits. */
void build_id_hex(struct build_id *out, const uint8_t *bytes, size_t n);

/* build_id_of_file - the build id of the ELF file @fd, of any class and byte order: 0, -ENOENT: it has
 * none, or -ENOMEM. */
int build_id_of_file(int fd, struct build_id *out);

/* build_id_in_notes - from @n bytes of ELF notes, as in /sys/kernel/notes, aligned to @align bytes. */
bool build_id_in_notes(const uint8_t *notes, size_t n, bool big, unsigned align,
		       struct build_id *out);

#endif
