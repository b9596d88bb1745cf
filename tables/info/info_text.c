/* SPDX-License-Identifier: LGPL-2.1-only */
/* The properties of a file, as text. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/walk/engine.h"
#include "base/text/plural.h"
#include "format/file/guests.h"
#include "format/labels/label_text.h"
#include "base/text/escape.h"
#include "base/text/wrap.h"
#include "cdict/stack.h"
#include "tables/info/info.h"
#include "tables/columns/loss.h"
#include "tables/columns/number.h"

enum { KEY = 14 }; /* width of a line's title */

static void key(struct sink *s, const char *title)
{
	sink_printf(s, "%-*s", KEY, title);
}

/* A line of untrusted text, left out when unknown. */
static void line(struct sink *s, const struct info *info, const char *title, const char *name)
{
	const char *value = cdict_reader_info(info->reader, name);

	if (!value || !*value)
		return;
	key(s, title);
	escape_terminal(s, value, strlen(value));
	sink_putc(s, '\n');
}

static void host(struct sink *s, const struct info *info)
{
	const char *online = cdict_reader_info(info->reader, "host.cpus_online");
	const char *cpus = cdict_reader_info(info->reader, "host.cpus");
	const char *memory = cdict_reader_info(info->reader, "host.memory_kb");
	const char *node = cdict_reader_info(info->reader, "topology.numa");
	char room[NUMBER_ROOM];

	line(s, info, "host", "host.name");
	line(s, info, "kernel", "host.kernel");
	line(s, info, "architecture", "host.arch");
	line(s, info, "machine id", "host.machine_id");
	line(s, info, "SMBIOS UUID", "host.dmi_uuid");
	line(s, info, "boot id", "host.boot_id");
	line(s, info, "cpu", "host.cpu");
	line(s, info, "cpuid", "host.cpuid");
	key(s, "cpus");
	sink_printf(s, "%" PRIu32, cdict_reader_cpus(info->reader));
	if (online && cpus)
		sink_printf(s, " (%llu online, %llu available)", strtoull(online, NULL, 10),
			    strtoull(cpus, NULL, 10));
	sink_putc(s, '\n');
	if (memory) {
		key(s, "memory");
		sink_puts(s, number_bytes(room, strtoull(memory, NULL, 10) * 1024));
		sink_putc(s, '\n');
	}
	while (node && *node) {
		size_t len = strcspn(node, ";"), number = strcspn(node, ":;");

		key(s, "numa node");
		escape_terminal(s, node, number);
		sink_puts(s, ": CPUs ");
		if (number < len)
			escape_terminal(s, node + number + 1, len - number - 1);
		sink_putc(s, '\n');
		node += len + (node[len] == ';');
	}
}

static void instant(struct sink *s, const struct info *info, const char *title, uint64_t t_ns)
{
	char room[NUMBER_ROOM];
	uint64_t wall;

	key(s, title);
	sink_puts(s, number_ns(room, t_ns));
	if (info_wall(info->reader, t_ns, &wall))
		sink_printf(s, " s = %s", number_utc(room, wall));
	else
		sink_puts(s, t_ns != info->first_ns
				     ? " s"
				     : " s (wall clock not recorded; use perf record -k mono)");
	sink_putc(s, '\n');
}

static uint64_t last_event(const struct cdict_reader *r)
{
	uint64_t last_ns = 0;

	for (size_t i = 0; i < cdict_reader_block_count(r); i++)
		if (cdict_reader_block_at(r, i)->last_ns > last_ns)
			last_ns = cdict_reader_block_at(r, i)->last_ns;
	return last_ns;
}

/* "TSC 2445.432 MHz, converted by the kernel (multiplier 857589711, shift 31)" and so on. */
static void tsc(struct sink *s, const struct info *info)
{
	const char *khz = cdict_reader_info(info->reader, "clock.tsc_khz");
	const char *conversion = cdict_reader_info(info->reader, "clock.time_conv");
	const char *start = cdict_reader_info(info->reader, "clock.tsc_start");
	const char *end = cdict_reader_info(info->reader, "clock.tsc_end");
	unsigned long long mhz = khz ? strtoull(khz, NULL, 10) : 0;
	const char *comma = "";

	/* perf's conversion alone joins no guest: KVM's offset is only in our recordings. */
	if (!start)
		return;
	key(s, "TSC");
	if (mhz) {
		sink_printf(s, "%llu.%03llu MHz", mhz / 1000, mhz % 1000);
		comma = ", ";
	}
	if (conversion) {
		sink_printf(s, "%sconversion to the clock known", comma);
		comma = ", ";
	}
	if (start)
		sink_printf(s, "%sread with the clock at the begin%s", comma,
			    end ? " and the end" : "");
	sink_putc(s, '\n');
}

/* Rows of a text, "PID VCPU OFFSET" each. */
static size_t rows_of(const char *text)
{
	size_t n = text && *text;

	for (; text && *text; text++)
		n += *text == '\n';
	return n;
}

static void guests(struct sink *s, const struct info *info)
{
	size_t vcpus = rows_of(cdict_reader_info(info->reader, "guests.vcpus"));
	size_t offsets = rows_of(cdict_reader_info(info->reader, "guests.tsc_offset"));

	if (!vcpus && !offsets)
		return;
	key(s, "vCPUs");
	sink_printf(s, "%zu, TSC offset known of %zu%s\n", vcpus > offsets ? vcpus : offsets,
		    offsets,
		    cdict_reader_info(info->reader, "guests.tsc_offset_end") ||
				    cdict_reader_info(info->reader, "guests.vcpus_end")
			    ? " (changed during the recording)"
			    : "");
}

/* The steal time of all CPUs between begin and end of the recording. */
static void steal(struct sink *s, const struct info *info)
{
	const char *from = cdict_reader_info(info->reader, "steal.start");
	const char *to = cdict_reader_info(info->reader, "steal.end");
	uint64_t before = 0, after = 0;
	char room[NUMBER_ROOM];

	if (!from || !to)
		return;
	for (; (from = strchr(from, ':')); from++)
		before += strtoull(from + 1, NULL, 10);
	for (; (to = strchr(to, ':')); to++)
		after += strtoull(to + 1, NULL, 10);
	if (after <= before)
		return;
	key(s, "steal time");
	sink_printf(s, "%s s of all CPUs, by the kernel\n", number_ns(room, after - before));
}

/* For 'cdict job start': the time at which to begin, and the offset of the host's clock from the
 * store's. */
static void started(struct sink *s, const struct info *info)
{
	const char *job = cdict_reader_info(info->reader, "job.id");
	const char *at = cdict_reader_info(info->reader, "job.start_wall_ns");
	const char *offset = cdict_reader_info(info->reader, "job.offset_ns");
	const char *trip = cdict_reader_info(info->reader, "job.round_trip_ns");
	char room[NUMBER_ROOM];

	if (!job || !at || !offset || !trip)
		return;
	key(s, "started by");
	sink_puts(s, "job ");
	escape_terminal(s, job, strlen(job));
	sink_printf(
		s,
		" for %s by its store's clock, which was %.3f ms %s this host's (round trip %.3f ms)\n",
		number_utc(room, strtoull(at, NULL, 10)),
		(double)strtoull(offset + (*offset == '-'), NULL, 10) / 1e6,
		*offset == '-' ? "behind" : "ahead of", (double)strtoull(trip, NULL, 10) / 1e6);
}

static void recording(struct sink *s, const struct info *info)
{
	const char *at = cdict_reader_info(info->reader, "captured.at_s");
	char room[NUMBER_ROOM];

	line(s, info, "perf", "perf.version");
	line(s, info, "command", "perf.cmdline");
	line(s, info, "clock", "clock.id");
	tsc(s, info);
	if (info->any_event) {
		instant(s, info, "first event", info->first_ns);
		instant(s, info, "last event", last_event(info->reader));
		if (info->last_ns > last_event(info->reader))
			instant(s, info, "last loss", info->last_ns);
		key(s, "window");
		sink_printf(s, "%s s\n", number_ns(room, info->last_ns - info->first_ns));
	}
	started(s, info);
	steal(s, info);
	guests(s, info);
	if (at) {
		number_utc(room, strtoull(at, NULL, 10) * UINT64_C(1000000000));
		room[strcspn(room, ".")] = '\0'; /* precise to the second */
		key(s, "finished");
		sink_printf(s, "%s UTC\n", room);
	}
}

/* A guest's recording, joined to this one. */
static void guest(struct sink *s, const struct info *info, size_t i)
{
	const char *vm = reader_guest_info(info->reader, i, GUEST_VM),
		   *found = reader_guest_info(info->reader, i, GUEST_FOUND),
		   *clock = reader_guest_info(info->reader, i, GUEST_CLOCK_METHOD);
	char room[NUMBER_ROOM];

	key(s, "guest");
	escape_terminal(s, vm ? vm : "", vm ? strlen(vm) : 0);
	sink_printf(s, ": %s bytes", number_grouped(room, reader_guest_bytes(info->reader, i)));
	if (found) {
		sink_puts(s, ", found ");
		escape_terminal(s, found, strlen(found));
	}
	if (clock) {
		sink_puts(s, ", clock ");
		escape_terminal(s, clock, strlen(clock));
	}
	sink_putc(s, '\n');
}

static void contents(struct sink *s, const struct info *info)
{
	const char *input = cdict_reader_info(info->reader, "input.bytes");
	const char *mode = cdict_reader_info(info->reader, "input.mode");
	const char *source = cdict_reader_info(info->reader, "source");
	uint64_t events = cdict_reader_events(info->reader);
	uint64_t size = cdict_reader_size(info->reader), guests = 0;
	char room[NUMBER_ROOM], more[NUMBER_ROOM];

	for (size_t i = 0; i < reader_guest_count(info->reader); i++)
		guests += reader_guest_bytes(info->reader, i);
	guests = guests > size ? size : guests;
	line(s, info, "written by", "capture.version");
	if (input) {
		key(s, "made from");
		sink_printf(s, "%s bytes of ", number_grouped(room, strtoull(input, NULL, 10)));
		if (source)
			escape_terminal(s, source, strlen(source));
		else
			sink_puts(s, "perf.data");
		if (mode) {
			sink_puts(s, " (");
			escape_terminal(s, mode, strlen(mode));
			sink_putc(s, ')');
		}
		sink_putc(s, '\n');
	}
	key(s, "size");
	sink_printf(s, "%s bytes (%s)", number_grouped(room, size), number_bytes(more, size));
	if (events)
		sink_printf(s, ", %.2f bytes per event", (double)(size - guests) / (double)events);
	sink_puts(s, guests ? " without the guests\n" : "\n");
	for (size_t i = 0; i < reader_guest_count(info->reader); i++)
		guest(s, info, i);
	key(s, "blocks");
	sink_printf(s, "%s with events\n",
		    number_grouped(room, cdict_reader_block_count(info->reader)));
	if (cdict_reader_stack_count(info->reader)) {
		key(s, "stacks");
		sink_printf(s, "%s with %s frame%s\n",
			    number_grouped(room, cdict_reader_stack_count(info->reader)),
			    number_grouped(more, cdict_reader_frame_count(info->reader)),
			    plural(cdict_reader_frame_count(info->reader)));
	}
	key(s, "tasks");
	sink_printf(s, "%s thread%s", number_grouped(room, info->n_threads),
		    info->n_threads == 1 ? "" : "s");
	/* not every recorder has the processes of threads */
	if (info->n_processes || !info->n_threads)
		sink_printf(s, " of %s process%s", number_grouped(more, info->n_processes),
			    info->n_processes == 1 ? "" : "es");
	sink_puts(s, " named by the recorder\n");
	key(s, "events");
	sink_puts(s, number_grouped(room, events));
	sink_putc(s, '\n');
}

struct by_count {
	const char *name;
	uint64_t count;
};

static int larger_first(const void *a, const void *b)
{
	const struct by_count *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* "  12,004  35.0 %  sched:sched_switch", most first. */
static void counts(struct sink *s, struct by_count *rows, size_t n, uint64_t total)
{
	char room[NUMBER_ROOM];

	qsort(rows, n, sizeof(*rows), larger_first);
	for (size_t i = 0; i < n; i++) {
		sink_printf(s, "%14s  ", number_grouped(room, rows[i].count));
		if (total)
			sink_printf(s, "%6.2f %%  ", 100.0 * (double)rows[i].count / (double)total);
		escape_terminal(s, rows[i].name, strlen(rows[i].name));
		sink_putc(s, '\n');
	}
}

static void events(struct sink *s, const struct info *info)
{
	const struct cdict_schema *schema = cdict_reader_schema(info->reader);
	size_t types = cdict_schema_count(schema),
	       skipped = cdict_reader_unstored_count(info->reader);
	struct by_count *rows = calloc(types + skipped + 1, sizeof(*rows));
	size_t n = 0;

	if (!rows) {
		s->buf.failed = true; /* reported by sink_finish() */
		return;
	}
	for (size_t i = 0; i < types; i++) {
		if (info->events[i] || info->all_types)
			rows[n++] = (struct by_count){ cdict_schema_at(schema, i)->name,
						       info->events[i] };
	}
	sink_puts(s, "\nevents by type\n");
	counts(s, rows, n, info->counted);
	if (n < types)
		sink_printf(s, "%14zu  more recorded type%s did not occur (-v lists %s)\n",
			    types - n, types - n == 1 ? "" : "s", types - n == 1 ? "it" : "them");
	if (skipped)
		sink_puts(s, "\nin the recording, not stored here\n");
	for (size_t i = 0; i < skipped; i++) {
		const struct cdict_unstored *u = cdict_reader_unstored_at(info->reader, i);

		rows[i] = (struct by_count){ u->name, u->count };
	}
	counts(s, rows, skipped, 0);
	free(rows);
}

/* Overwritten rings: which one begins last, and how many CPUs have no events. */
static void rings(struct sink *s, const struct info *info)
{
	uint32_t cpus = cdict_reader_cpus(info->reader), last = 0, empty = 0;
	uint64_t *first_ns = calloc(cpus + 1, sizeof(*first_ns));
	char begin[NUMBER_ROOM], end[NUMBER_ROOM];

	if (!first_ns)
		return;
	analyze_first_of_cpus(info->reader, first_ns, cpus);
	for (uint32_t c = 0; c < cpus; c++) {
		if (first_ns[c] == ANALYZE_NO_TIME)
			empty++;
		else if (first_ns[last] == ANALYZE_NO_TIME || first_ns[c] > first_ns[last])
			last = c;
	}
	sink_printf(s, "  the rings begin between %s and %s s, that of CPU %" PRIu32 " last",
		    number_seconds(begin, info->first_ns), number_seconds(end, first_ns[last]),
		    last);
	if (empty)
		sink_printf(s, "; %" PRIu32 " CPU%s no events", empty,
			    empty == 1 ? " has" : "s have");
	sink_putc(s, '\n');
	free(first_ns);
}

/* One line per record, for the first ones. */
#define LOSS_LINES 1000u

static void losses(struct sink *s, const struct info *info)
{
	size_t all = cdict_reader_loss_count(info->reader), n = all < LOSS_LINES ? all : LOSS_LINES;
	char more[NUMBER_ROOM];
	struct loss_sum sum;
	struct scope scope;

	loss_sum(&sum, info->reader, 0, UINT64_MAX);
	loss_line(s, &sum, 0);
	sink_putc(s, '\n');
	scope_of_reader(&scope, info->reader);
	loss_scope(s, &scope, 0);
	if (scope.overwritten && info->any_event)
		rings(s, info);
	for (size_t i = 0; i < n; i++) {
		const struct cdict_loss *loss = cdict_reader_loss_at(info->reader, i);
		const struct cdict_schema *schema = cdict_reader_schema(info->reader);
		char count[NUMBER_ROOM], from[NUMBER_ROOM], to[NUMBER_ROOM];

		if (loss->cpu == CDICT_CPU_UNKNOWN)
			sink_puts(s, "  any CPU");
		else
			sink_printf(s, "  CPU %-3" PRIu32, loss->cpu);
		sink_printf(s, "  %10s %-8s  %s to %s s", number_grouped(count, loss->count),
			    loss_what(loss->what),
			    /* a ring may lose events before its first one */
			    number_seconds(from, loss->from_ns > info->first_ns ? loss->from_ns
										: info->first_ns),
			    number_seconds(to, loss->to_ns));
		if (loss->type < cdict_schema_count(schema)) {
			const char *name = cdict_schema_at(schema, loss->type)->name;

			sink_puts(s, "  ");
			escape_terminal(s, name, strlen(name));
		}
		sink_putc(s, '\n');
	}
	if (n < all)
		sink_printf(s, "  ... and %s more\n", number_grouped(more, all - n));
	if (cdict_reader_late_count(info->reader))
		sink_printf(s,
			    "late: %s event%s reached the recording out of order; sorted by time\n",
			    GROUPED(cdict_reader_late_count(info->reader)),
			    cdict_reader_late_count(info->reader) == 1 ? "" : "s");
}

static void state(struct sink *s, const struct info *info)
{
	const char *input = cdict_reader_info(info->reader, "input.damage");
	struct cdict_damage damage;
	char room[NUMBER_ROOM];

	cdict_reader_damage(info->reader, &damage);
	sink_puts(s, "state: ");
	if (damage.first[0])
		escape_terminal(s, damage.first, strlen(damage.first));
	else if (damage.cut)
		sink_printf(s, "truncated after byte %s: its writer was stopped",
			    number_grouped(room, damage.cut_at));
	else
		sink_puts(s, info->verified ? "whole, every block verified" : "no damage seen");
	sink_putc(s, '\n');
	if (damage.blocks)
		sink_printf(s, "  %s damaged block%s, with %s event%s\n", GROUPED(damage.blocks),
			    damage.blocks == 1 ? "" : "s", number_grouped(room, damage.events),
			    damage.events == 1 ? "" : "s");
	if (damage.skipped_bytes)
		sink_printf(s, "  %s byte%s outside of blocks\n",
			    number_grouped(room, damage.skipped_bytes),
			    damage.skipped_bytes == 1 ? "" : "s");
	if (input) {
		sink_puts(s, "  the recording was damaged: ");
		escape_terminal(s, input, strlen(input));
		sink_putc(s, '\n');
	}
}

static void label_field(struct sink *s, const char *title, const char *text)
{
	if (!*text)
		return;
	sink_printf(s, "  %s ", title);
	escape_terminal(s, text, strlen(text));
}

static void label(struct sink *s, const struct cdict_label *l)
{
	bool failed = false;
	char *name = label_text_name(l, &failed);

	sink_printf(s, "%10" PRId32 "  %-9s  ", l->tid, label_text_origin(l->origin));
	if (name)
		escape_terminal(s, name, strlen(name));
	else
		label_field(s, "role", l->role);
	label_field(s, "instance", l->instance);
	label_field(s, "uuid", l->uuid);
	label_field(s, "group type", l->group_type);
	label_field(s, "project", l->project);
	label_field(s, "host", l->host);
	label_field(s, "unit", l->unit);
	label_field(s, "cgroup", l->cgroup);
	if (l->pid)
		sink_printf(s, "  process %" PRId32, l->pid);
	if (l->start_ns)
		sink_printf(s, "  started %" PRIu64 ".%09" PRIu64 " s after boot",
			    l->start_ns / 1000000000, l->start_ns % 1000000000);
	free(name);
}

/* Writes the lines of @lines, wrapped to the terminal's width. */
static void put_wrapped(struct sink *s, const struct info *info, struct sink *lines, size_t indent)
{
	struct wrap how = { .columns = info->columns, .indent = indent, .hard = true };
	size_t len;
	char *text = sink_take(lines, &len);

	if (text)
		wrap_text(s, text, len, &how);
	else
		s->error = -ENOMEM;
	free(text);
}

static void labels(struct sink *s, const struct info *info)
{
	struct sink one;
	size_t n = cdict_reader_label_count(info->reader);

	sink_puts(s, n ? "\nlabels\n" : "\nno labels: tasks have no names yet (cdict annotate)\n");
	for (size_t i = 0; i < n; i++) {
		sink_to_memory(&one);
		label(&one, cdict_reader_label_at(info->reader, i));
		sink_putc(&one, '\n');
		put_wrapped(s, info, &one, 23);
	}
	sink_puts(s, "\ntasks named by the recorder\n");
	for (size_t i = 0; i < cdict_reader_task_count(info->reader); i++) {
		const struct cdict_task_event *task = cdict_reader_task_at(info->reader, i);

		if (task->what != CDICT_TASK_COMM && task->what != CDICT_TASK_EXEC)
			continue;
		sink_printf(s, "%10" PRId32 " %10" PRId32 "  ", task->pid, task->tid);
		escape_terminal(s, task->comm, strlen(task->comm));
		sink_putc(s, '\n');
	}
}

/* The most important lines, above the lists. */
static void head(struct sink *s, const struct info *info)
{
	key(s, "file");
	escape_terminal(s, info->file, strlen(info->file));
	sink_putc(s, '\n');
	host(s, info);
	recording(s, info);
	contents(s, info);
	sink_putc(s, '\n');
	losses(s, info);
	state(s, info);
}

void info_print_text(struct sink *s, const struct info *info)
{
	struct sink prose;

	sink_to_memory(&prose);
	head(&prose, info);
	put_wrapped(s, info, &prose, 2);
	events(s, info);
	if (info->labels)
		labels(s, info);
}
