/* SPDX-License-Identifier: GPL-2.0-only */
/* The output of cdict diff: tables for a terminal, a comment for a pull request, all data for
 * programs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/escape.h"
#include "base/text/plural.h"
#include "cmd/core/pager.h"
#include "cmd/diff/diff.h"
#include "cmd/tables/limit.h"

static const enum compare_what order[] = { COMPARE_VCPU, COMPARE_EXITS, COMPARE_TASKS,
					   COMPARE_COREMAP };
static const char *const headings[] = { "vCPUs, most changed first", "Exits", "Tasks", "Core map" };

/* ---- the two sides ---- */

static size_t first_of(const struct diff *d, unsigned side)
{
	return side == CHANGES_BASE ? 0 : d->n_base;
}

static size_t runs_of(const struct diff *d, unsigned side)
{
	return side == CHANGES_BASE ? d->n_base : d->n - d->n_base;
}

static const char *nth(const struct cmd_list *list, unsigned side)
{
	return list->n > side ? list->at[side] : NULL;
}

/* A single --commit applies to the new side. */
static const char *commit_of(const struct diff *d, unsigned side)
{
	const struct cmd_list *commits = &d->opts->commits;

	if (commits->n == 1)
		return side == CHANGES_NEW ? commits->at[0] : NULL;
	return nth(commits, side);
}

/* The name of a side: by --label and --commit, else by its files; given, NULL: out of memory. */
static char *side_name(const struct diff *d, unsigned side)
{
	const char *label = nth(&d->opts->labels, side), *commit = commit_of(d, side);
	char *name = report_label(d->f[first_of(d, side)]->file, label), *out = NULL;
	size_t more = label ? 0 : runs_of(d, side) - 1;
	struct sink s;

	sink_to_memory(&s);
	if (name) {
		sink_puts(&s, name);
		if (more)
			sink_printf(&s, " and %s more", GROUPED(more));
		if (commit)
			sink_printf(&s, " (%s)", commit);
	}
	out = sink_take(&s, NULL);
	if (!name) {
		free(out);
		out = NULL;
	}
	free(name);
	return out;
}

enum { RUN_SIDE, RUN_LABEL, RUN_COMMIT, RUN_FILE, RUN_WINDOW, RUN_EVENTS, RUN_LOST };

static const struct table_column run_columns[] = {
	[RUN_SIDE] = { .key = "side", .title = "side", .kind = TABLE_TEXT },
	[RUN_LABEL] = { .key = "label", .title = "label", .kind = TABLE_TEXT },
	[RUN_COMMIT] = { .key = "commit", .title = "commit", .kind = TABLE_TEXT },
	[RUN_FILE] = { .key = "file", .title = "file", .kind = TABLE_TEXT },
	[RUN_WINDOW] = { .key = "window_ns", .title = "window ms", .kind = TABLE_MS },
	[RUN_EVENTS] = { .key = "events", .title = "events", .kind = TABLE_COUNT },
	[RUN_LOST] = { .key = "lost", .title = "lost", .kind = TABLE_COUNT },
	TABLE_COLUMNS_END,
};

static struct table *runs_table(const struct diff *d)
{
	struct table *t = table_new("runs", run_columns);

	for (size_t i = 0; t && i < d->n; i++) {
		const struct figures *f = d->f[i];
		const struct analyze_summary *sum = analyze_engine_summary(f->walk.eng);
		unsigned side = i < d->n_base ? CHANGES_BASE : CHANGES_NEW;
		struct loss_sum loss;

		loss_sum(&loss, f->reader, sum->from_ns, sum->to_ns);
		table_row(t);
		table_text(t, RUN_SIDE, side == CHANGES_BASE ? "base" : "new");
		table_text(t, RUN_LABEL, nth(&d->opts->labels, side));
		table_text(t, RUN_COMMIT, commit_of(d, side));
		table_text(t, RUN_FILE, f->file);
		table_u64(t, RUN_WINDOW, sum->window_ns);
		table_u64(t, RUN_EVENTS, cdict_reader_events(f->reader));
		table_u64(t, RUN_LOST, loss.lost);
	}
	return t ? table_done(t) : NULL;
}

/* ---- for people ---- */

static char *note_of(const struct diff *d)
{
	uint64_t a = analyze_engine_summary(d->f[0]->walk.eng)->window_ns;
	uint64_t b = analyze_engine_summary(d->f[d->n - 1]->walk.eng)->window_ns;
	char *was = side_name(d, CHANGES_BASE), *is = side_name(d, CHANGES_NEW);
	struct sink s;

	sink_to_memory(&s);
	if (was && is && d->n == 2) {
		escape_terminal(&s, was, strlen(was));
		sink_puts(&s, " against ");
		escape_terminal(&s, is, strlen(is));
		sink_printf(&s, ": %.6f s and %.6f s%s; percent is of each window", (double)a / 1e9,
			    (double)b / 1e9, a == b ? "" : ", so counts are per second");
	} else if (was && is) {
		escape_terminal(&s, was, strlen(was));
		sink_printf(&s, ", %s run%s, against ", GROUPED(d->n_base),
			    d->n_base == 1 ? "" : "s");
		escape_terminal(&s, is, strlen(is));
		sink_printf(&s,
			    ", %s run%s: medians; percent is of each window; ~: may be chance (p "
			    "of %g or more, Mann-Whitney)",
			    GROUPED(d->n - d->n_base), d->n - d->n_base == 1 ? "" : "s", d->alpha);
	}
	if (d->all[COMPARE_VCPU].compare.nameless)
		sink_puts(&s, "\n" COMPARE_NAMELESS);
	if (d->all[COMPARE_TASKS].compare.waits_differ)
		sink_puts(&s, "\n" COMPARE_WAITS);
	if (!was || !is)
		s.error = s.error ? s.error : -ENOMEM;
	free(was);
	free(is);
	return sink_take(&s, NULL);
}

static const struct changes *changes_of(const struct diff *d, enum compare_what what)
{
	if (what == COMPARE_TASKS && d->opts->by == DIFF_BY_GROUP)
		what = COMPARE_GROUPS;
	return &d->all[what];
}

static const char *heading(const struct diff *d, size_t i)
{
	return changes_of(d, order[i]) == &d->all[COMPARE_GROUPS] ? "Groups of tasks" : headings[i];
}

static size_t top_of(const struct diff *d)
{
	return d->opts->shared.top;
}

/* The most changed rows of a kind, one line per figure. */
static struct table *list_of(const struct diff *d, enum compare_what what)
{
	const struct changes *one = changes_of(d, what);
	const struct changes_how how = {
		.alpha = d->alpha, .people = true, .wide = d->call->verbose > 0, .top = top_of(d)
	};

	return changes_list(&one, 1, &how);
}

/* The number of significant changes of a kind. */
static size_t significant(const struct diff *d, const struct changes *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->rows.n; i++) {
		for (size_t f = 0; f < c->compare.n_figures; f++)
			n += c->rows.at[i].stands && c->rows.at[i].p &&
			     c->rows.at[i].p[f] < d->alpha;
	}
	return n;
}

static void md_text(struct sink *s, const char *text)
{
	struct sink line;
	size_t len = 0;
	char *plain;

	/* escaped for terminals first, it is one line without control characters */
	sink_to_memory(&line);
	escape_terminal(&line, text, strlen(text));
	plain = sink_take(&line, &len);
	if (plain)
		escape_md(s, plain, len);
	else
		s->error = -ENOMEM;
	free(plain);
}

static void md_verdict(const struct diff *d, struct sink *s, const struct table_frame *frame)
{
	size_t broken = d->regressions->n_rows, open = 0;

	for (size_t i = 0; i < d->n_rules; i++)
		open += !d->rules[i].counts.judged;
	if (broken) {
		sink_printf(s, "**%s figure%s worse than allowed.**\n\n", GROUPED(broken),
			    broken > 1 ? "s are" : " is");
		table_print_md_table(s, frame, d->regressions);
		sink_putc(s, '\n');
	} else if (d->n_rules && d->n_rules > open) {
		sink_printf(s, "**Nothing is worse than allowed** (%zu rule%s held).\n\n",
			    d->n_rules - open, d->n_rules - open > 1 ? "s" : "");
	}
	for (size_t i = 0; i < d->n_rules; i++) {
		char *why;

		if (d->rules[i].counts.judged)
			continue;
		why = diff_unjudged(d, &d->rules[i]);
		sink_puts(s, "**Cannot judge** ");
		md_text(s, d->rules[i].text);
		sink_puts(s, ": ");
		if (why)
			md_text(s, why);
		else
			s->error = -ENOMEM;
		sink_puts(s, "\n\n");
		free(why);
	}
}

static void md_kind(const struct diff *d, struct sink *s, const struct table_frame *frame, size_t i)
{
	const struct changes *c = changes_of(d, order[i]);
	struct table *t = list_of(d, order[i]);
	size_t top = top_of(d);

	if (!t)
		s->error = -ENOMEM;
	if (t && t->n_rows) {
		sink_printf(s, "<details><summary>%s: ",
			    order[i] == COMPARE_VCPU ? "vCPUs" : heading(d, i));
		if (top && top < c->rows.n)
			sink_printf(s, "the %s most changed of %s", GROUPED(top),
				    GROUPED(c->rows.n));
		else
			sink_printf(s, "%zu", c->rows.n);
		if (changes_several(c))
			sink_printf(s, "; %s figure%s changed by more than chance",
				    GROUPED(significant(d, c)), significant(d, c) == 1 ? "" : "s");
		sink_puts(s, "</summary>\n\n");
		table_print_md_table(s, frame, t);
		sink_puts(s, "\n</details>\n\n");
	}
	table_free(t);
}

/* A comment to be posted by a bot: the verdict first, the rest folded. */
static void md(const struct diff *d, struct sink *s, const struct table_frame *frame)
{
	char *was = side_name(d, CHANGES_BASE), *is = side_name(d, CHANGES_NEW);

	/* lets the bot find its comment again */
	sink_puts(s, "<!-- cdict diff -->\n### ");
	if (was && is) {
		md_text(s, was);
		sink_puts(s, " → ");
		md_text(s, is);
	} else {
		s->error = -ENOMEM;
	}
	free(was);
	free(is);
	sink_puts(s, "\n\n");
	md_verdict(d, s, frame);
	for (size_t i = 0; i < COMPARE_N; i++)
		md_kind(d, s, frame, i);
	sink_puts(s, "<details><summary>Runs</summary>\n\n");
	table_print_md_table(s, frame, d->runs);
	sink_puts(s, "\n");
	md_text(s, frame->note);
	sink_puts(s, "\n\n</details>\n\n");
	table_print_below(s, frame, &d->runs, 1);
}

/* ---- printing ---- */

static int text(const struct diff *d, struct sink *s, struct table_frame *frame)
{
	struct table *tables[COMPARE_N + 1] = { NULL }, *made[COMPARE_N] = { NULL };
	bool several = d->n > 2;
	size_t n = 0;
	int rc = 0;

	if (d->regressions->n_rows)
		tables[n++] = d->regressions;
	for (size_t i = 0; i < COMPARE_N && !rc; i++) {
		struct table *t = changes_of(d, order[i])->table;

		/* the page draws the core map; as text it is too large */
		if ((order[i] == COMPARE_COREMAP && !d->call->verbose) || !t->n_rows)
			continue;
		if (several)
			t = made[i] = list_of(d, order[i]);
		else
			table_top(t, top_of(d));
		rc = t ? 0 : -ENOMEM;
		if (t) {
			t->heading = heading(d, i);
			tables[n++] = t;
		}
	}
	if (!rc)
		rc = table_print(s, TABLE_AS_TEXT, frame, tables, n);
	for (size_t i = 0; i < COMPARE_N; i++)
		table_free(made[i]);
	return rc;
}

/* CSV: one line per figure; JSON: also the tables. */
static int data(const struct diff *d, struct sink *s, const struct table_frame *frame,
		enum table_format format)
{
	const struct changes *all[COMPARE_N];
	const struct changes_how how = { .alpha = d->alpha };
	bool all_rows = d->opts->shared.top == 0;
	struct table *tables[COMPARE_N + 4];
	struct table *changes;
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < COMPARE_N; i++)
		all[i] = changes_of(d, order[i]);
	changes = changes_list(all, COMPARE_N, &how);
	if (!changes)
		return -ENOMEM;
	if (format == TABLE_AS_CSV) {
		tables[n++] = changes;
	} else {
		tables[n++] = d->regressions;
		tables[n++] = d->outcome;
		tables[n++] = d->runs;
		for (size_t i = 0; i < COMPARE_N; i++)
			tables[n++] = changes_of(d, order[i])->table;
		tables[n++] = changes;
	}
	if (!all_rows)
		limit_tables(d->call, frame, format, tables, n, LIMIT_TOP_ALL);
	rc = table_print(s, format, frame, tables, n);
	table_free(changes);
	return rc;
}

struct printing {
	const struct diff *d;
	struct table_frame *frame;
};

static int print(void *ctx, struct sink *s, struct cdict_error *err)
{
	const struct printing *p = ctx;
	enum table_format format = (enum table_format)p->d->opts->shared.format;
	int rc = 0;

	if (format == TABLE_AS_TEXT)
		rc = text(p->d, s, p->frame);
	else if (format == TABLE_AS_MD)
		md(p->d, s, p->frame);
	else
		rc = data(p->d, s, p->frame, format);
	rc = rc ? rc : sink_flush(s);
	return rc == -ENOMEM ? cdict_fail_nomem(err) : rc;
}

static int to_stdout(struct printing *p)
{
	const struct cmd_call *call = p->d->call;
	bool people = p->d->opts->shared.format == TABLE_AS_TEXT;
	struct pager pager;

	pager_open(&pager, call, people);
	if (people)
		p->frame->columns = pager_columns();
	return pager_end(&pager, call, p->d->f[0]->file, print(p, &pager.sink, NULL));
}

int diff_print(struct diff *d)
{
	const char *path = d->opts->shared.output;
	struct table_frame *frames = calloc(d->n, sizeof(*frames));
	char *note = note_of(d);
	struct printing p = { d, frames };
	int status;

	d->runs = runs_table(d);
	if (!frames || !note || !d->runs) {
		status = figures_no_memory(d->f[0]);
	} else {
		for (size_t i = 0; i < d->n; i++)
			frames[i] = figures_frame(d->f[i], NULL);
		frames[0].note = note;
		frames[0].others = frames + 1;
		frames[0].n_others = d->n - 1;
		status = path && strcmp(path, "-") ? cmd_output_write(d->call, path, 0, print, &p)
						   : to_stdout(&p);
	}
	for (size_t i = 0; !status && i < d->n && d->opts->shared.format == TABLE_AS_CSV; i++)
		figures_report_loss(d->f[i]);
	free(frames);
	free(note);
	return status;
}

int diff_page(struct diff *d)
{
	char *was = side_name(d, CHANGES_BASE), *is = side_name(d, CHANGES_NEW);
	const struct page_diff diff = { .all = d->all,
					.groups = &d->all[COMPARE_GROUPS],
					.sides = { was, is },
					.n_base = d->n_base,
					.alpha = d->alpha,
					.broken = d->regressions,
					.rules = d->outcome };
	const struct page_view view = { .diff = &diff };
	int status = was && is ? report_write(d->call, d->opts->shared.output, d->captures, d->n,
					      &view, REPORT_EMBED_AUTO)
			       : figures_no_memory(d->f[0]);

	free(was);
	free(is);
	return status;
}
