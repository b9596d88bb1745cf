/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * keystone.h - a token of OpenStack's identity service (v3), requests made with it, and the
 * catalog that comes with it.
 *
 * Secrets (password, secret, token) appear in no message: an error text that repeats what
 * the service said is cleaned of them first.
 *
 * Threads    one at a time per struct keystone
 * Failure    0 or a negative code with *err filled: -EACCES when the service refuses who we
 *            are, else those of http.h
 * Ownership  keystone_open() gives; it borrows the auth and the http until keystone_close()
 */
#ifndef ANNOTATE_KEYSTONE_H
#define ANNOTATE_KEYSTONE_H

#include <stdbool.h>

#include "annotate/http.h"
#include "cdict/error.h"

/* Who we are. Texts may be NULL or "". */
struct keystone_auth {
	const char *auth_url; /* with or without /v3 */
	bool by_appcred;      /* an application credential, else a password */

	const char *user_id, *username, *user_domain_id, *user_domain_name, *password;
	const char *appcred_id, *appcred_name, *appcred_secret;

	/* the scope; of an application credential Keystone knows it */
	const char *project_id, *project_name, *project_domain_id, *project_domain_name;
	const char *domain_id, *domain_name; /* of a domain, when there is no project */
	bool system_scope;
};

struct keystone;

/* keystone_open - fetches a token. Without any scope, and when Keystone gives none by itself,
 * the user's only project is taken; of several they are named in the error. */
int keystone_open(struct keystone **out, struct http *http, const struct keystone_auth *auth,
		  struct cdict_error *err);
void keystone_close(struct keystone *ks);

/* keystone_endpoint - the address of the service of @types (first wins; NULL-terminated) in
 * the catalog: given. @interface "public", "internal", "admin" (as "publicURL" too); @region
 * NULL: the first one. CDICT_ENOTFOUND names what the catalog has. */
int keystone_endpoint(const struct keystone *ks, const char *const *types, const char *interface,
		      const char *region, char **url, struct cdict_error *err);

/* keystone_get - GET with the token, and with the header @extra when not NULL. A token near
 * its end is renewed before; a 401 is answered with one new token. Any status is returned. */
int keystone_get(struct keystone *ks, const char *url, const char *extra, struct http_reply *reply,
		 struct cdict_error *err);

/* keystone_refused - fills *err for an answer with an unwelcome status: "URL: 403: what the
 * service said"; returns -EACCES for 401, -EPERM for 403, CDICT_ENOTFOUND for 404, else -EPROTO. */
int keystone_refused(const struct keystone *ks, const char *url, const struct http_reply *reply,
		     struct cdict_error *err);

/* keystone_project_name - the name of a project: *@name, given; NULL when Keystone does not tell.
 * That of the token's own project is known without asking; others only if @ask. 0 or -ENOMEM. */
int keystone_project_name(struct keystone *ks, char **name, const char *project_id, bool ask);

/* The project of the token; NULL: none. */
const char *keystone_scope(const struct keystone *ks);

#endif
