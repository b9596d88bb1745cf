/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fleetload FROM STORE JOB[,JOB...] HOSTS BUCKETS WORKERS VARIANTS [SPREAD_MS] - pushes as many hosts would.
 *
 * Job 2001 of the folder FROM has the values of real captures; those of half a second and more are pushed under
 * HOSTS names, each host into one of the jobs, over connections of its own as `cdict record --push` has them.
 * VARIANTS differ in the names of their VMs: no more hosts than that have values of their own.
 *
 * With SPREAD_MS it goes at real pace: a bucket a second ends for all hosts at once, and each pushes it at a moment of
 * its own within that time, as recorders do that look once a second.  Else as fast as the store takes them.
 *
 * Prints one object of JSON.  lag_*: from the bucket's end to stored; wait_*: from when it was due to stored.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory/array.h"
#include "query/fleet/figures/hosts.h"
#include "query/fleet/values/value.h"

#define SECOND UINT64_C(1000000000)
#define FROM_NS (UINT64_C(1763900000) * SECOND)
enum { JOBS_MOST = 16 };

struct template
{
	struct fleet_rows rows;
	struct fleet_window window;
};

/* Shared by the workers and their parent. */
struct times {
	uint32_t lag_us, wait_us;
};
struct common {
	uint64_t begin_ns; /* 0: not yet */
	unsigned ready;
	struct times times[];
};

static ARRAY(struct template) templates;
static struct buf *values; /* by variant and bucket */
static uint64_t *events;
static char *jobs[JOBS_MOST];
static unsigned n_jobs, hosts, buckets, workers, variants, spread_ms;
static bool paced;
static struct common *common;

static void die(const char *what, const struct cdict_error *err)
{
	fprintf(stderr, "fleetload: %s%s%s\n", what, err ? ": " : "", err ? err->text : "");
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static void until_ns(uint64_t at)
{
	struct timespec t = { (time_t)(at / SECOND), (long)(at % SECOND) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL))
		;
}

/* ---- pushed values ---- */

static int hear_value(void *ctx, const char *name, const void *data, size_t size)
{
	struct template *t = array_add(&templates);
	struct cdict_error err = { 0 };

	(void)ctx;
	if (!t || fleet_value_decode(&t->rows, data, size, &t->window, &err))
		die(name, &err);
	if (t->window.window_ns < SECOND / 2) {
		fleet_rows_fini(&t->rows);
		templates.n--;
	}
	return 0;
}

struct reading {
	struct store *st;
};

static int hear_shelf(void *ctx, const char *shelf, uint64_t n)
{
	struct reading *r = ctx;
	struct cdict_error err = { 0 };

	(void)n;
	if (!strncmp(shelf, FLEET_SHELF_HOST, strlen(FLEET_SHELF_HOST)) &&
	    store_values(r->st, "2001", shelf, hear_value, NULL, &err))
		die(shelf, &err);
	return 0;
}

static void read_templates(const char *from)
{
	struct cdict_error err = { 0 };
	struct reading r;

	if (store_open(&r.st, from, NULL, &err) ||
	    store_shelves(r.st, "2001", hear_shelf, &r, &err))
		die(from, &err);
	store_close(r.st);
	if (!templates.n)
		die("there are no values of half a second", NULL);
}

/* A template's rows with VMs of the variant's own. */
static void encode(unsigned variant, unsigned bucket)
{
	const struct template *t = &templates.at[(variant * 7 + bucket) % templates.n];
	size_t at = (size_t)variant * buckets + bucket;
	struct fleet_window window = t->window;
	struct cdict_error err = { 0 };
	struct fleet_rows rows = { 0 };
	char vm[256];

	for (int kind = 0; kind < FLEET_OF_CAPTURES; kind++) {
		for (size_t i = 0; i < t->rows.of[kind].n; i++) {
			const struct fleet_row *row = &t->rows.of[kind].at[i];
			struct fleet_key key = row->key;

			if (key.vm) {
				snprintf(vm, sizeof(vm), "h%u-%.200s", variant, key.vm);
				key.vm = vm;
			}
			if (fleet_rows_add(&rows, (enum fleet_kind)kind, &key, row->any, row->lossy,
					   row->lacks, &err))
				die("a row", &err);
		}
	}
	window.from_ns = FROM_NS + bucket * SECOND;
	window.clocked = true;
	events[at] = window.events;
	if (fleet_value_encode(&values[at], &rows, &window, &err))
		die("a value", &err);
	fleet_rows_fini(&rows);
}

static void encode_all(void)
{
	values = calloc((size_t)variants * buckets, sizeof(*values));
	events = calloc((size_t)variants * buckets, sizeof(*events));
	if (!values || !events)
		die("out of memory", NULL);
	for (unsigned v = 0; v < variants; v++)
		for (unsigned b = 0; b < buckets; b++)
			encode(v, b);
}

/* ---- a worker: every so manieth host ---- */

static void push(struct store *st, unsigned host, unsigned bucket, uint64_t end_ns, uint64_t due_ns)
{
	const struct buf *value = &values[(size_t)(host % variants) * buckets + bucket];
	struct times *times = &common->times[(size_t)host * buckets + bucket];
	char shelf[STORE_NAME_MOST + 1], name[64];
	struct cdict_error err = { 0 };
	uint64_t now;
	bool added;

	snprintf(shelf, sizeof(shelf), "%shost-%05u", FLEET_SHELF_HOST, host);
	snprintf(name, sizeof(name), "%016x.%" PRIu64, host + 1, FROM_NS / SECOND + bucket);
	if (store_put(st, jobs[host % n_jobs], shelf, name, value->data, value->len, &added, &err))
		die(shelf, &err);
	if (!added)
		die("a value was there before", NULL);
	now = now_ns();
	times->lag_us = (uint32_t)((now - end_ns) / 1000);
	times->wait_us = (uint32_t)((now - due_ns) / 1000);
}

static void work(const char *where, unsigned worker)
{
	struct store **stores = calloc(hosts, sizeof(struct store *));
	struct cdict_error err = { 0 };
	struct fleet_job job;

	if (!stores)
		die("out of memory", NULL);
	for (unsigned h = worker; h < hosts; h += workers) {
		if (store_open(&stores[h], where, getenv("REDISCLI_AUTH"), &err) ||
		    store_get(stores[h], jobs[h % n_jobs], &job, &err))
			die(where, &err);
	}
	__atomic_add_fetch(&common->ready, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&common->begin_ns, __ATOMIC_SEQ_CST))
		until_ns(now_ns() + 1000000);
	for (unsigned b = 0; b < buckets; b++) {
		uint64_t end = common->begin_ns + (b + 1) * SECOND;

		for (unsigned h = worker; h < hosts; h += workers) {
			uint64_t due = end + h * (spread_ms * UINT64_C(1000000) / hosts);

			if (paced)
				until_ns(due);
			else
				end = due = now_ns();
			push(stores[h], h, b, end, due);
		}
	}
	for (unsigned h = worker; h < hosts; h += workers)
		store_close(stores[h]);
	free(stores);
}

static void run(const char *where)
{
	bool failed = false;
	int status;

	fflush(NULL);
	for (unsigned w = 0; w < workers; w++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork", NULL);
		if (!pid) {
			work(where, w);
			_exit(0);
		}
	}
	while (__atomic_load_n(&common->ready, __ATOMIC_SEQ_CST) < workers && !failed) {
		failed = waitpid(-1, &status, WNOHANG) > 0;
		until_ns(now_ns() + 1000000);
	}
	__atomic_store_n(&common->begin_ns, now_ns(), __ATOMIC_SEQ_CST);
	while (wait(&status) > 0)
		failed |= !WIFEXITED(status) || WEXITSTATUS(status);
	if (failed)
		die("a worker failed", NULL);
}

/* ---- what came of it ---- */

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void print_times(const char *what, uint32_t *us, size_t n)
{
	qsort(us, n, sizeof(*us), by_size);
	printf(", \"%s_p50_ms\": %.3f, \"%s_p99_ms\": %.3f, \"%s_max_ms\": %.3f", what,
	       us[n / 2] / 1e3, what, us[(n - 1) * 99 / 100] / 1e3, what, us[n - 1] / 1e3);
}

static void print(uint64_t ns)
{
	size_t n = (size_t)hosts * buckets;
	uint32_t *us = calloc(n, sizeof(*us));
	uint64_t bytes = 0, all = 0;

	if (!us)
		die("out of memory", NULL);
	for (unsigned h = 0; h < hosts; h++) {
		for (unsigned b = 0; b < buckets; b++) {
			bytes += values[(size_t)(h % variants) * buckets + b].len;
			all += events[(size_t)(h % variants) * buckets + b];
		}
	}
	printf("{\"pushes\": %zu, \"seconds\": %.3f, \"pushes_per_s\": %.1f, \"value_bytes\": %" PRIu64
	       ", \"events\": %" PRIu64,
	       n, (double)ns / 1e9, (double)n * 1e9 / (double)ns, bytes, all);
	for (size_t i = 0; i < n; i++)
		us[i] = common->times[i].wait_us;
	print_times("wait", us, n);
	for (size_t i = 0; i < n && paced; i++)
		us[i] = common->times[i].lag_us;
	if (paced)
		print_times("lag", us, n);
	printf("}\n");
	free(us);
}

static unsigned number(const char *text, unsigned least)
{
	unsigned long n = strtoul(text, NULL, 10);

	if (n < least || n > 1000000)
		die("a number is wrong", NULL);
	return (unsigned)n;
}

int main(int argc, char **argv)
{
	size_t size;

	if (argc != 8 && argc != 9) {
		fprintf(stderr, "usage: fleetload FROM STORE JOB[,JOB...] HOSTS BUCKETS WORKERS "
				"VARIANTS [SPREAD_MS]\n");
		return 129;
	}
	for (char *job = strtok(argv[3], ","); job && n_jobs < JOBS_MOST; job = strtok(NULL, ","))
		jobs[n_jobs++] = job;
	hosts = number(argv[4], 1);
	buckets = number(argv[5], 1);
	workers = number(argv[6], 1);
	variants = number(argv[7], 1);
	paced = argc == 9;
	spread_ms = paced ? number(argv[8], 0) : 0;
	variants = variants < hosts ? variants : hosts;
	if (!n_jobs)
		die("no job", NULL);
	size = sizeof(*common) + (size_t)hosts * buckets * sizeof(*common->times);
	common = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (common == MAP_FAILED)
		die("out of memory", NULL);
	read_templates(argv[1]);
	encode_all();
	run(argv[2]);
	print(now_ns() - common->begin_ns);
	for (size_t i = 0; i < (size_t)variants * buckets; i++)
		buf_fini(&values[i]);
	for (size_t i = 0; i < templates.n; i++)
		fleet_rows_fini(&templates.at[i].rows);
	array_fini(&templates);
	free(values);
	free(events);
	munmap(common, size);
	return 0;
}
