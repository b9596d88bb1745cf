/* SPDX-License-Identifier: GPL-2.0-only */
/* libvirt's control groups: role and VM of a thread. */
#include "annotate/host/cgroup.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "format/labels/cgroup_unit.h"

/* One path component, not terminated. */
struct part {
	const char *at;
	size_t len;
};

static bool starts(struct part p, const char *text)
{
	size_t n = strlen(text);

	return p.len >= n && !memcmp(p.at, text, n);
}

static bool ends(struct part p, const char *text)
{
	size_t n = strlen(text);

	return p.len >= n && !memcmp(p.at + p.len - n, text, n);
}

/* "vcpu12": @word and then only digits, no more than six. */
static bool numbered(struct part p, const char *word)
{
	size_t n = strlen(word);

	if (!starts(p, word) || p.len == n || p.len > n + 6)
		return false;
	for (size_t i = n; i < p.len; i++) {
		if (p.at[i] < '0' || p.at[i] > '9')
			return false;
	}
	return true;
}

static bool is_role(struct part p)
{
	return numbered(p, "vcpu") || numbered(p, "iothread") ||
	       (p.len == 8 && starts(p, "emulator"));
}

/* Undoes systemd's \x2d. */
static size_t unescape(char *out, size_t size, struct part p)
{
	size_t n = 0;

	for (size_t i = 0; i < p.len && n + 1 < size; i++) {
		unsigned byte;
		char hex[3] = { 0 };

		if (p.len - i >= 4 && p.at[i] == '\\' && p.at[i + 1] == 'x') {
			memcpy(hex, p.at + i + 2, 2);
			if (strspn(hex, "0123456789abcdefABCDEF") == 2 &&
			    sscanf(hex, "%2x", &byte) == 1 && byte) {
				out[n++] = (char)byte;
				i += 3;
				continue;
			}
		}
		out[n++] = p.at[i];
	}
	out[n] = 0;
	return n;
}

/* "qemu-12-NAME" (libvirt since 1.2.15) or "qemu-NAME"; "ch-..." for Cloud Hypervisor. */
static void take_instance(struct cgroup_place *out, struct part p)
{
	char name[sizeof(out->instance)], *at = name;
	size_t digits;

	unescape(name, sizeof(name), p);
	if (!strncmp(at, "qemu-", 5) || !strncmp(at, "ch-", 3)) {
		at += *at == 'q' ? 5 : 3;
		digits = strspn(at, "0123456789");
		if (digits && at[digits] == '-' && at[digits + 1])
			at += digits + 1;
	}
	memmove(out->instance, at, strlen(at) + 1);
}

static void take_base(struct cgroup_place *out, struct part path)
{
	size_t n = path.len < sizeof(out->base) - 1 ? path.len : sizeof(out->base) - 1;

	memcpy(out->base, path.at, n);
	out->base[n] = 0;
}

/* Recognises the domain's own path component, at any position. */
static bool take_domain(struct cgroup_place *out, struct part path, struct part p)
{
	struct part name = p;

	if ((starts(p, "machine-qemu\\x2d") || starts(p, "machine-ch\\x2d")) && ends(p, ".scope")) {
		name.at += 8;
		name.len -= 8 + 6;
	} else if (ends(p, ".libvirt-qemu") && p.len > 13) {
		name.len -= 13;
	} else if (ends(p, ".libvirt-ch") && p.len > 11) {
		name.len -= 11;
	} else {
		return false;
	}
	take_instance(out, name);
	path.len = (size_t)(p.at + p.len - path.at);
	take_base(out, path);
	return true;
}

static void parse_path(struct cgroup_place *out, struct part path, bool unified)
{
	struct part last = { path.at, 0 };
	bool domain = false;

	for (size_t i = 0; i < path.len;) {
		const char *slash;
		struct part p = { path.at + i, 0 };

		slash = memchr(p.at, '/', path.len - i);
		p.len = slash ? (size_t)(slash - p.at) : path.len - i;
		if (p.len)
			last = p;
		if (p.len && !out->instance[0] && take_domain(out, path, p))
			domain = true;
		i += p.len + 1;
	}
	if (is_role(last)) {
		if (!out->role[0])
			snprintf(out->role, sizeof(out->role), "%.*s", (int)last.len, last.at);
		path.len = (size_t)(last.at - path.at);
	}
	while (path.len && path.at[path.len - 1] == '/')
		path.len--;
	if (unified && !domain && !out->base[0])
		take_base(out, path);
}

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
		parse_path(out, path, is_unified(controllers));
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
