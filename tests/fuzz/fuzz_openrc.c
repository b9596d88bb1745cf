/* SPDX-License-Identifier: GPL-2.0-only */
/* openrc files: nothing is executed, and it comes to an end. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/openrc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct openstack_vars vars = { 0 };
	struct cdict_error err = { 0 };
	int rc = openrc_parse(&vars, (const char *)data, size, &err);

	if (rc && (rc != err.code || !err.text[0]))
		abort();
	for (size_t i = 0; i < vars.n; i++) {
		/* a name is a name, and there once */
		const char *name = vars.vars[i].name;

		if (!*name || strspn(name, "0123456789") == strlen(name))
			abort();
		for (size_t j = 0; j < i; j++) {
			if (!strcmp(vars.vars[j].name, name))
				abort();
		}
	}
	openstack_vars_fini(&vars);
	return 0;
}
