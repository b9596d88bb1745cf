// SPDX-License-Identifier: GPL-2.0-only
/* list.c - see list.h. */
#include "query/sql/list.h"

#include <stdlib.h>

#include "base/fail.h"

static int list_next(struct query_source *src, struct cdict_error *err)
{
	struct list_source *l = (struct list_source *)(void *)src;

	(void)err;
	if (l->begun)
		l->at++;
	l->begun = true;
	return l->at < l->n;
}

static void list_close(struct query_source *src)
{
	free(src);
}

int list_open(struct query_source **out, struct query_run_of *run, size_t n, size_t only,
	      void (*column)(struct query_source *src, struct query_value *out, int column),
	      struct cdict_error *err)
{
	struct list_source *l = calloc(1, sizeof(*l));

	if (!l)
		return cdict_fail_nomem(err);
	l->base = (struct query_source){ list_next, column, list_close };
	l->run = run;
	l->n = n;
	if (only != LIST_ALL) {
		l->at = only;
		l->n = only < n ? only + 1 : 0;
	}
	*out = &l->base;
	return 0;
}
