/* SPDX-License-Identifier: GPL-2.0-only */
#include "convert/import.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"
#include "convert/perfdata/perfdata.h"
#include "format/file/writer.h"
#include "format/labels/cgroup_unit.h"
#include "format/labels/cgroup_vm.h"

int import_bytes_open(struct import_bytes *in, const char *path, struct cdict_error *err)
{
	bool piped = !strcmp(path, "-");
	int fd = piped ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC), ret = 0;

	*in = (struct import_bytes){ 0 };
	if (fd < 0)
		return cdict_fail_errno(err, NULL);
	in->mapped = perfdata_map(fd, &in->data, &in->size) > 0;
	if (!in->mapped) {
		ret = buf_read(&in->piped, fd, SIZE_MAX);
		in->data = in->piped.data;
		in->size = in->piped.len;
		if (ret == -ENOMEM)
			cdict_fail_nomem(err);
		else if (ret)
			cdict_fail_errno(err, NULL);
	}
	if (!piped)
		close(fd);
	return ret;
}

void import_bytes_close(struct import_bytes *in)
{
	if (in->mapped)
		munmap((void *)(uintptr_t)in->data, in->size);
	buf_fini(&in->piped);
}

static int put_item(void *ctx, struct store_item *item, struct cdict_error *err)
{
	struct import *in = ctx;

	if (item->bad.count)
		buf_add(&in->bad, &item->bad, sizeof(item->bad));
	return store_write(in->w, item, err);
}

static const struct store_ops file_ops = { .put = put_item };

int import_open(struct import *in, const struct convert_options *opts, cdict_write_fn fn, void *ctx,
		struct convert_report *report, struct cdict_error *err)
{
	struct ingest_options ingest = { 0 };
	int ret;

	*report = (struct convert_report){ 0 };
	*in = (struct import){ .opts = opts, .report = report, .err = err ? err : &in->none };
	ret = cdict_writer_open(&in->w, fn, ctx, in->err);
	in->store = store_new(&file_ops, in);
	if (!ret && !in->store)
		ret = cdict_fail_nomem(in->err);
	ingest.store = in->store;
	ingest.writer = in->w;
	ingest_init(&in->ingest, &ingest);
	if (!ret)
		format_writer_hold(in->w);
	return ret;
}

int import_start(struct import *in, const struct cdict_schema *schema,
		 const struct source_event *events, size_t n_events)
{
	unsigned jobs = convert_jobs(in->opts);
	struct encode_options opts = {
		.schema = schema, .threads = jobs - 1, .helps = true, .depth = jobs + 1
	};

	in->ingest.source = (struct source){
		.events = events,
		.n_events = n_events,
		.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.copy = true,
	};
	return ingest_start(&in->ingest, &opts, in->err);
}

int import_settle(struct import *in, const struct cdict_schema *schema)
{
	const struct store_counts *counts = store_counts(in->store);
	struct convert_report *r = in->report;
	struct rows rows = { 0 };
	int ret = ingest_cut(&in->ingest, in->err);

	if (!ret)
		ret = ingest_wait(&in->ingest, in->err);
	rows.losses = in->bad;
	in->bad = (struct buf){ 0 };
	if (!ret)
		ret = ingest_losses(&in->ingest, &rows, in->err);
	if (!ret)
		ret = rows_write(&rows, in->w, in->err);
	rows_fini(&rows);
	r->events = counts->events;
	r->first_ns = counts->first_ns;
	r->last_ns = counts->last_ns;
	r->bad_samples += counts->bad;
	r->lost = in->ingest.lost;
	r->disordered = in->ingest.disordered;
	r->types = cdict_schema_count(schema);
	return ret;
}

int import_cgroups(struct import *in, const struct perfdata_cgroups *groups)
{
	int ret = 0;

	for (size_t i = 0; i < groups->tasks.n && !ret; i++) {
		const struct perfdata_cgroups_task *task = &groups->tasks.at[i];
		const char *path = perfdata_cgroups_of(groups, task->id);
		struct cdict_label label = { .tid = task->tid,
					     .pid = task->pid,
					     .origin = CDICT_LABEL_PROC };
		struct cgroup_place place = { 0 };
		struct cgroup_unit unit;

		if (!path || !strcmp(path, "/") || strlen(path) > MAPPING_TEXT_MAX)
			continue;
		cgroup_vm_label(&label, &place, path);
		cgroup_unit(&unit, path, strlen(path));
		label.unit = unit.text;
		label.cgroup = path;
		ret = cdict_writer_label(in->w, &label, in->err);
	}
	return ret;
}

int import_labels(struct import *in)
{
	const struct mapping *labels = in->opts->labels;
	int ret = 0;

	for (size_t i = 0; labels && i < labels->n && !ret; i++)
		ret = cdict_writer_label(in->w, &labels->labels[i], in->err);
	return ret;
}

int import_end(struct import *in)
{
	int ret = cdict_writer_finish(in->w, in->err);

	in->report->bytes_out = cdict_writer_bytes(in->w);
	return ret;
}

int import_finish(struct import *in)
{
	int ret = import_labels(in);

	return ret ? ret : import_end(in);
}

void import_close(struct import *in)
{
	ingest_fini(&in->ingest);
	store_free(in->store);
	cdict_writer_close(in->w);
	buf_fini(&in->bad);
}

void import_missing(struct convert_report *r, const char *instead)
{
	size_t at, n = r->unstored.n < 3 ? r->unstored.n : 3;

	if (r->events)
		return;
	at = (size_t)snprintf(r->missing, sizeof(r->missing),
			      "has no events of the requested kind%s", n ? ": it has" : "");
	for (size_t i = 0; i < n && at < sizeof(r->missing); i++)
		at += (size_t)snprintf(r->missing + at, sizeof(r->missing) - at,
				       "%s %" PRIu64 " %.64s", i ? "," : "",
				       r->unstored.at[i].count, r->unstored.at[i].name);
	if (at < sizeof(r->missing))
		snprintf(r->missing + at, sizeof(r->missing) - at, "; %s", instead);
}
