/* SPDX-License-Identifier: GPL-2.0-only */
/* Encoding of one bucket of a host. */
#include "query/fleet/values/value.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "query/fleet/values/packed.h"

static const char magic[4] = { 'C', 'D', 'F', 'V' };
enum { IS_IDLE = 1, IS_LOSSY = 2 };
enum { IS_CLOCKED = 1 };

/* Bits for what was not recorded, as stored: the order must never change. */
static const unsigned lack_bits[] = {
	TABLE_OF_SWITCHES, TABLE_OF_TIMES_OFF, TABLE_OF_WAKEUPS, TABLE_OF_ENTRIES, TABLE_OF_QEMU,
	TABLE_OF_IOWAITS,  TABLE_OF_HALTS,     TABLE_OF_POLLS,   TABLE_OF_CALLS,   TABLE_OF_RETURNS,
	TABLE_OF_CORES,    TABLE_OF_RUNS,      TABLE_OF_ALL,     TABLE_OF_STATES,
};
#define LACK_BITS (sizeof(lack_bits) / sizeof(*lack_bits))

/* ---- writing ---- */

struct texts {
	struct stringset set;
	struct map numbers;
	struct buf list;
	size_t n;
	bool failed;
};

/* The index of the text + 1; 0: none. */
static uint64_t number_of(struct texts *texts, const char *text)
{
	const char *kept = text ? stringset_add(&texts->set, text, strlen(text)) : NULL;
	uint32_t *number = kept ? map_add(&texts->numbers, (uintptr_t)kept, 0) : NULL;

	if (!text)
		return 0;
	if (!number) {
		texts->failed = true;
		return 0;
	}
	if (*number == MAP_NEW) {
		*number = (uint32_t)texts->n++;
		buf_string(&texts->list, text, strlen(text));
	}
	return (uint64_t)*number + 1;
}

static void put_real(struct buf *b, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	buf_le64(b, bits);
}

static void put_spread(struct buf *b, const struct fleet_spread *spread)
{
	buf_varint(b, spread->runs);
	put_real(b, spread->sum);
	put_real(b, spread->min);
	put_real(b, spread->max);
}

/* In these tables two texts identify a row. */
static bool has_reason(enum fleet_kind kind)
{
	return kind == FLEET_EXITS || kind >= FLEET_OF_CAPTURES;
}

/* count, sum, min, max, number of bins, each bin as distance from the previous one and its count. */
static int put_histogram(struct buf *b, const struct histogram *from)
{
	struct histogram h = { 0 };
	unsigned first, n, used = 0, last = 0;

	buf_varint(b, from->count);
	if (!from->count)
		return 0;
	if (histogram_merge(&h, from) || histogram_settle(&h)) {
		histogram_fini(&h);
		return -ENOMEM;
	}
	buf_varint(b, h.sum);
	buf_varint(b, h.min);
	buf_varint(b, h.max);
	first = (unsigned)h.octave << HISTOGRAM_SUB_BITS;
	n = (unsigned)h.n_octaves << HISTOGRAM_SUB_BITS;
	for (unsigned i = 0; i < n; i++)
		used += h.bins[i] != 0;
	buf_varint(b, used);
	for (unsigned i = 0; i < n; i++) {
		if (!h.bins[i])
			continue;
		buf_varint(b, first + i - last);
		buf_varint(b, h.bins[i]);
		last = first + i;
	}
	histogram_fini(&h);
	return 0;
}

static int put_row(struct buf *b, struct texts *texts, enum fleet_kind kind,
		   const struct fleet_row *row)
{
	const struct fleet_key *k = &row->key;
	int rc = 0;

	buf_varint(b, number_of(texts, k->name));
	buf_varint(b, number_of(texts, k->vm));
	buf_varint(b, (uint64_t)((int64_t)k->vcpu + 1));
	buf_u8(b, (uint8_t)((k->idle ? IS_IDLE : 0) | (row->lossy ? IS_LOSSY : 0)));
	if (has_reason(kind)) {
		buf_varint(b, k->isa);
		buf_varint(b, k->code);
		buf_varint(b, number_of(texts, k->reason));
	}
	for (const struct fleet_field *f = fleet_shapes[kind].fields; f->key && !rc; f++) {
		const void *at = (const char *)row->any + f->at;
		const struct analyze_wait *worst = at;

		if (f->type == FLEET_COUNTER) {
			buf_varint(b, *(const uint64_t *)at);
		} else if (f->type == FLEET_HISTOGRAM) {
			rc = put_histogram(b, at);
		} else if (f->type == FLEET_SPREAD) {
			put_spread(b, at);
		} else {
			buf_varint(b, worst->dur_ns);
			buf_varint(b, (uint64_t)worst->state);
		}
	}
	return rc;
}

int fleet_value_put(struct buf *body, const struct fleet_rows *rows, const struct fleet_window *w,
		    struct cdict_error *err)
{
	struct texts texts = { 0 };
	struct buf tables = { 0 };
	uint64_t lacks = 0;
	bool figures = false;
	unsigned all = 0, n_tables = 0;
	int rc = 0;

	for (int kind = FLEET_OF_CAPTURES; kind < FLEET_KINDS; kind++)
		figures |= rows->of[kind].n != 0;

	for (int kind = 0; kind < FLEET_KINDS; kind++) {
		size_t n_fields = 0;

		/* values of captures keep their original form, without tables for other figures */
		if (!rows->of[kind].n && (kind >= FLEET_BEHIND || figures))
			continue;
		n_tables++;
		while (fleet_shapes[kind].fields[n_fields].key)
			n_fields++;
		buf_varint(&tables, number_of(&texts, fleet_shapes[kind].name));
		buf_varint(&tables, n_fields);
		for (size_t i = 0; i < n_fields; i++) {
			buf_varint(&tables, number_of(&texts, fleet_shapes[kind].fields[i].key));
			buf_u8(&tables, (uint8_t)fleet_shapes[kind].fields[i].type);
		}
		buf_varint(&tables, rows->of[kind].n);
		for (size_t i = 0; i < rows->of[kind].n && !rc; i++) {
			all |= rows->of[kind].at[i].lacks;
			rc = put_row(&tables, &texts, (enum fleet_kind)kind, &rows->of[kind].at[i]);
		}
	}
	for (size_t i = 0; i < LACK_BITS; i++)
		lacks |= (uint64_t) !!(all & lack_bits[i]) << i;
	buf_varint(body, w->clocked ? IS_CLOCKED : 0);
	buf_varint(body, w->from_ns);
	buf_varint(body, w->window_ns);
	buf_varint(body, w->events);
	buf_varint(body, w->lost);
	buf_varint(body, w->unknown_ns);
	buf_varint(body, w->cpus);
	buf_varint(body, lacks);
	buf_varint(body, texts.n);
	buf_add(body, texts.list.data, texts.list.len);
	buf_varint(body, n_tables);
	buf_add(body, tables.data, tables.len);
	if (texts.failed || texts.list.failed || tables.failed || body->failed)
		rc = -ENOMEM;
	buf_fini(&texts.list);
	buf_fini(&tables);
	map_fini(&texts.numbers);
	stringset_fini(&texts.set);
	return rc ? cdict_fail_nomem(err) : 0;
}

int fleet_value_encode(struct buf *out, const struct fleet_rows *rows,
		       const struct fleet_window *window, struct cdict_error *err)
{
	struct buf body = { 0 };
	int rc = fleet_value_put(&body, rows, window, err);

	rc = rc ? rc : fleet_pack(out, magic, &body, body.len, err);
	buf_fini(&body);
	return rc;
}

/* ---- reading ---- */

struct decoding {
	struct cursor c;
	struct fleet_rows *rows;
	ARRAY(const char *) texts;
	struct stringset set;
	unsigned lacks;
	struct cdict_error *err;
};

static int fail_damaged(struct decoding *d, const char *what)
{
	return cdict_fail(d->err, CDICT_ECORRUPT, CDICT_NO_OFFSET, "stored figures: %s", what);
}

/* Limits numbers to what a clock or counter can reach, so that sums cannot overflow. */
static uint64_t get_amount(struct decoding *d)
{
	uint64_t v = cursor_varint(&d->c);

	if (v >> 62)
		d->c.failed = true;
	return d->c.failed ? 0 : v;
}

static int get_texts(struct decoding *d)
{
	uint64_t n = cursor_varint(&d->c);

	if (n > d->c.left)
		return fail_damaged(d, "more names than bytes");
	for (uint64_t i = 0; i < n; i++) {
		uint64_t len = cursor_varint(&d->c);
		const uint8_t *text = len <= d->c.left ? cursor_take(&d->c, len) : NULL;
		const char *kept;

		if (!text || memchr(text, 0, len))
			return fail_damaged(d, "bad name");
		kept = stringset_add(&d->set, (const char *)text, len);
		if (!kept || array_push(&d->texts, kept))
			return cdict_fail_nomem(d->err);
	}
	return 0;
}

static const char *text_of(struct decoding *d)
{
	uint64_t number = cursor_varint(&d->c);

	if (number > d->texts.n)
		d->c.failed = true;
	return d->c.failed || !number ? NULL : d->texts.at[number - 1];
}

/* @h is zeroed, and empty after a failure. */
static int get_histogram(struct decoding *d, struct histogram *h)
{
	uint64_t count = get_amount(d), sum, min, max, used, counted = 0;
	struct cursor first;
	unsigned lo = 0, bin = 0;

	if (!count || !cursor_ok(&d->c))
		return cursor_ok(&d->c) ? 0 : fail_damaged(d, "truncated histogram");
	sum = cursor_varint(&d->c);
	min = cursor_varint(&d->c);
	max = cursor_varint(&d->c);
	used = cursor_varint(&d->c);
	if (!cursor_ok(&d->c) || min > max || used > HISTOGRAM_BINS || !used)
		return fail_damaged(d, "bad histogram");
	first = d->c;
	for (uint64_t i = 0; i < used; i++) {
		uint64_t step = cursor_varint(&d->c);
		uint64_t n = cursor_varint(&d->c);

		if (!cursor_ok(&d->c) || step >= HISTOGRAM_BINS - bin || (i && !step) || !n ||
		    n > UINT32_MAX)
			return fail_damaged(d, "bad histogram bins");
		bin += (unsigned)step;
		lo = i ? lo : bin;
		counted += n;
	}
	/* counters saturate at 2^32 */
	if (counted > count || lo != histogram_bin(min) || bin != histogram_bin(max))
		return fail_damaged(d, "inconsistent histogram");
	h->octave = (uint8_t)(lo >> HISTOGRAM_SUB_BITS);
	h->n_octaves = (uint8_t)((bin >> HISTOGRAM_SUB_BITS) - h->octave + 1);
	h->bins = calloc((size_t)h->n_octaves << HISTOGRAM_SUB_BITS, sizeof(*h->bins));
	if (!h->bins)
		return cdict_fail_nomem(d->err);
	bin = 0;
	for (uint64_t i = 0; i < used; i++) {
		bin += (unsigned)cursor_varint(&first);
		h->bins[bin - ((unsigned)h->octave << HISTOGRAM_SUB_BITS)] =
			(uint32_t)cursor_varint(&first);
	}
	h->count = count;
	h->sum = sum;
	h->min = min;
	h->max = max;
	return 0;
}

static int get_worst(struct decoding *d, struct analyze_wait *worst)
{
	uint64_t dur_ns = get_amount(d);
	uint64_t state = cursor_varint(&d->c);

	if (!cursor_ok(&d->c) || state >= ANALYZE_VCPU_STATES)
		return fail_damaged(d, "bad wait");
	*worst = (struct analyze_wait){ .dur_ns = dur_ns,
					.cpu = CDICT_CPU_UNKNOWN,
					.state = (enum analyze_vcpu_state)state,
					.behind = ANALYZE_NO_TASK };
	return 0;
}

static double get_real(struct decoding *d)
{
	uint64_t bits = cursor_u64(&d->c);
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* Limits numbers so that sums stay far below the range of a double. */
static int get_spread(struct decoding *d, struct fleet_spread *out)
{
	struct fleet_spread s;

	s.runs = get_amount(d);
	s.sum = get_real(d);
	s.min = get_real(d);
	s.max = get_real(d);
	/* rejects NAN, too */
	if (!cursor_ok(&d->c) || !s.runs || !(s.min <= s.max) ||
	    !(fabs(s.min) <= FLEET_NUMBER_MOST) || !(fabs(s.max) <= FLEET_NUMBER_MOST) ||
	    !(fabs(s.sum) <= FLEET_NUMBER_MOST * (double)s.runs))
		return fail_damaged(d, "bad figure");
	*out = s;
	return 0;
}

/* A column as encoded; @at NULL: unknown to this program. */
struct column {
	const struct fleet_field *at;
	enum fleet_type type;
};

static int get_field(struct decoding *d, const struct column *col, union fleet_any *any)
{
	struct histogram skipped = { 0 };
	struct fleet_spread spread;
	struct analyze_wait wait;
	char *at = col->at ? (char *)any + col->at->at : NULL;
	uint64_t v;
	int rc;

	if (col->type == FLEET_COUNTER) {
		v = get_amount(d);
		if (at)
			*(uint64_t *)(void *)at = v;
		return cursor_ok(&d->c) ? 0 : fail_damaged(d, "truncated row");
	}
	if (col->type == FLEET_WORST)
		return get_worst(d, at ? (struct analyze_wait *)(void *)at : &wait);
	if (col->type == FLEET_SPREAD)
		return get_spread(d, at ? (struct fleet_spread *)(void *)at : &spread);
	rc = get_histogram(d, at ? (struct histogram *)(void *)at : &skipped);
	histogram_fini(&skipped);
	return rc;
}

static int get_row(struct decoding *d, int kind, bool reason, const struct column *columns,
		   size_t n_columns)
{
	struct fleet_key key = { 0 };
	union fleet_any any;
	uint64_t vcpu, isa;
	uint8_t flags;
	int rc = 0;

	memset(&any, 0, sizeof(any));
	key.name = text_of(d);
	key.vm = text_of(d);
	vcpu = cursor_varint(&d->c);
	flags = cursor_u8(&d->c);
	if (vcpu > INT32_MAX)
		return fail_damaged(d, "bad vCPU number");
	key.vcpu = (int32_t)vcpu - 1;
	key.idle = flags & IS_IDLE;
	if (reason) {
		isa = cursor_varint(&d->c);
		key.isa = (uint32_t)isa;
		key.code = cursor_varint(&d->c);
		key.reason = text_of(d);
		if (isa > UINT32_MAX || !key.reason)
			return fail_damaged(d, "row without a reason");
	}
	for (size_t i = 0; i < n_columns && !rc; i++)
		rc = get_field(d, &columns[i], &any);
	if (!rc && kind == FLEET_BENCH && !any.bench.spread.runs)
		rc = fail_damaged(d, "benchmark without a figure");
	if (!rc && kind >= 0)
		rc = fleet_rows_add(d->rows, (enum fleet_kind)kind, &key, &any, flags & IS_LOSSY,
				    d->lacks, d->err);
	if (kind >= 0)
		fleet_any_fini((enum fleet_kind)kind, &any);
	return rc;
}

static const struct fleet_field *field_of(int kind, const char *key, enum fleet_type type)
{
	const struct fleet_field *f = kind >= 0 ? fleet_shapes[kind].fields : NULL;

	while (f && f->key && (strcmp(f->key, key) || f->type != type))
		f++;
	return f && f->key ? f : NULL;
}

static int get_columns(struct decoding *d, int kind, struct column *columns, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		const char *key = text_of(d);
		uint8_t type = cursor_u8(&d->c);

		if (!key || type >= FLEET_TYPES)
			return fail_damaged(d, "bad column");
		columns[i] = (struct column){ field_of(kind, key, (enum fleet_type)type),
					      (enum fleet_type)type };
		for (uint64_t k = 0; k < i; k++) {
			if (columns[i].at && columns[k].at == columns[i].at)
				return fail_damaged(d, "duplicate column");
		}
	}
	return 0;
}

static int get_table(struct decoding *d)
{
	const char *name = text_of(d);
	uint64_t n_columns = cursor_varint(&d->c), n;
	struct column columns[64];
	int kind = FLEET_KINDS - 1, rc;

	if (!name || n_columns > sizeof(columns) / sizeof(*columns))
		return fail_damaged(d, "bad table");
	while (kind >= 0 && strcmp(fleet_shapes[kind].name, name))
		kind--;
	rc = get_columns(d, kind, columns, n_columns);
	n = rc ? 0 : cursor_varint(&d->c);
	if (n > d->c.left)
		return fail_damaged(d, "more rows than bytes");
	for (uint64_t i = 0; i < n && !rc; i++)
		rc = get_row(d, kind, kind >= 0 && has_reason((enum fleet_kind)kind), columns,
			     n_columns);
	return rc;
}

static int get_body(struct decoding *d, struct fleet_window *w)
{
	uint64_t flags = cursor_varint(&d->c), lacks, cpus, n;
	int rc;

	w->clocked = flags & IS_CLOCKED;
	w->from_ns = get_amount(d);
	w->window_ns = get_amount(d);
	w->events = get_amount(d);
	w->lost = get_amount(d);
	w->unknown_ns = get_amount(d);
	cpus = cursor_varint(&d->c);
	w->cpus = (uint32_t)cpus;
	lacks = cursor_varint(&d->c);
	if (!cursor_ok(&d->c) || cpus > UINT32_MAX)
		return fail_damaged(d, "bad header");
	for (size_t i = 0; i < LACK_BITS; i++)
		d->lacks |= lacks >> i & 1 ? lack_bits[i] : 0;
	rc = get_texts(d);
	n = rc ? 0 : cursor_varint(&d->c);
	for (uint64_t i = 0; i < n && !rc; i++)
		rc = cursor_ok(&d->c) ? get_table(d) : fail_damaged(d, "missing table");
	if (!rc && (!cursor_ok(&d->c) || d->c.left))
		rc = fail_damaged(d, "more bytes than rows");
	return rc;
}

int fleet_value_get(struct fleet_rows *rows, const void *body, size_t size, struct fleet_window *w,
		    struct cdict_error *err)
{
	struct decoding d = { .c = cursor_init(body, size, false), .rows = rows, .err = err };
	int rc;

	*w = (struct fleet_window){ 0 };
	rc = get_body(&d, w);
	array_fini(&d.texts);
	stringset_fini(&d.set);
	return rc;
}

int fleet_value_decode(struct fleet_rows *rows, const void *data, size_t size,
		       struct fleet_window *window, struct cdict_error *err)
{
	struct fleet_window w;
	uint8_t *body = NULL;
	size_t n = 0;
	int rc = fleet_unpack(magic, data, size, &body, &n, err);

	rc = rc ? rc : fleet_value_get(rows, body, n, &w, err);
	if (!rc)
		fleet_rows_window(rows, &w);
	if (!rc && window)
		*window = w;
	free(body);
	return rc;
}
