/* SPDX-License-Identifier: GPL-2.0-only */
/* See cgroups.h. */
#include "capture/record/cgroups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <mntent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fail.h"
#include "capture/host/rings.h"
#include "convert/perfdata/cgroups.h"

#define DEPTH_MAX 64 /* nested control groups */
#define PATH_ROOM 4096

struct record_cgroups {
	pthread_mutex_t lock;
	struct perfdata_cgroups groups;
	bool failed; /* out of memory */
};

static bool kernel_has_it(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_CGROUP,
		.disabled = 1,
		.cgroup = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	/* Without permission the recording itself fails, with the reason. */
	return fd >= 0 || (errno != EINVAL && errno != E2BIG);
}

/* Where cgroup2 is mounted; false: nowhere. */
static bool find_mount(char dir[PATH_ROOM])
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent *m;
	bool found = false;

	while (f && !found && (m = getmntent(f))) {
		found = !strcmp(m->mnt_type, "cgroup2") && strlen(m->mnt_dir) < PATH_ROOM;
		if (found)
			strcpy(dir, m->mnt_dir);
	}
	if (f)
		endmntent(f);
	return found;
}

/* The id of a group is the inode number of its folder. */
static void walk(struct record_cgroups *c, int fd, char path[PATH_ROOM], size_t len, int depth)
{
	DIR *d = fdopendir(fd);
	struct dirent *e;
	struct stat st;

	if (!d) {
		close(fd);
		return;
	}
	if (!fstat(fd, &st))
		c->failed |= perfdata_cgroups_path(&c->groups, st.st_ino, len ? path : "/",
						   len ? len : 1) != 0;
	while (depth < DEPTH_MAX && (e = readdir(d))) {
		size_t n = strlen(e->d_name);
		int sub;

		if (e->d_type != DT_DIR || e->d_name[0] == '.' || len + n + 2 > PATH_ROOM)
			continue;
		sub = openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (sub < 0)
			continue;
		path[len] = '/';
		memcpy(path + len + 1, e->d_name, n + 1);
		walk(c, sub, path, len + 1 + n, depth + 1);
	}
	closedir(d);
}

int record_cgroups_new(struct record_cgroups **out, struct cdict_error *err)
{
	char mount[PATH_ROOM], path[PATH_ROOM] = "";
	struct record_cgroups *c;
	int fd;

	*out = NULL;
	if (!kernel_has_it())
		return cdict_fail(err, -ENOTSUP, CDICT_NO_OFFSET,
				  "this kernel does not record control groups (Linux 5.7 does)");
	if (!find_mount(mount))
		return cdict_fail(
			err, -ENOTSUP, CDICT_NO_OFFSET,
			"no cgroup2 file system is mounted: control groups have no names");
	fd = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return cdict_fail_errno(err, mount);
	c = calloc(1, sizeof(*c));
	if (!c) {
		close(fd);
		return cdict_fail_nomem(err);
	}
	pthread_mutex_init(&c->lock, NULL);
	walk(c, fd, path, 0, 0);
	*out = c;
	return 0;
}

void record_cgroups_free(struct record_cgroups *c)
{
	if (!c)
		return;
	perfdata_cgroups_fini(&c->groups);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

void record_cgroups_sample(struct record_cgroups *c, const void *record, size_t size, uint8_t pid)
{
	/* The field is the last one. */
	const struct perfdata_sample_layout layout = { .sample_type = PERF_SAMPLE_CGROUP,
						       .tid = pid };

	pthread_mutex_lock(&c->lock);
	c->failed |= perfdata_cgroups_sample(&c->groups, &layout, record, (uint32_t)size,
					     NATIVE_BIG) != 0;
	pthread_mutex_unlock(&c->lock);
}

void record_cgroups_record(struct record_cgroups *c, const void *record, size_t size)
{
	struct perfdata_record rec = { .data = record, .size = (uint32_t)size };

	pthread_mutex_lock(&c->lock);
	c->failed |= perfdata_cgroups_record(&c->groups, &rec, NATIVE_BIG) != 0;
	pthread_mutex_unlock(&c->lock);
}

int record_cgroups_each(struct record_cgroups *c,
			int (*fn)(void *ctx, int32_t pid, int32_t tid, const char *path), void *ctx)
{
	int ret;

	pthread_mutex_lock(&c->lock);
	ret = c->failed ? -ENOMEM : 0;
	for (size_t i = 0; i < c->groups.tasks.n && !ret; i++) {
		const struct perfdata_cgroups_task *t = &c->groups.tasks.at[i];
		const char *path = perfdata_cgroups_of(&c->groups, t->id);

		if (path)
			ret = fn(ctx, t->pid, t->tid, path);
	}
	pthread_mutex_unlock(&c->lock);
	return ret;
}
