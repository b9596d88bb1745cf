// SPDX-License-Identifier: GPL-2.0-only
/* Reads the mapping files of --map, and reports errors in them. */
#include "cmd/input/maps.h"

/* Limit of warnings about bad lines of a file; then only their number. */
#define MOST_WARNINGS 20

struct told {
	const struct cmd_call *call;
	const char *file;
	size_t bad, odd;
};

static void bad_line(void *ctx, const char *text)
{
	struct told *told = ctx;

	if (told->bad++ < MOST_WARNINGS)
		cmd_warn(told->call, told->file, "%s", text);
}

static void contradiction(void *ctx, const char *text)
{
	struct told *told = ctx;

	if (told->odd++ < MOST_WARNINGS)
		cmd_warn(told->call, told->file, "%s", text);
}

int maps_read(struct mapping *m, const struct cmd_call *call, const struct options_shared *o)
{
	for (size_t i = 0; i < o->maps.n; i++) {
		struct told told = { .call = call, .file = o->maps.at[i] };
		struct mapping_csv_options opts = { .skip_bad = o->map_skip_bad,
						    .bad_line = bad_line,
						    .contradiction = contradiction,
						    .ctx = &told };
		struct mapping_csv_result result;
		struct cdict_error err = { 0 };
		int rc = mapping_read_csv(m, told.file, &opts, &result, &err);

		if (rc == CDICT_EFORMAT)
			return cmd_errorf(call, told.file,
					  "%s; nothing of the file is used: correct the line, or "
					  "leave bad lines out with --map-skip-bad",
					  err.text);
		if (rc)
			return cmd_error(call, told.file, &err);
		if (told.bad > MOST_WARNINGS)
			cmd_warn(call, told.file, "%zu bad lines in all are left out", told.bad);
		if (told.odd > MOST_WARNINGS)
			cmd_warn(call, told.file, "%zu contradictions in all", told.odd);
	}
	return CMD_DONE;
}
