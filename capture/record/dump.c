/* SPDX-License-Identifier: GPL-2.0-only */
/* What a flight recorder holds: written to files, or passed to opts->look while it records. */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory/buf.h"
#include "base/system/ending.h"
#include "base/system/place.h"
#include "base/text/plural.h"
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
	if (!ret)
		ret = recording_labels(rec, w, err);
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

static size_t stem_of(const char *output)
{
	return ending_cut(output, strlen(output), ".cdict");
}

/* "x.cdict", then "x.2.cdict", "x.3.cdict"; "-" again and again. Given. */
static char *dump_name(const char *output, unsigned number)
{
	char *name;

	if (number == 1 || !strcmp(output, "-"))
		return strdup(output);
	if (asprintf(&name, "%.*s.%u.cdict", (int)stem_of(output), output, number) < 0)
		return NULL;
	return name;
}

static bool is_later_dump(const char *name, const char *stem, size_t n)
{
	size_t digits;

	if (strncmp(name, stem, n) || name[n] != '.')
		return false;
	digits = strspn(name + n + 1, "0123456789");
	return digits && !strcmp(name + n + 1 + digits, ".cdict");
}

/* x.2.cdict and later ones of an earlier recording would seem to belong to this one: each is
 * renamed to NAME.old, as the first is when it is replaced. */
static void put_away_leftovers(struct recording *rec)
{
	struct place at;
	struct dirent **all;
	char *to;
	int n;

	if (place_find(&at, rec->opts->output))
		return;
	n = at.name ? scandirat(at.dir, ".", &all, NULL, alphasort) : -1;
	for (int i = 0; i < n; i++) {
		const char *from = all[i]->d_name;

		to = NULL;
		if (is_later_dump(from, at.name, stem_of(at.name)) &&
		    asprintf(&to, "%s.old", from) >= 0 && !renameat(at.dir, from, at.dir, to))
			recording_say(rec, false, "renamed the older %s to %s", from, to);
		free(to);
		free(all[i]);
	}
	if (n >= 0)
		free(all);
	place_fini(&at);
}

static int write_snapshot(struct recording *rec, const struct snapshot *snap,
			  const struct record_dump *d, struct cdict_writer *w,
			  struct cdict_error *err)
{
	struct record_info info = rec->info;
	uint64_t first_ns = UINT64_MAX;
	int ret;

	rec->report->events = 0;
	for (size_t i = 0; i < snap->n; i++) {
		const struct store_item *item = snapshot_item(snap->items[i]);

		for (size_t p = 0; p < item->n_parts; p++)
			if (item->parts[p].info.first_ns < first_ns)
				first_ns = item->parts[p].info.first_ns;
	}
	info.scope.overwritten = snap->forgot;
	if (snap->forgot || info.scope.begins_ns <= first_ns)
		info.scope.begins_ns = 0;
	ret = record_info_begin(&info, w, err);
	if (!ret)
		ret = cdict_writer_info(w, "record.trigger", d->why, err);
	if (!ret && d->of)
		ret = cdict_writer_info(w, "record.trigger_of", d->of, err);
	if (!ret)
		ret = rows_write(&snap->before, w, err);
	for (size_t i = 0; i < snap->n && !ret; i++) {
		const struct store_item *item = snapshot_item(snap->items[i]);

		for (size_t p = 0; p < item->n_parts; p++)
			rec->report->events += item->parts[p].info.events;
		ret = store_write(w, item, err);
	}
	if (!ret)
		ret = recording_labels(rec, w, err);
	if (!ret && rec->stacks) {
		stacks_begin(rec->stacks);
		ret = stacks_write(rec->stacks, w, err);
	}
	return ret ? ret : cdict_writer_finish(w, err);
}

/* Bytes of the file, without its tasks' names and its index. */
static uint64_t snapshot_bytes(const struct snapshot *snap)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < snap->n; i++) {
		const struct store_item *item = snapshot_item(snap->items[i]);

		bytes += item->payload.len + rows_bytes(&item->rows);
	}
	return bytes;
}

/* Writes the file d->path, completely or not at all. */
static int write_file(struct recording *rec, const struct snapshot *snap,
		      const struct record_dump *d, uint64_t *bytes, struct cdict_error *err)
{
	struct outfile_options file = recording_named(rec, d->path);
	struct cdict_writer *w = NULL;
	struct target *target = NULL;
	int ret, closed;

	ret = target_open(&target, &file, err);
	if (!ret)
		target_stay(target);
	if (!ret)
		ret = cdict_writer_open(&w, target_write, target, err);
	if (!ret)
		ret = write_snapshot(rec, snap, d, w, err);
	if (!ret)
		ret = target_show(target, err);
	if (!ret)
		*bytes = target_bytes(target);
	cdict_writer_close(w);
	closed = target_close(target, ret ? NULL : err);
	return ret ? ret : closed;
}

static void report_dump(struct recording *rec, const struct record_dump *d, bool full,
			uint64_t held_ns)
{
	recording_say(rec, false, "%s: %s event%s written to %s", d->why,
		      GROUPED(rec->report->events), plural(rec->report->events), d->path);
	if (full)
		recording_say(rec, true,
			      "%s: has only the last %.1f s of the requested %.1f s: use "
			      "a larger SIZE in --keep TIME,SIZE",
			      d->path, (double)held_ns / 1e9, (double)rec->opts->keep_ns / 1e9);
}

/* The reader of standard output is gone. */
static bool is_gone(const struct recording *rec, int code)
{
	return code == -EPIPE && !strcmp(rec->opts->output, "-");
}

bool recording_reader_left(struct recording *rec)
{
	struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };

	if (!rec->ring || rec->opts->dumps || strcmp(rec->opts->output, "-"))
		return false;
	if (!rec->report->ended.code && poll(&p, 1, 0) == 1 && (p.revents & POLLERR))
		cdict_fail(&rec->report->ended, -EPIPE, CDICT_NO_OFFSET, "%s",
			   cdict_strerror(-EPIPE));
	return rec->report->ended.code != 0;
}

/* Writes what is held, after @d->bytes is known; takes @snap. */
static int write_dump(struct recording *rec, struct snapshot *snap, struct record_dump *d,
		      struct cdict_error *err)
{
	const struct record_dumps *dumps = rec->opts->dumps;
	uint64_t bytes = 0, held_ns;
	bool full = snapshot_ring_full(rec->ring, &held_ns);
	int ret = write_file(rec, snap, d, &bytes, err);

	if ((ret == -ENOSPC || ret == -EDQUOT) && dumps && dumps->full(dumps->ctx, d))
		ret = write_file(rec, snap, d, &bytes, err);
	snapshot_free(rec->ring, snap);
	if (!ret) {
		rec->report->dumps++;
		rec->report->bytes_out += bytes;
		report_dump(rec, d, full, held_ns);
	} else {
		rec->report->failed_dumps++;
		rec->report->dump_error = *err;
		if (is_gone(rec, ret))
			rec->report->ended = *err;
		else if (!dumps)
			recording_say(rec, true, "%s: %s", d->path, err->text);
	}
	if (dumps)
		dumps->end(dumps->ctx, d, ret ? err : NULL);
	return ret;
}

static int dump(struct recording *rec, struct record_dump *d, bool flush, struct cdict_error *err)
{
	const struct record_dumps *dumps = rec->opts->dumps;
	struct snapshot snap;
	int ret;

	if (dumps && dumps->skip(dumps->ctx, d))
		return 1;
	if (flush)
		recording_flush(rec);
	ret = snapshot_ring_take(rec->ring, &snap, err);
	if (ret)
		return ret;
	d->bytes = snapshot_bytes(&snap);
	if (rec->opts->trigger_of)
		d->of = rec->opts->trigger_of(rec->opts->trigger_of_ctx, d->hit);
	if (dumps && dumps->begin(dumps->ctx, d) == RECORD_DUMP_SKIP) {
		snapshot_free(rec->ring, &snap);
		return 1;
	}
	if (dumps)
		return write_dump(rec, &snap, d, err);
	if (!rec->report->dumps && strcmp(rec->opts->output, "-"))
		put_away_leftovers(rec);
	d->path = dump_name(rec->opts->output, rec->report->dumps + 1);
	if (!d->path) {
		snapshot_free(rec->ring, &snap);
		return cdict_fail_nomem(err);
	}
	ret = write_dump(rec, &snap, d, err);
	free(d->path);
	return ret;
}

int recording_dump(struct recording *rec, const char *why, bool flush, struct cdict_error *err)
{
	return dump(rec, &(struct record_dump){ .why = why }, flush, err);
}

int recording_dump_hit(struct recording *rec, const struct trigger_hit *hit,
		       struct cdict_error *err)
{
	return dump(rec, &(struct record_dump){ .why = hit->text, .hit = hit }, true, err);
}
