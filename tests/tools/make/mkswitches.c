// SPDX-License-Identifier: GPL-2.0-only
/*
 * mkswitches FORMATS OUT N [CPUS]: a cdict of N events of a switch storm: tasks that take turns on CPUS CPUs (4), each
 * with a wake-up before it runs, as `perf bench sched messaging` makes them. FORMATS: tests/data/formats.
 */
#include "tests/tools/make/made.h"

enum { TASKS_PER_CPU = 40 };

static const char *worker(char comm[16], unsigned tid)
{
	snprintf(comm, 16, "worker-%u", tid);
	return comm;
}

int main(int argc, char **argv)
{
	struct cdict_schema *schema = cdict_schema_new(false, 8, 4096);
	const struct cdict_event_type *sw, *wake;
	unsigned long n = argc > 3 ? strtoul(argv[3], NULL, 0) : 0;
	unsigned cpus = argc > 4 ? (unsigned)atoi(argv[4]) : 4, current[256] = { 0 };
	uint64_t t_ns = 1000000000000, seed = 1;
	struct cdict_error err;
	struct cdict_writer *w;
	FILE *out;

	if (!n || !cpus || cpus > 256) {
		fprintf(stderr, "usage: mkswitches FORMATS OUT N [CPUS]\n");
		return 129;
	}
	made_type(schema, argv[1], "sched", "sched_switch");
	made_type(schema, argv[1], "sched", "sched_waking");
	sw = cdict_schema_find(schema, "sched:sched_switch");
	wake = cdict_schema_find(schema, "sched:sched_waking");
	out = fopen(argv[2], "wb");
	if (!out || cdict_writer_open(&w, made_put, out, &err) ||
	    cdict_writer_info(w, "host.name", "made-up", &err) ||
	    cdict_writer_schema(w, schema, &err)) {
		perror(argv[2]);
		return 1;
	}
	for (unsigned long i = 0; i < n; i += 2) {
		unsigned cpu = (unsigned)(i / 2 % cpus), prev = current[cpu], next;
		unsigned char payload[512] = { 0 };
		char comm[16];
		struct cdict_sample s = { .cpu = cpu, .mode = CDICT_MODE_KERNEL };

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		next = 1000 + cpu * TASKS_PER_CPU + (unsigned)(seed >> 40) % TASKS_PER_CPU;
		if (next == prev)
			next = 1000 + cpu * TASKS_PER_CPU + (next + 1) % TASKS_PER_CPU;
		if (next == prev)
			next++;
		s.pid = s.tid = (int32_t)prev;
		s.t_ns = t_ns += 200 + (seed >> 33) % 1000;
		made_text(wake, payload, "comm", worker(comm, next));
		made_set(wake, payload, "pid", next);
		made_set(wake, payload, "prio", 120);
		made_set(wake, payload, "target_cpu", cpu);
		made_event(w, &s, wake, payload);
		memset(payload, 0, sizeof(payload));
		s.t_ns = t_ns += 200 + (seed >> 43) % 1000;
		made_text(sw, payload, "prev_comm", worker(comm, prev));
		made_set(sw, payload, "prev_pid", prev);
		made_set(sw, payload, "prev_prio", 120);
		made_set(sw, payload, "prev_state", seed >> 60 & 1);
		made_text(sw, payload, "next_comm", worker(comm, next));
		made_set(sw, payload, "next_pid", next);
		made_set(sw, payload, "next_prio", 120);
		made_event(w, &s, sw, payload);
		current[cpu] = next;
	}
	if (cdict_writer_finish(w, &err) || fclose(out)) {
		fprintf(stderr, "mkswitches: %s\n", err.text);
		return 1;
	}
	cdict_writer_close(w);
	cdict_schema_free(schema);
	return 0;
}
