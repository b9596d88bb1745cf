/* SPDX-License-Identifier: GPL-2.0-only */
/* The walk over /proc. All files of a process are opened relative to its directory:
 * if the process ends and its pid is reused, those reads fail instead of
 * returning data of the new process. */
#include "annotate/host/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/system/procfs.h"
#include "base/fail.h"
#include "base/system/monotonic.h"

#define SMALL_MAX 65536                /* stat, status, cgroup */
#define PROBE_MAX 4096                 /* part of a command line that identifies the program */
#define CMDLINE_MAX ((size_t)16 << 20) /* the kernel's own limit is 6 MiB */

struct walker {
	struct proc_scan *scan;
	uint64_t deadline_ns;
	struct buf text, cmdline; /* buffers remember a failed allocation */
	bool no_memory;           /* for a thread or VM */
};

static bool failed(const struct walker *w)
{
	return w->no_memory || w->text.failed || w->cmdline.failed;
}

static int dir_at(int dir, const char *name)
{
	return openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOCTTY);
}

/* Reads stat and comm of the process or thread @dir: 0, or the error if neither could be read. */
static int read_stat(struct walker *w, int dir, struct procfs_stat *st)
{
	int rc;

	memset(st, 0, sizeof(*st));
	if (!procfs_read(dir, "stat", &w->text, SMALL_MAX) &&
	    procfs_parse_stat(st, (char *)w->text.data, w->text.len) && st->comm[0])
		return 0;
	rc = procfs_read(dir, "comm", &w->text, sizeof(st->comm) - 1);
	if (!rc)
		snprintf(st->comm, sizeof(st->comm), "%.*s",
			 (int)strcspn((char *)w->text.data, "\n"), (char *)w->text.data);
	return rc;
}

/* Leaves @place empty when it cannot be read. */
static void read_cgroup(struct walker *w, int dir, struct cgroup_place *place)
{
	memset(place, 0, sizeof(*place));
	if (!procfs_read(dir, "cgroup", &w->text, SMALL_MAX))
		cgroup_parse(place, (char *)w->text.data, w->text.len);
}

/* @t NULL: it could not be allocated. */
static void set_thread(struct walker *w, struct proc_thread *t, int32_t tid,
		       const struct procfs_stat *st, const struct cgroup_place *place)
{
	w->no_memory |= !t;
	if (!t)
		return;
	t->tid = tid;
	t->start_ns = st->start_ns;
	memcpy(t->comm, st->comm, sizeof(t->comm));
	memcpy(t->cgroup_role, place->role, sizeof(t->cgroup_role));
}

/* The thread may be gone. */
static void read_thread(struct walker *w, struct proc_vm *vm, int tasks, const char *name)
{
	struct cgroup_place place = { 0 };
	struct procfs_stat st = { 0 };
	int dir = dir_at(tasks, name), rc = -EACCES;
	struct stat there;

	if (dir < 0 && (errno == ENOENT || errno == ESRCH || errno == ENOTDIR))
		return;
	if (dir >= 0) {
		rc = read_stat(w, dir, &st);
		read_cgroup(w, dir, &place);
		close(dir);
	}
	if (rc && (fstatat(tasks, name, &there, 0) || !S_ISDIR(there.st_mode)))
		return; /* it ended meanwhile */
	w->scan->incomplete += rc != 0;
	set_thread(w, array_add(&vm->threads), procfs_number(name), &st, &place);
}

static bool time_is_up(struct walker *w)
{
	w->scan->cut |= monotonic_past(w->deadline_ns);
	return w->scan->cut;
}

static void read_tasks(struct walker *w, struct proc_vm *vm, int dir)
{
	int fd = dir_at(dir, "task");
	struct dirent *e;
	DIR *d;

	if (fd < 0)
		return;
	d = fdopendir(fd);
	if (!d) {
		close(fd);
		w->no_memory = true;
		return;
	}
	while (!failed(w) && (e = readdir(d)) && !time_is_up(w)) {
		int32_t tid = procfs_number(e->d_name);

		if (tid && tid != vm->pid) /* the main thread is in the list already */
			read_thread(w, vm, fd, e->d_name);
	}
	closedir(d);
}

static int by_tid(const void *a, const void *b)
{
	const struct proc_thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int by_pid(const void *a, const void *b)
{
	const struct proc_vm *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static int by_other_pid(const void *a, const void *b)
{
	const struct proc_other *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static void add_vm(struct walker *w, int dir, int32_t pid, const struct procfs_stat *st,
		   struct vmm_process *p, const struct vmm *vmm)
{
	struct cgroup_place place;
	struct proc_vm *vm = array_add(&w->scan->vms);

	w->no_memory |= !vm;
	if (!vm)
		return;
	vm->pid = pid;
	vm->ppid = st->ppid;
	vm->vmm = vmm;
	memcpy(vm->comm, st->comm, sizeof(vm->comm));
	if (!procfs_read(dir, "cmdline", &w->cmdline, CMDLINE_MAX)) {
		p->cmdline = (char *)w->cmdline.data;
		p->len = w->cmdline.len;
		vmm->parse(&vm->args, p);
	}
	if (!procfs_read(dir, "status", &w->text, SMALL_MAX))
		vm->inner_pid = procfs_inner_pid((char *)w->text.data, w->text.len);
	read_cgroup(w, dir, &place);
	memcpy(vm->base, place.base, sizeof(vm->base));
	/* libvirt's group of a domain tells no more than its name. */
	if (w->text.len && !place.instance[0])
		cgroup_path(vm->cgroup, (char *)w->text.data, w->text.len);
	/* For other VMMs than QEMU, libvirt's name is surer than that of a socket. */
	if (place.instance[0] && (!vm->args.instance[0] || vmm != &vmm_qemu))
		memcpy(vm->args.instance, place.instance, sizeof(place.instance));
	set_thread(w, array_add(&vm->threads), pid, st, &place);
	if (!st->comm[0])
		w->scan->incomplete++;
	read_tasks(w, vm, dir);
}

static void add_kernel(struct walker *w, int dir, int32_t pid, const struct procfs_stat *st)
{
	struct cgroup_place place;
	struct proc_kernel *k = array_add(&w->scan->kernel);

	read_cgroup(w, dir, &place);
	set_thread(w, k ? &k->thread : NULL, pid, st, &place);
	if (!k)
		return;
	memcpy(k->base, place.base, sizeof(k->base));
	k->thread.kernel = true;
	k->kind = proc_kernel_thread(st->comm, &k->owner);
}

static void add_other(struct walker *w, int dir, int32_t pid, const struct procfs_stat *st)
{
	char path[CGROUP_PATH_MAX];
	struct proc_other *other;

	if (procfs_read(dir, "cgroup", &w->text, SMALL_MAX))
		return;
	cgroup_path(path, (char *)w->text.data, w->text.len);
	other = path[0] ? array_add(&w->scan->others) : NULL;
	if (other)
		*other = (struct proc_other){ pid, st->start_ns,
					      stringset_add(&w->scan->texts, path, strlen(path)) };
	w->no_memory |= path[0] && (!other || !other->cgroup);
}

static void read_process(struct walker *w, int dir, int32_t pid)
{
	char exe[4096] = "";
	struct procfs_stat st;
	struct vmm_process p = { .exe = exe, .comm = st.comm };
	const struct vmm *vmm;
	int32_t owner;
	ssize_t n;
	int rc_stat = read_stat(w, dir, &st), rc;

	if (st.kernel_thread) {
		if (proc_kernel_thread(st.comm, &owner))
			add_kernel(w, dir, pid, &st);
		return;
	}
	rc = procfs_read(dir, "cmdline", &w->cmdline, PROBE_MAX);
	if (rc && rc_stat) {
		w->scan->unreadable += rc == -EACCES || rc == -EPERM;
		return;
	}
	n = readlinkat(dir, "exe", exe, sizeof(exe) - 1);
	exe[n > 0 ? n : 0] = 0;
	p.cmdline = w->cmdline.len ? (char *)w->cmdline.data : "";
	p.len = w->cmdline.len;
	vmm = vmm_of(&p);
	if (vmm)
		add_vm(w, dir, pid, &st, &p, vmm);
	/* A saved tree may lack the flags that identify a kernel thread. */
	else if (!w->cmdline.len && !st.ppid && proc_kernel_thread(st.comm, &owner))
		add_kernel(w, dir, pid, &st);
	/* A zombie runs no more; a kernel thread of a saved tree has no command line either. */
	else if (w->cmdline.len)
		add_other(w, dir, pid, &st);
}

static void walk(struct walker *w, DIR *d)
{
	struct dirent *e;

	while (!failed(w) && (e = readdir(d))) {
		int32_t pid = procfs_number(e->d_name);
		int dir;

		if (!pid)
			continue;
		if (time_is_up(w))
			break;
		dir = dir_at(dirfd(d), e->d_name);
		if (dir < 0) {
			w->scan->unreadable += errno == EACCES || errno == EPERM;
			continue;
		}
		read_process(w, dir, pid);
		close(dir);
	}
}

static void read_host(struct walker *w, int root)
{
	struct proc_scan *scan = w->scan;
	struct statfs fs;
	int rc;

	if (!procfs_read(root, "sys/kernel/hostname", &w->text, sizeof(scan->host) - 1))
		snprintf(scan->host, sizeof(scan->host), "%.*s",
			 (int)strcspn((char *)w->text.data, "\n"), (char *)w->text.data);
	scan->live = !fstatfs(root, &fs) && fs.f_type == PROC_SUPER_MAGIC;
	rc = procfs_read(root, "2/comm", &w->text, 64);
	/* The host's pid 2 is kthreadd; in another namespace it is any process. Where other
	 * users' processes are hidden (hidepid), its absence proves nothing. */
	scan->inner = scan->live &&
		      (rc ? !geteuid() : strcmp((char *)w->text.data, "kthreadd\n") != 0);
}

/* The index of the VM of which @vm is a device process: a fork with the same name; else its own. */
static size_t vm_of_fork(const struct proc_scan *scan, const struct proc_vm *vm)
{
	struct proc_vm key = { .pid = vm->ppid };
	const struct proc_vm *parent;

	/* A saved tree may have processes that are each other's parent: look up two steps. */
	for (int step = 0; step < 2 && vm->vmm->forks && key.pid && key.pid != vm->pid; step++) {
		parent = bsearch(&key, scan->vms.at, scan->vms.n, sizeof(key), by_pid);
		if (!parent || parent->vmm != vm->vmm ||
		    strcmp(parent->args.instance, vm->args.instance))
			break;
		vm = parent;
		key.pid = vm->ppid;
	}
	return (size_t)(vm - scan->vms.at);
}

/* Moves the threads of device processes to their VM. */
static bool join_forks(struct proc_scan *scan)
{
	size_t kept = 0;

	for (size_t i = 0; i < scan->vms.n; i++) {
		struct proc_vm *vm = &scan->vms.at[i];
		size_t into = vm_of_fork(scan, vm);

		for (size_t t = 0; into != i && t < vm->threads.n; t++) {
			vm->threads.at[t].pid = vm->pid;
			if (array_push(&scan->vms.at[into].threads, vm->threads.at[t]))
				return false;
		}
		if (into != i)
			vm->threads.n = 0;
	}
	for (size_t i = 0; i < scan->vms.n; i++) {
		struct proc_vm vm = scan->vms.at[i];

		if (vm.threads.n) {
			scan->vms.at[i] = scan->vms.at[kept];
			scan->vms.at[kept++] = vm;
		}
	}
	for (size_t i = kept; i < scan->vms.n; i++)
		array_fini(&scan->vms.at[i].threads);
	scan->vms.n = kept;
	return true;
}

int proc_scan(struct proc_scan *out, const char *root, uint64_t deadline_ns,
	      struct cdict_error *err)
{
	struct walker w = { .scan = out, .deadline_ns = deadline_ns };
	DIR *d = opendir(root ? root : "/proc");

	memset(out, 0, sizeof(*out));
	if (!d)
		return cdict_fail_errno(err, root ? root : "/proc");
	read_host(&w, dirfd(d));
	walk(&w, d);
	closedir(d);
	w.no_memory = failed(&w);
	buf_fini(&w.text);
	buf_fini(&w.cmdline);
	if (out->vms.n)
		qsort(out->vms.at, out->vms.n, sizeof(*out->vms.at), by_pid);
	if (out->others.n)
		qsort(out->others.at, out->others.n, sizeof(*out->others.at), by_other_pid);
	w.no_memory |= !join_forks(out);
	if (w.no_memory) {
		proc_scan_fini(out);
		return cdict_fail_nomem(err);
	}
	for (size_t i = 0; i < out->vms.n; i++)
		qsort(out->vms.at[i].threads.at, out->vms.at[i].threads.n,
		      sizeof(*out->vms.at[i].threads.at), by_tid);
	return 0;
}

void proc_scan_fini(struct proc_scan *scan)
{
	for (size_t i = 0; i < scan->vms.n; i++)
		array_fini(&scan->vms.at[i].threads);
	array_fini(&scan->vms);
	array_fini(&scan->others);
	stringset_fini(&scan->texts);
	array_fini(&scan->kernel);
	memset(scan, 0, sizeof(*scan));
}
