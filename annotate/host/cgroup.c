/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of /proc/PID/cgroup. */
#include "annotate/host/cgroup.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "format/labels/cgroup_unit.h"
#include "format/labels/path_part.h"

/* One line: "5:cpuset:/a/b". Moves @text after it; false at the end. */
static bool next_line(const char **text, const char *end, struct part *controllers,
		      struct part *path)
{
	while (*text < end) {
		const char *line = *text, *nl = memchr(line, '\n', (size_t)(end - line));
		const char *stop = nl ? nl : end;
		const char *first = memchr(line, ':', (size_t)(stop - line));
		const char *second = first ? memchr(first + 1, ':', (size_t)(stop - first - 1))
					   : NULL;

		*text = stop + 1;
		if (!second)
			continue;
		*controllers = (struct part){ line, (size_t)(second - line) };
		*path = (struct part){ second + 1, (size_t)(stop - second - 1) };
		return true;
	}
	return false;
}

static bool is_unified(struct part controllers)
{
	return starts(controllers, "0:");
}

void cgroup_parse(struct cgroup_place *out, const char *text, size_t len)
{
	const char *end = text + len;
	struct part controllers, path;

	memset(out, 0, sizeof(*out));
	while (next_line(&text, end, &controllers, &path))
		cgroup_vm(out, path.at, path.len, is_unified(controllers));
}

/* How much a line tells: a container in any hierarchy, then systemd's own hierarchy, then v2. */
static int rank(struct part controllers, struct part path)
{
	struct cgroup_unit unit;

	cgroup_unit(&unit, path.at, path.len);
	if (unit.kind >= CGROUP_CONTAINER)
		return 4;
	if (ends(controllers, ":name=systemd"))
		return unit.kind ? 3 : 1;
	return is_unified(controllers) ? 2 : 0;
}

void cgroup_path(char out[CGROUP_PATH_MAX], const char *text, size_t len)
{
	const char *end = text + len;
	struct part controllers, path;
	int best = 0;

	out[0] = 0;
	while (next_line(&text, end, &controllers, &path)) {
		int n = rank(controllers, path);

		if (n <= best)
			continue;
		best = n;
		snprintf(out, CGROUP_PATH_MAX, "%.*s",
			 (int)(path.len < CGROUP_PATH_MAX ? path.len : CGROUP_PATH_MAX), path.at);
	}
}
