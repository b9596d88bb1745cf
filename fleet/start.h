/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * start.h - recorders that wait for one moment, and the moment.
 *
 * Both are values (store.h): a recorder writes one when it waits, again every FLEET_RENEW_NS as long as it does, one
 * when it knows its moment, one when it has recorded or gives up; a start is one. Moments are of the store's clock, which is the server's; each host knows how
 * far its own is from that.
 *
 * What is read back is foreign: anybody may have written it.
 *
 * Units      *_ns since 1970
 * Failure    0 or a negative code with *err filled
 */
#ifndef FLEET_START_H
#define FLEET_START_H

#include "base/array.h"
#include "fleet/capture.h"
#include "fleet/store.h"

#define FLEET_SHELF_WAITS "waits"
#define FLEET_SHELF_STARTS "starts"

/* The store's clock minus this machine's. */
struct fleet_clock {
	int64_t offset_ns;
	uint64_t round_trip_ns; /* of the question that told: half of it is how wrong the offset may be */
};

/* fleet_clock_compare - asks some times, the fastest answer counts. A folder has this machine's clock. */
int fleet_clock_compare(struct store *st, const char *id, struct fleet_clock *out,
			struct cdict_error *err);
uint64_t fleet_now_ns(void);

enum fleet_waits { FLEET_WAITS = 0, FLEET_STARTS, FLEET_RECORDED, FLEET_GAVE_UP, FLEET_WAITS_N };

/* Who waits says so again after the one; who has not for the other was killed, or its host is gone. */
#define FLEET_RENEW_NS UINT64_C(15000000000)
#define FLEET_SILENT_NS UINT64_C(60000000000)

struct fleet_waiter {
	char host[FLEET_HOST_ROOM];
	uint32_t pid;
	uint64_t since_ns;
	struct fleet_clock clock;
	enum fleet_waits state;
	uint64_t at_ns; /* FLEET_STARTS: when it shall begin; FLEET_RECORDED: when it did; by the store's clock */
	uint64_t seen_ns; /* when it said so, by the store's clock */
};
/* fleet_waiter_waits - still, at @now_ns of the store's clock. */
bool fleet_waiter_waits(const struct fleet_waiter *w, uint64_t now_ns);

struct fleet_waiters {
	ARRAY(struct fleet_waiter) all; /* by host, pid, since: the latest state of each */
};

int fleet_waiter_put(struct store *st, const char *id, const struct fleet_waiter *w,
		     struct cdict_error *err);
/* fleet_waiters_read - array_fini(&out->all) empties it. */
int fleet_waiters_read(struct fleet_waiters *out, struct store *st, const char *id,
		       struct cdict_error *err);

struct fleet_start {
	uint64_t at_ns;
	uint64_t duration_ms; /* 0: each until it ends by itself */
};

int fleet_start_put(struct store *st, const char *id, const struct fleet_start *start,
		    struct cdict_error *err);
/* fleet_start_latest - 1 and the last one of all, or 0: there was none. */
int fleet_start_latest(struct store *st, const char *id, struct fleet_start *out,
		       struct cdict_error *err);

#endif
