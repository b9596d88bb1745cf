/* SPDX-License-Identifier: GPL-2.0-only */
/* keystone_body.h - request and response bodies of Keystone. */
#ifndef ANNOTATE_OPENSTACK_KEYSTONE_BODY_H
#define ANNOTATE_OPENSTACK_KEYSTONE_BODY_H

#include "annotate/library.h"
#include "annotate/openstack/keystone.h"

/* keystone_body - the JSON that requests a token: given (it contains the secret); NULL when out
 * of memory, without jansson, or when @auth is not UTF-8. @project_id, unless NULL: the scope. */
char *keystone_body(const struct keystone_auth *auth, const char *project_id);

/* Content of a token. */
struct keystone_token {
	long life_s; /* 0: unknown */
	char *project_id, *project_name;
	json_t *catalog; /* NULL: none */
};

/* keystone_token_parse - CDICT_EFORMAT. */
int keystone_token_parse(struct keystone_token *out, const char *text, size_t size,
			 struct cdict_error *err);
void keystone_token_fini(struct keystone_token *t);

/* keystone_catalog_find - see keystone_endpoint(). */
int keystone_catalog_find(const json_t *catalog, const char *const *types, const char *interface,
			  const char *region, char **url, struct cdict_error *err);

/* keystone_message - the message in an error response ({"error": {"message": ...}}, Nova's forms
 * too), shortened: given; NULL: none found. */
char *keystone_message(const char *text, size_t size);

/* keystone_json - parses an answer; CDICT_EFORMAT when it is not JSON, or the code of library_json(). */
int keystone_json(json_t **out, const char *text, size_t size, struct cdict_error *err);
/* keystone_json_text - a string member, NULL when it is missing, empty or not a string. */
const char *keystone_json_text(const json_t *object, const char *key);

#endif
