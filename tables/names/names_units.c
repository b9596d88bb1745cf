/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The unit, container or pod of each task. A label of a process holds for its threads. A task that
 * started during the recording is where its parent was, if that is a container or pod: what runs in
 * one does not leave it, but systemd and a login daemon move what they start.
 */
#include <errno.h>
#include <string.h>

#include "base/memory/map.h"
#include "format/labels/cgroup_unit.h"
#include "tables/names/names_vms.h"

struct place {
	const char *unit, *cgroup;
};

/* The latest place that is known of each process. */
struct places {
	struct map of_pid;
	ARRAY(struct place) all;
};

static const struct place *known(const struct places *p, int32_t pid)
{
	const uint32_t *at = pid > 0 ? map_find(&p->of_pid, (uint32_t)pid, 0) : NULL;

	return at ? &p->all.at[*at] : NULL;
}

static int remember(struct places *p, int32_t pid, struct place place)
{
	uint32_t *at = pid > 0 ? map_add(&p->of_pid, (uint32_t)pid, 0) : NULL;

	if (pid <= 0)
		return 0;
	if (!at)
		return -ENOMEM;
	if (*at != MAP_NEW) {
		p->all.at[*at] = place;
		return 0;
	}
	*at = (uint32_t)p->all.n;
	return array_push(&p->all, place) ? -ENOMEM : 0;
}

static int from_labels(struct places *p, const struct mapping *m)
{
	int rc = 0;

	for (size_t i = 0; i < m->n && !rc; i++) {
		const struct cdict_label *l = &m->labels[i];

		if (*l->cgroup || *l->unit)
			rc = remember(p, l->pid ? l->pid : l->tid,
				      (struct place){ *l->unit ? l->unit : NULL,
						      *l->cgroup ? l->cgroup : NULL });
	}
	return rc;
}

static bool keeps_children(const struct place *place)
{
	struct cgroup_unit unit;

	if (!place || !place->cgroup)
		return false;
	cgroup_unit(&unit, place->cgroup, strlen(place->cgroup));
	return unit.kind >= CGROUP_JOB;
}

static struct place place_of(const struct places *p, const struct names_task *own,
			     const struct analyze_task *task)
{
	int32_t pid = task->pid >= 0 ? task->pid : task->tid;
	const struct cdict_label *l = own ? own->label : NULL;
	const struct place *found = known(p, pid);

	if (l && (*l->cgroup || *l->unit))
		return (struct place){ *l->unit ? l->unit : NULL, *l->cgroup ? l->cgroup : NULL };
	if (!found && keeps_children(known(p, task->ppid)))
		found = known(p, task->ppid);
	return found ? *found : (struct place){ 0 };
}

int names_units(struct names *names, struct label_index *labels, size_t n)
{
	struct places p = { 0 };
	int rc = labels ? from_labels(&p, label_index_mapping(labels)) : 0;

	for (size_t i = 0; p.all.n && i < n && !rc; i++) {
		const struct analyze_task *task = analyze_engine_task(names->eng, (uint32_t)i);
		struct names_task *t;
		struct place place;

		if (!task->tid)
			continue;
		t = names->known[i] ? &names->tasks.at[names->known[i] - 1] : NULL;
		place = place_of(&p, t, task);
		if (!place.unit && !place.cgroup)
			continue;
		t = names_task_at(names, i);
		if (!t) {
			rc = -ENOMEM;
			break;
		}
		t->unit = place.unit;
		t->cgroup = place.cgroup;
		rc = remember(&p, task->pid >= 0 ? task->pid : task->tid, place);
	}
	map_fini(&p.of_pid);
	array_fini(&p.all);
	return rc;
}
