/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict diff: what changed between two captures, with an exit status for scripts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "cmd/compare.h"
#include "cmd/loss.h"

struct diff_opts {
	struct options_shared shared;
	struct cmd_list labels;
	const char *max_delay, *max_latency, *max_exits; /* text: "not given" is not 0 */
};

/* Below these many a figure says little, and is no regression. */
#define LEAST_WAITS 100
#define LEAST_EXITS 100

/* ---- the tables ---- */

/* Three columns a figure: before, after, the difference. */
enum { BASE, NEW, CHANGE, PARTS };
enum { NAME, SECOND, CPU, FIRST };

/* What the page calls by keys, people by these; the rest is shown with -v only. */
static const struct {
	const char *figure, *title;
} titles[] = {
	{ "run_percent", "run %" },         { "switches_per_s", "switches/s" },
	{ "latency_p99_ns", "lat p99 ms" }, { "count_per_s", "exits/s" },
	{ "time_percent", "time %" },       { "p99_ns", "p99 ms" },
	{ "delayed_percent", "delayed %" }, { "guest_percent", "guest %" },
	{ "worst_ns", "worst ms" },
};

struct changes {
	struct compare compare;
	struct table_column columns[FIRST + PARTS * COMPARE_FIGURES_MAX + 1];
	char names[PARTS * COMPARE_FIGURES_MAX][64], heads[PARTS * COMPARE_FIGURES_MAX][64];
	struct table *table;
};

static bool is_ns(const char *figure)
{
	size_t len = strlen(figure);

	return len > 3 && !strcmp(figure + len - 3, "_ns");
}

static void make_columns(struct changes *c)
{
	static const char *const keys[PARTS] = { "base", "new", "change" };
	static const char *const heads[PARTS] = { " was", " is", " by" };
	const struct compare_kind *kind = &compare_kinds[c->compare.what];

	c->columns[NAME] = (struct table_column){ "name", kind->name, TABLE_TEXT, 0 };
	c->columns[SECOND] = (struct table_column){ "reason", "reason", TABLE_TEXT, 0 };
	c->columns[CPU] = (struct table_column){ "cpu", "cpu", TABLE_INTEGER, 0 };
	if (!kind->second || strcmp(kind->second, "reason"))
		c->columns[SECOND].flags = TABLE_HIDDEN;
	if (!kind->second || strcmp(kind->second, "cpu"))
		c->columns[CPU].flags = TABLE_HIDDEN;
	for (size_t f = 0; f < c->compare.n_figures; f++) {
		const char *title = kind->figures[f];
		bool shown = false;

		for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++) {
			if (!strcmp(titles[i].figure, kind->figures[f])) {
				title = titles[i].title;
				shown = true;
			}
		}
		for (size_t p = 0; p < PARTS; p++) {
			size_t at = PARTS * f + p;
			struct table_column *col = &c->columns[FIRST + at];

			snprintf(c->names[at], sizeof(c->names[at]), "%s_%s", kind->figures[f],
				 keys[p]);
			snprintf(c->heads[at], sizeof(c->heads[at]), "%s%s", title, heads[p]);
			*col = (struct table_column){ c->names[at], c->heads[at], TABLE_PERCENT,
						      shown ? 0 : TABLE_WIDE };
			if (is_ns(kind->figures[f]))
				col->kind = p == CHANGE ? TABLE_INTEGER : TABLE_MS;
			/* a signed duration has no kind of its own: programs subtract in ns */
			if (is_ns(kind->figures[f]) && p == CHANGE)
				col->flags = TABLE_MACHINE;
		}
	}
	c->columns[FIRST + PARTS * c->compare.n_figures] =
		(struct table_column){ .kind = TABLE_END };
}

static void cell(struct table *t, size_t column, double v)
{
	if (!isfinite(v))
		return;
	switch (t->columns[column].kind) {
	case TABLE_MS:
		table_u64(t, column, (uint64_t)v);
		break;
	case TABLE_INTEGER:
		table_i64(t, column, (int64_t)v);
		break;
	default:
		table_percent(t, column, v);
	}
}

static void fill_row(struct changes *c, const struct compare_row *row)
{
	size_t nf = c->compare.n_figures;

	table_row(c->table);
	table_text(c->table, NAME, row->name);
	table_text(c->table, SECOND, row->second);
	if (row->cpu != CDICT_CPU_UNKNOWN)
		table_i64(c->table, CPU, row->cpu);
	for (size_t f = 0; f < nf; f++) {
		double base = row->values[f], now = row->values[nf + f];

		cell(c->table, FIRST + PARTS * f + BASE, base);
		cell(c->table, FIRST + PARTS * f + NEW, now);
		cell(c->table, FIRST + PARTS * f + CHANGE, now - base);
	}
}

static int make_table(struct changes *c, enum compare_what what,
		      const struct report_capture *captures, uint64_t top)
{
	if (compare_init(&c->compare, what, captures, 2))
		return figures_no_memory(&captures[0].f);
	make_columns(c);
	c->table = table_new(compare_kinds[what].name, c->columns);
	if (!c->table)
		return figures_no_memory(&captures[0].f);
	for (size_t i = 0; i < c->compare.n; i++)
		fill_row(c, &c->compare.rows[i]);
	table_top(c->table, top);
	return CMD_DONE;
}

/* ---- regressions ---- */

enum { R_WHAT, R_NAME, R_REASON, R_FIGURE, R_BASE, R_NEW, R_LIMIT };

static const struct table_column regression_columns[] = {
	[R_WHAT] = { "what", "worse", TABLE_TEXT, 0 },
	[R_NAME] = { "name", "task", TABLE_TEXT, 0 },
	[R_REASON] = { "reason", "reason", TABLE_TEXT, 0 },
	[R_FIGURE] = { "figure", "figure", TABLE_TEXT, 0 },
	[R_BASE] = { "base", "was", TABLE_PERCENT, 0 },
	[R_NEW] = { "new", "is", TABLE_PERCENT, 0 },
	[R_LIMIT] = { "limit", "at most", TABLE_PERCENT, 0 },
	TABLE_COLUMNS_END,
};

static void regression(struct table *t, const struct compare *c, const struct compare_row *row,
		       size_t figure, double limit)
{
	table_row(t);
	table_text(t, R_WHAT, compare_kinds[c->what].name);
	table_text(t, R_NAME, row->name);
	table_text(t, R_REASON, row->second);
	table_text(t, R_FIGURE, compare_kinds[c->what].figures[figure]);
	table_percent(t, R_BASE, row->values[figure]);
	table_percent(t, R_NEW, row->values[c->n_figures + figure]);
	table_percent(t, R_LIMIT, limit);
}

static size_t figure_of(const struct compare *c, const char *name)
{
	size_t f = 0;

	while (strcmp(compare_kinds[c->what].figures[f], name))
		f++;
	return f;
}

/* Rows of both captures whose @figure grew beyond base * @factor + @points; those of which
 * @often, a rate, says that there were fewer than @least are left alone. */
static void find(struct table *t, const struct compare *c, const char *figure, double factor,
		 double points, const char *often, double least, const double *window_s)
{
	size_t nf = c->n_figures, f = figure_of(c, figure), o = often ? figure_of(c, often) : 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct compare_row *row = &c->rows[i];
		double base = row->values[f], now = row->values[nf + f];
		double limit = base * factor + points;

		if (!isfinite(base) || !isfinite(now) || !(now > limit))
			continue;
		if (often && (row->values[o] * window_s[0] < least ||
			      row->values[nf + o] * window_s[1] < least))
			continue;
		regression(t, c, row, f, limit);
	}
}

static int number(const struct cmd_call *call, const char *option, const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	if (end == text || *end || !isfinite(*out) || *out < 0)
		return cmd_usage(call, "option --%s takes a number that is not negative, not '%s'",
				 option, text);
	return CMD_DONE;
}

/* What --max-... allow; NAN: not given. */
struct limits {
	double delay, latency, exits;
};

static int limits_of(const struct cmd_call *call, struct limits *limits)
{
	const struct diff_opts *o = call->opts;
	int status = CMD_DONE;

	*limits = (struct limits){ NAN, NAN, NAN };
	if (o->max_delay)
		status = number(call, "max-delay", o->max_delay, &limits->delay);
	if (!status && o->max_latency)
		status = number(call, "max-latency", o->max_latency, &limits->latency);
	if (!status && o->max_exits)
		status = number(call, "max-exits", o->max_exits, &limits->exits);
	return status;
}

static void find_all(struct table *t, const struct limits *limits, const struct changes *all,
		     const struct report_capture *captures)
{
	double window_s[2];

	for (size_t k = 0; k < 2; k++)
		window_s[k] = (double)analyze_engine_summary(captures[k].f.eng)->window_ns / 1e9;
	if (isfinite(limits->delay))
		find(t, &all[COMPARE_VCPU].compare, "delayed_percent", 1, limits->delay, NULL, 0,
		     window_s);
	if (isfinite(limits->latency))
		find(t, &all[COMPARE_TASKS].compare, "latency_p99_ns", 1 + limits->latency / 100, 0,
		     "wakeups_per_s", LEAST_WAITS, window_s);
	if (isfinite(limits->exits))
		find(t, &all[COMPARE_EXITS].compare, "count_per_s", 1 + limits->exits / 100, 0,
		     "count_per_s", LEAST_EXITS, window_s);
}

/* ---- the command ---- */

static char *note_of(const struct report_capture *captures)
{
	uint64_t a = analyze_engine_summary(captures[0].f.eng)->window_ns;
	uint64_t b = analyze_engine_summary(captures[1].f.eng)->window_ns;
	struct sink s;

	sink_to_memory(&s);
	sink_puts(&s, "against ");
	escape_terminal(&s, captures[1].label, strlen(captures[1].label));
	sink_puts(&s, ": ");
	sink_printf(&s, "%.6f s and %.6f s%s; percent is of each window", (double)a / 1e9,
		    (double)b / 1e9, a == b ? "" : ", so counts are per second");
	return sink_take(&s, NULL);
}

static int print(struct report_capture *captures, struct changes *all, struct table *regressions)
{
	static const enum compare_what order[] = { COMPARE_VCPU, COMPARE_EXITS, COMPARE_TASKS,
						   COMPARE_COREMAP };
	static const char *const headings[] = { "vCPUs, most changed first", "Exits", "Tasks",
						"Core map" };
	/* CSV has room for one table: what a script looks for */
	bool json = captures[0].f.opts->format == OPTIONS_JSON,
	     csv = captures[0].f.opts->format == OPTIONS_CSV;
	struct table *tables[COMPARE_N + 1];
	char *note = note_of(captures);
	size_t n = 0;
	int status;

	if (!note)
		return figures_no_memory(&captures[0].f);
	regressions->heading = "Worse than allowed";
	if (json || csv || regressions->n_rows)
		tables[n++] = regressions;
	for (size_t i = 0; i < COMPARE_N; i++) {
		struct table *t = all[order[i]].table;

		/* a core map is for looking at: cdict report draws it */
		if (!json && (!t->n_rows || order[i] == COMPARE_COREMAP))
			continue;
		t->heading = headings[i];
		tables[n++] = t;
	}
	status = figures_print_all(&captures[0].f, note, tables, n);
	free(note);
	return status;
}

static int diff_run(const struct cmd_call *call)
{
	const struct diff_opts *opts = call->opts;
	struct report_capture captures[2] = { 0 };
	struct changes all[COMPARE_N] = { 0 };
	struct table *regressions = table_new("regressions", regression_columns);
	uint64_t top = opts->shared.top;
	struct limits limits;
	size_t opened = 0;
	int status = limits_of(call, &limits), loss;

	if (!top && opts->shared.format != OPTIONS_JSON)
		top = 10;
	for (; opened < 2 && !status; opened++)
		status = report_capture_open(&captures[opened], call, call->operands[opened],
					     opened < opts->labels.n ? opts->labels.items[opened]
								     : NULL);
	if (!status && !regressions)
		status = figures_no_memory(&captures[0].f);
	for (unsigned what = 0; what < COMPARE_N && !status; what++)
		status = make_table(&all[what], (enum compare_what)what, captures, top);
	if (!status) {
		find_all(regressions, &limits, all, captures);
		status = print(captures, all, regressions);
		loss = loss_status(call, captures[1].f.file, captures[1].f.reader,
				   opts->shared.max_loss_pct);
		if (status == CMD_DONE)
			status = loss;
		if ((status == CMD_DONE || status == CMD_DAMAGED) && regressions->n_rows)
			status = CMD_REGRESSION;
	}
	for (unsigned what = 0; what < COMPARE_N; what++) {
		table_free(all[what].table);
		compare_fini(&all[what].compare);
	}
	table_free(regressions);
	for (size_t i = 0; i < opened; i++)
		report_capture_close(&captures[i]);
	return status;
}

static const struct cmd_option diff_options[] = {
	CMD_STRING(0, "max-delay", struct diff_opts, max_delay, "POINTS",
		   "regression: a vCPU was delayed POINTS percent of the window longer"),
	CMD_STRING(0, "max-latency", struct diff_opts, max_latency, "PCT",
		   "regression: a task's p99 wake-up latency grew by more than PCT percent"),
	CMD_STRING(0, "max-exits", struct diff_opts, max_exits, "PCT",
		   "regression: a task's exits for a reason grew by more than PCT percent"),
	CMD_LIST(0, "label", struct diff_opts, labels, "TEXT",
		 "call the first capture TEXT; again, or with commas, the second"),
	OPTIONS_TASKS,
	OPTIONS_WINDOW,
	OPTION_FORMAT,
	CMD_UINT('n', "top", struct options_shared, top, "N", "10",
		 "the N most changed rows of each table; JSON: all"),
	OPTION_MAX_LOSS,
	OPTIONS_MESSAGES,
	CMD_OPTIONS_END,
};

static const struct cmd_example diff_examples[] = {
	{ "cdict diff before.cdict after.cdict", "what changed most" },
	{ "cdict diff base.cdict new.cdict --max-delay 1 --max-latency 20 >/dev/null",
	  "status 3 when vCPUs waited longer" },
	{ NULL, NULL },
};

const struct cmd cmd_diff = {
	.name = "diff",
	.brief = "what changed between two captures, with a status for scripts",
	.operands = "BASE NEW",
	.about =
		"Tasks are matched by their display names, never by tid. Figures are percent of each "
		"window, per second, or durations, so that windows need not be of one length. With "
		"--max-... the exit status is 3 when something became worse than that.",
	.options = diff_options,
	.opts_size = sizeof(struct diff_opts),
	.min_operands = 2,
	.max_operands = 2,
	.examples = diff_examples,
	.run = diff_run,
};
