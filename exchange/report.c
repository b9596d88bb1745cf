/* SPDX-License-Identifier: GPL-2.0-only */
#include "exchange/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

int report_unstored(struct convert_report *r, const char *name, uint64_t count,
		    struct cdict_error *err)
{
	struct convert_unstored *rows;

	if (!count)
		return 0;
	rows = realloc(r->unstored, (r->n_unstored + 1) * sizeof(*rows));
	if (!rows)
		return cdict_fail_nomem(err);
	r->unstored = rows;
	rows[r->n_unstored].count = count;
	rows[r->n_unstored].name = strdup(name);
	return rows[r->n_unstored++].name ? 0 : cdict_fail_nomem(err);
}

static int by_count(const void *a, const void *b)
{
	const struct convert_unstored *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->name, y->name);
}

int report_write_unstored(struct convert_report *r, struct cdict_writer *w, struct cdict_error *err)
{
	int ret = 0;

	if (r->n_unstored)
		qsort(r->unstored, r->n_unstored, sizeof(*r->unstored), by_count);
	for (size_t i = 0; i < r->n_unstored && !ret; i++)
		ret = cdict_writer_unstored(w, r->unstored[i].name, r->unstored[i].count, err);
	return ret;
}

void report_missing(struct convert_report *r, const char *instead)
{
	size_t at, n = r->n_unstored < 3 ? r->n_unstored : 3;

	if (r->events)
		return;
	at = (size_t)snprintf(r->missing, sizeof(r->missing), "holds no event of the wanted kind%s",
			      n ? ": it has" : "");
	for (size_t i = 0; i < n && at < sizeof(r->missing); i++)
		at += (size_t)snprintf(r->missing + at, sizeof(r->missing) - at,
				       "%s %" PRIu64 " %.64s", i ? "," : "", r->unstored[i].count,
				       r->unstored[i].name);
	if (at < sizeof(r->missing))
		snprintf(r->missing + at, sizeof(r->missing) - at, "; %s", instead);
}

int report_labels(const struct convert_options *opts, struct cdict_writer *w,
		  struct cdict_error *err)
{
	int ret = 0;

	for (size_t i = 0; opts->labels && i < opts->labels->n && !ret; i++)
		ret = cdict_writer_label(w, &opts->labels->labels[i], err);
	return ret;
}
