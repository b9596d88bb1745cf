/* SPDX-License-Identifier: GPL-2.0-only */
/* Connections to Redis through hiredis. */
#include "query/fleet/store/redis.h"

#ifdef CDICT_HIREDIS

#include <errno.h>
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/memory/array.h"
#include "base/system/shared_object.h"
#include "query/fleet/store/redis_tls.h"

/* ---- the library ---- */

static struct {
	__typeof__(redisConnectWithTimeout) *connect;
	__typeof__(redisSetTimeout) *set_timeout;
	__typeof__(redisCommandArgv) *command;
	__typeof__(redisFree) *free;
	__typeof__(freeReplyObject) *free_reply;
} lib;

static const struct shared_function functions[] = {
	{ "redisConnectWithTimeout", &lib.connect }, { "redisSetTimeout", &lib.set_timeout },
	{ "redisCommandArgv", &lib.command },        { "redisFree", &lib.free },
	{ "freeReplyObject", &lib.free_reply },
};

/* hiredis' structs differ between versions: load only the version of the header. */
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
static const char *const names[] = { "libhiredis.so." TEXT(HIREDIS_SONAME), NULL };

static struct shared_object hiredis = {
	.use = "redis:// needs libhiredis",
	.package = "libhiredis" TEXT(HIREDIS_SONAME),
	.names = names,
	.functions = functions,
	.n = sizeof(functions) / sizeof(*functions),
	.is_shared = true,
};

/* ---- nodes ---- */

enum { CONNECT_S = 3, ANSWER_S = 20, REDIRECTIONS = 16, WAITS = 50 };
enum { HOST_ROOM = 256 };

struct node {
	char host[HOST_ROOM];
	int port;
	redisContext *c; /* NULL: not connected */
};

/* The node that has the keys of a tag. */
struct route {
	char tag[72];
	size_t node;
};

struct redis {
	ARRAY(struct node) nodes; /* those of the address first */
	size_t n_seeds;
	struct route routes[4]; /* a job, and the list of jobs; a new one replaces the oldest */
	unsigned n_routes;
	char *user, *password;
	int db;
	bool tls;
	char name[HOST_ROOM + 32];
};

const char *redis_name(const struct redis *r)
{
	return r->name;
}

static size_t find_node(struct redis *r, const char *host, size_t n_host, int port)
{
	struct node *node;
	size_t i = 0;

	while (i < r->nodes.n &&
	       (r->nodes.at[i].port != port || strlen(r->nodes.at[i].host) != n_host ||
		memcmp(r->nodes.at[i].host, host, n_host)))
		i++;
	if (i < r->nodes.n || n_host >= HOST_ROOM)
		return i;
	node = array_add(&r->nodes);
	if (node) {
		memcpy(node->host, host, n_host);
		node->port = port;
	}
	return node ? i : SIZE_MAX;
}

static struct route *route_of(struct redis *r, const char *tag)
{
	struct route *new;

	for (size_t i = 0; i < sizeof(r->routes) / sizeof(*r->routes); i++) {
		if (i < r->n_routes && !strcmp(r->routes[i].tag, tag))
			return &r->routes[i];
	}
	new = &r->routes[r->n_routes++ % (sizeof(r->routes) / sizeof(*r->routes))];
	*new = (struct route){ 0 };
	snprintf(new->tag, sizeof(new->tag), "%s", tag);
	return new;
}

static void disconnect(struct node *node)
{
	if (node->c)
		lib.free(node->c);
	node->c = NULL;
}

static void pause_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

/* Sends a setup command on a new connection. */
static int send_setup(struct redis *r, struct node *node, const char **args, int n,
		      struct cdict_error *err)
{
	redisReply *reply = lib.command(node->c, n, args, NULL);
	int rc = 0;

	if (!reply)
		rc = cdict_fail(err, -ECONNRESET, CDICT_NO_OFFSET, "%s: %s", r->name,
				node->c->errstr);
	else if (reply->type == REDIS_REPLY_ERROR)
		rc = cdict_fail(err, -EACCES, CDICT_NO_OFFSET, "%s: %.300s", r->name, reply->str);
	if (reply)
		lib.free_reply(reply);
	return rc;
}

static int connect_node(struct redis *r, struct node *node, struct cdict_error *err)
{
	const char *auth[] = { "AUTH", r->user, r->password };
	char db[16];
	const char *select[] = { "SELECT", db };
	int rc = 0;

	snprintf(r->name, sizeof(r->name), "redis%s://%s:%d", r->tls ? "s" : "", node->host,
		 node->port);
	if (node->c)
		return 0;
	node->c = lib.connect(node->host, node->port, (struct timeval){ CONNECT_S, 0 });
	if (!node->c)
		return cdict_fail_nomem(err);
	if (node->c->err)
		rc = cdict_fail(err, -ECONNREFUSED, CDICT_NO_OFFSET, "%s: %s", r->name,
				node->c->errstr);
	else
		lib.set_timeout(node->c, (struct timeval){ ANSWER_S, 0 });
	if (!rc && r->tls)
		rc = redis_tls_begin(node->c, node->host, r->name, err);
	if (!rc && r->password) {
		if (!r->user)
			auth[1] = r->password;
		rc = send_setup(r, node, auth, r->user ? 3 : 2, err);
	}
	if (!rc && r->db) {
		snprintf(db, sizeof(db), "%d", r->db);
		rc = send_setup(r, node, select, 2, err);
	}
	if (rc)
		disconnect(node);
	return rc;
}

/* ---- commands ---- */

/* Parses "MOVED 3999 127.0.0.1:6381": returns the node, added when new; SIZE_MAX: not of this form. */
static size_t redirected(struct redis *r, const struct node *from, const char *text)
{
	const char *at = strchr(text, ' '), *colon;
	long port;

	at = at ? strchr(at + 1, ' ') : NULL;
	colon = at ? strrchr(at, ':') : NULL;
	port = colon ? strtol(colon + 1, NULL, 10) : 0;
	if (port <= 0 || port > 65535)
		return SIZE_MAX;
	at++;
	/* without a host: the same host as the sender */
	return colon == at ? find_node(r, from->host, strlen(from->host), (int)port)
			   : find_node(r, at, (size_t)(colon - at), (int)port);
}

static int fail_refused(const struct redis *r, const char *text, struct cdict_error *err)
{
	const char *help =
		!strncmp(text, "NOAUTH", 6)      ? " (set REDISCLI_AUTH or use --store-password)"
		: !strncmp(text, "WRONGTYPE", 9) ? " (the key belongs to another program)"
		: !strncmp(text, "READONLY", 8)  ? " (use the master's address)"
						 : "";

	return cdict_fail(err, -EACCES, CDICT_NO_OFFSET, "%s: %.300s%s", r->name, text, help);
}

/* No answer: the connection is broken. */
static int fail_broken(struct redis *r, struct node *node, struct cdict_error *err)
{
	int rc = cdict_fail(err, node->c->err == REDIS_ERR_OOM ? -ENOMEM : -ECONNRESET,
			    CDICT_NO_OFFSET, "%s: %s", r->name,
			    node->c->err == REDIS_ERR_IO && errno == EAGAIN ? "does not answer"
									    : node->c->errstr);

	disconnect(node);
	return rc;
}

/* Errors that disappear with time: a server starting up, a slot being moved. */
static bool is_temporary(const char *text)
{
	return !strncmp(text, "LOADING", 7) || !strncmp(text, "TRYAGAIN", 8) ||
	       !strncmp(text, "BUSY ", 5);
}

int redis_ask(struct redis *r, const char *tag, const char *const *args, const size_t *sizes,
	      size_t n, struct redis_answer **out, struct cdict_error *err)
{
	struct route *route = route_of(r, tag);
	size_t at = route->node;
	bool asking = false, again = true;
	int waits = 0, rc;

	*out = NULL;
	for (int redirections = 0; redirections <= REDIRECTIONS;) {
		const char *ask[] = { "ASKING" };
		struct node *node = &r->nodes.at[at];
		redisReply *reply;

		rc = connect_node(r, node, err);
		if (!rc && asking)
			rc = send_setup(r, node, ask, 1, err);
		if (rc)
			return rc;
		errno = 0;
		reply = lib.command(node->c, (int)n, (const char **)args, sizes);
		if (!reply) {
			bool slow = node->c->err == REDIS_ERR_IO && errno == EAGAIN;

			rc = fail_broken(r, node, err);
			if (!again || slow)
				return rc;
			again = false;
			continue;
		}
		if (reply->type != REDIS_REPLY_ERROR) {
			*out = (struct redis_answer *)(void *)reply;
			return 0;
		}
		if (!strncmp(reply->str, "ASK ", 4) || !strncmp(reply->str, "MOVED ", 6)) {
			asking = *reply->str == 'A';
			at = redirected(r, node, reply->str);
			rc = at >= r->nodes.n ? fail_refused(r, reply->str, err) : 0;
			if (!rc && !asking)
				route->node = at;
			redirections++;
		} else if (is_temporary(reply->str) && waits++ < WAITS) {
			rc = 0;
			pause_ms(100);
		} else {
			rc = fail_refused(r, reply->str, err);
		}
		lib.free_reply(reply);
		if (rc)
			return rc;
	}
	return cdict_fail(err, -ELOOP, CDICT_NO_OFFSET,
			  "%s: no node of the cluster has the keys of %s", r->name,
			  *tag ? tag : "the list of jobs");
}

void redis_free(struct redis_answer *a)
{
	if (a)
		lib.free_reply(a);
}

/* ---- answers ---- */

static const redisReply *reply_of(const struct redis_answer *a)
{
	return (const redisReply *)(const void *)a;
}

enum redis_kind redis_kind(const struct redis_answer *a)
{
	switch (reply_of(a)->type) {
	case REDIS_REPLY_STRING:
	case REDIS_REPLY_STATUS:
		return REDIS_TEXT;
	case REDIS_REPLY_INTEGER:
		return REDIS_NUMBER;
	case REDIS_REPLY_ARRAY:
		return REDIS_LIST;
	}
	return REDIS_NOTHING;
}

size_t redis_count(const struct redis_answer *a)
{
	return redis_kind(a) == REDIS_LIST ? reply_of(a)->elements : 0;
}

static const redisReply *element(const struct redis_answer *a, size_t i)
{
	const redisReply *reply = reply_of(a);

	if (reply->type != REDIS_REPLY_ARRAY)
		return i ? NULL : reply;
	return i < reply->elements ? reply->element[i] : NULL;
}

const char *redis_text(const struct redis_answer *a, size_t i, size_t *size)
{
	const redisReply *reply = element(a, i);

	*size = 0;
	if (!reply || reply->type != REDIS_REPLY_STRING)
		return NULL;
	*size = reply->len;
	return reply->str;
}

bool redis_number_at(const struct redis_answer *a, size_t i, int64_t *out)
{
	const redisReply *reply = element(a, i);

	if (!reply || reply->type != REDIS_REPLY_INTEGER)
		return false;
	*out = reply->integer;
	return true;
}

bool redis_number(const struct redis_answer *a, int64_t *out)
{
	return redis_kind(a) == REDIS_NUMBER && redis_number_at(a, 0, out);
}

/* ---- the address ---- */

static int fail_address(struct cdict_error *err, const char *url, const char *what)
{
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			  "--store %.100s: %s; expected redis://[user@]host[:port][,host...][/db]",
			  url, what);
}

/* "host", "host:6380", "[::1]:6380". */
static int add_seed(struct redis *r, const char *url, const char *text, size_t n,
		    struct cdict_error *err)
{
	bool bracket = n && *text == '[';
	const char *end = bracket ? memchr(text, ']', n) : memchr(text, ':', n);
	const char *colon = bracket && end ? end + 1 : end;
	size_t n_host = end ? (size_t)(end - text) - bracket : n;
	char *rest;
	long port = 6379;

	if (bracket && !end)
		return fail_address(err, url, "missing ]");
	if (colon && colon < text + n) {
		port = *colon == ':' && colon + 1 < text + n ? strtol(colon + 1, &rest, 10) : 0;
		if (port <= 0 || port > 65535 || rest != text + n)
			return fail_address(err, url, "port must be 1 to 65535");
	}
	if (!n_host || n_host >= HOST_ROOM)
		return fail_address(err, url, "missing host");
	return find_node(r, text + bracket, n_host, (int)port) == SIZE_MAX ? cdict_fail_nomem(err)
									   : 0;
}

static int parse_address(struct redis *r, const char *url, struct cdict_error *err)
{
	const char *at = strstr(url, "://") + 3, *slash = strchr(at, '/'), *user;
	const char *end = slash ? slash : at + strlen(at);
	int rc = 0;

	r->tls = !strncmp(url, "rediss://", 9);
	if (r->tls && redis_tls_load(err))
		return err->code;
	user = memchr(at, '@', (size_t)(end - at));
	if (user) {
		if (memchr(at, ':', (size_t)(user - at)))
			return cdict_fail(
				err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				"--store must not contain a password, which others could see; use "
				"REDISCLI_AUTH or --store-password");
		r->user = strndup(at, (size_t)(user - at));
		if (!r->user)
			return cdict_fail_nomem(err);
		at = user + 1;
	}
	while (!rc && at <= end) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const char *stop = comma ? comma : end;

		rc = add_seed(r, url, at, (size_t)(stop - at), err);
		at = stop + 1;
	}
	r->n_seeds = r->nodes.n;
	if (!rc && slash && slash[1]) {
		r->db = atoi(slash + 1);
		if (strspn(slash + 1, "0123456789") != strlen(slash + 1) || r->db < 0)
			rc = fail_address(err, url, "database must be a number");
	}
	return rc;
}

int redis_open(struct redis **out, const char *url, const char *password, struct cdict_error *err)
{
	struct redis *r;
	int rc = shared_object_load(&hiredis, err);

	if (rc)
		return rc;
	r = calloc(1, sizeof(*r));
	rc = r ? parse_address(r, url, err) : cdict_fail_nomem(err);
	if (!rc && password && *password && !(r->password = strdup(password)))
		rc = cdict_fail_nomem(err);
	if (!rc) {
		size_t i = 0;

		do
			rc = connect_node(r, &r->nodes.at[i], err);
		while (rc && ++i < r->n_seeds);
		if (!rc && i) { /* the first host is tried first */
			struct node other = r->nodes.at[0];

			r->nodes.at[0] = r->nodes.at[i];
			r->nodes.at[i] = other;
		}
	}
	if (rc) {
		redis_close(r);
		return rc;
	}
	*out = r;
	return 0;
}

void redis_close(struct redis *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->nodes.n; i++)
		disconnect(&r->nodes.at[i]);
	array_fini(&r->nodes);
	if (r->password)
		explicit_bzero(r->password, strlen(r->password));
	free(r->password);
	free(r->user);
	free(r);
}

#endif
