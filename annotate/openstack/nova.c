// SPDX-License-Identifier: GPL-2.0-only
/* Nova: API versions, and the list of servers page by page. */
#include "annotate/openstack/nova.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/openstack/http_url.h"
#include "base/fail.h"

/* With metadata, addresses and, for administrators, up to 64 KiB of user data per server, this
 * stays far below the limit of an answer. */
#define PAGE_SERVERS 100
#define PAGES_MAX 1000

struct nova {
	struct keystone *ks;
	char *endpoint;
	char version[NOVA_VERSION_MAX];
	char header[64];
};

static void set_header(struct nova *nova)
{
	if (nova->version[0])
		snprintf(nova->header, sizeof(nova->header), "OpenStack-API-Version: compute %s",
			 nova->version);
}

/* The service's root lists its versions. If its answer is unusable, go on: 2.1 needs no
 * header. */
static int find_version(struct nova *nova, struct cdict_error *err)
{
	struct http_reply reply = { 0 };
	char path[NOVA_VERSION_MAX] = "", *url = NULL, *more;
	int versioned, rc;
	char *base = nova_version_base(nova->endpoint, &versioned);

	if (!base || asprintf(&url, "%s/", base) < 0) {
		free(base);
		return cdict_fail_nomem(err);
	}
	rc = keystone_get(nova->ks, url, NULL, &reply, err);
	if (!rc && (reply.status == 200 || reply.status == 300)) {
		rc = nova_version_choose(reply.body, reply.size, nova->version, path, err);
		rc = rc == CDICT_EFORMAT ? 0 : rc;
	} else if (!rc && reply.status >= 500) {
		rc = keystone_refused(nova->ks, url, &reply, err);
	}
	http_reply_fini(&reply);
	free(url);
	if (!rc && !versioned && path[0]) {
		if (asprintf(&more, "%s/%s", base, path) < 0) {
			rc = cdict_fail_nomem(err);
		} else {
			free(nova->endpoint);
			nova->endpoint = more;
		}
	}
	free(base);
	set_header(nova);
	return rc;
}

int nova_open(struct nova **out, struct keystone *ks, const char *endpoint, struct cdict_error *err)
{
	struct nova *nova;
	size_t len;
	int rc = http_url_check(endpoint, err);

	if (rc)
		return rc;
	nova = calloc(1, sizeof(*nova));
	if (!nova)
		return cdict_fail_nomem(err);
	nova->ks = ks;
	len = strlen(endpoint);
	while (len && endpoint[len - 1] == '/')
		len--;
	nova->endpoint = strndup(endpoint, len);
	rc = nova->endpoint ? find_version(nova, err) : cdict_fail_nomem(err);
	if (rc) {
		nova_close(nova);
		return rc;
	}
	*out = nova;
	return 0;
}

void nova_close(struct nova *nova)
{
	if (!nova)
		return;
	free(nova->endpoint);
	free(nova);
}

static char *page_url(const struct nova *nova, const struct nova_query *q, const char *marker)
{
	char *host = q->host ? http_url_escape(q->host) : NULL;
	char *at = marker ? http_url_escape(marker) : NULL, *url = NULL;

	if ((host || !q->host) && (at || !marker) &&
	    asprintf(&url, "%s/servers/detail?%s%s%s%slimit=%u%s%s", nova->endpoint,
		     q->all_projects ? "all_tenants=1&" : "", host ? "host=" : "", host ? host : "",
		     host ? "&" : "", PAGE_SERVERS, at ? "&marker=" : "", at ? at : "") < 0)
		url = NULL;
	free(host);
	free(at);
	return url;
}

static int get_page(struct nova *nova, const struct nova_query *q, const char *marker,
		    struct nova_servers *s, char **next, size_t *added, struct cdict_error *err)
{
	struct http_reply reply = { 0 };
	char *url = page_url(nova, q, marker), list[256];
	int rc;

	if (!url)
		return cdict_fail_nomem(err);
	snprintf(list, sizeof(list), "%s/servers/detail", nova->endpoint);
	rc = keystone_get(nova->ks, url, nova->header[0] ? nova->header : NULL, &reply, err);
	if (!rc && reply.status == 406 && nova->header[0]) {
		/* the service rejects a version that its root listed: the oldest always works */
		nova->header[0] = nova->version[0] = '\0';
		http_reply_fini(&reply);
		rc = keystone_get(nova->ks, url, NULL, &reply, err);
	}
	if (!rc && reply.status != 200)
		rc = keystone_refused(nova->ks, url, &reply, err);
	else if (!rc)
		rc = cdict_fail_in(
			err, nova_page_parse(s, &q->keys, reply.body, reply.size, next, added, err),
			list);
	http_reply_fini(&reply);
	free(url);
	return rc;
}

int nova_list(struct nova *nova, const struct nova_query *query, struct nova_servers *s,
	      struct cdict_error *err)
{
	char *marker = NULL, *next = NULL;
	size_t added;
	int rc;

	for (unsigned page = 0;; page++) {
		rc = get_page(nova, query, marker, s, &next, &added, err);
		free(marker);
		marker = next;
		next = NULL;
		/* Stop at a page without new servers: its link would lead back to it. */
		if (rc || !marker || !added)
			break;
		if (page == PAGES_MAX) {
			rc = cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
					"%s/servers/detail: more than %u pages", nova->endpoint,
					PAGES_MAX);
			break;
		}
	}
	free(marker);
	return rc;
}
