/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding a back-end. */
#include "render/draw/backend.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const struct backend *const backends[] = {
	&backend_svg,
	&backend_png,
	&backend_pdf,
	&backend_term,
};

const struct backend *backend_find(const char *name)
{
	for (size_t i = 0; i < sizeof(backends) / sizeof(backends[0]); i++) {
		if (!strcmp(backends[i]->name, name))
			return backends[i];
	}
	return NULL;
}

const struct backend *backend_for(const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < sizeof(backends) / sizeof(backends[0]); i++) {
		const char *ending = backends[i]->ending;

		if (ending && len > strlen(ending) &&
		    !strcasecmp(path + len - strlen(ending), ending))
			return backends[i];
	}
	return NULL;
}
