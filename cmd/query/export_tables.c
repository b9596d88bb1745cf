/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the tables of cdict query to an SQLite file, or to a folder of Parquet files. */
#include "cmd/query/export.h"

#include "base/system/outfile.h"
#include "query/sql/query.h"

static struct query_file file_of(const struct figures *f)
{
	struct query_file file = { .name = f->file, .reader = f->reader, .labels = f->labels };

	if (f->filter.clipped) {
		file.from_ns = f->filter.from_ns;
		file.to_ns = f->filter.to_ns;
	}
	return file;
}

/* SQLite needs a file name: a hidden one, until the file is complete. */
int export_sqlite(struct figures *f, const char *path)
{
	const struct outfile_options how = { .path = path, .named = true };
	const struct query_options opts = { .jobs = f->filter.query.jobs };
	const struct query_file file = file_of(f);
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
	if (query_export_sqlite(&file, 1, &opts, outfile_temporary(of), &err)) {
		cmd_output_abort(of);
		return cmd_error(f->call, path, &err);
	}
	return cmd_output_commit(f->call, path, of, 0);
}

int export_parquet(struct figures *f, const char *path)
{
	const struct query_options opts = { .jobs = f->filter.query.jobs };
	const struct query_file file = file_of(f);
	struct cdict_error err = { 0 };
	struct outdir *dir = NULL;
	int status = cmd_folder_open(&dir, f->call, path);

	if (status)
		return status;
	if (query_export_parquet(&file, 1, &opts, dir, &err)) {
		cmd_folder_abort(dir);
		return cmd_error(f->call, path, &err);
	}
	return cmd_folder_commit(f->call, path, dir);
}
