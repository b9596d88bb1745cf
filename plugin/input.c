/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the recording, or tracefs. */
#include "plugin/input.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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
		return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
	snprintf(in->from, sizeof(in->from), "%s", path);
	return 0;
}

/* Standard input: a file can be opened once more, a pipe is tapped. */
static int open_stdin(struct input *in, struct cdict_error *err)
{
	struct stat st;
	int fd = -1, ret = 0;

	if (!fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode) &&
	    lseek(STDIN_FILENO, 0, SEEK_CUR) == HEADER_SIZE)
		fd = open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		ret = tap_open(&in->tap, STDIN_FILENO, &fd, err);
	if (!ret)
		ret = along_open_fd(&in->along, fd, err);
	if (ret)
		snprintf(in->why_not, sizeof(in->why_not), "%.280s", err->text);
	else
		snprintf(in->from, sizeof(in->from), "the recording");
	/* A tap that runs already goes on for perf. */
	return in->tap ? ret : 0;
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

static int add_recorded(struct input *in, struct types *types, struct cdict_error *err)
{
	struct types_event *events;
	size_t n;
	int ret = along_events(in->along, &in->seen, &events, &n, err);

	if (!ret && (n || !types_schema(types)))
		ret = types_add(types, along_tracing(in->along), events, n, err);
	free(events);
	return ret;
}

static int keep_format(struct input *in, const char *system, char *text, size_t len,
		       struct cdict_error *err)
{
	struct perfdata_format *formats =
		realloc(in->formats, (in->n_formats + 1) * sizeof(*formats));
	char *name = strdup(system);

	if (formats)
		in->formats = formats;
	if (!formats || !name) {
		free(name);
		free(text);
		return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
	}
	formats[in->n_formats++] = (struct perfdata_format){ name, text, len };
	return 0;
}

static int add_running(struct input *in, struct types *types, const char *name, uint64_t config,
		       uint64_t sample_type, char *why, size_t why_size, struct cdict_error *err)
{
	struct types_event ev = { .config = config, .sample_type = sample_type };
	struct perfdata_tracing tracing = {
		.present = true,
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.long_size = sizeof(long),
		.page_size = (uint32_t)sysconf(_SC_PAGESIZE),
	};
	const char *colon = strchr(name, ':');
	char system[128], *text;
	size_t len;
	uint32_t id;
	int ret;

	snprintf(ev.name, sizeof(ev.name), "%s", name);
	if (colon && (size_t)(colon - name) < sizeof(system)) {
		struct cdict_error no = { 0 };

		snprintf(system, sizeof(system), "%.*s", (int)(colon - name), name);
		if (tracefs_format(in->tracefs, system, colon + 1, &text, &len, &id, &no) < 0) {
			snprintf(why, why_size, "%s: %.200s", name, no.text);
		} else if (id != config) {
			snprintf(why, why_size,
				 "%s has another number than in the running kernel: the recording "
				 "was made by another one",
				 name);
			free(text);
		} else {
			ret = keep_format(in, system, text, len, err);
			if (ret)
				return ret;
		}
	} else {
		snprintf(why, why_size, "%s: the running kernel has no event of this name", name);
	}
	tracing.formats = in->formats;
	tracing.n_formats = in->n_formats;
	return types_add(types, &tracing, &ev, 1, err);
}

int input_types(struct input *in, struct types *types, const char *name, uint64_t config,
		uint64_t sample_type, char *why, size_t why_size, struct cdict_error *err)
{
	*why = 0;
	return in->along ? add_recorded(in, types, err)
			 : add_running(in, types, name, config, sample_type, why, why_size, err);
}

char *input_strings(const struct input *in)
{
	return *in->tracefs ? tracefs_strings(in->tracefs) : NULL;
}

void input_finish(struct input *in)
{
	tap_close(in->tap);
	in->tap = NULL;
	if (in->along)
		along_finish(in->along);
}

void input_close(struct input *in)
{
	input_finish(in);
	along_close(in->along);
	free(in->path);
	for (size_t i = 0; i < in->n_formats; i++) {
		free((void *)(uintptr_t)in->formats[i].system);
		free((void *)(uintptr_t)in->formats[i].text);
	}
	free(in->formats);
	*in = (struct input){ 0 };
}
