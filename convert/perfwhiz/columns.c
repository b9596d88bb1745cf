/* SPDX-License-Identifier: GPL-2.0-only */
#include "convert/perfwhiz/columns.h"

#include <errno.h>
#include <string.h>

#include "base/fail.h"

const char *const perfwhiz_column_names[PERFWHIZ_COLUMNS] = {
	"event", "cpu", "usecs", "pid", "task_name", "duration", "next_pid", "next_comm",
};

/* A year: larger values are not times since the start of the recording. */
#define NS_MAX (366ull * 86400 * 1000000000)

static int broken(const struct msgpack_reader *m, const char *what, struct cdict_error *err)
{
	return m->no_memory ? cdict_fail_nomem(err)
			    : cdict_fail(err, CDICT_ECORRUPT, CDICT_NO_OFFSET,
					 "its decompressed data end within %s", what);
}

/* Moves @m to the first entry of column @c, *@n of them; 0 and *@found, or a failure. */
static int find_column(struct msgpack_reader *m, enum perfwhiz_column c, bool *found, uint32_t *n,
		       struct cdict_error *err)
{
	struct msgpack_value v;
	uint32_t left;

	*found = false;
	if (!msgpack_next(m, &v) || v.type != MSGPACK_MAP)
		return m->no_memory
			       ? cdict_fail_nomem(err)
			       : cdict_fail(
					 err, CDICT_EFORMAT, CDICT_NO_OFFSET,
					 "is zlib data, but not a perfwhiz file: expected a MessagePack map");
	for (left = v.n; left; left--) {
		if (!msgpack_next(m, &v))
			return broken(m, "the column names", err);
		if (v.type == MSGPACK_TEXT && !strcmp(v.text, perfwhiz_column_names[c])) {
			if (!msgpack_next(m, &v))
				return broken(m, perfwhiz_column_names[c], err);
			*found = v.type == MSGPACK_ARRAY;
			*n = v.n;
			return 0;
		}
		if ((v.type != MSGPACK_TEXT && v.type != MSGPACK_INT) || !msgpack_skip(m))
			return broken(m, "an earlier column", err);
	}
	return 0;
}

int perfwhiz_columns_open(struct perfwhiz_columns *c, const void *data, size_t size,
			  struct cdict_error *err)
{
	memset(c, 0, sizeof(*c));
	for (unsigned i = 0; i < PERFWHIZ_COLUMNS; i++) {
		uint32_t n = 0;
		int ret;

		if (!msgpack_read_open(&c->readers[i], data, size))
			return cdict_fail_nomem(err);
		ret = find_column(&c->readers[i], i, &c->has[i], &n, err);
		if (ret == CDICT_ECORRUPT && i >= PERFWHIZ_NEEDED) {
			/* cut off: errors are reported for the required columns */
			c->has[i] = false;
			c->uneven = true;
		} else if (ret) {
			return ret;
		}
		if (!c->has[i]) {
			if (i < PERFWHIZ_NEEDED)
				return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
						  "has no column '%s', which perfwhiz files have",
						  perfwhiz_column_names[i]);
			msgpack_read_close(&c->readers[i]);
			continue;
		}
		if (!i)
			c->n = n;
		c->uneven |= n != c->n;
		if (n < c->n)
			c->n = n;
	}
	return 0;
}

void perfwhiz_columns_close(struct perfwhiz_columns *c)
{
	for (unsigned i = 0; i < PERFWHIZ_COLUMNS; i++)
		msgpack_read_close(&c->readers[i]);
}

int perfwhiz_columns_next(struct perfwhiz_columns *c, struct cdict_error *err)
{
	if (c->at == c->n)
		return 0;
	for (unsigned i = 0; i < PERFWHIZ_COLUMNS; i++) {
		struct msgpack_value *v = &c->row[i];

		v->type = MSGPACK_NIL;
		if (!c->has[i])
			continue;
		if (!msgpack_next(&c->readers[i], v))
			return broken(&c->readers[i], perfwhiz_column_names[i], err);
		/* entries are never lists: the members would be taken for the next entries */
		if (v->type == MSGPACK_ARRAY || v->type == MSGPACK_MAP)
			return cdict_fail(err, CDICT_ECORRUPT, CDICT_NO_OFFSET,
					  "an entry of %s is a list", perfwhiz_column_names[i]);
	}
	c->at++;
	return 1;
}

bool perfwhiz_number(const struct msgpack_value *v, int64_t *out)
{
	if (v->type == MSGPACK_INT)
		*out = v->i;
	else if (v->type == MSGPACK_FLOAT && v->f >= -9e15 && v->f <= 9e15)
		*out = (int64_t)v->f;
	else
		return false;
	return true;
}

bool perfwhiz_ns(const struct msgpack_value *v, uint64_t *ns)
{
	if (v->type == MSGPACK_INT && v->i >= 0 && (uint64_t)v->i <= NS_MAX / 1000) {
		*ns = (uint64_t)v->i * 1000;
		return true;
	}
	if (v->type == MSGPACK_FLOAT && v->f >= 0 && v->f <= (double)(NS_MAX / 1000)) {
		*ns = (uint64_t)(v->f * 1000 + 0.5);
		return true;
	}
	return false;
}
