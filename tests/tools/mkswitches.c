// SPDX-License-Identifier: GPL-2.0-only
/*
 * mkswitches FORMATS OUT N [CPUS]: a cdict of N events of a switch storm: tasks that take turns on CPUS CPUs (4), each
 * with a wake-up before it runs, as `perf bench sched messaging` makes them. FORMATS: tests/data/formats.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cdict/writer.h"

enum { TASKS_PER_CPU = 40 };

static int put(void *ctx, const void *data, size_t size)
{
	return fwrite(data, 1, size, ctx) == size ? 0 : -5;
}

static void add_type(struct cdict_schema *schema, const char *folder, const char *event)
{
	char path[512], text[16384];
	struct cdict_error err;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/sched.%s.format", folder, event);
	f = fopen(path, "r");
	if (!f) {
		perror(path);
		exit(1);
	}
	n = fread(text, 1, sizeof(text), f);
	fclose(f);
	if (cdict_schema_add(schema, "sched", text, n, &err) < 0) {
		fprintf(stderr, "mkswitches: %s: %s\n", path, err.text);
		exit(1);
	}
}

static void set(const struct cdict_event_type *type, unsigned char *payload, const char *field,
		uint64_t v)
{
	int i = cdict_event_type_field(type, field);

	if (i >= 0)
		memcpy(payload + type->fields[i].offset, &v, type->fields[i].size);
}

static void set_text(const struct cdict_event_type *type, unsigned char *payload, const char *field,
		     unsigned tid)
{
	int i = cdict_event_type_field(type, field);

	if (i >= 0)
		snprintf((char *)payload + type->fields[i].offset, type->fields[i].size,
			 "worker-%u", tid);
}

static void add(struct cdict_writer *w, const struct cdict_sample *sample,
		const struct cdict_event_type *type, const unsigned char *payload)
{
	struct cdict_error err;

	if (cdict_writer_event(w, sample, type->index, payload, type->payload_size, &err) < 0) {
		fprintf(stderr, "mkswitches: %s\n", err.text);
		exit(1);
	}
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
	add_type(schema, argv[1], "sched_switch");
	add_type(schema, argv[1], "sched_waking");
	sw = cdict_schema_find(schema, "sched:sched_switch");
	wake = cdict_schema_find(schema, "sched:sched_waking");
	out = fopen(argv[2], "wb");
	if (!out || cdict_writer_open(&w, put, out, &err) ||
	    cdict_writer_info(w, "host.name", "made-up", &err) ||
	    cdict_writer_schema(w, schema, &err)) {
		perror(argv[2]);
		return 1;
	}
	for (unsigned long i = 0; i < n; i += 2) {
		unsigned cpu = (unsigned)(i / 2 % cpus), prev = current[cpu], next;
		unsigned char payload[512] = { 0 };
		struct cdict_sample s = { .cpu = cpu, .mode = CDICT_MODE_KERNEL };

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		next = 1000 + cpu * TASKS_PER_CPU + (unsigned)(seed >> 40) % TASKS_PER_CPU;
		if (next == prev)
			next = 1000 + cpu * TASKS_PER_CPU + (next + 1) % TASKS_PER_CPU;
		if (next == prev)
			next++;
		s.pid = s.tid = (int32_t)prev;
		s.t_ns = t_ns += 200 + (seed >> 33) % 1000;
		set_text(wake, payload, "comm", next);
		set(wake, payload, "pid", next);
		set(wake, payload, "prio", 120);
		set(wake, payload, "target_cpu", cpu);
		add(w, &s, wake, payload);
		memset(payload, 0, sizeof(payload));
		s.t_ns = t_ns += 200 + (seed >> 43) % 1000;
		set_text(sw, payload, "prev_comm", prev);
		set(sw, payload, "prev_pid", prev);
		set(sw, payload, "prev_prio", 120);
		set(sw, payload, "prev_state", seed >> 60 & 1);
		set_text(sw, payload, "next_comm", next);
		set(sw, payload, "next_pid", next);
		set(sw, payload, "next_prio", 120);
		add(w, &s, sw, payload);
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
