/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * models.c - which model predicts which field, by the names that the kernel's
 * tracepoints use (include/trace/events/sched.h, arch/x86/kvm/trace.h). The choice
 * is stored in the file: a reader does not need these rules.
 */
#include <string.h>

#include "format/schema.h"

static bool ends(const char *s, const char *tail)
{
	size_t n = strlen(s), m = strlen(tail);

	return n >= m && !strcmp(s + n - m, tail);
}

static bool is_pid(const struct cdict_field *f)
{
	return format_kind_is_scalar(f->kind) && f->size == 4 &&
	       (!strcmp(f->name, "pid") || ends(f->name, "_pid"));
}

static const struct {
	const char *event, *field;
	uint8_t kind;
} task_models[] = {
	{ "sched_switch", "prev_pid", FORMAT_CURRENT },
	{ "sched_switch", "next_pid", FORMAT_NEXT },
	{ "sched_waking", "pid", FORMAT_WAKEE },
	{ "sched_wakeup", "pid", FORMAT_WOKEN },
	{ "sched_wakeup_new", "pid", FORMAT_WOKEN },
	{ "sched_migrate_task", "pid", FORMAT_WOKEN },
	{ "sched_stat_runtime", "pid", FORMAT_CURRENT },
	{ "sched_stat_sleep", "pid", FORMAT_WOKEN },
	{ "sched_stat_blocked", "pid", FORMAT_WOKEN },
	{ "sched_stat_iowait", "pid", FORMAT_WOKEN },
};

static uint8_t task_model(const char *event, const char *field)
{
	for (size_t i = 0; i < sizeof(task_models) / sizeof(task_models[0]); i++)
		if (!strcmp(task_models[i].event, event) && !strcmp(task_models[i].field, field))
			return task_models[i].kind;
	return !strcmp(field, "common_pid") ? FORMAT_SAMETASK : FORMAT_TASK;
}

/* Coding index of field @name, given that task fields are coded first; 0 if absent. */
static uint8_t coding_index(const struct format_type *t, const char *name)
{
	uint32_t at = FORMAT_F_SAMPLE;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < t->pub.n_fields; i++) {
			const struct cdict_field *f = &t->fields[i];

			if (format_model_is_task(f->model.kind) != (pass == 0))
				continue;
			if (!strcmp(f->name, name))
				return (uint8_t)at;
			at++;
		}
	return 0;
}

/* The pid field that belongs to field @name with ending @tail: "prev_comm" ->
 * "prev_pid", "comm" -> "pid", "target_cpu" -> "pid". Coding index, or 0. */
static uint8_t owner(const struct format_type *t, const char *name, const char *tail)
{
	char pid[64];
	size_t n = strlen(name) - strlen(tail);
	uint8_t at;

	if (n + 4 > sizeof(pid))
		return 0;
	memcpy(pid, name, n);
	memcpy(pid + n, "pid", 4);
	at = coding_index(t, pid);
	return at ? at : coding_index(t, "pid");
}

static const struct {
	const char *tail;
	uint8_t cell;
	bool text;
} cells[] = {
	{ "comm", FORMAT_CELL_COMM, true },       { "prio", FORMAT_CELL_PRIO, false },
	{ "target_cpu", FORMAT_CELL_CPU, false }, { "orig_cpu", FORMAT_CELL_CPU, false },
	{ "dest_cpu", FORMAT_CELL_CPU, false },   { "state", FORMAT_CELL_STATE, false },
};

static void field_model(const struct format_type *t, struct cdict_field *f)
{
	struct cdict_field_model *m = &f->model;
	bool scalar = format_kind_is_scalar(f->kind);

	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		if (!ends(f->name, cells[i].tail) || cells[i].text == scalar)
			continue;
		m->who = owner(t, f->name, cells[i].tail);
		if (!m->who)
			continue;
		m->kind = FORMAT_CELL;
		m->cell = cells[i].cell;
		return;
	}
	if (f->kind == CDICT_FIELD_DATA_LOC && f->is_text &&
	    (!strcmp(f->name, "fname") || !strcmp(f->name, "host"))) {
		*m = (struct cdict_field_model){ FORMAT_CELL,
						 *f->name == 'f' ? FORMAT_CELL_FILE
								 : FORMAT_CELL_HOST,
						 FORMAT_F_TID, 0 };
	} else if (scalar && !strncmp(f->name, "common_", 7)) {
		m->kind = FORMAT_FOLLOW;
	} else if (scalar && !strcmp(f->name, "vcpu_id")) {
		*m = (struct cdict_field_model){ FORMAT_CELL, FORMAT_CELL_VCPU, FORMAT_F_TID, 0 };
	} else if (scalar && !strcmp(t->pub.event, "sched_stat_runtime") &&
		   !strcmp(f->name, "runtime")) {
		m->kind = FORMAT_ELAPSED;
	} else if (scalar && !strcmp(f->name, "vruntime") && coding_index(t, "pid") &&
		   coding_index(t, "runtime")) {
		*m = (struct cdict_field_model){ FORMAT_SUM, FORMAT_CELL_VRUNTIME,
						 coding_index(t, "pid"),
						 coding_index(t, "runtime") };
	} else if (scalar && !strncmp(t->pub.event, "sched_stat_", 11) &&
		   !strcmp(f->name, "delay") && coding_index(t, "pid")) {
		m->kind = FORMAT_SINCE;
		m->who = coding_index(t, "pid");
	} else if (scalar && !strcmp(t->pub.system, "kvm")) {
		m->kind = FORMAT_CONTEXT;
	}
}

void format_schema_models(struct format_type *type)
{
	for (size_t i = 0; i < type->pub.n_fields; i++) {
		struct cdict_field *f = &type->fields[i];

		if (is_pid(f))
			f->model.kind = task_model(type->pub.event, f->name);
	}
	for (size_t i = 0; i < type->pub.n_fields; i++) {
		struct cdict_field *f = &type->fields[i];

		if (f->model.kind == FORMAT_NEXT)
			f->model.who = coding_index(type, "prev_pid");
		else if (f->model.kind == FORMAT_SAMETASK)
			f->model.who = FORMAT_F_TID;
		else if (!format_model_is_task(f->model.kind))
			field_model(type, f);
		/* A format without its usual fields falls back to the field's own past. */
		if (f->model.kind == FORMAT_NEXT && !f->model.who)
			f->model.kind = FORMAT_TASK;
	}
}
