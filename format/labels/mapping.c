// SPDX-License-Identifier: LGPL-2.1-only
/* Labels: collecting, finding by tid, merging by origin. */
#include "format/labels/mapping.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

static uint32_t mix(uint64_t v)
{
	v *= UINT64_C(0x9e3779b97f4a7c15);
	v ^= v >> 29;
	v *= UINT64_C(0xbf58476d1ce4e5b9);
	return (uint32_t)(v >> 32);
}

/* A slot has the tid, so that few labels are read. */
struct mapping_slot {
	int32_t tid;
	uint32_t label; /* index + 1, 0: free */
};

/* Tids come in runs: sixteen of them share a cache line. */
static size_t place(const struct mapping *m, int32_t tid, uint64_t more)
{
	return (16 * (size_t)mix((uint32_t)tid >> 4 ^ more << 28) + ((uint32_t)tid & 15)) &
	       (m->n_slots - 1);
}

static bool same(const struct cdict_label *a, const struct cdict_label *b)
{
	return a->start_ns == b->start_ns && a->origin == b->origin;
}

/* The slot of the label with the key of @l, or the free slot for it. */
static struct mapping_slot *find_label(const struct mapping *m, const struct cdict_label *l)
{
	size_t s = place(m, l->tid, (l->start_ns << 3 ^ l->start_ns >> 40) + l->origin);

	while (m->slots[s].label &&
	       (m->slots[s].tid != l->tid || !same(&m->labels[m->slots[s].label - 1], l)))
		s = (s + 1) & (m->n_slots - 1);
	return &m->slots[s];
}

static struct mapping_slot *find_tid(const struct mapping *m, int32_t tid)
{
	size_t s = place(m, tid, 0);

	while (m->tids[s].label && m->tids[s].tid != tid)
		s = (s + 1) & (m->n_slots - 1);
	return &m->tids[s];
}

/* The labels of a tid are a ring in the order of arrival: m->tids has the last one, whose
 * next is the first. */
static void enter(struct mapping *m, uint32_t index)
{
	const struct cdict_label *l = &m->labels[index];
	struct mapping_slot *tid = find_tid(m, l->tid);
	uint32_t last = tid->label;

	*find_label(m, l) = (struct mapping_slot){ l->tid, index + 1 };
	m->next[index] = last ? m->next[last - 1] : index + 1;
	if (last)
		m->next[last - 1] = index + 1;
	*tid = (struct mapping_slot){ l->tid, index + 1 };
}

static bool grow_slots(struct mapping *m)
{
	size_t n = m->n_slots ? 2 * m->n_slots : 256;
	struct mapping_slot *slots = calloc(n, sizeof(*slots)), *tids = calloc(n, sizeof(*tids));

	if (!slots || !tids) {
		free(slots);
		free(tids);
		return false;
	}
	free(m->slots);
	free(m->tids);
	m->slots = slots;
	m->tids = tids;
	m->n_slots = n;
	for (size_t i = 0; i < m->n; i++)
		enter(m, (uint32_t)i);
	return true;
}

static bool grow_labels(struct mapping *m)
{
	size_t cap = m->cap ? 2 * m->cap : 64;
	struct cdict_label *labels = realloc(m->labels, cap * sizeof(*labels));
	uint32_t *next;

	if (!labels)
		return false;
	m->labels = labels;
	next = realloc(m->next, cap * sizeof(*next));
	if (!next)
		return false;
	m->next = next;
	m->cap = cap;
	return true;
}

/* The texts of a label as an array. */
#define TEXTS 10

static void texts_of(struct cdict_label *l, const char **texts[TEXTS])
{
	const char **all[TEXTS] = {
		&l->name,     &l->group,   &l->group_type, &l->role, &l->uuid,
		&l->instance, &l->project, &l->host,       &l->unit, &l->cgroup
	};

	memcpy(texts, all, sizeof(all));
}

/* Neighbours are threads of one VM, with the same texts: @before is this text of the
 * previous label. */
static int keep_text(struct mapping *m, const char **text, const char *before)
{
	size_t len;

	if (!*text || !**text) {
		*text = "";
		return 0;
	}
	if (before && !strcmp(*text, before)) {
		*text = before;
		return 0;
	}
	len = strlen(*text);
	if (len > MAPPING_TEXT_MAX)
		return CDICT_ELIMIT;
	*text = stringset_add(&m->texts, *text, len);
	return *text ? 0 : -ENOMEM;
}

static int keep_all(struct mapping *m, struct cdict_label *l)
{
	const char **texts[TEXTS], **before[TEXTS];
	int rc = 0;

	texts_of(l, texts);
	if (m->n)
		texts_of(&m->labels[m->n - 1], before);
	for (unsigned i = 0; i < TEXTS && !rc; i++)
		rc = keep_text(m, texts[i], m->n ? *before[i] : NULL);
	return rc;
}

static void take_text(const char **into, const char *from)
{
	if (*from)
		*into = from;
}

int mapping_add(struct mapping *m, const struct cdict_label *label, struct cdict_error *err)
{
	struct cdict_label l = *label, *old;
	uint32_t slot;
	int rc;

	if (l.tid <= 0 || l.pid < 0 || l.origin < CDICT_LABEL_PROC || l.origin > CDICT_LABEL_CSV)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "no label for tid %d", l.tid);
	rc = keep_all(m, &l);
	if (rc == CDICT_ELIMIT)
		return cdict_fail(err, rc, CDICT_NO_OFFSET,
				  "label of tid %d has a text of more than %u bytes", l.tid,
				  MAPPING_TEXT_MAX);
	if (rc)
		goto no_memory;
	if (2 * m->n >= m->n_slots && (m->n >= UINT32_MAX / 2 || !grow_slots(m)))
		goto no_memory;
	slot = find_label(m, &l)->label;
	if (!slot) {
		if (m->n == m->cap && !grow_labels(m))
			goto no_memory;
		m->labels[m->n] = l;
		enter(m, (uint32_t)m->n++);
		return 0;
	}
	old = &m->labels[slot - 1];
	old->pid = l.pid ? l.pid : old->pid;
	take_text(&old->name, l.name);
	take_text(&old->group, l.group);
	take_text(&old->group_type, l.group_type);
	take_text(&old->role, l.role);
	take_text(&old->uuid, l.uuid);
	take_text(&old->instance, l.instance);
	take_text(&old->project, l.project);
	take_text(&old->host, l.host);
	take_text(&old->unit, l.unit);
	take_text(&old->cgroup, l.cgroup);
	return 0;

no_memory:
	return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
}

int mapping_add_all(struct mapping *m, const struct mapping *from, struct cdict_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < from->n && !rc; i++)
		rc = mapping_add(m, &from->labels[i], err);
	return rc;
}

static void win(const char **into, uint8_t *origin, const char *from, unsigned from_origin)
{
	if (!*into)
		*into = "";
	if (!from || !*from || from_origin < *origin)
		return;
	*into = from;
	*origin = (uint8_t)from_origin;
}

void mapping_merge(struct cdict_label *into, struct mapping_origins *o,
		   const struct cdict_label *from)
{
	unsigned origin = from->origin;

	into->tid = from->tid;
	if (from->origin > into->origin)
		into->origin = from->origin;
	if (from->start_ns)
		into->start_ns = from->start_ns;
	if (from->pid && origin >= o->pid) {
		into->pid = from->pid;
		o->pid = (uint8_t)origin;
	}
	win(&into->name, &o->name, from->name, origin);
	win(&into->group, &o->group, from->group, origin);
	win(&into->group_type, &o->group_type, from->group_type, origin);
	win(&into->role, &o->role, from->role, origin);
	win(&into->uuid, &o->uuid, from->uuid, origin);
	win(&into->instance, &o->instance, from->instance, origin);
	win(&into->project, &o->project, from->project, origin);
	win(&into->host, &o->host, from->host, origin);
	win(&into->unit, &o->unit, from->unit, origin);
	win(&into->cgroup, &o->cgroup, from->cgroup, origin);
}

uint32_t mapping_first(const struct mapping *m, int32_t tid)
{
	uint32_t last = m->n_slots ? find_tid(m, tid)->label : 0;

	return last ? m->next[last - 1] - 1 : MAPPING_NONE;
}

bool mapping_find(const struct mapping *m, int32_t tid, uint64_t start_ns, struct cdict_label *out)
{
	uint32_t first = mapping_first(m, tid);
	struct mapping_origins origins = { 0 };
	bool found = false;

	*out = (struct cdict_label){ .name = "", .group = "", .group_type = "", .role = "" };
	out->uuid = out->instance = out->project = out->host = out->unit = out->cgroup = "";
	for (uint32_t i = first; i != MAPPING_NONE; i = mapping_next(m, i, first)) {
		const struct cdict_label *l = &m->labels[i];

		if (start_ns && l->start_ns && l->start_ns != start_ns)
			continue;
		mapping_merge(out, &origins, l);
		found = true;
	}
	return found;
}

void mapping_fini(struct mapping *m)
{
	free(m->labels);
	free(m->next);
	free(m->slots);
	free(m->tids);
	stringset_fini(&m->texts);
	*m = (struct mapping){ 0 };
}
