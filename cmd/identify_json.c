/* SPDX-License-Identifier: GPL-2.0-only */
/* What cdict identify found, as JSON. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/label_text.h"
#include "base/fail.h"
#include "base/json.h"
#include "cmd/identify.h"

static void vm_row(struct json *j, const struct host_vm *vm)
{
	json_open(j, NULL, '{', false);
	json_i64(j, "pid", vm->pid);
	json_text(j, "instance", vm->instance);
	json_text(j, "uuid", vm->uuid);
	json_text(j, "name", vm->name);
	json_text(j, "title", vm->title);
	json_text(j, "project", vm->project);
	json_text(j, "flavor", vm->flavor);
	json_bool(j, "libvirt", vm->libvirt);
	json_u64(j, "vcpus", vm->vcpus);
	json_u64(j, "threads", vm->threads);
	json_u64(j, "unnamed", vm->unnamed);
	json_close(j);
}

static void thread_row(struct json *j, const struct cdict_label *l)
{
	json_open(j, NULL, '{', false);
	json_i64(j, "tid", l->tid);
	json_i64(j, "pid", l->pid);
	if (l->start_ns)
		json_u64(j, "start_ns", l->start_ns);
	else
		json_null(j, "start_ns");
	json_text(j, "role", l->role);
	json_text(j, "name", l->name);
	json_text(j, "group", l->group);
	json_text(j, "group_type", l->group_type);
	json_text(j, "instance", l->instance);
	json_text(j, "uuid", l->uuid);
	json_text(j, "project", l->project);
	json_text(j, "origin", label_text_origin(l->origin));
	json_close(j);
}

static int by_tid(const void *a, const void *b)
{
	const struct cdict_label *const *x = a, *const *y = b;

	return ((*x)->tid > (*y)->tid) - ((*x)->tid < (*y)->tid);
}

int identify_json(struct sink *s, const struct mapping *m, const struct host_report *report,
		  struct cdict_error *err)
{
	const struct cdict_label **rows = malloc((m->n + 1) * sizeof(const struct cdict_label *));
	const char *host = "";
	struct cdict_label one;
	size_t n = 0;
	struct json j;

	if (!rows)
		return cdict_fail_nomem(err);
	/* Every thread has exactly one label of this origin. */
	for (size_t i = 0; i < m->n; i++) {
		if (m->labels[i].origin != CDICT_LABEL_PROC)
			continue;
		rows[n++] = &m->labels[i];
		host = m->labels[i].host;
	}
	qsort(rows, n, sizeof(const struct cdict_label *), by_tid);
	json_init(&j, s);
	json_open(&j, NULL, '{', true);
	json_open(&j, "schema", '{', false);
	json_text(&j, "name", "cdict-identify");
	json_u64(&j, "version", 1);
	json_close(&j);
	json_text(&j, "host", host);
	json_bool(&j, "incomplete", report->incomplete);
	json_open(&j, "vms", '[', true);
	for (size_t i = 0; i < report->vms.n; i++)
		vm_row(&j, &report->vms.at[i]);
	json_close(&j);
	json_open(&j, "identify", '[', true);
	for (size_t i = 0; i < n; i++) {
		if (mapping_find(m, rows[i]->tid, rows[i]->start_ns, &one))
			thread_row(&j, &one);
	}
	json_close(&j);
	json_close(&j);
	free(rows);
	return 0;
}
