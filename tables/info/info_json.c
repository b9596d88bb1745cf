/* SPDX-License-Identifier: LGPL-2.1-only */
/* The properties of a file, as JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format/file/guests.h"
#include "format/labels/label_text.h"
#include "base/memory/stringset.h"
#include "base/text/escape.h"
#include "base/text/json.h"
#include "cdict/stack.h"
#include "tables/columns/loss.h"
#include "tables/columns/table.h"
#include "tables/info/info.h"

/* The @nth key as in JSON, kept in @seen: keys that only differ in characters that cannot be shown
 * get a suffix. NULL: out of memory. */
static const char *json_key(struct stringset *seen, const char *key, size_t nth)
{
	for (size_t suffix = 0;; suffix = suffix ? suffix + 1 : nth + 1) {
		const size_t before = seen->n;
		const char *kept;
		struct sink s;
		size_t len;
		char *safe;

		sink_to_memory(&s);
		escape_json(&s, key, strlen(key));
		if (suffix)
			sink_printf(&s, "_%zu", suffix);
		safe = sink_take(&s, &len);
		kept = safe ? stringset_add(seen, safe, len) : NULL;
		free(safe);
		if (!kept || seen->n > before)
			return kept;
	}
}

/* All keys of the file; numbers are written as text, as values are arbitrary. */
static void about(struct json *j, const struct info *info)
{
	struct stringset seen = { 0 };

	json_open(j, "about", '{', true);
	for (size_t i = 0; i < cdict_reader_info_count(info->reader); i++) {
		const char *key, *value, *safe;

		cdict_reader_info_at(info->reader, i, &key, &value);
		safe = json_key(&seen, key, i);
		if (safe)
			json_text(j, safe, value);
		else
			j->sink->buf.failed = true;
	}
	json_close(j);
	stringset_fini(&seen);
}

static void clock(struct json *j, const struct info *info)
{
	uint64_t wall;

	if (info->any_event && info_wall(info->reader, info->first_ns, &wall))
		json_u64(j, "first_event_wall_ns", wall);
	else
		json_null(j, "first_event_wall_ns");
}

static void events(struct json *j, const struct info *info)
{
	const struct cdict_schema *schema = cdict_reader_schema(info->reader);

	json_open(j, "events", '[', true);
	for (size_t i = 0; i < cdict_schema_count(schema); i++) {
		json_open(j, NULL, '{', false);
		json_text(j, "event", cdict_schema_at(schema, i)->name);
		json_u64(j, "count", info->events[i]);
		json_close(j);
	}
	json_close(j);
	json_open(j, "not_stored", '[', true);
	for (size_t i = 0; i < cdict_reader_unstored_count(info->reader); i++) {
		const struct cdict_unstored *u = cdict_reader_unstored_at(info->reader, i);

		json_open(j, NULL, '{', false);
		json_text(j, "event", u->name);
		json_u64(j, "count", u->count);
		json_close(j);
	}
	json_close(j);
}

static void guests(struct json *j, const struct info *info)
{
	json_open(j, "guests", '[', true);
	for (size_t i = 0; i < reader_guest_count(info->reader); i++) {
		const char *error = reader_guest_info(info->reader, i, GUEST_CLOCK_ERROR);

		json_open(j, NULL, '{', false);
		json_text(j, "vm", reader_guest_info(info->reader, i, GUEST_VM));
		json_text(j, "found", reader_guest_info(info->reader, i, GUEST_FOUND));
		json_text(j, "clock", reader_guest_info(info->reader, i, GUEST_CLOCK_METHOD));
		json_u64(j, "clock_error_ns", error ? strtoull(error, NULL, 10) : 0);
		json_text(j, "clock_knots", reader_guest_info(info->reader, i, GUEST_CLOCK));
		json_u64(j, "bytes", reader_guest_bytes(info->reader, i));
		json_close(j);
	}
	json_close(j);
}

static void blocks(struct json *j, const struct info *info)
{
	json_open(j, "blocks", '[', true);
	for (size_t i = 0; i < cdict_reader_block_count(info->reader); i++) {
		const struct cdict_block_info *b = cdict_reader_block_at(info->reader, i);

		json_open(j, NULL, '{', false);
		json_u64(j, "cpu", b->cpu);
		json_u64(j, "events", b->events);
		json_u64(j, "first_ns", b->first_ns);
		json_u64(j, "last_ns", b->last_ns);
		json_u64(j, "offset_bytes", b->offset);
		json_u64(j, "size_bytes", b->size);
		json_close(j);
	}
	json_close(j);
}

static void damage(struct json *j, const struct info *info)
{
	struct cdict_damage d;

	cdict_reader_damage(info->reader, &d);
	json_open(j, "damage", '{', false);
	json_bool(j, "verified", info->verified);
	json_bool(j, "cut", d.cut);
	json_bool(j, "input_damaged", d.input_damaged);
	json_u64(j, "blocks", d.blocks);
	json_u64(j, "events", d.events);
	json_u64(j, "skipped_bytes", d.skipped_bytes);
	json_text(j, "first", d.first[0] ? d.first : NULL);
	json_close(j);
}

static void given_labels(struct json *j, const struct info *info)
{
	json_open(j, "labels", '[', true);
	for (size_t i = 0; i < cdict_reader_label_count(info->reader); i++) {
		const struct cdict_label *l = cdict_reader_label_at(info->reader, i);
		bool failed = false;
		char *name = label_text_name(l, &failed);

		json_open(j, NULL, '{', false);
		json_i64(j, "tid", l->tid);
		json_text(j, "origin", label_text_origin(l->origin));
		json_text(j, "name", name);
		json_text(j, "task_name", l->name);
		json_text(j, "group", l->group);
		json_text(j, "group_type", l->group_type);
		json_text(j, "role", l->role);
		json_text(j, "instance", l->instance);
		json_text(j, "uuid", l->uuid);
		json_text(j, "project", l->project);
		json_text(j, "host", l->host);
		json_text(j, "unit", l->unit);
		json_text(j, "cgroup", l->cgroup);
		json_i64(j, "pid", l->pid);
		json_u64(j, "start_ns", l->start_ns);
		json_close(j);
		free(name);
	}
	json_close(j);
}

static void labels(struct json *j, const struct info *info)
{
	given_labels(j, info);
	json_open(j, "tasks", '[', true);
	for (size_t i = 0; i < cdict_reader_task_count(info->reader); i++) {
		const struct cdict_task_event *task = cdict_reader_task_at(info->reader, i);

		if (task->what != CDICT_TASK_COMM && task->what != CDICT_TASK_EXEC)
			continue;
		json_open(j, NULL, '{', false);
		json_i64(j, "pid", task->pid);
		json_i64(j, "tid", task->tid);
		json_text(j, "comm", task->comm);
		json_u64(j, "from_ns", task->t_ns);
		json_close(j);
	}
	json_close(j);
}

void info_print_json(struct sink *s, const struct info *info)
{
	const struct table_frame frame = {
		.command = "info",
		.file = info->file,
		.reader = info->reader,
		.from_ns = info->first_ns,
		.to_ns = info->last_ns,
	};
	struct loss_sum sum;
	struct json j;

	json_init(&j, s);
	json_open(&j, NULL, '{', true);
	table_frame_json(&j, &frame);
	clock(&j, info);
	loss_sum(&sum, info->reader, 0, UINT64_MAX);
	loss_json(&j, &sum, info->reader, 0, UINT64_MAX, NULL);
	damage(&j, info);
	json_u64(&j, "threads", info->n_threads);
	json_u64(&j, "processes", info->n_processes);
	json_u64(&j, "stacks", cdict_reader_stack_count(info->reader));
	about(&j, info);
	events(&j, info);
	blocks(&j, info);
	if (reader_guest_count(info->reader))
		guests(&j, info);
	if (info->labels)
		labels(&j, info);
	json_close(&j);
}
