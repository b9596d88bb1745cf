/* SPDX-License-Identifier: GPL-2.0-only */
/* What all stores have in common. */
#include "fleet/store.h"

#include <errno.h>
#include <string.h>

#include "base/fail.h"

int store_open(struct store **out, const char *where, const char *password, struct cdict_error *err)
{
	if (!strncmp(where, "redis://", 8) || !strncmp(where, "rediss://", 9))
		return store_redis_open(out, where, password, err);
	if (strstr(where, "://"))
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "--store %.80s: it is a folder, or redis://...", where);
	return store_dir_open(out, where, err);
}

int store_no_job(struct cdict_error *err, const char *id)
{
	return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
			  "there is no job %s; 'cdict job list' lists those there are", id);
}

int store_job_is_there(struct cdict_error *err, const char *id)
{
	return cdict_fail(err, -EEXIST, CDICT_NO_OFFSET,
			  "there is a job %s already; 'cdict job remove' removes it", id);
}

int store_too_large(struct cdict_error *err, size_t size)
{
	return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
			  "a value of %zu bytes, a store takes at most %u", size, STORE_VALUE_MOST);
}
