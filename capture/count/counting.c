/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens the counters, and sums up the results. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/fail.h"
#include "capture/count/counting_internal.h"
#include "capture/host/host.h"
#include "capture/host/permit.h"
#include "capture/host/tracefs.h"

/* ---- opening ---- */

static int field_at(const char *format, const char *field, unsigned *at, unsigned *size)
{
	const char *p = strstr(format, field);

	p = p ? strstr(p, "offset:") : NULL;
	return p && sscanf(p, "offset:%u; size:%u", at, size) == 2 ? 0 : -EINVAL;
}

static int find_switch(struct counting *c, struct cdict_error *err)
{
	const struct chosen *ev;
	unsigned size[3], pid_size;
	int rc = choice_init(&c->choice, err);

	rc = rc ? rc : choice_add(&c->choice, "sched:sched_switch", err);
	if (rc)
		return rc;
	ev = &c->choice.events.at[0];
	c->switch_id = ev->id;
	if (field_at(ev->format, " prev_comm[", &c->prev_at, &size[0]) ||
	    field_at(ev->format, " next_comm[", &c->next_at, &size[1]) ||
	    field_at(ev->format, " next_pid;", &c->next_pid_at, &pid_size) ||
	    size[0] != COMM_SIZE || size[1] != COMM_SIZE || pid_size != 4)
		return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
				  "this kernel's sched:sched_switch lacks the expected fields");
	c->raw_size = c->next_at + COMM_SIZE;
	if (c->prev_at > c->next_at)
		c->raw_size = c->prev_at + COMM_SIZE;
	if (c->next_pid_at + 4 > c->raw_size)
		c->raw_size = c->next_pid_at + 4;
	return 0;
}

/* The event that choice_add() found by its full name; NULL: @name is a pattern. */
static const struct chosen *chosen_of(const struct counting *c, const char *name)
{
	for (size_t i = 0; i < c->choice.events.n; i++) {
		if (!strcmp(c->choice.events.at[i].name, name))
			return &c->choice.events.at[i];
	}
	return NULL;
}

static int add_event(struct counting *c, const char *name, struct cdict_error *err)
{
	struct perf_event_attr attr = { 0 };
	const struct chosen *chosen;
	struct counting_event *ev;
	int rc;

	if (c->n_events == COUNTING_EVENTS_MOST)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "more than %d events",
				  COUNTING_EVENTS_MOST);
	for (size_t i = 0; i < c->n_events; i++) {
		if (!strcmp(c->events[i].name, name))
			return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					  "event '%s' is given twice", name);
	}
	ev = &c->events[c->n_events];
	*ev = (struct counting_event){ .name = name };
	if (counting_event_known(name, &attr)) {
		ev->type = attr.type;
		ev->config = attr.config;
		ev->config1 = attr.config1;
		ev->config2 = attr.config2;
		ev->switches = attr.type == PERF_TYPE_SOFTWARE &&
			       attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES;
	} else if (strchr(name, ':')) {
		rc = choice_add(&c->choice, name, err);
		if (rc)
			return rc;
		chosen = chosen_of(c, name);
		if (!chosen)
			return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					  "'%s' is not a tracepoint's full name", name);
		ev->type = PERF_TYPE_TRACEPOINT;
		ev->config = chosen->id;
	} else {
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "unknown event '%s'; 'perf list hw sw cache tracepoint' "
				  "lists the events that can be counted",
				  name);
	}
	c->n_events++;
	return 0;
}

static int event_open(struct perf_event_attr *attr, int cpu, int group)
{
	return (int)syscall(SYS_perf_event_open, attr, -1, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

static struct perf_event_attr attr_of(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = type,
		.config = config,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
}

static int fail_open(const char *name, int code, struct cdict_error *err)
{
	if (code == EPERM || code == EACCES)
		return permit_explain(-code, err);
	if (code == ENOENT || code == EOPNOTSUPP || code == ENODEV || code == EINVAL ||
	    code == ENOSYS)
		return cdict_fail(err, -code, CDICT_NO_OFFSET,
				  "event '%s': this machine cannot count it", name);
	return cdict_fail(err, -code, CDICT_NO_OFFSET, "event '%s': %s", name, strerror(code));
}

/* Opens a leader with its ring; -ENODEV: the CPU is not online. */
static int open_group(struct counting *c, int cpu, size_t first, struct cdict_error *err)
{
	struct perf_event_attr attr = attr_of(PERF_TYPE_TRACEPOINT, c->switch_id);
	struct counting_group *g = array_add(&c->groups);
	void *ring;

	if (!g)
		return cdict_fail_nomem(err);
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_RAW;
	attr.disabled = 1;
	*g = (struct counting_group){ .cpu = cpu, .first = first };
	g->fd = event_open(&attr, cpu, -1);
	if (g->fd < 0)
		return errno == ENODEV ? -ENODEV : fail_open("sched:sched_switch", errno, err);
	ring = mmap(NULL, ring_size(), PROT_READ | PROT_WRITE, MAP_SHARED, g->fd, 0);
	if (ring == MAP_FAILED)
		return errno == EPERM
			       ? permit_explain(-errno, err)
			       : cdict_fail(err, -errno, CDICT_NO_OFFSET,
					    "cannot map the ring buffer: %s", strerror(errno));
	g->ring = ring;
	return 0;
}

static struct counting_group *last_group(struct counting *c)
{
	return &c->groups.at[c->groups.n - 1];
}

/* Opens it in the last group, or, when the CPU has no counter left for that group, in a new one
 * that is multiplexed with it. */
static int open_member(struct counting *c, int cpu, size_t event, struct cdict_error *err)
{
	const struct counting_event *ev = &c->events[event];
	struct perf_event_attr attr = attr_of(ev->type, ev->config);
	struct counting_group *g = last_group(c);
	int rc, fd = -1;

	attr.config1 = ev->config1;
	attr.config2 = ev->config2;

	if (!ev->switches) {
		fd = event_open(&attr, cpu, g->fd);
		if (fd < 0 && g->n && (errno == EINVAL || errno == ENOSPC)) {
			rc = open_group(c, cpu, event, err);
			if (rc)
				return rc;
			g = last_group(c);
			fd = event_open(&attr, cpu, g->fd);
		}
		if (fd < 0)
			return fail_open(ev->name, errno, err);
	}
	g->members[g->n++] = fd;
	return 0;
}

static int open_cpu(struct counting *c, int cpu, struct cdict_error *err)
{
	int rc = open_group(c, cpu, 0, err);

	if (rc == -ENODEV) { /* the CPU went offline meanwhile */
		c->groups.n--;
		return 0;
	}
	for (size_t i = 0; i < c->n_events && !rc; i++)
		rc = open_member(c, cpu, i, err);
	c->n_cpus++;
	return rc;
}

static int open_cpus(struct counting *c, struct cdict_error *err)
{
	int *online, n = host_cpus(&online, err), rc = n < 0 ? n : 0;

	for (int i = 0; i < n && !rc; i++)
		rc = open_cpu(c, online[i], err);
	free(online);
	if (!rc && !c->groups.n)
		rc = cdict_fail(err, -ENODEV, CDICT_NO_OFFSET, "no CPU is online");
	return rc;
}

int counting_open(struct counting **out, const char *const *events, size_t n,
		  struct cdict_error *err)
{
	struct counting *c = calloc(1, sizeof(*c));
	int rc = c ? find_switch(c, err) : cdict_fail_nomem(err);

	for (size_t i = 0; i < n && !rc; i++)
		rc = add_event(c, events[i], err);
	rc = rc ? rc : open_cpus(c, err);
	if (rc) {
		counting_close(c);
		c = NULL;
	}
	*out = c;
	return rc;
}

void counting_close(struct counting *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->groups.n; i++) {
		struct counting_group *g = &c->groups.at[i];

		for (size_t m = 0; m < g->n; m++) {
			if (g->members[m] >= 0)
				close(g->members[m]);
		}
		if (g->ring)
			munmap(g->ring, ring_size());
		if (g->fd >= 0)
			close(g->fd);
		array_fini(&g->counts);
	}
	array_fini(&c->groups);
	array_fini(&c->names);
	array_fini(&c->figures);
	map_fini(&c->numbers);
	stringset_fini(&c->texts);
	choice_fini(&c->choice);
	free(c);
}

struct counting_result counting_result(const struct counting *c)
{
	return (struct counting_result){
		.events = c->events,
		.n_events = c->n_events,
		.names = c->names.at,
		.n_names = c->names.n,
		.figures = c->figures.at,
		.switches = c->switches,
		.lost = c->lost,
		.cpus = c->n_cpus,
		.seconds = (double)c->length_ns / 1e9,
		.status = c->workload.ended ? workload_exit_status(&c->workload) : 0,
	};
}
