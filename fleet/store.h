/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store.h - where jobs are kept: a folder, or Redis.  One interface, the same rules.
 *
 * A job has shelves ("h:compute-01"), a shelf has values by name.  A value is written once and never changes:
 * putting it again adds nothing.  So nothing is counted twice however often, and from wherever, it is
 * pushed, and nothing needs a lock; whoever reads adds up.
 *
 *	store_open(&st, "/var/lib/cdict", NULL, err);
 *	store_create(st, &job, err);			// -EEXIST
 *	store_put(st, "2001", "h:compute-01", "6b2f.17", data, size, &added, err);
 *	store_values(st, "2001", "h:compute-01", hear, ctx, err);
 *	store_close(st);
 *
 * Failure    0 or a negative code with *err filled: CDICT_ENOTFOUND there is no such job (or it
 *            expired), -EEXIST there is one, others as the store has them
 * Threads    one at a time per store; any number of processes
 * Ownership  open gives, close takes
 */
#ifndef FLEET_STORE_H
#define FLEET_STORE_H

#include "base/array.h"
#include "fleet/job.h"

struct store;

/* A value of more is refused; and none is read. */
#define STORE_VALUE_MOST (64u << 20)
/* Names of shelves and values, in bytes. */
#define STORE_NAME_MOST 100

typedef int store_hear_job(void *ctx, const struct fleet_job *job);
/* @n: values on it. */
typedef int store_hear_shelf(void *ctx, const char *shelf, uint64_t n);
typedef int store_hear_value(void *ctx, const char *name, const void *data, size_t size);
/* Whether the value of this name is to be read at all. */
typedef bool store_want_value(void *ctx, const char *name);

struct store_ops {
	int (*create)(struct store *st, const struct fleet_job *job, struct cdict_error *err);
	int (*get)(struct store *st, const char *id, struct fleet_job *job,
		   struct cdict_error *err);
	int (*list)(struct store *st, store_hear_job *hear, void *ctx, struct cdict_error *err);
	int (*remove)(struct store *st, const char *id, struct cdict_error *err);
	int (*put)(struct store *st, const char *id, const char *shelf, const char *name,
		   const void *data, size_t size, bool *added, struct cdict_error *err);
	int (*shelves)(struct store *st, const char *id, store_hear_shelf *hear, void *ctx,
		       struct cdict_error *err);
	int (*values)(struct store *st, const char *id, const char *shelf, store_want_value *want,
		      store_hear_value *hear, void *ctx, struct cdict_error *err);
	void (*close)(struct store *st);
	/* What the clock of who keeps the job says, ns since 1970; NULL: it is this machine's. */
	int (*now)(struct store *st, const char *id, uint64_t *ns, struct cdict_error *err);
};

struct store {
	const struct store_ops *ops;
};

/* store_open - @where: redis://[user@]host[:port][/db], else a folder, which is made when something is put into it.
 * @password of Redis, or NULL. */
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

/* store_list - every job that has not expired; what @hear returns ends it, unless 0. */
static inline int store_list(struct store *st, store_hear_job *hear, void *ctx,
			     struct cdict_error *err)
{
	return st->ops->list(st, hear, ctx, err);
}

static inline int store_remove(struct store *st, const char *id, struct cdict_error *err)
{
	return st->ops->remove(st, id, err);
}

/* store_put - *added: it was not there before. The job must be there; names have no NUL. */
static inline int store_put(struct store *st, const char *id, const char *shelf, const char *name,
			    const void *data, size_t size, bool *added, struct cdict_error *err)
{
	return st->ops->put(st, id, shelf, name, data, size, added, err);
}

/* store_shelves, store_values - in the order of their names. */
static inline int store_shelves(struct store *st, const char *id, store_hear_shelf *hear, void *ctx,
				struct cdict_error *err)
{
	return st->ops->shelves(st, id, hear, ctx, err);
}

/* Names of shelves, with the number of values on each. */
struct store_names {
	ARRAY(struct store_name {
		char text[STORE_NAME_MOST + 1];
		uint64_t n;
	})
	all;
};
/* store_list_shelves - all of the job's, to go through while the store is asked other things; array_fini(&out->all)
 * empties it, also after a failure. */
int store_list_shelves(struct store_names *out, struct store *st, const char *id,
		       struct cdict_error *err);

static inline int store_values(struct store *st, const char *id, const char *shelf,
			       store_hear_value *hear, void *ctx, struct cdict_error *err)
{
	return st->ops->values(st, id, shelf, NULL, hear, ctx, err);
}

/* store_values_wanted - of those that @want says yes to: the others cost no more than their names. */
static inline int store_values_wanted(struct store *st, const char *id, const char *shelf,
				      store_want_value *want, store_hear_value *hear, void *ctx,
				      struct cdict_error *err)
{
	return st->ops->values(st, id, shelf, want, hear, ctx, err);
}

/* Of a folder only: store_dir_drop - takes a value away. store_dir_tidy - folders of the job that are empty go, the job
 * too, and the store's own, when nothing is in them; who puts something at this moment finds no job, and makes it. */
int store_dir_drop(struct store *st, const char *id, const char *shelf, const char *name,
		   struct cdict_error *err);
void store_dir_tidy(struct store *st, const char *id);

/* The stores. */
int store_dir_open(struct store **out, const char *path, struct cdict_error *err);
int store_redis_open(struct store **out, const char *url, const char *password,
		     struct cdict_error *err);
int store_no_job(struct cdict_error *err, const char *id);
int store_job_is_there(struct cdict_error *err, const char *id);
int store_too_large(struct cdict_error *err, size_t size);

#endif
