/* SPDX-License-Identifier: LGPL-2.1-only */
/* See cgroup_vm.h. */
#include "format/labels/cgroup_vm.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "format/labels/path_part.h"

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

void cgroup_vm(struct cgroup_place *out, const char *text, size_t len, bool unified)
{
	struct part path = { text, len }, last = { text, 0 };
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

void cgroup_vm_label(struct cdict_label *label, struct cgroup_place *place, const char *path)
{
	cgroup_vm(place, path, strlen(path), true);
	if (!place->instance[0])
		return;
	label->instance = place->instance;
	label->role = strcmp(place->role, "emulator") ? place->role : "";
}
