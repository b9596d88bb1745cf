/* SPDX-License-Identifier: GPL-2.0-only */
/* Maps thread names, as set by QEMU and the kernel, to roles. */
#include "annotate/host/proc_role.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/procfs.h"

static const char *after(const char *text, const char *word)
{
	size_t n = strlen(word);

	return strncmp(text, word, n) ? NULL : text + n;
}

/* Parses one to six digits; *@end after them. */
static bool number(const char *text, unsigned long *v, const char **end)
{
	size_t n = strspn(text, "0123456789");

	if (!n || n > 6)
		return false;
	*v = strtoul(text, NULL, 10);
	*end = text + n;
	return true;
}

enum proc_kernel_thread proc_kernel_thread(const char *comm, int32_t *owner)
{
	static const struct {
		const char *word;
		enum proc_kernel_thread kind;
	} words[] = {
		{ "vhost-", PROC_KERNEL_VHOST },
		{ "kvm-pit/", PROC_KERNEL_PIT },
		{ "kvm-nx-lpage-recovery-", PROC_KERNEL_NX },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *rest = after(comm, words[i].word);

		if (!rest)
			continue;
		*owner = procfs_number(rest);
		return *owner ? words[i].kind : PROC_KERNEL_NONE;
	}
	*owner = 0;
	/* Truncated to 15 bytes; since Linux 6.13 a thread inside QEMU, without a number. */
	if (!strcmp(comm, "kvm-nx-lpage-re") || !strcmp(comm, "kvm-nx-lpage-recovery"))
		return PROC_KERNEL_NX;
	return PROC_KERNEL_NONE;
}

/* Names of threads that the kernel starts inside the QEMU process. */
static const char *kernel_role(const char *comm)
{
	static const char *const roles[] = { NULL, "vhost", "kvm-pit", "kvm-nx" };
	int32_t owner;

	if (after(comm, "iou-wrk-") || after(comm, "iou-sqp-"))
		return "worker";
	return roles[proc_kernel_thread(comm, &owner)];
}

void proc_role_of_comm(char role[PROC_ROLE_MAX], const char *comm, bool *qemu_named)
{
	const char *rest, *end, *kernel = kernel_role(comm);
	unsigned long n;

	role[0] = 0;
	if (kernel) {
		strcpy(role, kernel);
		return;
	}
	if ((rest = after(comm, "CPU ")) && number(rest, &n, &end) && *end == '/') {
		snprintf(role, PROC_ROLE_MAX, "vcpu%lu", n);
	} else if (!strcmp(comm, "ALL CPUs/TCG")) {
		strcpy(role, "vcpus");
	} else if (!strcmp(comm, "worker")) {
		strcpy(role, "worker");
	} else if (!strcmp(comm, "IO mon_iothread")) {
		strcpy(role, "emulator");
	} else if ((rest = after(comm, "IO iothread")) && number(rest, &n, &end) && !*end) {
		snprintf(role, PROC_ROLE_MAX, "iothread%lu", n);
	} else if ((rest = after(comm, "IO ")) && *rest) {
		snprintf(role, PROC_ROLE_MAX, "iothread-%.20s", rest);
	} else {
		return;
	}
	*qemu_named = true;
}

bool proc_role_is_single(const char *role)
{
	const char *rest = after(role, "vcpu");

	if (!rest)
		rest = after(role, "iothread");
	return rest && *rest >= '0' && *rest <= '9';
}
