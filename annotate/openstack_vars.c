// SPDX-License-Identifier: GPL-2.0-only
/* Named settings, kept and forgotten carefully. */
#include "annotate/openstack_vars.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void forget(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
}

void openstack_vars_fini(struct openstack_vars *v)
{
	for (size_t i = 0; i < v->n; i++) {
		free(v->vars[i].name);
		forget(v->vars[i].value);
	}
	free(v->vars);
	*v = (struct openstack_vars){ 0 };
}

static struct openstack_var *find(const struct openstack_vars *v, const char *name, size_t len)
{
	for (size_t i = 0; i < v->n; i++) {
		if (!strncmp(v->vars[i].name, name, len) && !v->vars[i].name[len])
			return &v->vars[i];
	}
	return NULL;
}

static struct openstack_var *add(struct openstack_vars *v, const char *name, size_t len)
{
	if (v->n == v->cap) {
		size_t cap = v->cap ? 2 * v->cap : 32;
		struct openstack_var *vars = realloc(v->vars, cap * sizeof(*vars));

		if (!vars)
			return NULL;
		v->vars = vars;
		v->cap = cap;
	}
	v->vars[v->n] = (struct openstack_var){ .name = strndup(name, len) };
	return v->vars[v->n].name ? &v->vars[v->n++] : NULL;
}

int openstack_vars_set(struct openstack_vars *v, const char *name, size_t name_len,
		       const char *value, size_t value_len)
{
	struct openstack_var *var = find(v, name, name_len);
	char *copy = value ? strndup(value, value_len) : NULL;

	if (value && !copy)
		return -ENOMEM;
	if (!var)
		var = add(v, name, name_len);
	if (!var) {
		forget(copy);
		return -ENOMEM;
	}
	forget(var->value);
	var->value = copy;
	return 0;
}

void openstack_vars_unset(struct openstack_vars *v, const char *name)
{
	struct openstack_var *var = find(v, name, strlen(name));

	if (!var)
		return;
	free(var->name);
	forget(var->value);
	*var = v->vars[--v->n];
}

const char *openstack_vars_get(const struct openstack_vars *v, const char *name)
{
	const struct openstack_var *var = find(v, name, strlen(name));

	return var ? var->value : NULL;
}

bool openstack_vars_unknown(const struct openstack_vars *v, const char *name)
{
	const struct openstack_var *var = find(v, name, strlen(name));

	return var && !var->value;
}
