/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict record --wait: starts the recording when 'cdict job start' says, on all waiting hosts at
 * the same moment. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "cmd/record/record.h"
#include "cmd/tables/fleet.h"

/* Polling interval for a start: a thousand waiting hosts send a server 8,000 queries a second. */
#define LOOK_NS UINT64_C(250000000)
/* This long before the start, tasks and names are read and the file is begun. */
#define PREPARE_NS UINT64_C(3000000000)

/* False: a signal ended the wait. */
static bool pause_ns(const sigset_t *signals, uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
	int sig = sigtimedwait(signals, NULL, &t);

	return sig != SIGINT && sig != SIGTERM && sig != SIGHUP;
}

static int give_up(struct record_moment *m, const char *job, struct cdict_error *err)
{
	m->me.state = FLEET_GAVE_UP;
	if (fleet_waiter_put(m->st, job, &m->me, err))
		cmd_warn(m->call, NULL, "%s", err->text);
	return cdict_fail(err, -EINTR, CDICT_NO_OFFSET,
			  "interrupted while waiting for the start of job %s: nothing was "
			  "recorded",
			  job);
}

/* Converts the store's @ns to this machine's clock. */
static uint64_t own_ns(const struct record_moment *m, uint64_t ns)
{
	return ns - (uint64_t)m->me.clock.offset_ns;
}

static int enlist(struct record_moment *m, const char *job, struct cdict_error *err)
{
	struct fleet_start earlier;
	struct fleet_job there;
	struct utsname host;
	bool known = m->host || (!uname(&host) && host.nodename[0]);
	int rc = fleet_open_store(&m->st, m->call->opts, err);

	rc = rc ? rc : store_get(m->st, job, &there, err);
	rc = rc ? rc : fleet_clock_compare(m->st, job, &m->me.clock, err);
	if (rc)
		return rc;
	snprintf(m->me.host, sizeof(m->me.host), "%s",
		 m->host ? m->host
		 : known ? host.nodename
			 : "unknown");
	m->me.pid = (uint32_t)getpid();
	m->me.since_ns = fleet_now_ns() + (uint64_t)m->me.clock.offset_ns;
	m->after_ns = m->me.seen_ns = m->me.since_ns;
	rc = fleet_waiter_put(m->st, job, &m->me, err);
	rc = rc ? rc : fleet_start_latest(m->st, job, &earlier, err);
	if (rc < 0)
		return rc;
	if (rc && earlier.at_ns > m->after_ns) /* that start is still in the future */
		return 0;
	if (rc)
		cmd_warn(m->call, NULL, "job %s was started %.1f s ago: waiting for the next start",
			 job, (double)(m->after_ns - earlier.at_ns) / 1e9);
	if (!m->call->quiet)
		fprintf(stderr, "[ cdict %s: waiting for 'cdict job start %s' ]\n",
			m->call->cmd->name, job);
	return 0;
}

/* 1: this start has passed; wait for the next one. */
static int take_start(struct record_moment *m, const char *job, const struct fleet_start *s,
		      const sigset_t *signals, struct record_start *out, struct cdict_error *err)
{
	uint64_t at, now, late;
	int rc = fleet_clock_compare(m->st, job, &m->me.clock, err);

	if (rc)
		return rc;
	m->after_ns = s->at_ns;
	at = own_ns(m, s->at_ns);
	now = fleet_now_ns();
	late = now > at ? now - at : 0;
	if (late && s->duration_ms && late >= s->duration_ms * 1000000) {
		cmd_warn(m->call, NULL,
			 "job %s should have started and ended already: waiting for the next start",
			 job);
		return 1;
	}
	m->me.state = FLEET_STARTS;
	m->me.at_ns = s->at_ns;
	m->me.seen_ns = now + (uint64_t)m->me.clock.offset_ns;
	if (fleet_waiter_put(m->st, job, &m->me, err))
		cmd_warn(m->call, NULL, "%s", err->text);
	out->seconds = (double)s->duration_ms / 1e3;
	out->wall_ns = at;
	if (late) {
		cmd_warn(m->call, NULL, "job %s should have started %.3f s ago: starting now", job,
			 (double)late / 1e9);
		out->seconds -= s->duration_ms ? (double)late / 1e9 : 0;
		out->wall_ns = 0;
	}
	for (now = fleet_now_ns(); now + PREPARE_NS < at; now = fleet_now_ns()) {
		uint64_t left = at - PREPARE_NS - now;

		if (!pause_ns(signals, left < LOOK_NS ? left : LOOK_NS))
			return give_up(m, job, err);
	}
	return 0;
}

/* A killed waiter stops renewing, so that others do not see it waiting forever. */
static int renew(struct record_moment *m, const char *job, struct cdict_error *err)
{
	uint64_t now = fleet_now_ns() + (uint64_t)m->me.clock.offset_ns;

	if (now < m->me.seen_ns + FLEET_RENEW_NS)
		return 0;
	m->me.seen_ns = now;
	return fleet_waiter_put(m->st, job, &m->me, err);
}

static void report_info(const struct record_moment *m, const char *job, const struct fleet_start *s,
			struct record_start *out)
{
	_Static_assert(sizeof(out->info[0].value) > 20, "a number of 64 bits fits");

	out->info[0].key = "job.id";
	snprintf(out->info[0].value, sizeof(out->info[0].value), "%.31s", job);
	out->info[1].key = "job.start_wall_ns";
	snprintf(out->info[1].value, sizeof(out->info[1].value), "%" PRIu64, s->at_ns);
	out->info[2].key = "job.offset_ns";
	snprintf(out->info[2].value, sizeof(out->info[2].value), "%" PRId64, m->me.clock.offset_ns);
	out->info[3].key = "job.round_trip_ns";
	snprintf(out->info[3].value, sizeof(out->info[3].value), "%" PRIu64,
		 m->me.clock.round_trip_ns);
}

int record_moment_wait(void *moment, const sigset_t *signals, struct record_start *out,
		       struct cdict_error *err)
{
	struct record_moment *m = moment;
	const char *job = ((const struct options_shared *)m->call->opts)->job;
	struct fleet_start s = { 0 };
	bool warned = false;
	int rc = enlist(m, job, err);

	if (rc)
		return rc;
	for (;;) {
		rc = fleet_start_latest(m->st, job, &s, err);
		if (rc == 1 && s.at_ns > m->after_ns)
			rc = take_start(m, job, &s, signals, out, err);
		else if (rc >= 0)
			rc = renew(m, job, err) < 0 ? err->code : 1;
		if (!rc)
			break;
		if (rc == CDICT_ENOTFOUND || rc == -EINTR || rc == -ENOMEM)
			return rc; /* the job was removed; a signal */
		if (rc < 0 && !warned)
			cmd_warn(m->call, NULL, "%s; retrying", err->text);
		warned = rc < 0;
		if (!pause_ns(signals, rc < 0 ? 4 * LOOK_NS : LOOK_NS))
			return give_up(m, job, err);
	}
	report_info(m, job, &s, out);
	return 0;
}

void record_moment_end(struct record_moment *m, uint64_t began_wall_ns)
{
	const struct options_shared *o = m->call ? m->call->opts : NULL;
	struct cdict_error err = { 0 };

	if (m->st && m->me.state == FLEET_STARTS && began_wall_ns) {
		m->me.state = FLEET_RECORDED;
		m->me.seen_ns = fleet_now_ns() + (uint64_t)m->me.clock.offset_ns;
		m->me.at_ns = began_wall_ns + (uint64_t)m->me.clock.offset_ns;
		if (fleet_waiter_put(m->st, o->job, &m->me, &err))
			cmd_warn(m->call, NULL, "%s", err.text);
	}
	store_close(m->st);
	m->st = NULL;
}
