/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * QEMU: plain, and as libvirt, Proxmox VE, KubeVirt and Kata Containers start it.
 *
 * Threads    qemu, system/cpus.c and accel/kvm/kvm-accel-ops.c ("CPU %d/KVM"), iothread.c ("IO %s"),
 *            util/thread-pool.c ("worker"), with -name debug-threads=on
 * Proxmox    qemu-server, PVE/QemuServer.pm: "/usr/bin/kvm -id VMID -name NAME,debug-threads=on"
 */
#include <stdio.h>
#include <string.h>

#include "annotate/host/vmm/vmm.h"
#include "base/system/procfs.h"

static const char *const programs[] = { "qemu-system-*", "qemu-kvm", NULL };

static const struct vmm_thread threads[] = {
	{ "CPU #/*", "vcpu#" },
	{ "CPU #/", "vcpu#" },
	{ "ALL CPUs/TCG", "vcpus" },
	{ "worker", "worker" },
	{ "IO mon_iothread", "emulator" },
	{ "IO iothread#", "iothread#" },
	{ "IO *", "iothread-*" },
	{ NULL, NULL },
};

/* Proxmox starts QEMU as "/usr/bin/kvm -id 100 -name ...": the short name alone is
 * ambiguous. */
static bool is_kvm(const struct vmm_process *p)
{
	struct vmm_walk w = { p->cmdline, p->cmdline + p->len };
	const char *arg;
	size_t n;

	if (!vmm_next(&w, &arg, &n))
		return false;
	vmm_base(&arg, &n);
	return n == 3 && !memcmp(arg, "kvm", 3) && (vmm_has(p, "-name") || vmm_has(p, "-uuid"));
}

/* Parses one "key=value" of QEMU's option syntax, where ",," stands for a comma, and moves @at
 * after it. A first item without '=' is the value of @implied. */
static void next_pair(const char **at, const char *end, const char *implied, char *key,
		      size_t key_size, char *value, size_t value_size)
{
	const char *p = *at, *stop, *eq;
	size_t n = 0;

	for (stop = p; stop < end && *stop != ',' && *stop != '='; stop++)
		;
	eq = stop < end && *stop == '=' ? stop : NULL;
	key[0] = 0;
	if (eq || !implied) {
		n = (size_t)(stop - p) < key_size - 1 ? (size_t)(stop - p) : key_size - 1;
		memcpy(key, p, n);
		key[n] = 0;
		p = eq ? eq + 1 : stop;
	} else {
		strncat(key, implied, key_size - 1);
	}
	for (n = 0; p < end; p++) {
		if (*p == ',' && !(p + 1 < end && p[1] == ','))
			break;
		p += *p == ',';
		if (n + 1 < value_size)
			value[n++] = *p;
	}
	value[n] = 0;
	*at = p < end ? p + 1 : end;
}

static bool is_on(const char *value)
{
	return !strcmp(value, "on") || !strcmp(value, "yes") || !strcmp(value, "true") ||
	       !strcmp(value, "y");
}

static void take_name(struct vmm_args *out, const char *text, size_t len)
{
	char key[32], value[VMM_NAME_MAX];
	const char *end = text + len, *implied = "guest";

	while (text < end) {
		next_pair(&text, end, implied, key, sizeof(key), value, sizeof(value));
		implied = NULL;
		if (!strcmp(key, "guest"))
			memcpy(out->instance, value, sizeof(value));
		else if (!strcmp(key, "debug-threads"))
			out->debug_threads = is_on(value);
	}
}

static void take_uuid(char out[37], const char *text, size_t len)
{
	char uuid[37];

	if (vmm_uuid(uuid, text, len))
		memcpy(out, uuid, sizeof(uuid));
}

static void take_smbios(char out[37], const char *text, size_t len)
{
	char key[32], value[VMM_NAME_MAX];
	const char *end = text + len;

	while (text < end) {
		next_pair(&text, end, NULL, key, sizeof(key), value, sizeof(value));
		if (!strcmp(key, "uuid"))
			take_uuid(out, value, strlen(value));
	}
}

/* Options without a value, in QEMU 0.12 to 10; also all of "no-..." and "enable-...". */
static bool takes_value(const char *option, size_t len)
{
	static const char *const none[] = {
		"h",
		"help",
		"version",
		"S",
		"s",
		"snapshot",
		"usb",
		"nographic",
		"curses",
		"sdl",
		"daemonize",
		"nodefaults",
		"preconfig",
		"portrait",
		"tdf",
		"semihosting",
		"singlestep",
		"old-param",
		"localtime",
		"show-cursor",
		"std-vga",
		"win2k-hack",
		"full-screen",
		"alt-grab",
		"ctrl-grab",
		"xen-attach",
		"xen-create",
		"audio-help",
		"mem-prealloc",
		"nouserconfig",
		"rtc-td-hack",
		"only-migratable",
		"async-teardown",
	};

	if ((len > 3 && !memcmp(option, "no-", 3)) || (len > 7 && !memcmp(option, "enable-", 7)))
		return false;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		if (strlen(none[i]) == len && !memcmp(option, none[i], len))
			return false;
	}
	return true;
}

static bool is(const char *option, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(option, name, len);
}

/* The walk is QEMU's own: the argument after an option that takes a value is that value, even if it
 * looks like an option (-append "-name x"). The last -name and -uuid count. */
static void parse(struct vmm_args *out, const struct vmm_process *p)
{
	struct vmm_walk w = vmm_walk(p);
	char smbios[37] = "", id[32] = "";
	const char *arg, *value;
	size_t n, value_len;

	while (vmm_next(&w, &arg, &n)) {
		if (n < 2 || arg[0] != '-') /* a disk image */
			continue;
		arg++;
		n--;
		if (arg[0] == '-') { /* QEMU accepts --name as well */
			arg++;
			n--;
		}
		if (!n || !takes_value(arg, n) || !vmm_next(&w, &value, &value_len))
			continue;
		if (is(arg, n, "name"))
			take_name(out, value, value_len);
		else if (is(arg, n, "smbios"))
			take_smbios(smbios, value, value_len);
		else if (is(arg, n, "uuid"))
			take_uuid(out->uuid, value, value_len);
		else if (is(arg, n, "id"))
			snprintf(id, sizeof(id), "%.*s", (int)(value_len < 31 ? value_len : 31),
				 value);
	}
	if (!out->uuid[0])
		memcpy(out->uuid, smbios, sizeof(smbios));
	/* Only Proxmox's QEMU has -id. Its VMs are known by this number; names may repeat. */
	if (procfs_number(id)) {
		memcpy(out->name, out->instance, sizeof(out->name));
		strcpy(out->instance, id);
	}
}

const struct vmm vmm_qemu = {
	.name = "qemu",
	.programs = programs,
	.threads = threads,
	.also = is_kvm,
	.parse = parse,
	.nameless = "qemu",
};
