/* SPDX-License-Identifier: GPL-2.0-only */
/* What tasks are called in tables, and which are wanted. */
#include "cmd/names.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_pid(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int32_t process(const struct analyze_task *task)
{
	return task->pid >= 0 ? task->pid : task->tid;
}

int names_init(struct names *names, const struct analyze_engine *eng,
	       const struct options_shared *opts)
{
	size_t n = analyze_engine_task_count(eng);

	*names = (struct names){ .eng = eng, .opts = opts };
	names->vm_pids = calloc(n + 1, sizeof(*names->vm_pids));
	if (!names->vm_pids)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct analyze_task *task = analyze_engine_task(eng, (uint32_t)i);

		if (task->is_vcpu)
			names->vm_pids[names->n_vm_pids++] = process(task);
	}
	qsort(names->vm_pids, names->n_vm_pids, sizeof(*names->vm_pids), by_pid);
	return 0;
}

void names_fini(struct names *names)
{
	free(names->vm_pids);
	*names = (struct names){ 0 };
}

static const char *comm(const struct analyze_task *task, char room[32])
{
	if (task->tid == 0 && !task->comm[0]) {
		snprintf(room, 32, "swapper/%" PRIu32, task->idle_cpu);
		return room;
	}
	return task->comm[0] ? task->comm : ":?";
}

size_t names_merged(const struct names *names, const struct analyze_task *task)
{
	char room[32];
	const char *name = comm(task, room), *slash = strchr(name, '/');

	/* kernel threads are processes of one thread: swapper/0, kworker/3:1H, kworker/u8:2 */
	if (!names->opts->merge_sys_tasks || !slash || slash == name)
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
	const char *name = comm(task, room);

	if (merged)
		return strndup(name, merged);
	if (!names->opts->append_tid)
		return strdup(name);
	return asprintf(&text, "%s.%" PRId32, name, task->tid) < 0 ? NULL : text;
}

char *names_vm(const struct names *names, const struct analyze_task *task)
{
	int32_t pid = process(task);
	char *text;

	if (!names->n_vm_pids || !task->tid ||
	    !bsearch(&pid, names->vm_pids, names->n_vm_pids, sizeof(pid), by_pid))
		return NULL;
	return asprintf(&text, "%" PRId32, pid) < 0 ? NULL : text;
}

bool names_wanted(const struct names *names, const struct options_filter *filter,
		  const struct analyze_task *task)
{
	char room[32];

	if (filter->vm) {
		char *vm = names_vm(names, task);
		bool same = vm && !strcmp(vm, filter->vm);

		free(vm);
		if (!same)
			return false;
	}
	return !options_filter_tasks(filter) ||
	       options_filter_task(filter, task->tid, comm(task, room));
}

int32_t *names_nodes(const struct cdict_reader *r, size_t *n)
{
	const char *p = cdict_reader_info(r, "topology.numa");
	size_t cpus = cdict_reader_cpus(r);
	int32_t *nodes;

	if (!p || !cpus)
		return NULL;
	nodes = malloc(cpus * sizeof(*nodes));
	if (!nodes)
		return NULL;
	memset(nodes, 0xff, cpus * sizeof(*nodes));
	*n = cpus;
	/* foreign text: whatever is not as promised ends the walk */
	while (isdigit((unsigned char)*p)) {
		char *end;
		long node = strtol(p, &end, 10);

		if (*end != ':' || node > 1 << 20)
			break;
		do {
			unsigned long from, to;

			p = end + 1;
			if (!isdigit((unsigned char)*p))
				break;
			from = to = strtoul(p, &end, 10);
			if (*end == '-' && isdigit((unsigned char)end[1]))
				to = strtoul(end + 1, &end, 10);
			for (unsigned long cpu = from; cpu <= to && cpu < cpus; cpu++)
				nodes[cpu] = (int32_t)node;
		} while (*end == ',');
		if (*end != ';')
			break;
		p = end + 1;
	}
	return nodes;
}
