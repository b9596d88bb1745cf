// SPDX-License-Identifier: GPL-2.0-only
/* Keystone v3: tokens, and requests with a token. */
#include "annotate/openstack/keystone.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/openstack/http_url.h"
#include "annotate/openstack/keystone_body.h"
#include "annotate/secret.h"
#include "base/fail.h"
#include "base/system/monotonic.h"
#include "base/text/sink.h"

#define RENEW_BEFORE_MS 10000
#define PROJECT_NAME_MAX 255

struct keystone {
	struct http *http;
	const struct keystone_auth *auth;
	char *url;    /* ends in /v3 */
	char *wanted; /* the project chosen by choose_project(); NULL: that of auth */
	char *token;
	uint64_t until_ns; /* renew the token from then on; 0: never */
	struct keystone_token about;
};

/* "http://h:5000", ".../v3/", ".../v2.0" -> ".../v3" */
static char *v3_url(const char *auth_url)
{
	size_t len = strcspn(auth_url, "?#");
	const char *last;
	char *out;

	while (len && auth_url[len - 1] == '/')
		len--;
	last = memrchr(auth_url, '/', len);
	if (last && (last[1] == 'v') && (last[2] == '3' || last[2] == '2') &&
	    strspn(last + 2, "0123456789.") == (size_t)(auth_url + len - last) - 2)
		len = (size_t)(last - auth_url);
	return asprintf(&out, "%.*s/v3", (int)len, auth_url) < 0 ? NULL : out;
}

/* Replaces every occurrence of @secret in @text by "***". */
static void clean(char *text, const char *secret)
{
	size_t len = secret ? strlen(secret) : 0;
	char *at = text;

	/* such a short secret reveals nothing, and would garble every text */
	if (len < 3)
		return;
	while ((at = strstr(at, secret)) != NULL) {
		memcpy(at, "***", 3);
		memmove(at + 3, at + len, strlen(at + len) + 1);
		at += 3;
	}
}

int keystone_refused(const struct keystone *ks, const char *url, const struct http_reply *reply,
		     struct cdict_error *err)
{
	int code = reply->status == 401   ? -EACCES
		   : reply->status == 403 ? -EPERM
		   : reply->status == 404 ? CDICT_ENOTFOUND
					  : -EPROTO;
	char *message = keystone_message(reply->body, reply->size), *shown = http_url_shown(url);

	if (message) {
		clean(message, ks->auth->password);
		clean(message, ks->auth->appcred_secret);
		clean(message, ks->token);
	}
	cdict_fail(err, code, CDICT_NO_OFFSET, "%s: %ld%s%s", shown ? shown : "?", reply->status,
		   message ? ": " : "", message ? message : "");
	free(message);
	free(shown);
	return code;
}

/* Adds a hint which settings Keystone rejected. */
static int login_refused(const struct keystone *ks, const char *url, const struct http_reply *reply,
			 struct cdict_error *err)
{
	int rc = keystone_refused(ks, url, reply, err);
	size_t len = err ? strlen(err->text) : 0;
	const char *hint = "";

	if (reply->status == 401 || (reply->status == 404 && ks->auth->by_appcred))
		hint = ks->auth->by_appcred ? ": check the application credential and its "
					      "expiry date"
					    : ": check user, password, project and their "
					      "domains";
	else if (reply->status == 404)
		hint = ": check Keystone's address (OS_AUTH_URL)";
	if (err)
		snprintf(err->text + len, sizeof(err->text) - len, "%s", hint);
	return reply->status == 404 && ks->auth->by_appcred ? -EACCES : rc;
}

static int take_token(struct keystone *ks, struct http_reply *reply, struct cdict_error *err)
{
	struct keystone_token about;
	int rc;

	if (!reply->subject_token)
		return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
				  "the answer has no X-Subject-Token");
	rc = keystone_token_parse(&about, reply->body, reply->size, err);
	if (rc)
		return rc;
	keystone_token_fini(&ks->about);
	ks->about = about;
	secret_forget_text(ks->token);
	ks->token = reply->subject_token;
	reply->subject_token = NULL;
	ks->until_ns = 0;
	if (about.life_s > 0) {
		uint64_t life_ms = (uint64_t)about.life_s * 1000;
		/* use at least half of a very short lifetime */
		uint64_t early = life_ms / 2 < RENEW_BEFORE_MS ? life_ms / 2 : RENEW_BEFORE_MS;

		ks->until_ns = monotonic_in_ms(life_ms - early);
	}
	return 0;
}

static int login(struct keystone *ks, struct cdict_error *err)
{
	struct http_request request = { .method = "POST" };
	struct http_reply reply = { 0 };
	char *body, *url = NULL;
	int rc;

	errno = 0;
	body = keystone_body(ks->auth, ks->wanted);
	if ((!body && errno == ENOMEM) || asprintf(&url, "%s/auth/tokens", ks->url) < 0) {
		url = NULL;
		rc = cdict_fail_nomem(err);
		goto out;
	}
	if (!body) {
		rc = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				"user, password or project is not UTF-8");
		goto out;
	}
	request.url = url;
	request.body = body;
	rc = http_send(ks->http, &request, &reply, err);
	if (rc)
		goto out;
	rc = reply.status == 201 || reply.status == 200
		     ? cdict_fail_in(err, take_token(ks, &reply, err), url)
		     : login_refused(ks, url, &reply, err);
out:
	http_reply_fini(&reply);
	secret_forget_text(body);
	free(url);
	return rc;
}

/* One GET with the current token. */
static int get(struct keystone *ks, const char *url, const char *extra, unsigned tried,
	       struct http_reply *reply, struct cdict_error *err)
{
	const char *headers[3] = { NULL, extra, NULL };
	struct http_request request = {
		.method = "GET", .url = url, .headers = headers, .tried = tried
	};
	char *header;
	int rc;

	if (asprintf(&header, "X-Auth-Token: %s", ks->token) < 0)
		return cdict_fail_nomem(err);
	headers[0] = header;
	rc = http_send(ks->http, &request, reply, err);
	secret_forget_text(header);
	return rc;
}

int keystone_get(struct keystone *ks, const char *url, const char *extra, struct http_reply *reply,
		 struct cdict_error *err)
{
	bool fresh = monotonic_past(ks->until_ns); /* a new token, not accepted by a service yet */
	unsigned tried = 0;
	int rc = 0;

	*reply = (struct http_reply){ 0 };
	if (fresh)
		rc = login(ks, err);
	while (!rc) {
		rc = get(ks, url, extra, tried, reply, err);
		if (rc || reply->status != 401 || (fresh && reply->tried == tried))
			return rc;
		/* it expired early, was revoked, or expired during a slow server's retries */
		tried = reply->tried;
		http_reply_fini(reply);
		rc = login(ks, err);
		fresh = true;
	}
	return rc;
}

/* Lists the names of @projects for a message. */
static char *project_names(const json_t *projects)
{
	struct sink s;
	size_t i, len;
	json_t *p;

	sink_to_memory(&s);
	json_array_foreach(projects, i, p)
	{
		const char *name = keystone_json_text(p, "name");

		if (i < 5)
			sink_printf(&s, "%s%s", i ? ", " : "", name ? name : "?");
	}
	if (json_array_size(projects) > 5)
		sink_puts(&s, ", ...");
	return sink_take(&s, &len);
}

/* The token has no scope: choose the only project that the user may use. */
static int choose_project(struct keystone *ks, struct cdict_error *err)
{
	struct http_reply reply = { 0 };
	json_t *root = NULL, *projects;
	char *url, *names;
	const char *id;
	int rc;

	if (asprintf(&url, "%s/auth/projects", ks->url) < 0)
		return cdict_fail_nomem(err);
	rc = keystone_get(ks, url, NULL, &reply, err);
	if (!rc && reply.status != 200)
		rc = keystone_refused(ks, url, &reply, err);
	if (!rc)
		rc = cdict_fail_in(err, keystone_json(&root, reply.body, reply.size, err), url);
	projects = json_object_get(root, "projects");
	id = keystone_json_text(json_array_get(projects, 0), "id");
	if (!rc && json_array_size(projects) == 1 && id) {
		ks->wanted = strdup(id);
		rc = ks->wanted ? login(ks, err) : cdict_fail_nomem(err);
	} else if (!rc) {
		names = project_names(projects);
		rc = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				"no project is set (OS_PROJECT_NAME or OS_PROJECT_ID), and the "
				"user has %zu%s%s",
				json_array_size(projects), names && *names ? ": " : "",
				names ? names : "");
		free(names);
	}
	json_decref(root);
	http_reply_fini(&reply);
	free(url);
	return rc;
}

int keystone_open(struct keystone **out, struct http *http, const struct keystone_auth *auth,
		  struct cdict_error *err)
{
	struct keystone *ks;
	int rc = http_url_check(auth->auth_url, err);

	if (rc)
		return rc;
	ks = calloc(1, sizeof(*ks));
	if (!ks)
		return cdict_fail_nomem(err);
	ks->http = http;
	ks->auth = auth;
	ks->url = v3_url(auth->auth_url);
	rc = ks->url ? login(ks, err) : cdict_fail_nomem(err);
	if (!rc && !ks->about.catalog && !auth->by_appcred)
		rc = choose_project(ks, err);
	if (rc) {
		keystone_close(ks);
		return rc;
	}
	*out = ks;
	return 0;
}

void keystone_close(struct keystone *ks)
{
	if (!ks)
		return;
	free(ks->url);
	free(ks->wanted);
	secret_forget_text(ks->token);
	keystone_token_fini(&ks->about);
	free(ks);
}

const char *keystone_scope(const struct keystone *ks)
{
	return ks->about.project_name ? ks->about.project_name : ks->about.project_id;
}

int keystone_project_name(struct keystone *ks, char **name, const char *project_id, bool ask)
{
	const char *known = ks->about.project_name;
	struct http_reply reply = { 0 };
	char *url = NULL, *id = NULL;
	json_t *root = NULL;
	int rc = 0;

	if (!known || !ks->about.project_id || strcmp(ks->about.project_id, project_id))
		known = NULL;
	if (!known && ask) {
		id = http_url_escape(project_id);
		if (!id || asprintf(&url, "%s/projects/%s", ks->url, id) < 0)
			rc = -ENOMEM;
		if (!rc)
			rc = keystone_get(ks, url, NULL, &reply, NULL);
		if (!rc && reply.status == 200)
			rc = keystone_json(&root, reply.body, reply.size, NULL);
		known = keystone_json_text(json_object_get(root, "project"), "name");
	}
	*name = known ? strndup(known, PROJECT_NAME_MAX) : NULL;
	if (known && !*name)
		rc = -ENOMEM;
	json_decref(root);
	http_reply_fini(&reply);
	free(id);
	free(url);
	return rc == -ENOMEM ? rc : 0;
}

int keystone_endpoint(const struct keystone *ks, const char *const *types, const char *interface,
		      const char *region, char **url, struct cdict_error *err)
{
	return cdict_fail_in(
		err, keystone_catalog_find(ks->about.catalog, types, interface, region, url, err),
		ks->url);
}
