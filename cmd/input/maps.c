// SPDX-License-Identifier: GPL-2.0-only
/* Reads the mapping files of --map, and reports errors in them. */
#include "cmd/input/maps.h"
#include "base/text/plural.h"

/* Limit of warnings about bad lines of a file; then only their number. */
#define MOST_WARNINGS 20

struct warned {
	const struct cmd_call *call;
	const char *file;
	size_t bad, odd;
};

static void bad_line(void *ctx, const char *text)
{
	struct warned *warned = ctx;

	if (warned->bad++ < MOST_WARNINGS)
		cmd_warn(warned->call, warned->file, "%s", text);
}

static void contradiction(void *ctx, const char *text)
{
	struct warned *warned = ctx;

	if (warned->odd++ < MOST_WARNINGS)
		cmd_warn(warned->call, warned->file, "%s", text);
}

int maps_read(struct mapping *m, const struct cmd_call *call, const struct options_shared *o)
{
	for (size_t i = 0; i < o->maps.n; i++) {
		struct warned warned = { .call = call, .file = o->maps.at[i] };
		struct mapping_csv_options opts = { .skip_bad = o->map_skip_bad,
						    .bad_line = bad_line,
						    .contradiction = contradiction,
						    .ctx = &warned };
		struct mapping_csv_result result;
		struct cdict_error err = { 0 };
		int rc = mapping_read_csv(m, warned.file, &opts, &result, &err);

		if (rc == CDICT_EFORMAT)
			return cmd_errorf(call, warned.file,
					  "%s; the file is not used: correct the line, or skip bad "
					  "lines with --map-skip-bad",
					  err.text);
		if (rc)
			return cmd_error(call, warned.file, &err);
		if (warned.bad > MOST_WARNINGS)
			cmd_warn(call, warned.file, "skipped %s bad lines in total",
				 GROUPED(warned.bad));
		if (warned.odd > MOST_WARNINGS)
			cmd_warn(call, warned.file, "%s contradictions in total",
				 GROUPED(warned.odd));
	}
	return CMD_DONE;
}
