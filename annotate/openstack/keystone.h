/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * keystone.h - gets a token from OpenStack's identity service (v3), sends requests with it, and
 * holds the catalog that comes with it.
 *
 * Secrets (password, secret, token) appear in no message: error texts that quote the
 * service have them removed.
 *
 * Threads    one at a time per struct keystone
 * Failure    0 or a negative code with *err filled: -EACCES when the service rejects the
 *            credentials, else those of http.h
 * Ownership  keystone_open() gives; it borrows the auth and the http until keystone_close()
 */
#ifndef ANNOTATE_OPENSTACK_KEYSTONE_H
#define ANNOTATE_OPENSTACK_KEYSTONE_H

#include <stdbool.h>

#include "annotate/openstack/http.h"
#include "cdict/error.h"

/* Credentials. Texts may be NULL or "". */
struct keystone_auth {
	const char *auth_url; /* with or without /v3 */
	bool by_appcred;      /* an application credential, else a password */

	const char *user_id, *username, *user_domain_id, *user_domain_name, *password;
	const char *appcred_id, *appcred_name, *appcred_secret;

	/* the scope; Keystone knows that of an application credential */
	const char *project_id, *project_name, *project_domain_id, *project_domain_name;
	const char *domain_id, *domain_name; /* a domain as scope, without a project */
	bool system_scope;
};

struct keystone;

/* keystone_open - requests a token. Without a scope, and if Keystone sets none by itself,
 * uses the user's only project; with several projects the error names them. */
int keystone_open(struct keystone **out, struct http *http, const struct keystone_auth *auth,
		  struct cdict_error *err);
void keystone_close(struct keystone *ks);

/* keystone_endpoint - the address of a service of @types (first wins; NULL-terminated) in
 * the catalog: given. @interface "public", "internal", "admin" ("publicURL" too); @region
 * NULL: the first one. CDICT_ENOTFOUND lists the catalog's endpoints. */
int keystone_endpoint(const struct keystone *ks, const char *const *types, const char *interface,
		      const char *region, char **url, struct cdict_error *err);

/* keystone_get - GET with the token, and with the header @extra unless NULL. A token about to
 * expire is renewed first; a 401 gets one new token and a retry. Any status is returned. */
int keystone_get(struct keystone *ks, const char *url, const char *extra, struct http_reply *reply,
		 struct cdict_error *err);

/* keystone_refused - fills *err for an answer with an error status: "URL: 403: the service's
 * message"; returns -EACCES for 401, -EPERM for 403, CDICT_ENOTFOUND for 404, else -EPROTO. */
int keystone_refused(const struct keystone *ks, const char *url, const struct http_reply *reply,
		     struct cdict_error *err);

/* keystone_project_name - the name of a project: *@name, given; NULL when Keystone does not return it.
 * The token's own project needs no request; others are requested only if @ask. 0 or -ENOMEM. */
int keystone_project_name(struct keystone *ks, char **name, const char *project_id, bool ask);

/* The project of the token; NULL: none. */
const char *keystone_scope(const struct keystone *ks);

#endif
