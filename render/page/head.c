/* SPDX-License-Identifier: GPL-2.0-only */
/* The page's data about a capture: doc/page.md, "The object". */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text/cpulist.h"
#include "base/text/plural.h"
#include "cdict/stack.h"
#include "render/engine/arrays.h"
#include "render/engine/capture.h"
#include "render/page/page.h"
#include "tables/columns/loss.h"
#include "tables/columns/number.h"
#include "tables/guest/guests.h"
#include "tables/info/info.h"

static const char *base_name(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

static void clock_json(struct json *j, const struct page_capture *c)
{
	uint64_t wall;
	char text[64], *end;
	struct tm tm;
	time_t s;

	snprintf(text, sizeof(text), "%" PRIu64, c->t0_ns);
	json_text(j, "clock", cdict_reader_info(c->walk->reader, "clock.id"));
	json_text(j, "t0_ns", text);
	if (!info_wall(c->walk->reader, c->t0_ns, &wall)) {
		json_null(j, "wall_t0");
		return;
	}
	s = (time_t)(wall / 1000000000);
	if (!gmtime_r(&s, &tm) || !strftime(text, 40, "%Y-%m-%dT%H:%M:%S", &tm)) {
		json_null(j, "wall_t0");
		return;
	}
	end = text + strlen(text);
	snprintf(end, (size_t)(text + sizeof(text) - end), ".%09" PRIu64 "Z", wall % 1000000000);
	json_text(j, "wall_t0", text);
}

static void has_json(struct json *j, const struct page_capture *c,
		     const struct analyze_summary *sum)
{
	json_open(j, "has", '{', false);
	json_bool(j, "switch", sum->has_switch);
	json_bool(j, "runs", sum->has_runs);
	json_bool(j, "waking", sum->has_waking);
	json_bool(j, "wakeup", sum->has_wakeup);
	json_bool(j, "entry", sum->has_entry);
	json_bool(j, "exit", sum->has_exit);
	json_bool(j, "stacks", cdict_reader_stack_count(c->walk->reader));
	json_close(j);
}

static void types_json(struct json *j, const struct cdict_reader *r)
{
	const struct cdict_schema *schema = cdict_reader_schema(r);

	json_open(j, "types", '[', true);
	for (size_t i = 0; i < cdict_schema_count(schema); i++) {
		uint64_t n = cdict_reader_type_events(r, i);

		if (!n)
			continue;
		json_open(j, NULL, '{', false);
		json_text(j, "name", cdict_schema_at(schema, i)->name);
		json_u64(j, "events", n);
		json_close(j);
	}
	json_close(j);
}

/* "0-1,4 2-3": foreign text; a syntax error ends the list. */
static void siblings_json(struct json *j, const struct cdict_reader *r)
{
	const char *p = cdict_reader_info(r, "topology.threads");
	uint32_t cpus = cdict_reader_cpus(r), left = cpus, from, to;

	json_open(j, "siblings", '[', false);
	while (p && *p >= '0' && *p <= '9' && left) {
		const char *before = p;

		json_open(j, NULL, '[', false);
		while (cpulist_next(&p, &from, &to))
			for (; from <= to && from < cpus && left; from++, left--)
				json_u64(j, NULL, from);
		json_close(j);
		if (p == before)
			break;
		if (*p == ' ')
			p++;
	}
	json_close(j);
}

static void cpus_json(struct json *j, const struct page_capture *c)
{
	uint64_t window_ns = analyze_engine_summary(c->walk->eng)->window_ns;

	json_open(j, "cpus", '[', false);
	for (uint32_t cpu = 0; cpu < analyze_engine_cpus(c->walk->eng); cpu++) {
		json_open(j, NULL, '{', false);
		json_u64(j, "cpu", cpu);
		json_i64(j, "node", tables_node(c->walk, cpu));
		json_bool(j, "seen", analyze_engine_cpu_unknown_ns(c->walk->eng, cpu) < window_ns);
		json_close(j);
	}
	json_close(j);
}

static void loss_records(struct json *j, const struct page_capture *c, uint64_t from_ns,
			 uint64_t to_ns)
{
	const struct cdict_reader *r = c->walk->reader;
	const struct cdict_schema *schema = cdict_reader_schema(r);
	size_t n = 0;

	from_ns = loss_since(r, from_ns);
	json_open(j, "records", '[', true);
	for (size_t i = 0; i < cdict_reader_loss_count(r); i++) {
		const struct cdict_loss *loss = cdict_reader_loss_at(r, i);

		if (loss->to_ns < from_ns || loss->from_ns > to_ns)
			continue;
		if (n++ >= LOSS_RECORDS)
			continue;
		loss_record_open(j, loss, schema);
		/* some last for ever; clip them to the capture */
		page_time_json(j, "from_ns", loss->from_ns < c->t0_ns ? c->t0_ns : loss->from_ns,
			       c->t0_ns);
		page_time_json(j, "to_ns", loss->to_ns > c->last_ns ? c->last_ns : loss->to_ns,
			       c->t0_ns);
		json_u64(j, "count", loss->count);
		json_close(j);
	}
	json_close(j);
	if (n > LOSS_RECORDS)
		json_u64(j, "records_left_out", n - LOSS_RECORDS);
}

static int loss(struct json *j, const struct page_capture *c)
{
	const struct analyze_summary *sum = analyze_engine_summary(c->walk->eng);
	struct loss_sum lost;
	char *text;

	loss_sum(&lost, c->walk->reader, sum->from_ns, sum->to_ns);
	text = loss_text(&lost, sum->unknown_ns); /* the sentence in the output of every command */
	if (!text)
		return -ENOMEM;
	json_open(j, "loss", '{', true);
	json_u64(j, "lost", lost.lost);
	json_number(j, "percent", lost.percent);
	json_text(j, "text", text);
	loss_records(j, c, sum->from_ns, sum->to_ns);
	json_close(j);
	free(text);
	return 0;
}

/* Writes the lines below every table, one by one, and the time in one of them. */
static int recorded_json(struct json *j, const struct page_capture *c, const struct scope *scope)
{
	char more[NUMBER_ROOM], kept[NUMBER_ROOM];
	struct sink s;
	char *text, *line, *rest;

	sink_to_memory(&s);
	sink_puts(&s, "");
	if (c->kept)
		sink_printf(&s,
			    "tasks: ... and %s more task%s: the page lists %s, those that ran or "
			    "waited longest; 'cdict tasks' prints all\n",
			    number_grouped(more, c->n_tasks - c->n_kept),
			    plural(c->n_tasks - c->n_kept), number_grouped(kept, c->n_kept));
	loss_scope(&s, scope, 0);
	rest = text = sink_take(&s, NULL);
	if (!text)
		return -ENOMEM;
	json_open(j, "recorded", '[', false);
	while ((line = strsep(&rest, "\n")) && *line)
		json_text(j, NULL, line);
	json_close(j);
	if (scope->begins_ns)
		page_time_json(j, "recorded_until", scope->begins_ns, c->t0_ns);
	else
		json_null(j, "recorded_until");
	free(text);
	return 0;
}

static void damage_json(struct json *j, const struct cdict_reader *r)
{
	const char *input = cdict_reader_info(r, "input.damage");
	struct cdict_damage damage;
	char text[400];

	cdict_reader_damage(r, &damage);
	if (damage.first[0])
		json_text(j, "damage", damage.first);
	else if (damage.cut || damage.blocks || damage.skipped_bytes)
		json_text(j, "damage", "is truncated: its writer was stopped");
	else if (damage.input_damaged) {
		snprintf(text, sizeof(text), "made from a damaged recording%s%s", input ? ": " : "",
			 input ? input : "");
		json_text(j, "damage", text);
	} else {
		json_null(j, "damage");
	}
}

static void filter_json(struct json *j, const struct page_capture *c)
{
	const struct names_filter *filter = &c->walk->opts.names.filter;

	json_open(j, "filter", '{', false);
	json_text(j, "task", filter->pattern);
	if (filter->n_tids) {
		json_open(j, "tid", '[', false);
		for (size_t i = 0; i < filter->n_tids; i++)
			json_i64(j, NULL, filter->tids[i]);
		json_close(j);
	} else {
		json_null(j, "tid");
	}
	json_text(j, "vm", filter->vm);
	json_close(j);
}

static void why_not_json(struct json *j, const struct page_capture *c)
{
	char text[160];

	if (c->data) {
		json_null(j, "why_not");
		return;
	}
	if (!page_has_engine()) {
		json_text(
			j, "why_not",
			"The cdict that made this page was built without WebAssembly: zoom ends at the "
			"columns of the overview.");
		return;
	}
	snprintf(
		text, sizeof(text),
		"The capture itself (%.0f MB) is not in this page: zoom ends at the columns of the "
		"overview. Use --embed all to include it.",
		(double)cdict_reader_size(c->walk->reader) / 1e6);
	json_text(j, "why_not", text);
}

static void report_lack(void *ctx, const char *event, const char *what)
{
	json_open(ctx, NULL, '{', false);
	json_text(ctx, "event", event);
	json_text(ctx, "unknown", what);
	json_close(ctx);
}

/* With those about the joined guests' tasks, unless the guests cannot be read: the commands report that. */
static int findings(struct json *j, const struct page_capture *c)
{
	struct tables_options opts = c->walk->opts;
	struct cdict_error err = { 0 };
	struct guests *g = NULL;
	int rc = 0;

	opts.digests = NULL;
	if (guests_joined(c->walk->reader))
		rc = guests_new(&g, c->walk->reader, &opts, &err);
	if (rc != -ENOMEM)
		rc = tables_findings_json(j, c->walk, c->t0_ns, c->kept, g);
	guests_free(g);
	return rc;
}

static int capture_json(struct json *j, const struct page_capture *c, size_t index)
{
	static const char *const about[][2] = {
		{ "host", "host.name" },
		{ "kernel", "host.kernel" },
		{ "arch", "host.arch" },
		{ "cpu", "host.cpu" },
		{ "perf_version", "perf.version" },
		{ "command", "perf.cmdline" },
	};
	const struct analyze_summary *sum = analyze_engine_summary(c->walk->eng);
	const struct cdict_reader *r = c->walk->reader;
	int rc;

	json_open(j, NULL, '{', true);
	json_u64(j, "index", index);
	json_text(j, "label", c->label);
	json_text(j, "file", base_name(c->file));
	for (size_t i = 0; i < sizeof(about) / sizeof(about[0]); i++)
		json_text(j, about[i][0], cdict_reader_info(r, about[i][1]));
	clock_json(j, c);
	json_open(j, "window", '{', false);
	page_time_json(j, "from", sum->from_ns, c->t0_ns);
	page_time_json(j, "to", sum->to_ns, c->t0_ns);
	json_close(j);
	json_u64(j, "events", cdict_reader_events(r));
	json_u64(j, "window_events", sum->events);
	json_u64(j, "bytes", c->data ? c->size : cdict_reader_size(r));
	json_bool(j, "embedded", c->data != NULL);
	if (guests_joined(c->walk->reader))
		json_u64(j, "guests", guests_joined(c->walk->reader));
	why_not_json(j, c);
	has_json(j, c, sum);
	json_open(j, "not_recorded", '[', false);
	/* The page shows the other ones in their views. */
	table_lacks(c->tables, PAGE_SUCCESSORS,
		    TABLE_HUMAN | TABLE_OF_HALTS | TABLE_OF_POLLS | TABLE_OF_CORES, report_lack, j);
	json_close(j);
	types_json(j, r);
	cpus_json(j, c);
	siblings_json(j, r);
	rc = recorded_json(j, c, &sum->scope);
	rc = rc ? rc : loss(j, c);
	damage_json(j, r);
	filter_json(j, c);
	if (!rc)
		rc = findings(j, c);
	json_close(j);
	return rc;
}

int page_head_json(struct json *j, struct page_capture *const *captures, size_t n,
		   const struct page_view *view)
{
	int rc = 0;

	json_open(j, NULL, '{', true);
	json_open(j, "format", '{', false);
	json_text(j, "name", "cdict-page");
	json_u64(j, "version", 1);
	json_close(j);
	json_text(j, "generator", "cdict " CDICT_BUILD_VERSION);
	json_text(j, "only", view->only);
	json_open(j, "start", '{', false);
	json_text(j, "what", view->what);
	json_text(j, "by", view->by);
	json_text(j, "fold", view->fold);
	json_close(j);
	page_palette_json(j, captures, n);
	json_open(j, "captures", '[', true);
	for (size_t i = 0; i < n && !rc; i++)
		rc = capture_json(j, captures[i], i);
	json_close(j);
	if (!rc && n > 1)
		rc = page_compare_json(j, captures, n, view->diff);
	else
		json_null(j, "compare");
	json_close(j);
	return rc;
}
