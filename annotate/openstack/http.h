/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * http.h - requests to a web service that may be slow, faulty or hostile.
 *
 * - TLS is verified unless @insecure; only http and https are allowed.
 * - Follows at most three redirections to the same scheme, host and port, with the same method
 *   and body; any other is refused, because it would send the token
 *   elsewhere.
 * - Failed or broken connections and the statuses 429, 500, 502, 503 and 504 are retried,
 *   three tries in total, with growing pauses, within the time budget of the whole
 *   struct http, which starts at http_open().
 * - An answer larger than 16 MiB is refused.
 * Proxies are taken from the environment, as the OpenStack clients do (http_proxy, no_proxy).
 *
 * Threads    one at a time per struct http
 * Failure    0 or a negative code with *err filled; err->text never contains headers or bodies
 *            sent. An HTTP status is not a failure.
 * Ownership  http_send() fills *reply, http_reply_fini() frees it
 */
#ifndef ANNOTATE_OPENSTACK_HTTP_H
#define ANNOTATE_OPENSTACK_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"

struct http_options {
	const char *cacert;     /* file or folder of CA certificates; NULL: the system's */
	const char *cert, *key; /* of the client; NULL: none */
	bool insecure;
	uint32_t budget_ms; /* for all requests; 0: 30000 */
	/* Called for each exchange with "GET URL: 200, 5881 bytes in 25 ms"; may be NULL. */
	void (*trace)(void *ctx, const char *line);
	void *trace_ctx;
};

struct http_request {
	const char *method; /* "GET" "POST" */
	const char *url;
	const char *body;           /* JSON; NULL: none */
	const char *const *headers; /* "Name: value", NULL-terminated; may be NULL */
	unsigned tried;             /* failed tries so far, which count against the limit */
};

#define HTTP_HEADER_MAX 8192 /* longer values are ignored */

struct http_reply {
	long status;
	char *body; /* NUL-terminated */
	size_t size;
	char *subject_token; /* X-Subject-Token; NULL: absent */
	unsigned tried;      /* failed tries before this answer, including the request's */
};

struct http;

/* http_open - @opts is copied; its pointers are borrowed until http_close(). */
int http_open(struct http **out, const struct http_options *opts, struct cdict_error *err);
void http_close(struct http *h);

/* http_send - -ETIMEDOUT when the budget or the connection's time is used up; CDICT_ELIMIT for
 * too large an answer; -EPROTO for answers that are not HTTP, TLS failures and refused
 * redirections; -ECONNREFUSED for any other unreachable service; CDICT_EUSAGE for an invalid
 * address. */
int http_send(struct http *h, const struct http_request *request, struct http_reply *reply,
	      struct cdict_error *err);
void http_reply_fini(struct http_reply *reply);

/* http_url_check - CDICT_EUSAGE unless @url is http or https, has a host and no
 * password in it. */
int http_url_check(const char *url, struct cdict_error *err);

#endif
