/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * http.h - requests to a web service that may be slow, broken or hostile.
 *
 * - TLS is verified unless @insecure; nothing but http and https is spoken.
 * - A redirection is followed (at most three) when it stays with the same scheme, host and
 *   port, with the same method and body; any other is refused, as it would carry the token
 *   elsewhere.
 * - What fails to connect, breaks off or answers 429, 500, 502, 503 or 504 is tried again,
 *   three times at all, with growing pauses, within the one time budget that the whole
 *   struct http has from http_open() on.
 * - An answer of more than 16 MiB is refused.
 * Proxies are taken from the environment, as the OpenStack clients do (http_proxy, no_proxy).
 *
 * Threads    one at a time per struct http
 * Failure    0 or a negative code with *err filled; err->text never holds headers or bodies
 *            sent. An HTTP status is no failure.
 * Ownership  http_send() fills *reply, http_reply_fini() frees it
 */
#ifndef ANNOTATE_HTTP_H
#define ANNOTATE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"

struct http_options {
	const char *cacert;     /* file or folder of authorities; NULL: the system's */
	const char *cert, *key; /* of the client; NULL: none */
	bool insecure;
	uint32_t budget_ms; /* for everything; 0: 30000 */
	/* Told "GET URL: 200, 5881 bytes in 25 ms" of each exchange; may be NULL. */
	void (*trace)(void *ctx, const char *line);
	void *trace_ctx;
};

struct http_request {
	const char *method; /* "GET" "POST" */
	const char *url;
	const char *body;           /* JSON; NULL: none */
	const char *const *headers; /* "Name: value", NULL-terminated; may be NULL */
	unsigned tried;             /* tries that failed already, of the few there are */
};

#define HTTP_HEADER_MAX 8192 /* longer values are as good as absent */

struct http_reply {
	long status;
	char *body; /* NUL-terminated */
	size_t size;
	char *subject_token; /* of X-Subject-Token; NULL: absent */
	unsigned tried;      /* tries that failed before this answer, the request's included */
};

struct http;

/* http_open - @opts is copied, what it points to borrowed until http_close(). */
int http_open(struct http **out, const struct http_options *opts, struct cdict_error *err);
void http_close(struct http *h);

/* http_send - -ETIMEDOUT when the budget or the connection's time is spent; CDICT_ELIMIT for
 * too large an answer; -EPROTO for what is not HTTP, for TLS failures and refused redirections;
 * -ECONNREFUSED for everything else that cannot be reached; CDICT_EUSAGE for an address that
 * is none. */
int http_send(struct http *h, const struct http_request *request, struct http_reply *reply,
	      struct cdict_error *err);
void http_reply_fini(struct http_reply *reply);

/* http_url_check - CDICT_EUSAGE unless @url is http or https, with a host and without a
 * password in it. */
int http_url_check(const char *url, struct cdict_error *err);

#endif
