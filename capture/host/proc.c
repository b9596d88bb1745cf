/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the threads in /proc. */
#include "capture/host/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/system/procfs.h"

#define COMM_MAX 15 /* TASK_COMM_LEN - 1: for workers, /proc shows a longer name than events do */
#define STAT_MAX 4096

static void add_row(struct rows *rows, int32_t pid, int32_t tid, int32_t parent, const char *comm)
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

static void process(int proc, const char *name, struct buf *text, struct rows *rows)
{
	int32_t pid = procfs_number(name);
	char path[NAME_MAX + 8];
	struct procfs_stat st;
	struct dirent *d;
	DIR *tasks;
	int fd;

	snprintf(path, sizeof(path), "%s/task", name);
	fd = pid ? openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	tasks = fd < 0 ? NULL : fdopendir(fd);
	if (!tasks) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((d = readdir(tasks))) {
		int32_t tid = procfs_number(d->d_name);

		snprintf(path, sizeof(path), "%s/stat", d->d_name);
		if (!tid || procfs_read(fd, path, text, STAT_MAX) ||
		    !procfs_parse_stat(&st, (char *)text->data, text->len))
			continue;
		st.comm[COMM_MAX] = '\0';
		add_row(rows, pid, tid, tid == pid ? st.ppid : pid, st.comm);
	}
	closedir(tasks);
}

void proc_tasks(const char *proc, struct rows *rows)
{
	DIR *dir = opendir(proc);
	struct buf text = { 0 };
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		process(dirfd(dir), d->d_name, &text, rows);
	if (dir)
		closedir(dir);
	buf_fini(&text);
}
