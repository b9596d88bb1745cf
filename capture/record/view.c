/* SPDX-License-Identifier: GPL-2.0-only */
/* Passes the last moments that a flight recorder holds to opts->look while it records. */
#include <errno.h>

#include "base/fail.h"
#include "base/memory/buf.h"
#include "capture/record/internal.h"

static uint64_t last_of(const struct store_item *item)
{
	uint64_t last = 0;

	for (size_t p = 0; p < item->n_parts; p++)
		if (item->parts[p].info.last_ns > last)
			last = item->parts[p].info.last_ns;
	return last;
}

/* Writes the blocks of the last opts->look_ns, and the tasks that existed then. */
static int write_view(struct recording *rec, const struct snapshot *snap, struct cdict_writer *w,
		      struct cdict_error *err)
{
	struct record_info info = rec->info;
	uint64_t newest = 0;
	int ret;

	for (size_t i = 0; i < snap->n; i++) {
		uint64_t last = last_of(snapshot_item(snap->items[i]));

		newest = last > newest ? last : newest;
	}
	/* each CPU begins with its first block that is kept */
	info.scope.overwritten = true;
	info.scope.begins_ns = 0;
	ret = record_info_begin(&info, w, err);
	if (!ret)
		ret = rows_write(&snap->before, w, err);
	for (size_t i = 0; i < snap->n && !ret; i++) {
		const struct store_item *item = snapshot_item(snap->items[i]);

		if (item->n_parts && last_of(item) + rec->opts->look_ns < newest)
			ret = rows_write(&item->rows, w, err);
		else
			ret = store_write(w, item, err);
	}
	if (!ret && rec->opts->labels)
		ret = rec->opts->labels(rec->opts->labels_ctx, false, w, err);
	return ret ? ret : cdict_writer_finish(w, err);
}

int recording_look(struct recording *rec)
{
	struct cdict_writer *w = NULL;
	struct cdict_error *err = &rec->report->ended;
	struct snapshot snap;
	struct buf made = { 0 };
	int ret;

	recording_flush(rec);
	ret = snapshot_ring_take(rec->ring, &snap, err);
	if (ret)
		return ret;
	ret = cdict_writer_open(&w, buf_write, &made, err);
	if (!ret)
		ret = write_view(rec, &snap, w, err);
	cdict_writer_close(w);
	snapshot_free(rec->ring, &snap);
	if (!ret)
		rec->opts->look(rec->opts->look_ctx, made.data, made.len);
	buf_fini(&made);
	return ret;
}
