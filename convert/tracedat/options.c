/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of a trace.dat: clock, buffers, guests, kernel counters. */
#include <errno.h>
#include <stdlib.h>

#include "convert/tracedat/internal.h"
#include "base/saturate.h"
#include "convert/ingest/source.h"

#define BUFFERS_MAX 1024u
#define GUESTS_MAX 4096u
#define VCPUS_MAX 8192u

/* Copies a text that need not end with a NUL; NULL when out of memory. */
static const char *text(struct tracedat *td, const struct cursor *c)
{
	return tracedat_keep(td, c->left ? c->at : (const uint8_t *)"",
			     strnlen((const char *)c->at, c->left));
}

/* Parses a number in trace-cmd's form: "0x..", or decimal. */
static int64_t number(struct tracedat *td, const struct cursor *c)
{
	const char *t = c->left ? text(td, c) : NULL;

	return t ? (int64_t)strtoll(t, NULL, 0) : 0;
}

/* Takes the id of a process that trace-cmd stored the maps of: "4d2 1f /usr/bin/qemu", its id and number of maps in
 * hexadecimal, precedes them. Each process has an option of its own. */
static int process(struct tracedat *td, const struct cursor *c)
{
	const char *line = text(td, c);
	char *end;
	long pid, maps;

	if (!line)
		return 0; /* no memory */
	pid = strtol(line, &end, 16);
	if (end == line || *end != ' ' || pid <= 0 || pid >= TID_MAX)
		return 0;
	line = end + 1;
	maps = strtol(line, &end, 16);
	if (end == line || *end != ' ' || maps < 0 || end[1] != '/')
		return 0;
	return array_push(&td->processes, (int32_t)pid) ? -ENOMEM : 0;
}

/* Gets x86-tsc from "local global [x86-tsc] mono\n"; a name alone is accepted, too. */
static void clock_name(struct tracedat *td, const struct cursor *c)
{
	const char *line = text(td, c), *name = line ? strchr(line, '[') : NULL;

	if (!line)
		return;
	name = name ? name + 1 : line;
	if (*name)
		td->clock = tracedat_keep(td, name, strcspn(name, "] \n"));
}

/* After the name of an instance, statistics are no longer those of the top-level buffer. */
static int statistics(struct tracedat *td, const struct cursor *c)
{
	static const char *const lost[] = { "overrun:", "commit overrun:", "dropped events:" };
	struct tracedat_stat stat = { 0 };
	const char *line = text(td, c);
	bool has_cpu = false;

	if (!line)
		return -ENOMEM;
	for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (!strncmp(line, "Buffer:", 7))
			td->stats_of_instance = true;
		if (!strncmp(line, "CPU:", 4)) {
			stat.cpu = (uint32_t)strtoul(line + 4, NULL, 10);
			has_cpu = true;
		}
		for (size_t i = 0; i < 3; i++)
			if (!strncmp(line, lost[i], strlen(lost[i])))
				saturated_add(&stat.lost,
					      strtoull(line + strlen(lost[i]), NULL, 10));
	}
	if (!has_cpu || td->stats_of_instance || stat.cpu >= INGEST_CPUS_MAX || !stat.lost)
		return 0;
	return array_push(&td->stats, stat) ? -ENOMEM : 0;
}

#define CPU_SIZE 20u /* u32 number, u64 offset, u64 size */

/* Since 3.1 a buffer has the size of its pages before the number of its CPUs, earlier it had not,
 * and both are version 7: the number that matches the length of the rest is the number of CPUs. */
static uint32_t cpus_of(struct tracedat_buffer *b, struct cursor *c)
{
	uint32_t first = cursor_u32(c);

	if (c->left < 4 || c->left == CPU_SIZE * (uint64_t)first)
		return first;
	b->page_size = first;
	return cursor_u32(c);
}

/* In version 7 followed by its CPUs; in version 6 they are at the offset. */
static int buffer(struct tracedat *td, struct cursor *c, bool is_text)
{
	struct tracedat_buffer b = { .offset = cursor_u64(c), .text = is_text }, *at;
	const char *name = cursor_text(c, NULL), *clock = NULL;
	uint32_t n = 0;

	if (td->version == 7) {
		clock = cursor_text(c, NULL);
		n = is_text ? 0 : cpus_of(&b, c);
	}
	if (!cursor_ok(c) || td->buffers.n == BUFFERS_MAX ||
	    (b.page_size && (b.page_size < 64 || b.page_size > 1u << 24))) {
		tracedat_note(td, "a buffer option cannot be read");
		return 0;
	}
	b.name = tracedat_keep(td, name, strlen(name));
	b.clock = clock ? tracedat_keep(td, clock, strlen(clock)) : NULL;
	at = array_add(&td->buffers);
	if (!b.name || (clock && !b.clock) || !at)
		return -ENOMEM;
	*at = b;
	if (!*b.name && b.clock && *b.clock && !td->clock)
		td->clock = b.clock;
	while (n--) {
		struct tracedat_cpu cpu = { .cpu = cursor_u32(c) };
		int ret;

		cpu.offset = cursor_u64(c);
		cpu.size = cursor_u64(c);
		if (!cursor_ok(c)) {
			tracedat_note(td, "the CPU list of buffer '%s' is truncated", b.name);
			return 0;
		}
		ret = tracedat_add_cpu(td, at, &cpu);
		if (ret == CDICT_ECORRUPT)
			tracedat_note(td, "the CPU list of buffer '%s' overlaps another", b.name);
		if (ret)
			return ret == -ENOMEM ? ret : 0;
	}
	return 0;
}

static int guest(struct tracedat *td, struct cursor *c)
{
	const char *name = cursor_text(c, NULL);
	uint64_t trace_id = cursor_u64(c);
	uint32_t n = cursor_u32(c);
	struct tracedat_guest *g;

	if (!cursor_ok(c) || td->guests.n == GUESTS_MAX || n > VCPUS_MAX) {
		tracedat_note(td, "a guest option cannot be read");
		return 0;
	}
	g = array_add(&td->guests);
	if (!g)
		return -ENOMEM;
	g->trace_id = trace_id;
	g->name = tracedat_keep(td, name, strlen(name));
	if (!g->name)
		return -ENOMEM;
	while (n--) {
		struct tracedat_vcpu v = { .vcpu = cursor_u32(c) };

		v.tid = (int32_t)cursor_u32(c);
		if (!cursor_ok(c)) {
			tracedat_note(td, "the vCPU list of guest '%s' is truncated", g->name);
			return 0;
		}
		if (array_push(&g->vcpus, v))
			return -ENOMEM;
	}
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct tracedat_shift_at *x = a, *y = b;

	return (x->t > y->t) - (x->t < y->t);
}

/* Sorts by time and removes duplicate times. */
static void settle(struct tracedat_shift *s)
{
	size_t n = 0;

	if (s->at.n)
		qsort(s->at.at, s->at.n, sizeof(*s->at.at), by_time);
	for (size_t i = 0; i < s->at.n; i++)
		if (!i || s->at.at[i].t != s->at.at[i - 1].t)
			s->at.at[n++] = s->at.at[i];
	s->at.n = n;
}

/* Times, then offsets, then scalings of a CPU; since 3.1, the fraction bits of all CPUs at the end. */
static int time_shift(struct tracedat *td, struct cursor *c)
{
	uint32_t n, shift_flags;
	uint64_t peer_id;

	peer_id = cursor_u64(c);
	shift_flags = cursor_u32(c);
	n = cursor_u32(c);
	if (!cursor_ok(c) || td->shifts.n || n > c->left / 4)
		return 0;
	td->peer_id = peer_id;
	td->shift_flags = shift_flags;
	if (array_resize(&td->shifts, n))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		struct tracedat_shift *s = &td->shifts.at[i];
		uint32_t count = cursor_u32(c);

		if (!cursor_ok(c) || count > c->left / 24) {
			tracedat_note(td, "its time shifts cannot be read");
			break;
		}
		if (array_resize(&s->at, count))
			return -ENOMEM;
		for (uint32_t k = 0; k < count; k++)
			s->at.at[k].t = (int64_t)cursor_u64(c);
		for (uint32_t k = 0; k < count; k++)
			s->at.at[k].offset = (int64_t)cursor_u64(c);
		for (uint32_t k = 0; k < count; k++)
			s->at.at[k].scaling = (int64_t)cursor_u64(c);
	}
	for (uint32_t i = 0; i < n && c->left; i++)
		for (size_t k = 0; k < td->shifts.at[i].at.n; k++)
			td->shifts.at[i].at.at[k].fraction = (int64_t)cursor_u64(c);
	for (uint32_t i = 0; i < n; i++)
		settle(&td->shifts.at[i]);
	return 0;
}

int tracedat_option(struct tracedat *td, uint16_t id, struct cursor *c)
{
	int ret = 0;

	td->option_bytes += c->left;
	if (td->option_bytes > TRACEDAT_MEMORY(td)) {
		tracedat_note(td, "its options repeat endlessly");
		return 0;
	}
	switch (id) {
	case OPTION_DATE: /* offset of the wall clock, in µs */
		td->has_date = true;
		td->offset_ns = (int64_t)((uint64_t)td->offset_ns + (uint64_t)number(td, c) * 1000);
		break;
	case OPTION_OFFSET:
		td->offset_ns = (int64_t)((uint64_t)td->offset_ns + (uint64_t)number(td, c));
		break;
	case OPTION_CPUSTAT:
		ret = statistics(td, c);
		break;
	case OPTION_BUFFER:
		ret = buffer(td, c, false);
		break;
	case OPTION_BUFFER_TEXT:
		ret = buffer(td, c, true);
		break;
	case OPTION_TRACECLOCK:
		if (c->left)
			clock_name(td, c);
		td->clock_follows = true;
		break;
	case OPTION_UNAME:
		td->uname = text(td, c);
		break;
	case OPTION_VERSION:
		td->recorder = text(td, c);
		break;
	case OPTION_CPUCOUNT:
		td->n_cpus = cursor_u32(c);
		break;
	case OPTION_PROCMAPS:
		ret = process(td, c);
		break;
	case OPTION_TRACEID:
		td->trace_id = cursor_u64(c);
		td->has_trace_id = cursor_ok(c);
		break;
	case OPTION_TIME_SHIFT:
		ret = time_shift(td, c);
		break;
	case OPTION_GUEST:
		ret = guest(td, c);
		break;
	case OPTION_TSC2NSEC:
		td->tsc_mult = cursor_u32(c);
		td->tsc_shift = cursor_u32(c);
		if (!cursor_ok(c))
			td->tsc_mult = 0;
		break;
	case OPTION_HEADER_INFO:
	case OPTION_FTRACE_EVENTS:
	case OPTION_EVENT_FORMATS:
	case OPTION_KALLSYMS:
	case OPTION_PRINTK:
	case OPTION_CMDLINES:
		td->section_at[id] = cursor_u64(c);
		break;
	default: /* HOOK: which events trace-cmd report pairs */
		break;
	}
	return td->no_memory ? -ENOMEM : ret;
}
