/* SPDX-License-Identifier: GPL-2.0-only */
/* The frequent events of each kernel have their own code in encoder and decoder: one whose fields are not recognized is
 * stored the same, but in a multiple of the time. And a format that does not declare what its records have. */
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

/* Its format declares 8 addresses, the record has as many as the stack. */
static void a_stack_of_ftrace_has_any_length(void **state)
{
	static const struct {
		const char *system, *last;
		bool flexible;
	} cases[] = {
		{ "ftrace", "unsigned long caller[8]", true },
		{ "ftrace", "unsigned long callers[8]", false },
		{ "ftrace", "unsigned long caller", false },
		{ "sched", "unsigned long caller[8]", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cdict_schema *schema = cdict_schema_new(false, 8, 4096);
		const uint32_t size = strchr(cases[i].last, '[') ? 64 : 8;
		const struct cdict_event_type *type;
		struct cdict_error err = { 0 };
		char text[400];

		snprintf(text, sizeof(text),
			 "name: kernel_stack\nID: 4\nformat:\n"
			 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
			 "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
			 "\tfield:%s;\toffset:16;\tsize:%u;\tsigned:0;\n",
			 cases[i].last, size);
		assert_int_equal(
			cdict_schema_add(schema, cases[i].system, text, strlen(text), &err), 0);
		type = cdict_schema_at(schema, 0);
		assert_int_equal(type->n_fields, 3);
		assert_int_equal(type->fields[2].size, cases[i].flexible ? 0 : size);
		assert_int_equal(type->payload_size, cases[i].flexible ? 16 : 16 + size);
		assert_int_equal(cdict_field_is_flexible(type, &type->fields[2]),
				 cases[i].flexible);
		cdict_schema_free(schema);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frequent_events_have_a_shape_of_their_own),
		cmocka_unit_test(a_stack_of_ftrace_has_any_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
