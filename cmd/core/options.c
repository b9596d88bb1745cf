/* SPDX-License-Identifier: GPL-2.0-only */
/* Applies the shared options to a capture. */
#include "cmd/core/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/event_glob.h"
#include "base/fail.h"
#include "base/memory/pool.h"
#include "base/text/plural.h"
#include "base/text/suggest.h"
#include "capture/trigger/task_pattern.h"

const char *const options_formats[] = { "text", "csv", "json", "md", "openmetrics", NULL };
const char *const options_rows[] = { "text", "csv", "json", "md", NULL };
const char *const options_text_or_json[] = { "text", "json", NULL };
const char *const options_picks[] = { "each", "first", "last", "outer", "rearmed", NULL };

#define NS_PER_MS UINT64_C(1000000)

int options_ms(const char *text, uint64_t *ns, struct cdict_error *err)
{
	/* read as seconds with nine decimals: a thousand times too much */
	size_t len = strlen(text), whole = strcspn(text, ".");
	size_t decimals = len > whole ? len - whole - 1 : 0;
	uint64_t v;

	if (decimals <= 6 && !timespec_seconds(text, len, &v)) {
		*ns = v / 1000;
		return 0;
	}
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			  "'%s' is not a number of milliseconds (up to six decimals)", text);
}

/* Replaces the window in which markers are searched by the windows between them. */
static int mark_windows(struct options_filter *f, const struct options_shared *o,
			struct cdict_reader *r, struct cdict_error *err)
{
	struct markers_options how = { .start = o->window_start,
				       .end = o->window_end,
				       .pick = (enum markers_pick)o->window_pick,
				       .jobs = f->query.jobs };
	struct timespec_set marked;
	int rc;

	if (f->windows.n > 1)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "option --time takes only one window with markers, not %zu",
				  f->windows.n);
	if (f->windows.n) {
		how.from_ns = f->windows.windows[0].from_ns;
		how.to_ns = f->windows.windows[0].to_ns;
	}
	rc = markers_find(&marked, &f->markers, r, &how, err);
	if (rc)
		return rc;
	timespec_fini(&f->windows);
	f->windows = marked;
	f->clipped = f->marked = true;
	return 0;
}

static int init_windows(struct options_filter *f, const struct options_shared *o,
			struct cdict_reader *r, struct cdict_error *err)
{
	uint64_t first, last, from, to, ns;
	int rc;

	f->clipped = o->time || o->from_ms || o->cap_ms;
	if (!cdict_reader_window(r, &first, &last)) {
		first = last = 0;
		/* still check the options' text */
	}
	rc = o->time ? timespec_parse(&f->windows, o->time, first, last, err)
		     : timespec_one(&f->windows, first, last);
	if (rc == -ENOMEM)
		return cdict_fail_nomem(err);
	if (rc)
		return rc;
	from = first;
	to = last;
	if (o->from_ms) {
		rc = options_ms(o->from_ms, &ns, err);
		if (rc)
			return rc;
		if (__builtin_add_overflow(first, ns, &from))
			from = UINT64_MAX;
	}
	if (o->cap_ms) {
		rc = options_ms(o->cap_ms, &ns, err);
		if (rc)
			return rc;
		if (!__builtin_add_overflow(from, ns, &ns) && ns < to)
			to = ns;
	}
	timespec_clip(&f->windows, from, to);
	if (!f->windows.n && cdict_reader_window(r, &first, &last))
		return cdict_fail(err, CDICT_ENOEVENTS, CDICT_NO_OFFSET,
				  "the requested time is outside the capture, which lasts from "
				  "%llu.%09llu to %llu.%09llu s",
				  (unsigned long long)(first / 1000000000),
				  (unsigned long long)(first % 1000000000),
				  (unsigned long long)(last / 1000000000),
				  (unsigned long long)(last % 1000000000));
	rc = o->window_start || o->window_end ? mark_windows(f, o, r, err) : 0;
	if (rc)
		return rc;
	if (f->windows.n) {
		f->from_ns = f->windows.windows[0].from_ns;
		f->to_ns = f->windows.windows[f->windows.n - 1].to_ns;
	}
	if (f->clipped) {
		f->query.from_ns = f->from_ns;
		f->query.to_ns = f->to_ns;
	}
	return 0;
}

static int no_event(const struct cdict_schema *schema, const char *glob, struct cdict_error *err)
{
	struct suggest s;

	suggest_begin(&s, glob, strlen(glob));
	for (size_t i = 0; i < cdict_schema_count(schema); i++) {
		const struct cdict_event_type *type = cdict_schema_at(schema, i);

		suggest_try(&s, strchr(glob, ':') ? type->name : type->event);
	}
	return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
			  "no event of the capture matches '%s'%s", glob, suggest_text(&s, ""));
}

static int init_types(struct options_filter *f, const struct options_shared *o,
		      const struct cdict_reader *r, struct cdict_error *err)
{
	const struct cdict_schema *schema = cdict_reader_schema(r);
	size_t n = cdict_schema_count(schema);

	if (!o->events.n)
		return 0;
	f->types = calloc(n / 64 + 1, sizeof(*f->types));
	if (!f->types)
		return cdict_fail_nomem(err);
	for (size_t g = 0; g < o->events.n; g++) {
		const char *glob = o->events.at[g];
		bool matched = false;

		for (size_t i = 0; i < n; i++) {
			const struct cdict_event_type *type = cdict_schema_at(schema, i);

			if (!event_glob(glob, type->name))
				continue;
			f->types[i / 64] |= UINT64_C(1) << (i % 64);
			matched = true;
		}
		if (!matched)
			return no_event(schema, glob, err);
	}
	f->query.types = f->types;
	f->query.n_types = n;
	return 0;
}

/* Whether one of the given CPUs exists. */
static int check_cpus(const struct options_shared *o, const struct cdict_reader *r,
		      struct cdict_error *err)
{
	uint32_t cpus = cdict_reader_cpus(r);

	for (uint32_t cpu = 0; cpu < o->cpus.n && cpu < cpus; cpu++)
		if (o->cpus.bits[cpu / 64] >> (cpu % 64) & 1)
			return 0;
	return !o->cpus.bits || !cpus
		       ? 0
		       : cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
				    "has no such CPU: its CPUs are 0 to %" PRIu32, cpus - 1);
}

int options_filter_init(struct options_filter *f, const struct options_shared *o,
			struct cdict_reader *r, struct cdict_error *err)
{
	int rc;

	*f = (struct options_filter){ 0 };
	f->query.jobs = o->jobs && o->jobs < 1024 ? (unsigned)o->jobs : pool_cpus();
	f->query.cpus = o->cpus.bits;
	f->query.n_cpus = o->cpus.n;
	rc = init_windows(f, o, r, err);
	if (!rc)
		rc = check_cpus(o, r, err);
	if (!rc)
		rc = init_types(f, o, r, err);
	if (!rc && o->task)
		rc = task_pattern_new(&f->tasks, o->task, err);
	return rc;
}

void options_filter_fini(struct options_filter *f)
{
	timespec_fini(&f->windows);
	markers_found_fini(&f->markers);
	free(f->types);
	task_pattern_free(f->tasks);
	*f = (struct options_filter){ 0 };
}

int options_filter_one_window(const struct options_filter *f, struct cdict_error *err)
{
	if (f->windows.n <= 1)
		return 0;
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			  "option --time takes one window here, not %zu", f->windows.n);
}

void options_filter_report(const struct options_filter *f, const struct cmd_call *call,
			   const char *file)
{
	const struct markers_found *m = &f->markers;

	if (!f->marked)
		return;
	if (m->open)
		cmd_warn(call, file,
			 "ignored the window that starts at %" PRIu64 ".%09" PRIu64
			 " s: it has no end",
			 m->open_at_ns / 1000000000, m->open_at_ns % 1000000000);
	if (m->nested)
		cmd_warn(call, file, "ignored %" PRIu64 " start marker%s inside an open window",
			 m->nested, m->nested == 1 ? "" : "s");
	if (call->verbose)
		cmd_warn(
			call, file,
			"%s window%s between markers, %s end marker%s outside a window, %s restart%s",
			GROUPED(m->windows), m->windows == 1 ? "" : "s", GROUPED(m->ends),
			m->ends == 1 ? "" : "s", GROUPED(m->restarts), m->restarts == 1 ? "" : "s");
}

struct names_options options_names(const struct options_shared *o, struct options_filter *f,
				   struct label_index *labels)
{
	return (struct names_options){
		.labels = labels,
		.merge_sys_tasks = o->merge_sys_tasks,
		.append_tid = o->append_tid,
		.filter = { .vm = o->vm,
			    .tids = o->tids.at,
			    .n_tids = o->tids.n,
			    .pattern = o->task,
			    .matches = o->task ? task_pattern_matches : NULL,
			    .ctx = f->tasks },
	};
}

int options_fail(const struct cmd_call *call, const char *subject, const struct cdict_error *err)
{
	if (err->code == CDICT_EUSAGE)
		return cmd_usage(call, "%s", err->text);
	return cmd_error(call, subject, err);
}
