/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses QEMU's command line. */
#include "annotate/host/proc_args.h"

#include <ctype.h>
#include <string.h>

/* Arguments of /proc/PID/cmdline, one after the other; the last may lack its NUL. */
struct walk {
	const char *at, *end;
};

static bool next(struct walk *w, const char **arg, size_t *len)
{
	const char *nul;

	if (w->at >= w->end)
		return false;
	nul = memchr(w->at, 0, (size_t)(w->end - w->at));
	*arg = w->at;
	*len = (size_t)((nul ? nul : w->end) - w->at);
	w->at += *len + 1;
	return true;
}

static void base_of(const char **name, size_t *len)
{
	const char *slash = memrchr(*name, '/', *len);

	if (slash) {
		*len -= (size_t)(slash + 1 - *name);
		*name = slash + 1;
	}
}

static bool qemu_base(const char *name, size_t len)
{
	static const char system_[] = "qemu-system-", kvm[] = "qemu-kvm";

	base_of(&name, &len);
	if (len && name[0] == '.') { /* ".qemu-system-x86_64-wrapped", on NixOS */
		name++;
		len--;
	}
	return (len > sizeof(system_) - 1 && !memcmp(name, system_, sizeof(system_) - 1)) ||
	       (len == sizeof(kvm) - 1 && !memcmp(name, kvm, len));
}

bool proc_is_qemu_name(const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(path);

	if (len > sizeof(deleted) - 1 && !strcmp(path + len - (sizeof(deleted) - 1), deleted))
		len -= sizeof(deleted) - 1;
	return qemu_base(path, len);
}

/* Proxmox starts QEMU as "/usr/bin/kvm -id 100 -name ...": the short name alone is
 * ambiguous. */
static bool is_kvm(struct walk w)
{
	const char *arg;
	size_t n;

	if (!next(&w, &arg, &n))
		return false;
	base_of(&arg, &n);
	if (n != 3 || memcmp(arg, "kvm", 3))
		return false;
	while (next(&w, &arg, &n)) {
		if (n == 5 && (!memcmp(arg, "-name", 5) || !memcmp(arg, "-uuid", 5)))
			return true;
	}
	return false;
}

bool proc_is_qemu(const char *exe, const char *comm, const char *cmdline, size_t len)
{
	struct walk w = { cmdline, cmdline + len };
	const char *arg;
	size_t n;

	if ((*exe && proc_is_qemu_name(exe)) || is_kvm(w))
		return true;
	if (!next(&w, &arg, &n))
		return proc_is_qemu_name(comm);
	if (qemu_base(arg, n))
		return true;
	/* Only the comm matches: QEMU with another argv[0], or a script of that name, which its
	 * interpreter has as an argument. */
	if (*exe || !proc_is_qemu_name(comm))
		return false;
	while (next(&w, &arg, &n)) {
		if (!n || arg[0] != '-')
			return !qemu_base(arg, n);
	}
	return true;
}

bool proc_uuid(char out[37], const char *text, size_t len)
{
	out[0] = 0;
	if (len != 36)
		return false;
	for (size_t i = 0; i < 36; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? text[i] != '-' : !isxdigit((unsigned char)text[i]))
			return false;
	}
	for (size_t i = 0; i < 36; i++)
		out[i] = (char)tolower((unsigned char)text[i]);
	out[36] = 0;
	return true;
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

static void take_name(struct proc_args *out, const char *text, size_t len)
{
	char key[32], value[PROC_ARGS_NAME_MAX];
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

	if (proc_uuid(uuid, text, len))
		memcpy(out, uuid, sizeof(uuid));
}

static void take_smbios(char out[37], const char *text, size_t len)
{
	char key[32], value[PROC_ARGS_NAME_MAX];
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

void proc_args_parse(struct proc_args *out, const char *cmdline, size_t len)
{
	struct walk w = { cmdline, cmdline + len };
	char smbios[37] = "";
	const char *arg, *value;
	size_t n, value_len;

	memset(out, 0, sizeof(*out));
	if (!next(&w, &arg, &n)) /* argv[0] */
		return;
	while (next(&w, &arg, &n)) {
		if (n < 2 || arg[0] != '-') /* a disk image */
			continue;
		arg++;
		n--;
		if (arg[0] == '-') { /* QEMU accepts --name as well */
			arg++;
			n--;
		}
		if (!n || !takes_value(arg, n) || !next(&w, &value, &value_len))
			continue;
		if (is(arg, n, "name"))
			take_name(out, value, value_len);
		else if (is(arg, n, "smbios"))
			take_smbios(smbios, value, value_len);
		else if (is(arg, n, "uuid"))
			take_uuid(out->uuid, value, value_len);
	}
	if (!out->uuid[0])
		memcpy(out->uuid, smbios, sizeof(smbios));
}
