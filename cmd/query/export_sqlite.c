/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the tables of cdict query to an SQLite file. */
#include "cmd/query/export.h"

#include "base/system/outfile.h"
#include "query/sql/query.h"

/* SQLite needs a file name: a hidden one, until the file is complete. */
int export_sqlite(struct figures *f, const char *path)
{
	const struct outfile_options how = { .path = path, .named = true };
	const struct query_options opts = { .jobs = f->filter.query.jobs };
	struct query_file file = { .name = f->file, .reader = f->reader, .labels = f->labels };
	struct cdict_error err = { 0 };
	struct outfile *of = NULL;
	int status = cmd_output_open(&of, f->call, NULL, &how);

	if (status)
		return status;
	if (outfile_is_direct(of)) {
		cmd_output_abort(of);
		return cmd_usage(f->call, "SQLite writes regular files only; '%s' is not one",
				 path);
	}
	if (f->filter.clipped) {
		file.from_ns = f->filter.from_ns;
		file.to_ns = f->filter.to_ns;
	}
	if (query_export_sqlite(&file, 1, &opts, outfile_temporary(of), &err)) {
		cmd_output_abort(of);
		return cmd_error(f->call, path, &err);
	}
	return cmd_output_commit(f->call, path, of, 0);
}
