/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads of /proc. */
#include "capture/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMM_SIZE 16 /* TASK_COMM_LEN */

/* "7 (comm) S 1 ...": a comm may hold parentheses and line ends, nothing after it may. */
static bool read_stat(int dir, const char *name, char comm[COMM_SIZE], int32_t *ppid)
{
	char path[NAME_MAX + 8], text[512], *open, *close_;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/stat", name);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	open = memchr(text, '(', (size_t)n);
	close_ = memrchr(text, ')', (size_t)n);
	if (!open || !close_ || close_ < open || text + n - close_ < 5)
		return false;
	*close_ = '\0';
	snprintf(comm, COMM_SIZE, "%s", open + 1);
	*ppid = (int32_t)strtol(close_ + 4, NULL, 10);
	return true;
}

static bool is_number(const char *s)
{
	return *s >= '1' && *s <= '9' && !s[strspn(s, "0123456789")] && strlen(s) < 10;
}

static void add(struct rows *rows, int32_t pid, int32_t tid, int32_t parent, const char *comm)
{
	struct cdict_task_event birth = {
		.what = CDICT_TASK_FORK, .pid = pid, .tid = tid, .ppid = parent, .ptid = parent
	};
	struct cdict_task_event name = {
		.what = CDICT_TASK_COMM, .pid = pid, .tid = tid, .comm = comm
	};

	rows_add_task(rows, &birth);
	rows_add_task(rows, &name);
}

static void process(int proc, const char *name, struct rows *rows)
{
	int32_t pid = (int32_t)strtol(name, NULL, 10);
	char path[NAME_MAX + 8], comm[COMM_SIZE];
	struct dirent *d;
	DIR *tasks;
	int fd;

	snprintf(path, sizeof(path), "%s/task", name);
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	tasks = fd < 0 ? NULL : fdopendir(fd);
	if (!tasks) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((d = readdir(tasks))) {
		int32_t tid, ppid;

		if (!is_number(d->d_name) || !read_stat(fd, d->d_name, comm, &ppid))
			continue;
		tid = (int32_t)strtol(d->d_name, NULL, 10);
		add(rows, pid, tid, tid == pid ? ppid : pid, comm);
	}
	closedir(tasks);
}

void proc_tasks(const char *proc, struct rows *rows)
{
	DIR *dir = opendir(proc);
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (is_number(d->d_name))
			process(dirfd(dir), d->d_name, rows);
	if (dir)
		closedir(dir);
}
