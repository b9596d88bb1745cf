/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rows.h - records beside the events: births, names and deaths of tasks, losses
 * and late events, on their way from a source to the file.
 *
 * Failure    the buffers remember out of memory (rows_failed)
 */
#ifndef CONVERT_INGEST_ROWS_H
#define CONVERT_INGEST_ROWS_H

#include "base/memory/buf.h"
#include "cdict/writer.h"

struct task_row {
	uint64_t t_ns;
	enum cdict_task_what what;
	int32_t pid, tid, ppid, ptid;
	uint32_t comm; /* offset in rows.text, + 1; 0: none */
};

/* The zero value is empty. */
struct rows {
	struct buf tasks;  /* struct task_row */
	struct buf losses; /* struct cdict_loss */
	struct buf text;   /* comms, each with its NUL */
};

static inline size_t rows_tasks(const struct rows *r)
{
	return r->tasks.len / sizeof(struct task_row);
}

static inline const struct task_row *rows_task(const struct rows *r, size_t i)
{
	return (const struct task_row *)r->tasks.data + i;
}

/* rows_comm - comm of a task row of @r; NULL when it has none. */
static inline const char *rows_comm(const struct rows *r, const struct task_row *row)
{
	return row->comm ? (const char *)r->text.data + row->comm - 1 : NULL;
}

static inline size_t rows_losses(const struct rows *r)
{
	return r->losses.len / sizeof(struct cdict_loss);
}

static inline struct cdict_loss *rows_loss(const struct rows *r, size_t i)
{
	return (struct cdict_loss *)r->losses.data + i;
}

static inline void rows_add_loss(struct rows *r, const struct cdict_loss *loss)
{
	buf_add(&r->losses, loss, sizeof(*loss));
}

/* rows_add_task - copies @ev's comm. */
void rows_add_task(struct rows *r, const struct cdict_task_event *ev);
/* rows_add_late - an event that perf prints after later ones. */
void rows_add_late(struct rows *r, const struct cdict_late *late);

static inline bool rows_empty(const struct rows *r)
{
	return !r->tasks.len && !r->losses.len;
}

static inline bool rows_failed(const struct rows *r)
{
	return r->tasks.failed || r->losses.failed || r->text.failed;
}

static inline size_t rows_bytes(const struct rows *r)
{
	return r->tasks.cap + r->losses.cap + r->text.cap;
}

void rows_fini(struct rows *r);

/* rows_write - writes them as rows of the cdict. */
int rows_write(const struct rows *r, struct cdict_writer *w, struct cdict_error *err);

#endif
