/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file of perfwhiz, converted; the output is complete, whatever the input.  The input is the
 * MessagePack: zlib's check sums would keep the fuzzer out.  Its first byte says where the packed
 * stream is cut.
 */
#include <zlib.h>

#include "base/memory/buf.h"
#include "convert/perfwhiz/import.h"
#include "tests/fuzz/lib/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libtraceevent leaks the parsed part of a format that it then refuses. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent.so\n";
}

static int to_buf(void *ctx, const void *data, size_t size)
{
	buf_add(ctx, data, size);
	return 0;
}

static void convert(const uint8_t *data, size_t size)
{
	static const char *const everything[] = { "*" };
	struct convert_options opts = { .events = everything, .n_events = 1, .jobs = 1 };
	struct convert_report report = { 0 };
	struct cdict_error err = { 0 };
	struct cdict_reader *r;
	struct buf out = { 0 };
	struct perfwhiz_file *pw;

	if (perfwhiz_parse(&pw, data, size, &err))
		abort();
	if (!perfwhiz_convert(pw, &opts, to_buf, &out, &report, &err)) {
		if (cdict_reader_parse(&r, out.data, out.len, &err) || cdict_reader_verify(r, &err))
			abort();
		if (cdict_reader_events(r) != report.events)
			abort();
		walk_all(r);
		cdict_reader_close(r);
	} else if (!err.text[0]) {
		abort();
	}
	convert_report_fini(&report);
	perfwhiz_close(pw);
	buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uLongf packed_size = compressBound((uLong)size);
	uint8_t *packed = malloc(packed_size), *cut;

	if (!size || compress2(packed, &packed_size, data + 1, (uLong)size - 1, 1) != Z_OK) {
		free(packed);
		return 0;
	}
	if (data[0] < packed_size)
		packed_size -= data[0];
	/* of this size and not a byte more, for the sanitizer */
	cut = malloc(packed_size ? packed_size : 1);
	memcpy(cut, packed, packed_size);
	free(packed);
	convert(cut, packed_size);
	free(cut);
	return 0;
}
