/* SPDX-License-Identifier: LGPL-2.1-only */
/* The names of tasks, and the filter. */
#include "tables/names/names.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text/cpulist.h"
#include "tables/names/names_vms.h"

static const struct names_task *of(const struct names *names, const struct analyze_task *task)
{
	static const struct names_task nothing;
	uint32_t known = names->known[task->index];

	return known ? &names->tasks.at[known - 1] : &nothing;
}

/* The VM that a task belongs to, or NULL. */
static const struct names_vm *vm_of(const struct names *names, const struct analyze_task *task)
{
	uint32_t vm = of(names, task)->vm;

	return vm ? &names->vms[names->vms[vm - 1].leader] : NULL;
}

bool names_kernel_thread(const struct analyze_task *task)
{
	return task->tid == 2 || task->ppid == 2;
}

/* The VM that a kernel thread works for by its name, or NULL. */
static const struct names_vm *served(const struct names *names, const struct analyze_task *task)
{
	int32_t pid;
	char end;

	if (!names_kernel_thread(task) ||
	    (sscanf(task->comm, "vhost-%" SCNd32 "%c", &pid, &end) != 1 &&
	     sscanf(task->comm, "kvm-pit/%" SCNd32 "%c", &pid, &end) != 1))
		return NULL;
	return names_vm_find(names, pid);
}

static const char *comm(const struct analyze_task *task, char room[32])
{
	if (task->tid == 0 && !task->comm[0]) {
		snprintf(room, 32, "swapper/%" PRIu32, task->idle_cpu);
		return room;
	}
	if (task->comm[0])
		return task->comm;
	snprintf(room, 32, ":%" PRId32, task->tid); /* as perf prints it */
	return room;
}

bool names_unnamed(const struct names *names, const struct analyze_task *task)
{
	return task->tid && !task->comm[0] && !names_named(names, task);
}

size_t names_merged(const struct names *names, const struct analyze_task *task)
{
	char room[32];
	const char *name, *slash;

	if (!names->merge_sys_tasks || (task->tid && !task->comm[0]))
		return 0;
	name = comm(task, room);
	slash = strchr(name, '/');
	/* kernel threads are processes of one thread: swapper/0, kworker/3:1H, kworker/u8:2 */
	if (!slash || slash == name || names_named(names, task))
		return 0;
	if (task->tid && task->pid >= 0 && task->pid != task->tid)
		return 0;
	if (task->tid && task->ppid >= 0 && task->ppid != 2)
		return 0;
	if (!isdigit((unsigned char)slash[1]) &&
	    !(slash[1] == 'u' && isdigit((unsigned char)slash[2])))
		return 0;
	return (size_t)(slash - name);
}

char *names_display(const struct names *names, const struct analyze_task *task)
{
	size_t merged = names_merged(names, task);
	char room[32], *text;
	const char *name = of(names, task)->name;

	if (!name)
		name = comm(task, room);
	if (merged)
		return strndup(name, merged);
	if (!names->append_tid)
		return strdup(name);
	return asprintf(&text, "%s.%" PRId32, name, task->tid) < 0 ? NULL : text;
}

char *names_full(const struct names *names, const struct analyze_task *task)
{
	char *name = names_display(names, task), *full = NULL;
	const char *vm = names_vm(names, task);
	bool named = !name || strcmp(name, task->comm) != 0; /* it is a label, or already has the
							     * tid */
	bool shared = of(names, task)->shared && !names->append_tid, ok;

	if (!task->tid || !name || (named && !shared))
		return name;
	if (named || !vm)
		ok = asprintf(&full, "%s-%" PRId32, name, task->tid) >= 0;
	else if (shared)
		ok = asprintf(&full, "%s-%s-%" PRId32, name, vm, task->tid) >= 0;
	else if (!strncmp(vm, name, strlen(name)) && vm[strlen(name)] == '-')
		ok = (full = strdup(vm)) != NULL; /* the VM is called by this process */
	else
		ok = asprintf(&full, "%s-%s", name, vm) >= 0;
	free(name);
	return ok ? full : NULL;
}

const char *names_order(const struct names *names, const struct analyze_task *task)
{
	return of(names, task)->order;
}

const char *names_vm(const struct names *names, const struct analyze_task *task)
{
	const struct names_vm *vm = vm_of(names, task);

	return vm ? vm->text : NULL;
}

const char *names_vm_served(const struct names *names, const struct analyze_task *task)
{
	const struct names_vm *vm = served(names, task);

	return vm ? vm->text : NULL;
}

const char *names_unit(const struct names *names, const struct analyze_task *task)
{
	return of(names, task)->unit;
}

const char *names_cgroup(const struct names *names, const struct analyze_task *task)
{
	return of(names, task)->cgroup;
}

const char *names_unit_beside(const struct names *names, const struct analyze_task *task)
{
	return vm_of(names, task) || served(names, task) ? NULL : names_unit(names, task);
}

char *names_full_unit(const struct names *names, const struct analyze_task *task)
{
	const char *unit = names_unit_beside(names, task);
	char *name = names_full(names, task), *both = NULL;

	if (!name || !unit)
		return name;
	if (asprintf(&both, "%s (%s)", name, unit) < 0)
		both = NULL;
	free(name);
	return both;
}

static bool nameless(const struct names_vm *vm)
{
	return !*vm->id.name && !*vm->id.uuid && !*vm->id.instance;
}

bool names_nameless(const struct names *names, const struct analyze_task *task)
{
	const struct names_vm *vm = vm_of(names, task);

	if (!vm)
		vm = served(names, task);
	return vm && nameless(vm);
}

size_t names_nameless_vms(const struct names *names)
{
	size_t n = 0;

	for (size_t i = 0; i < names->n_vms; i++)
		n += nameless(&names->vms[i]);
	return n;
}

const char *names_vm_order(const struct names *names, const struct analyze_task *task)
{
	const struct names_vm *vm = vm_of(names, task);

	return vm ? vm->order : NULL;
}

int32_t names_vcpu(const struct names *names, const struct analyze_task *task)
{
	return task->vcpu_id >= 0 ? task->vcpu_id : of(names, task)->role_vcpu - 1;
}

const struct cdict_label *names_label(const struct names *names, const struct analyze_task *task)
{
	return of(names, task)->label;
}

bool names_named(const struct names *names, const struct analyze_task *task)
{
	return of(names, task)->name != NULL;
}

bool names_is_vm(const struct names *names, const struct analyze_task *task, const char *want)
{
	const struct names_vm *vm = vm_of(names, task), *own;
	char pid[16], *with_group;
	bool failed = false, same;

	own = vm ? &names->vms[of(names, task)->vm - 1] : served(names, task);
	if (!vm)
		vm = own;
	if (!vm)
		return false;
	snprintf(pid, sizeof(pid), "%" PRId32, own->pid);
	if (!strcmp(want, vm->text) || !strcmp(want, pid) || !strcmp(want, vm->id.name) ||
	    !strcmp(want, vm->id.instance) || !strcasecmp(want, vm->id.uuid) ||
	    !strcmp(want, vm->id.project))
		return *want != 0;
	with_group = label_text_vm(&vm->id, &failed);
	same = with_group && !strcmp(want, with_group);
	free(with_group);
	return same;
}

bool names_wanted_tid(const int32_t *tids, size_t n, int32_t tid)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (tids[mid] < tid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return !n || (lo < n && tids[lo] == tid);
}

void names_filter(struct names *names, const struct names_filter *filter)
{
	for (size_t i = 0; i < analyze_engine_task_count(names->eng); i++) {
		const struct analyze_task *task = analyze_engine_task(names->eng, (uint32_t)i);
		const char *name = of(names, task)->name;
		char room[32];
		bool wanted;

		if (filter->wanted || task->unrecorded)
			wanted = !task->unrecorded && filter->wanted(filter->ctx, task);
		else
			wanted = (!filter->vm || names_is_vm(names, task, filter->vm)) &&
				 names_wanted_tid(filter->tids, filter->n_tids, task->tid) &&
				 (!filter->matches ||
				  filter->matches(filter->ctx, comm(task, room)) ||
				  (name && filter->matches(filter->ctx, name)));
		names->wanted[i / 64] &= ~(UINT64_C(1) << i % 64);
		names->wanted[i / 64] |= (uint64_t)wanted << i % 64;
	}
}

bool names_wanted(const struct names *names, const struct analyze_task *task)
{
	return names->wanted[task->index / 64] >> task->index % 64 & 1;
}

static int32_t *of_no_cpu(const struct cdict_reader *r, size_t *n)
{
	int32_t *list;

	*n = cdict_reader_cpus(r);
	list = *n ? malloc(*n * sizeof(*list)) : NULL;
	if (list)
		memset(list, 0xff, *n * sizeof(*list));
	return list;
}

int32_t *names_nodes(const struct cdict_reader *r, size_t *n)
{
	const char *p = cdict_reader_info(r, "topology.numa");
	int32_t *nodes = p ? of_no_cpu(r, n) : NULL;

	/* untrusted text: a syntax error ends the loop */
	while (nodes && isdigit((unsigned char)*p)) {
		uint32_t from, to;
		char *end;
		long node = strtol(p, &end, 10);

		if (*end != ':' || node > 1 << 20)
			break;
		p = end + 1;
		while (cpulist_next(&p, &from, &to))
			for (; from <= to && from < *n; from++)
				nodes[from] = (int32_t)node;
		if (*p != ';')
			break;
		p++;
	}
	return nodes;
}

int32_t *names_cores(const struct cdict_reader *r, size_t *n, bool *smt)
{
	const char *p = cdict_reader_info(r, "topology.threads");
	int32_t *cores = p ? of_no_cpu(r, n) : NULL;

	/* also untrusted; no more cores than CPUs */
	for (size_t core = 0; cores && core < *n && isdigit((unsigned char)*p); core++) {
		uint32_t from, to, threads = 0;

		while (cpulist_next(&p, &from, &to))
			for (; from <= to && from < *n; from++, threads++)
				cores[from] = (int32_t)core;
		*smt |= threads > 1;
		if (*p != ' ')
			break;
		p++;
	}
	return cores;
}
