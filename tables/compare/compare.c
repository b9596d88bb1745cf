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

/* What rows are made of. */
struct making {
	ARRAY(struct compare_item) items;
	const struct tables_walk *const *walks;
	double **unknown; /* [capture][task] */
	struct table *scratch;
};

/* Bits of struct compare_part. */
enum { HAS = 1 << 15 /* of @known */, UNKNOWN = COMPARE_FIGURES_MAX /* of @kept */ };

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

static int collect(struct compare *c, struct making *m, const struct tables_walk *w, size_t capture)
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
		if (!item.name || array_push(&m->items, item))
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

bool compare_row_has(const struct compare_row *row, size_t capture)
{
	return row->parts[capture].known & HAS;
}

/* The number of bit @bit of @kept; 0 if it is not kept. */
static double number_at(const struct compare *c, const struct compare_part *part, unsigned bit)
{
	if (!(part->kept >> bit & 1))
		return 0;
	return c->numbers
		.at[part->at + (unsigned)__builtin_popcount(part->kept & ((1U << bit) - 1))];
}

double compare_row_value(const struct compare *c, const struct compare_row *row, size_t capture,
			 size_t i)
{
	const struct compare_part *part = &row->parts[capture];

	return part->known >> i & 1 ? number_at(c, part, (unsigned)i) : NAN;
}

double compare_row_unknown(const struct compare *c, const struct compare_row *row, size_t capture)
{
	return number_at(c, &row->parts[capture], UNKNOWN);
}

bool compare_row_hidden(const struct compare *c, const struct compare_row *row, size_t capture)
{
	return row->of_vm && !compare_row_has(row, capture) && c->anonymous[capture];
}

bool compare_row_stands(const struct compare *c, const struct compare_row *row, size_t capture)
{
	return !row->nameless && !compare_row_hidden(c, row, 0) &&
	       !compare_row_hidden(c, row, capture) &&
	       compare_row_unknown(c, row, 0) <= COMPARE_UNKNOWN_MAX &&
	       compare_row_unknown(c, row, capture) <= COMPARE_UNKNOWN_MAX;
}

static double or_zero(double v)
{
	return isfinite(v) ? v : 0;
}

double compare_difference(const struct compare *c, const struct compare_row *row, size_t capture,
			  size_t i)
{
	double base = compare_row_value(c, row, 0, i), now = compare_row_value(c, row, capture, i);

	return isfinite(base) || isfinite(now) ? or_zero(now) - or_zero(base) : NAN;
}

static int keep_number(struct compare *c, struct compare_part *part, unsigned bit, double v)
{
	if (v == 0)
		return 0;
	part->kept |= (uint16_t)(1U << bit);
	return c->numbers.n < UINT32_MAX ? array_push(&c->numbers, v) : -ENOMEM;
}

/* Fills a part from @n items of its capture. */
static int fill_part(struct compare *c, const struct making *m, struct compare_part *part,
		     const struct compare_item *items, size_t n)
{
	size_t k = items[0].capture;
	double values[COMPARE_FIGURES_MAX], unknown = 0;
	int rc = evaluate(c, values, items, n, m->walks[k], m->scratch);

	*part = (struct compare_part){ .at = (uint32_t)c->numbers.n, .known = HAS };
	for (unsigned f = 0; f < c->n_figures && !rc; f++) {
		unsigned flags = c->decl->columns[c->figures[f].column].flags;

		if (isnan(values[f]) || (c->waits_differ && flags & TABLE_AND_WAKEUPS))
			continue;
		part->known |= (uint16_t)(1U << f);
		rc = keep_number(c, part, f, values[f]);
	}
	for (size_t i = 0; i < n; i++)
		unknown += m->unknown[k][items[i].task];
	return rc ? rc : keep_number(c, part, UNKNOWN, unknown / (double)n);
}

/* Fills the row from @n items, those of each capture together. */
static int fill_row(struct compare *c, const struct making *m, struct compare_row *row,
		    struct compare_part *parts, const struct compare_item *items, size_t n)
{
	int rc = 0;

	*row = (struct compare_row){ .name = items->name,
				     .reason = items->reason,
				     .cpu = items->cpu,
				     .n_tasks = (uint32_t)n,
				     .tasks = &c->tasks.at[items - m->items.at],
				     .parts = parts,
				     .nameless = items->alone,
				     .of_vm = items->of_vm };
	for (size_t a = 0, b; a < n && !rc; a = b) {
		for (b = a; b < n && items[b].capture == items[a].capture; b++)
			;
		rc = fill_part(c, m, &parts[items[a].capture], items + a, b - a);
	}
	for (size_t k = 1; k < c->n_captures && !rc; k++) {
		double change = or_zero(compare_row_value(c, row, k, 0)) -
				or_zero(compare_row_value(c, row, 0, 0));

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
	return (x->tasks > y->tasks) - (x->tasks < y->tasks); /* by key */
}

/* The end of the items with the key of item @a. */
static size_t end_of_row(const struct making *m, size_t a)
{
	size_t b = a;

	while (b < m->items.n && !same_key(&m->items.at[a], &m->items.at[b]))
		b++;
	return b;
}

static int make_rows(struct compare *c, const struct making *m)
{
	size_t n = 0;

	for (size_t a = 0; a < m->items.n; a = end_of_row(m, a))
		n++;
	if (array_resize(&c->parts, n * c->n_captures) || array_resize(&c->rows, n) ||
	    array_resize(&c->tasks, m->items.n))
		return -ENOMEM;
	for (size_t i = 0; i < m->items.n; i++)
		c->tasks.at[i] =
			(struct compare_task){ m->items.at[i].task, m->items.at[i].capture };
	for (size_t a = 0, b, i = 0; a < m->items.n; a = b, i++) {
		b = end_of_row(m, a);
		if (fill_row(c, m, &c->rows.at[i], &c->parts.at[i * c->n_captures], &m->items.at[a],
			     b - a))
			return -ENOMEM;
	}
	if (n)
		qsort(c->rows.at, n, sizeof(*c->rows.at), most_changed);
	return 0;
}

/* Collects the items of all captures, sorted. */
static int prepare(struct compare *c, struct making *m)
{
	int rc = 0;

	m->unknown = calloc(c->n_captures, sizeof(*m->unknown));
	m->scratch = table_new(c->decl->name, c->decl->columns);
	if (m->scratch)
		table_row(m->scratch);
	if (!m->unknown || !m->scratch || m->scratch->failed)
		return -ENOMEM;
	for (size_t k = 0; k < c->n_captures && !rc; k++) {
		rc = collect(c, m, m->walks[k], k);
		m->unknown[k] = find_unknown(c, m->walks[k]);
		if (!m->unknown[k])
			rc = -ENOMEM;
	}
	stringset_seal(&c->names);
	if (!rc && m->items.n)
		qsort(m->items.at, m->items.n, sizeof(*m->items.at), by_key);
	return rc;
}

int compare_init(struct compare *c, enum compare_what what, const struct tables_walk *const *walks,
		 size_t n)
{
	struct making m = { .walks = walks };
	int rc;

	compare_declare(c, what);
	c->n_captures = n;
	c->anonymous = calloc(n, sizeof(*c->anonymous));
	for (size_t k = 0; k < n && c->anonymous; k++) {
		c->anonymous[k] = names_nameless_vms(&walks[k]->names) > 1;
		c->nameless |= c->anonymous[k];
		c->waits_differ |= tables_has_wakeups(walks[k]) != tables_has_wakeups(walks[0]);
	}
	rc = c->anonymous ? prepare(c, &m) : -ENOMEM;
	if (!rc)
		rc = make_rows(c, &m);
	table_free(m.scratch);
	for (size_t k = 0; m.unknown && k < n; k++)
		free(m.unknown[k]);
	free(m.unknown);
	array_fini(&m.items);
	return rc;
}

void compare_fini(struct compare *c)
{
	free(c->anonymous);
	array_fini(&c->numbers);
	array_fini(&c->parts);
	array_fini(&c->tasks);
	array_fini(&c->rows);
	stringset_fini(&c->names);
}
