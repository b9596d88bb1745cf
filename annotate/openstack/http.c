// SPDX-License-Identifier: GPL-2.0-only
/* HTTP through libcurl: time budget, retries, redirections, limits. */
#include "annotate/openstack/http.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "annotate/library.h"
#include "annotate/openstack/http_url.h"
#include "annotate/secret.h"
#include "base/fail.h"
#include "base/memory/buf.h"
#include "base/system/monotonic.h"

#define REDIRECTS_MAX 3
#define HEADERS_MAX ((size_t)256 << 10)
#define ANSWER_MAX ((size_t)16 << 20)
#define CONNECT_MS 5000u
#define TRIES 3u
#define PAUSE_MS 200 /* before the second try; four times that before the third */

struct http {
	CURL *curl;
	struct http_options opts;
	uint64_t deadline_ns;
	bool no_memory; /* while setting an option */
	char message[CURL_ERROR_SIZE];
};

/* One exchange. */
struct exchange {
	struct http_reply *reply;
	struct buf body;
	size_t header_bytes;
	bool too_large, no_memory;
};

int http_open(struct http **out, const struct http_options *opts, struct cdict_error *err)
{
	struct http *h;
	int ret = library_curl(err);

	if (!ret)
		ret = library_json(err); /* answers are JSON */
	if (ret)
		return ret;
	h = calloc(1, sizeof(*h));
	if (h)
		h->curl = curl.easy_init();
	if (!h || !h->curl) {
		free(h);
		return cdict_fail_nomem(err);
	}
	h->opts = *opts;
	if (!h->opts.budget_ms)
		h->opts.budget_ms = 30000;
	h->deadline_ns = monotonic_in_ms(h->opts.budget_ms);
	*out = h;
	return 0;
}

void http_close(struct http *h)
{
	if (!h)
		return;
	curl.easy_cleanup(h->curl);
	free(h);
}

void http_reply_fini(struct http_reply *reply)
{
	if (reply->body)
		explicit_bzero(reply->body, reply->size);
	free(reply->body);
	secret_forget_text(reply->subject_token);
	*reply = (struct http_reply){ 0 };
}

static size_t on_body(char *data, size_t size, size_t n, void *ctx)
{
	struct exchange *x = ctx;

	(void)size; /* 1 */
	if (n > ANSWER_MAX - x->body.len) {
		x->too_large = true;
		return 0;
	}
	buf_add(&x->body, data, n);
	return x->body.failed ? 0 : n;
}

/* Handles the header "X-Subject-Token: value\r\n"; libcurl handles the others. */
static size_t on_header(char *line, size_t size, size_t n, void *ctx)
{
	static const char name[] = "X-Subject-Token:";
	struct exchange *x = ctx;
	size_t from = sizeof(name) - 1, to = n;

	(void)size;
	x->header_bytes += n;
	if (x->header_bytes > HEADERS_MAX) {
		x->too_large = true;
		return 0;
	}
	if (n < from || strncasecmp(line, name, from))
		return n;
	while (from < to && strchr(" \t", line[from]))
		from++;
	while (from < to && strchr(" \t\r\n", line[to - 1]))
		to--;
	if (from < to && to - from <= HTTP_HEADER_MAX) {
		free(x->reply->subject_token);
		x->reply->subject_token = strndup(line + from, to - from);
		x->no_memory |= !x->reply->subject_token;
	}
	return n;
}

static uint32_t left_ms(const struct http *h)
{
	return (uint32_t)monotonic_left_ms(h->deadline_ns);
}

/* libcurl copies texts. */
static void set_text(struct http *h, CURLoption option, const char *text)
{
	h->no_memory |= curl.easy_setopt(h->curl, option, text) == CURLE_OUT_OF_MEMORY;
}

static void set_tls(struct http *h)
{
	struct stat st;
	bool folder = h->opts.cacert && !stat(h->opts.cacert, &st) && S_ISDIR(st.st_mode);

	curl.easy_setopt(h->curl, CURLOPT_SSL_VERIFYPEER, h->opts.insecure ? 0L : 1L);
	curl.easy_setopt(h->curl, CURLOPT_SSL_VERIFYHOST, h->opts.insecure ? 0L : 2L);
	curl.easy_setopt(h->curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	if (h->opts.cacert) {
		/* only these authorities, not the system's */
		set_text(h, CURLOPT_CAINFO, folder ? NULL : h->opts.cacert);
		set_text(h, CURLOPT_CAPATH, folder ? h->opts.cacert : NULL);
	}
	if (h->opts.cert)
		set_text(h, CURLOPT_SSLCERT, h->opts.cert);
	if (h->opts.key)
		set_text(h, CURLOPT_SSLKEY, h->opts.key);
}

/* NULL when out of memory. */
static struct curl_slist *header_list(const struct http_request *r)
{
	struct curl_slist *list = curl.slist_append(NULL, "Accept: application/json"), *more = list;

	if (r->body && more)
		more = curl.slist_append(list, "Content-Type: application/json");
	/* do not wait for `100 Continue` */
	if (more)
		more = curl.slist_append(list, "Expect:");
	for (const char *const *p = r->headers; p && *p && more; p++)
		more = curl.slist_append(list, *p);
	if (more)
		return list;
	curl.slist_free_all(list);
	return NULL;
}

static CURLcode perform(struct http *h, const struct http_request *r, const char *url,
			struct exchange *x)
{
	struct curl_slist *headers = header_list(r);
	uint32_t left = left_ms(h);
	CURLcode code;

	if (!headers)
		return CURLE_OUT_OF_MEMORY;
	/* resets everything except live connections */
	curl.easy_reset(h->curl);
	h->no_memory = false;
	set_tls(h);
	set_text(h, CURLOPT_URL, url);
	set_text(h, CURLOPT_PROTOCOLS_STR, "http,https");
	curl.easy_setopt(h->curl, CURLOPT_NOSIGNAL, 1L);
	set_text(h, CURLOPT_USERAGENT, "cdict");
	curl.easy_setopt(h->curl, CURLOPT_HTTPHEADER, headers);
	curl.easy_setopt(h->curl, CURLOPT_ERRORBUFFER, h->message);
	curl.easy_setopt(h->curl, CURLOPT_CONNECTTIMEOUT_MS,
			 (long)(left < CONNECT_MS ? left : CONNECT_MS));
	curl.easy_setopt(h->curl, CURLOPT_TIMEOUT_MS, (long)left);
	curl.easy_setopt(h->curl, CURLOPT_WRITEFUNCTION, on_body);
	curl.easy_setopt(h->curl, CURLOPT_WRITEDATA, x);
	curl.easy_setopt(h->curl, CURLOPT_HEADERFUNCTION, on_header);
	curl.easy_setopt(h->curl, CURLOPT_HEADERDATA, x);
	if (r->body) {
		curl.easy_setopt(h->curl, CURLOPT_POSTFIELDSIZE, (long)strlen(r->body));
		curl.easy_setopt(h->curl, CURLOPT_POSTFIELDS, r->body);
	}
	set_text(h, CURLOPT_CUSTOMREQUEST, r->method);
	h->message[0] = '\0';
	code = h->no_memory ? CURLE_OUT_OF_MEMORY : curl.easy_perform(h->curl);
	curl.easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &x->reply->status);
	curl.slist_free_all(headers);
	return code;
}

static int code_of(CURLcode code)
{
	switch (code) {
	case CURLE_OPERATION_TIMEDOUT:
		return -ETIMEDOUT;
	case CURLE_OUT_OF_MEMORY:
	case CURLE_FAILED_INIT: /* libcurl gives no details */
		return -ENOMEM;
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_URL_MALFORMAT:
		return CDICT_EUSAGE;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_CIPHER:
	case CURLE_WEIRD_SERVER_REPLY:
		return -EPROTO;
	default:
		return -ECONNREFUSED;
	}
}

static int fail_transfer(struct http *h, CURLcode code, const char *shown, struct cdict_error *err)
{
	const char *why = h->message[0] ? h->message : curl.easy_strerror(code);
	long number = 0;

	curl.easy_getinfo(h->curl, CURLINFO_OS_ERRNO, &number);
	if (code == CURLE_COULDNT_CONNECT && number)
		return cdict_fail(err, -ECONNREFUSED, CDICT_NO_OFFSET, "%s: cannot be reached: %s",
				  shown, strerror((int)number));
	if (code == CURLE_PEER_FAILED_VERIFICATION)
		return cdict_fail(err, -EPROTO, CDICT_NO_OFFSET,
				  "%s: %s: set OS_CACERT (cacert: in clouds.yaml) to its "
				  "CA certificate, or give --insecure",
				  shown, why);
	if (code == CURLE_SSL_CACERT_BADFILE && h->opts.cacert)
		return cdict_fail(err, -EPROTO, CDICT_NO_OFFSET,
				  "%s: cannot use the file of CA certificates: %s (OS_CACERT)",
				  shown, h->opts.cacert);
	return cdict_fail(err, code_of(code), CDICT_NO_OFFSET, "%s: %s", shown, why);
}

static bool is_retryable(CURLcode code, long status)
{
	switch (code) {
	case CURLE_OK:
		return status == 429 || status == 500 || (status >= 502 && status <= 504);
	case CURLE_COULDNT_CONNECT:
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_PARTIAL_FILE:
	case CURLE_OPERATION_TIMEDOUT: /* of the connection; the budget is checked separately */
		return true;
	default:
		return false;
	}
}

static void trace(const struct http *h, const char *method, const char *shown,
		  const struct exchange *x, CURLcode code, uint64_t began_ns)
{
	uint64_t took_ms = (monotonic_ns() - began_ns) / 1000000;
	char line[512];

	if (!h->opts.trace)
		return;
	if (code)
		snprintf(line, sizeof(line), "%s %s: %s, in %" PRIu64 " ms", method, shown,
			 curl.easy_strerror(code), took_ms);
	else
		snprintf(line, sizeof(line), "%s %s: %ld, %zu bytes in %" PRIu64 " ms", method,
			 shown, x->reply->status, x->body.len, took_ms);
	h->opts.trace(h->opts.trace_ctx, line);
}

/* Requests one address, with up to @tries tries. */
static int exchange(struct http *h, const struct http_request *r, const char *url,
		    const char *shown, struct http_reply *reply, struct cdict_error *err)
{
	uint32_t wait = PAUSE_MS;
	int rc = 0;

	for (unsigned try = r->tried + 1;; try++) {
		struct exchange x = { .reply = reply };
		uint64_t began = monotonic_ns();
		curl_off_t after_s = 0;
		CURLcode code;

		if (!left_ms(h))
			return cdict_fail(err, -ETIMEDOUT, CDICT_NO_OFFSET,
					  "%s: exceeded the time limit of %u.%u s (--os-timeout)",
					  shown, h->opts.budget_ms / 1000,
					  h->opts.budget_ms / 100 % 10);
		code = perform(h, r, url, &x);
		trace(h, r->method, shown, &x, code, began);
		if (x.no_memory || x.body.failed)
			rc = cdict_fail_nomem(err);
		else if (x.too_large)
			rc = cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
					"%s: the answer is larger than %zu bytes", shown,
					ANSWER_MAX);
		else if (code == CURLE_OPERATION_TIMEDOUT && !left_ms(h))
			rc = cdict_fail(err, -ETIMEDOUT, CDICT_NO_OFFSET,
					"%s: no complete answer within %u.%u s (--os-timeout)",
					shown, h->opts.budget_ms / 1000,
					h->opts.budget_ms / 100 % 10);
		else if (code)
			rc = fail_transfer(h, code, shown, err);
		else
			rc = 0;
		curl.easy_getinfo(h->curl, CURLINFO_RETRY_AFTER, &after_s);
		if (after_s > 0)
			wait = after_s < 10 ? (uint32_t)after_s * 1000 : 10000;
		if (x.too_large || !is_retryable(code, reply->status) || try == TRIES ||
		    left_ms(h) <= wait) {
			buf_u8(&x.body, 0);
			if (!rc && x.body.failed)
				rc = cdict_fail_nomem(err);
			reply->body = (char *)x.body.data;
			reply->size = x.body.len - 1;
			reply->tried = try - 1;
			return rc;
		}
		buf_fini(&x.body);
		http_reply_fini(reply);
		poll(NULL, 0, (int)wait);
		wait *= 4;
	}
}

static bool is_redirect(long status)
{
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

int http_send(struct http *h, const struct http_request *request, struct http_reply *reply,
	      struct cdict_error *err)
{
	char *url = strdup(request->url), *shown = http_url_shown(request->url), *next;
	int rc = shown ? 0 : http_url_check(request->url, err);

	*reply = (struct http_reply){ 0 };
	if (!rc && (!url || !shown))
		rc = cdict_fail_nomem(err);
	for (unsigned followed = 0; !rc; followed++) {
		char *to = NULL; /* libcurl's */

		rc = exchange(h, request, url, shown, reply, err);
		if (rc || !is_redirect(reply->status))
			break;
		curl.easy_getinfo(h->curl, CURLINFO_REDIRECT_URL, &to);
		if (followed == REDIRECTS_MAX || !to || !http_url_same_service(url, to)) {
			next = to ? http_url_shown(to) : NULL;
			rc = cdict_fail(
				err, -EPROTO, CDICT_NO_OFFSET,
				"%s: status %ld redirects to %s: not followed (too many, or "
				"another scheme, host or port); use the service's own "
				"address",
				shown, reply->status, next ? next : "nowhere");
			free(next);
			break;
		}
		next = strdup(to);
		if (!next) {
			rc = cdict_fail_nomem(err);
			break;
		}
		free(url);
		url = next;
		http_reply_fini(reply);
	}
	if (rc)
		http_reply_fini(reply);
	free(url);
	free(shown);
	return rc;
}
