/* SPDX-License-Identifier: GPL-2.0-only */
/* A perf.data, converted; the output is complete, whatever the input. */
#include "base/memory/buf.h"
#include "convert/convert.h"
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	/* no files of this host: the result depends on the input alone */
	const struct perf_stacks_options stacks = { "/nonexistent", "/nonexistent" };
	struct convert_options opts = { .jobs = 1, .stacks = &stacks };
	struct convert_report report = { 0 };
	struct cdict_error err = { 0 };
	struct cdict_reader *r;
	struct buf out = { 0 };
	struct perfdata *pd;

	if (size)
		memcpy(copy, data, size);
	if (!perfdata_parse(&pd, copy, size, &err)) {
		int ret = convert_run(pd, &opts, to_buf, &out, &report, &err);

		if (!ret) {
			if (cdict_reader_parse(&r, out.data, out.len, &err) ||
			    cdict_reader_verify(r, &err))
				abort();
			if (cdict_reader_events(r) != report.events)
				abort();
			walk_all(r);
			cdict_reader_close(r);
		} else if (!err.text[0]) {
			abort();
		}
		convert_report_fini(&report);
		perfdata_close(pd);
	}
	buf_fini(&out);
	free(copy);
	return 0;
}
