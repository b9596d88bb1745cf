/* SPDX-License-Identifier: GPL-2.0-only */
/* The filter of a marker: refused with a reason, or asked of events with and without a known task. */
#include <stdlib.h>
#include <string.h>

#include "analyze/printing/marker_filter.h"
#include "cdict/error.h"
#include "tests/fuzz/lib/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct cdict_field fields[] = {
	{ .name = "ret", .size = 8, .kind = CDICT_FIELD_INT },
	{ .name = "flags", .size = 4, .kind = CDICT_FIELD_UINT },
	{ .name = "file", .size = 16, .kind = CDICT_FIELD_BYTES, .is_text = true },
};
static const struct cdict_event_type type = {
	.name = "made:up", .event = "up", .fields = fields, .n_fields = 3
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* the first byte is the text's length, the filter is after it */
	const size_t n_file = size ? data[0] % 17 : 0, n = size > 17 ? size - 17 : 0;
	const struct cdict_bytes file = { data + 1, n_file < size ? n_file : 0 };
	const uint64_t values[] = { (uint64_t)-11, 0x15, 0 };
	const struct cdict_event ev = {
		.cpu = 3, .pid = 70, .tid = 71, .type = &type, .values = values, .bytes = &file
	};
	struct cdict_error err = { 0 };
	struct marker_filter *f;
	char *text = malloc(n + 1);

	limits_begin(size);
	memcpy(text, n ? data + 17 : data, n);
	if (!marker_filter_new(&f, &type, text, n, &err)) {
		marker_filter_passes(f, &ev, "CPU 0/KVM");
		marker_filter_passes(f, &ev, NULL);
		marker_filter_free(f);
	} else if (!err.text[0]) {
		abort();
	}
	limits_end();
	free(text);
	return 0;
}
