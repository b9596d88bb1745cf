/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows into the file. */
#include "capture/rows.h"

int rows_write_task(const struct task_row *row, struct cdict_writer *w, struct cdict_error *err)
{
	struct cdict_task_event ev = {
		.t_ns = row->t_ns,
		.what = row->what,
		.pid = row->pid,
		.tid = row->tid,
		.ppid = row->ppid,
		.ptid = row->ptid,
		.comm = row->comm,
	};

	return cdict_writer_task(w, &ev, err);
}

int rows_write(const struct rows *r, struct cdict_writer *w, struct cdict_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < rows_tasks(r) && !ret; i++)
		ret = rows_write_task(rows_task(r, i), w, err);
	for (size_t i = 0; i < rows_losses(r) && !ret; i++)
		ret = cdict_writer_loss(w, rows_loss(r, i), err);
	return ret;
}
