/* SPDX-License-Identifier: GPL-2.0-only */
/* Units, containers and pods from paths of control groups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "format/labels/cgroup_unit.h"

#define ID "3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a"
#define POD "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod"
#define UID "8f81e3a1_1111_4222_8333_00000000000a"

static void a_path_names_the_unit_container_or_pod(void **state)
{
	static const struct {
		const char *path;
		enum cgroup_kind kind;
		const char *text;
	} cases[] = {
		{ "/", CGROUP_NONE, "" },
		{ "", CGROUP_NONE, "" },
		{ "/../..", CGROUP_NONE, "" },
		{ "/system.slice/nginx.service", CGROUP_UNIT, "nginx.service" },
		{ "/../../system.slice/nginx.service", CGROUP_UNIT, "nginx.service" },
		{ "/system.slice/nginx.service/worker", CGROUP_UNIT, "nginx.service" },
		{ "/system.slice/a.slice/b.socket", CGROUP_UNIT, "b.socket" },
		{ "/background.slice", CGROUP_UNIT, "background.slice" },
		{ "/.service", CGROUP_PATH, "/.service" },
		/* logins */
		{ "/user.slice", CGROUP_NONE, "" },
		{ "/user.slice/user-0.slice/session-c1.scope", CGROUP_NONE, "" },
		{ "/user.slice/user-0.slice/user@0.service/init.scope", CGROUP_NONE, "" },
		{ "/user.slice/user-0.slice/user@0.service/app.slice/x.service", CGROUP_UNIT,
		  "x.service" },
		{ "/init.scope", CGROUP_UNIT, "init.scope" },
		/* containers: the systemd driver, cgroupfs, nested ones */
		{ "/system.slice/docker-" ID ".scope", CGROUP_CONTAINER, "docker 3f2a1b0c9d8e" },
		{ "/docker/" ID, CGROUP_CONTAINER, "docker 3f2a1b0c9d8e" },
		{ "/docker/" ID "/system.slice/inner.service", CGROUP_CONTAINER,
		  "docker 3f2a1b0c9d8e" },
		{ "/docker/" ID "/docker/" ID, CGROUP_CONTAINER, "docker 3f2a1b0c9d8e" },
		{ "/docker/3f2a1b0c9d8e", CGROUP_CONTAINER, "docker 3f2a1b0c9d8e" },
		{ "/docker/short", CGROUP_PATH, "/docker/short" },
		/* an id is of hexadecimal digits */
		{ "/docker/0123456789af", CGROUP_CONTAINER, "docker 0123456789af" },
		{ "/docker/0123456789ag", CGROUP_PATH, "/docker/0123456789ag" },
		{ "/docker/0123456789a`", CGROUP_PATH, "/docker/0123456789a`" },
		{ "/docker/0123456789a/", CGROUP_PATH, "/docker/0123456789a/" },
		{ "/docker/0123456789a:", CGROUP_PATH, "/docker/0123456789a:" },
		{ "/docker/0123456789AF", CGROUP_PATH, "/docker/0123456789AF" },
		{ "/system.slice/docker.service", CGROUP_UNIT, "docker.service" },
		{ "/libpod_parent/libpod-" ID, CGROUP_CONTAINER, "podman 3f2a1b0c9d8e" },
		{ "/machine.slice/crio-conmon-" ID ".scope", CGROUP_UNIT,
		  "crio-conmon-" ID ".scope" },
		{ "/default/" ID, CGROUP_CONTAINER, "container 3f2a1b0c9d8e" },
		{ "/lxc.payload.web", CGROUP_CONTAINER, "lxc web" },
		{ "/lxc/101/ns/init.scope", CGROUP_CONTAINER, "lxc 101" },
		/* pods */
		{ POD UID ".slice/cri-containerd-" ID ".scope", CGROUP_POD,
		  "pod 8f81e3a1-1111-4222-8333-00000000000a" },
		{ POD UID ".slice", CGROUP_POD, "pod 8f81e3a1-1111-4222-8333-00000000000a" },
		{ "/kubepods/podffffffffffffffffffffffffffffffff/" ID, CGROUP_POD,
		  "pod ffffffffffffffffffffffffffffffff" },
		{ "/kubepods.slice/kubepods-burstable.slice", CGROUP_UNIT,
		  "kubepods-burstable.slice" },
		{ "/kubepods/podium", CGROUP_PATH, "/kubepods/podium" },
		/* jobs */
		{ "/system.slice/slurmstepd.scope/job_7/step_0", CGROUP_JOB, "slurm job 7" },
		{ "/system.slice/slurmstepd.scope/job_12345678901234567890123456789012", CGROUP_JOB,
		  "slurm job 12345678901234567890123456789012" },
		{ "/system.slice/slurmstepd.scope/job_123456789012345678901234567890123",
		  CGROUP_JOB, "slurm job 12345678901234567890123456789012" },
		{ "/system.slice/slurmstepd.scope/job_7a", CGROUP_UNIT, "slurmstepd.scope" },
		{ "/system.slice/slurmstepd.scope/job_", CGROUP_UNIT, "slurmstepd.scope" },
		{ "/system.slice/other.scope/job_7/step_0", CGROUP_UNIT, "other.scope" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cgroup_unit u;

		cgroup_unit(&u, cases[i].path, strlen(cases[i].path));
		if (u.kind != cases[i].kind || strcmp(u.text, cases[i].text))
			fail_msg("%s: %d '%s'", cases[i].path, (int)u.kind, u.text);
	}
}

static void the_ids_of_container_and_pod_are_kept_for_lookups(void **state)
{
	struct cgroup_unit u;
	const char *path = POD UID ".slice/crio-" ID ".scope";

	(void)state;
	cgroup_unit(&u, path, strlen(path));
	assert_string_equal(u.id, ID);
	assert_string_equal(u.pod, "8f81e3a1-1111-4222-8333-00000000000a");
	assert_string_equal(u.engine, "cri-o");
}

/* The text ends where the buffer does, without a NUL after the path. */
static void any_bytes_are_parsed_within_their_length(void **state)
{
	static char path[5000];
	struct cgroup_unit u;

	(void)state;
	memset(path, 'a', sizeof(path));
	for (size_t i = 0; i < sizeof(path); i += 700)
		path[i] = '/';
	cgroup_unit(&u, path, sizeof(path));
	assert_int_equal(u.kind, CGROUP_PATH);
	assert_true(strlen(u.text) < sizeof(u.text));
	memcpy(path, "/docker/" ID, 72);
	for (size_t n = 0; n <= 72; n++) {
		cgroup_unit(&u, path, n);
		assert_int_equal(u.kind == CGROUP_CONTAINER, n >= 8 + 12);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_names_the_unit_container_or_pod),
		cmocka_unit_test(the_ids_of_container_and_pod_are_kept_for_lookups),
		cmocka_unit_test(any_bytes_are_parsed_within_their_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
