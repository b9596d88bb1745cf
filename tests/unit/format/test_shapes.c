/* SPDX-License-Identifier: GPL-2.0-only */
/* The frequent events of each kernel have their own code in encoder and decoder: one whose fields are not recognized is
 * stored the same, but in a multiple of the time. */
#include <stdio.h>

#include "format/shapes.h"
#include "tests/unit/cdictfile.h"

/* Adds the type of a format file of tests/data/formats. */
static const struct format_type *type_of(struct cdict_schema *schema, const char *system,
					 const char *file)
{
	struct cdict_error err = { 0 };
	char path[600], *text = NULL;
	size_t size = 0;
	ssize_t len;
	int ret;
	FILE *f;

	snprintf(path, sizeof(path), "%s/formats/%s.format", getenv("DATA"), file);
	f = fopen(path, "r");
	assert_non_null(f);
	len = getdelim(&text, &size, '\0', f);
	fclose(f);
	assert_true(len > 0);
	ret = cdict_schema_add(schema, system, text, (size_t)len, &err);
	free(text);
	if (ret < 0)
		fail_msg("%s: %s", file, err.text);
	return schema->types.at[ret];
}

static void frequent_events_have_a_shape_of_their_own(void **state)
{
	static const struct {
		const char *system, *file;
		enum format_shape shape;
	} cases[] = {
		{ "sched", "sched.sched_switch", FORMAT_SHAPE_switch },
		{ "sched", "new.sched_switch", FORMAT_SHAPE_switch },
		{ "sched", "sched.sched_waking", FORMAT_SHAPE_waking },
		{ "sched", "sched.sched_wakeup", FORMAT_SHAPE_wakeup },
		{ "sched", "new.sched_wakeup", FORMAT_SHAPE_wakeup },
		{ "sched", "sched.sched_stat_runtime", FORMAT_SHAPE_stat_runtime_6_1 },
		{ "sched", "new.sched_stat_runtime", FORMAT_SHAPE_stat_runtime },
		{ "kvm", "kvm.kvm_entry", FORMAT_SHAPE_kvm_entry },
		{ "kvm", "kvm.kvm_exit", FORMAT_SHAPE_kvm_exit },
		{ "kvm", "kvm.kvm_pio", FORMAT_SHAPE_kvm_pio },
		{ "kvm", "kvm.kvm_msr", FORMAT_SHAPE_kvm_msr },
		/* others go through a loop */
		{ "kvm", "arm64.kvm_exit", FORMAT_SHAPE_ANY },
		{ "kvm", "kvm.kvm_cr", FORMAT_SHAPE_ANY },
		{ "sched", "sched.sched_process_fork", FORMAT_SHAPE_ANY },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cdict_schema *schema = cdict_schema_new(false, 8, 4096);
		const struct format_type *type = type_of(schema, cases[i].system, cases[i].file);

		if (type->shape != cases[i].shape)
			fail_msg("%s: %d", cases[i].file, type->shape);
		cdict_schema_free(schema);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frequent_events_have_a_shape_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
