/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * mapping.h - labels collected from CSV files, /proc, libvirt, OpenStack, before they
 * are written into a cdict, shown, or saved as a CSV.
 *
 *	struct mapping m = { 0 };
 *	mapping_add(&m, &(struct cdict_label){ .tid = 17, .origin = CDICT_LABEL_PROC,
 *					       .role = "vcpu0" }, err);
 *	... m.labels[0 .. m.n) ...
 *	mapping_fini(&m);
 *
 * A mapping holds one label per (tid, start_ns, origin); a later one with the same
 * three overrides it, field by field. Labels of different origins are kept separately
 * and merged on lookup (mapping_find()), by the order of enum cdict_label_origin, the
 * greatest winning field by field.
 *
 * Text       NULL and "" both mean unknown; kept texts are never NULL
 * Failure    0 or a negative code with *err filled; the mapping stays usable
 * Ownership  everything given to mapping_add() is copied; labels and their texts are
 *            borrowed until mapping_fini() (pointers into labels[] only until the next
 *            mapping_add(); texts stay where they are)
 */
#ifndef FORMAT_LABELS_MAPPING_H
#define FORMAT_LABELS_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory/stringset.h"
#include "cdict/error.h"
#include "cdict/label.h"

/* The zero value is an empty mapping. */
struct mapping {
	struct cdict_label *labels; /* in the order of arrival */
	size_t n, cap;
	uint32_t *next;             /* per label: index + 1 of the tid's next, in a ring */
	struct mapping_slot *slots; /* by tid, start and origin: index + 1 */
	struct mapping_slot *tids;  /* by tid: index + 1 of its latest label */
	size_t n_slots;             /* of both, a power of two */
	struct stringset texts;
};

void mapping_fini(struct mapping *m);

#define MAPPING_TEXT_MAX 1024u

/* mapping_add - CDICT_EUSAGE when tid is not above 0, pid is below 0, or origin is not in
 * the enum; CDICT_ELIMIT when a text is longer than MAPPING_TEXT_MAX bytes. */
int mapping_add(struct mapping *m, const struct cdict_label *label, struct cdict_error *err);
/* mapping_add_all - adds every label of @from after those of @m. */
int mapping_add_all(struct mapping *m, const struct mapping *from, struct cdict_error *err);

/* mapping_find - merges the labels of the task @tid that started at @start_ns: those with
 * this start and those without one. With @start_ns 0: all labels of the tid whatever their
 * start. origin is the greatest of them. False if there is none. */
bool mapping_find(const struct mapping *m, int32_t tid, uint64_t start_ns, struct cdict_label *out);

/* The labels of a tid in the order of arrival: the index of the first one, of the next
 * one, MAPPING_NONE after the last. */
#define MAPPING_NONE UINT32_MAX
uint32_t mapping_first(const struct mapping *m, int32_t tid);
static inline uint32_t mapping_next(const struct mapping *m, uint32_t i, uint32_t first)
{
	return m->next[i] - 1 == first ? MAPPING_NONE : m->next[i] - 1;
}

/* mapping_merge - merges @from into @into, for the same task: a field of the greater origin
 * wins, among equals that of @from; an empty one never wins. Texts are borrowed.
 * @origins: per field, the origin of its value so far; start with zeros. */
struct mapping_origins {
	uint8_t pid, name, group, group_type, role, uuid, instance, project, host, unit, cgroup;
};
void mapping_merge(struct cdict_label *into, struct mapping_origins *origins,
		   const struct cdict_label *from);

#endif
