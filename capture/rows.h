/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rows.h - what a recording tells beside its events: births, names and deaths of tasks, and
 * losses, on their way from the rings to the file.
 */
#ifndef CAPTURE_ROWS_H
#define CAPTURE_ROWS_H

#include "base/buf.h"
#include "cdict/writer.h"

#define ROWS_COMM 16u /* TASK_COMM_LEN */

struct task_row {
	uint64_t t_ns;
	enum cdict_task_what what;
	int32_t pid, tid, ppid, ptid;
	char comm[ROWS_COMM];
};

struct rows {
	struct buf tasks;  /* struct task_row */
	struct buf losses; /* struct cdict_loss */
};

static inline size_t rows_tasks(const struct rows *r)
{
	return r->tasks.len / sizeof(struct task_row);
}

static inline const struct task_row *rows_task(const struct rows *r, size_t i)
{
	return (const struct task_row *)r->tasks.data + i;
}

static inline size_t rows_losses(const struct rows *r)
{
	return r->losses.len / sizeof(struct cdict_loss);
}

static inline const struct cdict_loss *rows_loss(const struct rows *r, size_t i)
{
	return (const struct cdict_loss *)r->losses.data + i;
}

static inline void rows_add_loss(struct rows *r, const struct cdict_loss *loss)
{
	buf_add(&r->losses, loss, sizeof(*loss));
}

static inline size_t rows_bytes(const struct rows *r)
{
	return r->tasks.cap + r->losses.cap;
}

static inline void rows_fini(struct rows *r)
{
	buf_fini(&r->tasks);
	buf_fini(&r->losses);
}

/* rows_write - as rows of the cdict. */
int rows_write(const struct rows *r, struct cdict_writer *w, struct cdict_error *err);
/* rows_write_task - one. */
int rows_write_task(const struct task_row *row, struct cdict_writer *w, struct cdict_error *err);

#endif
