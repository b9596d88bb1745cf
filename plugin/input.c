/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the recording. */
#include "plugin/input.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"

#define HEADER_SIZE 16 /* of a pipe: perf has read it when a filter starts */

/* Whether this process (perf) has the file open. */
static bool is_open(const char *path)
{
	struct stat want, st;
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;
	bool found = false;
	char *data = NULL;

	/* For a directory, perf opens a file in it. */
	if (!stat(path, &want) && S_ISDIR(want.st_mode)) {
		if (asprintf(&data, "%s/data", path) < 0)
			data = NULL;
		path = data;
	}
	if (dir && path && !stat(path, &want))
		while (!found && (e = readdir(dir)))
			found = *e->d_name != '.' && !fstat(atoi(e->d_name), &st) &&
				st.st_dev == want.st_dev && st.st_ino == want.st_ino;
	if (dir)
		closedir(dir);
	free(data);
	return found;
}

static int open_file(struct input *in, const char *path, struct cdict_error *err)
{
	struct cdict_error why = { 0 };
	int ret;

	snprintf(in->from, sizeof(in->from), "%s", path);
	if (!is_open(path))
		return cdict_fail(
			err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			"perf has not opened %s: name the recording with perf script -i FILE",
			path);
	ret = perfdata_open(&in->pd, path, &why);
	return ret ? cdict_fail(err, ret, why.offset, "%s: %.200s", path, why.text) : 0;
}

/* Standard input: reopens a file, copies a pipe. */
static int open_stdin(struct input *in, struct cdict_error *err)
{
	struct stat st;

	snprintf(in->from, sizeof(in->from), "the recording");
	if (!fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode) &&
	    lseek(STDIN_FILENO, 0, SEEK_CUR) == HEADER_SIZE)
		in->fd = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
	return in->fd < 0 ? tee_open(&in->tee, STDIN_FILENO, &in->fd, err) : 0;
}

int input_open(struct input *in, const struct perf_args *perf, struct cdict_error *err)
{
	const char *path = perf->input ? perf->input : "perf.data";
	struct stat st;

	*in = (struct input){ .fd = -1 };
	if (!strcmp(path, "-") ||
	    (!perf->input && !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode)))
		return open_stdin(in, err);
	return open_file(in, path, err);
}

bool input_may_have_chains(const struct input *in)
{
	if (!in->pd || perfdata_pipe_mode(in->pd))
		return true;
	for (size_t i = 0; i < perfdata_event_count(in->pd); i++)
		if (perfdata_event_at(in->pd, i)->layout.sample_type & PERF_SAMPLE_CALLCHAIN)
			return true;
	return false;
}

void input_close_copy(struct input *in)
{
	perfdata_close(in->pd);
	in->pd = NULL;
	if (in->fd >= 0)
		close(in->fd);
	in->fd = -1;
}

bool input_close(struct input *in)
{
	struct tee *tee = in->tee;

	input_close_copy(in);
	in->tee = NULL;
	return tee_close(tee);
}
