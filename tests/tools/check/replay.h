/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * replay.h - rules of tests/tools/check/replay.c, and how they are made from recorded exchanges:
 *
 *	### title
 *	--- request
 *	GET /v2.1/servers/detail?all_tenants=1&limit=2 HTTP/1.1
 *	X-Auth-Token: ...
 *	...
 *	--- reply (curl -i)
 *	HTTP/1.1 200 OK
 *	...
 *	--- connection afterwards
 *
 * A request fits a recording when method and path are the same, the parameters (without
 * limit), the microversion, and the body as JSON; and when its token is the recorded one, or
 * one that another recording gave to the same user for the same project. Every service is
 * answered for on one port, so addresses in answers become 127.0.0.1:{PORT}.
 */
#ifndef TESTS_TOOLS_CHECK_REPLAY_H
#define TESTS_TOOLS_CHECK_REPLAY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define REPLAY_RULES_MAX 256

struct replay_rule {
	char *method, *path;
	char *params[16], *needs[16]; /* name=value; texts of head or body */
	size_t n_params, n_needs;
	int times; /* -1: always */
	int delay_ms;
	bool close;
	size_t fill;
	char *head, *body;
	/* recorded: */
	bool recorded;
	char *query, *token, *version;
	json_t *json;
};

struct replay_request {
	char *head, *target, *body;
	char *method, *path, *query; /* inside target */
};

/* A token that a recording gave, and its owner. */
struct replay_token {
	char *token, *owner;
};

static struct replay_rule rules[REPLAY_RULES_MAX];
static size_t n_rules;
static struct replay_token tokens[REPLAY_RULES_MAX];
static size_t n_tokens;

static inline void append(char **text, const char *more)
{
	char *both;

	if (asprintf(&both, "%s%s", *text ? *text : "", more) < 0)
		abort();
	free(*text);
	*text = both;
}

static inline struct replay_rule *new_rule(void)
{
	if (n_rules == REPLAY_RULES_MAX)
		abort();
	rules[n_rules].times = -1;
	return &rules[n_rules++];
}

static inline bool has_param(const char *query, const char *param, size_t n)
{
	for (const char *p = query; p && *p; p = strchr(p, '&')) {
		p += *p == '&';
		if (!strncmp(p, param, n) && (!p[n] || p[n] == '&'))
			return true;
	}
	return false;
}

/* Every parameter of @a but limit is one of @b. */
static inline bool params_within(const char *a, const char *b)
{
	size_t n;

	for (const char *p = a; p && *p; p += n + (p[n] == '&')) {
		n = strcspn(p, "&");
		if (n && strncmp(p, "limit=", 6) && !has_param(b, p, n))
			return false;
	}
	return true;
}

/* The value of a header in @head, "" when absent. */
static inline char *header(const char *head, const char *name)
{
	char *line;
	const char *at;

	if (asprintf(&line, "\n%s: ", name) < 0)
		abort();
	at = strcasestr(head ? head : "", line);
	at = at ? at + strlen(line) : "";
	free(line);
	return strndup(at, strcspn(at, "\r\n"));
}

static inline const char *owner(const char *token)
{
	for (size_t i = 0; i < n_tokens; i++) {
		if (!strcmp(tokens[i].token, token))
			return tokens[i].owner;
	}
	return NULL;
}

static inline bool token_fits(const struct replay_rule *r, const char *token)
{
	const char *a = owner(token), *b = owner(r->token);

	return a && b && !strcmp(a, b) && strstr(r->head, " 200 ");
}

static inline bool recorded_fits(const struct replay_rule *r, const struct replay_request *q,
				 bool same_token)
{
	char *token = header(q->head, "X-Auth-Token");
	char *version = header(q->head, "OpenStack-API-Version");
	json_t *json = json_loads(q->body, 0, NULL);
	/* the root of a service answers every client */
	bool root = !r->token[0] && strstr(r->head, " 200 ");
	/* a forbidden request stays so with more parameters */
	bool more = strstr(r->head, " 403 ") != NULL;
	bool fit = (more || params_within(q->query, r->query)) &&
		   params_within(r->query, q->query) && !strcmp(version, r->version) &&
		   (root || !strcmp(token, r->token) || (!same_token && token_fits(r, token))) &&
		   (r->json ? json_equal(json, r->json) : !json);

	json_decref(json);
	free(token);
	free(version);
	return fit;
}

static inline void remember_token(const struct replay_rule *r)
{
	char *token = header(r->head, "X-Subject-Token");
	json_t *root = json_loads(r->body ? r->body : "", 0, NULL), *user, *project;

	user = json_object_get(json_object_get(root, "token"), "user");
	project = json_object_get(json_object_get(root, "token"), "project");
	if (*token && n_tokens < REPLAY_RULES_MAX && user &&
	    asprintf(&tokens[n_tokens].owner, "%s %s",
		     json_string_value(json_object_get(user, "id")),
		     project ? json_string_value(json_object_get(project, "id")) : "") > 0)
		tokens[n_tokens++].token = strdup(token);
	free(token);
	json_decref(root);
}

/* 127.0.0.1:15000 -> 127.0.0.1:{PORT} */
static inline void neutral_ports(char **text)
{
	char *out = NULL, *from = *text ? *text : (char *)"";

	for (char *at; (at = strstr(from, "127.0.0.1:"));) {
		char c = at[10];

		at[10] = '\0';
		append(&out, from);
		append(&out, "{PORT}");
		at[10] = c;
		from = at + 10 + strspn(at + 10, "0123456789");
	}
	append(&out, from);
	free(*text);
	*text = out;
}

static inline void finish_recorded(struct replay_rule *r, char *request, char *body)
{
	char *end = strchr(r->path, '?');

	r->recorded = true;
	r->query = strdup(end ? end + 1 : "");
	if (end)
		*end = '\0';
	r->token = header(request, "X-Auth-Token");
	r->version = header(request, "OpenStack-API-Version");
	r->json = json_loads(body ? body : "", 0, NULL);
	remember_token(r);
	neutral_ports(&r->head);
	neutral_ports(&r->body);
}

/* A recording, from its first line on. */
static inline void parse_recorded(FILE *file)
{
	enum { OUTSIDE, REQUEST, REQUEST_BODY, HEAD, BODY } at = OUTSIDE;
	char *line = NULL, *request = NULL, *body = NULL;
	struct replay_rule *r = NULL;
	size_t cap = 0;

	while (getline(&line, &cap, file) > 0) {
		bool blank = !line[strspn(line, "\r\n")];

		if (!strncmp(line, "--- request", 11)) {
			r = new_rule();
			free(request);
			free(body);
			request = body = NULL;
			at = REQUEST;
		} else if (r && !strncmp(line, "--- reply", 9)) {
			at = HEAD;
		} else if (r && !strncmp(line, "--- ", 4)) {
			finish_recorded(r, request, body);
			r = NULL;
			at = OUTSIDE;
		} else if (at == REQUEST && !request) {
			r->method = strndup(line, strcspn(line, " "));
			r->path = strdup(line + strlen(r->method) + 1);
			r->path[strcspn(r->path, " ")] = '\0';
			append(&request, line);
		} else if (at == REQUEST) {
			append(&request, line);
			at = blank ? REQUEST_BODY : REQUEST;
		} else if (at == REQUEST_BODY) {
			append(&body, line);
		} else if (at == HEAD && blank) {
			at = BODY;
		} else if (at == HEAD && strncasecmp(line, "Content-Length:", 15)) {
			line[strcspn(line, "\r\n")] = '\0';
			append(&r->head, line);
			append(&r->head, "\r\n");
		} else if (at == BODY) {
			append(&r->body, line);
		}
	}
	free(line);
	free(request);
	free(body);
}

#endif
