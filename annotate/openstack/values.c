// SPDX-License-Identifier: GPL-2.0-only
/* OpenStack settings, overwritten when freed. */
#include "annotate/openstack/values.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/secret.h"

static bool is_called(const char *name, const char *text, size_t len)
{
	for (; len && *name; name++, text++, len--) {
		if (tolower((unsigned char)*text) != *name && !(*text == '-' && *name == '_'))
			return false;
	}
	return !len && !*name;
}

int openstack_values_set(struct openstack_values *v, const char *name, size_t name_len,
			 const char *text, size_t len)
{
	char **place = NULL, *copy = NULL;

#define X(known)                                                                                   \
	if (is_called(#known, name, name_len))                                                     \
		place = &v->known;
	OPENSTACK_NAMES(X)
#undef X
	if (!place)
		return 0;
	if (text) {
		copy = strndup(text, len);
		if (!copy)
			return -ENOMEM;
	}
	secret_forget_text(*place);
	*place = copy;
	return 0;
}

void openstack_values_fini(struct openstack_values *v)
{
#define X(name) secret_forget_text(v->name);
	OPENSTACK_NAMES(X)
#undef X
	*v = (struct openstack_values){ 0 };
}
