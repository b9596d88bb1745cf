/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of a recording. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/system/ending.h"
#include "base/system/monotonic.h"
#include "capture/host/proc.h"
#include "capture/record/internal.h"
#include "format/file/writer.h"

/* Bound of the file's end without the index: INFO, a loss or two of each CPU. */
#define CLOSING_BYTES ((uint64_t)16 << 10)
#define CLOSING_CPU_BYTES 96u
/* Its usual size, for which --max-size leaves room: INFO, and a share of the size for digests and
 * for losses and tasks noticed last. */
#define CLOSING_USUAL_BYTES ((uint64_t)2 << 10)
#define CLOSING_USUAL_SHARE 64u
/* A block's row in the index, and its header: packed, rather over- than underestimated. */
#define INDEX_BYTES 32u
#define HEADER_BYTES 32u
/* Interval at which stacks are written: limits the loss when the recorder is killed. */
#define STACKS_MS 1000u
/* An item's tasks and losses make at most one block each, plus one for each 8192 of them. */
#define ROWS_BLOCKS 2u
/* For what the stacks refer to, in addition to one block per event block. */
#define STACKS_BLOCKS 2u

/* Upper bound for stacks, which are written once a second, in one more block each time. */
static uint64_t stacks_bytes(struct recording *rec, const struct store_item *item)
{
	for (size_t i = 0; i < item->n_parts; i++)
		rec->stacks_bytes += item->parts[i].info.events * 4u + HEADER_BYTES + INDEX_BYTES;
	rec->stacks_blocks += item->n_parts;
	return rec->stacks_bytes + stacks_waiting(rec->stacks);
}

/* With --max-size: whether @bytes more, plus the file's end, are within it. */
static bool fits(struct recording *rec, uint64_t bytes)
{
	uint64_t limit = rec->opts->rotate ? 0 : rec->opts->max_bytes;
	uint64_t all = target_bytes(rec->target) + bytes + CLOSING_USUAL_BYTES +
		       limit / CLOSING_USUAL_SHARE + rec->n_cpus * CLOSING_CPU_BYTES;

	if (limit && all > limit) {
		atomic_store(&rec->at_limit, true);
		return false;
	}
	atomic_store(&rec->file_bytes, all);
	return true;
}

/* Reserves space for the item and for the file's end; without that space the item is not
 * written. */
static int reserve(struct recording *rec, const struct store_item *item, struct cdict_error *err)
{
	uint64_t rows = item->rows.tasks.len + item->rows.losses.len + item->rows.text.len;
	uint64_t blocks = item->n_parts +
			  (rows ? ROWS_BLOCKS + rows / (8192 * sizeof(struct cdict_loss)) : 0);
	uint64_t stacks = rec->stacks ? stacks_bytes(rec, item) : 0;
	uint64_t bytes = item->payload.len + rows + stacks + rec->rows_bytes +
			 blocks * (HEADER_BYTES + INDEX_BYTES) + rec->n_blocks * INDEX_BYTES;
	int ret;

	if (item->n_parts && !fits(rec, bytes))
		return cdict_fail(err, -EFBIG, CDICT_NO_OFFSET, "--max-size was reached");
	ret = target_reserve(rec->target,
			     bytes + CLOSING_BYTES + rec->n_possible * CLOSING_CPU_BYTES);
	if (ret)
		return cdict_fail(err, ret, CDICT_NO_OFFSET, "%s", cdict_strerror(ret));
	rec->n_blocks += blocks;
	/* Without events the rows stay in the writer until the next events. */
	rec->rows_bytes = item->n_parts ? 0 : rec->rows_bytes + rows;
	return 0;
}

static int put_into_file(void *ctx, struct store_item *item, struct cdict_error *err)
{
	struct recording *rec = ctx;
	int ret = reserve(rec, item, err);

	if (ret)
		return ret;
	ret = store_write(rec->writer, item, err);
	if (!ret && rec->stacks && monotonic_past(rec->stacks_at_ns)) {
		ret = stacks_write(rec->stacks, rec->writer, err);
		rec->stacks_at_ns = monotonic_in_ms(STACKS_MS);
		rec->n_blocks += rec->stacks_blocks + STACKS_BLOCKS;
		rec->stacks_bytes = rec->stacks_blocks = 0;
	}
	if (ret < 0)
		target_trim(rec->target);
	else
		target_mark(rec->target);
	for (size_t i = 0; i < item->n_parts && !ret; i++) {
		const struct format_block *b = &item->parts[i].info;

		rec->first_ns = !rec->first_ns || b->first_ns < rec->first_ns ? b->first_ns
									      : rec->first_ns;
		rec->newest_ns = b->last_ns > rec->newest_ns ? b->last_ns : rec->newest_ns;
	}
	return ret;
}

static void count_put(struct recording *rec, const struct store_item *item)
{
	unsigned long long events = 0;

	for (size_t i = 0; i < item->n_parts; i++)
		events += item->parts[i].info.events;
	atomic_fetch_add(&rec->put_events, events);
	atomic_fetch_add(&rec->put_bytes, item->payload.len);
}

static int put_file(void *ctx, struct store_item *item, struct cdict_error *err)
{
	struct recording *rec = ctx;
	int ret;

	count_put(rec, item);
	pthread_mutex_lock(&rec->file_lock);
	ret = put_into_file(rec, item, err);
	pthread_mutex_unlock(&rec->file_lock);
	return ret;
}

static int put_ring(void *ctx, struct store_item *item, struct cdict_error *err)
{
	struct recording *rec = ctx;

	count_put(rec, item);
	return snapshot_ring_put(rec->ring, item, err);
}

static const struct store_ops file_ops = { .put = put_file, .keep_bad = true };
static const struct store_ops ring_ops = { .put = put_ring, .keep_bad = true };

const char *recording_name(const struct recording *rec)
{
	return rec->name ? rec->name : rec->opts->output;
}

int recording_labels(struct recording *rec, struct cdict_writer *w, struct cdict_error *err)
{
	return rec->opts->labels ? rec->opts->labels(rec->opts->labels_ctx, *rec->end, w, err) : 0;
}

/* If the file failed, puts its name before the reason. */
static int of_output(const struct recording *rec, int ret)
{
	struct cdict_error why = *rec->err;

	if (!ret || ret == CDICT_EUSAGE)
		return ret;
	return cdict_fail(rec->err, ret, why.offset, "%s: %s", recording_name(rec), why.text);
}

struct outfile_options recording_named(const struct recording *rec, const char *path)
{
	const struct record_options *o = rec->opts;

	return (struct outfile_options){
		.path = path, .capture = true, .inputs = o->inputs, .n_inputs = o->n_inputs
	};
}

/* Length of "x" in "x.cdict" and "x". */
static size_t stem_of(const char *output)
{
	return ending_cut(output, strlen(output), ".cdict");
}

/* "x.2026112219301234.cdict", stamped as by perf record, with hundredths of a second. Given. */
static char *stamped_name(const char *output)
{
	struct timespec now;
	struct tm tm;
	char stamp[32], *name;

	clock_gettime(CLOCK_REALTIME, &now);
	if (!localtime_r(&now.tv_sec, &tm) || !strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &tm))
		return NULL;
	if (asprintf(&name, "%.*s.%s%02ld%s", (int)stem_of(output), output, stamp,
		     now.tv_nsec / 10000000, output + stem_of(output)) < 0)
		return NULL;
	return name;
}

static int next_name(struct recording *rec)
{
	const struct record_options *o = rec->opts;

	rec->name = stamped_name(o->output);
	if (!rec->name)
		return cdict_fail_nomem(rec->err);
	rec->rotate_at_ns = o->rotate_ns ? monotonic_in_ms(o->rotate_ns / 1000000) : 0;
	rec->name_bytes = atomic_load(&rec->put_bytes);
	rec->report->files++;
	return 0;
}

int recording_output(struct recording *rec)
{
	const struct record_options *o = rec->opts;
	struct outfile_options file = recording_named(rec, o->output);
	int ret;

	if (o->keep) {
		/* Report an unusable output now, not at the first write. */
		ret = o->dumps ? 0 : of_output(rec, outfile_check(&file, rec->err));
		if (ret)
			return ret;
		rec->ring = snapshot_ring_new(o->keep_ns, o->keep_bytes);
		rec->store = rec->ring ? store_new(&ring_ops, rec) : NULL;
		return rec->store ? 0 : cdict_fail_nomem(rec->err);
	}
	if (o->rotate) {
		ret = next_name(rec);
		if (ret)
			return ret;
		file.path = rec->name;
	}
	rec->store = store_new(&file_ops, rec);
	return rec->store ? of_output(rec, target_open(&rec->target, &file, rec->err))
			  : cdict_fail_nomem(rec->err);
}

int recording_tasks(struct recording *rec)
{
	struct store_item item = { 0 };
	int ret = 0;

	if (!rec->ring) {
		ret = cdict_writer_open(&rec->writer, target_write, rec->target, rec->err);
		if (!ret)
			ret = record_info_begin(&rec->info, rec->writer, rec->err);
	}
	if (ret)
		return of_output(rec, ret);
	for (size_t i = 0; i < rec->n_groups; i++)
		rings_watch_tasks(group_rings(rec->groups[i]));
	proc_tasks("/proc", &item.rows);
	if (rec->stacks) {
		stacks_processes(rec->stacks);
		rec->stacks_at_ns = monotonic_in_ms(STACKS_MS);
	}
	if (rows_failed(&item.rows)) {
		store_item_fini(&item);
		return cdict_fail_nomem(rec->err);
	}
	ret = store_put(rec->store, &item);
	if (ret) {
		store_failed(rec->store, rec->err);
		return of_output(rec, ret);
	}
	if (rec->ring)
		return 0;
	/* Write them now: at the end of the file there may be no room for them. */
	ret = recording_labels(rec, rec->writer, rec->err);
	if (!ret)
		ret = format_writer_flush(rec->writer, rec->err);
	rec->rows_bytes = 0; /* they are written */
	fits(rec, 0);
	/* The head is complete: the file becomes visible. */
	return of_output(rec, ret ? ret : target_show(rec->target, rec->err));
}

int recording_begin_file(struct recording *rec)
{
	struct rows rows = { 0 };
	struct outfile_options file;
	int ret = next_name(rec);

	if (ret)
		return ret;
	file = recording_named(rec, rec->name);
	rec->n_blocks = rec->rows_bytes = rec->stacks_bytes = rec->stacks_blocks = 0;
	if (rec->stacks)
		stacks_begin(rec->stacks);
	ret = target_open(&rec->target, &file, rec->err);
	if (!ret)
		ret = cdict_writer_open(&rec->writer, target_write, rec->target, rec->err);
	if (!ret)
		ret = record_info_begin(&rec->info, rec->writer, rec->err);
	proc_tasks("/proc", &rows);
	if (!ret)
		ret = rows_failed(&rows) ? cdict_fail_nomem(rec->err)
					 : rows_write(&rows, rec->writer, rec->err);
	rows_fini(&rows);
	if (!ret)
		ret = recording_labels(rec, rec->writer, rec->err);
	if (!ret)
		ret = format_writer_flush(rec->writer, rec->err);
	return of_output(rec, ret ? ret : target_show(rec->target, rec->err));
}

int recording_finish(struct recording *rec, const struct record_info_end *end,
		     struct cdict_error *err)
{
	int ret = rec->report->ended.code ? store_write_dropped(rec->store, rec->writer, err)
					  : recording_labels(rec, rec->writer, err);

	if (!ret && rec->stacks)
		ret = stacks_write(rec->stacks, rec->writer, err);
	if (!ret)
		ret = record_info_end(&rec->info, end, rec->writer, err);
	if (!ret)
		ret = cdict_writer_finish(rec->writer, err);
	if (ret)
		target_trim(rec->target);
	else
		target_mark(rec->target);
	return ret;
}
