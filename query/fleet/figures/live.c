/* SPDX-License-Identifier: GPL-2.0-only */
/* Pushes a growing capture, bucket by bucket, into a store or a spool. */
#include "query/fleet/figures/live.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/system/monotonic.h"
#include "cdict/reader.h"
#include "query/fleet/values/rollup.h"

static void say(struct fleet_live *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct fleet_live *l, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	l->opts.say(l->opts.say_ctx, line);
}

void fleet_live_init(struct fleet_live *l, const struct fleet_live_options *opts)
{
	*l = (struct fleet_live){ .opts = *opts, .bucket_ns = FLEET_BUCKET_NS };
}

void fleet_live_fini(struct fleet_live *l)
{
	store_close(l->st);
	store_close(l->spool);
	array_fini(&l->waiting);
	l->st = l->spool = NULL;
}

/* ---- the store ---- */

/* Prints the same failure only once. */
static void store_failed(struct fleet_live *l, const struct cdict_error *err)
{
	store_close(l->st);
	l->st = NULL;
	l->retry_ns = monotonic_in_ms(LIVE_RETRY_S * 1000);
	if (!strcmp(l->reported, err->text))
		return;
	snprintf(l->reported, sizeof(l->reported), "%s", err->text);
	say(l, "job %s: %s; spooling figures to %s", l->opts.job, err->text, l->opts.spool);
}

/* Pushes the spooled values. */
static int push_spool(struct fleet_live *l, struct cdict_error *err)
{
	struct fleet_spool_counts counts = { 0 };
	int rc;

	if (!l->spool)
		return 0;
	rc = fleet_spool_push(l->spool, l->opts.job, l->st, &counts, err);
	l->counts.pushed += counts.values;
	l->counts.spooled -= counts.values < l->counts.spooled ? counts.values : l->counts.spooled;
	if (!rc) {
		store_close(l->spool); /* the directory is gone */
		l->spool = NULL;
	}
	return rc;
}

/* If the job's bucket length is not the assumed one, start over. */
static void set_bucket_length(struct fleet_live *l, uint64_t bucket_ns)
{
	if (l->bucket_ns == bucket_ns)
		return;
	l->bucket_ns = bucket_ns;
	if (l->spool) {
		store_remove(l->spool, l->opts.job, NULL);
		store_close(l->spool);
		l->spool = NULL;
	}
	l->next = l->rolled_up = l->counts.spooled = l->counts.left = 0;
	l->waiting.n = 0;
}

/* Whether the store accepts values now. */
static bool is_ready(struct fleet_live *l)
{
	struct cdict_error err = { 0 };
	struct fleet_job job;
	int rc;

	if (l->st)
		return true;
	if (l->retry_ns && !monotonic_past(l->retry_ns))
		return false;
	rc = l->opts.open(l->opts.open_ctx, &l->st, &err);
	rc = rc ? rc : store_get(l->st, l->opts.job, &job, &err);
	if (!rc) {
		set_bucket_length(l, job.bucket_ns);
		rc = push_spool(l, &err);
	}
	if (rc)
		store_failed(l, &err);
	else if (l->reported[0])
		say(l, "job %s: the store accepts figures again", l->opts.job);
	if (!rc)
		l->reported[0] = 0;
	return !rc;
}

/* ---- a bucket ---- */

static void spool_value(struct fleet_live *l, const struct fleet_capture *c, uint64_t i,
			const struct buf *value)
{
	struct cdict_error err = { 0 };
	bool added;
	int rc = 0;

	if (!l->spool && !l->full)
		rc = fleet_spool_open(&l->spool, l->opts.spool, l->opts.job, l->bucket_ns, &err);
	if (!rc && l->spool)
		rc = fleet_capture_put(c, i, value, l->spool, l->opts.job, &added, &err);
	if (rc && !l->full)
		say(l, "%s; run 'cdict push' on the capture later", err.text);
	l->full |= rc != 0;
	if (rc || !l->spool)
		l->counts.left++;
	else
		l->counts.spooled++;
}

static void push_value(struct fleet_live *l, const struct fleet_capture *c, uint64_t i,
		       const struct buf *value)
{
	struct cdict_error err = { 0 };
	bool added;

	if (l->st && !fleet_capture_put(c, i, value, l->st, l->opts.job, &added, &err)) {
		l->counts.pushed++;
		return;
	}
	if (l->st)
		store_failed(l, &err);
	spool_value(l, c, i, value);
}

/* False: the bucket cannot be pushed yet. */
static bool push_bucket(struct fleet_live *l, const struct fleet_capture *c, uint64_t i)
{
	struct cdict_error err = { 0 };
	struct buf value = { 0 };
	int rc = fleet_capture_bucket(c, i, 1, &value, &err);

	if (!rc)
		push_value(l, c, i, &value);
	else if (rc < 0 && l->ending) {
		say(l, "%s", err.text);
		l->counts.left++;
	}
	buf_fini(&value);
	return !rc;
}

static bool is_certain(const struct fleet_capture *c, uint64_t i, uint64_t certain_ns)
{
	uint64_t end = (c->first + i + 1) * c->bucket_ns - c->offset_ns;

	return i + 1 < c->n && end <= certain_ns;
}

/* Retries buckets that had something open, at growing intervals: a halt may last. */
static void retry_waiting(struct fleet_live *l, const struct fleet_capture *c)
{
	size_t left = 0;

	for (size_t k = 0; k < l->waiting.n; k++) {
		uint64_t i = l->waiting.at[k], age = l->next - i;

		if ((!l->ending && (age & (age - 1))) || !push_bucket(l, c, i))
			l->waiting.at[left++] = i;
	}
	l->waiting.n = left;
}

/* Readers do without rollups, so a failure is no loss. */
static void roll_up(struct fleet_live *l, const char *ended)
{
	struct cdict_error err = { 0 };

	if (!l->st || l->spool || l->no_rollups || !l->id[0])
		return;
	l->no_rollups = fleet_rollup_host(l->st, l->opts.job, l->host, ended, &err) != 0;
	if (l->no_rollups)
		say(l, "job %s: no rollups are written, so readers take longer: %s", l->opts.job,
		    err.text);
}

/* Once all buckets of a rollup are done. */
static void roll_up_done(struct fleet_live *l, const struct fleet_capture *c)
{
	uint64_t done = l->next, number;

	for (size_t k = 0; k < l->waiting.n; k++)
		done = l->waiting.at[k] < done ? l->waiting.at[k] : done;
	number = (c->first + done) / FLEET_ROLLUP_BUCKETS;
	if (number <= l->rolled_up)
		return;
	roll_up(l, NULL);
	l->rolled_up = number;
}

static void push_buckets(struct fleet_live *l, const struct fleet_capture *c, uint64_t certain_ns)
{
	uint64_t before = l->next;

	while (l->next < c->n && (l->ending || is_certain(c, l->next, certain_ns))) {
		if (!push_bucket(l, c, l->next) && !l->ending && array_push(&l->waiting, l->next))
			break; /* retry with the next view or at the end */
		l->next++;
	}
	if (l->next != before || l->ending)
		retry_waiting(l, c);
	roll_up_done(l, c);
}

/* The id depends on the first event: if an earlier one arrives late, the id changes. */
static void set_id(struct fleet_live *l, const struct fleet_capture *c)
{
	if (l->id[0] && strcmp(l->id, c->id)) {
		say(l,
		    "job %s: figures pushed as capture %s are counted twice: an event from before its first one arrived late",
		    l->opts.job, l->id);
		l->next = l->rolled_up = 0;
		l->waiting.n = 0;
	}
	memcpy(l->id, c->id, sizeof(l->id));
	memcpy(l->host, c->host, sizeof(l->host));
}

static void read_capture(struct fleet_live *l, const void *data, size_t size, uint64_t certain_ns)
{
	struct cdict_reader *reader = NULL;
	struct cdict_error err = { 0 };
	struct fleet_capture c = { 0 };
	int rc;

	is_ready(l);
	rc = cdict_reader_parse(&reader, data, size, &err);
	rc = rc ? rc : fleet_capture_init(&c, reader, NULL, l->bucket_ns, &err);
	c.growing = !l->ending;
	if (!rc && c.n && (l->ending || certain_ns)) {
		set_id(l, &c);
		push_buckets(l, &c, certain_ns);
	} else if (rc && l->ending) {
		say(l, "job %s: cannot read the capture: %s", l->opts.job, err.text);
		l->counts.left++;
	}
	fleet_capture_fini(&c);
	cdict_reader_close(reader);
}

void fleet_live_view(struct fleet_live *l, const void *data, size_t size, uint64_t certain_ns)
{
	read_capture(l, data, size, certain_ns);
}

void fleet_live_end(struct fleet_live *l, const void *data, size_t size)
{
	struct cdict_error err = { 0 };

	l->ending = true;
	l->retry_ns = 0; /* retry now */
	read_capture(l, data, size, 0);
	/* push this recording's spool if the store came back with the last bucket */
	if (l->st && l->spool && push_spool(l, &err))
		store_failed(l, &err);
	roll_up(l, l->id);
}
