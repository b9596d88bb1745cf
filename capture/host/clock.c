/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads perf's clock. */
#include "capture/host/clock.h"

#include <linux/perf_event.h>
#include <perf/evsel.h>
#include <perf/threadmap.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

struct clock {
	struct perf_evsel *evsel;
	struct perf_thread_map *threads;
	struct perf_event_mmap_page *page;
	char name[16];
	bool use_clockid;
	int clockid;
};

struct clock *clock_open(bool use_clockid, int clockid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_period = 1,
		.comm = 1,
		.sample_id_all = 1,
		.exclude_kernel = 1,
		.use_clockid = use_clockid,
		.clockid = use_clockid ? clockid : 0,
	};
	struct clock *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->use_clockid = use_clockid;
	c->clockid = clockid;
	if (use_clockid)
		return c;
	prctl(PR_GET_NAME, c->name);
	c->evsel = perf_evsel__new(&attr);
	c->threads = perf_thread_map__new_dummy();
	if (c->threads)
		perf_thread_map__set_pid(c->threads, 0, 0); /* this thread */
	if (c->evsel && c->threads && !perf_evsel__open(c->evsel, NULL, c->threads) &&
	    !perf_evsel__mmap(c->evsel, 1))
		c->page = perf_evsel__mmap_base(c->evsel, 0, 0);
	if (!c->page) {
		clock_close(c);
		return NULL;
	}
	return c;
}

void clock_close(struct clock *c)
{
	if (!c)
		return;
	if (c->page)
		perf_evsel__munmap(c->evsel);
	if (c->evsel) {
		perf_evsel__close(c->evsel);
		perf_evsel__delete(c->evsel);
	}
	perf_thread_map__put(c->threads);
	free(c);
}

static uint64_t of_system(clockid_t id)
{
	struct timespec ts;

	return clock_gettime(id, &ts) ? 0 : (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

uint64_t clock_wall_ns(void)
{
	return of_system(CLOCK_REALTIME);
}

/* Copies from the ring, which may wrap. */
static void copy(const struct clock *c, uint64_t at, void *out, size_t n)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	const char *data = (const char *)c->page + size;

	for (size_t i = 0; i < n; i++)
		((char *)out)[i] = data[(at + i) & (size - 1)];
}

uint64_t clock_now(struct clock *c)
{
	struct perf_event_header h;
	uint64_t head, tail, now = 0;

	if (c->use_clockid)
		return of_system(c->clockid);
	prctl(PR_SET_NAME, c->name);
	head = __atomic_load_n(&c->page->data_head, __ATOMIC_ACQUIRE);
	for (tail = c->page->data_tail; tail + sizeof(h) <= head; tail += h.size) {
		copy(c, tail, &h, sizeof(h));
		if (h.size < sizeof(h))
			break;
		if (h.type == PERF_RECORD_COMM && h.size >= sizeof(h) + 8)
			copy(c, tail + h.size - 8, &now, 8);
	}
	__atomic_store_n(&c->page->data_tail, head, __ATOMIC_RELEASE);
	return now;
}

bool clock_pair(struct clock *c, uint64_t *wall_ns, uint64_t *clock_ns)
{
	uint64_t best = UINT64_MAX;

	/* Keep the tightest pair: least delay between the two readings. */
	for (int i = 0; i < 16; i++) {
		uint64_t before = clock_wall_ns(), now = clock_now(c);
		uint64_t after = clock_wall_ns();

		if (!now || after < before || after - before >= best)
			continue;
		best = after - before;
		*wall_ns = before + best / 2;
		*clock_ns = now;
	}
	return best != UINT64_MAX;
}

bool clock_conversion(const struct clock *c, struct clock_conversion *by)
{
	struct perf_event_mmap_page *page = c->page;
	uint32_t seq;
	bool known;

	if (!page)
		return false;
	do {
		seq = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		known = page->cap_user_time && page->cap_user_time_zero;
		*by = (struct clock_conversion){ page->time_zero, page->time_mult,
						 page->time_shift };
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while ((seq & 1) || __atomic_load_n(&page->lock, __ATOMIC_RELAXED) != seq);
	return known && by->mult && by->shift < 64;
}

#if defined(__x86_64__) || defined(__i386__)
/* The fences keep RDTSC from being executed earlier or later than it is written. */
static bool tsc_read(uint64_t *tsc)
{
	uint32_t low, high;

	__asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
	*tsc = (uint64_t)high << 32 | low;
	return true;
}
#else
static bool tsc_read(uint64_t *tsc)
{
	*tsc = 0;
	return false;
}
#endif

bool clock_tsc_pair(struct clock *c, struct clock_tsc_pair *pair)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 32; i++) {
		struct clock_tsc_pair now;

		if (!tsc_read(&now.before))
			return false;
		now.clock_ns = clock_now(c);
		tsc_read(&now.after);
		if (!now.clock_ns || now.after < now.before || now.after - now.before >= best)
			continue;
		best = now.after - now.before;
		*pair = now;
	}
	return best != UINT64_MAX;
}

static const struct {
	const char *name;
	int id;
} names[] = {
	{ "monotonic", CLOCK_MONOTONIC },
	{ "mono", CLOCK_MONOTONIC },
	{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
	{ "raw", CLOCK_MONOTONIC_RAW },
	{ "realtime", CLOCK_REALTIME },
	{ "real", CLOCK_REALTIME },
	{ "boottime", CLOCK_BOOTTIME },
	{ "boot", CLOCK_BOOTTIME },
	{ "tai", CLOCK_TAI },
};
#define N_NAMES (sizeof(names) / sizeof(names[0]))

bool clock_find(const char *name, int *clockid)
{
	if (!strncasecmp(name, "CLOCK_", 6))
		name += 6;
	for (size_t i = 0; i < N_NAMES; i++)
		if (!strcasecmp(names[i].name, name)) {
			*clockid = names[i].id;
			return true;
		}
	return false;
}
