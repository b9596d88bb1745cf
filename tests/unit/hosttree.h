/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hosttree.h - a real host's /proc tree in a folder of our own, and invariants of the roles of
 * its threads.  enter() makes the folder and leave() removes it: they are the group's setup and
 * teardown.  A mapping and a report that identify() filled are the caller's to free.
 */
#ifndef TESTS_UNIT_HOSTTREE_H
#define TESTS_UNIT_HOSTTREE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>

#include "annotate/host/host.h"
#include "tests/unit/proctree.h"

static char top[] = "/tmp/test_host.XXXXXX";
static char tree[64], other[64];

static const char *const snapshots[] = { "kvm-libvirt", "kvm-small" };

static inline int enter(void **state)
{
	(void)state;
	if (!mkdtemp(top))
		return 1;
	snprintf(tree, sizeof(tree), "%s/proc", top);
	snprintf(other, sizeof(other), "%s/state", top);
	return 0;
}

static inline int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	remove(path);
	return 0;
}

static inline void clear(const char *dir)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline int leave(void **state)
{
	(void)state;
	clear(top);
	return 0;
}

static inline const char *data(const char *name)
{
	static char path[4096];
	const char *dir = getenv("DATA");

	snprintf(path, sizeof(path), "%s/identity/%s", dir ? dir : "tests/data", name);
	return path;
}

static inline void lay(const char *name)
{
	char file[64];

	snprintf(file, sizeof(file), "%s.proc.txt", name);
	clear(tree);
	proctree_lay(data(file), tree);
}

static inline int numeric(const char *name)
{
	return *name >= '1' && *name <= '9' && strlen(name) < 9 &&
	       !name[strspn(name, "0123456789")];
}

/* As with QEMU without debug-threads=on: all threads have the name of the first one. */
static inline void take_names(bool groups_too)
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

/* --- invariants --- */

static inline bool known_role(const char *role)
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

static inline bool single(const char *role)
{
	return (!strncmp(role, "vcpu", 4) && strcmp(role, "vcpus")) ||
	       (!strncmp(role, "iothread", 8) && role[8] != '-');
}

static inline const struct cdict_label *only_label(const struct mapping *m, int tid)
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

/* Every folder task/TID of @vm has one label with one role, and no other label says that it is
 * of this process. */
static inline void check_vm(const struct mapping *m, const struct host_vm *vm)
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

static inline void check_roles(const struct mapping *m)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct cdict_label *a = &m->labels[i];

		if (a->origin != CDICT_LABEL_PROC)
			continue;
		/* a task of a unit or container that is no VM's has neither name nor role */
		if (!*a->role && !*a->name && *a->unit)
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

static inline void identify(struct mapping *m, struct host_report *r, const char *libvirt_state)
{
	struct host_options opts = { .proc_root = tree, .libvirt_state = libvirt_state };
	struct cdict_error err = { 0 };

	memset(m, 0, sizeof(*m));
	if (host_identify(m, &opts, r, &err))
		fail_msg("%s", err.text);
	check_roles(m);
}

static inline const char *role_of(const struct mapping *m, int tid)
{
	static struct cdict_label label;

	return mapping_find(m, tid, 0, &label) ? label.role : "none";
}

#endif
