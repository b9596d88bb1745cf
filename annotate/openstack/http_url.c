// SPDX-License-Identifier: GPL-2.0-only
/* Parses and compares URLs. */
#include "annotate/openstack/http_url.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "annotate/library.h"
#include "annotate/openstack/http.h"
#include "base/fail.h"

/* NULL: not a URL; errno ENOMEM: out of memory, or no libcurl. */
static CURLU *parse(const char *url)
{
	CURLU *u = library_curl(NULL) ? NULL : curl.url();
	CURLUcode code = u ? curl.url_set(u, CURLUPART_URL, url, 0) : CURLUE_OUT_OF_MEMORY;

	if (code && u)
		curl.url_cleanup(u);
	errno = code == CURLUE_OUT_OF_MEMORY ? ENOMEM : 0;
	return code ? NULL : u;
}

/* NULL: missing, or out of memory; else free with curl.free(). */
static char *part(CURLU *u, CURLUPart which, unsigned flags)
{
	char *text = NULL;

	return u && !curl.url_get(u, which, &text, flags) ? text : NULL;
}

bool http_url_same_service(const char *a, const char *b)
{
	static const CURLUPart parts[] = { CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_PORT };
	CURLU *x = parse(a), *y = parse(b);
	bool same = x && y;

	for (size_t i = 0; same && i < sizeof(parts) / sizeof(parts[0]); i++) {
		char *of_x = part(x, parts[i], CURLU_DEFAULT_PORT);
		char *of_y = part(y, parts[i], CURLU_DEFAULT_PORT);

		same = of_x && of_y && !strcasecmp(of_x, of_y);
		curl.free(of_x);
		curl.free(of_y);
	}
	curl.url_cleanup(x);
	curl.url_cleanup(y);
	return same;
}

char *http_url_shown(const char *url)
{
	static const CURLUPart hidden[] = { CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY,
					    CURLUPART_FRAGMENT };
	CURLU *u = parse(url);
	char *text, *shown;

	for (size_t i = 0; u && i < sizeof(hidden) / sizeof(hidden[0]); i++)
		curl.url_set(u, hidden[i], NULL, 0);
	text = part(u, CURLUPART_URL, 0);
	shown = text ? strdup(text) : NULL;
	curl.free(text);
	curl.url_cleanup(u);
	return shown;
}

int http_url_check(const char *url, struct cdict_error *err)
{
	CURLU *u = parse(url);
	bool no_memory = !u && errno == ENOMEM;
	char *scheme = part(u, CURLUPART_SCHEME, 0); /* every URL has one */
	char *user = part(u, CURLUPART_USER, 0), *password = part(u, CURLUPART_PASSWORD, 0);
	int rc = 0;

	if (no_memory || (u && !scheme))
		rc = cdict_fail_nomem(err);
	else if (!u)
		rc = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				"the service's address is not a URL");
	else if (strcmp(scheme, "http") && strcmp(scheme, "https"))
		rc = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				"the service's address begins with neither http:// nor https://");
	else if (user || password)
		rc = cdict_fail(
			err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			"the service's address contains a user or password: remove them from "
			"it");
	curl.free(scheme);
	curl.free(user);
	curl.free(password);
	curl.url_cleanup(u);
	return rc;
}

int http_url_parameter(char **value, const char *url, const char *name)
{
	/* also handles relative addresses: the query starts after the first '?' */
	CURLU *u = parse("http://h/");
	size_t len = strlen(name);
	char *query = NULL, *decoded;
	CURLUcode code;

	*value = NULL;
	if (!u)
		return -ENOMEM;
	code = curl.url_set(u, CURLUPART_URL, url, 0);
	if (!code)
		code = curl.url_get(u, CURLUPART_QUERY, &query, 0);
	curl.url_cleanup(u);
	for (const char *p = query; p && !*value && !code; p = strchr(p, '&')) {
		p += *p == '&';
		if (strncmp(p, name, len) || p[len] != '=')
			continue;
		decoded =
			curl.easy_unescape(NULL, p + len + 1, (int)strcspn(p + len + 1, "&"), NULL);
		*value = decoded ? strdup(decoded) : NULL;
		curl.free(decoded);
		code = *value ? CURLUE_OK : CURLUE_OUT_OF_MEMORY;
	}
	curl.free(query);
	return code == CURLUE_OUT_OF_MEMORY ? -ENOMEM : 0;
}

char *http_url_escape(const char *text)
{
	char *escaped = curl.easy_escape(NULL, text, 0), *copy = escaped ? strdup(escaped) : NULL;

	curl.free(escaped);
	return copy;
}
