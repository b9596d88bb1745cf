/* SPDX-License-Identifier: GPL-2.0-only */
/* Which process is QEMU, the contents of its command line, and the role of each thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate/host/cgroup.h"
#include "annotate/host/proc.h"
#include "base/system/procfs.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

/* A command line as in /proc: '|' stands for NUL. */
static size_t cmdline(char *out, const char *text)
{
	size_t n = 0;

	for (; text[n]; n++)
		out[n] = text[n] == '|' ? 0 : text[n];
	if (n)
		out[n++] = 0;
	return n;
}

static void only_qemu_is_qemu(void **state)
{
	static const struct {
		const char *exe, *comm, *args;
		bool is;
	} cases[] = {
		{ "/usr/bin/qemu-system-x86_64", "qemu-system-x86",
		  "/usr/bin/qemu-system-x86_64|-S", 1 },
		{ "", "qemu-system-x86", "/usr/bin/qemu-system-x86_64|-name|a", 1 },
		{ "", "qemu-system-aar", "qemu-system-aarch64", 1 },
		{ "/usr/libexec/qemu-kvm", "qemu-kvm", "/usr/libexec/qemu-kvm|-S", 1 },
		{ "/usr/bin/qemu-system-x86_64 (deleted)", "my-vm", "my-vm|-S", 1 },
		{ "", "my-vm", "/usr/bin/qemu-system-x86_64|-name|a,process=my-vm", 1 },
		{ "", "qemu-system-x86", "renamed|-name|a", 1 }, /* exec -a */
		{ "", "qemu-system-x86", "", 1 },                /* a zombie */
		{ "", ".qemu-system-x8", "/nix/.qemu-system-x86_64-wrapped|-S", 1 },
		{ "", "kvm", "/usr/bin/kvm|-id|100|-name|web,debug-threads=on", 1 },
		{ "", "kvm", "kvm", 0 },
		{ "/bin/dash", "qemu-system-x86", "/bin/sh|/usr/bin/qemu-system-x86_64|-S", 0 },
		{ "", "qemu-kvm", "/bin/sh|/usr/bin/qemu-kvm|-S", 0 }, /* a script */
		{ "", "qemu-kvm", "/bin/sh|-e|/usr/bin/qemu-kvm|-S", 0 },
		{ "", "sh", "sh|-c|qemu-system-x86_64 -S", 0 },
		{ "", "vim", "vim|/usr/bin/qemu-system-x86_64", 0 },
		{ "", "tail", "tail|-f|/var/log/qemu-system-x86_64.log", 0 },
		{ "", "sudo", "sudo|qemu-system-x86_64|-name|a", 0 },
		{ "", "qemu-nbd", "qemu-nbd|-c", 0 },
		{ "", "qemu-img", "qemu-img|convert", 0 },
		{ "", "qemu-system-", "qemu-system-|-S", 0 },
		{ "", "qemu-ga", "/usr/bin/qemu-ga", 0 },
		{ "", "qemu-x86_64", "qemu-x86_64|./program", 0 },
		{ "", "my-qemu-system-", "/opt/my-qemu-system-x86_64", 0 },
		{ "", "x", "/opt/qemu-system-x86_64/run", 0 },
		{ "", "", "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		char args[256];
		size_t n = cmdline(args, cases[i].args);

		if (vmm_is(&vmm_qemu, &(struct vmm_process){ cases[i].exe, cases[i].comm, args,
							     n }) != cases[i].is)
			fail_msg("%s / %s / %s", cases[i].exe, cases[i].comm, cases[i].args);
	}
}

#define UUID "8f81e3a1-0000-4000-8000-00000000000a"
#define OTHER "11111111-2222-3333-4444-555555555555"

static void name_and_uuid_come_from_the_options_as_qemu_reads_them(void **state)
{
	static const struct {
		const char *args, *instance, *uuid;
		bool debug;
	} cases[] = {
		{ "q|-name|guest=instance-1,debug-threads=on|-uuid|" UUID, "instance-1", UUID, 1 },
		{ "q|-name|instance-1|-uuid|" UUID, "instance-1", UUID, 0 },
		{ "q|--name|a b|--uuid|" UUID, "a b", UUID, 0 },
		{ "q|-name|debug-threads=on,guest=x", "x", "", 1 },
		{ "q|-name|guest=a,,b,process=p", "a,b", "", 0 },
		{ "q|-name|a,,,debug-threads=on", "a,", "", 1 },
		{ "q|-name|guest=x=y", "x=y", "", 0 },
		{ "q|-name|guest=\"quoted\"", "\"quoted\"", "", 0 },
		{ "q|-name|guest=", "", "", 0 },
		{ "q|-name|", "", "", 0 },
		{ "q|-name", "", "", 0 },
		{ "q|-name|a|-name|b", "b", "", 0 },
		{ "q|-name|a|-name|debug-threads=on", "a", "", 1 },
		{ "q|-uuid|8F81E3A1-0000-4000-8000-00000000000A", "", UUID, 0 },
		{ "q|-uuid|nonsense", "", "", 0 },
		{ "q|-smbios|type=1,manufacturer=O,uuid=" UUID, "", UUID, 0 },
		{ "q|-smbios|type=1,uuid=" OTHER "|-uuid|" UUID, "", UUID, 0 },
		{ "q|-uuid|" UUID "|-smbios|type=1,uuid=" OTHER, "", UUID, 0 },
		/* values that look like options */
		{ "q|-append|-name|-S|-name|real", "real", "", 0 },
		{ "q|-append|-uuid|-name|real|-uuid|" UUID, "real", UUID, 0 },
		{ "q|-S|-no-user-config|-nodefaults|-enable-kvm|-name|real", "real", "", 0 },
		{ "q|disk.img|-name|real", "real", "", 0 },
		{ "-name|fake", "", "", 0 }, /* argv[0] */
		{ "q|-", "", "", 0 },
		{ "q|--|-name|x", "x", "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct vmm_args a = { 0 };
		char args[256];

		vmm_qemu.parse(&a,
			       &(struct vmm_process){ "", "", args, cmdline(args, cases[i].args) });
		if (strcmp(a.instance, cases[i].instance) || strcmp(a.uuid, cases[i].uuid) ||
		    a.debug_threads != cases[i].debug)
			fail_msg("%s: '%s' '%s' %d", cases[i].args, a.instance, a.uuid,
				 a.debug_threads);
	}
}

static void a_very_long_name_is_cut_not_overrun(void **state)
{
	static char args[8192];
	struct vmm_args a = { 0 };
	size_t n = cmdline(args, "q|-name|guest=");

	(void)state;
	n--; /* its NUL */
	memset(args + n, 'x', 5000);
	vmm_qemu.parse(&a, &(struct vmm_process){ "", "", args,
						  n + 5000 }); /* the last NUL is missing too */
	assert_int_equal(strlen(a.instance), VMM_NAME_MAX - 1);
}

static void stat_is_read_from_its_last_parenthesis(void **state)
{
	static const struct {
		const char *text, *comm;
		int ppid;
		bool kernel;
		uint64_t ticks;
	} cases[] = {
#define REST(flags, start) " S 2 1 1 0 -1 " flags " 1 2 3 4 5 6 7 8 20 0 1 0 " start " 99 98 97\n"
		{ "17 (CPU 0/KVM)" REST("4194304", "79032"), "CPU 0/KVM", 2, 0, 79032 },
		{ "17 (a) b (c)" REST("2129984", "5"), "a) b (c", 2, 1, 5 },
		{ "17 ())) R 1 2)" REST("0", "7"), "))) R 1 2", 2, 0, 7 },
		{ "17 (x\ny)" REST("0", "18446744073709551615"), "x\ny", 2, 0, 0 },
		{ "17 (x)", "x", 0, 0, 0 },
		{ "17 (x) S 2", "x", 2, 0, 0 },
		{ "17 (vhost-1775) S 2 0 0 0 -1 2129984 0", "vhost-1775", 2, 1, 0 },
	};
	long hz = sysconf(_SC_CLK_TCK);
	struct procfs_stat st;

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		uint64_t want = cases[i].ticks * (UINT64_C(1000000000) / (uint64_t)hz);

		if (!procfs_parse_stat(&st, cases[i].text, strlen(cases[i].text)))
			fail_msg("not read: %s", cases[i].text);
		assert_string_equal(st.comm, cases[i].comm);
		assert_int_equal(st.ppid, cases[i].ppid);
		assert_int_equal(st.kernel_thread, cases[i].kernel);
		if (st.start_ns != want)
			fail_msg("%s: started at %llu", cases[i].text,
				 (unsigned long long)st.start_ns);
	}
	assert_false(procfs_parse_stat(&st, "", 0));
	assert_false(procfs_parse_stat(&st, "17", 2));
	assert_false(procfs_parse_stat(&st, ")(", 2));
}

static void the_innermost_pid_is_the_last_of_NSpid(void **state)
{
	static const char text[] =
		"Name:\tqemu\nNStgid:\t1775\t12\nNSpid:\t1775\t40\t12\nVmPeak:\t1";

	(void)state;
	assert_int_equal(procfs_inner_pid(text, strlen(text)), 12);
	assert_int_equal(procfs_inner_pid("x\nNSpid:\t7", 10), 7);
	assert_int_equal(procfs_inner_pid("x\nNSpid:\n", 9), 0);
	assert_int_equal(procfs_inner_pid("", 0), 0);
}

static void a_name_is_a_number_only_in_the_kernels_own_form(void **state)
{
	(void)state;
	assert_int_equal(procfs_number("17"), 17);
	assert_int_equal(procfs_number("2147483647"), 2147483647);
	assert_int_equal(procfs_number("2147483648"), 0);
	assert_int_equal(procfs_number("99999999999999999999999"), 0);
	assert_int_equal(procfs_number("017"), 0);
	assert_int_equal(procfs_number("0"), 0);
	assert_int_equal(procfs_number(""), 0);
	assert_int_equal(procfs_number("-1"), 0);
	assert_int_equal(procfs_number("1x"), 0);
	assert_int_equal(procfs_number("self"), 0);
}

static void control_groups_give_role_and_domain(void **state)
{
#define SCOPE "/machine.slice/machine-qemu\\x2d12\\x2dinstance\\x2d0000001b.scope"
	static const struct {
		const char *text, *role, *base, *instance;
	} cases[] = {
		{ "0::" SCOPE "/libvirt/vcpu3\n", "vcpu3", SCOPE, "instance-0000001b" },
		{ "0::" SCOPE "/libvirt/iothread1\n", "iothread1", SCOPE, "instance-0000001b" },
		{ "0::" SCOPE "/libvirt/emulator\n", "emulator", SCOPE, "instance-0000001b" },
		{ "0::" SCOPE "\n", "", SCOPE, "instance-0000001b" },
		{ "0::" SCOPE, "", SCOPE, "instance-0000001b" },
		/* v1: each controller has a line, of which one has the role */
		{ "9:memory:" SCOPE "\n5:cpuset:" SCOPE "/vcpu0\n1:name=systemd:" SCOPE "\n0::/\n",
		  "vcpu0", SCOPE, "instance-0000001b" },
		{ "3:cpu,cpuacct:/machine/qemu-7-web.libvirt-qemu/vcpu1\n", "vcpu1",
		  "/machine/qemu-7-web.libvirt-qemu", "web" },
		{ "3:cpuset:/machine/web.libvirt-qemu/emulator\n", "emulator",
		  "/machine/web.libvirt-qemu", "web" },
		{ "0::/kubepods.slice/crio-1.scope/vcpu0\n", "vcpu0",
		  "/kubepods.slice/crio-1.scope", "" },
		{ "0::/system.slice/vcpu.service\n", "", "/system.slice/vcpu.service", "" },
		{ "0::/a/vcpu\n", "", "/a/vcpu", "" },
		{ "0::/a/vcpu1x\n", "", "/a/vcpu1x", "" },
		{ "0::/a/vcpu1234567\n", "", "/a/vcpu1234567", "" },
		{ "0::/a/vcpu0/deeper\n", "", "/a/vcpu0/deeper", "" },
		{ "0::/\n", "", "", "" },
		{ "", "", "", "" },
		{ "nonsense\n::\n0\n", "", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct cgroup_place p;

		cgroup_parse(&p, cases[i].text, strlen(cases[i].text));
		if (strcmp(p.role, cases[i].role) || strcmp(p.base, cases[i].base) ||
		    strcmp(p.instance, cases[i].instance))
			fail_msg("%s: role '%s' base '%s' instance '%s'", cases[i].text, p.role,
				 p.base, p.instance);
	}
}

static void comms_give_roles(void **state)
{
	static const struct {
		const char *comm, *role;
		bool named;
	} cases[] = {
		{ "CPU 0/KVM", "vcpu0", 1 },
		{ "CPU 1000/KVM", "vcpu1000", 1 },
		{ "CPU 3/TCG", "vcpu3", 1 },
		{ "ALL CPUs/TCG", "vcpus", 1 },
		{ "IO mon_iothread", "emulator", 1 },
		{ "IO iothread12", "iothread12", 1 },
		{ "IO fast", "iothread-fast", 1 },
		{ "worker", "worker", 1 },
		{ "iou-wrk-1775", "worker", 0 },
		{ "vhost-1775", "vhost", 0 },
		{ "kvm-pit/1775", "kvm-pit", 0 },
		{ "kvm-nx-lpage-re", "kvm-nx", 0 },
		{ "kvm-nx-lpage-recovery-1775", "kvm-nx", 0 },
		{ "qemu-system-x86", "", 0 },
		{ "CPU x/KVM", "", 0 },
		{ "CPU 1", "", 0 },
		{ "CPU 12345678/K", "", 0 },
		{ "vhost-", "", 0 },
		{ "vhost-x", "", 0 },
		{ "workers", "", 0 },
		{ "IO ", "", 0 },
		{ "call_rcu", "", 0 },
		{ "", "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		char role[PROC_ROLE_MAX];
		bool named = false;

		proc_role_of_comm(&vmm_qemu, role, cases[i].comm, &named);
		if (strcmp(role, cases[i].role) || named != cases[i].named)
			fail_msg("%s: '%s' %d", cases[i].comm, role, named);
	}
}

/* A VM from "TID COMM CGROUP-ROLE" triples; the first is the process. */
struct row {
	int tid;
	const char *comm, *group, *want;
};

static void check_vm(const struct row *rows, size_t n, const struct proc_vcpu *vcpus, size_t nv,
		     bool only_vcpus, bool debug)
{
	struct proc_vm vm = { .vmm = &vmm_qemu, .pid = rows[0].tid, .args.debug_threads = debug };

	snprintf(vm.comm, sizeof(vm.comm), "%s", rows[0].comm);
	for (size_t i = 0; i < n; i++) {
		struct proc_thread *t = array_add(&vm.threads);

		t->tid = rows[i].tid;
		snprintf(t->comm, sizeof(t->comm), "%s", rows[i].comm);
		snprintf(t->cgroup_role, sizeof(t->cgroup_role), "%s", rows[i].group);
	}
	assert_int_equal(proc_vm_roles(&vm, vcpus, nv, only_vcpus), 0);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(vm.threads.at[i].role, rows[i].want))
			fail_msg("tid %d (%s) is %s, not %s", rows[i].tid, rows[i].comm,
				 vm.threads.at[i].role, rows[i].want);
	}
	array_fini(&vm.threads);
}

#define Q "qemu-system-x86"

static void threads_without_names_take_their_role_from_the_group(void **state)
{
	static const struct row rows[] = {
		{ 10, Q, "emulator", "emulator" },   { 11, Q, "emulator", "emulator" },
		{ 12, Q, "vcpu0", "vcpu0" },         { 13, Q, "vcpu1", "vcpu1" },
		{ 14, Q, "iothread1", "iothread1" },
	};

	(void)state;
	check_vm(rows, N(rows), NULL, 0, false, false);
}

static void threads_without_names_take_their_role_from_libvirt(void **state)
{
	static const struct proc_vcpu vcpus[] = { { 0, 13 }, { 1, 12 } };
	static const struct row rows[] = {
		{ 10, Q, "", "emulator" },
		{ 11, Q, "", "emulator" },
		{ 12, Q, "", "vcpu1" },
		{ 13, Q, "", "vcpu0" },
	};
	static const struct row with_iothreads[] = {
		{ 10, Q, "", "emulator" },
		{ 11, Q, "", "thread" },
		{ 12, Q, "", "vcpu1" },
		{ 13, Q, "", "vcpu0" },
	};

	(void)state;
	check_vm(rows, N(rows), vcpus, 2, true, false);
	check_vm(with_iothreads, N(with_iothreads), vcpus, 2, false, false);
}

static void unidentified_threads_are_threads(void **state)
{
	static const struct row rows[] = {
		{ 10, Q, "", "emulator" },
		{ 11, Q, "", "thread" },
		{ 12, "gmain", "", "emulator" },
		{ 13, "vhost-10", "", "vhost" },
	};

	(void)state;
	check_vm(rows, N(rows), NULL, 0, false, false);
}

static void with_debug_threads_a_thread_without_a_name_is_the_emulator(void **state)
{
	static const struct row rows[] = {
		{ 10, Q, "", "emulator" },        { 11, Q, "", "emulator" },
		{ 12, "CPU 0/KVM", "", "vcpu0" }, { 13, "SPICE Worker", "", "emulator" },
		{ 14, "", "", "thread" }, /* could not be read */
	};

	(void)state;
	check_vm(rows, N(rows), NULL, 0, false, true);
	check_vm(rows, N(rows), NULL, 0, false, false); /* seen from the names */
}

static void a_thread_started_in_a_vcpus_group_is_not_that_vcpu(void **state)
{
	static const struct row rows[] = {
		{ 10, Q, "emulator", "emulator" },
		{ 8, "kvm-nx-lpage-re", "vcpu0", "kvm-nx" },
		{ 9, Q, "vcpu0", "emulator" },
		{ 11, "worker", "iothread1", "worker" },
		{ 12, "CPU 0/KVM", "vcpu0", "vcpu0" },
		{ 13, "IO iothread1", "iothread1", "iothread1" },
		{ 14, "vhost-10", "vcpu0", "vhost" },
		{ 15, "CPU 1/KVM", "emulator", "vcpu1" }, /* not yet moved */
		{ 16, "iou-wrk-13", "iothread1", "worker" },
	};

	(void)state;
	check_vm(rows, N(rows), NULL, 0, false, true);
}

static void of_two_claims_the_surer_wins_and_only_one_has_the_role(void **state)
{
	static const struct proc_vcpu vcpus[] = { { 0, 13 } };
	static const struct row by_age[] = {
		{ 10, Q, "emulator", "emulator" },
		{ 12, Q, "vcpu0", "vcpu0" },
		{ 13, Q, "vcpu0", "thread" },
	};
	static const struct row by_state[] = {
		{ 10, Q, "emulator", "emulator" },
		{ 12, Q, "vcpu0", "emulator" },
		{ 13, Q, "", "vcpu0" },
	};
	static const struct row main_thread[] = {
		{ 10, "CPU 0/KVM", "vcpu0", "emulator" },
		{ 13, "CPU 0/KVM", "", "vcpu0" },
	};

	(void)state;
	check_vm(by_age, N(by_age), NULL, 0, false, false);
	check_vm(by_state, N(by_state), vcpus, 1, true, false);
	check_vm(main_thread, N(main_thread), NULL, 0, false, false);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_qemu_is_qemu),
		cmocka_unit_test(name_and_uuid_come_from_the_options_as_qemu_reads_them),
		cmocka_unit_test(a_very_long_name_is_cut_not_overrun),
		cmocka_unit_test(stat_is_read_from_its_last_parenthesis),
		cmocka_unit_test(the_innermost_pid_is_the_last_of_NSpid),
		cmocka_unit_test(a_name_is_a_number_only_in_the_kernels_own_form),
		cmocka_unit_test(control_groups_give_role_and_domain),
		cmocka_unit_test(comms_give_roles),
		cmocka_unit_test(threads_without_names_take_their_role_from_the_group),
		cmocka_unit_test(threads_without_names_take_their_role_from_libvirt),
		cmocka_unit_test(unidentified_threads_are_threads),
		cmocka_unit_test(with_debug_threads_a_thread_without_a_name_is_the_emulator),
		cmocka_unit_test(a_thread_started_in_a_vcpus_group_is_not_that_vcpu),
		cmocka_unit_test(of_two_claims_the_surer_wins_and_only_one_has_the_role),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
