/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * start.h - recorders that wait for a common start time, and the start time.
 *
 * Both are values (store.h). A recorder writes one when it begins to wait, another every FLEET_RENEW_NS while it
 * waits, one when it knows its start, and one when it has recorded or gives up; a start is one value. Times are by the
 * store's clock, which is the server's; each host knows its own clock's offset.
 *
 * The values are untrusted: anybody may have written them.
 *
 * Units      *_ns since 1970
 * Failure    0 or a negative code with *err filled
 */
#ifndef QUERY_FLEET_FIGURES_START_H
#define QUERY_FLEET_FIGURES_START_H

#include "base/memory/array.h"
#include "query/fleet/figures/capture.h"
#include "query/fleet/store/store.h"

#define FLEET_SHELF_WAITS "waits"
#define FLEET_SHELF_STARTS "starts"

/* The store's clock minus this machine's clock. */
struct fleet_clock {
	int64_t offset_ns;
	uint64_t round_trip_ns; /* of the measurement: the offset's error is at most half of it */
};

/* fleet_clock_compare - measures several times, keeps the fastest answer. A folder uses this machine's clock. */
int fleet_clock_compare(struct store *st, const char *id, struct fleet_clock *out,
			struct cdict_error *err);
uint64_t fleet_now_ns(void);

enum fleet_waits { FLEET_WAITS = 0, FLEET_STARTS, FLEET_RECORDED, FLEET_GAVE_UP, FLEET_WAITS_N };

/* Waiting recorders renew at the first interval; one that has not within the second was killed, or its host is gone. */
#define FLEET_RENEW_NS UINT64_C(15000000000)
#define FLEET_SILENT_NS UINT64_C(60000000000)

struct fleet_waiter {
	char host[FLEET_HOST_ROOM];
	uint32_t pid;
	uint64_t since_ns;
	struct fleet_clock clock;
	enum fleet_waits state;
	uint64_t at_ns; /* FLEET_STARTS: its start time; FLEET_RECORDED: its actual start; by the store's clock */
	uint64_t seen_ns; /* when it wrote this, by the store's clock */
};
/* fleet_waiter_waits - whether it still waits at @now_ns of the store's clock. */
bool fleet_waiter_waits(const struct fleet_waiter *w, uint64_t now_ns);

struct fleet_waiters {
	ARRAY(struct fleet_waiter) all; /* by host, pid, since: the latest state of each */
};

int fleet_waiter_put(struct store *st, const char *id, const struct fleet_waiter *w,
		     struct cdict_error *err);
/* fleet_waiters_read - free with array_fini(&out->all). */
int fleet_waiters_read(struct fleet_waiters *out, struct store *st, const char *id,
		       struct cdict_error *err);

struct fleet_start {
	uint64_t at_ns;
	uint64_t duration_ms; /* 0: no limit */
};

int fleet_start_put(struct store *st, const char *id, const struct fleet_start *start,
		    struct cdict_error *err);
/* fleet_start_latest - 1 and the latest start, or 0: none. */
int fleet_start_latest(struct store *st, const char *id, struct fleet_start *out,
		       struct cdict_error *err);

#endif
