/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the tables of cdict query to an SQLite file, or to a folder of Parquet files. */
#include "cmd/query/export.h"

#include "base/system/outfile.h"

/* SQLite needs a file name: a hidden one, until the file is complete. */
int export_sqlite(const struct captures *c, const char *path)
{
	const struct outfile_options how = { .path = path, .named = true };
	const struct query_options opts = { .jobs = captures_jobs(c) };
	struct cdict_error err = { 0 };
	struct outfile *of = NULL;
	int status = cmd_output_open(&of, c->call, NULL, &how);

	if (status)
		return status;
	if (outfile_is_direct(of)) {
		cmd_output_abort(of);
		return cmd_usage(c->call, "SQLite writes regular files only; '%s' is not one",
				 path);
	}
	if (query_export_sqlite(c->of, c->files.n, &opts, outfile_temporary(of), &err)) {
		cmd_output_abort(of);
		return cmd_error(c->call, path, &err);
	}
	return cmd_output_commit(c->call, path, of, 0);
}

int export_parquet(const struct captures *c, const char *path)
{
	const struct query_options opts = { .jobs = captures_jobs(c) };
	struct cdict_error err = { 0 };
	struct outdir *dir = NULL;
	int status = cmd_folder_open(&dir, c->call, path);

	if (status)
		return status;
	if (query_export_parquet(c->of, c->files.n, &opts, dir, &err)) {
		cmd_folder_abort(dir);
		return cmd_error(c->call, path, &err);
	}
	return cmd_folder_commit(c->call, path, dir);
}
