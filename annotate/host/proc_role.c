/* SPDX-License-Identifier: GPL-2.0-only */
/* Maps thread names, as set by a VMM and the kernel, to roles. */
#include "annotate/host/proc_role.h"

#include <string.h>

#include "base/system/procfs.h"

static const char *after(const char *text, const char *word)
{
	size_t n = strlen(word);

	return strncmp(text, word, n) ? NULL : text + n;
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
	/* Truncated to 15 bytes; since Linux 6.13 a thread inside the VMM, without a number. */
	if (!strcmp(comm, "kvm-nx-lpage-re") || !strcmp(comm, "kvm-nx-lpage-recovery"))
		return PROC_KERNEL_NX;
	return PROC_KERNEL_NONE;
}

/* Names of threads that the kernel starts inside the VMM's process. */
static const char *kernel_role(const char *comm)
{
	static const char *const roles[] = { NULL, "vhost", "kvm-pit", "kvm-nx" };
	int32_t owner;

	if (after(comm, "iou-wrk-") || after(comm, "iou-sqp-"))
		return "worker";
	return roles[proc_kernel_thread(comm, &owner)];
}

void proc_role_of_comm(const struct vmm *vmm, char role[PROC_ROLE_MAX], const char *comm,
		       bool *named)
{
	const char *kernel = kernel_role(comm);

	role[0] = 0;
	if (kernel)
		strcpy(role, kernel);
	else if (vmm_role(vmm, role, comm))
		*named = true;
}

bool proc_role_is_single(const char *role)
{
	const char *rest = after(role, "vcpu");

	if (!rest)
		rest = after(role, "iothread");
	return rest && *rest >= '0' && *rest <= '9';
}
