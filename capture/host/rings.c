/* SPDX-License-Identifier: GPL-2.0-only */
/* Ring buffers, by libperf. */
#include "capture/host/rings.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <perf/cpumap.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/mmap.h>
#include <perf/threadmap.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "capture/host/events.h"
#include "capture/host/permit.h"

#define FORMAT_LOST UINT64_C(0x10) /* PERF_FORMAT_LOST of Linux 6.0 */

/* The reader is woken after this many bytes, however large the ring: the rest is room until the
 * reader runs. */
#define WAKEUP_BYTES ((size_t)1 << 20)

/* In every libperf, but in no public header; a shared one may not export it. */
int perf_evsel__apply_filter(struct perf_evsel *evsel, const char *filter) __attribute__((weak));

struct rings {
	struct perf_evlist *evlist;
	struct perf_evsel *tasks;    /* the dummy event that carries FORK, COMM, EXIT */
	struct perf_evsel *switches; /* sched_switch, or NULL */
	struct perf_evsel **evsels;
	size_t n_evsels;
	bool *sums;   /* by event: its count is not its number of samples (but nanoseconds) */
	int *sampled; /* by event: no tracepoint, with this type in the schema; or -1 */
	uint32_t *cpus;
	size_t n_cpus;
	size_t bytes;
	bool counts_lost, on_exec;
	size_t n_threads;
	atomic_bool polls; /* a descriptor is left to poll */
};

bool rings_can_filter(void)
{
	return perf_evsel__apply_filter != NULL;
}

/* Otherwise libperf writes to stderr; libperf_init() also reads the page size. */
static int silent(enum libperf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

static void init_libperf(void)
{
	libperf_init(silent);
}

static void fill_attr(struct perf_event_attr *attr, const struct rings_options *o, bool lost,
		      bool sampled)
{
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.sample_period = 1,
		.sample_type =
			PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW |
			(sampled ? PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP : 0) |
			(o->stacks ? PERF_SAMPLE_CALLCHAIN : 0) |
			(o->stack_bytes ? PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER : 0) |
			(o->cgroups ? PERF_SAMPLE_CGROUP : 0),
		.read_format = PERF_FORMAT_ID | (lost ? FORMAT_LOST : 0),
		.disabled = 1,
		.sample_id_all = 1,
		.watermark = 1,
		.wakeup_watermark =
			(uint32_t)(o->bytes / 4 < WAKEUP_BYTES ? o->bytes / 4 : WAKEUP_BYTES),
		.use_clockid = o->use_clockid,
		.clockid = o->use_clockid ? o->clockid : 0,
		.inherit = o->tids && !o->no_inherit,
		.exclude_callchain_kernel = o->no_kernel_stacks,
		.exclude_callchain_user = o->no_user_stacks || o->stack_bytes,
		.sample_regs_user = o->stack_bytes ? o->user_regs : 0,
		.sample_stack_user = o->stack_bytes,
		.sample_max_stack = o->max_stack,
	};
}

/* The part of an attribute that says what is counted, and how often it is sampled. */
static void fill_sampled(struct perf_event_attr *attr, const struct perf_event_attr *of,
			 bool on_exec)
{
	attr->enable_on_exec = on_exec;
	attr->type = of->type;
	attr->config = of->config;
	attr->config1 = of->config1;
	attr->config2 = of->config2;
	attr->freq = of->freq;
	/* With a fixed period, the kernel (perf_swevent_event()) makes a sample of each software event if the
	 * period is asked for: the address of the data, which takes the same place, is not used. */
	if (!of->freq)
		attr->sample_type ^= PERF_SAMPLE_PERIOD | PERF_SAMPLE_ADDR;
	attr->sample_period = of->sample_period; /* or sample_freq: a union */
	attr->precise_ip = of->precise_ip;
	attr->pinned = of->pinned;
	attr->exclusive = of->exclusive;
	attr->exclude_user = of->exclude_user;
	attr->exclude_kernel = of->exclude_kernel;
	attr->exclude_hv = of->exclude_hv;
	attr->exclude_idle = of->exclude_idle;
	attr->exclude_host = of->exclude_host;
	attr->exclude_guest = of->exclude_guest;
}

static void fill_tracepoint(struct perf_event_attr *attr, const struct chosen *ev)
{
	attr->type = PERF_TYPE_TRACEPOINT;
	attr->config = ev->id;
	attr->exclude_user = !!(ev->not &CHOICE_NOT_USER);
	attr->exclude_kernel = !!(ev->not &CHOICE_NOT_KERNEL);
	attr->exclude_hv = !!(ev->not &CHOICE_NOT_HV);
	attr->exclude_host = !!(ev->not &CHOICE_NOT_HOST);
	attr->exclude_guest = !!(ev->not &CHOICE_NOT_GUEST);
}

static int add_event(struct rings *r, const struct perf_event_attr *attr)
{
	struct perf_evsel *evsel = perf_evsel__new((struct perf_event_attr *)attr);

	if (!evsel)
		return -ENOMEM;
	perf_evlist__add(r->evlist, evsel);
	r->evsels[r->n_evsels++] = evsel;
	return 0;
}

/* Makes libperf's CPU map, from text. */
static struct perf_cpu_map *cpu_map(const struct rings_options *o)
{
	struct perf_cpu_map *map;
	struct buf text = { 0 };

	for (size_t i = 0; i < o->n_cpus; i++)
		buf_printf(&text, "%s%d", i ? "," : "", o->cpus[i]);
	buf_u8(&text, 0);
	map = text.failed ? NULL : perf_cpu_map__new((const char *)text.data);
	buf_fini(&text);
	return map;
}

/* The threads that still exist, or all tasks; NULL: out of memory, or no thread exists. */
/* Whether events of @tid can be opened: a zombie is in /proc, but the kernel finds only tasks that do not exit
 * (find_lively_task_by_vpid() in kernel/events/core.c). Other errors are those of the events. */
static bool is_alive(pid_t tid)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_DUMMY,
					.disabled = 1,
					.exclude_kernel = 1 };
	int fd = event_open(&attr, tid, -1, -1);

	if (fd < 0)
		return errno != ESRCH;
	close(fd);
	return true;
}

static struct perf_thread_map *thread_map(struct rings *r, const struct rings_options *o)
{
	struct perf_thread_map *map = NULL;
	pid_t *there;
	int n = 0;

	r->n_threads = 1;
	if (!o->tids) {
		map = perf_thread_map__new_dummy();
		if (map)
			perf_thread_map__set_pid(map, 0, -1);
		return map;
	}
	there = calloc(o->n_tids, sizeof(*there));
	for (size_t i = 0; there && i < o->n_tids; i++)
		if (is_alive(o->tids[i]))
			there[n++] = o->tids[i];
	if (n)
		map = perf_thread_map__new_array(n, there);
	r->n_threads = (size_t)n;
	free(there);
	return map;
}

static int make_evlist(struct rings *r, const struct choice *choice, const struct rings_options *o)
{
	struct perf_thread_map *threads = NULL;
	struct perf_cpu_map *cpus = NULL;
	struct perf_event_attr attr;
	int ret = -ENOMEM;

	r->evlist = perf_evlist__new();
	r->evsels = calloc(choice->events.n + 1, sizeof(*r->evsels));
	r->sums = calloc(choice->events.n + 1, sizeof(*r->sums));
	r->sampled = calloc(choice->events.n + 1, sizeof(*r->sampled));
	if (!r->evlist || !r->evsels || !r->sums || !r->sampled)
		return -ENOMEM;
	r->sampled[0] = -1;
	fill_attr(&attr, o, r->counts_lost, choice->n_sampled);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.task = attr.comm = attr.comm_exec = 1;
	attr.mmap = attr.mmap2 = o->stacks;
	attr.cgroup = o->cgroups;
	if (add_event(r, &attr))
		return -ENOMEM;
	r->tasks = r->evsels[0];
	for (size_t i = 0; i < choice->events.n; i++) {
		const struct chosen *ev = &choice->events.at[i];

		fill_attr(&attr, o, r->counts_lost, choice->n_sampled);
		if (ev->sampled)
			fill_sampled(&attr, &ev->attr, o->on_exec);
		else
			fill_tracepoint(&attr, ev);
		r->sampled[r->n_evsels] = ev->sampled ? ev->type : -1;
		r->sums[r->n_evsels] = ev->sampled || strstr(ev->name, ":sched_stat_");
		if (add_event(r, &attr))
			return -ENOMEM;
		if (!strcmp(ev->name, "sched:sched_switch"))
			r->switches = r->evsels[r->n_evsels - 1];
	}
	cpus = cpu_map(o);
	threads = thread_map(r, o);
	if (!r->n_threads)
		ret = -ESRCH;
	if (cpus && threads && (size_t)perf_cpu_map__nr(cpus) == o->n_cpus) {
		perf_evlist__set_maps(r->evlist, cpus, threads);
		ret = 0;
	}
	/* The list holds its own references. */
	perf_cpu_map__put(cpus);
	perf_thread_map__put(threads);
	return ret;
}

static void drop_evlist(struct rings *r)
{
	if (r->evlist)
		perf_evlist__delete(r->evlist); /* unmaps, closes and deletes the events */
	free(r->evsels);
	free(r->sums);
	free(r->sampled);
	r->evlist = NULL;
	r->evsels = NULL;
	r->switches = NULL;
	r->sums = NULL;
	r->sampled = NULL;
	r->n_evsels = 0;
}

static int filter_events(struct rings *r, const struct choice *choice,
			 const struct rings_options *o, struct cdict_error *err)
{
	for (size_t i = 0; i < choice->events.n; i++) {
		const struct chosen *ev = &choice->events.at[i];
		struct buf text = { 0 };
		bool short_of; /* out of memory */
		int ret = 0;

		if (ev->sampled)
			continue;
		choice_full_filter(ev, o->own, o->foreign_pids ? 0 : o->n_own, &text);
		buf_u8(&text, 0);
		if (text.failed)
			ret = -ENOMEM;
		else if (text.len > 1 && rings_can_filter())
			ret = perf_evsel__apply_filter(r->evsels[i + 1], (char *)text.data);
		short_of = text.failed || (ret < 0 && errno == ENOMEM);
		/* Try without the recorder's exclusion, which is optional. */
		if (ret < 0 && !short_of && ev->filter)
			ret = perf_evsel__apply_filter(r->evsels[i + 1], ev->filter);
		else if (ret < 0 && !short_of)
			ret = 0;
		buf_fini(&text);
		if (short_of || (ret < 0 && errno == ENOMEM))
			return cdict_fail_nomem(err);
		if (ret < 0)
			return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					  "the kernel rejects the filter '%s' for %s: %s",
					  ev->filter, ev->name, strerror(errno));
	}
	return 0;
}

static int open_error(int code, const struct choice *choice, struct cdict_error *err)
{
	switch (code) {
	case -ENOMEM:
		return cdict_fail_nomem(err);
	case -EMFILE:
	case -ENFILE:
		return cdict_fail(err, code, CDICT_NO_OFFSET,
				  "too many open files for %zu events on each CPU: raise ulimit -n",
				  choice->events.n + 1);
	case -ESRCH:
		return cdict_fail(err, code, CDICT_NO_OFFSET,
				  "the tasks to be recorded have already exited");
	case -EPERM:
	case -EACCES:
		return permit_explain(code, err);
	default:
		return cdict_fail(err, code, CDICT_NO_OFFSET, "cannot open the events: %s",
				  strerror(-code));
	}
}

static int try_open(struct rings *r, const struct choice *choice, const struct rings_options *o,
		    struct cdict_error *err)
{
	int ret = make_evlist(r, choice, o);

	if (!ret)
		ret = perf_evlist__open(r->evlist);
	if (ret == -EINVAL && r->counts_lost) {
		r->counts_lost = false; /* before Linux 6.0 */
		drop_evlist(r);
		return try_open(r, choice, o, err);
	}
	/* One of them ended just now: retry with the others. */
	if (ret == -ESRCH && o->tids && r->n_threads) {
		drop_evlist(r);
		return try_open(r, choice, o, err);
	}
	if (ret)
		return open_error(ret, choice, err);
	ret = filter_events(r, choice, o, err);
	if (ret)
		return ret;
	errno = 0;
	if (perf_evlist__mmap(r->evlist, (int)(o->bytes / (size_t)sysconf(_SC_PAGESIZE))))
		return cdict_fail(err, errno == EPERM || errno == ENOMEM ? -ENOBUFS : -EIO,
				  CDICT_NO_OFFSET, "cannot map ring buffers of %zu KiB: %s",
				  o->bytes >> 10, strerror(errno ? errno : EIO));
	return 0;
}

int rings_open(struct rings **out, const struct choice *choice, const struct rings_options *opts,
	       struct cdict_error *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct rings *r = calloc(1, sizeof(*r));
	int ret = -ENOMEM;

	pthread_once(&once, init_libperf);
	*out = NULL;
	if (r)
		r->cpus = calloc(opts->n_cpus, sizeof(*r->cpus));
	if (!r || !r->cpus) {
		rings_close(r);
		return cdict_fail_nomem(err);
	}
	for (size_t i = 0; i < opts->n_cpus; i++)
		r->cpus[i] = (uint32_t)opts->cpus[i];
	r->n_cpus = opts->n_cpus;
	r->bytes = opts->bytes;
	r->counts_lost = true;
	r->on_exec = opts->on_exec;
	r->polls = true;
	ret = try_open(r, choice, opts, err);
	if (ret)
		rings_close(r);
	else
		*out = r;
	return ret;
}

void rings_close(struct rings *r)
{
	if (!r)
		return;
	drop_evlist(r);
	free(r->cpus);
	free(r);
}

void rings_watch_tasks(struct rings *r)
{
	perf_evsel__enable(r->tasks);
}

bool rings_watch_switches(struct rings *r)
{
	return r->switches && !perf_evsel__enable(r->switches);
}

void rings_enable(struct rings *r)
{
	for (size_t i = 0; i < r->n_evsels && r->on_exec; i++)
		if (r->sampled[i] < 0)
			perf_evsel__enable(r->evsels[i]);
	if (!r->on_exec)
		perf_evlist__enable(r->evlist);
}

void rings_disable(struct rings *r)
{
	perf_evlist__disable(r->evlist);
}

bool rings_wait(struct rings *r, int timeout_ms)
{
	struct timespec ts = { .tv_sec = timeout_ms / 1000,
			       .tv_nsec = timeout_ms % 1000 * 1000000L };
	int n;

	if (!r->polls) {
		nanosleep(&ts, NULL);
		return false;
	}
	n = perf_evlist__poll(r->evlist, timeout_ms);
	/* The events of an offline CPU report POLLHUP; if kept in the list, poll() would not
	 * sleep. */
	if (n > 0 && perf_evlist__filter_pollfd(r->evlist, POLLERR | POLLHUP) == 0)
		r->polls = false;
	return n > 0;
}

uint64_t rings_read(struct rings *r, rings_fn fn, void *ctx)
{
	struct perf_mmap *map;
	uint64_t all = 0;
	size_t i = 0;

	perf_evlist__for_each_mmap(r->evlist, map, false)
	{
		uint32_t cpu = r->cpus[i < r->n_cpus ? i : r->n_cpus - 1];
		size_t given = 0, bytes = 0;
		union perf_event *event;

		i++;
		if (perf_mmap__read_init(map) < 0)
			continue;
		while (bytes < 2 * r->bytes && (event = perf_mmap__read_event(map))) {
			fn(ctx, cpu, &event->header);
			bytes += event->header.size;
			/* Release the space to the kernel early, but do not write to its page for
			 * every record. */
			if (bytes - given >= r->bytes / 16) {
				perf_mmap__consume(map);
				given = bytes;
			}
		}
		/* When its descriptors hung up, the call above may have unmapped it. */
		if (!bytes || given != bytes)
			perf_mmap__consume(map);
		all += bytes;
	}
	return all;
}

int rings_ids(struct rings *r, struct map *ids)
{
	for (size_t e = 0; e < r->n_evsels; e++) {
		for (size_t at = 0; r->sampled[e] >= 0 && at < r->n_cpus * r->n_threads; at++) {
			struct perf_counts_values values = { 0 };
			uint32_t *type;

			/* its CPU may have gone offline */
			if (perf_evsel__read(r->evsels[e], (int)(at / r->n_threads),
					     (int)(at % r->n_threads), &values) < 0)
				continue;
			type = map_add(ids, values.id, 0);
			if (!type)
				return -ENOMEM;
			*type = (uint32_t)r->sampled[e];
		}
	}
	return 0;
}

bool rings_over(const struct rings *r)
{
	return !atomic_load(&r->polls);
}

size_t rings_cpus(const struct rings *r)
{
	return r->n_cpus;
}

uint32_t rings_cpu(const struct rings *r, size_t i)
{
	return r->cpus[i];
}

bool rings_count(struct rings *r, size_t i, uint64_t *lost, bool *has_lost, uint64_t *events)
{
	*lost = *events = 0;
	*has_lost = r->counts_lost;
	for (size_t e = 0; e < r->n_evsels; e++) {
		for (size_t t = 0; t < r->n_threads; t++) {
			struct perf_counts_values values = { 0 };

			if (perf_evsel__read(r->evsels[e], (int)i, (int)t, &values) < 0)
				return false;
			*lost += r->counts_lost ? values.lost : 0;
			if (!r->sums[e])
				*events += values.val;
		}
	}
	return true;
}
