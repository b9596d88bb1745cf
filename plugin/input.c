/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the recording, or tracefs. */
#include "plugin/input.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "capture/tracefs.h"

#define HEADER_SIZE 16 /* of a pipe: what perf has read when a filter starts */

/* Whether this process, which is perf, has the file open. */
static bool is_open(const char *path)
{
	struct stat want, st;
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;
	bool found = false;
	char *data = NULL;

	/* Of a directory perf has the file in it. */
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
	if (!is_open(path)) {
		snprintf(in->why_not, sizeof(in->why_not), "perf does not have %s open", path);
		return 0;
	}
	if (along_open(&in->along, path, err)) {
		snprintf(in->why_not, sizeof(in->why_not), "%s: %.200s", path, err->text);
		return 0;
	}
	in->path = strdup(path);
	if (!in->path)
		return cdict_fail_nomem(err);
	snprintf(in->from, sizeof(in->from), "%s", path);
	return 0;
}

/* Standard input: a file can be opened once more, of a pipe a copy is made. */
static int open_stdin(struct input *in, struct cdict_error *err)
{
	struct stat st;
	int fd = -1, ret = 0;

	if (!fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode) &&
	    lseek(STDIN_FILENO, 0, SEEK_CUR) == HEADER_SIZE)
		fd = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		ret = tee_open(&in->tee, STDIN_FILENO, &fd, err);
	if (!ret)
		ret = along_open_fd(&in->along, fd, err);
	if (ret)
		snprintf(in->why_not, sizeof(in->why_not), "%.280s", err->text);
	else
		snprintf(in->from, sizeof(in->from), "the recording");
	/* A tee that runs already goes on for perf. */
	return in->tee ? ret : 0;
}

int input_open(struct input *in, const struct perf_args *perf, bool tracefs,
	       struct cdict_error *err)
{
	const char *path = perf->input ? perf->input : "perf.data";
	struct stat st;
	int ret = 0;

	*in = (struct input){ 0 };
	if (tracefs)
		goto running_kernel;
	if (!strcmp(path, "-") ||
	    (!perf->input && !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode)))
		ret = open_stdin(in, err);
	else
		ret = open_file(in, path, err);
	if (ret || in->along)
		return ret;
running_kernel:
	ret = tracefs_find(in->tracefs, sizeof(in->tracefs), err);
	snprintf(in->from, sizeof(in->from), "the running kernel's tracefs at %s", in->tracefs);
	return ret;
}

static int add_recorded(struct input *in, struct formats *types, struct cdict_error *err)
{
	const struct perfdata_event *ev;
	int ret = 0;

	while (!ret && (ev = along_event(in->along, types->events.n)))
		ret = formats_add_event(types, ev, along_tracing(in->along), err);
	return ret;
}

/* The format of event "system:name" of number @id in the running kernel; 1 when it has none, which
 * *@why says. */
static int running_format(struct input *in, const char *name, uint64_t id, char *why,
			  size_t why_size, struct cdict_error *err)
{
	struct perfdata_format format = { 0 };
	const char *colon = strchr(name, ':');
	struct cdict_error no = { 0 };
	uint32_t running = 0;
	char *system, *text;
	int ret = 1;

	if (!colon) {
		snprintf(why, why_size, "%s: the running kernel has no event of this name", name);
		return 1;
	}
	system = strndup(name, (size_t)(colon - name));
	if (!system)
		return cdict_fail_nomem(err);
	if (tracefs_format(in->tracefs, system, colon + 1, &text, &format.len, &running, &no) < 0) {
		snprintf(why, why_size, "%s: %.200s", name, no.text);
		text = NULL;
	} else if (running != id) {
		snprintf(why, why_size,
			 "%s has another number than in the running kernel: the recording was made "
			 "by another one",
			 name);
	} else {
		format.system = system;
		format.text = text;
		ret = array_push(&in->formats, format);
		if (!ret)
			return 0;
		cdict_fail_nomem(err);
	}
	free(system);
	free(text);
	return ret;
}

/* Of its layout only what the choice of a type needs; the name is behind it. */
static struct perfdata_event *event_of(const char *name, const struct perf_event_attr *attr)
{
	struct perfdata_event *ev = calloc(1, sizeof(*ev) + strlen(name) + 1);

	if (!ev)
		return NULL;
	ev->name = strcpy((char *)(ev + 1), name);
	ev->attr_type = attr->type;
	ev->config = attr->config;
	ev->layout.has_raw = attr->sample_type & PERF_SAMPLE_RAW;
	ev->layout.time = attr->sample_type & PERF_SAMPLE_TIME ? 0 : -1;
	ev->layout.tid = attr->sample_type & PERF_SAMPLE_TID ? 0 : -1;
	return ev;
}

static int add_running(struct input *in, struct formats *types, const char *name,
		       const struct perf_event_attr *attr, char *why, size_t why_size,
		       struct cdict_error *err)
{
	struct perfdata_tracing tracing = {
		.present = true,
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.long_size = sizeof(long),
		.page_size = (uint32_t)sysconf(_SC_PAGESIZE),
	};
	struct perfdata_event *ev = event_of(name, attr);
	int ret = running_format(in, name, attr->config, why, why_size, err);

	if (ret < 0 || !ev || array_push(&in->events, ev)) {
		free(ev);
		return ret < 0 ? ret : cdict_fail_nomem(err);
	}
	tracing.formats = in->formats.at;
	tracing.n_formats = in->formats.n;
	return formats_add_event(types, ev, &tracing, err);
}

int input_types(struct input *in, struct formats *types, const char *name,
		const struct perf_event_attr *attr, char *why, size_t why_size,
		struct cdict_error *err)
{
	*why = 0;
	return in->along ? add_recorded(in, types, err)
			 : add_running(in, types, name, attr, why, why_size, err);
}

char *input_strings(const struct input *in)
{
	return *in->tracefs ? tracefs_strings(in->tracefs) : NULL;
}

void input_finish(struct input *in)
{
	tee_close(in->tee);
	in->tee = NULL;
	if (in->along)
		along_finish(in->along);
}

void input_close(struct input *in)
{
	input_finish(in);
	along_close(in->along);
	free(in->path);
	for (size_t i = 0; i < in->formats.n; i++) {
		free((void *)(uintptr_t)in->formats.at[i].system);
		free((void *)(uintptr_t)in->formats.at[i].text);
	}
	array_fini(&in->formats);
	for (size_t i = 0; i < in->events.n; i++)
		free(in->events.at[i]);
	array_fini(&in->events);
	*in = (struct input){ 0 };
}
