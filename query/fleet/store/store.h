/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store.h - where jobs are kept: a folder or Redis, with one interface and the same rules.
 *
 * A job has shelves ("h:compute-01"), a shelf has values by name.  A value is written once and never changes:
 * putting it again adds nothing.  So nothing is counted twice, however often and from wherever it is pushed,
 * and no locks are needed; readers add values up.
 *
 *	store_open(&st, "/var/lib/cdict", NULL, err);
 *	store_create(st, &job, err);			// -EEXIST
 *	store_put(st, "2001", "h:compute-01", "6b2f.17", data, size, &added, err);
 *	store_values(st, "2001", "h:compute-01", visit, ctx, err);
 *	store_close(st);
 *
 * Failure    0 or a negative code with *err filled: CDICT_ENOTFOUND the job does not exist (or has
 *            expired), -EEXIST it exists already, other codes from the store
 * Threads    one at a time per store; any number of processes
 * Ownership  open gives, close takes
 */
#ifndef QUERY_FLEET_STORE_STORE_H
#define QUERY_FLEET_STORE_STORE_H

#include "base/memory/array.h"
#include "query/fleet/store/job.h"

struct store;

/* Larger values are neither stored nor read. */
#define STORE_VALUE_MOST (64u << 20)
/* Limit for names of shelves and values, in bytes. */
#define STORE_NAME_MOST 100

typedef int store_job_fn(void *ctx, const struct fleet_job *job);
/* @n: number of values on it. */
typedef int store_shelf_fn(void *ctx, const char *shelf, uint64_t n);
typedef int store_value_fn(void *ctx, const char *name, const void *data, size_t size);
/* Whether to read the value of this name. */
typedef bool store_want_value(void *ctx, const char *name);

struct store_ops {
	int (*create)(struct store *st, const struct fleet_job *job, struct cdict_error *err);
	int (*get)(struct store *st, const char *id, struct fleet_job *job,
		   struct cdict_error *err);
	int (*list)(struct store *st, store_job_fn *visit, void *ctx, struct cdict_error *err);
	int (*remove)(struct store *st, const char *id, struct cdict_error *err);
	int (*put)(struct store *st, const char *id, const char *shelf, const char *name,
		   const void *data, size_t size, bool *added, struct cdict_error *err);
	int (*shelves)(struct store *st, const char *id, store_shelf_fn *visit, void *ctx,
		       struct cdict_error *err);
	int (*values)(struct store *st, const char *id, const char *shelf, store_want_value *want,
		      store_value_fn *visit, void *ctx, struct cdict_error *err);
	void (*close)(struct store *st);
	/* The clock of the store's server, ns since 1970; NULL: use this machine's. */
	int (*now)(struct store *st, const char *id, uint64_t *ns, struct cdict_error *err);
};

struct store {
	const struct store_ops *ops;
};

/* store_open - @where: redis://[user@]host[:port][/db], else a folder, created when a value is put into it.
 * @password for Redis, or NULL. */
int store_open(struct store **out, const char *where, const char *password,
	       struct cdict_error *err);
static inline void store_close(struct store *st)
{
	if (st)
		st->ops->close(st);
}

static inline int store_create(struct store *st, const struct fleet_job *job,
			       struct cdict_error *err)
{
	return st->ops->create(st, job, err);
}

static inline int store_get(struct store *st, const char *id, struct fleet_job *job,
			    struct cdict_error *err)
{
	return st->ops->get(st, id, job, err);
}

/* store_list - every job that has not expired; a nonzero result of @visit stops it. */
static inline int store_list(struct store *st, store_job_fn *visit, void *ctx,
			     struct cdict_error *err)
{
	return st->ops->list(st, visit, ctx, err);
}

static inline int store_remove(struct store *st, const char *id, struct cdict_error *err)
{
	return st->ops->remove(st, id, err);
}

/* store_put - *added: it was new. The job must exist; names contain no NUL. */
static inline int store_put(struct store *st, const char *id, const char *shelf, const char *name,
			    const void *data, size_t size, bool *added, struct cdict_error *err)
{
	return st->ops->put(st, id, shelf, name, data, size, added, err);
}

/* store_shelves, store_values - in name order. */
static inline int store_shelves(struct store *st, const char *id, store_shelf_fn *visit, void *ctx,
				struct cdict_error *err)
{
	return st->ops->shelves(st, id, visit, ctx, err);
}

/* Names of shelves, with the number of values on each. */
struct store_names {
	ARRAY(struct store_name {
		char text[STORE_NAME_MOST + 1];
		uint64_t n;
	})
	all;
};
/* store_list_shelves - lists all shelves of the job first, so that the store can be queried meanwhile;
 * free with array_fini(&out->all), even after a failure. */
int store_list_shelves(struct store_names *out, struct store *st, const char *id,
		       struct cdict_error *err);

static inline int store_values(struct store *st, const char *id, const char *shelf,
			       store_value_fn *visit, void *ctx, struct cdict_error *err)
{
	return st->ops->values(st, id, shelf, NULL, visit, ctx, err);
}

/* store_values_wanted - reads the values that @want accepts; the others cost only their names. */
static inline int store_values_wanted(struct store *st, const char *id, const char *shelf,
				      store_want_value *want, store_value_fn *visit, void *ctx,
				      struct cdict_error *err)
{
	return st->ops->values(st, id, shelf, want, visit, ctx, err);
}

/* Folders only: store_dir_drop - removes a value. store_dir_tidy - removes the job's empty folders, the empty job and
 * the empty store; a concurrent writer finds the job missing, and creates it. */
int store_dir_drop(struct store *st, const char *id, const char *shelf, const char *name,
		   struct cdict_error *err);
void store_dir_tidy(struct store *st, const char *id);

/* Implementations. */
int store_dir_open(struct store **out, const char *path, struct cdict_error *err);
int store_redis_open(struct store **out, const char *url, const char *password,
		     struct cdict_error *err);
int store_no_job(struct cdict_error *err, const char *id);
int store_job_is_there(struct cdict_error *err, const char *id);
int store_too_large(struct cdict_error *err, size_t size);

#endif
