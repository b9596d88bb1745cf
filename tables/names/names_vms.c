// SPDX-License-Identifier: LGPL-2.1-only
/* Assigns labels to the tasks of a walk, and finds the VMs. */
#include "tables/names/names_vms.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int32_t process(const struct analyze_task *task)
{
	return task->pid >= 0 ? task->pid : task->tid;
}

static bool makes_vm(const struct analyze_task *task, const struct cdict_label *l)
{
	return task->tid && (task->is_vcpu ||
			     (l && (*l->uuid || *l->instance || label_text_vcpu(l->role) >= 0)));
}

static int by_pid(const void *a, const void *b)
{
	const struct names_vm *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static struct names_vm *find_vm(const struct names *names, int32_t pid)
{
	struct names_vm key = { .pid = pid };

	return names->n_vms ? bsearch(&key, names->vms, names->n_vms, sizeof(key), by_pid) : NULL;
}

bool names_vm_pid(const struct names *names, int32_t pid)
{
	return find_vm(names, pid) != NULL;
}

const struct names_vm *names_vm_find(const struct names *names, int32_t pid)
{
	const struct names_vm *vm = find_vm(names, pid);

	return vm ? &names->vms[vm->leader] : NULL;
}

const char *names_vm_of_pid(const struct names *names, int32_t pid)
{
	const struct names_vm *vm = names_vm_find(names, pid);

	return vm ? vm->text : NULL;
}

struct names_task *names_task_at(struct names *names, size_t i)
{
	struct names_task *t;

	if (names->known[i])
		return &names->tasks.at[names->known[i] - 1];
	t = array_add(&names->tasks);
	if (t)
		names->known[i] = (uint32_t)names->tasks.n;
	return t;
}

static const struct cdict_label *label_of(const struct names *names, size_t i)
{
	return names->known[i] ? names->tasks.at[names->known[i] - 1].label : NULL;
}

/* The role of a thread in a domain's group for all threads without a group of their own: QEMU's
 * worker threads, the kernel's for KVM and vhost, the rest. */
static const char *role_by_comm(const char *comm)
{
	static const struct {
		const char *begins, *role;
	} all[] = {
		{ "worker", "worker" },          { "iou-", "worker" },
		{ "vhost-", "vhost" },           { "kvm-pit/", "kvm-pit" },
		{ "kvm-nx-lpage-re", "kvm-nx" }, { "", "emulator" },
	};
	size_t i = 0;

	while (strncmp(comm, all[i].begins, strlen(all[i].begins)) != 0)
		i++;
	return all[i].role;
}

/* Looks up the label of each task. */
static int find_labels(struct names *names, struct label_index *labels, size_t n)
{
	for (size_t i = 0; labels && i < n; i++) {
		const struct analyze_task *task = analyze_engine_task(names->eng, (uint32_t)i);
		struct label_task key = { task->tid, task->born_ns, task->first_ns, task->exit_ns };
		struct names_task *t;
		struct cdict_label l;

		if (!task->tid || !label_index_find(labels, &key, &l))
			continue;
		t = names_task_at(names, i);
		if (!t || !(t->label = malloc(sizeof(l))))
			return -ENOMEM;
		if (l.origin == CDICT_LABEL_PROC && *l.instance && *l.cgroup && !*l.role)
			l.role = role_by_comm(task->comm);
		*t->label = l;
		t->role_vcpu = label_text_vcpu(l.role) + 1;
	}
	return 0;
}

/* Creates a VM for each process that is one. */
static int find_vms(struct names *names, size_t n)
{
	ARRAY(struct names_vm) vms = { 0 };
	size_t distinct = 0;

	for (size_t i = 0; i < n; i++) {
		const struct analyze_task *task = analyze_engine_task(names->eng, (uint32_t)i);

		if (makes_vm(task, label_of(names, i)) &&
		    array_push(&vms, (struct names_vm){ .pid = process(task) })) {
			array_fini(&vms);
			return -ENOMEM;
		}
	}
	names->vms = vms.at;
	names->n_vms = vms.n;
	if (!names->n_vms)
		return 0;
	qsort(names->vms, names->n_vms, sizeof(*names->vms), by_pid);
	for (size_t i = 0; i < names->n_vms; i++) {
		if (!i || names->vms[i].pid != names->vms[i - 1].pid)
			names->vms[distinct++] = names->vms[i];
	}
	names->n_vms = distinct;
	for (size_t i = 0; i < n; i++) {
		const struct analyze_task *task = analyze_engine_task(names->eng, (uint32_t)i);
		struct names_vm *vm = task->tid ? find_vm(names, process(task)) : NULL;

		struct names_task *t = vm ? names_task_at(names, i) : NULL;

		if (!vm)
			continue;
		if (!t)
			return -ENOMEM;
		t->vm = (uint32_t)(vm - names->vms) + 1;
		if (task->tid == vm->pid)
			vm->comm = task->comm;
		if (t->label)
			mapping_merge(&vm->id, &vm->origins, t->label);
	}
	return 0;
}

static int by_uuid(const void *a, const void *b)
{
	const struct names_vm *x = *(const struct names_vm *const *)a;
	const struct names_vm *y = *(const struct names_vm *const *)b;
	int order = strcasecmp(x->id.uuid, y->id.uuid);

	return order ? order : (x > y) - (x < y);
}

static int by_instance(const void *a, const void *b)
{
	const struct names_vm *x = *(const struct names_vm *const *)a;
	const struct names_vm *y = *(const struct names_vm *const *)b;
	int order = strcmp(x->id.instance, y->id.instance);

	return order ? order : (x > y) - (x < y);
}

static int by_text(const void *a, const void *b)
{
	const struct names_vm *x = *(const struct names_vm *const *)a;
	const struct names_vm *y = *(const struct names_vm *const *)b;
	int order = strcmp(x->text, y->text);

	return order ? order : (x > y) - (x < y);
}

static size_t leader_of(struct names *names, size_t i)
{
	while (names->vms[i].leader != i)
		i = names->vms[i].leader = names->vms[names->vms[i].leader].leader;
	return i;
}

static void join(struct names *names, const struct names_vm *a, const struct names_vm *b)
{
	size_t x = leader_of(names, (size_t)(a - names->vms));
	size_t y = leader_of(names, (size_t)(b - names->vms));

	if (x < y)
		names->vms[y].leader = x;
	else
		names->vms[x].leader = y;
}

/* Joins entries of the same VM, as a vhost thread is a process of its own: entries with the same
 * UUID, or with the same instance and no contradicting UUID. */
static void join_alike(struct names *names, struct names_vm **sorted)
{
	size_t n = names->n_vms;

	qsort(sorted, n, sizeof(*sorted), by_uuid);
	for (size_t i = 1; i < n; i++) {
		if (*sorted[i]->id.uuid && !strcasecmp(sorted[i]->id.uuid, sorted[i - 1]->id.uuid))
			join(names, sorted[i - 1], sorted[i]);
	}
	qsort(sorted, n, sizeof(*sorted), by_instance);
	for (size_t i = 1; i < n; i++) {
		const struct cdict_label *a = &sorted[i - 1]->id, *b = &sorted[i]->id;

		if (*b->instance && !strcmp(a->instance, b->instance) &&
		    (!*a->uuid || !*b->uuid || !strcasecmp(a->uuid, b->uuid)))
			join(names, sorted[i - 1], sorted[i]);
	}
	for (size_t i = 0; i < n; i++) {
		struct names_vm *leader = &names->vms[leader_of(names, i)];

		names->vms[i].leader = (size_t)(leader - names->vms);
		if (&names->vms[i] != leader)
			mapping_merge(&leader->id, &leader->origins, &names->vms[i].id);
	}
}

/* A VM without labels is called by its process; QEMU's comm is the same for all, so its pid is enough.
 * False: not by the process, or out of memory. */
static bool named_by_process(const struct names_vm *vm, char **text)
{
	*text = NULL;
	if (!vm->comm || !*vm->comm || !strncmp(vm->comm, "qemu", 4) || !strcmp(vm->comm, "kvm") ||
	    !strncmp(vm->comm, "CPU ", 4))
		return false;
	if (asprintf(text, "%s-%" PRId32, vm->comm, vm->pid) >= 0)
		return true;
	*text = NULL;
	return false;
}

static int text_of(struct names_vm *vm)
{
	bool failed = false;

	vm->text = label_text_vm(&vm->id, &failed);
	if (!vm->text && !failed && !named_by_process(vm, &vm->text))
		failed = asprintf(&vm->text, "%" PRId32, vm->pid) < 0;
	if (failed)
		vm->text = NULL;
	vm->order = label_text_order(&vm->id);
	return vm->text ? 0 : -ENOMEM;
}

/* Whether the instance distinguishes @vm from the others in @alike. */
static bool instance_decides(const struct names_vm *vm, struct names_vm **alike, size_t n)
{
	if (!*vm->id.name || !*vm->id.instance || n > 64)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (alike[i] != vm && !strcmp(alike[i]->id.instance, vm->id.instance))
			return false;
	}
	return true;
}

/* VMs may have the same name; their texts must differ, as rows are grouped by them. */
static int distinguish(struct names_vm **sorted, size_t n)
{
	qsort(sorted, n, sizeof(*sorted), by_text);
	for (size_t i = 0; i < n;) {
		size_t end = i + 1;

		while (end < n && !strcmp(sorted[i]->text, sorted[end]->text))
			end++;
		for (size_t k = i; end - i > 1 && k < end; k++) {
			struct names_vm *vm = sorted[k];
			char *text;
			int rc = instance_decides(vm, sorted + i, end - i)
					 ? asprintf(&text, "%s (%s)", vm->text, vm->id.instance)
					 : asprintf(&text, "%s (%" PRId32 ")", vm->text, vm->pid);

			if (rc < 0)
				return -ENOMEM;
			free(vm->text);
			vm->text = text;
		}
		i = end;
	}
	return 0;
}

static int name_vms(struct names *names)
{
	struct names_vm **sorted = calloc(names->n_vms + 1, sizeof(*sorted));
	size_t leaders = 0;
	int rc = sorted ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < names->n_vms; i++) {
		struct names_vm *vm = &names->vms[i];
		struct mapping_origins none = { 0 };
		static const struct cdict_label empty = { .name = "" };

		vm->leader = i;
		if (!vm->id.name) /* no label: the texts in its id are not set yet */
			mapping_merge(&vm->id, &none, &empty);
		sorted[i] = vm;
	}
	if (!rc)
		join_alike(names, sorted);
	for (size_t i = 0; !rc && i < names->n_vms; i++) {
		if (names->vms[i].leader != i)
			continue;
		rc = text_of(&names->vms[i]);
		sorted[leaders++] = &names->vms[i];
	}
	if (!rc)
		rc = distinguish(sorted, leaders);
	free(sorted);
	return rc;
}

/* A task's own name; parts missing in its label are taken from its VM. */
static int name_task(struct names *names, struct names_task *t)
{
	struct cdict_label *l = t->label;
	bool failed = false;

	if (t->vm) {
		const struct cdict_label *vm = &names->vms[names->vms[t->vm - 1].leader].id;

		if (!*l->name) {
			l->name = vm->name;
			if (!*l->group)
				l->group = vm->group;
		}
		if (!*l->instance)
			l->instance = vm->instance;
		if (!*l->uuid)
			l->uuid = vm->uuid;
		if (!*l->project)
			l->project = vm->project;
	}
	t->name = label_text_name(l, &failed);
	t->order = t->name ? label_text_order(l) : NULL;
	return failed || (t->name && !t->order) ? -ENOMEM : 0;
}

/* A task's name, and its VM if the name is just the comm. */
struct called {
	const char *name;
	uint32_t vm;
	struct names_task *task;
};

static int by_name(const void *a, const void *b)
{
	const struct called *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->vm > y->vm) - (x->vm < y->vm);
}

static int find_shared(struct names *names, size_t n)
{
	struct called *all = calloc(names->tasks.n + 1, sizeof(*all));
	size_t k = 0;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct names_task *t = names->known[i] ? &names->tasks.at[names->known[i] - 1]
						       : NULL;

		if (t && t->name)
			all[k++] = (struct called){ t->name, 0, t };
		else if (t && t->vm)
			all[k++] =
				(struct called){ analyze_engine_task(names->eng, (uint32_t)i)->comm,
						 t->vm, t };
	}
	qsort(all, k, sizeof(*all), by_name);
	for (size_t i = 1; i < k; i++) {
		if (!by_name(&all[i - 1], &all[i]))
			all[i - 1].task->shared = all[i].task->shared = true;
	}
	free(all);
	return 0;
}

int names_init(struct names *names, const struct analyze_engine *eng,
	       const struct names_options *opts)
{
	size_t n = analyze_engine_task_count(eng);
	int rc;

	*names = (struct names){ .eng = eng,
				 .merge_sys_tasks = opts->merge_sys_tasks,
				 .append_tid = opts->append_tid };
	names->known = calloc(n + 1, sizeof(*names->known));
	names->wanted = calloc(n / 64 + 1, sizeof(*names->wanted));
	if (!names->known || !names->wanted)
		return -ENOMEM;
	rc = find_labels(names, opts->labels, n);
	if (!rc)
		rc = names_units(names, opts->labels, n);
	if (!rc)
		rc = find_vms(names, n);
	if (!rc)
		rc = name_vms(names);
	for (size_t i = 0; !rc && i < names->tasks.n; i++) {
		if (names->tasks.at[i].label)
			rc = name_task(names, &names->tasks.at[i]);
	}
	if (!rc)
		rc = find_shared(names, n);
	if (!rc)
		names_filter(names, &opts->filter);
	return rc;
}

void names_fini(struct names *names)
{
	for (size_t i = 0; i < names->tasks.n; i++) {
		free(names->tasks.at[i].label);
		free(names->tasks.at[i].name);
		free(names->tasks.at[i].order);
	}
	for (size_t i = 0; i < names->n_vms; i++) {
		free(names->vms[i].text);
		free(names->vms[i].order);
	}
	array_fini(&names->tasks);
	free(names->known);
	free(names->wanted);
	free(names->vms);
	*names = (struct names){ 0 };
}
