/* SPDX-License-Identifier: LGPL-2.1-only */
/* Rows of figures: filling and sorting. */
#include "tables/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "tables/number.h"

void table_lacks(struct table *const *tables, size_t n, unsigned hidden,
		 void (*tell)(void *ctx, const char *event, const char *what), void *ctx)
{
	static const struct {
		unsigned bit;
		const char *event, *what;
	} needs[] = {
		{ TABLE_OF_SWITCHES, "sched:sched_switch", "who ran and who waited" },
		{ TABLE_OF_WAKEUPS, "sched:sched_waking", "waiting after wake-ups" },
		{ TABLE_OF_ENTRIES, "kvm:kvm_entry with kvm:kvm_exit",
		  "time in guests and of exits" },
		{ TABLE_OF_QEMU, "kvm:kvm_userspace_exit", "time in QEMU" },
		{ TABLE_OF_IOWAITS, "sched:sched_stat_iowait", "waiting for I/O" },
		{ TABLE_OF_HALTS, "kvm:kvm_vcpu_wakeup", "how halts ended" },
		{ TABLE_OF_CALLS, "raw_syscalls:sys_enter", "which system calls began" },
		{ TABLE_OF_RETURNS, "raw_syscalls:sys_exit",
		  "what they returned and how long they took" },
		{ TABLE_OF_CORES, "CPU topology", "who ran beside whom" },
		{ TABLE_OF_POLLS, "kvm:kvm_halt_poll_ns", "for how long KVM was to poll" },
	};
	unsigned lacks = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t c = 0; c < tables[i]->n_columns; c++) {
			if (!(tables[i]->columns[c].flags & hidden))
				lacks |= tables[i]->columns[c].flags & tables[i]->lacks;
		}
	}
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		if (lacks & needs[i].bit)
			tell(ctx, needs[i].event, needs[i].what);
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
	for (size_t r = 0; r < t->n_rows; r++)
		free_cells(t, t->cells + r * t->n_columns);
	free_cells(t, t->total);
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
	if (t->n_rows == t->room) {
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
	t->now = t->cells + t->n_rows++ * t->n_columns;
	memset(t->now, 0, t->n_columns * sizeof(*t->now));
	t->shown = t->n_rows;
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
}

void table_share(struct table *t, size_t column, uint64_t part, uint64_t whole)
{
	if (whole)
		table_percent(t, column, 100.0 * (double)part / (double)whole);
}

/* ---- sorting ---- */

#define MAX_SORT_KEYS 8

struct sort_keys {
	const struct table *t;
	size_t n;
	struct {
		size_t column;
		bool descending;
	} key[MAX_SORT_KEYS];
};

/* What has an order of its own comes first. */
static int compare_texts(const struct table_cell *a, const struct table_cell *b)
{
	if (a->ordered != b->ordered)
		return a->ordered ? -1 : 1;
	if (!a->ordered)
		return strverscmp(a->text, b->text);
	return strcmp(a->text + strlen(a->text) + 1, b->text + strlen(b->text) + 1);
}

static int compare_cells(enum table_kind kind, const struct table_cell *a,
			 const struct table_cell *b)
{
	switch (kind) {
	case TABLE_TEXT:
		return compare_texts(a, b);
	case TABLE_INTEGER:
		return (a->i64 > b->i64) - (a->i64 < b->i64);
	case TABLE_PERCENT:
		return (a->percent > b->percent) - (a->percent < b->percent);
	default:
		return (a->u64 > b->u64) - (a->u64 < b->u64);
	}
}

struct sort_row {
	const struct table_cell *cells;
	const struct sort_keys *keys; /* of all */
};

static int compare_rows(const void *pa, const void *pb)
{
	const struct sort_row *x = pa, *y = pb;
	const struct table_cell *a = x->cells, *b = y->cells;
	const struct sort_keys *keys = x->keys;

	for (size_t i = 0; i < keys->n; i++) {
		size_t c = keys->key[i].column;
		int order;

		if (!a[c].set || !b[c].set) {
			if (a[c].set != b[c].set)
				return a[c].set ? -1 : 1;
			continue;
		}
		order = compare_cells(keys->t->columns[c].kind, &a[c], &b[c]);
		if (order)
			return keys->key[i].descending ? -order : order;
	}
	return (a > b) - (a < b); /* rows stand in one array: their address is their order */
}

static int unknown_key(const struct table *t, const char *key, size_t len, struct cdict_error *err)
{
	char known[400] = "";

	for (size_t c = 0; c < t->n_columns; c++) {
		if (t->columns[c].flags & TABLE_HUMAN)
			continue;
		if (known[0])
			strncat(known, " ", sizeof(known) - strlen(known) - 1);
		strncat(known, t->columns[c].key, sizeof(known) - strlen(known) - 1);
	}
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "cannot sort by '%.*s', only by: %s",
			  (int)len, key, known);
}

static int parse_keys(struct sort_keys *keys, const char *spec, struct cdict_error *err)
{
	const struct table *t = keys->t;

	for (const char *p = spec;; p++) {
		size_t whole = strcspn(p, ","), len = strcspn(p, ":,"), c = 0;
		const char *order = p + len;
		size_t order_len = whole - len;

		while (c < t->n_columns &&
		       (strncmp(t->columns[c].key, p, len) || t->columns[c].key[len]))
			c++;
		if (c == t->n_columns)
			return unknown_key(t, p, len, err);
		if (keys->n == MAX_SORT_KEYS)
			return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					  "option --sort takes at most %d keys", MAX_SORT_KEYS);
		keys->key[keys->n].column = c;
		keys->key[keys->n].descending = t->columns[c].kind != TABLE_TEXT &&
						t->columns[c].kind != TABLE_INTEGER;
		if (order_len == 4 && !strncmp(order, ":asc", 4))
			keys->key[keys->n].descending = false;
		else if (order_len == 5 && !strncmp(order, ":desc", 5))
			keys->key[keys->n].descending = true;
		else if (order_len)
			return cdict_fail(
				err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				"option --sort takes KEY, KEY:asc or KEY:desc, not '%.*s'",
				(int)whole, p);
		keys->n++;
		p += whole;
		if (!*p)
			return 0;
	}
}

/* Brings the rows into the order in which @rows names them, where they stand: a table of a million tasks takes more
 * than half a gigabyte. @room is that of one. */
static void put_in_order(struct table *t, struct sort_row *rows, struct table_cell *room)
{
	size_t size = t->n_columns * sizeof(*room);

	for (size_t r = 0; r < t->n_rows; r++) {
		struct table_cell *to = t->cells + r * t->n_columns, *first = to;

		memcpy(room, first, size);
		for (size_t at = r;;) {
			const struct table_cell *from = rows[at].cells;

			rows[at].cells = to; /* done */
			if (from == to || from == first) {
				memcpy(to, room, size);
				break;
			}
			memcpy(to, from, size);
			at = (size_t)(from - t->cells) / t->n_columns;
			to = t->cells + at * t->n_columns;
		}
	}
}

int table_sort(struct table *t, const char *spec, struct cdict_error *err)
{
	struct sort_keys keys = { .t = t };
	struct sort_row *rows = NULL;
	struct table_cell *room = NULL;
	int rc;

	spec = spec ? spec : t->order;
	rc = spec ? parse_keys(&keys, spec, err) : 0;
	if (rc || !spec || t->n_rows < 2)
		return rc;
	rows = calloc(t->n_rows, sizeof(*rows));
	room = calloc(t->n_columns, sizeof(*room));
	if (!rows || !room) {
		rc = cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
		goto out;
	}
	for (size_t r = 0; r < t->n_rows; r++)
		rows[r] = (struct sort_row){ t->cells + r * t->n_columns, &keys };
	qsort(rows, t->n_rows, sizeof(*rows), compare_rows);
	put_in_order(t, rows, room);
	t->now = NULL;
out:
	free(room);
	free(rows);
	return rc;
}

void table_top(struct table *t, uint64_t n)
{
	t->shown = n && n < t->n_rows ? (size_t)n : t->n_rows;
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
	case TABLE_AS_TEXT:
		table_print_text(s, frame, tables, n);
	}
	return sink_flush(s);
}
