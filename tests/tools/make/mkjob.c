/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mkjob STORE ID HOSTS BUCKETS [FIRST_NAME] - a job of made-up hosts, for tests that no recording
 * here is large enough for: each pushes BUCKETS buckets of a second, with four VMs of two vCPUs and
 * twenty tasks; every seventh host is noisy in the middle.  FIRST_NAME is the name of the first
 * host instead of host-0000.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/fleet/figures/hosts.h"
#include "query/fleet/values/value.h"

#define FROM_NS (UINT64_C(1763900000) * 1000000000)
#define SECOND UINT64_C(1000000000)
enum { CPUS = 16, TASKS = 20, VMS = 4, VCPUS = 2 };

static uint64_t seed = 42;

static uint64_t upto(uint64_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (seed >> 33) % n;
}

static void die(const struct cdict_error *err)
{
	fprintf(stderr, "mkjob: %s\n", err->text);
	exit(1);
}

static void add(struct fleet_rows *rows, enum fleet_kind kind, const struct fleet_key *key,
		union fleet_any *any)
{
	struct cdict_error err = { 0 };

	if (fleet_rows_add(rows, kind, key, any, false, 0, &err))
		die(&err);
	fleet_any_fini(kind, any);
}

static void tasks(struct fleet_rows *rows, unsigned noise)
{
	char name[32];

	for (unsigned i = 0; i < TASKS; i++) {
		struct fleet_key key = { .name = name, .vcpu = -1 };
		union fleet_any any;

		memset(&any, 0, sizeof(any));
		snprintf(name, sizeof(name), "worker-%u", i);
		any.task.run_ns = upto(SECOND / 2) * (1 + noise);
		any.task.switches = upto(400) * (1 + noise);
		any.task.delayed_ns = any.task.off_ns[ANALYZE_OFF_PREEMPTED] =
			upto(SECOND / 100) * (1 + 9 * noise);
		any.task.migrations = upto(10);
		for (unsigned k = 0; k < 5; k++)
			if (histogram_add(&any.task.latency, (1000 + upto(100000)) << (2 * noise),
					  0))
				abort();
		if (histogram_settle(&any.task.latency))
			abort();
		any.task.wakeups = 5;
		add(rows, FLEET_TASKS, &key, &any);
	}
}

static void vms(struct fleet_rows *rows, unsigned host, unsigned noise)
{
	char vm[32], name[48];

	for (int i = 0; i < VMS * VCPUS; i++) {
		struct fleet_key key = { .name = name, .vm = vm, .vcpu = i % VCPUS };
		union fleet_any any;

		memset(&any, 0, sizeof(any));
		snprintf(vm, sizeof(vm), "vm-%04u-%d", host, i / VCPUS);
		snprintf(name, sizeof(name), "%s.vcpu%d", vm, i % VCPUS);
		any.vcpu.ns[ANALYZE_VCPU_PREEMPTED] = upto(SECOND / 100) * (1 + 9 * noise);
		any.vcpu.ns[ANALYZE_VCPU_EXIT] = upto(SECOND / 20);
		any.vcpu.ns[ANALYZE_VCPU_GUEST] = upto(SECOND / 2);
		any.vcpu.ns[ANALYZE_VCPU_HALTED] = SECOND - any.vcpu.ns[ANALYZE_VCPU_PREEMPTED] -
						   any.vcpu.ns[ANALYZE_VCPU_EXIT] -
						   any.vcpu.ns[ANALYZE_VCPU_GUEST];
		any.vcpu.worst.cpu = CDICT_CPU_UNKNOWN;
		any.vcpu.worst.behind = ANALYZE_NO_TASK;
		add(rows, FLEET_VCPUS, &key, &any);
		memset(&any, 0, sizeof(any));
		any.exit.events = upto(2000);
		key.isa = 1;
		key.code = 30;
		key.reason = "IO_INSTRUCTION";
		add(rows, FLEET_EXITS, &key, &any);
	}
}

static void bucket(struct store *st, const char *id, const char *host, unsigned h, unsigned i,
		   unsigned noise)
{
	struct fleet_window w = { .from_ns = FROM_NS + i * SECOND,
				  .window_ns = SECOND,
				  .events = 5000 + upto(100),
				  .cpus = CPUS,
				  .clocked = true };
	char shelf[STORE_NAME_MOST + 1], name[64];
	struct fleet_rows rows = { 0 };
	struct cdict_error err = { 0 };
	struct buf b = { 0 };
	bool added;

	tasks(&rows, noise);
	vms(&rows, h, noise);
	snprintf(shelf, sizeof(shelf), "%s%s", FLEET_SHELF_HOST, host);
	snprintf(name, sizeof(name), "%016x.%llu", h + 1, (unsigned long long)(w.from_ns / SECOND));
	if (fleet_value_encode(&b, &rows, &w, &err) ||
	    store_put(st, id, shelf, name, b.data, b.len, &added, &err))
		die(&err);
	buf_fini(&b);
	fleet_rows_fini(&rows);
}

int main(int argc, char **argv)
{
	struct cdict_error err = { 0 };
	unsigned hosts, buckets;
	struct store *st;

	if (argc != 5 && argc != 6) {
		fprintf(stderr, "usage: mkjob STORE ID HOSTS BUCKETS [FIRST_NAME]\n");
		return 129;
	}
	hosts = (unsigned)strtoul(argv[3], NULL, 10);
	buckets = (unsigned)strtoul(argv[4], NULL, 10);
	if (store_open(&st, argv[1], NULL, &err))
		die(&err);
	for (unsigned h = 0; h < hosts; h++) {
		char host[FLEET_ID_ROOM], capture[17];

		snprintf(host, sizeof(host), "host-%04u", h);
		if (!h && argc == 6)
			snprintf(host, sizeof(host), "%s", argv[5]);
		for (unsigned i = 0; i < buckets; i++)
			bucket(st, argv[2], host, h, i,
			       h % 7 == 3 && i > buckets / 3 && i < buckets / 2);
		snprintf(capture, sizeof(capture), "%016x", h + 1);
		if (fleet_rollup_host(st, argv[2], host, capture, &err))
			die(&err);
	}
	store_close(st);
	return 0;
}
