/* SPDX-License-Identifier: GPL-2.0-only */
/* Task and loss rows between source and file. */
#include "convert/ingest/rows.h"

#include <errno.h>

#include "base/fail.h"
#include "format/layout.h"

void rows_add_task(struct rows *r, const struct cdict_task_event *ev)
{
	struct task_row row = { ev->t_ns, ev->what, ev->pid, ev->tid, ev->ppid, ev->ptid, 0 };

	if (ev->comm) {
		row.comm = (uint32_t)r->text.len + 1;
		buf_add(&r->text, ev->comm, strlen(ev->comm) + 1);
	}
	if (!r->text.failed)
		buf_add(&r->tasks, &row, sizeof(row));
}

void rows_add_late(struct rows *r, const struct cdict_late *late)
{
	struct cdict_loss row = {
		.what = (enum cdict_loss_what)FORMAT_LOSS_LATE,
		.cpu = late->cpu,
		.type = CDICT_TYPE_ANY,
		.from_ns = late->t_ns,
		.to_ns = late->after_ns,
		.count = 1,
	};

	rows_add_loss(r, &row);
}

void rows_fini(struct rows *r)
{
	buf_fini(&r->tasks);
	buf_fini(&r->losses);
	buf_fini(&r->text);
}

int rows_write(const struct rows *r, struct cdict_writer *w, struct cdict_error *err)
{
	int ret = 0;

	if (rows_failed(r))
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < rows_tasks(r) && !ret; i++) {
		const struct task_row *row = rows_task(r, i);
		struct cdict_task_event ev = {
			.t_ns = row->t_ns,
			.what = row->what,
			.pid = row->pid,
			.tid = row->tid,
			.ppid = row->ppid,
			.ptid = row->ptid,
			.comm = rows_comm(r, row),
		};

		ret = cdict_writer_task(w, &ev, err);
	}
	for (size_t i = 0; i < rows_losses(r) && !ret; i++)
		ret = cdict_writer_loss(w, rows_loss(r, i), err);
	return ret;
}
