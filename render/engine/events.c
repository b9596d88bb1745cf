/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of a range as text, one page at a time: found in a walk that decodes only the fields that
 * identify an event's task, then decoded in full where the shown ones are.  The rest is counted CPU by
 * CPU: ordering the events of hundreds of CPUs is most of a walk's work.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/printing/print.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"
#include "render/engine/engine_internal.h"

/* Number of counting walks; with more CPUs, each counts several. */
#define COUNTS_MOST 1024u

struct type_tasks {
	unsigned n;
	int fields[2];
};

struct row {
	uint64_t at_ns;
	uint32_t cpu, type, task;
	int32_t tid;
	size_t text; /* offset of its text, NUL-terminated */
};

struct events {
	struct cdict_events *it;
	struct cdict_query query;
	struct type_tasks *tasks; /* by type */
	uint64_t *types;          /* bitmap of the wanted one */
	struct printer *printer;
	enum { FIND, SHOW, COUNT } walk;
	uint64_t from_ns, to_ns; /* of the range */
	uint64_t found, total;   /* up to the page's end; all */
	bool whole;              /* no counting is needed */
	/* Times of the shown rows; the first @skip at first_ns are not shown. */
	uint64_t first_ns, last_ns, skip;
	uint64_t now_ns, same; /* wanted events at this time, so far */
	/* Bitmaps of CPUs: those of the shown rows, and those being counted. */
	uint64_t *on, *counted;
	uint32_t n_cpus, next_cpu;
	ARRAY(struct row) rows;
	struct buf text;
};

/* The fields that identify an event's task, by type; one allocation. */
static uint64_t **fields_of(const struct page_engine *e)
{
	const struct events *v = e->state;
	const struct cdict_schema *schema = cdict_reader_schema(e->reader);
	size_t n = cdict_schema_count(schema), words = 0, at = 0;
	uint64_t **fields, *bits;

	for (size_t i = 0; i < n; i++)
		words += (cdict_schema_at(schema, i)->n_fields + 63) / 64;
	fields = calloc(1, (n + 1) * sizeof(*fields) + words * sizeof(*bits));
	if (!fields)
		return NULL;
	bits = (uint64_t *)(fields + n + 1);
	for (size_t i = 0; i < n; i++) {
		fields[i] = bits + at;
		at += (cdict_schema_at(schema, i)->n_fields + 63) / 64;
		for (unsigned k = 0; e->chosen && k < v->tasks[i].n; k++)
			fields[i][v->tasks[i].fields[k] / 64] |= UINT64_C(1)
								 << v->tasks[i].fields[k] % 64;
	}
	return fields;
}

static int open_walk(struct page_engine *e, struct cdict_error *err)
{
	struct events *v = e->state;
	uint64_t **fields = NULL;
	int rc;

	cdict_events_close(v->it);
	v->it = NULL;
	v->now_ns = UINT64_MAX;
	if (v->walk != SHOW) {
		fields = fields_of(e);
		if (!fields)
			return cdict_fail_nomem(err);
	}
	v->query.fields = (const uint64_t *const *)fields;
	rc = cdict_events_open(&v->it, e->reader, &v->query, err);
	free(fields);
	return rc;
}

static int events_add(struct page_engine *e, struct cdict_error *err)
{
	const struct cdict_schema *schema = cdict_reader_schema(e->reader);
	size_t n = cdict_schema_count(schema);
	struct events *v = e->state;

	v->tasks = calloc(n + 1, sizeof(*v->tasks));
	v->types = calloc(n / 64 + 1, sizeof(*v->types));
	v->n_cpus = cdict_reader_cpus(e->reader);
	v->on = calloc(v->n_cpus / 64 + 1, sizeof(*v->on));
	v->counted = calloc(v->n_cpus / 64 + 1, sizeof(*v->counted));
	v->printer = printer_new(schema);
	if (!v->tasks || !v->types || !v->on || !v->counted || !v->printer ||
	    printer_symbols(v->printer, cdict_reader_info(e->reader, "trace.symbols")))
		return cdict_fail_nomem(err);
	printer_source(v->printer, cdict_reader_info(e->reader, "source"));
	for (size_t i = 0; i < n; i++) {
		v->tasks[i].n = analyze_type_tasks(cdict_schema_at(schema, i), v->tasks[i].fields);
		if (e->q.type && !strcmp(cdict_schema_at(schema, i)->name, e->q.type))
			v->types[i / 64] |= UINT64_C(1) << i % 64;
	}
	v->query = (struct cdict_query){ .from_ns = e->t0_ns + e->q.from_ns,
					 .to_ns = e->t0_ns + e->q.to_ns,
					 .cpus = e->cpus,
					 .n_cpus = e->n_cpus,
					 .types = e->q.type ? v->types : NULL,
					 .n_types = n,
					 .n_fields = n };
	/* a query includes its end, a range only at the capture's end */
	if (v->query.to_ns != e->last_ns && v->query.to_ns > v->query.from_ns)
		v->query.to_ns--;
	/* a question for rows alone has the total already */
	v->whole = e->part == PAGE_ROWS;
	v->from_ns = v->query.from_ns;
	v->to_ns = v->query.to_ns;
	return open_walk(e, err);
}

static void events_fini(struct page_engine *e)
{
	struct events *v = e->state;

	cdict_events_close(v->it);
	printer_free(v->printer);
	array_fini(&v->rows);
	buf_fini(&v->text);
	free(v->tasks);
	free(v->types);
	free(v->on);
	free(v->counted);
}

static bool is_of(struct page_engine *e, int32_t tid, const struct cdict_event *ev)
{
	return tid >= 0 &&
	       page_tasks_wanted(e, page_tasks_at(e, tid, ev->cpu, ev->t_ns - e->t0_ns));
}

static bool is_asked_for(struct page_engine *e, const struct cdict_event *ev)
{
	const struct events *v = e->state;
	const struct type_tasks *named = &v->tasks[ev->type->index];

	if (!e->chosen || is_of(e, ev->tid, ev))
		return true;
	for (unsigned k = 0; k < named->n; k++)
		if (is_of(e, (int32_t)ev->values[named->fields[k]], ev))
			return true;
	return false;
}

static int show(struct page_engine *e, const struct cdict_event *ev)
{
	struct events *v = e->state;
	const struct page_task_key *known = page_tasks_at(e, ev->tid, ev->cpu, ev->t_ns - e->t0_ns);
	struct row row = { .at_ns = ev->t_ns - e->t0_ns,
			   .cpu = ev->cpu,
			   .type = ev->type->index,
			   .task = known ? known->number : PAGE_NO_TASK,
			   .tid = ev->tid,
			   .text = v->text.len };

	if (!printer_text(v->printer, ev, &v->text))
		printer_plain(ev, &v->text);
	buf_u8(&v->text, 0);
	if (v->text.failed)
		return -ENOMEM;
	row.text += v->text.data[row.text] == ' '; /* printed before a name */
	return array_push(&v->rows, row);
}

/* Handles a wanted event, in order.  1: go on, 0: the page is full. */
static int find_event(struct page_engine *e, const struct cdict_event *ev)
{
	struct events *v = e->state;

	if (v->found < e->q.offset && v->same == 1)
		memset(v->on, 0, (v->n_cpus / 64 + 1) * sizeof(*v->on));
	if (ev->cpu < v->n_cpus)
		v->on[ev->cpu / 64] |= UINT64_C(1) << ev->cpu % 64;
	if (v->found == e->q.offset) {
		v->first_ns = ev->t_ns;
		v->skip = v->same - 1;
	}
	v->last_ns = ev->t_ns;
	v->found++;
	return v->found < e->q.offset || v->found - e->q.offset < e->q.max;
}

/* 1: go on, 0: this walk is done, negative: out of memory. */
static int take_event(struct page_engine *e, const struct cdict_event *ev)
{
	struct events *v = e->state;

	if (ev->t_ns != v->now_ns)
		v->same = 0;
	v->now_ns = ev->t_ns;
	if (!is_asked_for(e, ev))
		return 1;
	v->same++;
	if (v->walk == COUNT) {
		v->total++;
		return 1;
	}
	if (v->walk == FIND)
		return find_event(e, ev);
	if (ev->t_ns == v->first_ns && v->same <= v->skip)
		return 1;
	return v->rows.n == e->q.max ? 0 : show(e, ev) ? -ENOMEM : 1;
}

/* Starts to count the next CPUs: 1, 0: there are none, or a negative code. */
static int count_next(struct page_engine *e, struct cdict_error *err)
{
	struct events *v = e->state;
	uint32_t n = 0, most = v->n_cpus / COUNTS_MOST + 1;
	int rc;

	memset(v->counted, 0, (v->n_cpus / 64 + 1) * sizeof(*v->counted));
	for (; v->next_cpu < v->n_cpus && n < most; v->next_cpu++) {
		if (e->cpus && !(e->cpus[v->next_cpu / 64] >> v->next_cpu % 64 & 1))
			continue;
		v->counted[v->next_cpu / 64] |= UINT64_C(1) << v->next_cpu % 64;
		n++;
	}
	if (!n)
		return 0;
	v->query.cpus = v->counted;
	v->query.n_cpus = v->n_cpus;
	rc = open_walk(e, err);
	return rc ? rc : 1;
}

/* Starts the next walk: 1; 0 after the last; or a negative code. */
static int next_walk(struct page_engine *e, struct cdict_error *err)
{
	struct events *v = e->state;
	int rc;

	if (v->walk == FIND && v->found > e->q.offset && e->q.max) {
		v->walk = SHOW;
		v->query.from_ns = v->first_ns;
		v->query.to_ns = v->last_ns;
		v->query.cpus = v->on;
		v->query.n_cpus = v->n_cpus;
		rc = open_walk(e, err);
		return rc ? rc : 1;
	}
	if (v->whole)
		return 0;
	v->walk = COUNT;
	v->query.from_ns = v->from_ns;
	v->query.to_ns = v->to_ns;
	return count_next(e, err);
}

static int events_step(struct page_engine *e, uint64_t events, struct cdict_error *err)
{
	struct events *v = e->state;
	struct cdict_event ev;
	int rc;

	for (; events; events--) {
		rc = cdict_events_next(v->it, &ev, err);
		if (rc < 0)
			return rc;
		if (!rc && v->walk == FIND) {
			v->whole = true;
			v->total = v->found;
		}
		if (rc)
			rc = take_event(e, &ev);
		if (rc < 0)
			return cdict_fail_nomem(err);
		if (!rc)
			rc = next_walk(e, err);
		if (rc <= 0)
			return rc;
	}
	return 1;
}

static int events_write(struct page_engine *e, struct arrays *a, struct cdict_error *err)
{
	const struct events *v = e->state;
	const struct cdict_schema *schema = cdict_reader_schema(e->reader);

	(void)err;
	if (e->part != PAGE_ROWS)
		json_u64(a->j, "total", v->total);
	json_open(a->j, "rows", '[', true);
	for (size_t i = 0; i < v->rows.n; i++) {
		const struct row *row = &v->rows.at[i];

		json_open(a->j, NULL, '{', false);
		json_u64(a->j, "at", row->at_ns);
		page_number_json(a->j, "cpu", row->cpu);
		json_i64(a->j, "tid", row->tid);
		page_number_json(a->j, "task", row->task);
		json_text(a->j, "type", cdict_schema_at(schema, row->type)->name);
		json_text(a->j, "text", (const char *)v->text.data + row->text);
		json_close(a->j);
	}
	json_close(a->j);
	return 0;
}

const struct page_call page_events = { .state_size = sizeof(struct events),
				       .add = events_add,
				       .write = events_write,
				       .fini = events_fini,
				       .step = events_step };
