/* SPDX-License-Identifier: GPL-2.0-only */
/* Real hosts' /proc trees, whole and mutilated: every thread of QEMU has exactly one role. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "annotate/host.h"
#include "proctree.h"

static char top[] = "/tmp/test_host.XXXXXX";
static char tree[64], other[64];

static const char *const snapshots[] = { "kvm-libvirt", "kvm-small" };

static int enter(void **state)
{
	(void)state;
	if (!mkdtemp(top))
		return 1;
	snprintf(tree, sizeof(tree), "%s/proc", top);
	snprintf(other, sizeof(other), "%s/state", top);
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	remove(path);
	return 0;
}

static void clear(const char *dir)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int leave(void **state)
{
	(void)state;
	clear(top);
	return 0;
}

static const char *data(const char *name)
{
	static char path[4096];
	const char *dir = getenv("DATA");

	snprintf(path, sizeof(path), "%s/identity/%s", dir ? dir : "tests/data", name);
	return path;
}

static void lay(const char *name)
{
	char file[64];

	snprintf(file, sizeof(file), "%s.proc.txt", name);
	clear(tree);
	proctree_lay(data(file), tree);
}

/* --- what must hold --- */

static bool known_role(const char *role)
{
	static const char *const words[] = { "vcpus",  "worker",   "vhost", "kvm-pit",
					     "kvm-nx", "emulator", "thread" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(role, words[i]))
			return true;
	}
	if (!strncmp(role, "iothread-", 9))
		return role[9] != 0;
	if (!strncmp(role, "iothread", 8))
		role += 8;
	else if (!strncmp(role, "vcpu", 4))
		role += 4;
	else
		return false;
	return *role && !role[strspn(role, "0123456789")];
}

static bool single(const char *role)
{
	return (!strncmp(role, "vcpu", 4) && strcmp(role, "vcpus")) ||
	       (!strncmp(role, "iothread", 8) && role[8] != '-');
}

static const struct cdict_label *only_label(const struct mapping *m, int tid)
{
	const struct cdict_label *found = NULL;

	for (size_t i = 0; i < m->n; i++) {
		if (m->labels[i].tid != tid || m->labels[i].origin != CDICT_LABEL_PROC)
			continue;
		if (found)
			fail_msg("tid %d has two labels", tid);
		found = &m->labels[i];
	}
	return found;
}

static int numeric(const char *name)
{
	return *name >= '1' && *name <= '9' && strlen(name) < 9 &&
	       !name[strspn(name, "0123456789")];
}

/* Every folder task/TID of @vm has one label with one role, and nobody else's says it were
 * of this process. */
static void check_vm(const struct mapping *m, const struct host_vm *vm)
{
	size_t seen = 0, labels = 0;
	struct dirent *e;
	char path[128];
	DIR *d;

	snprintf(path, sizeof(path), "%s/%d/task", tree, vm->pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		struct stat st;

		if (!numeric(e->d_name) || fstatat(dirfd(d), e->d_name, &st, 0) ||
		    !S_ISDIR(st.st_mode))
			continue;
		if (!only_label(m, atoi(e->d_name)))
			fail_msg("thread %s of %d has no label", e->d_name, vm->pid);
		seen += atoi(e->d_name) != vm->pid;
	}
	if (d)
		closedir(d);
	assert_non_null(only_label(m, vm->pid));
	assert_string_equal(only_label(m, vm->pid)->role, "emulator");
	for (size_t i = 0; i < m->n; i++)
		labels += m->labels[i].pid == vm->pid && m->labels[i].origin == CDICT_LABEL_PROC;
	if (labels != seen + 1)
		fail_msg("%zu labels for the %zu threads of %d", labels, seen + 1, vm->pid);
}

static void check_roles(const struct mapping *m)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct cdict_label *a = &m->labels[i];

		if (a->origin != CDICT_LABEL_PROC)
			continue;
		if (!known_role(a->role))
			fail_msg("tid %d has the role '%s'", a->tid, a->role);
		for (size_t j = 0; j < i && single(a->role); j++) {
			const struct cdict_label *b = &m->labels[j];

			if (b->origin == a->origin && b->pid == a->pid && !strcmp(a->role, b->role))
				fail_msg("%d and %d are both %s of %d", b->tid, a->tid, a->role,
					 a->pid);
		}
	}
}

static void identify(struct mapping *m, struct host_report *r, const char *libvirt_state)
{
	struct host_options opts = { .proc_root = tree, .libvirt_state = libvirt_state };
	struct cdict_error err = { 0 };

	memset(m, 0, sizeof(*m));
	if (host_identify(m, &opts, r, &err))
		fail_msg("%s", err.text);
	check_roles(m);
}

static const char *role_of(const struct mapping *m, int tid)
{
	static struct cdict_label label;

	return mapping_find(m, tid, 0, &label) ? label.role : "nobody";
}

/* --- whole trees --- */

static void every_thread_of_a_real_host_has_one_role(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(snapshots) / sizeof(snapshots[0]); i++) {
		struct host_report r;
		struct mapping m;

		lay(snapshots[i]);
		identify(&m, &r, NULL);
		assert_int_equal(r.n_vms, 4);
		assert_int_equal(r.unnamed, 0);
		assert_int_equal(r.n_notes, 0);
		assert_false(r.incomplete);
		assert_int_equal(r.threads, m.n);
		for (size_t v = 0; v < r.n_vms; v++) {
			check_vm(&m, &r.vms[v]);
			assert_int_equal(r.vms[v].vcpus, 2);
		}
		host_report_fini(&r);
		mapping_fini(&m);
	}
}

/* As QEMU without debug-threads=on: all threads have the first one's name. */
static void take_names(bool groups_too)
{
	static const int pids[] = { 1775, 1841, 1895, 1959 };
	char path[256];

	proctree_root = tree;
	for (size_t i = 0; i < sizeof(pids) / sizeof(pids[0]); i++) {
		struct dirent *e;
		DIR *d;

		snprintf(path, sizeof(path), "%s/%d/task", tree, pids[i]);
		d = opendir(path);
		assert_non_null(d);
		while ((e = readdir(d))) {
			if (!numeric(e->d_name))
				continue;
			proctree_put("qemu-system-x86", 15, '\n', "%d/task/%s/comm", pids[i],
				     e->d_name);
			if (groups_too)
				proctree_put("0::/", 4, '\n', "%d/task/%s/cgroup", pids[i],
					     e->d_name);
		}
		closedir(d);
		proctree_put("qemu-system-x86_64\0-name\0x", 26, 0, "%d/cmdline", pids[i]);
	}
}

static void without_names_the_groups_tell_the_vcpus(void **state)
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

static void without_names_and_groups_libvirt_tells_the_vcpus(void **state)
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
	assert_true(r.unnamed > 0 && r.n_notes > 0);
	assert_non_null(strstr(r.notes[0], "debug-threads"));
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

/* The same domains, started again: names are right, what is said of vCPUs is not. */
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
	assert_int_equal(r.n_notes, 1);
	assert_non_null(strstr(r.notes[0], "broken.xml"));
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
		/* both are number 7 or 8 in containers of their own */
		snprintf(text, sizeof(text), "Name:\tx\nNSpid:\t%d\t%d", pid, 7 + i);
		PUT(text, "%d/status", pid);
	}
#define KERNEL(tid, name)                                                                          \
	PUT(#tid " (" name ") S 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 50 0", #tid "/stat")
	KERNEL(3001, "vhost-2001");      /* a thread of b, not its process */
	KERNEL(3002, "kvm-pit/7");       /* a, in its own namespace */
	KERNEL(3003, "kvm-pit/8");       /* b */
	KERNEL(3004, "kvm-pit/9");       /* nobody */
	KERNEL(3005, "kvm-nx-lpage-re"); /* cut: by its group */
	KERNEL(3006, "kvm-nx-lpage-recovery-1000");
	KERNEL(3007, "vhost-1234"); /* some other hypervisor's */
	PUT(GROUP("1\\x2db"), "3005/cgroup");
	/* a program that calls itself so is none of the kernel's */
	PUT("3008 (vhost-1000) S 1 0 0 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 50 0", "3008/stat");

	identify(&m, &r, NULL);
	assert_int_equal(r.n_vms, 2);
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
	assert_string_equal(role_of(&m, 3004), "nobody");
	assert_string_equal(role_of(&m, 3007), "nobody");
	assert_string_equal(role_of(&m, 3008), "nobody");
	assert_true(mapping_find(&m, 3001, 0, &l));
	assert_int_equal(l.start_ns, UINT64_C(50) * 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
	assert_int_equal(r.n_notes, 1);
	assert_non_null(strstr(r.notes[0], "2 kernel threads"));
	host_report_fini(&r);
	mapping_fini(&m);
}

static void vms_that_nobody_named_stay_apart(void **state)
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
	assert_int_equal(r.n_vms, 2);
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

/* --- mutilated trees --- */

static uint64_t seed;

static unsigned dice(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed >> 20) % n;
}

static char *paths[8192];
static size_t n_paths;

static int list_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	if (flag != FTW_D && ftw->level > 0 && n_paths < sizeof(paths) / sizeof(paths[0]))
		paths[n_paths++] = strdup(path);
	return 0;
}

/* Systemd, kworkers and the like are of no interest here, and make every round longer. */
static void drop_others(void)
{
	struct dirent *e;
	char path[512];
	DIR *d = opendir(tree);

	assert_non_null(d);
	while ((e = readdir(d))) {
		if (!numeric(e->d_name) || atoi(e->d_name) >= 990)
			continue;
		snprintf(path, sizeof(path), "%s/%s", tree, e->d_name);
		clear(path);
	}
	closedir(d);
}

static void list_files(void)
{
	while (n_paths)
		free(paths[--n_paths]);
	nftw(tree, list_one, 16, FTW_PHYS);
}

static void overwrite(const char *path)
{
	static const char *const texts[] = {
		"CPU 0/KVM\n",
		"CPU 1/KVM\n",
		"worker\n",
		"qemu-system-x86\n",
		"vhost-1775\n",
		"\n",
		"kvm-pit/1775\n",
		") (\n",
		"IO iothread1\n",
		"IO \n",
		"0::/x/libvirt/vcpu0\n",
		"17 (a) b) S 2 0 0 0 -1 0\n",
		"0::/libvirt/iothread1\n1::\n",
		"(",
		"1 () R",
		"/usr/bin/qemu-system-x86_64",
		"vcpu0",
		"kvm-nx-lpage-re\n",
	};
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC, 0644);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w"); /* a FIFO without a reader cannot be opened */

	if (!f)
		return;
	if (dice(3) == 0 && strstr(path, "/comm")) {
		fprintf(f, "CPU %u/KVM\n", dice(3));
	} else if (dice(2)) {
		fputs(texts[dice(sizeof(texts) / sizeof(texts[0]))], f);
	} else {
		for (unsigned i = dice(300); i; i--)
			putc((int)dice(256), f);
	}
	fclose(f);
}

static void mutate(const char *path)
{
	char dir[4096], *slash;

	snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	*slash = 0;
	switch (strcmp(dir, tree) ? dice(14) : 13) { /* the tree itself stays */
	case 0:
		unlink(path);
		break;
	case 1:
		clear(dir);
		break;
	case 2:
		unlink(path);
		mkfifo(path, 0644); /* fails when its folder went before */
		break;
	case 3:
		unlink(path);
		if (symlink(path, path))
			return;
		break;
	case 4:
		unlink(path);
		mkdir(path, 0755);
		break;
	case 5: /* a folder becomes a file */
		clear(dir);
		close(open(dir, O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
		break;
	case 6: /* names that are no task's */
		strcpy(slash, dice(2) ? "/017" : "/99999999999");
		mkdir(dir, 0755);
		break;
	default:
		overwrite(path);
	}
}

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
		for (size_t v = 0; v < r.n_vms; v++)
			check_vm(&m, &r.vms[v]);
		host_report_fini(&r);
		mapping_fini(&m);
	}
	list_files();
	while (n_paths)
		free(paths[--n_paths]);
}

/* Threads come and go while we look. */
static volatile bool stop;

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

static void threads_may_come_and_go_meanwhile(void **state)
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
		assert_int_equal(r.n_vms, 4);
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
		cmocka_unit_test(every_thread_of_a_real_host_has_one_role),
		cmocka_unit_test(without_names_the_groups_tell_the_vcpus),
		cmocka_unit_test(without_names_and_groups_libvirt_tells_the_vcpus),
		cmocka_unit_test(the_state_of_an_earlier_run_gives_names_but_no_roles),
		cmocka_unit_test(kernel_threads_find_their_vm_by_number_namespace_and_group),
		cmocka_unit_test(vms_that_nobody_named_stay_apart),
		cmocka_unit_test(a_proc_that_is_not_there_is_an_error),
		cmocka_unit_test(of_any_mutilated_tree_every_thread_has_one_role),
		cmocka_unit_test(threads_may_come_and_go_meanwhile),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
