/* SPDX-License-Identifier: LGPL-2.1-only */
/* Rows of figures: filling them. */
#include "tables/columns/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "tables/columns/number.h"

void table_lacks(struct table *const *tables, size_t n, unsigned hidden,
		 void (*report)(void *ctx, const char *event, const char *what), void *ctx)
{
	static const struct {
		unsigned bit;
		const char *event, *what;
	} needs[] = {
		{ TABLE_OF_SWITCHES, "sched:sched_switch", "which tasks ran and waited" },
		{ TABLE_OF_RUNS, "sched:sched_stat_runtime", "run times of tasks" },
		{ TABLE_OF_STATES, "prev_state of sched:sched_switch",
		  "why tasks left their CPU and which were kept waiting" },
		{ TABLE_OF_WAKEUPS, "sched:sched_waking", "waits after wake-ups" },
		{ TABLE_OF_ENTRIES, "kvm:kvm_entry with kvm:kvm_exit",
		  "time in guests and in exits" },
		{ TABLE_OF_QEMU, "kvm:kvm_userspace_exit", "time in the VMM" },
		{ TABLE_OF_IOWAITS, "sched:sched_stat_iowait", "waiting for I/O" },
		{ TABLE_OF_HALTS, "kvm:kvm_vcpu_wakeup", "how halts ended" },
		{ TABLE_OF_CALLS, "raw_syscalls:sys_enter", "which system calls began" },
		{ TABLE_OF_RETURNS, "raw_syscalls:sys_exit",
		  "results and durations of system calls" },
		{ TABLE_OF_CORES, "CPU topology", "which tasks ran on sibling threads" },
		{ TABLE_OF_POLLS, "kvm:kvm_halt_poll_ns", "the limit of halt polling" },
	};
	unsigned lacks = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t c = 0; c < tables[i]->n_columns; c++) {
			if (!(tables[i]->columns[c].flags & hidden))
				lacks |= tables[i]->columns[c].flags & tables[i]->lacks;
		}
	}
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		/* no switches, no states either */
		if (needs[i].bit == TABLE_OF_STATES && lacks & TABLE_OF_SWITCHES)
			continue;
		if (lacks & needs[i].bit)
			report(ctx, needs[i].event, needs[i].what);
	}
}

struct table *table_new(const char *name, const struct table_column *columns)
{
	struct table *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->name = name;
	t->columns = columns;
	while (columns[t->n_columns].kind != TABLE_END)
		t->n_columns++;
	return t;
}

static void free_cells(const struct table *t, struct table_cell *cells)
{
	for (size_t c = 0; cells && c < t->n_columns; c++) {
		if (t->columns[c].kind == TABLE_TEXT && cells[c].set)
			free(cells[c].text);
	}
}

void table_free(struct table *t)
{
	if (!t)
		return;
	for (size_t r = 0; r < t->n_filled; r++)
		free_cells(t, t->cells + r * t->n_columns);
	free_cells(t, t->total);
	table_later(t, NULL);
	array_fini(&t->ids);
	free(t->cells);
	free(t->total);
	free(t->own_columns);
	free(t);
}

struct table *table_done(struct table *t)
{
	if (t && !t->failed)
		return t;
	table_free(t);
	return NULL;
}

void table_row(struct table *t)
{
	t->now = NULL;
	if (t->n_filled == t->room) {
		size_t room = t->room ? 2 * t->room : 64;
		struct table_cell *cells;

		cells = reallocarray(t->cells, room * t->n_columns, sizeof(*cells));
		if (!cells) {
			t->failed = true;
			return;
		}
		t->cells = cells;
		t->room = room;
	}
	if (array_push(&t->ids, (uint32_t)t->n_filled)) {
		t->failed = true;
		return;
	}
	t->now = t->cells + t->n_filled++ * t->n_columns;
	memset(t->now, 0, t->n_columns * sizeof(*t->now));
	t->shown = t->n_rows = t->ids.n;
}

void table_total(struct table *t)
{
	if (!t->total)
		t->total = calloc(t->n_columns, sizeof(*t->total));
	if (!t->total)
		t->failed = true;
	t->now = t->total;
}

void table_text(struct table *t, size_t column, const char *text)
{
	char *copy;

	if (!t->now || !text)
		return;
	copy = strdup(text);
	if (!copy) {
		t->failed = true;
		return;
	}
	if (t->now[column].set)
		free(t->now[column].text);
	t->now[column].text = copy;
	t->now[column].set = true;
	t->now[column].ordered = false;
}

void table_i64(struct table *t, size_t column, int64_t v)
{
	if (!t->now)
		return;
	t->now[column].i64 = v;
	t->now[column].set = true;
}

void table_u64(struct table *t, size_t column, uint64_t v)
{
	if (!t->now)
		return;
	t->now[column].u64 = v;
	t->now[column].set = true;
}

void table_clear(struct table *t, size_t column)
{
	if (t->now[column].set && t->columns[column].kind == TABLE_TEXT)
		free(t->now[column].text);
	t->now[column] = (struct table_cell){ 0 };
}

void table_percent(struct table *t, size_t column, double v)
{
	if (!t->now || !isfinite(v))
		return;
	t->now[column].percent = v;
	t->now[column].set = true;
}

void table_order(struct table *t, size_t column, const char *order)
{
	struct table_cell *cell = t->now ? &t->now[column] : NULL;
	size_t len, order_len;
	char *text;

	if (!cell || !cell->set || cell->ordered || !order)
		return;
	len = strlen(cell->text) + 1;
	order_len = strlen(order) + 1;
	text = realloc(cell->text, len + order_len);
	if (!text) {
		t->failed = true;
		return;
	}
	memcpy(text + len, order, order_len);
	cell->text = text;
	cell->ordered = true;
}

void table_task(struct table *t, size_t column, uint32_t task)
{
	if (t->now)
		t->now[column].task = task + 1;
}

void table_lossy(struct table *t, bool lossy)
{
	for (size_t c = 0; t->now && c < t->n_columns; c++)
		t->now[c].lossy = lossy;
	t->any_lossy |= lossy;
}

void table_share(struct table *t, size_t column, uint64_t part, uint64_t whole)
{
	if (whole)
		table_percent(t, column, 100.0 * (double)part / (double)whole);
}

void table_keep(struct table *t, size_t most,
		bool (*keep)(void *ctx, const struct table *t, size_t row), void *ctx)
{
	size_t n = 0;

	for (size_t r = 0; r < t->n_rows && n < most; r++)
		if (keep(ctx, t, r))
			t->ids.at[n++] = t->ids.at[r];
	t->n_rows = t->shown = n;
}

void table_top(struct table *t, uint64_t n)
{
	t->shown = n && n < t->n_rows ? (size_t)n : t->n_rows;
	t->asked = n;
}

/* ---- printing ---- */

const char *table_cell_human(const struct table_column *c, const struct table_cell *cell,
			     char *room)
{
	if (!cell->set)
		return c->flags & TABLE_DASH ? "-" : "";
	switch (c->kind) {
	case TABLE_TEXT:
		return cell->text;
	case TABLE_INTEGER:
		snprintf(room, NUMBER_ROOM, "%lld", (long long)cell->i64);
		return room;
	case TABLE_COUNT:
		return number_grouped(room, cell->u64);
	case TABLE_MS:
		return number_scaled(room, cell->u64, 1000000, 3);
	case TABLE_US:
		return number_scaled(room, cell->u64, 1000, 2);
	case TABLE_TIME:
		return number_seconds(room, cell->u64);
	case TABLE_PERCENT:
		snprintf(room, NUMBER_ROOM, "%.2f", cell->percent);
		return room;
	case TABLE_CODE:
		snprintf(room, NUMBER_ROOM, "%llu", (unsigned long long)cell->u64);
		return room;
	case TABLE_BOOL:
	case TABLE_END:
		break;
	}
	return "";
}

int table_print(struct sink *s, enum table_format format, const struct table_frame *frame,
		struct table *const *tables, size_t n)
{
	switch (format) {
	case TABLE_AS_CSV:
		table_print_csv(s, tables[0]);
		break;
	case TABLE_AS_JSON:
		table_print_json(s, frame, tables, n);
		break;
	case TABLE_AS_MD:
		table_print_md(s, frame, tables, n);
		break;
	case TABLE_AS_OPENMETRICS:
		table_print_openmetrics(s, frame, tables, n);
		break;
	case TABLE_AS_TEXT:
		table_print_text(s, frame, tables, n);
	}
	for (size_t i = 0; i < n; i++)
		s->error = table_failed(tables[i]) ? -ENOMEM : s->error;
	return sink_flush(s);
}

size_t table_column(const struct table *t, const char *key)
{
	size_t c = 0;

	while (c < t->n_columns && strcmp(t->columns[c].key, key) != 0)
		c++;
	return c;
}
