/* SPDX-License-Identifier: GPL-2.0-only */
/* keystone_body.h - what is sent to Keystone, and what is in its answers. */
#ifndef ANNOTATE_KEYSTONE_BODY_H
#define ANNOTATE_KEYSTONE_BODY_H

#include "annotate/keystone.h"
#include "annotate/library.h"

/* keystone_body - the JSON that asks for a token: given (it holds the secret); NULL when out
 * of memory, without jansson, or when @auth is not UTF-8. @project_id not NULL: of this project. */
char *keystone_body(const struct keystone_auth *auth, const char *project_id);

/* What a token says of itself. */
struct keystone_token {
	long life_s; /* 0: it does not say */
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

/* keystone_said - the message in an error's body ({"error": {"message": ...}}, Nova's forms
 * too), cut short: given; NULL: none found. */
char *keystone_said(const char *text, size_t size);

/* keystone_json - parses an answer; CDICT_EFORMAT with "what is no JSON", or what library_json() gives. */
int keystone_json(json_t **out, const char *text, size_t size, struct cdict_error *err);
/* keystone_json_text - a member that is a text, NULL when it is none or empty. */
const char *keystone_json_text(const json_t *object, const char *key);

#endif
