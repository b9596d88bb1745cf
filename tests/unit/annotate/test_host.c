/* SPDX-License-Identifier: GPL-2.0-only */
/* Real hosts' /proc trees: every thread of QEMU has exactly one role. */
#include "tests/unit/hosttree.h"

static void every_thread_of_a_real_host_has_one_role(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(snapshots) / sizeof(snapshots[0]); i++) {
		struct host_report r;
		struct mapping m;

		lay(snapshots[i]);
		identify(&m, &r, NULL);
		assert_int_equal(r.vms.n, 4);
		assert_int_equal(r.unnamed, 0);
		assert_int_equal(r.notes.n, 0);
		assert_false(r.incomplete);
		assert_int_equal(r.threads, m.n);
		for (size_t v = 0; v < r.vms.n; v++) {
			check_vm(&m, &r.vms.at[v]);
			assert_int_equal(r.vms.at[v].vcpus, 2);
		}
		host_report_fini(&r);
		mapping_fini(&m);
	}
}

static void without_names_the_groups_identify_the_vcpus(void **state)
{
	struct host_report r;
	struct mapping m;

	(void)state;
	lay("kvm-libvirt");
	take_names(false);
	identify(&m, &r, NULL);
	assert_string_equal(role_of(&m, 1783), "vcpu0");
	assert_string_equal(role_of(&m, 1784), "vcpu1");
	assert_string_equal(role_of(&m, 1968), "vcpu0");
	assert_string_equal(role_of(&m, 1786), "emulator"); /* the worker, by its group */
	assert_int_equal(r.unnamed, 0);
	host_report_fini(&r);
	mapping_fini(&m);
}

static void without_names_and_groups_libvirt_identifies_the_vcpus(void **state)
{
	struct cdict_label label;
	struct host_report r;
	struct mapping m;

	(void)state;
	lay("kvm-libvirt");
	take_names(true);
	identify(&m, &r, NULL);
	assert_string_equal(role_of(&m, 1783), "thread");
	assert_string_equal(role_of(&m, 1775), "emulator");
	assert_true(r.unnamed > 0 && r.notes.n > 0);
	assert_non_null(strstr(r.notes.at[0], "debug-threads"));
	host_report_fini(&r);
	mapping_fini(&m);

	identify(&m, &r, data("libvirt"));
	assert_string_equal(role_of(&m, 1783), "vcpu0");
	assert_string_equal(role_of(&m, 1784), "vcpu1");
	assert_string_equal(role_of(&m, 1782), "emulator");
	assert_int_equal(r.unnamed, 0);
	assert_true(mapping_find(&m, 1783, 0, &label));
	assert_string_equal(label.name, "db-primary-0");
	assert_string_equal(label.project, "demo");
	assert_string_equal(label.instance, "instance-0000001b");
	assert_string_equal(label.uuid, "6f1c2b9e-3d47-4b0a-9c55-0a4f1e7d2c01");
	assert_int_equal(label.origin, CDICT_LABEL_LIBVIRT);
	host_report_fini(&r);
	mapping_fini(&m);
}

/* The same domains, started again: names are right, the vCPUs are not. */
static void the_state_of_an_earlier_run_gives_names_but_no_roles(void **state)
{
	static const char xml[] =
		"<domstatus pid='99'><vcpus><vcpu id='0' pid='1786'/></vcpus><domain>"
		"<name>instance-0000001b</name><uuid>6f1c2b9e-3d47-4b0a-9c55-0a4f1e7d2c01</uuid>"
		"<title>old</title></domain></domstatus>";
	struct cdict_label label;
	struct host_report r;
	struct mapping m;

	(void)state;
	lay("kvm-libvirt");
	proctree_root = other;
	proctree_put(xml, strlen(xml), EOF, "a.xml");
	proctree_put("<domain>", 8, EOF, "broken.xml");
	identify(&m, &r, other);
	assert_string_equal(role_of(&m, 1786), "worker");
	assert_string_equal(role_of(&m, 1783), "vcpu0");
	assert_true(mapping_find(&m, 1786, 0, &label));
	assert_string_equal(label.name, "old");
	assert_true(r.incomplete); /* broken.xml */
	assert_int_equal(r.notes.n, 1);
	assert_non_null(strstr(r.notes.at[0], "broken.xml"));
	host_report_fini(&r);
	mapping_fini(&m);
	clear(other);
}

static void kernel_threads_find_their_vm_by_number_namespace_and_group(void **state)
{
#define GROUP(n) "0::/machine.slice/machine-qemu\\x2d" n ".scope"
#define PUT(text, ...) proctree_put(text, strlen(text), '\n', __VA_ARGS__)
	static const char *const names[] = { "a", "b" };
	struct host_report r;
	struct cdict_label l;
	struct mapping m;
	char text[256];

	(void)state;
	clear(tree);
	proctree_root = tree;
	for (int i = 0; i < 2; i++) {
		int pid = 1000 * (i + 1);

		snprintf(text, sizeof(text), "/usr/bin/qemu-system-x86_64|-name|%s", names[i]);
		for (char *p = text; (p = strchr(p, '|'));)
			*p = 0;
		proctree_put(text, 34 + 1, 0, "%d/cmdline", pid);
		PUT("qemu-system-x86", "%d/comm", pid);
		PUT("vhost-1", "%d/task/%d/comm", pid, pid + 1); /* since Linux 6.4 */
		snprintf(text, sizeof(text), GROUP("1\\x2d%s") "/libvirt/emulator", names[i]);
		PUT(text, "%d/cgroup", pid);
		/* both are number 7 or 8 in their own containers */
		snprintf(text, sizeof(text), "Name:\tx\nNSpid:\t%d\t%d", pid, 7 + i);
		PUT(text, "%d/status", pid);
	}
#define KERNEL(tid, name)                                                                          \
	PUT(#tid " (" name ") S 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 50 0", #tid "/stat")
	KERNEL(3001, "vhost-2001");      /* a thread of b, not its process */
	KERNEL(3002, "kvm-pit/7");       /* a, in its own namespace */
	KERNEL(3003, "kvm-pit/8");       /* b */
	KERNEL(3004, "kvm-pit/9");       /* of no VM */
	KERNEL(3005, "kvm-nx-lpage-re"); /* cut: by its group */
	KERNEL(3006, "kvm-nx-lpage-recovery-1000");
	KERNEL(3007, "vhost-1234"); /* some other hypervisor's */
	PUT(GROUP("1\\x2db"), "3005/cgroup");
	/* a program with such a name is not a kernel thread */
	PUT("3008 (vhost-1000) S 1 0 0 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 50 0", "3008/stat");

	identify(&m, &r, NULL);
	assert_int_equal(r.vms.n, 2);
	static const struct {
		int tid;
		const char *instance, *role;
	} want[] = { { 1001, "a", "vhost" },   { 2001, "b", "vhost" },   { 3001, "b", "vhost" },
		     { 3002, "a", "kvm-pit" }, { 3003, "b", "kvm-pit" }, { 3005, "b", "kvm-nx" },
		     { 3006, "a", "kvm-nx" } };
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		if (!mapping_find(&m, want[i].tid, 0, &l))
			fail_msg("%d has no label", want[i].tid);
		assert_string_equal(l.instance, want[i].instance);
		assert_string_equal(l.role, want[i].role);
	}
	assert_string_equal(role_of(&m, 3004), "none");
	assert_string_equal(role_of(&m, 3007), "none");
	assert_string_equal(role_of(&m, 3008), "none");
	assert_true(mapping_find(&m, 3001, 0, &l));
	assert_int_equal(l.start_ns, UINT64_C(50) * 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
	assert_int_equal(r.notes.n, 1);
	assert_non_null(strstr(r.notes.at[0], "2 kernel threads"));
	host_report_fini(&r);
	mapping_fini(&m);
}

static void vms_without_a_name_stay_apart(void **state)
{
	struct cdict_label l;
	struct host_report r;
	struct mapping m;

	(void)state;
	clear(tree);
	proctree_root = tree;
	proctree_put("qemu-system-x86_64", 18, 0, "70/cmdline");
	proctree_put("qemu-system-x86_64", 18, 0, "80/cmdline");
	identify(&m, &r, NULL);
	assert_int_equal(r.vms.n, 2);
	assert_true(mapping_find(&m, 70, 0, &l));
	assert_string_equal(l.name, "qemu-70");
	assert_true(mapping_find(&m, 80, 0, &l));
	assert_string_equal(l.name, "qemu-80");
	host_report_fini(&r);
	mapping_fini(&m);
}

static void a_proc_that_is_not_there_is_an_error(void **state)
{
	struct host_options opts = { .proc_root = "/nonexistent/proc" };
	struct cdict_error err = { 0 };
	struct mapping m = { 0 };
	struct host_report r;

	(void)state;
	assert_int_equal(host_identify(&m, &opts, &r, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/proc"));
	assert_int_equal(m.n, 0);
	host_report_fini(&r);
	mapping_fini(&m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_thread_of_a_real_host_has_one_role),
		cmocka_unit_test(without_names_the_groups_identify_the_vcpus),
		cmocka_unit_test(without_names_and_groups_libvirt_identifies_the_vcpus),
		cmocka_unit_test(the_state_of_an_earlier_run_gives_names_but_no_roles),
		cmocka_unit_test(kernel_threads_find_their_vm_by_number_namespace_and_group),
		cmocka_unit_test(vms_without_a_name_stay_apart),
		cmocka_unit_test(a_proc_that_is_not_there_is_an_error),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
