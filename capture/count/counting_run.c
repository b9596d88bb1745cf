/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the samples of the switches, and attributes the counts. */
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>

#include "base/fail.h"
#include "base/system/monotonic.h"
#include "capture/count/counting_internal.h"
#include "capture/host/rings.h"

#define TICK_NS 10000000

uint32_t counting_name(struct counting *c, const char *name, size_t len)
{
	const char *kept = stringset_add(&c->texts, name, strnlen(name, len));
	uint32_t *number = kept ? map_add(&c->numbers, (uintptr_t)kept, 0) : NULL;

	if (number && *number == MAP_NEW) {
		*number = (uint32_t)c->names.n;
		if (array_push(&c->names, kept))
			number = NULL;
	}
	c->failed |= !number;
	return number ? *number : 0;
}

/* Adds the differences since the last switch to @name; @values: enabled, running, the leader, the
 * members that are events. */
static void account(struct counting *c, struct counting_group *g, const char *name,
		    const uint64_t *values)
{
	size_t number = counting_name(c, g->unsure ? COUNTING_UNKNOWN : name, COMM_SIZE), at = 1;

	if (c->failed ||
	    (g->counts.n < (number + 1) * g->n && array_resize(&g->counts, (number + 1) * g->n))) {
		c->failed = true;
		return;
	}
	for (size_t i = 0; i < g->n; i++) {
		size_t from = c->events[g->first + i].switches ? 0 : at++;

		g->counts.at[number * g->n + i] += values[from] - g->values[from];
	}
	memcpy(g->values, values, at * sizeof(*values));
	g->unsure = false;
}

/* Layout: nr, enabled, running, nr values. */
static bool read_values(const struct counting_group *g, struct cursor *in, uint64_t *values)
{
	uint64_t nr = cursor_u64(in);

	cursor_skip(in, 16);
	if (!cursor_ok(in) || !nr || nr > g->n + 1)
		return false;
	for (uint64_t i = 0; i < nr; i++)
		values[i] = cursor_u64(in);
	return cursor_ok(in);
}

static void copy_comm(char *to, const uint8_t *raw, unsigned at, bool idle)
{
	if (idle)
		snprintf(to, COMM_SIZE + 1, "%s", COUNTING_IDLE);
	else
		snprintf(to, COMM_SIZE + 1, "%.*s", COMM_SIZE, (const char *)raw + at);
}

static void account_switch(struct counting *c, struct counting_group *g, struct cursor in)
{
	uint64_t values[COUNTING_EVENTS_MOST + 1] = { 0 };
	bool good = read_values(g, &in, values);
	uint32_t size = cursor_u32(&in);
	const uint8_t *raw = cursor_take(&in, size);
	char prev[COMM_SIZE + 1];

	if (!good || !raw || size < c->raw_size) {
		c->lost++;
		g->unsure = true;
		return;
	}
	/* count swapper/0, swapper/1 as one program */
	copy_comm(prev, raw, c->prev_at,
		  !strncmp((const char *)raw + c->prev_at, COUNTING_IDLE "/",
			   sizeof(COUNTING_IDLE)));
	account(c, g, prev, values);
	copy_comm(g->current, raw, c->next_at, !load32(raw + c->next_pid_at, NATIVE_BIG));
	c->switches += !g->first;
}

static void on_record(void *ctx, uint32_t type, struct cursor in)
{
	struct counting_group *g = ((struct counting_group **)ctx)[0];
	struct counting *c = ((void **)ctx)[1];

	if (type == PERF_RECORD_SAMPLE) {
		account_switch(c, g, in);
	} else if (type == PERF_RECORD_LOST) {
		cursor_skip(&in, 8);
		c->lost += cursor_u64(&in);
		g->unsure = true;
	}
}

static void drain(struct counting *c, struct counting_group *g)
{
	void *ctx[2] = { g, c };

	counting_ring_read(g->ring, RING_BYTES, on_record, ctx);
}

static int control(struct counting *c, unsigned long what, struct cdict_error *err)
{
	for (size_t i = 0; i < c->groups.n; i++) {
		if (ioctl(c->groups.at[i].fd, what, PERF_IOC_FLAG_GROUP))
			return cdict_fail(err, -errno, CDICT_NO_OFFSET, "CPU %d: %s",
					  c->groups.at[i].cpu, strerror(errno));
	}
	return 0;
}

/* Waits until the end of the run, or a signal. */
static void wait_end(struct counting *c, const sigset_t *set, uint64_t end_ns)
{
	const struct timespec tick = { .tv_nsec = TICK_NS };

	for (;;) {
		int sig = sigtimedwait(set, NULL, &tick);

		for (size_t i = 0; i < c->groups.n; i++)
			drain(c, &c->groups.at[i]);
		if (!c->o.machine)
			counting_tasks_drain(c, false);
		if (sig == SIGINT || sig == SIGTERM || c->failed)
			return;
		if (c->workload.pid ? workload_poll(&c->workload) : counting_tasks_over(c))
			return;
		if (end_ns && monotonic_ns() >= end_ns)
			return;
	}
}

/* Attributes the last slice of each CPU, and stores the figures of the group. */
static int finish_group(struct counting *c, struct counting_group *g)
{
	uint64_t raw[COUNTING_EVENTS_MOST + 4], values[COUNTING_EVENTS_MOST + 1] = { 0 };
	ssize_t n;
	struct cursor in;
	double scale;

	drain(c, g);
	n = read(g->fd, raw, sizeof(raw));
	in = cursor_init(raw, n > 0 ? (size_t)n : 0, NATIVE_BIG);
	if (n < 24 || !read_values(g, &in, values))
		return n < 0 ? -errno : -EIO;
	account(c, g, *g->current ? g->current : COUNTING_UNKNOWN, values);
	scale = raw[2] ? (double)raw[1] / (double)raw[2] : 0;
	for (size_t i = 0; i < g->n; i++) {
		c->events[g->first + i].enabled_ns += raw[1];
		c->events[g->first + i].running_ns += raw[2];
	}
	if (c->failed || (c->figures.n < c->names.n * c->n_events &&
			  array_resize(&c->figures, c->names.n * c->n_events)))
		return -ENOMEM;
	for (size_t i = 0; i < g->counts.n; i++) {
		struct counting_figure *to =
			&c->figures.at[i / g->n * c->n_events + g->first + i % g->n];
		uint64_t count = g->counts.at[i];

		to->count += count;
		to->value += raw[1] == raw[2] ? count : (uint64_t)llround((double)count * scale);
	}
	return 0;
}

static void block(sigset_t *old, sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, set, old);
}

static int begin(struct counting *c, const sigset_t *old, struct cdict_error *err)
{
	int rc = 0;

	if (c->o.command)
		rc = workload_prepare(&c->workload, c->o.command, old, false, err);
	if (c->o.machine)
		/* more than a fair share, to empty the rings in time; the command does not inherit it */
		setpriority(PRIO_PROCESS, 0, -10);
	else
		rc = rc ? rc : counting_tasks_open(c, err);
	if (!rc && c->o.ready)
		rc = c->o.ready(c->o.ctx, &c->o.seconds, err);
	if (rc)
		return rc;
	return c->o.machine ? control(c, PERF_EVENT_IOC_ENABLE, err)
			    : counting_tasks_enable(c, true, err);
}

static int end(struct counting *c, struct cdict_error *err)
{
	int rc = 0;

	if (!c->o.machine)
		return counting_tasks_finish(c, err);
	for (size_t i = 0; i < c->groups.n && !rc; i++) {
		rc = finish_group(c, &c->groups.at[i]);
		if (rc == -ENOMEM)
			return cdict_fail_nomem(err);
		if (rc)
			return cdict_fail(err, rc, CDICT_NO_OFFSET, "CPU %d: %s",
					  c->groups.at[i].cpu, strerror(-rc));
	}
	return rc;
}

int counting_run(struct counting *c, struct cdict_error *err)
{
	uint64_t began;
	sigset_t set, old;
	int rc;

	block(&old, &set);
	rc = begin(c, &old, err);
	if (!rc) {
		if (c->workload.pid)
			workload_go(&c->workload);
		began = monotonic_ns();
		wait_end(c, &set, c->o.seconds > 0 ? began + (uint64_t)(c->o.seconds * 1e9) : 0);
		rc = c->o.machine ? control(c, PERF_EVENT_IOC_DISABLE, err)
				  : counting_tasks_enable(c, false, err);
		c->length_ns = monotonic_ns() - began;
	}
	if (c->workload.pid)
		workload_end(&c->workload);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc ? rc : end(c, err);
}
