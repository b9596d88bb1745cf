// SPDX-License-Identifier: GPL-2.0-only
/* Parses clouds.yaml with libyaml. */
#include "annotate/openstack/clouds.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/fail.h"

#define CLOUDS_SIZE_MAX ((size_t)1 << 20)
#define DEPTH_MAX 64     /* real files have 4; libyaml's time is quadratic in it */
#define MERGE_DEPTH 8    /* << of << of ... */
#define KEYS_MAX 1000000 /* visited per query: nested aliases multiply */

struct clouds {
	yaml_document_t doc;
	bool loaded;
	const yaml_node_t *all; /* the mapping under `clouds`; NULL: none */
};

/* A walk over the keys of a mapping, including those merged with <<. */
struct walk {
	const struct clouds *clouds;
	int (*key)(void *ctx, const yaml_node_t *key, const yaml_node_t *value);
	void *ctx;
	size_t left;
};

static const yaml_node_t *node(const struct clouds *c, int id)
{
	/* libyaml's getter takes a non-const document, but does not change it */
	return yaml_document_get_node((yaml_document_t *)&c->doc, id);
}

static bool text_is(const yaml_node_t *n, const char *text)
{
	return n && n->type == YAML_SCALAR_NODE && n->data.scalar.length == strlen(text) &&
	       !memcmp(n->data.scalar.value, text, n->data.scalar.length);
}

static bool is_null(const yaml_node_t *n)
{
	return n->type == YAML_SCALAR_NODE && n->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	       (!n->data.scalar.length || text_is(n, "~") || text_is(n, "null"));
}

static int walk(struct walk *w, const yaml_node_t *mapping, unsigned depth);

/* The value of <<: a mapping, or a list of them in which earlier ones win. */
static int walk_merged(struct walk *w, const yaml_node_t *value, unsigned depth)
{
	const yaml_node_item_t *item;
	int rc = 0;

	if (depth == MERGE_DEPTH || !value)
		return 0;
	if (value->type != YAML_SEQUENCE_NODE)
		return walk(w, value, depth + 1);
	for (item = value->data.sequence.items.top; !rc && item > value->data.sequence.items.start;
	     item--)
		rc = walk(w, node(w->clouds, item[-1]), depth + 1);
	return rc;
}

/* Merged keys first, so that the mapping's own replace them. */
static int walk(struct walk *w, const yaml_node_t *mapping, unsigned depth)
{
	const yaml_node_pair_t *pair;
	int rc = 0;

	if (!mapping || mapping->type != YAML_MAPPING_NODE)
		return 0;
	for (int own = 0; own < 2 && !rc; own++) {
		for (pair = mapping->data.mapping.pairs.start;
		     pair < mapping->data.mapping.pairs.top && !rc; pair++) {
			const yaml_node_t *key = node(w->clouds, pair->key);
			const yaml_node_t *value = node(w->clouds, pair->value);
			bool merge = text_is(key, "<<") &&
				     key->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;

			if (!w->left--) {
				w->left = 0;
				return -E2BIG;
			}
			if (merge && !own)
				rc = walk_merged(w, value, depth);
			else if (!merge && own)
				rc = w->key(w->ctx, key, value);
		}
	}
	return rc;
}

struct wanted {
	const char *key;
	const yaml_node_t *value;
};

static int if_wanted(void *ctx, const yaml_node_t *key, const yaml_node_t *value)
{
	struct wanted *w = ctx;

	if (text_is(key, w->key))
		w->value = value;
	return 0;
}

static const yaml_node_t *find_key(const struct clouds *c, const yaml_node_t *mapping,
				   const char *key)
{
	struct wanted wanted = { .key = key };
	struct walk w = { c, if_wanted, &wanted, KEYS_MAX };

	return walk(&w, mapping, 0) ? NULL : wanted.value;
}

static int is_no_yaml(const yaml_parser_t *parser, struct cdict_error *err)
{
	return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET, "line %zu: %s",
			  (size_t)parser->problem_mark.line + 1,
			  parser->problem ? parser->problem : "is not YAML");
}

/* Checks before building a document that all of it can be parsed, and is not too deep. */
static int check_depth(const char *text, size_t size, struct cdict_error *err)
{
	yaml_parser_t parser;
	yaml_event_t event;
	bool more = true;
	int depth = 0, rc = 0;

	if (!yaml_parser_initialize(&parser))
		return cdict_fail_nomem(err);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
	while (!rc && more) {
		if (!yaml_parser_parse(&parser, &event)) {
			rc = is_no_yaml(&parser, err);
			break;
		}
		more = event.type != YAML_STREAM_END_EVENT &&
		       event.type != YAML_DOCUMENT_END_EVENT; /* only the first is loaded */
		depth += event.type == YAML_SEQUENCE_START_EVENT ||
			 event.type == YAML_MAPPING_START_EVENT;
		depth -= event.type == YAML_SEQUENCE_END_EVENT ||
			 event.type == YAML_MAPPING_END_EVENT;
		if (depth > DEPTH_MAX)
			rc = cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
					"line %zu: nested more than %d levels deep",
					(size_t)event.start_mark.line + 1, DEPTH_MAX);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return rc;
}

static int load_document(struct clouds *c, const char *text, size_t size, struct cdict_error *err)
{
	yaml_parser_t parser;
	int rc = 0;

	if (!yaml_parser_initialize(&parser))
		return cdict_fail_nomem(err);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
	c->loaded = yaml_parser_load(&parser, &c->doc);
	if (!c->loaded)
		rc = is_no_yaml(&parser, err);
	yaml_parser_delete(&parser);
	return rc;
}

int clouds_parse(struct clouds **out, const char *text, size_t size, struct cdict_error *err)
{
	struct clouds *c = calloc(1, sizeof(*c));
	const yaml_node_t *root;
	int rc = c ? 0 : cdict_fail_nomem(err);

	if (!rc && size > CLOUDS_SIZE_MAX)
		rc = cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				"%zu bytes exceed the limit of %zu", size, CLOUDS_SIZE_MAX);
	if (!rc)
		rc = check_depth(text, size, err);
	if (!rc)
		rc = load_document(c, text, size, err);
	root = rc ? NULL : yaml_document_get_root_node(&c->doc);
	if (root && root->type != YAML_MAPPING_NODE && !is_null(root))
		rc = cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
				"line %zu: expected a mapping with the key 'clouds'",
				(size_t)root->start_mark.line + 1);
	if (rc) {
		clouds_free(c);
		return rc;
	}
	c->all = find_key(c, root, "clouds");
	*out = c;
	return 0;
}

void clouds_free(struct clouds *c)
{
	if (!c)
		return;
	for (yaml_node_t *n = c->doc.nodes.start; c->loaded && n < c->doc.nodes.top; n++) {
		if (n->type == YAML_SCALAR_NODE)
			explicit_bzero(n->data.scalar.value, n->data.scalar.length);
	}
	if (c->loaded)
		yaml_document_delete(&c->doc);
	free(c);
}

const char *clouds_name(const struct clouds *c, size_t i)
{
	const yaml_node_t *all = c->all;

	if (!all || all->type != YAML_MAPPING_NODE)
		return NULL;
	for (const yaml_node_pair_t *p = all->data.mapping.pairs.start;
	     p < all->data.mapping.pairs.top; p++) {
		const yaml_node_t *key = node(c, p->key);

		/* libyaml NUL-terminates its texts */
		if (key && key->type == YAML_SCALAR_NODE && !text_is(key, "<<") && !i--)
			return (const char *)key->data.scalar.value;
	}
	return NULL;
}

static int store_value(void *ctx, const yaml_node_t *key, const yaml_node_t *value)
{
	if (!key || !value || key->type != YAML_SCALAR_NODE || value->type != YAML_SCALAR_NODE)
		return 0;
	return openstack_values_set(ctx, (const char *)key->data.scalar.value,
				    key->data.scalar.length,
				    is_null(value) ? NULL : (const char *)value->data.scalar.value,
				    value->data.scalar.length);
}

/* regions: [a, {name: b}] - the first name becomes region_name if that is missing. */
static int first_region(const struct clouds *c, const yaml_node_t *cloud,
			struct openstack_values *into)
{
	const yaml_node_t *list = find_key(c, cloud, "regions"), *first;

	if (!list || list->type != YAML_SEQUENCE_NODE ||
	    list->data.sequence.items.top == list->data.sequence.items.start || into->region_name)
		return 0;
	first = node(c, list->data.sequence.items.start[0]);
	if (first && first->type == YAML_MAPPING_NODE)
		first = find_key(c, first, "name");
	if (!first || first->type != YAML_SCALAR_NODE)
		return 0;
	return openstack_values_set(into, "region_name", strlen("region_name"),
				    (const char *)first->data.scalar.value,
				    first->data.scalar.length);
}

int clouds_get(const struct clouds *c, const char *name, struct openstack_values *into,
	       struct cdict_error *err)
{
	const yaml_node_t *cloud = find_key(c, c->all, name);
	struct walk w = { c, store_value, into, KEYS_MAX };
	int rc;

	if (!cloud || cloud->type != YAML_MAPPING_NODE)
		return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET, "has no cloud '%s'", name);
	rc = walk(&w, cloud, 0);
	if (!rc)
		rc = walk(&w, find_key(c, cloud, "auth"), 0);
	if (!rc)
		rc = first_region(c, cloud, into);
	if (rc == -E2BIG)
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				  "has too many merged keys in cloud '%s'", name);
	return rc ? cdict_fail_nomem(err) : 0;
}
