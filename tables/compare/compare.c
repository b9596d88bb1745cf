/* SPDX-License-Identifier: LGPL-2.1-only */
/* Several captures side by side. */
#include "tables/compare/compare.h"

#include <math.h>
#include <stdio.h>

#include "tables/findings/fold.h"

static const struct tables_decl *const compared[COMPARE_ALL] = {
	[COMPARE_TASKS] = &tables_decl_tasks,   [COMPARE_EXITS] = &tables_decl_exits,
	[COMPARE_VCPU] = &tables_decl_vcpu,     [COMPARE_COREMAP] = &tables_decl_coremap,
	[COMPARE_GROUPS] = &tables_decl_groups,
};

struct compare_item {
	const char *name, *reason;
	uint32_t cpu, task;
	uint32_t row; /* of the analysis */
	uint16_t capture;
	bool alone; /* matches nothing in other captures */
	bool of_vm;
};

/* ---- figures ---- */

static void find_figures(struct compare *c)
{
	const struct table_column *columns = c->decl->columns;

	for (const struct tables_change *change = c->decl->changes; change->column; change++) {
		size_t at = 0;

		while (strcmp(columns[at].key, change->column) != 0)
			at++;
		c->figures[c->n_figures++] = (struct compare_figure){
			.column = at,
			.name = change->name,
			.key = change->key,
			.title = change->title,
			.ns = change->unit == TABLES_CHANGE_NS,
			.counts = change->unit == TABLES_CHANGE_PER_S,
			.wide = change->wide,
		};
	}
}

void compare_declare(struct compare *c, enum compare_what what)
{
	*c = (struct compare){ .decl = compared[what] };
	find_figures(c);
}

double compare_value(const struct compare_figure *f, const struct table_cell *cell,
		     uint64_t window_ns)
{
	if (!cell->set)
		return NAN;
	if (f->ns)
		return (double)cell->u64;
	if (!window_ns)
		return NAN;
	return (f->counts ? 1e9 : 100.0) * (double)cell->u64 / (double)window_ns;
}

/* Evaluates @n items of one capture together, in a row of @scratch. */
static int evaluate(const struct compare *c, double *values, const struct compare_item *items,
		    size_t n, const struct tables_walk *w, struct table *scratch)
{
	struct tables_row r = {
		.w = w, .several = true, .compared = true, .cpu = CDICT_CPU_UNKNOWN
	};
	void *sum = calloc(1, c->decl->row_size);

	r.idle = !analyze_engine_task(w->eng, items[0].task)->tid;
	if (!sum)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		scratch->failed |= c->decl->merge(sum, c->decl->at(w, items[i].row)) != 0;
	r.row = sum;
	r.window_ns = tables_life_ns(c->decl, w, sum);
	scratch->lacks = tables_lacks(w);
	for (size_t f = 0; f < c->n_figures; f++) {
		const struct compare_figure *figure = &c->figures[f];

		table_clear(scratch, figure->column);
		cells_fill_known(scratch, figure->column, &r);
		values[f] = compare_value(figure, &scratch->now[figure->column], r.window_ns);
	}
	c->decl->fini(sum);
	free(sum);
	return scratch->failed ? -ENOMEM : 0;
}

/* ---- items ---- */

static char *name_of(const struct compare *c, const struct tables_walk *w, struct fold *fold,
		     const struct analyze_task *task)
{
	struct fold_place place;

	if (!task->tid)
		return strdup(COMPARE_IDLE);
	if (names_unnamed(&w->names, task) && !names_vm(&w->names, task))
		return strdup(NAMES_UNNAMED);
	if (c->decl->folded)
		return fold_find(fold, task, &place) ? strdup(place.group) : NULL;
	/* a kernel thread that serves a VM has its pid in its name */
	return c->nameless && names_vm(&w->names, task) && names_nameless(&w->names, task)
		       ? names_full(&w->names, task)
		       : names_display(&w->names, task);
}

static int collect(struct compare *c, const struct tables_walk *w, size_t capture)
{
	struct fold fold = { .culprits = { .names = &w->names } };
	const struct tables_decl *decl = c->decl;
	int rc = 0;

	for (size_t i = 0; i < decl->count(w) && !rc; i++) {
		const void *row = decl->at(w, i);
		const struct analyze_task *task =
			analyze_engine_task(w->eng, *(const uint32_t *)row);
		struct compare_item item = {
			.cpu = CDICT_CPU_UNKNOWN,
			.capture = (uint16_t)capture,
			.task = task->index,
			.row = (uint32_t)i,
		};
		char *name;

		if (!names_wanted(&w->names, task))
			continue;
		name = name_of(c, w, &fold, task);
		item.alone = c->nameless && names_nameless(&w->names, task);
		item.of_vm = names_vm(&w->names, task) || names_vm_served(&w->names, task);
		if (name)
			item.name = stringset_add(&c->names, name, strlen(name));
		free(name);
		if (decl->key_reason)
			item.reason = *(const char *const *)((const char *)row + decl->reason_at);
		if (decl->key_cpu)
			item.cpu = *(const uint32_t *)((const char *)row + decl->cpu_at);
		if (!item.name || array_push(&c->items, item))
			rc = -ENOMEM;
	}
	fold_fini(&fold);
	return rc;
}

static int same_key(const struct compare_item *a, const struct compare_item *b)
{
	int order = a->name == b->name ? 0 : strverscmp(a->name, b->name);

	if (!order && a->reason && b->reason && a->reason != b->reason)
		order = strcmp(a->reason, b->reason);
	if (!order)
		order = (a->cpu > b->cpu) - (a->cpu < b->cpu);
	if (!order)
		order = a->alone - b->alone;
	return order || !a->alone ? order : a->capture - b->capture;
}

static int by_key(const void *a, const void *b)
{
	const struct compare_item *x = a, *y = b;
	int order = same_key(x, y);

	if (!order)
		order = (x->capture > y->capture) - (x->capture < y->capture);
	return order ? order : (x->task > y->task) - (x->task < y->task);
}

/* ---- rows ---- */

/* The unknown time by task, in percent: of vCPUs' lives for figures of guests, else of the window;
 * the caller frees it; NULL: out of memory. */
static double *find_unknown(const struct compare *c, const struct tables_walk *w)
{
	uint64_t window_ns = analyze_engine_summary(w->eng)->window_ns;
	double *out = calloc(analyze_engine_task_count(w->eng) + 1, sizeof(*out));

	if (!out)
		return NULL;
	for (size_t i = 0; window_ns && i < analyze_tasks_row_count(w->tasks); i++) {
		const struct analyze_task_row *row = analyze_tasks_row_at(w->tasks, i);

		out[row->task] = 100.0 * (double)row->unknown_ns / (double)window_ns;
	}
	if (c->decl != &tables_decl_vcpu && c->decl != &tables_decl_exits)
		return out;
	for (size_t i = 0; i < analyze_vcpus_row_count(w->vcpus); i++) {
		const struct analyze_vcpu_row *row = analyze_vcpus_row_at(w->vcpus, i);
		uint64_t life_ns = analyze_vcpu_life_ns(row);
		uint64_t unknown_ns = analyze_vcpu_unknown_ns(row);

		out[row->task] = life_ns ? 100.0 * (double)unknown_ns / (double)life_ns : 0;
	}
	return out;
}

bool compare_row_hidden(const struct compare *c, const struct compare_row *row, size_t capture)
{
	return row->of_vm && !row->set[capture] && c->anonymous[capture];
}

bool compare_row_stands(const struct compare *c, const struct compare_row *row, size_t capture)
{
	return !row->nameless && !compare_row_hidden(c, row, 0) &&
	       !compare_row_hidden(c, row, capture) && row->unknown[0] <= COMPARE_UNKNOWN_MAX &&
	       row->unknown[capture] <= COMPARE_UNKNOWN_MAX;
}

static double or_zero(double v)
{
	return isfinite(v) ? v : 0;
}

double compare_difference(const struct compare *c, const struct compare_row *row, size_t capture,
			  size_t i)
{
	double base = row->values[i], now = row->values[capture * c->n_figures + i];

	return isfinite(base) || isfinite(now) ? or_zero(now) - or_zero(base) : NAN;
}

static int fill_row(struct compare *c, struct compare_row *row,
		    const struct tables_walk *const *walks, double *const *unknown,
		    struct table *scratch)
{
	size_t nf = c->n_figures;
	int rc = 0;

	for (size_t i = 0; i < c->n_captures * nf; i++)
		row->values[i] = NAN;
	for (size_t a = 0, b; a < row->n_items && !rc; a = b) {
		size_t k = row->items[a].capture;

		for (b = a; b < row->n_items && row->items[b].capture == k; b++)
			row->unknown[k] += unknown[k][row->items[b].task];
		row->unknown[k] /= (double)(b - a);
		row->set[k] = true;
		rc = evaluate(c, row->values + k * nf, row->items + a, b - a, walks[k], scratch);
	}
	for (size_t i = 0; c->waits_differ && i < c->n_captures * nf; i++) {
		if (c->decl->columns[c->figures[i % nf].column].flags & TABLE_AND_WAKEUPS)
			row->values[i] = NAN;
	}
	for (size_t k = 1; k < c->n_captures; k++) {
		double change = or_zero(row->values[k * nf]) - or_zero(row->values[0]);

		if (compare_row_stands(c, row, k) && fabs(change) > fabs(row->change))
			row->change = change;
	}
	return rc;
}

static int most_changed(const void *a, const void *b)
{
	const struct compare_row *x = a, *y = b;
	double xc = fabs(x->change), yc = fabs(y->change);

	if (xc != yc)
		return xc > yc ? -1 : 1;
	return (x->items > y->items) - (x->items < y->items); /* by key */
}

/* The end of the items with the key of item @a. */
static size_t end_of_row(const struct compare *c, size_t a)
{
	size_t b = a;

	while (b < c->items.n && !same_key(&c->items.at[a], &c->items.at[b]))
		b++;
	return b;
}

static int make_rows(struct compare *c, const struct tables_walk *const *walks,
		     double *const *unknown, struct table *scratch)
{
	size_t each = c->n_captures * (c->n_figures + 1), n = 0;

	for (size_t a = 0; a < c->items.n; a = end_of_row(c, a))
		n++;
	c->numbers = calloc(n + 1, each * sizeof(*c->numbers));
	c->flags = calloc(n + 1, c->n_captures * sizeof(*c->flags));
	if (!c->numbers || !c->flags || array_resize(&c->rows, n))
		return -ENOMEM;
	for (size_t a = 0, b, i = 0; a < c->items.n; a = b, i++) {
		const struct compare_item *first = &c->items.at[a];
		struct compare_row *row = &c->rows.at[i];

		b = end_of_row(c, a);
		*row = (struct compare_row){ .name = first->name,
					     .reason = first->reason,
					     .cpu = first->cpu,
					     .items = first,
					     .n_items = b - a,
					     .values = c->numbers + i * each,
					     .unknown = c->numbers + (i + 1) * each - c->n_captures,
					     .set = c->flags + i * c->n_captures,
					     .nameless = first->alone,
					     .of_vm = first->of_vm };
		if (fill_row(c, row, walks, unknown, scratch))
			return -ENOMEM;
	}
	if (c->rows.n)
		qsort(c->rows.at, c->rows.n, sizeof(*c->rows.at), most_changed);
	return 0;
}

int compare_init(struct compare *c, enum compare_what what, const struct tables_walk *const *walks,
		 size_t n)
{
	double **unknown = calloc(n, sizeof(*unknown));
	struct table *scratch = NULL;
	int rc = unknown ? 0 : -ENOMEM;

	compare_declare(c, what);
	c->n_captures = n;
	c->anonymous = calloc(n, sizeof(*c->anonymous));
	rc = c->anonymous ? rc : -ENOMEM;
	for (size_t k = 0; k < n && !rc; k++) {
		c->anonymous[k] = names_nameless_vms(&walks[k]->names) > 1;
		c->nameless |= c->anonymous[k];
		c->waits_differ |= tables_has_wakeups(walks[k]) != tables_has_wakeups(walks[0]);
	}
	for (size_t k = 0; k < n && !rc; k++) {
		rc = collect(c, walks[k], k);
		unknown[k] = find_unknown(c, walks[k]);
		if (!unknown[k])
			rc = -ENOMEM;
	}
	if (!rc && c->items.n)
		qsort(c->items.at, c->items.n, sizeof(*c->items.at), by_key);
	if (!rc)
		scratch = table_new(c->decl->name, c->decl->columns);
	if (scratch)
		table_row(scratch);
	rc = !rc && scratch && !scratch->failed ? make_rows(c, walks, unknown, scratch) : -ENOMEM;
	table_free(scratch);
	for (size_t k = 0; unknown && k < n; k++)
		free(unknown[k]);
	free(unknown);
	return rc;
}

void compare_fini(struct compare *c)
{
	free(c->anonymous);
	free(c->numbers);
	free(c->flags);
	array_fini(&c->rows);
	array_fini(&c->items);
	stringset_fini(&c->names);
}

uint32_t compare_task_at(const struct compare_row *row, size_t i, size_t *capture)
{
	*capture = row->items[i].capture;
	return row->items[i].task;
}
