/* SPDX-License-Identifier: GPL-2.0-only */
/* The VMs of a capture: processes with threads that entered a guest, whatever their VMM is. */
#include <stdio.h>
#include <string.h>

#include "annotate/host/host.h"
#include "base/fail.h"
#include "cmd/names/identify.h"
#include "cmd/tables/figures.h"

struct found {
	struct mapping *m;
	struct host_report *report;
	const struct names *names;
};

static const char *keep(struct found *to, const char *text)
{
	const char *kept =
		stringset_add(&to->report->texts, text ? text : "", text ? strlen(text) : 0);

	return kept;
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

/* The VM with this name, added if it is new; NULL: out of memory. */
static struct host_vm *vm_of(struct found *to, const struct analyze_task *task, const char *name,
			     const struct cdict_label *label)
{
	struct host_vm *vm;

	for (size_t i = 0; i < to->report->vms.n; i++) {
		if (!strcmp(to->report->vms.at[i].instance, name))
			return &to->report->vms.at[i];
	}
	vm = array_add(&to->report->vms);
	if (!vm)
		return NULL;
	vm->pid = task->pid >= 0 ? task->pid : task->tid;
	vm->vmm = vm->title = vm->flavor = "";
	vm->instance = keep(to, name);
	vm->name = keep(to, label ? label->name : NULL);
	vm->project = keep(to, label ? label->project : NULL);
	vm->unit = keep(to, label ? label->unit : NULL);
	snprintf(vm->uuid, sizeof(vm->uuid), "%s", label ? or_empty(label->uuid) : "");
	return vm->instance && vm->name && vm->project && vm->unit ? vm : NULL;
}

static int add(struct found *to, const struct analyze_task *task, struct cdict_error *err)
{
	const struct cdict_label *known = names_label(to->names, task);
	const char *name = names_vm(to->names, task);
	struct cdict_label label = known ? *known : (struct cdict_label){ 0 };
	int32_t vcpu = names_vcpu(to->names, task);
	struct host_vm *vm;
	char role[24];

	if (!name || !task->tid)
		return 0;
	vm = vm_of(to, task, name, known);
	if (!vm)
		return cdict_fail_nomem(err);
	snprintf(role, sizeof(role), "vcpu%d", vcpu);
	label.tid = task->tid;
	label.pid = task->pid > 0 ? task->pid : 0;
	label.start_ns = 0;
	label.origin = CDICT_LABEL_PROC;
	if (!label.instance || !*label.instance)
		label.instance = name;
	if (vcpu >= 0)
		label.role = role;
	vm->threads++;
	vm->vcpus += vcpu >= 0;
	vm->unnamed += !label.role || !*label.role;
	to->report->threads++;
	to->report->unnamed += !label.role || !*label.role;
	return mapping_add(to->m, &label, err);
}

int identify_capture(const struct cmd_call *call, struct mapping *m, struct host_report *report)
{
	struct cdict_error err = { 0 };
	struct figures f;
	struct found to = { m, report, &f.walk.names };
	int status = figures_open(&f, call), rc = 0;

	*report = (struct host_report){ 0 };
	if (!status)
		status = figures_run(&f);
	for (size_t i = 0; !status && !rc && i < analyze_engine_task_count(f.walk.eng); i++)
		rc = add(&to, analyze_engine_task(f.walk.eng, (uint32_t)i), &err);
	if (rc)
		status = figures_fail(&f, &err);
	if (!status && !report->vms.n)
		figures_has_vcpus(&f);
	figures_close(&f);
	return status;
}
