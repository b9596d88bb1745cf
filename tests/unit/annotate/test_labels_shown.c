/* SPDX-License-Identifier: GPL-2.0-only */
/* Labels are attached to tasks, and shown. */
#include "format/labels/label_index.h"
#include "format/labels/label_text.h"
#include "annotate/pseudonym.h"
#include "tests/unit/labelcapture.h"
#include "tests/unit/labelfile.h"

/* --- whose label --- */

static void a_label_without_a_start_names_every_task_of_its_tid(void **state)
{
	struct capture c;

	(void)state;
	capture_begin(&c, "perf", NULL, NULL);
	name(&c, 7, 0, "all");
	name(&c, 9, 0, "none");
	capture_look(&c);
	assert_string_equal(called(&c, 7, 100 * S, false), "all");
	assert_string_equal(called(&c, 7, 105 * S, true), "all");
	assert_string_equal(called(&c, 8, 100 * S, false), "-");
	assert_int_equal(label_index_use(c.ix, 0), LABEL_USED);
	assert_int_equal(label_index_use(c.ix, 1), LABEL_NO_TASK);
	capture_end(&c);
}

static void a_label_with_a_start_names_only_the_task_that_started_then(void **state)
{
	struct capture c;

	(void)state;
	capture_begin(&c, "perf", NULL, NULL);
	name(&c, 7, 40 * S, "first");
	name(&c, 7, 105 * S - 7000000, "second"); /* /proc counts in 10 ms */
	name(&c, 7, 108 * S, "third");
	name(&c, 7, 120 * S, "later");
	name(&c, 7, 104 * S, "never");
	name(&c, 8, 50 * S, "other");
	capture_look(&c);
	assert_string_equal(called(&c, 7, 100 * S, false), "first");
	assert_string_equal(called(&c, 7, 101 * S, false), "first");
	assert_string_equal(called(&c, 7, 105 * S, true), "second");
	assert_string_equal(called(&c, 7, 105 * S + 300, false), "second");
	assert_string_equal(called(&c, 7, 108 * S, true), "third");
	assert_string_equal(called(&c, 7, 109 * S, false), "third");
	assert_string_equal(called(&c, 8, 100 * S, false), "other");
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(label_index_use(c.ix, i),
				 i == 3 || i == 4 ? LABEL_OTHER_START : LABEL_USED);
	capture_end(&c);
}

/* Tid 7 dies at 103 s and has a new name at 105 s: that is of another task, born in between. */
static void a_task_that_was_born_unseen_is_younger_than_the_last_death(void **state)
{
	struct capture c = { .schema = usual_schema() };

	(void)state;
	file_begin(&c.file, c.schema);
	assert_int_equal(cdict_writer_info(c.file.w, "clock.id", "perf", NULL), 0);
	task(&c, CDICT_TASK_COMM, 7, 0);
	task(&c, CDICT_TASK_EXIT, 7, 103 * S);
	task(&c, CDICT_TASK_COMM, 7, 105 * S);
	file_switch(&c.file, c.schema, 0, 100 * S, 7, 8);
	file_switch(&c.file, c.schema, 0, 110 * S, 8, 7);
	file_end(&c.file);
	c.r = open_bytes(c.file.bytes.data, c.file.bytes.len);
	name(&c, 7, 90 * S, "first");
	name(&c, 7, 104 * S, "second");
	name(&c, 7, 106 * S, "third");
	capture_look(&c);
	assert_string_equal(called(&c, 7, 100 * S, false), "first");
	assert_string_equal(called(&c, 7, 105 * S, false), "second");
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(label_index_use(c.ix, i), i == 2 ? LABEL_OTHER_START : LABEL_USED);
	capture_end(&c);
}

static void the_clocks_of_the_capture_are_taken_into_account(void **state)
{
	struct capture c;

	(void)state;
	/* the machine slept for 1000 s: its boot clock is ahead */
	capture_begin(&c, "perf", "100000000000", "1100000000000");
	name(&c, 7, 1105 * S, "second");
	name(&c, 7, 105 * S, "first");
	name(&c, 7, 1104 * S + 970000000, "never");
	capture_look(&c);
	assert_string_equal(called(&c, 7, 100 * S, false), "first");
	assert_string_equal(called(&c, 7, 105 * S, true), "second");
	assert_int_equal(label_index_use(c.ix, 2), LABEL_OTHER_START);
	capture_end(&c);
}

static void tasks_that_cannot_be_distinguished_are_not_guessed(void **state)
{
	struct capture c;

	(void)state;
	/* a clock that counts from 1970 says nothing about the boot clock */
	capture_begin(&c, "realtime", NULL, NULL);
	name(&c, 7, 105 * S, "which");
	name(&c, 8, 50 * S, "only one");
	capture_look(&c);
	assert_string_equal(called(&c, 7, 100 * S, false), "-");
	assert_string_equal(called(&c, 7, 105 * S, true), "-");
	assert_string_equal(called(&c, 8, 100 * S, false), "only one");
	assert_int_equal(label_index_use(c.ix, 0), LABEL_AMBIGUOUS);
	capture_end(&c);
}

static void a_birth_known_only_from_the_events_counts_too(void **state)
{
	struct capture c;

	(void)state;
	capture_begin(&c, "perf", NULL, NULL);
	/* the records know one task 8; a sched_process_fork at 107 s is of another */
	name(&c, 8, 50 * S, "old");
	name(&c, 8, 107 * S, "new");
	capture_look(&c);
	assert_string_equal(called(&c, 8, 107 * S, true), "-"); /* never "old" */
	capture_end(&c);
}

static void labels_of_the_file_and_new_ones_add_up(void **state)
{
	struct capture c;

	(void)state;
	capture_begin(&c, "perf", NULL, NULL);
	name(&c, 7, 0, "in the file");
	{
		struct buf with = apply(c.file.bytes.data, c.file.bytes.len, &c.m, false);
		struct mapping more = { 0 };
		struct cdict_label role = { .tid = 7, .origin = CDICT_LABEL_OPENSTACK };
		struct cdict_label l;
		struct cdict_reader *r = open_bytes(with.data, with.len);
		struct label_task task = { 7, UINT64_MAX, 100 * S, UINT64_MAX };

		role.role = "vcpu0";
		role.name = "of a lesser origin";
		assert_int_equal(mapping_add(&more, &role, NULL), 0);
		assert_int_equal(label_index_new(&c.ix, r, false, &more, NULL), 0);
		assert_true(label_index_find(c.ix, &task, &l));
		assert_string_equal(l.name, "in the file");
		assert_string_equal(l.role, "vcpu0");
		label_index_free(c.ix);
		assert_int_equal(label_index_new(&c.ix, r, true, &more, NULL), 0);
		assert_true(label_index_find(c.ix, &task, &l));
		assert_string_equal(l.name, "of a lesser origin");
		mapping_fini(&more);
		cdict_reader_close(r);
		buf_fini(&with);
	}
	capture_end(&c);
}

/* --- shown --- */

static const struct {
	const char *name, *group, *role, *instance, *uuid, *shown, *vm;
} displays[] = {
	{ "Firewall", "5", "vcpu0", "", "", "Firewall.05.vcpu0", "Firewall.05" },
	{ "Firewall", "05", "vcpu0", "", "", "Firewall.05.vcpu0", "Firewall.05" },
	{ "Firewall", "123", "vcpu0", "", "", "Firewall.123.vcpu0", "Firewall.123" },
	{ "Firewall", "0", "", "", "", "Firewall.00", "Firewall.00" },
	{ "Firewall", "", "vcpu0", "i-1", "u", "Firewall.vcpu0", "Firewall" },
	{ "Firewall", "east", "vcpu0", "", "", "Firewall.east.vcpu0", "Firewall.east" },
	{ "Firewall", "5a", "vcpu0", "", "", "Firewall.5a.vcpu0", "Firewall.5a" },
	{ "", "5", "vcpu0", "i-1", "u", "i-1.05.vcpu0", "i-1.05" },
	{ "", "", "vcpu0", "i-1", "", "i-1.vcpu0", "i-1" },
	{ "", "", "vcpu0", "", "u", NULL, "u" },
	{ "", "5", "vcpu0", "", "", NULL, NULL },
	{ "99999999999999999999", "99999999999999999999", "", "", "",
	  "99999999999999999999.99999999999999999999",
	  "99999999999999999999.99999999999999999999" },
};

static void a_name_is_name_group_and_role(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(displays); i++) {
		struct cdict_label l = { .name = displays[i].name,
					 .group = displays[i].group,
					 .role = displays[i].role,
					 .instance = displays[i].instance,
					 .uuid = displays[i].uuid };
		bool failed = false;
		char *shown = label_text_name(&l, &failed), *vm = label_text_vm(&l, &failed);

		assert_false(failed);
		assert_int_equal(!shown, !displays[i].shown);
		assert_text(shown, displays[i].shown);
		assert_int_equal(!vm, !displays[i].vm);
		assert_text(vm, displays[i].vm);
		free(shown);
		free(vm);
	}
}

static void names_are_sorted_by_group_then_name_then_role(void **state)
{
	static const struct cdict_label sorted[] = {
		{ .name = "B", .group = "2", .role = "vcpu0" },
		{ .name = "A", .group = "5", .role = "emulator" },
		{ .name = "A", .group = "5", .role = "vcpu2" },
		{ .name = "A", .group = "5", .role = "vcpu10" },
		{ .name = "A2", .group = "5", .role = "vcpu0" },
		{ .name = "A10", .group = "5", .role = "vcpu0" },
		{ .name = "A", .group = "12", .role = "vcpu0" },
		{ .name = "A", .group = "east", .role = "vcpu0" },
		{ .name = "A", .role = "vcpu0" },
		{ .instance = "instance-1", .role = "vcpu0" },
	};

	(void)state;
	for (size_t i = 1; i < COUNT(sorted); i++) {
		char *a = label_text_order(&sorted[i - 1]), *b = label_text_order(&sorted[i]);

		if (strcmp(a, b) >= 0)
			fail_msg("%zu is not before %zu", i - 1, i);
		free(a);
		free(b);
	}
}

static void siphash_gives_the_vectors_of_its_authors(void **state)
{
	const uint64_t key[2] = { UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908) };
	uint8_t data[15];

	(void)state;
	for (uint8_t i = 0; i < sizeof(data); i++)
		data[i] = i;
	assert_true(pseudonym_siphash(key, data, 15) == UINT64_C(0xa129ca6149be45e5));
	assert_true(pseudonym_siphash(key, data, 0) == UINT64_C(0x726fdb47dd0e0e31));
}

static void a_pseudonym_depends_on_kind_name_and_secret_only(void **state)
{
	struct pseudonyms a, b, c;
	const char *x;

	(void)state;
	pseudonyms_init(&a, NULL, 0);
	pseudonyms_init(&b, NULL, 0);
	pseudonyms_init(&c, "secret", 6);
	x = pseudonym_comm(&a, "nginx", 5);
	assert_int_equal(strlen(x), 12);
	assert_string_equal(pseudonym_comm(&b, "other", 5), pseudonym_comm(&a, "other", 5));
	assert_string_equal(pseudonym_comm(&b, "nginx", 5), x);
	assert_string_equal(pseudonym_comm(&b, "nginx\0rest", 10), x);
	assert_string_not_equal(pseudonym_comm(&c, "nginx", 5), x);
	assert_string_not_equal(pseudonym(&a, 'n', "nginx", 5) + 1, x + 1);
	assert_string_equal(pseudonym_comm(&a, "CPU 11/KVM", 10), "CPU 11/KVM");
	assert_string_equal(pseudonym_comm(&a, "kworker/u8:2", 12), "kworker/u8:2");
	assert_string_equal(pseudonym_comm(&a, "", 0), "");
	assert_int_equal(pseudonym_comm(&a, "kworker/u8:2-mine", 17)[0], 't');
	assert_int_equal(pseudonym_comm(&a, "CPU x/KVM", 9)[0], 't');
	pseudonyms_fini(&a);
	pseudonyms_fini(&b);
	pseudonyms_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_label_without_a_start_names_every_task_of_its_tid),
		cmocka_unit_test(a_label_with_a_start_names_only_the_task_that_started_then),
		cmocka_unit_test(a_task_that_was_born_unseen_is_younger_than_the_last_death),
		cmocka_unit_test(the_clocks_of_the_capture_are_taken_into_account),
		cmocka_unit_test(tasks_that_cannot_be_distinguished_are_not_guessed),
		cmocka_unit_test(a_birth_known_only_from_the_events_counts_too),
		cmocka_unit_test(labels_of_the_file_and_new_ones_add_up),
		cmocka_unit_test(a_name_is_name_group_and_role),
		cmocka_unit_test(names_are_sorted_by_group_then_name_then_role),
		cmocka_unit_test(siphash_gives_the_vectors_of_its_authors),
		cmocka_unit_test(a_pseudonym_depends_on_kind_name_and_secret_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
