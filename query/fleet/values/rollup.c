/* SPDX-License-Identifier: GPL-2.0-only */
/* Encoding of the sum of a host's buckets. */
#include "query/fleet/values/rollup.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "query/fleet/values/packed.h"
#include "query/fleet/values/value.h"

static const char magic[4] = { 'C', 'D', 'F', 'R' };
enum { IS_CLOCKED = 1 };

/* As stored: the order must never change. */
static const size_t sum_offsets[] = {
	offsetof(struct fleet_sums, window_ns),     offsetof(struct fleet_sums, events),
	offsetof(struct fleet_sums, lost),          offsetof(struct fleet_sums, run_ns),
	offsetof(struct fleet_sums, switches),      offsetof(struct fleet_sums, migrations),
	offsetof(struct fleet_sums, run_window_ns), offsetof(struct fleet_sums, wait_ns),
	offsetof(struct fleet_sums, exits),         offsetof(struct fleet_sums, exits_window_ns),
	offsetof(struct fleet_sums, vcpu_ns),       offsetof(struct fleet_sums, delayed_ns),
	offsetof(struct fleet_sums, guest_ns),      offsetof(struct fleet_sums, exit_ns),
};
#define SUMS (sizeof(sum_offsets) / sizeof(*sum_offsets))

/* ---- writing ---- */

static void put_real(struct buf *b, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	buf_le64(b, bits);
}

static void put_bucket(struct buf *b, const struct fleet_rolled *r)
{
	const struct fleet_window *w = &r->window;

	buf_varint(b, r->number % FLEET_ROLLUP_BUCKETS);
	buf_varint(b, r->bytes);
	buf_varint(b, w->clocked ? IS_CLOCKED : 0);
	buf_varint(b, w->from_ns);
	buf_varint(b, w->window_ns);
	buf_varint(b, w->events);
	buf_varint(b, w->lost);
	buf_varint(b, w->unknown_ns);
	buf_varint(b, w->cpus);
	for (int i = 0; i < FLEET_FIGURES; i++)
		put_real(b, r->at[i]);
}

int fleet_rollup_encode(struct buf *out, const struct fleet_rollup *r,
			const struct fleet_rows *rows, struct cdict_error *err)
{
	const struct fleet_window none = { 0 };
	struct buf body = { 0 };
	int rc;

	buf_varint(&body, r->n);
	buf_varint(&body, FLEET_FIGURES);
	for (size_t i = 0; i < r->n; i++)
		put_bucket(&body, &r->buckets[i]);
	for (size_t i = 0; i < SUMS; i++)
		buf_varint(&body, *(const uint64_t *)(const void *)((const char *)&r->sums +
								    sum_offsets[i]));
	put_real(&body, r->sums.run_cpu_ns);
	put_real(&body, r->sums.wait_cpu_ns);
	rc = fleet_value_put(&body, rows, &none, err);
	/* what hardly shrinks, figures of busy hosts, is not worth the time of its readers */
	rc = rc ? rc : fleet_pack(out, magic, &body, body.len / 2, err);
	buf_fini(&body);
	return rc;
}

/* ---- reading ---- */

/* Limits of what a clock or counter can reach, so that sums cannot overflow. */
#define AMOUNT_MOST (UINT64_C(1) << 62)
#define REAL_MOST 1e30

static uint64_t get_amount(struct cursor *c)
{
	uint64_t v = cursor_varint(c);

	c->failed |= v >= AMOUNT_MOST;
	return c->failed ? 0 : v;
}

/* NAN is an unknown figure. */
static double get_real(struct cursor *c)
{
	uint64_t bits = cursor_u64(c);
	double v;

	memcpy(&v, &bits, sizeof(v));
	c->failed |= v < 0 || v > REAL_MOST;
	return c->failed ? 0 : v;
}

static void get_bucket(struct cursor *c, struct fleet_rolled *r, uint64_t number)
{
	uint64_t in_group = cursor_varint(c), cpus;

	r->number = number * FLEET_ROLLUP_BUCKETS + in_group;
	r->bytes = get_amount(c);
	r->window.clocked = cursor_varint(c) & IS_CLOCKED;
	r->window.from_ns = get_amount(c);
	r->window.window_ns = get_amount(c);
	r->window.events = get_amount(c);
	r->window.lost = get_amount(c);
	r->window.unknown_ns = get_amount(c);
	cpus = cursor_varint(c);
	r->window.cpus = (uint32_t)cpus;
	for (int i = 0; i < FLEET_FIGURES; i++)
		r->at[i] = get_real(c);
	c->failed |= in_group >= FLEET_ROLLUP_BUCKETS || cpus > UINT32_MAX;
}

static int get_body(struct fleet_rollup *r, struct cursor *c, uint64_t number,
		    struct cdict_error *err)
{
	uint64_t n = cursor_varint(c), figures = cursor_varint(c);

	if (cursor_ok(c) && figures != FLEET_FIGURES)
		return cdict_fail(err, CDICT_EVERSION, CDICT_NO_OFFSET,
				  "rollup has %" PRIu64 " figures; this program reads %d", figures,
				  FLEET_FIGURES);
	c->failed |= n > FLEET_ROLLUP_BUCKETS || number > UINT64_MAX / FLEET_ROLLUP_BUCKETS - 1;
	for (uint64_t i = 0; i < n && cursor_ok(c); i++) {
		get_bucket(c, &r->buckets[i], number);
		c->failed |= i && r->buckets[i].number <= r->buckets[i - 1].number;
	}
	for (size_t i = 0; i < SUMS; i++)
		*(uint64_t *)(void *)((char *)&r->sums + sum_offsets[i]) = get_amount(c);
	r->sums.run_cpu_ns = get_real(c);
	r->sums.wait_cpu_ns = get_real(c);
	if (!cursor_ok(c) || isnan(r->sums.run_cpu_ns) || isnan(r->sums.wait_cpu_ns))
		return cdict_fail(err, CDICT_ECORRUPT, CDICT_NO_OFFSET,
				  "stored figures: bad rollup");
	r->n = n;
	r->rows = c->at;
	r->rows_size = c->left;
	return 0;
}

int fleet_rollup_decode(struct fleet_rollup *out, uint64_t number, const void *data, size_t size,
			struct cdict_error *err)
{
	struct cursor c;
	size_t n = 0;
	int rc = fleet_unpack(magic, data, size, &out->body, &n, err);

	if (rc)
		return rc;
	c = cursor_init(out->body, n, false);
	return get_body(out, &c, number, err);
}

int fleet_rollup_rows(const struct fleet_rollup *r, struct fleet_rows *rows,
		      struct cdict_error *err)
{
	struct fleet_window none;
	int rc = fleet_value_get(rows, r->rows, r->rows_size, &none, err);

	for (size_t i = 0; i < r->n && !rc; i++)
		fleet_rows_window(rows, &r->buckets[i].window);
	return rc;
}

void fleet_rollup_fini(struct fleet_rollup *r)
{
	free(r->body);
	r->body = NULL;
}

/* ---- a set of buckets ---- */

bool fleet_bucket_name(const char *name, uint64_t *number)
{
	const char *dot = strchr(name, '.');
	char text[24];
	int n;

	if (!dot || dot == name)
		return false;
	*number = strtoull(dot + 1, NULL, 10);
	n = snprintf(text, sizeof(text), "%" PRIu64, *number);
	return !strncmp(dot + 1, text, (size_t)n + 1);
}

struct fleet_bucket_group *fleet_bucket_group(struct fleet_bucket_set *set, const char *name,
					      uint64_t number)
{
	const char *capture = stringset_add(&set->captures, name, strcspn(name, "."));
	uint32_t *at = capture ? map_add(&set->numbers, (uintptr_t)capture, number) : NULL;
	struct fleet_bucket_group *group;

	if (!at || *at != MAP_NEW)
		return at ? &set->groups.at[*at] : NULL;
	*at = (uint32_t)set->groups.n;
	group = array_add(&set->groups);
	if (group)
		*group = (struct fleet_bucket_group){ .capture = capture, .number = number };
	return group;
}

int fleet_bucket_there(struct fleet_bucket_set *set, const char *name)
{
	struct fleet_bucket_group *group;
	uint64_t number;

	if (!fleet_bucket_name(name, &number))
		return 0;
	group = fleet_bucket_group(set, name, number / FLEET_ROLLUP_BUCKETS);
	if (!group)
		return -ENOMEM;
	group->there |= fleet_bucket_bit(number);
	return 0;
}

void fleet_bucket_set_fini(struct fleet_bucket_set *set)
{
	stringset_fini(&set->captures);
	map_fini(&set->numbers);
	array_fini(&set->groups);
	*set = (struct fleet_bucket_set){ 0 };
}
