/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions that the page's worker (render/web/engine/engine.js) calls: engine.h for one capture, with
 * JavaScript's numbers.  An instance of the module holds one capture.
 *
 * The caller writes texts and lists into memory from room() and give()s it back when the call that it was
 * for has returned; for a question, when that has started.  A call that fails returns a negative code
 * (open_capture() too), and error() returns the reason.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory/array.h"
#include "render/engine/engine.h"

#define EXPORT(type, name, ...)                                                                    \
	__attribute__((export_name(#name))) type name(__VA_ARGS__);                                \
	type name(__VA_ARGS__)

static struct page_engine *engine;
static struct page_query query;
static struct cdict_error problem;
static ARRAY(const char *) reasons;

EXPORT(void *, room, size_t size)
{
	return malloc(size);
}

EXPORT(void, give, void *p)
{
	free(p);
}

EXPORT(const char *, error, void)
{
	return problem.text;
}

/* Borrows @data. */
EXPORT(int, open_capture, const void *data, size_t size)
{
	return page_engine_open(&engine, data, size, &problem);
}

/* @idle_cpu: for IDLE, else any value; @born_ns NaN: unknown. */
EXPORT(int, task, int32_t tid, uint32_t idle_cpu, double born_ns, int wanted, int vcpu)
{
	struct page_task task = { .tid = tid,
				  .idle_cpu = idle_cpu,
				  .born_ns = isnan(born_ns) ? INT64_MIN : (int64_t)born_ns,
				  .wanted = wanted,
				  .vcpu = vcpu };

	return page_engine_task(engine, &task);
}

/* ---- a question ---- */

EXPORT(void, question, const char *call, double from_ns, double to_ns)
{
	reasons.n = 0;
	query = (struct page_query){ .call = call,
				     .from_ns = (uint64_t)from_ns,
				     .to_ns = (uint64_t)to_ns };
}

EXPORT(void, of_tasks, const uint32_t *tasks, size_t n)
{
	query.tasks = tasks;
	query.n_tasks = n;
}

EXPORT(void, of_cpus, const uint32_t *cpus, size_t n)
{
	query.cpus = cpus;
	query.n_cpus = n;
}

EXPORT(void, of_wanted, void)
{
	query.filtered = true;
}

/* -1: there is no such kind. */
EXPORT(int, of_kind, const char *kind)
{
	int bit = page_engine_kind(kind);

	if (bit >= 0)
		query.kinds |= 1u << bit;
	return bit;
}

/* [lo, hi); hi 0: any. */
EXPORT(void, of_length, double lo_ns, double hi_ns)
{
	query.lo_ns = (uint64_t)lo_ns;
	query.hi_ns = (uint64_t)hi_ns;
}

EXPORT(void, on_columns, unsigned columns)
{
	query.columns = columns;
}

EXPORT(void, at_most, size_t n)
{
	query.max = n;
}

EXPORT(void, of_type, const char *type)
{
	query.type = type;
}

EXPORT(int, of_reason, const char *reason)
{
	if (array_push(&reasons, reason))
		return -1;
	query.reasons = reasons.at;
	query.n_reasons = reasons.n;
	return 0;
}

EXPORT(void, from_row, double offset)
{
	query.offset = (uint64_t)offset;
}

EXPORT(int, start, void)
{
	return page_engine_ask(engine, &query, &problem);
}

EXPORT(int, step, double events)
{
	return page_engine_step(engine, (uint64_t)events, &problem);
}

EXPORT(double, share, void)
{
	return page_engine_share(engine);
}

/* ---- its answer ---- */

EXPORT(const char *, json, void)
{
	size_t len;

	return page_engine_json(engine, &len);
}

EXPORT(size_t, json_size, void)
{
	size_t len;

	page_engine_json(engine, &len);
	return len;
}

EXPORT(const void *, arrays, void)
{
	size_t len;

	return page_engine_arrays(engine, &len);
}

EXPORT(size_t, arrays_size, void)
{
	size_t len;

	page_engine_arrays(engine, &len);
	return len;
}
