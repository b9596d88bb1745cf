/* SPDX-License-Identifier: LGPL-2.1-only */
/* Parses paths of control groups, one component at a time, the outermost first. */
#include "format/labels/cgroup_unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "format/labels/path_part.h"

#define ID_SHOWN 12 /* as docker ps and crictl ps print them */

static bool equals(struct part p, const char *text)
{
	return p.len == strlen(text) && starts(p, text);
}

static struct part after(struct part p, const char *prefix)
{
	size_t n = strlen(prefix);

	return (struct part){ p.at + n, p.len - n };
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* A container's id: 64 digits; shorter ones of other engines have 12 at least. */
static bool is_id(struct part p)
{
	for (size_t i = 0; i < p.len; i++) {
		if (!is_hex(p.at[i]))
			return false;
	}
	return p.len >= ID_SHOWN && p.len <= 64;
}

static void take(char *out, size_t size, struct part p)
{
	snprintf(out, size, "%.*s", (int)(p.len < size ? p.len : size), p.at);
}

static void take_container(struct cgroup_unit *out, const char *engine, struct part id)
{
	if (out->kind != CGROUP_POD)
		out->kind = CGROUP_CONTAINER;
	out->engine = engine;
	take(out->id, sizeof(out->id), id);
	if (out->kind == CGROUP_CONTAINER)
		snprintf(out->text, sizeof(out->text), "%s %.*s", engine,
			 (int)(id.len < ID_SHOWN ? id.len : ID_SHOWN), id.at);
}

/* "docker-3f2a....scope" (systemd), "libpod-3f2a..." (cgroupfs) */
static bool is_scope(struct cgroup_unit *out, struct part p)
{
	static const struct {
		const char *prefix, *engine;
	} scopes[] = {
		{ "docker-", "docker" },   { "libpod-", "podman" },
		{ "crio-", "cri-o" },      { "cri-containerd-", "containerd" },
		{ "nerdctl-", "nerdctl" }, { "buildkit-", "buildkit" },
	};

	if (ends(p, ".scope"))
		p.len -= strlen(".scope");
	for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
		if (starts(p, scopes[i].prefix) && is_id(after(p, scopes[i].prefix))) {
			take_container(out, scopes[i].engine, after(p, scopes[i].prefix));
			return true;
		}
	}
	return false;
}

/* "podUID" (cgroupfs), "kubepods-burstable-podUID.slice" with '_' for '-' (systemd) */
static bool is_pod(struct cgroup_unit *out, struct part p)
{
	struct part uid = p;

	if (starts(p, "kubepods-") && ends(p, ".slice")) {
		uid.len -= strlen(".slice");
		while (uid.len && !starts(uid, "-pod"))
			uid = after(uid, "?");
		if (!uid.len)
			return false;
		uid = after(uid, "-pod");
	} else if (starts(p, "pod")) {
		uid = after(p, "pod");
	} else {
		return false;
	}
	if (uid.len != 36 && uid.len != 32) /* 32: a hash, of a static pod */
		return false;
	for (size_t i = 0; i < uid.len; i++) {
		if (!is_hex(uid.at[i]) && uid.at[i] != '-' && uid.at[i] != '_')
			return false;
	}
	take(out->pod, sizeof(out->pod), uid);
	for (char *c = out->pod; *c; c++)
		*c = *c == '_' ? '-' : *c;
	out->kind = CGROUP_POD;
	snprintf(out->text, sizeof(out->text), "pod %s", out->pod);
	return true;
}

/* The engine of a container whose component is its id, from the component before. */
static const char *engine_of(const struct cgroup_unit *out, struct part parent)
{
	return out->kind == CGROUP_POD           ? "containerd"
	       : starts(parent, "docker")        ? "docker"
	       : starts(parent, "libpod")        ? "podman"
	       : equals(parent, "buildkit")      ? "buildkit"
	       : equals(parent, "crio")          ? "cri-o"
	       : equals(parent, "kata_overhead") ? "kata"
						 : "container";
}

static bool is_lxc(struct cgroup_unit *out, struct part p, struct part parent)
{
	static const char payload[] = "lxc.payload.";
	struct part name = p;

	if (starts(p, payload))
		name = after(p, payload);
	else if (!equals(parent, "lxc"))
		return false;
	if (!name.len)
		return false;
	out->kind = CGROUP_CONTAINER;
	out->engine = "lxc";
	take(out->id, sizeof(out->id), name);
	snprintf(out->text, sizeof(out->text), "lxc %s", out->id);
	return true;
}

static bool all_digits(struct part p)
{
	for (size_t i = 0; i < p.len; i++) {
		if (p.at[i] < '0' || p.at[i] > '9')
			return false;
	}
	return p.len > 0;
}

static void take_unit(struct cgroup_unit *out, struct part p)
{
	static const char *const types[] = { ".service", ".scope", ".socket", ".mount", ".swap" };
	bool unit = false;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		unit |= ends(p, types[i]);
	if (ends(p, ".slice")) {
		/* The innermost slice counts only if no unit is in it. */
		out->kind = CGROUP_UNIT;
		take(out->text, sizeof(out->text), p);
	} else if (unit) {
		out->kind = CGROUP_UNIT;
		take(out->text, sizeof(out->text), p);
	} else if (out->kind == CGROUP_UNIT && starts(p, "job_") && all_digits(after(p, "job_")) &&
		   strstr(out->text, "slurm")) {
		out->kind = CGROUP_JOB;
		snprintf(out->text, sizeof(out->text), "slurm job %.*s",
			 (int)(p.len - 4 < 32 ? p.len - 4 : 32), p.at + 4);
	}
}

/* A login, and what its service manager keeps for itself. */
static bool is_login(const char *unit, struct part path)
{
	struct part p = { unit, strlen(unit) };

	return (starts(p, "session-") && ends(p, ".scope")) || equals(p, "user.slice") ||
	       (starts(p, "user-") && ends(p, ".slice")) ||
	       (starts(p, "user@") && ends(p, ".service")) ||
	       (equals(p, "init.scope") && starts(path, "/user.slice/"));
}

static void take_component(struct cgroup_unit *out, struct part p, struct part parent)
{
	if (is_pod(out, p) || is_scope(out, p) || is_lxc(out, p, parent))
		return;
	if (is_id(p) && p.len == 64) {
		take_container(out, engine_of(out, parent), p);
		return;
	}
	if (is_id(p) && (starts(parent, "docker") || starts(parent, "libpod"))) {
		take_container(out, engine_of(out, parent), p);
		return;
	}
	if (out->kind < CGROUP_JOB)
		take_unit(out, p);
}

void cgroup_unit(struct cgroup_unit *out, const char *path, size_t len)
{
	struct part whole, parent = { path, 0 };

	memset(out, 0, sizeof(*out));
	len = strnlen(path, len);
	whole = (struct part){ path, len };
	for (size_t i = 0; i < len;) {
		const char *slash = memchr(path + i, '/', len - i);
		struct part p = { path + i, slash ? (size_t)(slash - path) - i : len - i };

		i += p.len + 1;
		if (!p.len || equals(p, ".."))
			continue;
		/* What a container runs inside, such as its own systemd, stays the container's. */
		if (out->kind < CGROUP_CONTAINER || (out->kind == CGROUP_POD && !out->id[0]))
			take_component(out, p, parent);
		parent = p;
	}
	if (out->kind == CGROUP_UNIT && is_login(out->text, whole)) {
		out->kind = CGROUP_NONE;
		out->text[0] = 0;
	} else if (out->kind == CGROUP_NONE && parent.len) {
		out->kind = CGROUP_PATH;
		take(out->text, sizeof(out->text), whole);
	}
}
