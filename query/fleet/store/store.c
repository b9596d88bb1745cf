/* SPDX-License-Identifier: GPL-2.0-only */
/* Code common to all stores. */
#include "query/fleet/store/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

int store_open(struct store **out, const char *where, const char *password, struct cdict_error *err)
{
	if (!strncmp(where, "redis://", 8) || !strncmp(where, "rediss://", 9))
		return store_redis_open(out, where, password, err);
	if (strstr(where, "://"))
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "--store %.80s: expected a folder or redis://...", where);
	return store_dir_open(out, where, err);
}

static int handle_shelf(void *ctx, const char *shelf, uint64_t n)
{
	struct store_names *names = ctx;
	struct store_name *name = array_add(&names->all);

	if (!name)
		return -ENOMEM;
	snprintf(name->text, sizeof(name->text), "%s", shelf);
	name->n = n;
	return 0;
}

int store_list_shelves(struct store_names *out, struct store *st, const char *id,
		       struct cdict_error *err)
{
	int rc = store_shelves(st, id, handle_shelf, out, err);

	return rc == -ENOMEM ? cdict_fail_nomem(err) : rc;
}

int store_no_job(struct cdict_error *err, const char *id)
{
	return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
			  "no job %s; 'cdict job list' lists jobs", id);
}

int store_job_is_there(struct cdict_error *err, const char *id)
{
	return cdict_fail(err, -EEXIST, CDICT_NO_OFFSET,
			  "job %s already exists; 'cdict job remove' removes it", id);
}

int store_too_large(struct cdict_error *err, size_t size)
{
	return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
			  "value of %zu bytes exceeds the store's limit of %u", size,
			  STORE_VALUE_MOST);
}
