/* SPDX-License-Identifier: GPL-2.0-only */
/* For root, $PATH may be set by an untrusted user: by sudo -E, by su without a dash, or with a
 * user's folder first. */
#include "cmd/core/program.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether only root can change @path, symbolic links followed. */
static bool is_of_root(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !st.st_uid && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

void program_run(const char *name, char *const argv[])
{
	const char *from = getenv("PATH");
	char path[PATH_MAX];
	int why = ENOENT;
	bool safe;

	if (geteuid()) {
		execvp(name, argv);
		return;
	}
	for (from = from ? from : "/usr/bin:/bin"; from; from = strchr(from, ':')) {
		int len;

		from += *from == ':';
		len = (int)strcspn(from, ":");
		if (*from != '/' || (size_t)len + strlen(name) + 2 > sizeof(path))
			continue;
		snprintf(path, sizeof(path), "%.*s", len, from);
		safe = is_of_root(path);
		snprintf(path + len, sizeof(path) - (size_t)len, "/%s", name);
		if (safe && is_of_root(path))
			execv(path, argv);
		else if (!access(path, F_OK))
			why = EACCES;
	}
	errno = why;
}
