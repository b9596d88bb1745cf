/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc trees mutilated, or changed while we look: every thread of QEMU has exactly one role. */
#include <pthread.h>
#include <stdatomic.h>

#include "tests/unit/hosttree.h"
#include "tests/unit/mutilate.h"

static void of_any_mutilated_tree_every_thread_has_one_role(void **state)
{
	unsigned rounds = getenv("ROUNDS") ? (unsigned)atoi(getenv("ROUNDS")) : 150;

	(void)state;
	for (unsigned i = 0; i < rounds; i++) {
		struct host_report r;
		struct mapping m;
		unsigned n;

		seed = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
		if (i % 25 == 0) { /* wounds add up in between */
			lay(snapshots[dice(2)]);
			drop_others();
		}
		list_files();
		for (n = 1 + dice(12); n && n_paths; n--)
			mutate(paths[dice((unsigned)n_paths)]);
		identify(&m, &r, dice(2) ? data("libvirt") : NULL);
		for (size_t v = 0; v < r.vms.n; v++)
			check_vm(&m, &r.vms.at[v]);
		host_report_fini(&r);
		mapping_fini(&m);
	}
	list_files();
	while (n_paths)
		free(paths[--n_paths]);
}

/* Threads come and go while we look. */
static atomic_bool stop;

static void *worker(void *arg)
{
	char dir[128], path[160];
	unsigned tid = 5000;

	(void)arg;
	while (!stop) {
		FILE *f;

		snprintf(dir, sizeof(dir), "%s/1775/task/%u", tree, 5000 + tid++ % 40);
		snprintf(path, sizeof(path), "%s/comm", dir);
		if (!mkdir(dir, 0755) && (f = fopen(path, "w"))) {
			fputs("worker\n", f);
			fclose(f);
		} else {
			unlink(path);
			rmdir(dir);
		}
	}
	return NULL;
}

static void threads_may_come_and_go_during_the_scan(void **state)
{
	pthread_t t;

	(void)state;
	lay("kvm-libvirt");
	stop = false;
	assert_int_equal(pthread_create(&t, NULL, worker, NULL), 0);
	for (int i = 0; i < 200; i++) {
		struct host_report r;
		struct mapping m;

		identify(&m, &r, NULL);
		assert_int_equal(r.vms.n, 4);
		assert_string_equal(role_of(&m, 1783), "vcpu0");
		assert_string_equal(role_of(&m, 1786), "worker");
		host_report_fini(&r);
		mapping_fini(&m);
	}
	stop = true;
	pthread_join(t, NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_any_mutilated_tree_every_thread_has_one_role),
		cmocka_unit_test(threads_may_come_and_go_during_the_scan),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
