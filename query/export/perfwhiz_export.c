/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of perfwhiz, the Python tool that first used the name cdict: zlib of a MessagePack map of eight columns
 * with an entry per event. A switch has the task that left the CPU, how long it had run (0: unknown), and the next task;
 * kvm_exit how long the guest had run and the exit's number; kvm_entry how long the exit took.
 *
 * Times are whole microseconds since the first row, as its reports cannot print others; a duration is the
 * difference of two of them, so that reading and writing a file again does not change it.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "convert/perfwhiz/columns.h"
#include "query/export/export.h"
#include "query/export/gzip.h"
#include "query/export/msgpack_write.h"

enum kind { SWITCH = 0, KVM_EXIT, KVM_ENTRY };

/* Columns are written when all rows are known, so rows are kept: about a dozen bytes each. */
struct perfwhiz {
	struct buf rows;
	uint64_t n;
	uint64_t us; /* of the previous row; the first one is at 0 */
};

struct row {
	enum kind kind;
	uint64_t us, dur_us, next; /* next: a task, or the exit's number */
	uint32_t cpu, task;
};

static void keep_row(struct export *x, const struct row *r)
{
	struct perfwhiz *p = x->own;

	if (!p->n)
		p->us = r->us;
	buf_u8(&p->rows, (uint8_t)r->kind);
	buf_svarint(&p->rows, (int64_t)(r->us - p->us));
	buf_varint(&p->rows, r->cpu);
	buf_varint(&p->rows, r->task);
	buf_varint(&p->rows, r->dur_us);
	buf_varint(&p->rows, r->next);
	p->us = r->us;
	p->n++;
	if (p->rows.failed)
		export_out_of_memory(x);
}

static uint64_t us(uint64_t ns)
{
	return ns / 1000;
}

static void put_switch(struct export *x, const struct export_switch *s)
{
	keep_row(x, &(struct row){ .kind = SWITCH,
				   .us = us(s->t_ns),
				   .dur_us = s->from_ns == ANALYZE_NO_TIME
						     ? 0
						     : us(s->t_ns) - us(s->from_ns),
				   .next = s->next,
				   .cpu = s->cpu,
				   .task = s->prev });
}

static void put_guest(struct export *x, const struct export_guest *g)
{
	keep_row(x, &(struct row){ .kind = KVM_EXIT,
				   .us = us(g->to_ns),
				   .dur_us = us(g->to_ns) - us(g->from_ns),
				   .next = g->code,
				   .cpu = g->cpu,
				   .task = g->task });
}

static void put_exit(struct export *x, const struct export_exit *e)
{
	keep_row(x, &(struct row){ .kind = KVM_ENTRY,
				   .us = us(e->t_ns + e->ns),
				   .dur_us = us(e->t_ns + e->ns) - us(e->t_ns),
				   .cpu = e->cpu,
				   .task = e->task });
}

/* ---- the columns ---- */

static struct row next_row(struct cursor *c, uint64_t *us)
{
	struct row r = { 0 };

	r.kind = (enum kind)cursor_u8(c);
	r.us = *us += (uint64_t)cursor_svarint(c);
	r.cpu = (uint32_t)cursor_varint(c);
	r.task = (uint32_t)cursor_varint(c);
	r.dur_us = cursor_varint(c);
	r.next = cursor_varint(c);
	return r;
}

static void name(struct export *x, struct sink *s, uint32_t task)
{
	const char *text = export_name(x, task);

	msgpack_text(s, text ? text : "");
}

static void put_column(struct export *x, struct sink *s, enum perfwhiz_column column,
		       const struct row *r)
{
	static const char *const events[] = { "sched__sched_switch", "kvm_exit", "kvm_entry" };

	switch (column) {
	case PERFWHIZ_EVENT:
		msgpack_text(s, events[r->kind]);
		return;
	case PERFWHIZ_CPU:
		msgpack_int(s, r->cpu);
		return;
	case PERFWHIZ_USECS:
		msgpack_int(s, (int64_t)r->us);
		return;
	case PERFWHIZ_PID:
		msgpack_int(s, export_task(x, r->task)->tid);
		return;
	case PERFWHIZ_TASK_NAME:
		name(x, s, r->task);
		return;
	case PERFWHIZ_DURATION:
		msgpack_int(s, (int64_t)r->dur_us);
		return;
	case PERFWHIZ_NEXT_PID:
		if (r->kind == SWITCH)
			msgpack_int(s, export_task(x, (uint32_t)r->next)->tid);
		else
			msgpack_nil(s);
		return;
	default:
		if (r->kind == SWITCH)
			name(x, s, (uint32_t)r->next);
		else if (r->kind == KVM_EXIT)
			msgpack_int(s, (int64_t)r->next);
		else
			msgpack_nil(s);
	}
}

static int end(struct export *x, struct cdict_error *err)
{
	struct perfwhiz *p = x->own;
	struct gzip z;
	int rc;

	if (p->n > UINT32_MAX)
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				  "more than 2^32 events; select a part with --time");
	rc = gzip_open(&z, x->out, GZIP_ZLIB, err);
	if (!rc)
		msgpack_map(&z.sink, PERFWHIZ_COLUMNS);
	for (unsigned c = 0; !rc && c < PERFWHIZ_COLUMNS; c++) {
		struct cursor at;
		uint64_t us = 0;

		msgpack_text(&z.sink, perfwhiz_column_names[c]);
		msgpack_array(&z.sink, (uint32_t)p->n);
		at = cursor_init(p->rows.data, p->rows.len, false);
		for (uint64_t i = 0; i < p->n && !z.sink.error; i++) {
			struct row r = next_row(&at, &us);

			put_column(x, &z.sink, c, &r);
		}
	}
	return gzip_close(&z) == -ENOMEM && !rc ? cdict_fail_nomem(err) : rc;
}

static void fini(struct export *x)
{
	struct perfwhiz *p = x->own;

	buf_fini(&p->rows);
}

const struct export_format export_perfwhiz = {
	.name = "perfwhiz",
	.own_size = sizeof(struct perfwhiz),
	.sw = put_switch,
	.guest = put_guest,
	.exit = put_exit,
	.end = end,
	.fini = fini,
};
