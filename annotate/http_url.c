// SPDX-License-Identifier: GPL-2.0-only
/* Addresses: what they name, whether two name the same service. */
#include "annotate/http_url.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "annotate/curl_library.h"
#include "annotate/http.h"
#include "base/fail.h"

/* NULL: out of memory, or there is no libcurl. */
static CURLU *url_new(void)
{
	return curl_library_load() ? curl_url() : NULL;
}

static void url_free(CURLU *u)
{
	if (u)
		curl_url_cleanup(u);
}

static bool part_same(CURLU *a, CURLU *b, CURLUPart part)
{
	char *x = NULL, *y = NULL;
	bool same = !curl_url_get(a, part, &x, CURLU_DEFAULT_PORT) &&
		    !curl_url_get(b, part, &y, CURLU_DEFAULT_PORT) && !strcasecmp(x, y);

	curl_free(x);
	curl_free(y);
	return same;
}

static char *url_text(CURLU *u, CURLUPart part, unsigned flags)
{
	char *text = NULL, *copy;

	if (curl_url_get(u, part, &text, flags))
		return NULL;
	copy = strdup(text);
	curl_free(text);
	return copy;
}

char *http_url_redirect(const char *url, const char *location)
{
	CURLU *from = url_new(), *to = url_new();
	char *out = NULL;

	if (from && to && !curl_url_set(from, CURLUPART_URL, url, 0) &&
	    !curl_url_set(to, CURLUPART_URL, url, 0) &&
	    !curl_url_set(to, CURLUPART_URL, location, 0) &&
	    part_same(from, to, CURLUPART_SCHEME) && part_same(from, to, CURLUPART_HOST) &&
	    part_same(from, to, CURLUPART_PORT))
		out = url_text(to, CURLUPART_URL, 0);
	url_free(from);
	url_free(to);
	return out;
}

char *http_url_shown(const char *url)
{
	CURLU *u = url_new();
	char *out = NULL;

	if (u && !curl_url_set(u, CURLUPART_URL, url, 0)) {
		curl_url_set(u, CURLUPART_USER, NULL, 0);
		curl_url_set(u, CURLUPART_PASSWORD, NULL, 0);
		curl_url_set(u, CURLUPART_QUERY, NULL, 0);
		curl_url_set(u, CURLUPART_FRAGMENT, NULL, 0);
		out = url_text(u, CURLUPART_URL, 0);
	}
	url_free(u);
	return out;
}

int http_url_check(const char *url, struct cdict_error *err)
{
	CURLU *u = url_new();
	char *scheme = NULL, *host = NULL, *user = NULL, *password = NULL;
	int rc = 0;

	if (!curl_library_load())
		return http_no_library(err);
	if (!u || curl_url_set(u, CURLUPART_URL, url, 0))
		rc = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				"the service's address is no URL");
	if (!rc) {
		scheme = url_text(u, CURLUPART_SCHEME, 0);
		host = url_text(u, CURLUPART_HOST, 0);
		user = url_text(u, CURLUPART_USER, 0);
		password = url_text(u, CURLUPART_PASSWORD, 0);
		if (!scheme || !host || (strcmp(scheme, "http") && strcmp(scheme, "https")))
			rc = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					"the service's address begins with neither http:// nor "
					"https://");
		else if (user || password)
			rc = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					"the service's address holds a user or password: take "
					"them out of it");
	}
	free(scheme);
	free(host);
	free(user);
	free(password);
	url_free(u);
	return rc;
}

char *http_url_parameter(const char *url, const char *name)
{
	CURLU *u = url_new();
	size_t len = strlen(name);
	char *query = NULL, *out = NULL, *decoded;
	const char *p;

	/* of a relative address, too, the query is behind the first '?' */
	if (u && !curl_url_set(u, CURLUPART_URL, "http://h/", 0) &&
	    !curl_url_set(u, CURLUPART_URL, url, 0))
		query = url_text(u, CURLUPART_QUERY, 0);
	url_free(u);
	for (p = query; p && !out; p = strchr(p, '&')) {
		p += *p == '&';
		if (strncmp(p, name, len) || p[len] != '=')
			continue;
		decoded =
			curl_easy_unescape(NULL, p + len + 1, (int)strcspn(p + len + 1, "&"), NULL);
		out = decoded ? strdup(decoded) : NULL;
		curl_free(decoded);
	}
	free(query);
	return out;
}

char *http_url_escape(const char *text)
{
	char *escaped = curl_library_load() ? curl_easy_escape(NULL, text, 0) : NULL;
	char *copy = escaped ? strdup(escaped) : NULL;

	if (escaped)
		curl_free(escaped);
	return copy;
}
