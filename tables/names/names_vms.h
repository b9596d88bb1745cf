/* SPDX-License-Identifier: LGPL-2.1-only */
/* names_vms.h - internals of struct names: labels of tasks, and their VMs. */
#ifndef TABLES_NAMES_NAMES_VMS_H
#define TABLES_NAMES_NAMES_VMS_H

#include "format/labels/label_text.h"
#include "tables/names/names.h"

/* A process that is a VM, or a kernel thread assigned to one by a label. */
struct names_vm {
	int32_t pid;
	size_t leader;         /* the first entry of the same VM, which holds the valid text and
			        * id */
	struct cdict_label id; /* name, group, uuid, instance, project; texts borrowed */
	struct mapping_origins origins;
	const char *comm;   /* of its main thread, or NULL; borrowed from the walk */
	char *text, *order; /* owned; order NULL: sort by the text */
};

/* names_vm_find - the VM of process @pid, its leader; or NULL. */
const struct names_vm *names_vm_find(const struct names *names, int32_t pid);

/* names_task_at - the entry of the task with number @i, created if new; NULL: out of memory. */
struct names_task *names_task_at(struct names *names, size_t i);

/* names_units - finds the unit of each task; needs the labels. 0 or -ENOMEM. */
int names_units(struct names *names, struct label_index *labels, size_t n);

/* names_filter - marks the tasks that @filter selects; needs the names. */
void names_filter(struct names *names, const struct names_filter *filter);

#endif
