/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers of a compute or identity service: pages of servers, versions, tokens, errors. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/openstack/keystone_body.h"
#include "annotate/openstack/nova.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void servers(const char *text, size_t size)
{
	const struct nova_keys keys = { "name", "group" };
	struct nova_servers s = { 0 };
	size_t added, again;
	char *marker;

	if (!nova_page_parse(&s, &keys, text, size, &marker, &added, NULL)) {
		if (added != s.all.n)
			abort();
		free(marker);
		/* the same page once more brings nothing new */
		if (nova_page_parse(&s, &keys, text, size, &marker, &again, NULL) || again ||
		    s.all.n != added)
			abort();
		free(marker);
	}
	for (size_t i = 0; i < s.all.n; i++) {
		const struct nova_server *v = &s.all.at[i];

		if (!*v->id || strlen(v->name) > NOVA_TEXT_MAX || !v->group_value)
			abort();
	}
	nova_servers_fini(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const types[] = { "compute", NULL };
	char version[NOVA_VERSION_MAX], path[NOVA_VERSION_MAX], *message, *url;
	const char *text = (const char *)data;
	struct keystone_token token;

	servers(text, size);
	nova_version_choose(text, size, version, path, NULL);
	message = keystone_message(text, size);
	free(message);
	if (!keystone_token_parse(&token, text, size, NULL)) {
		if (token.life_s < 0)
			abort();
		if (!keystone_catalog_find(token.catalog, types, "public", NULL, &url, NULL))
			free(url);
		keystone_token_fini(&token);
	}
	return 0;
}
