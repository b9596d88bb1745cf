/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict job start: starts all waiting recorders at one moment; and lists them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/fleet/job.h"
#include "base/text/plural.h"
#include "cmd/record/record.h"
#include "query/fleet/figures/start.h"
#include "tables/columns/number.h"

/* Larger differences between clocks are reported. */
#define APART_NS 1000000

int job_start(const struct cmd_call *call, struct store *st, const char *id, const char *in,
	      const char *seconds, struct cdict_error *err)
{
	struct fleet_waiters waiters = { 0 };
	struct fleet_start start = { 0 };
	struct fleet_clock clock;
	uint64_t in_ms, now_ns, ns = 0;
	char room[NUMBER_ROOM];
	size_t n = 0;
	int rc = fleet_duration_ms(in, &in_ms, err);

	if (!rc && seconds)
		rc = record_time("seconds", seconds, &ns, err);
	start.duration_ms = ns / 1000000;
	rc = rc ? rc : fleet_clock_compare(st, id, &clock, err);
	rc = rc ? rc : fleet_waiters_read(&waiters, st, id, err);
	if (!rc) {
		now_ns = fleet_now_ns() + (uint64_t)clock.offset_ns;
		start.at_ns = now_ns + in_ms * UINT64_C(1000000);
		rc = fleet_start_put(st, id, &start, err);
	}
	for (size_t i = 0; i < waiters.all.n && !rc; i++)
		n += fleet_waiter_waits(&waiters.all.at[i], now_ns);
	array_fini(&waiters.all);
	if (rc)
		return rc;
	if (!n)
		cmd_warn(call, NULL, "job %s: no host is waiting", id);
	if (!call->quiet)
		fprintf(stderr,
			"[ cdict job: %s: %s recorder%s wait%s, start at %s by the store's clock ]\n",
			id, GROUPED(n), n == 1 ? "" : "s", n == 1 ? "s" : "",
			number_utc(room, start.at_ns));
	return 0;
}

enum { HOST = 0, PID, STATE, SINCE, HEARD, HEARD_NS, OFFSET, OFFSET_MS, TRIP, BEGAN, BEGAN_NS };
static const struct table_column columns[] = {
	[HOST] = { "host", "host", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	[PID] = { "pid", "pid", TABLE_INTEGER, 0, NULL, 0 },
	[STATE] = { "state", "state", TABLE_TEXT, 0, NULL, 0 },
	[SINCE] = { "since", "since", TABLE_TEXT, 0, NULL, 0 },
	[HEARD] = { "heard", "last heard", TABLE_TEXT, TABLE_HUMAN, NULL, 0 },
	[HEARD_NS] = { "heard_wall_ns", "heard", TABLE_COUNT, TABLE_MACHINE, NULL, 0 },
	[OFFSET] = { "clock_offset_ns", "clock", TABLE_INTEGER, TABLE_MACHINE, NULL, 0 },
	[OFFSET_MS] = { "clock_offset", "clock ms", TABLE_TEXT, TABLE_HUMAN, NULL, 0 },
	[TRIP] = { "round_trip_ns", "round trip ms", TABLE_MS, 0, NULL, 0 },
	[BEGAN] = { "at", "start", TABLE_TEXT, TABLE_DASH | TABLE_HUMAN, NULL, 0 },
	[BEGAN_NS] = { "at_wall_ns", "at", TABLE_COUNT, TABLE_MACHINE, NULL, 0 },
	TABLE_COLUMNS_END,
};

struct table *job_waiters(const struct cmd_call *call, const struct fleet_waiters *waiters,
			  uint64_t now_ns)
{
	static const char *const states[FLEET_WAITS_N] = { "waits", "starts", "recorded",
							   "gave up" };
	struct table *t = table_new("waits", columns);
	char room[NUMBER_ROOM];

	if (!t)
		return NULL;
	t->order = "host";
	t->certain = true;
	for (size_t i = 0; i < waiters->all.n; i++) {
		const struct fleet_waiter *w = &waiters->all.at[i];
		double ms = (double)w->clock.offset_ns / 1e6;

		table_row(t);
		table_text(t, HOST, w->host);
		table_u64(t, PID, w->pid);
		table_text(t, STATE,
			   w->state == FLEET_WAITS && !fleet_waiter_waits(w, now_ns)
				   ? "silent"
				   : states[w->state]);
		table_text(t, SINCE, number_utc(room, w->since_ns));
		table_text(t, HEARD, number_utc(room, w->seen_ns));
		table_u64(t, HEARD_NS, w->seen_ns);
		snprintf(room, sizeof(room), "%+.3f", ms);
		table_text(t, OFFSET_MS, room);
		table_i64(t, OFFSET, w->clock.offset_ns);
		table_u64(t, TRIP, w->clock.round_trip_ns);
		table_text(t, BEGAN, w->at_ns ? number_utc(room, w->at_ns) : NULL);
		if (w->at_ns)
			table_u64(t, BEGAN_NS, w->at_ns);
		if (w->clock.offset_ns > APART_NS || w->clock.offset_ns < -APART_NS)
			cmd_warn(call, NULL,
				 "%s: its clock is %.3f ms %s the store's; wall times in its "
				 "capture are off by as much",
				 w->host, ms < 0 ? -ms : ms, ms < 0 ? "ahead of" : "behind");
	}
	return table_done(t);
}
