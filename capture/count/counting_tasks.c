/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the events of tasks and their children, by program.
 *
 * Each event is opened for each root task on each CPU, because the kernel maps a ring of inherited
 * events only by CPU. When a child ends, its counts come as PERF_RECORD_READ (inherit_stat); names
 * come as PERF_RECORD_FORK and COMM of a dummy event that carries the ring. What a root's descriptors
 * hold beyond its children's is the root's own, with what its living children have.
 *
 * The kernel may exchange the events of two tasks whose sets are clones of each other, so that a
 * child would hold a root's descriptors when it ends. The guard, an event that is not inherited, makes
 * a root's set different from all others. In the other exchanges it swaps the counts by position (for
 * inherit_stat), but a set's order is that of opening, and a copied set's is sorted: pinned events, then
 * others, by CPU. If a counted program runs perf stat, whose event is for any CPU, the orders differ, and
 * counts would move between events, ours and perf's. Pinned events stay in front; those of the kernel's
 * software can always be scheduled.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "base/fail.h"
#include "base/system/monotonic.h"
#include "capture/count/counting_internal.h"
#include "capture/host/events.h"
#include "capture/host/host.h"
#include "capture/host/rings.h"
#include "capture/host/tracefs.h"

/* Within the 516 KiB per CPU that a user may lock by default. */
#define TASK_RING_BYTES ((size_t)1 << 17)

/* ---- opening ---- */

/* Counted by the kernel, without a counter of the CPU. */
static bool is_software(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT;
}

static struct perf_event_attr common(const struct perf_event_attr *from)
{
	struct perf_event_attr attr = *from;

	attr.size = sizeof(attr);
	attr.pinned |= is_software(from);
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	attr.sample_id_all = 1;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			   PERF_FORMAT_ID;
	return attr;
}

static struct perf_event_attr dummy(void)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					      .config = PERF_COUNT_SW_DUMMY,
					      .exclude_kernel = 1,
					      .exclude_hv = 1 };

	return common(&attr);
}

static int open_carrier(struct counting *c, int32_t tid, size_t at, struct cdict_error *err)
{
	struct counting_tasks *t = &c->tasks;
	struct perf_event_attr attr = dummy();
	uint8_t *ring;
	int fd;

	attr.inherit = attr.comm = attr.task = 1;
	fd = event_open(&attr, tid, t->cpus[at], -1);
	if (fd < 0)
		return counting_fail_open("dummy", errno, err);
	if (array_push(&t->carriers, fd)) {
		close(fd);
		return cdict_fail_nomem(err);
	}
	if (t->rings.n > at) {
		if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, t->carriers.at[at]))
			return cdict_fail_errno(err, "perf_event_open: ring of a CPU");
		return 0;
	}
	ring = mmap(NULL, TASK_RING_BYTES + (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		return cdict_fail_errno(err, "cannot map the ring buffer");
	if (array_push(&t->rings, ring)) {
		munmap(ring, TASK_RING_BYTES + (size_t)sysconf(_SC_PAGESIZE));
		return cdict_fail_nomem(err);
	}
	return 0;
}

static int open_event(struct counting *c, int32_t tid, size_t at, size_t event,
		      struct cdict_error *err)
{
	struct counting_tasks *t = &c->tasks;
	struct perf_event_attr attr = common(&c->events[event].attr);
	uint32_t *number;
	uint64_t id;
	int fd;

	attr.inherit = 1;
	attr.inherit_stat = t->rings.n != 0;
	attr.disabled = 1;
	attr.enable_on_exec = c->o.command != NULL;
	fd = event_open(&attr, tid, t->cpus[at], -1);
	if (fd < 0)
		return counting_fail_open(c->events[event].name, errno, err);
	if (array_push(&t->fds, fd)) {
		close(fd);
		return cdict_fail_nomem(err);
	}
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) ||
	    (t->rings.n && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, t->carriers.at[at])))
		return cdict_fail_errno(err, "perf_event_open: ring of a CPU");
	number = map_add(&t->fd_by_id, id, 0);
	if (!number || array_resize(&t->read, t->fds.n))
		return cdict_fail_nomem(err);
	*number = (uint32_t)t->fds.n - 1;
	return 0;
}

static void name_task(struct counting *c, int32_t tid, uint32_t name)
{
	uint32_t *number = map_add(&c->tasks.names, (uint64_t)tid, 0);

	if (number)
		*number = name;
	c->failed |= !number;
}

static uint32_t comm_of(struct counting *c, int32_t tid)
{
	char path[64], *text;
	size_t len;
	uint32_t name;

	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	text = tracefs_read(path, &len);
	if (text)
		text[strcspn(text, "\n")] = 0;
	name = counting_name(c, text ? text : COUNTING_UNKNOWN, COMM_SIZE);
	free(text);
	return name;
}

static int open_root(struct counting *c, int32_t tid, struct cdict_error *err)
{
	struct counting_tasks *t = &c->tasks;
	struct perf_event_attr guard = dummy();
	struct counting_root *root = array_add(&t->roots);
	int rc = 0;

	if (!root)
		return cdict_fail_nomem(err);
	*root = (struct counting_root){ .tid = tid, .first = t->fds.n };
	root->guard = event_open(&guard, tid, -1, -1);
	if (root->guard < 0 && errno == ESRCH && !c->o.command) { /* the thread has ended */
		t->roots.n--;
		return 0;
	}
	if (root->guard < 0)
		return counting_fail_open("dummy", errno, err);
	root->name = comm_of(c, tid);
	name_task(c, tid, root->name);
	for (size_t cpu = 0; cpu < t->n_cpus && !rc; cpu++) {
		rc = t->cpus == &t->any_cpu ? 0 : open_carrier(c, tid, cpu, err);
		for (size_t i = 0; i < c->n_events && !rc; i++)
			rc = open_event(c, tid, cpu, i, err);
	}
	root->n = t->fds.n - root->first;
	if (rc == -ESRCH && !c->o.command) {
		for (size_t i = root->first; i < t->fds.n; i++)
			close(t->fds.at[i]);
		t->fds.n = root->first;
		close(root->guard);
		t->roots.n--;
		return 0;
	}
	return rc;
}

/* With too many threads for a descriptor per CPU, children count to the thread that started them. */
static void choose_cpus(struct counting *c, size_t n_roots, int n_online)
{
	struct rlimit limit;
	size_t want = n_roots * (size_t)n_online * (c->n_events + 1) + n_roots + 64;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < want) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	c->tasks.n_cpus = (size_t)n_online;
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= want)
		return;
	free(c->tasks.cpus);
	c->tasks.any_cpu = -1;
	c->tasks.cpus = &c->tasks.any_cpu;
	c->tasks.n_cpus = 1;
}

int counting_tasks_open(struct counting *c, struct cdict_error *err)
{
	const int32_t own = c->workload.pid;
	const int32_t *tids = c->o.command ? &own : c->o.tids;
	size_t n = c->o.command ? 1 : c->o.n_tids;
	int n_online = host_cpus(&c->tasks.cpus, err), rc = 0;

	if (n_online < 0)
		return n_online;
	c->n_cpus = (uint32_t)n_online;
	choose_cpus(c, n, n_online);
	for (size_t i = 0; i < n && !rc; i++)
		rc = open_root(c, tids[i], err);
	if (!rc && !c->tasks.roots.n)
		rc = cdict_fail(err, -ESRCH, CDICT_NO_OFFSET, "all threads have ended");
	return rc ? rc : c->failed ? cdict_fail_nomem(err) : 0;
}

void counting_tasks_fini(struct counting_tasks *t)
{
	for (size_t i = 0; i < t->rings.n; i++)
		munmap(t->rings.at[i], TASK_RING_BYTES + (size_t)sysconf(_SC_PAGESIZE));
	for (size_t i = 0; i < t->fds.n; i++)
		close(t->fds.at[i]);
	for (size_t i = 0; i < t->carriers.n; i++)
		close(t->carriers.at[i]);
	for (size_t i = 0; i < t->roots.n; i++) {
		if (t->roots.at[i].guard >= 0)
			close(t->roots.at[i].guard);
	}
	if (t->cpus != &t->any_cpu)
		free(t->cpus);
	array_fini(&t->rings);
	array_fini(&t->fds);
	array_fini(&t->carriers);
	array_fini(&t->roots);
	array_fini(&t->read);
	array_fini(&t->moments);
	array_fini(&t->sums);
	map_fini(&t->fd_by_id);
	map_fini(&t->names);
}

int counting_tasks_enable(struct counting *c, bool on, struct cdict_error *err)
{
	if (on && c->o.command)
		return 0; /* exec does it */
	for (size_t i = 0; i < c->tasks.fds.n; i++) {
		if (ioctl(c->tasks.fds.at[i], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
			  0))
			return cdict_fail_errno(err, "perf_event_open: cannot start or stop");
	}
	return 0;
}

bool counting_tasks_over(const struct counting *c)
{
	char path[64];

	if (c->o.machine)
		return false;
	for (size_t i = 0; i < c->tasks.roots.n; i++) {
		snprintf(path, sizeof(path), "/proc/%d", c->tasks.roots.at[i].tid);
		if (!access(path, F_OK))
			return false;
	}
	return true;
}

/* ---- reading ---- */

static void on_record(void *ctx, uint32_t type, struct cursor in)
{
	struct counting *c = ctx;
	struct counting_moment m = { .type = type };
	struct cursor trailer;
	const uint8_t *comm;
	uint32_t *number;

	if (type == PERF_RECORD_LOST) {
		cursor_skip(&in, 8);
		c->lost += cursor_u64(&in);
		return;
	}
	if ((type != PERF_RECORD_FORK && type != PERF_RECORD_COMM && type != PERF_RECORD_READ) ||
	    in.left < RING_TRAILER + 8)
		return;
	trailer = in;
	cursor_skip(&trailer, in.left - 8);
	m.t_ns = cursor_u64(&trailer);
	cursor_skip(&in, 4); /* pid */
	if (type == PERF_RECORD_FORK)
		cursor_skip(&in, 4); /* the parent's pid */
	m.tid = cursor_u32(&in);
	if (type == PERF_RECORD_FORK) {
		m.parent = cursor_u32(&in);
	} else if (type == PERF_RECORD_COMM) {
		size_t n = in.left - RING_TRAILER;

		comm = cursor_take(&in, n);
		m.number =
			comm ? counting_name(c, (const char *)comm, n < COMM_SIZE ? n : COMM_SIZE)
			     : 0;
	} else {
		m.value = cursor_u64(&in);
		m.enabled_ns = cursor_u64(&in);
		m.running_ns = cursor_u64(&in);
		number = map_find(&c->tasks.fd_by_id, cursor_u64(&in), 0);
		if (!number)
			return;
		m.number = *number;
	}
	if (cursor_ok(&in) && array_push(&c->tasks.moments, m))
		c->failed = true;
}

static void add_sum(struct counting_sum *to, uint64_t count, uint64_t enabled_ns,
		    uint64_t running_ns)
{
	to->count += count;
	to->enabled_ns += enabled_ns;
	to->running_ns += running_ns;
}

/* The sums of a program and the event of a descriptor; NULL and c->failed: out of memory. */
static struct counting_sum *sum_of(struct counting *c, uint32_t name, size_t fd)
{
	if (c->tasks.sums.n < ((size_t)name + 1) * c->n_events &&
	    array_resize(&c->tasks.sums, ((size_t)name + 1) * c->n_events)) {
		c->failed = true;
		return NULL;
	}
	return &c->tasks.sums.at[name * c->n_events + fd % c->n_events];
}

static void apply(struct counting *c, const struct counting_moment *m)
{
	struct counting_tasks *t = &c->tasks;
	uint32_t *known = map_find(&t->names, m->type == PERF_RECORD_FORK ? m->parent : m->tid, 0);
	struct counting_sum *sum;

	if (m->type == PERF_RECORD_COMM) {
		name_task(c, (int32_t)m->tid, m->number);
	} else if (m->type == PERF_RECORD_FORK) {
		if (known)
			name_task(c, (int32_t)m->tid, *known);
	} else {
		sum = sum_of(c,
			     known ? *known
				   : counting_name(c, COUNTING_UNKNOWN, sizeof(COUNTING_UNKNOWN)),
			     m->number);
		if (!sum)
			return;
		add_sum(sum, m->value, m->enabled_ns, m->running_ns);
		add_sum(&t->read.at[m->number], m->value, m->enabled_ns, m->running_ns);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct counting_moment *x = a, *y = b;

	return x->t_ns < y->t_ns ? -1 : x->t_ns > y->t_ns;
}

/* Records of one task are in several rings: they are used in time order, and only when each ring was
 * read once more after their time. */
void counting_tasks_drain(struct counting *c, bool end)
{
	struct counting_tasks *t = &c->tasks;
	uint64_t now_ns = monotonic_ns();
	size_t n = 0;

	for (size_t i = 0; i < t->rings.n; i++)
		counting_ring_read(t->rings.at[i], TASK_RING_BYTES, on_record, c);
	if (t->moments.n)
		qsort(t->moments.at, t->moments.n, sizeof(*t->moments.at), by_time);
	while (n < t->moments.n && (end || t->moments.at[n].t_ns < t->horizon_ns))
		apply(c, &t->moments.at[n++]);
	if (n)
		memmove(t->moments.at, t->moments.at + n,
			(t->moments.n - n) * sizeof(*t->moments.at));
	t->moments.n -= n;
	t->horizon_ns = now_ns;
}

/* ---- results ---- */

static uint64_t beyond(uint64_t all, uint64_t part)
{
	return all > part ? all - part : 0;
}

/* What a root's descriptors hold beyond its children's counts. */
static int finish_root(struct counting *c, const struct counting_root *root,
		       struct cdict_error *err)
{
	struct counting_tasks *t = &c->tasks;
	const uint32_t *name = map_find(&t->names, (uint64_t)root->tid, 0);

	for (size_t i = root->first; i < root->first + root->n; i++) {
		const struct counting_sum *of = &t->read.at[i];
		struct counting_sum *sum = sum_of(c, name ? *name : root->name, i);
		uint64_t raw[4];

		if (!sum)
			return cdict_fail_nomem(err);
		if (read(t->fds.at[i], raw, sizeof(raw)) != (ssize_t)sizeof(raw))
			return cdict_fail_errno(err, "cannot read a counter");
		add_sum(sum, beyond(raw[0], of->count), beyond(raw[1], of->enabled_ns),
			beyond(raw[2], of->running_ns));
	}
	return 0;
}

int counting_tasks_finish(struct counting *c, struct cdict_error *err)
{
	struct counting_tasks *t = &c->tasks;
	int rc = 0;

	counting_tasks_drain(c, true);
	for (size_t i = 0; i < t->roots.n && !rc; i++)
		rc = finish_root(c, &t->roots.at[i], err);
	if (rc)
		return rc;
	if (c->failed || array_resize(&c->figures, c->names.n * c->n_events) ||
	    array_resize(&t->sums, c->names.n * c->n_events))
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < t->sums.n; i++) {
		struct counting_event *ev = &c->events[i % c->n_events];
		const struct counting_sum *s = &t->sums.at[i];
		/* an event on a CPU is enabled, not running, while its task runs elsewhere */
		uint64_t enabled_ns = s->enabled_ns / t->n_cpus;
		bool whole = ev->attr.type == PERF_TYPE_SOFTWARE ||
			     ev->attr.type == PERF_TYPE_TRACEPOINT || s->running_ns >= enabled_ns ||
			     !s->running_ns;

		ev->enabled_ns += whole ? s->running_ns : enabled_ns;
		ev->running_ns += s->running_ns;
		c->figures.at[i] = (struct counting_figure){
			.count = s->count,
			.value = whole ? s->count
				       : (uint64_t)llround((double)s->count * (double)enabled_ns /
							   (double)s->running_ns),
		};
	}
	return 0;
}
