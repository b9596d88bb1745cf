/* SPDX-License-Identifier: LGPL-2.1-only */
/* names_vms.h - the inside of struct names: labels of tasks, and the VMs they make. */
#ifndef TABLES_NAMES_VMS_H
#define TABLES_NAMES_VMS_H

#include "format/labels/label_text.h"
#include "tables/names/names.h"

/* A process that is a VM, or a kernel thread that a label gave to one. */
struct names_vm {
	int32_t pid;
	size_t leader;         /* the first that is the same VM; its text and id count */
	struct cdict_label id; /* name, group, uuid, instance, project; texts borrowed */
	struct mapping_origins origins;
	char *text, *order; /* owned; order NULL: by its text */
};

/* names_vm_find - whose process @pid is, its leader; or NULL. */
const struct names_vm *names_vm_find(const struct names *names, int32_t pid);

/* names_filter - marks the tasks that @filter wants; the names are known. */
void names_filter(struct names *names, const struct names_filter *filter);

#endif
