/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens the counters, and sums up the results. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/fail.h"
#include "capture/count/counting_internal.h"
#include "capture/host/events.h"
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

	c->has_choice = !rc;
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

/* A tracepoint by its full name, and modifiers; *@out stays NULL: @name is a pattern. */
static int find_tracepoint(struct counting *c, const char *name, const struct chosen **out,
			   struct cdict_error *err)
{
	size_t n;
	int rc = c->has_choice ? 0 : choice_init(&c->choice, err);

	c->has_choice |= !rc;
	rc = rc ? rc : choice_add(&c->choice, name, err);
	for (size_t i = c->choice.last; !rc && i < c->choice.events.n; i++) {
		n = strlen(c->choice.events.at[i].name);
		if (!strncmp(c->choice.events.at[i].name, name, n) && (!name[n] || name[n] == ':'))
			*out = &c->choice.events.at[i];
	}
	return rc;
}

static int add_event(struct counting *c, const char *name, struct buf *unknown,
		     struct cdict_error *err)
{
	const struct chosen *chosen = NULL;
	struct counting_event *ev = &c->events[c->n_events];
	bool found;
	int rc = 0;

	if (c->n_events == COUNTING_EVENTS_MOST)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "more than %d events",
				  COUNTING_EVENTS_MOST);
	for (size_t i = 0; i < c->n_events; i++) {
		if (!strcmp(c->events[i].name, name))
			return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					  "event '%s' is given twice", name);
	}
	*ev = (struct counting_event){ .name = name };
	found = event_known(name, &ev->attr);
	ev->attr.precise_ip = 0; /* of samples */
	if (!found)
		ev->attr = (struct perf_event_attr){ 0 };
	ev->switches = found && ev->attr.type == PERF_TYPE_SOFTWARE &&
		       ev->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES;
	if (!found && strchr(name, ':') && !strchr(name, '/')) {
		rc = find_tracepoint(c, name, &chosen, err);
		if (rc == -EPERM || rc == -EACCES || rc == -ENOMEM)
			return rc;
		found = !rc && chosen;
		if (found) {
			ev->attr.type = PERF_TYPE_TRACEPOINT;
			ev->attr.config = chosen->id;
			ev->attr.exclude_user = chosen->not &CHOICE_NOT_USER ? 1 : 0;
			ev->attr.exclude_kernel = chosen->not &CHOICE_NOT_KERNEL ? 1 : 0;
			ev->attr.exclude_hv = chosen->not &CHOICE_NOT_HV ? 1 : 0;
			ev->attr.exclude_host = chosen->not &CHOICE_NOT_HOST ? 1 : 0;
			ev->attr.exclude_guest = chosen->not &CHOICE_NOT_GUEST ? 1 : 0;
		}
	}
	found = found || event_pfm(name, &ev->attr);
	if (found)
		c->n_events++;
	else
		buf_printf(unknown, "%s'%s'", unknown->len ? ", " : "", name);
	return 0;
}

/* Unknown events are listed together. */
static int add_events(struct counting *c, struct cdict_error *err)
{
	struct buf unknown = { 0 };
	int rc = 0;

	for (size_t i = 0; i < c->o.n && !rc; i++)
		rc = add_event(c, c->o.events[i], &unknown, err);
	if (!rc && unknown.failed)
		rc = cdict_fail_nomem(err);
	if (!rc && unknown.len)
		rc = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				"unknown event%s %.*s; 'perf list' lists the events that can be "
				"counted",
				memchr(unknown.data, ',', unknown.len) ? "s" : "", (int)unknown.len,
				(const char *)unknown.data);
	buf_fini(&unknown);
	return rc;
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

int counting_fail_open(const char *name, int code, struct cdict_error *err)
{
	if (code == EPERM || code == EACCES)
		return permit_explain(-code, err);
	if (event_is_uncountable(code))
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
	g->fd = event_open(&attr, -1, cpu, -1);
	if (g->fd < 0)
		return errno == ENODEV ? -ENODEV
				       : counting_fail_open("sched:sched_switch", errno, err);
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
	struct perf_event_attr attr = ev->attr;
	struct counting_group *g = last_group(c);
	int rc, fd = -1;

	attr.size = sizeof(attr);
	attr.read_format = attr_of(0, 0).read_format;
	if (!ev->switches) {
		fd = event_open(&attr, -1, cpu, g->fd);
		if (fd < 0 && g->n && (errno == EINVAL || errno == ENOSPC)) {
			rc = open_group(c, cpu, event, err);
			if (rc)
				return rc;
			g = last_group(c);
			fd = event_open(&attr, -1, cpu, g->fd);
		}
		if (fd < 0)
			return counting_fail_open(ev->name, errno, err);
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

static int fail_all(const struct counting *c, struct cdict_error *err)
{
	struct buf list = { 0 };
	int rc;

	for (size_t i = 0; i < c->uncountable.n; i++)
		buf_printf(&list, "%s'%s'", i ? ", " : "", c->uncountable.at[i]);
	rc = list.failed ? cdict_fail_nomem(err)
			 : cdict_fail(err, -ENOENT, CDICT_NO_OFFSET,
				      "events %.*s: this machine cannot count them", (int)list.len,
				      (const char *)list.data);
	buf_fini(&list);
	return rc;
}

/* Tries an event on this task, or on @cpu; a negative errno. */
static int try_event(struct counting *c, struct counting_event *ev, int cpu)
{
	return event_try(&ev->attr, c->o.machine ? -1 : 0, cpu,
			 c->o.machine ? NULL : &ev->user_only);
}

/* Moves events that this machine cannot count into a list of their own. */
static int drop_uncountable(struct counting *c, struct cdict_error *err)
{
	int *online = NULL, cpu = -1, fd, rc = 0;
	size_t n = 0;

	if (c->o.machine) {
		rc = host_cpus(&online, err);
		cpu = rc > 0 ? online[0] : -1;
		free(online);
		rc = rc < 0 ? rc : 0;
	}
	for (size_t i = 0; i < c->n_events && !rc; i++) {
		fd = try_event(c, &c->events[i], cpu);
		if (fd < 0 && !event_is_uncountable(-fd))
			rc = counting_fail_open(c->events[i].name, -fd, err);
		else if (fd < 0 && texts_add(&c->uncountable, c->events[i].name))
			rc = cdict_fail_nomem(err);
		else if (fd >= 0)
			c->events[n++] = c->events[i];
		if (fd >= 0)
			close(fd);
	}
	if (!rc && !n && c->n_events == 1)
		rc = counting_fail_open(c->events[0].name, ENOENT, err);
	else if (!rc && !n)
		rc = fail_all(c, err);
	c->n_events = n;
	return rc;
}

int counting_open(struct counting **out, const struct counting_options *o, struct cdict_error *err)
{
	struct counting *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return cdict_fail_nomem(err);
	c->o = *o;
	rc = o->machine ? find_switch(c, err) : 0;
	rc = rc ? rc : add_events(c, err);
	rc = rc ? rc : drop_uncountable(c, err);
	if (!rc && o->machine)
		rc = open_cpus(c, err);
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
	texts_fini(&c->uncountable);
	counting_tasks_fini(&c->tasks);
	if (c->has_choice)
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
		.uncountable = (const char *const *)c->uncountable.at,
		.n_uncountable = c->uncountable.n,
		.machine = c->o.machine,
		.switches = c->switches,
		.lost = c->lost,
		.cpus = c->n_cpus,
		.seconds = (double)c->length_ns / 1e9,
		.status = c->workload.ended && !c->workload.killed
				  ? workload_exit_status(&c->workload)
				  : 0,
	};
}
