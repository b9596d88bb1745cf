/* SPDX-License-Identifier: GPL-2.0-only */
#include "query/fleet/store/redis_tls.h"

#ifdef CDICT_HIREDIS

#include <errno.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/system/shared_object.h"

#if __has_include(<hiredis/hiredis_ssl.h>)

#include <hiredis/hiredis.h>
#include <hiredis/hiredis_ssl.h>

static struct {
	__typeof__(redisCreateSSLContext) *create;
	__typeof__(redisFreeSSLContext) *free;
	__typeof__(redisSSLContextGetError) *why;
	__typeof__(redisInitiateSSLWithContext) *begin;
} lib;

static const struct shared_function functions[] = {
	{ "redisCreateSSLContext", &lib.create },
	{ "redisFreeSSLContext", &lib.free },
	{ "redisSSLContextGetError", &lib.why },
	{ "redisInitiateSSLWithContext", &lib.begin },
};

/* Like hiredis itself: its structs differ between versions. */
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
static const char *const names[] = { "libhiredis_ssl.so." TEXT(HIREDIS_SONAME), NULL };

static struct shared_object hiredis_ssl = {
	.use = "rediss:// needs libhiredis_ssl",
	.package = "libhiredis" TEXT(HIREDIS_SONAME),
	.names = names,
	.functions = functions,
	.n = sizeof(functions) / sizeof(*functions),
};

int redis_tls_load(struct cdict_error *err)
{
	return shared_object_load(&hiredis_ssl, err);
}

int redis_tls_begin(struct redisContext *c, const char *host, const char *name,
		    struct cdict_error *err)
{
	redisSSLContextError why = REDIS_SSL_CTX_NONE;
	/* A session holds a reference to the parts of the context that it needs. */
	redisSSLContext *ctx = lib.create(getenv("SSL_CERT_FILE"), NULL, getenv("CDICT_STORE_CERT"),
					  getenv("CDICT_STORE_KEY"), host, &why);
	int rc = 0;

	if (!ctx)
		return cdict_fail(err, -EACCES, CDICT_NO_OFFSET, "%s: %s", name, lib.why(why));
	if (lib.begin(c, ctx) != REDIS_OK)
		rc = cdict_fail(err, -EACCES, CDICT_NO_OFFSET, "%s: TLS: %s", name, c->errstr);
	lib.free(ctx);
	return rc;
}

#else

int redis_tls_load(struct cdict_error *err)
{
	return cdict_fail(err, -ENOSYS, CDICT_NO_OFFSET,
			  "rediss:// needs a cdict built with hiredis 1.0 or later; "
			  "or use redis:// through a tunnel");
}

int redis_tls_begin(struct redisContext *c, const char *host, const char *name,
		    struct cdict_error *err)
{
	(void)c, (void)host, (void)name;
	return redis_tls_load(err);
}

#endif

#endif
