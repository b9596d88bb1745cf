/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns processes, users and cgroups into lists of threads. */
#include "capture/record/targets.h"

#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/system/procfs.h"
#include "capture/record/group.h"

/* Adds the threads of @pid; returns 0 if it is gone. */
static int add_threads(struct targets *w, int32_t pid)
{
	char path[64];
	struct dirent *d;
	int32_t tid;
	int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (d = readdir(dir)) && n >= 0) {
		tid = procfs_number(d->d_name);
		if (tid)
			n = array_push(&w->tids, tid) ? -ENOMEM : n + 1;
	}
	if (dir)
		closedir(dir);
	return n;
}

int targets_pid(struct targets *w, int32_t pid, struct cdict_error *err)
{
	int n = add_threads(w, pid);

	if (n < 0)
		return cdict_fail_nomem(err);
	return n ? 0 : cdict_fail(err, -ESRCH, CDICT_NO_OFFSET, "option --pid: no process %d", pid);
}

int targets_tid(struct targets *w, int32_t tid, struct cdict_error *err)
{
	char path[64];

	/* /proc does not list it, but has it */
	snprintf(path, sizeof(path), "/proc/%d", tid);
	if (access(path, F_OK))
		return cdict_fail(err, -ESRCH, CDICT_NO_OFFSET, "option --tid: no thread %d exists",
				  tid);
	return array_push(&w->tids, tid) ? cdict_fail_nomem(err) : 0;
}

/* Looks up a name in /etc/passwd: the static program has no NSS. */
static bool user_number(const char *name, uid_t *uid)
{
	FILE *f = fopen("/etc/passwd", "re");
	struct passwd *pw = NULL;
	unsigned long v;
	char *end;

	while (f && (pw = fgetpwent(f)) && strcmp(pw->pw_name, name))
		;
	if (pw)
		*uid = pw->pw_uid;
	if (f)
		fclose(f);
	if (pw)
		return true;
	v = strtoul(name, &end, 10);
	*uid = (uid_t)v;
	return *name >= '0' && *name <= '9' && !*end && v < UINT32_MAX;
}

int targets_user(struct targets *w, const char *user, struct cdict_error *err)
{
	size_t before = w->tids.n;
	struct dirent *d;
	uid_t uid;
	int32_t pid;
	DIR *proc;
	int ret = 0;

	if (!user_number(user, &uid))
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "option --uid: unknown user '%s'", user);
	proc = opendir("/proc");
	while (proc && ret >= 0 && (d = readdir(proc))) {
		struct stat st;

		pid = procfs_number(d->d_name);
		if (pid && !fstatat(dirfd(proc), d->d_name, &st, 0) && st.st_uid == uid)
			ret = add_threads(w, pid);
	}
	if (proc)
		closedir(proc);
	if (ret < 0)
		return cdict_fail_nomem(err);
	return w->tids.n > before ? 0
				  : cdict_fail(err, -ESRCH, CDICT_NO_OFFSET,
					       "option --uid: user %s has no processes", user);
}

/* Finds the cgroup mount: v2, else v1's perf_event, which perf uses. */
static bool cgroup_root(char *out, size_t size)
{
	FILE *f = fopen("/proc/mounts", "re");
	char line[4096], at[2048], fs[64], options[1024];
	bool found = false, v1 = false;

	while (f && fgets(line, sizeof(line), f) && !found) {
		if (sscanf(line, "%*s %2047s %63s %1023s", at, fs, options) != 3)
			continue;
		found = !strcmp(fs, "cgroup2");
		if (found || (!strcmp(fs, "cgroup") && strstr(options, "perf_event"))) {
			v1 |= !found;
			snprintf(out, size, "%s", at);
		}
	}
	if (f)
		fclose(f);
	return found || v1;
}

static int add_listed(struct targets *w, const char *folder, const char *file)
{
	char path[4200];
	int pid, n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	f = fopen(path, "re");
	while (f && n >= 0 && fscanf(f, "%d", &pid) == 1)
		n = pid > 0 ? add_threads(w, pid) : 0;
	if (f)
		fclose(f);
	return n;
}

int targets_cgroup(struct targets *w, const char *name, struct cdict_error *err)
{
	char root[2048] = "", path[4096];
	char *paths[] = { path, NULL };
	size_t before = w->tids.n;
	FTSENT *entry;
	FTS *fts;
	int ret = 0;

	if (strncmp(name, "/sys/", 5) && !cgroup_root(root, sizeof(root)))
		return cdict_fail(err, -ENOENT, CDICT_NO_OFFSET, "no cgroups are mounted");
	snprintf(path, sizeof(path), "%s%s%s", root, *root && *name != '/' ? "/" : "", name);
	if (access(path, F_OK))
		return cdict_fail(err, -ENOENT, CDICT_NO_OFFSET, "cgroup %s does not exist", path);
	fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	while (fts && ret >= 0 && (entry = fts_read(fts))) {
		if (entry->fts_info == FTS_D)
			ret = add_listed(w, entry->fts_path, "cgroup.procs");
	}
	if (fts)
		fts_close(fts);
	if (ret < 0 || !fts)
		return cdict_fail_nomem(err);
	return w->tids.n > before
		       ? 0
		       : cdict_fail(err, -ESRCH, CDICT_NO_OFFSET, "cgroup %s has no tasks", path);
}

void targets_done(struct targets *w)
{
	size_t n = 0;

	if (w->tids.n)
		qsort(w->tids.at, w->tids.n, sizeof(*w->tids.at), group_by_tid);
	for (size_t i = 0; i < w->tids.n; i++) {
		if (!n || w->tids.at[n - 1] != w->tids.at[i])
			w->tids.at[n++] = w->tids.at[i];
	}
	w->tids.n = n;
}

void targets_fini(struct targets *w)
{
	array_fini(&w->tids);
}
