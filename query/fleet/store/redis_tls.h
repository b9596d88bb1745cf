/* SPDX-License-Identifier: GPL-2.0-only */
/* TLS for connections to Redis, with hiredis 1.0 and later. */
#ifndef QUERY_FLEET_STORE_REDIS_TLS_H
#define QUERY_FLEET_STORE_REDIS_TLS_H

#include "cdict/error.h"

struct redisContext;

/* redis_tls_load - call before the first connection.  -ENOSYS: cdict was built with a hiredis without TLS. */
int redis_tls_load(struct cdict_error *err);
/* redis_tls_begin - @c is connected and has its timeouts; @name: the server's, for SNI and messages.  The server's
 * certificate must be signed by an authority that the system, or $SSL_CERT_FILE, trusts; the host name in it is not
 * checked (hiredis has no call for that).  $CDICT_STORE_CERT and $CDICT_STORE_KEY: the client's own, PEM. */
int redis_tls_begin(struct redisContext *c, const char *host, const char *name,
		    struct cdict_error *err);

#endif
