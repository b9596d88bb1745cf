/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of VMMs, and how a process and a thread are matched with one. */
#include "annotate/host/vmm/vmm.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const struct vmm *const vmm_all[] = {
	&vmm_qemu,   &vmm_firecracker, &vmm_cloud_hypervisor,
	&vmm_crosvm, &vmm_kvmtool,     &vmm_stratovirt,
	NULL,
};

/* --- the command line --- */

bool vmm_next(struct vmm_walk *w, const char **arg, size_t *len)
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

struct vmm_walk vmm_walk(const struct vmm_process *p)
{
	struct vmm_walk w = { p->cmdline, p->cmdline + p->len };
	const char *arg;
	size_t n;

	vmm_next(&w, &arg, &n);
	return w;
}

static bool is_word(const char *arg, size_t n, const char *word)
{
	return n == strlen(word) && !memcmp(arg, word, n);
}

bool vmm_has(const struct vmm_process *p, const char *word)
{
	struct vmm_walk w = vmm_walk(p);
	const char *arg;
	size_t n;

	while (vmm_next(&w, &arg, &n) && !is_word(arg, n, "--")) {
		if (is_word(arg, n, word))
			return true;
	}
	return false;
}

static void copy(char out[VMM_NAME_MAX], const char *text, size_t len)
{
	snprintf(out, VMM_NAME_MAX, "%.*s", (int)(len < VMM_NAME_MAX ? len : VMM_NAME_MAX), text);
}

bool vmm_option(const struct vmm_process *p, const char *option, char out[VMM_NAME_MAX])
{
	struct vmm_walk w = vmm_walk(p);
	size_t n, own = strlen(option);
	const char *arg;

	out[0] = 0;
	while (vmm_next(&w, &arg, &n) && !is_word(arg, n, "--")) {
		if (is_word(arg, n, option)) {
			if (vmm_next(&w, &arg, &n))
				copy(out, arg, n);
		} else if (n > own && !memcmp(arg, option, own) && arg[own] == '=') {
			copy(out, arg + own + 1, n - own - 1);
		}
	}
	return out[0] != 0;
}

void vmm_base(const char **name, size_t *len)
{
	const char *slash = memrchr(*name, '/', *len);

	if (slash) {
		*len -= (size_t)(slash + 1 - *name);
		*name = slash + 1;
	}
}

static bool listed(const char *const *list, const char *text, size_t len)
{
	for (; *list; list++) {
		if (is_word(text, len, *list))
			return true;
	}
	return !len;
}

void vmm_socket_name(char out[VMM_NAME_MAX], const char *path, const char *const *usual)
{
	static const char *const endings[] = { ".socket", ".sock" };
	const char *name = path;
	size_t len = strlen(path), stem;

	vmm_base(&name, &len);
	stem = len;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]) && stem == len; i++) {
		size_t n = strlen(endings[i]);

		if (len > n && !memcmp(name + len - n, endings[i], n))
			stem = len - n;
	}
	if (listed(usual, name, stem) && name > path) {
		stem = (size_t)(name - path) - 1;
		name = path;
		vmm_base(&name, &stem);
	}
	out[0] = 0;
	if (!listed(usual, name, stem))
		copy(out, name, stem);
}

bool vmm_uuid(char out[37], const char *text, size_t len)
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

/* --- the process --- */

#define COMM_BYTES 15 /* that the kernel keeps of a name */

/* @cut: @name may have been cut to a comm. */
static bool is_program(const struct vmm *vmm, const char *name, size_t len, bool cut)
{
	vmm_base(&name, &len);
	if (len && name[0] == '.') { /* ".qemu-system-x86_64-wrapped", on NixOS */
		name++;
		len--;
		cut = cut && len + 1 == COMM_BYTES;
	} else {
		cut = cut && len == COMM_BYTES;
	}
	for (const char *const *p = vmm->programs; *p; p++) {
		size_t n = strlen(*p);
		bool open = (*p)[n - 1] == '*';

		n -= open;
		if (cut && n > len)
			n = len;
		if (len >= n && !memcmp(name, *p, n) && (open ? len > n || cut : len == n))
			return true;
	}
	return false;
}

static bool is_exe(const struct vmm *vmm, const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(path);

	if (len > sizeof(deleted) - 1 && !strcmp(path + len - (sizeof(deleted) - 1), deleted))
		len -= sizeof(deleted) - 1;
	return is_program(vmm, path, len, false);
}

static bool has_program(const struct vmm *vmm, const struct vmm_process *p)
{
	struct vmm_walk w = { p->cmdline, p->cmdline + p->len };
	const char *arg;
	size_t n;

	if ((*p->exe && is_exe(vmm, p->exe)) || (vmm->also && vmm->also(p)))
		return true;
	if (!vmm_next(&w, &arg, &n))
		return is_program(vmm, p->comm, strlen(p->comm), true);
	if (is_program(vmm, arg, n, false))
		return true;
	/* Only the comm matches: the VMM with another argv[0], or a script of that name, which its
	 * interpreter has as an argument. */
	if (*p->exe || !is_program(vmm, p->comm, strlen(p->comm), true))
		return false;
	while (vmm_next(&w, &arg, &n)) {
		if (!n || arg[0] != '-')
			return !is_program(vmm, arg, n, false);
	}
	return true;
}

bool vmm_is(const struct vmm *vmm, const struct vmm_process *p)
{
	return has_program(vmm, p) && (!vmm->runs || !p->len || vmm->runs(p));
}

const struct vmm *vmm_of(const struct vmm_process *p)
{
	for (const struct vmm *const *vmm = vmm_all; *vmm; vmm++) {
		if (vmm_is(*vmm, p))
			return *vmm;
	}
	return NULL;
}

/* --- its threads --- */

/* What '#' or '*' of a pattern matched. */
struct part {
	const char *at;
	size_t len;
};

static bool matches(const char *pattern, const char *comm, struct part *part)
{
	*part = (struct part){ comm, 0 };
	for (; *pattern; pattern++) {
		if (*pattern == '#') {
			*part = (struct part){ comm, strspn(comm, "0123456789") };
			if (!part->len || part->len > 6)
				return false;
			comm += part->len;
		} else if (*pattern == '*' && !pattern[1]) {
			if (!part->len)
				*part = (struct part){ comm, strlen(comm) };
			return *comm != 0;
		} else if (*comm++ != *pattern) {
			return false;
		}
	}
	return !*comm;
}

/* Copies the role; numbers without leading zeros. */
static void fill(char role[VMM_ROLE_MAX], const char *pattern, struct part part)
{
	size_t n = 0;

	for (; *pattern && n + 1 < VMM_ROLE_MAX; pattern++) {
		if (*pattern != '#' && *pattern != '*') {
			role[n++] = *pattern;
			continue;
		}
		for (; *pattern == '#' && part.len > 1 && *part.at == '0'; part.len--)
			part.at++;
		for (; part.len && n + 1 < VMM_ROLE_MAX; part.len--)
			role[n++] = *part.at++;
	}
	role[n] = 0;
}

bool vmm_role(const struct vmm *vmm, char role[VMM_ROLE_MAX], const char *comm)
{
	struct part part;

	role[0] = 0;
	for (const struct vmm_thread *t = vmm->threads; t->name; t++) {
		if (matches(t->name, comm, &part)) {
			fill(role, t->role, part);
			return true;
		}
	}
	return false;
}
