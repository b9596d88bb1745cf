/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfpipe FILE: the same recording to stdout as perf record -o - would have written it: a
 * header without sections; events, features and formats as records in front. For perf.data
 * files of this machine's byte order. (perf inject -o - leaves the formats out.)
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RECORD_ATTR = 64, RECORD_TRACING_DATA = 66, RECORD_FEATURE = 80 };
enum { FEATURE_TRACING_DATA = 1 };
/* Features that perf writes into a pipe and reads from one. */
#define PIPE_FEATURES (0x0ff8u | 1u << 13 | 1u << 14 | 1u << 23 | 1u << 27 | 1u << 29)

static const uint8_t *file;
static size_t size;

static void fail(const char *why)
{
	fprintf(stderr, "perfpipe: %s\n", why);
	exit(1);
}

static const uint8_t *at(uint64_t offset, uint64_t n)
{
	if (offset > size || n > size - offset)
		fail("a section lies outside the file");
	return file + offset;
}

static uint64_t u64(uint64_t offset)
{
	uint64_t v;

	memcpy(&v, at(offset, 8), 8);
	return v;
}

static void put(const void *data, size_t n)
{
	if (n && fwrite(data, n, 1, stdout) != 1)
		fail("cannot write");
}

static void put_head(uint32_t type, size_t record)
{
	uint16_t words[2] = { 0, (uint16_t)record };

	if (record > UINT16_MAX)
		fail("a record would be too long");
	put(&type, 4);
	put(words, 4);
}

static void put_padding(size_t n)
{
	static const uint8_t zeros[8];

	put(zeros, -n & 7);
}

static void put_attrs(uint64_t offset, uint64_t n, uint64_t attr_size)
{
	for (; n >= attr_size; n -= attr_size, offset += attr_size) {
		uint64_t ids = u64(offset + attr_size - 16), ids_size = u64(offset + attr_size - 8);

		put_head(RECORD_ATTR, 8 + attr_size - 16 + ids_size);
		put(at(offset, attr_size - 16), attr_size - 16);
		put(at(ids, ids_size), ids_size);
	}
}

static void put_tracing(uint64_t offset, uint64_t n)
{
	uint32_t padded = (uint32_t)((n + 7) & ~7ull);

	put_head(RECORD_TRACING_DATA, 12);
	put(&padded, 4);
	put(at(offset, n), n);
	put_padding(n);
}

static void put_features(uint64_t sections, uint64_t bits)
{
	for (uint64_t bit = 0; bit < 64; bit++) {
		uint64_t offset, n;

		if (!(bits >> bit & 1))
			continue;
		offset = u64(sections);
		n = u64(sections + 8);
		sections += 16;
		if (bit == FEATURE_TRACING_DATA) {
			put_tracing(offset, n);
		} else if (PIPE_FEATURES >> bit & 1) {
			put_head(RECORD_FEATURE, 16 + ((n + 7) & ~7ull));
			put(&bit, 8);
			put(at(offset, n), n);
			put_padding(n);
		}
	}
}

int main(int argc, char **argv)
{
	const uint64_t header[2] = { 0x32454c4946524550, 16 }; /* PERFILE2 */
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		fail("usage: perfpipe FILE");
	size = (size_t)st.st_size;
	file = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED || u64(0) != header[0] || u64(8) != 104)
		fail("no perf.data file of this byte order");
	put(header, sizeof(header));
	put_attrs(u64(24), u64(32), u64(16));
	put_features(u64(40) + u64(48), u64(72));
	put(at(u64(40), u64(48)), u64(48));
	return fflush(stdout) ? 1 : 0;
}
