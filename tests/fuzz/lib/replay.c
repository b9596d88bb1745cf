/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stands in for libFuzzer's main in `make test`: runs the target once on each named file and once
 * on no bytes at all.  The name goes out first, so that a crash's log ends with its input.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The whole file, in an allocation of exactly its size, so that ASan sees a read past its end. */
static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL, *exact = NULL;
	size_t len = 0, cap = 0, n;

	if (!f)
		return NULL;
	do {
		if (len == cap) {
			uint8_t *more = realloc(data, cap = cap ? 2 * cap : 65536);

			if (!more)
				goto out;
			data = more;
		}
		n = fread(data + len, 1, cap - len, f);
		len += n;
	} while (n);
	if (ferror(f))
		goto out;
	exact = malloc(len ? len : 1);
	if (exact) {
		memcpy(exact, data, len);
		*size = len;
	}
out:
	free(data);
	fclose(f);
	return exact;
}

int main(int argc, char **argv)
{
	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++) {
		size_t size = 0;
		uint8_t *data = read_file(argv[i], &size);

		if (!data) {
			fprintf(stderr, "%s: %s\n", argv[i], strerror(errno));
			return 1;
		}
		fprintf(stderr, "%s: %zu bytes\n", argv[i], size);
		LLVMFuzzerTestOneInput(data, size);
		free(data);
	}
	return 0;
}
