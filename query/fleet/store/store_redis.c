/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A store in Redis, one server or a cluster:
 *
 *	cdict:jobs            sorted set: job ids by expiry time
 *	cdict:{2001}          string: the job
 *	cdict:{2001}:shelves  hash: shelf -> number of values put on it
 *	cdict:{2001}:s:SHELF  hash: name -> value
 *
 * The hash tag {2001} keeps all keys of a job on one node, so that a script can use all of them; every key has
 * the job's time to live.  Each write is one script: it is executed as a whole or not at all, in the
 * server's memory and in its append-only file.
 */
#include "query/fleet/store/store.h"

#ifdef CDICT_HIREDIS

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory/array.h"
#include "query/fleet/store/redis.h"

struct redis_store {
	struct store store;
	struct redis *r;
};

static struct redis *redis_of(struct store *st)
{
	return ((struct redis_store *)(void *)st)->r;
}

#define JOBS "cdict:jobs"
#define KEY_ROOM (FLEET_ID_ROOM + STORE_NAME_MOST + 32)
/* Longer names are not from cdict. */
#define VALUES_MOST (1 << 24)
/* Limits of one answer, unless a single value is larger. */
enum { BATCH_VALUES = 64, BATCH_BYTES = 4 << 20 };

static void key_of(char key[KEY_ROOM], const char *id, const char *what, const char *shelf)
{
	snprintf(key, KEY_ROOM, "cdict:{%s}%s%s", id, what, shelf);
}

static int fail_foreign(struct cdict_error *err, const struct redis *r, const char *key)
{
	return cdict_fail(err, CDICT_ECORRUPT, CDICT_NO_OFFSET,
			  "%s: %.200s is not in cdict's format", redis_name(r), key);
}

/* ---- the scripts ---- */

/* KEYS: job, shelves, leftovers of an evicted job of this id; ARGV: the job, its expiry time. */
static const char create_script[] =
	"if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end "
	"for i = 2, #KEYS do redis.call('UNLINK', KEYS[i]) end "
	"redis.call('SET', KEYS[1], ARGV[1]) "
	"if ARGV[2] ~= '0' then redis.call('PEXPIREAT', KEYS[1], ARGV[2]) end "
	"return 1";

/* KEYS: job, shelves, each shelf. -2: a shelf was added meanwhile, retry. */
static const char remove_script[] =
	"if redis.call('HLEN', KEYS[2]) ~= #KEYS - 2 then return -2 end "
	"local there = redis.call('EXISTS', KEYS[1]) "
	"for i = 1, #KEYS do redis.call('UNLINK', KEYS[i]) end "
	"return there";

/* KEYS: job, shelves, the shelf; ARGV: shelf, name, value. */
static const char put_script[] =
	"if redis.call('EXISTS', KEYS[1]) == 0 then return -1 end "
	"local new = redis.call('HSETNX', KEYS[3], ARGV[2], ARGV[3]) "
	"if new == 1 then "
	"redis.call('HINCRBY', KEYS[2], ARGV[1], 1) "
	"local ttl = redis.call('PTTL', KEYS[1]) "
	"if ttl > 0 then redis.call('PEXPIRE', KEYS[2], ttl) redis.call('PEXPIRE', KEYS[3], ttl) end "
	"end "
	"return new";

/* KEYS: the shelf; ARGV: names. */
static const char sizes_script[] =
	"local n = {} for i = 1, #ARGV do n[i] = redis.call('HSTRLEN', KEYS[1], ARGV[i]) end return n";

/* ---- shelves and names of values ---- */

/* Parses element @i as a number up to @most. */
static bool number_of(const struct redis_answer *a, size_t i, uint64_t most, uint64_t *out)
{
	size_t n;
	const char *text = redis_text(a, i, &n);

	if (!text || !n || n > 18 || strspn(text, "0123456789") != n)
		return false;
	*out = strtoull(text, NULL, 10);
	return *out <= most;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct store_name *)a)->text, ((const struct store_name *)b)->text);
}

/* Reads the names that @command returns, sorted; HGETALL: with their numbers. */
static int read_names(struct redis *r, const char *id, const char *command, const char *key,
		      struct store_names *out, struct cdict_error *err)
{
	const char *args[] = { command, key };
	bool pairs = !strcmp(command, "HGETALL");
	struct redis_answer *a;
	int rc = redis_ask(r, id, args, NULL, 2, &a, err);

	for (size_t i = 0; !rc && i < redis_count(a); i += pairs ? 2 : 1) {
		size_t n;
		const char *text = redis_text(a, i, &n);
		struct store_name *name;
		uint64_t number = 0;

		if (!text || !n || n > STORE_NAME_MOST || memchr(text, 0, n) ||
		    (pairs && !number_of(a, i + 1, UINT64_MAX, &number))) {
			rc = fail_foreign(err, r, key);
			break;
		}
		name = array_add(&out->all);
		if (!name) {
			rc = cdict_fail_nomem(err);
			break;
		}
		memcpy(name->text, text, n);
		name->n = number;
	}
	if (!rc && redis_kind(a) != REDIS_LIST)
		rc = fail_foreign(err, r, key);
	redis_free(a);
	if (!rc && out->all.n)
		qsort(out->all.at, out->all.n, sizeof(*out->all.at), compare_names);
	return rc;
}

/* ---- jobs ---- */

static int redis_store_get(struct store *st, const char *id, struct fleet_job *job,
			   struct cdict_error *err)
{
	struct redis *r = redis_of(st);
	struct redis_answer *a;
	char key[KEY_ROOM];
	const char *args[] = { "GET", key }, *data;
	size_t n;
	int rc;

	key_of(key, id, "", "");
	rc = redis_ask(r, id, args, NULL, 2, &a, err);
	if (rc)
		return rc;
	data = redis_text(a, 0, &n);
	if (redis_kind(a) == REDIS_NOTHING)
		rc = store_no_job(err, id);
	else if (!data)
		rc = fail_foreign(err, r, key);
	else
		rc = fleet_job_decode(job, id, data, n, err);
	redis_free(a);
	if (!rc && fleet_job_expired(job, fleet_now_ms()))
		rc = store_no_job(err, id);
	return rc;
}

/* Runs a script with all current keys of the job; *out: its result. */
static int eval_on_job(struct redis *r, const char *id, const char *script, const char *const *more,
		       const size_t *more_sizes, size_t n_more, int64_t *out,
		       struct cdict_error *err)
{
	struct store_names shelves = { 0 };
	ARRAY(const char *) args = { 0 };
	ARRAY(size_t) sizes = { 0 };
	char *keys = NULL, number[24];
	struct redis_answer *a;
	char key[KEY_ROOM];
	size_t n, total;
	int rc;

	key_of(key, id, ":shelves", "");
	rc = read_names(r, id, "HGETALL", key, &shelves, err);
	n = shelves.all.n + 2;
	total = 3 + n + n_more;
	if (!rc && (array_resize(&args, total) || array_resize(&sizes, total) ||
		    !(keys = calloc(n, KEY_ROOM))))
		rc = cdict_fail_nomem(err);
	if (!rc) {
		snprintf(number, sizeof(number), "%zu", n);
		args.at[0] = "EVAL";
		args.at[1] = script;
		args.at[2] = number;
		for (size_t i = 0; i < n; i++) {
			args.at[3 + i] = keys + i * KEY_ROOM;
			key_of(keys + i * KEY_ROOM, id,
			       i > 1 ? ":s:"
			       : i   ? ":shelves"
				     : "",
			       i > 1 ? shelves.all.at[i - 2].text : "");
		}
		for (size_t i = 0; i < 3 + n; i++)
			sizes.at[i] = strlen(args.at[i]);
		for (size_t i = 0; i < n_more; i++) {
			args.at[3 + n + i] = more[i];
			sizes.at[3 + n + i] = more_sizes[i];
		}
		rc = redis_ask(r, id, args.at, sizes.at, total, &a, err);
		if (!rc && !redis_number(a, out))
			rc = fail_foreign(err, r, key);
		redis_free(a);
	}
	free(keys);
	array_fini(&args);
	array_fini(&sizes);
	array_fini(&shelves.all);
	return rc;
}

/* Adds the job to the list of jobs, or removes it. */
static int update_job_list(struct redis *r, const char *id, uint64_t expires_ms, bool in,
			   struct cdict_error *err)
{
	char score[24] = "+inf";
	const char *add[] = { "ZADD", JOBS, score, id }, *rem[] = { "ZREM", JOBS, id };
	struct redis_answer *a;
	int rc;

	if (expires_ms)
		snprintf(score, sizeof(score), "%" PRIu64, expires_ms);
	rc = in ? redis_ask(r, "", add, NULL, 4, &a, err) : redis_ask(r, "", rem, NULL, 3, &a, err);
	redis_free(a);
	return rc;
}

static int redis_store_create(struct store *st, const struct fleet_job *job,
			      struct cdict_error *err)
{
	struct redis *r = redis_of(st);
	struct fleet_job there;
	struct buf b = { 0 };
	char expires[24];
	const char *more[2] = { NULL, expires };
	size_t sizes[2];
	int64_t made = 0;
	int rc = redis_store_get(st, job->id, &there, err);

	if (!rc)
		return store_job_is_there(err, job->id);
	if (rc != CDICT_ENOTFOUND)
		return rc;
	/* first into the list: an unlisted job could not be found */
	rc = update_job_list(r, job->id, job->expires_ms, true, err);
	if (rc)
		return rc;
	fleet_job_encode(&b, job);
	snprintf(expires, sizeof(expires), "%" PRIu64, job->expires_ms);
	more[0] = (const char *)b.data;
	sizes[0] = b.len;
	sizes[1] = strlen(expires);
	rc = b.failed ? cdict_fail_nomem(err)
		      : eval_on_job(r, job->id, create_script, more, sizes, 2, &made, err);
	buf_fini(&b);
	return rc || made ? rc : store_job_is_there(err, job->id);
}

static int redis_store_remove(struct store *st, const char *id, struct cdict_error *err)
{
	struct redis *r = redis_of(st);
	int64_t there = -2;
	int rc = 0;

	for (int tries = 0; !rc && there == -2 && tries < 100; tries++)
		rc = eval_on_job(r, id, remove_script, NULL, NULL, 0, &there, err);
	if (!rc && there == -2)
		rc = cdict_fail(err, -EAGAIN, CDICT_NO_OFFSET,
				"%s: job %s: hosts push into it faster than it can be removed",
				redis_name(r), id);
	rc = rc ? rc : update_job_list(r, id, 0, false, err);
	return rc || there ? rc : store_no_job(err, id);
}

/* Removes the entry of a job that expired a day ago: no process is creating it now. */
static void drop_expired(struct redis *r, const char *id, const char *score)
{
	uint64_t expired_ms = strtoull(score, NULL, 10);

	if (*score >= '1' && *score <= '9' && expired_ms + 86400000 < fleet_now_ms())
		update_job_list(r, id, 0, false, NULL);
}

static int redis_store_list(struct store *st, store_job_fn *visit, void *ctx,
			    struct cdict_error *err)
{
	const char *args[] = { "ZRANGE", JOBS, "0", "-1", "WITHSCORES" };
	struct redis *r = redis_of(st);
	struct redis_answer *a;
	struct fleet_job job;
	int rc = redis_ask(r, "", args, NULL, 5, &a, err);

	if (!rc && redis_kind(a) != REDIS_LIST)
		rc = fail_foreign(err, r, JOBS);
	for (size_t i = 0; !rc && i + 1 < redis_count(a); i += 2) {
		size_t n, n_score;
		const char *text = redis_text(a, i, &n), *score = redis_text(a, i + 1, &n_score);
		struct cdict_error why = { 0 };
		char id[FLEET_ID_ROOM];
		int got;

		if (!text || !score || n >= sizeof(id))
			continue;
		snprintf(id, sizeof(id), "%.*s", (int)n, text);
		if (fleet_job_id(id, NULL))
			continue;
		got = redis_store_get(st, id, &job, &why);
		if (!got)
			rc = visit(ctx, &job);
		else if (got == CDICT_ENOTFOUND)
			drop_expired(r, id, score);
		else if (got != CDICT_EFORMAT && got != CDICT_EVERSION && got != CDICT_ECORRUPT)
			rc = cdict_fail(err, got, CDICT_NO_OFFSET, "%s", why.text);
	}
	redis_free(a);
	return rc;
}

/* ---- values ---- */

static int redis_store_put(struct store *st, const char *id, const char *shelf, const char *name,
			   const void *data, size_t size, bool *added, struct cdict_error *err)
{
	struct redis *r = redis_of(st);
	char keys[3][KEY_ROOM];
	const char *args[] = {
		"EVAL", put_script, "3", keys[0], keys[1], keys[2], shelf, name, data
	};
	size_t sizes[9];
	struct redis_answer *a;
	int64_t new = 0;
	int rc;

	*added = false;
	if (size > STORE_VALUE_MOST)
		return store_too_large(err, size);
	if (!*shelf || !*name || strlen(shelf) > STORE_NAME_MOST || strlen(name) > STORE_NAME_MOST)
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				  "name is too long; a store accepts 1 to %d bytes",
				  STORE_NAME_MOST);
	key_of(keys[0], id, "", "");
	key_of(keys[1], id, ":shelves", "");
	key_of(keys[2], id, ":s:", shelf);
	for (size_t i = 0; i < 8; i++)
		sizes[i] = strlen(args[i]);
	sizes[8] = size;
	rc = redis_ask(r, id, args, sizes, 9, &a, err);
	if (!rc && !redis_number(a, &new))
		rc = fail_foreign(err, r, keys[2]);
	redis_free(a);
	*added = !rc && new == 1;
	return rc ? rc : new < 0 ? store_no_job(err, id) : 0;
}

static int redis_store_shelves(struct store *st, const char *id, store_shelf_fn *visit, void *ctx,
			       struct cdict_error *err)
{
	struct store_names shelves = { 0 };
	struct fleet_job job;
	char key[KEY_ROOM];
	int rc = redis_store_get(st, id, &job, err);

	key_of(key, id, ":shelves", "");
	rc = rc ? rc : read_names(redis_of(st), id, "HGETALL", key, &shelves, err);
	for (size_t i = 0; i < shelves.all.n && !rc; i++)
		rc = visit(ctx, shelves.all.at[i].text, shelves.all.at[i].n);
	array_fini(&shelves.all);
	return rc;
}

/* Number of names to request at once, from the first on: a server must not exhaust the client's memory. */
static int batch_of(struct redis *r, const char *id, const char *key,
		    const struct store_name *names, size_t n, size_t *out, struct cdict_error *err)
{
	const char *args[4 + BATCH_VALUES] = { "EVAL", sizes_script, "1", key };
	struct redis_answer *a;
	size_t total = 0, i;
	int rc;

	n = n < BATCH_VALUES ? n : BATCH_VALUES;
	for (i = 0; i < n; i++)
		args[4 + i] = names[i].text;
	rc = redis_ask(r, id, args, NULL, 4 + n, &a, err);
	for (i = 0; i < n && !rc; i++) {
		int64_t size;

		if (!redis_number_at(a, i, &size) || size < 0)
			rc = fail_foreign(err, r, key);
		else if (size > STORE_VALUE_MOST)
			rc = store_too_large(err, (size_t)size);
		else if (i && total + (size_t)size > BATCH_BYTES)
			break;
		else
			total += (size_t)size;
	}
	redis_free(a);
	*out = i;
	return rc;
}

static int read_batch(struct redis *r, const char *id, const char *key,
		      const struct store_name *names, size_t n, store_value_fn *visit, void *ctx,
		      struct cdict_error *err)
{
	const char *args[2 + BATCH_VALUES] = { "HMGET", key };
	struct redis_answer *a;
	int rc;

	for (size_t i = 0; i < n; i++)
		args[2 + i] = names[i].text;
	rc = redis_ask(r, id, args, NULL, 2 + n, &a, err);
	if (!rc && redis_count(a) != n)
		rc = fail_foreign(err, r, key);
	for (size_t i = 0; i < n && !rc; i++) {
		size_t size;
		const char *data = redis_text(a, i, &size);

		if (data && size <= STORE_VALUE_MOST)
			rc = visit(ctx, names[i].text, data, size);
	}
	redis_free(a);
	return rc;
}

/* Removes unwanted names, keeps the order. */
static void keep_wanted(struct store_names *names, store_want_value *want, void *ctx)
{
	size_t n = 0;

	for (size_t i = 0; i < names->all.n; i++) {
		if (want(ctx, names->all.at[i].text))
			names->all.at[n++] = names->all.at[i];
	}
	names->all.n = n;
}

static int redis_store_values(struct store *st, const char *id, const char *shelf,
			      store_want_value *want, store_value_fn *visit, void *ctx,
			      struct cdict_error *err)
{
	struct redis *r = redis_of(st);
	struct store_names names = { 0 };
	struct fleet_job job;
	char key[KEY_ROOM];
	size_t n = 0;
	int rc = redis_store_get(st, id, &job, err);

	key_of(key, id, ":s:", shelf);
	rc = rc ? rc : read_names(r, id, "HKEYS", key, &names, err);
	if (!rc && names.all.n > VALUES_MOST)
		rc = fail_foreign(err, r, key);
	if (!rc && want)
		keep_wanted(&names, want, ctx);
	for (size_t i = 0; i < names.all.n && !rc; i += n) {
		rc = batch_of(r, id, key, names.all.at + i, names.all.n - i, &n, err);
		rc = rc ? rc : read_batch(r, id, key, names.all.at + i, n, visit, ctx, err);
	}
	array_fini(&names.all);
	return rc;
}

static int redis_store_now(struct store *st, const char *id, uint64_t *ns, struct cdict_error *err)
{
	struct redis *r = redis_of(st);
	const char *args[] = { "TIME" };
	uint64_t s, us;
	struct redis_answer *a;
	int rc = redis_ask(r, id, args, NULL, 1, &a, err);

	if (!rc && (!number_of(a, 0, 7258118400, &s) || !number_of(a, 1, 999999, &us)))
		rc = fail_foreign(err, r, "the reply to TIME");
	if (!rc)
		*ns = s * 1000000000 + us * 1000;
	redis_free(a);
	return rc;
}

static void redis_store_close(struct store *st)
{
	redis_close(redis_of(st));
	free(st);
}

static const struct store_ops ops = {
	.create = redis_store_create,
	.get = redis_store_get,
	.list = redis_store_list,
	.remove = redis_store_remove,
	.put = redis_store_put,
	.shelves = redis_store_shelves,
	.values = redis_store_values,
	.close = redis_store_close,
	.now = redis_store_now,
};

int store_redis_open(struct store **out, const char *url, const char *password,
		     struct cdict_error *err)
{
	struct redis_store *s = calloc(1, sizeof(*s));
	int rc = s ? redis_open(&s->r, url, password, err) : cdict_fail_nomem(err);

	if (rc) {
		free(s);
		return rc;
	}
	s->store.ops = &ops;
	*out = &s->store;
	return 0;
}

#else

#include "base/fail.h"

int store_redis_open(struct store **out, const char *url, const char *password,
		     struct cdict_error *err)
{
	(void)out;
	(void)password;
	return cdict_fail(err, CDICT_EUNSUPPORTED, CDICT_NO_OFFSET,
			  "%.80s: built without hiredis (HIREDIS=0): a store must be a folder",
			  url);
}

#endif
