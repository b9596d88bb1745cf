/* SPDX-License-Identifier: GPL-2.0-only */
/* clouds.yaml: every cloud of a file that can be parsed can be asked for. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "annotate/openstack/clouds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cdict_error err = { 0 };
	struct clouds *c;
	const char *name;
	int rc = clouds_parse(&c, (const char *)data, size, &err);

	if (rc) {
		if (rc != err.code || !err.text[0])
			abort();
		return 0;
	}
	for (size_t i = 0; i < 8 && (name = clouds_name(c, i)); i++) {
		struct openstack_values values = { 0 };

		clouds_get(c, name, &values, &err);
		openstack_values_fini(&values);
	}
	clouds_free(c);
	return 0;
}
