/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting recorders and start times. */
#include "query/fleet/figures/start.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cursor.h"
#include "base/fail.h"

static const char waits_magic[4] = { 'C', 'D', 'F', 'W' };
static const char starts_magic[4] = { 'C', 'D', 'F', 'S' };
enum { VERSION = 2, QUESTIONS = 9 };
/* Later times are rejected: 2200. */
#define LATEST_NS UINT64_C(7258118400000000000)

uint64_t fleet_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int fleet_clock_compare(struct store *st, const char *id, struct fleet_clock *out,
			struct cdict_error *err)
{
	int rc = 0;

	*out = (struct fleet_clock){ 0 };
	for (int i = 0; i < QUESTIONS && st->ops->now && !rc; i++) {
		uint64_t before = fleet_now_ns(), after, store_ns;

		rc = st->ops->now(st, id, &store_ns, err);
		after = fleet_now_ns();
		if (rc || after < before || (i && after - before >= out->round_trip_ns))
			continue;
		out->round_trip_ns = after - before;
		out->offset_ns = (int64_t)(store_ns - (before + out->round_trip_ns / 2));
	}
	return rc;
}

static int fail_foreign(struct cdict_error *err, const char *id, const char *shelf,
			const char *name)
{
	return cdict_fail(err, CDICT_ECORRUPT, CDICT_NO_OFFSET,
			  "job %s: store entry %s/%.100s is damaged or not from cdict", id, shelf,
			  name);
}

/* False: not cdict's, or another version. */
static bool check_head(struct cursor *c, const char magic[4])
{
	const uint8_t *head = cursor_take(c, 4);

	return head && !memcmp(head, magic, 4) && cursor_u8(c) == VERSION;
}

/* ---- waiting recorders ---- */

bool fleet_waiter_waits(const struct fleet_waiter *w, uint64_t now_ns)
{
	return w->state == FLEET_WAITS && w->seen_ns + FLEET_SILENT_NS >= now_ns;
}

int fleet_waiter_put(struct store *st, const char *id, const struct fleet_waiter *w,
		     struct cdict_error *err)
{
	char name[STORE_NAME_MOST + 1];
	struct buf b = { 0 };
	bool added;
	int rc, n;

	n = snprintf(name, sizeof(name), "%s.%" PRIu32 ".%" PRIu64 ".%d", w->host, w->pid,
		     w->since_ns / 1000000, w->state);

	/* a renewal with a later time */
	if (w->state == FLEET_WAITS && w->seen_ns > w->since_ns && n > 0 &&
	    (size_t)n < sizeof(name))
		snprintf(name + n, sizeof(name) - (size_t)n, ".%" PRIu64,
			 (w->seen_ns - w->since_ns) / 1000000000);
	buf_add(&b, waits_magic, sizeof(waits_magic));
	buf_u8(&b, VERSION);
	buf_u8(&b, (uint8_t)w->state);
	buf_varint(&b, w->pid);
	buf_varint(&b, w->since_ns);
	buf_svarint(&b, w->clock.offset_ns);
	buf_varint(&b, w->clock.round_trip_ns);
	buf_varint(&b, w->at_ns);
	buf_string(&b, w->host, strlen(w->host));
	buf_varint(&b, w->seen_ns);
	rc = b.failed ? cdict_fail_nomem(err)
		      : store_put(st, id, FLEET_SHELF_WAITS, name, b.data, b.len, &added, err);
	buf_fini(&b);
	return rc;
}

struct waiting {
	struct fleet_waiters *out;
	const char *id;
	struct cdict_error *err;
};

static bool decode_waiter(struct fleet_waiter *w, const void *data, size_t size)
{
	struct cursor c = cursor_init(data, size, false);
	bool ours = check_head(&c, waits_magic);
	uint8_t state = cursor_u8(&c);
	const uint8_t *host;
	uint64_t pid, n;

	*w = (struct fleet_waiter){ .state = (enum fleet_waits)state };
	pid = cursor_varint(&c);
	w->since_ns = cursor_varint(&c);
	w->clock.offset_ns = cursor_svarint(&c);
	w->clock.round_trip_ns = cursor_varint(&c);
	w->at_ns = cursor_varint(&c);
	n = cursor_varint(&c);
	host = n && n < FLEET_HOST_ROOM ? cursor_take(&c, (size_t)n) : NULL;
	w->seen_ns = host ? cursor_varint(&c) : 0;
	if (!ours || !host || !cursor_ok(&c) || c.left || w->seen_ns > LATEST_NS ||
	    state >= FLEET_WAITS_N || pid > INT32_MAX || memchr(host, 0, (size_t)n) ||
	    w->since_ns > LATEST_NS || w->at_ns > LATEST_NS)
		return false;
	memcpy(w->host, host, (size_t)n);
	w->pid = (uint32_t)pid;
	return true;
}

/* Names are sorted, so the states of one recorder are adjacent. */
static int handle_waiter(void *ctx, const char *name, const void *data, size_t size)
{
	struct waiting *k = ctx;
	struct fleet_waiter w, *last = k->out->all.n ? &k->out->all.at[k->out->all.n - 1] : NULL;

	if (!decode_waiter(&w, data, size))
		return fail_foreign(k->err, k->id, FLEET_SHELF_WAITS, name);
	if (last && last->pid == w.pid && last->since_ns == w.since_ns &&
	    !strcmp(last->host, w.host)) {
		if (w.state > last->state || (w.state == last->state && w.seen_ns >= last->seen_ns))
			*last = w;
		return 0;
	}
	return array_push(&k->out->all, w) ? cdict_fail_nomem(k->err) : 0;
}

int fleet_waiters_read(struct fleet_waiters *out, struct store *st, const char *id,
		       struct cdict_error *err)
{
	struct waiting k = { out, id, err };

	return store_values(st, id, FLEET_SHELF_WAITS, handle_waiter, &k, err);
}

/* ---- the start time ---- */

int fleet_start_put(struct store *st, const char *id, const struct fleet_start *start,
		    struct cdict_error *err)
{
	char name[STORE_NAME_MOST + 1];
	struct buf b = { 0 };
	bool added = false;
	int rc;

	snprintf(name, sizeof(name), "%020" PRIu64, start->at_ns);
	buf_add(&b, starts_magic, sizeof(starts_magic));
	buf_u8(&b, VERSION);
	buf_varint(&b, start->at_ns);
	buf_varint(&b, start->duration_ms);
	rc = b.failed ? cdict_fail_nomem(err)
		      : store_put(st, id, FLEET_SHELF_STARTS, name, b.data, b.len, &added, err);
	buf_fini(&b);
	return rc;
}

struct starting {
	struct fleet_start *out;
	const char *id;
	bool any;
	struct cdict_error *err;
};

static int handle_start(void *ctx, const char *name, const void *data, size_t size)
{
	struct starting *k = ctx;
	struct cursor c = cursor_init(data, size, false);
	bool ours = check_head(&c, starts_magic);
	uint64_t at_ns = cursor_varint(&c), ms = cursor_varint(&c);

	if (!ours || !cursor_ok(&c) || c.left || at_ns > LATEST_NS || ms > LATEST_NS / 1000000)
		return fail_foreign(k->err, k->id, FLEET_SHELF_STARTS, name);
	if (!k->any || at_ns > k->out->at_ns)
		*k->out = (struct fleet_start){ at_ns, ms };
	k->any = true;
	return 0;
}

int fleet_start_latest(struct store *st, const char *id, struct fleet_start *out,
		       struct cdict_error *err)
{
	struct starting k = { .out = out, .id = id, .err = err };
	int rc = store_values(st, id, FLEET_SHELF_STARTS, handle_start, &k, err);

	return rc ? rc : k.any;
}
