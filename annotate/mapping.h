/* SPDX-License-Identifier: GPL-2.0-only */
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
 * three replaces what it knows, field by field. Different origins stay apart: they are
 * brought together where a label is looked up (mapping_find()), by the order of
 * enum cdict_label_origin, the greatest winning field by field.
 *
 * Text       NULL and "" both mean unknown; kept texts are never NULL
 * Failure    0 or a negative code with *err filled; the mapping stays usable
 * Ownership  everything given to mapping_add() is copied; labels and their texts are
 *            borrowed until mapping_fini() (pointers into labels[] only until the next
 *            mapping_add(); texts stay where they are)
 */
#ifndef ANNOTATE_MAPPING_H
#define ANNOTATE_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sink.h"
#include "base/stringset.h"
#include "cdict/error.h"
#include "cdict/label.h"

/* The zero value is an empty mapping. */
struct mapping {
	struct cdict_label *labels; /* in the order in which they came */
	size_t n, cap;
	uint32_t *next;             /* per label: index + 1 of the tid's next, in a ring */
	struct mapping_slot *slots; /* by tid, start and origin: index + 1 */
	struct mapping_slot *tids;  /* by tid: index + 1 of its latest label */
	size_t n_slots;             /* of both, a power of two */
	struct stringset texts;
};

void mapping_fini(struct mapping *m);

#define MAPPING_TEXT_MAX 1024u

/* mapping_add - CDICT_EUSAGE when tid is not above 0, pid below it, or the origin none of
 * the enum; CDICT_ELIMIT when a text is longer than MAPPING_TEXT_MAX bytes. */
int mapping_add(struct mapping *m, const struct cdict_label *label, struct cdict_error *err);
/* mapping_add_all - every label of @from, after those of @m. */
int mapping_add_all(struct mapping *m, const struct mapping *from, struct cdict_error *err);

/* mapping_find - what all labels of @tid say together of the task that started at
 * @start_ns: those with this start and those without one. With @start_ns 0: of all
 * labels of the tid whatever their start. origin is the greatest of them. False: none. */
bool mapping_find(const struct mapping *m, int32_t tid, uint64_t start_ns, struct cdict_label *out);

/* The labels of a tid in the order in which they came: the first one's index, the next
 * one's, MAPPING_NONE after the last. */
#define MAPPING_NONE UINT32_MAX
uint32_t mapping_first(const struct mapping *m, int32_t tid);
static inline uint32_t mapping_next(const struct mapping *m, uint32_t i, uint32_t first)
{
	return m->next[i] - 1 == first ? MAPPING_NONE : m->next[i] - 1;
}

/* mapping_merge - what @from knows goes into @into, for the same task: a field of the
 * greater origin wins, among equals that of @from; what is empty never wins. Texts are
 * borrowed. @origins: per field, who filled it so far; start with zeros. */
struct mapping_origins {
	uint8_t pid, name, group, group_type, role, uuid, instance, project, host;
};
void mapping_merge(struct cdict_label *into, struct mapping_origins *origins,
		   const struct cdict_label *from);

/* --- as CSV: cdict-annotate(1), "MAPPING FILES" --- */

struct mapping_csv_options {
	bool skip_bad; /* bad lines are left out instead of refusing the file */
	/* Told of each bad line that is left out: "line 3, column 1 (tid): ..."; may be NULL. */
	void (*bad_line)(void *ctx, const char *text);
	void *ctx;
};

struct mapping_csv_result {
	size_t rows; /* labels read */
	size_t bad;  /* lines left out */
};

/* mapping_read_csv - reads @path ("-": standard input) into @m, origin CSV.
 * mapping_parse_csv - the same from memory. @opts and @result may be NULL. On failure
 * *err says "line 3, column 1 (tid): ..." and @m is as it was. */
int mapping_read_csv(struct mapping *m, const char *path, const struct mapping_csv_options *opts,
		     struct mapping_csv_result *result, struct cdict_error *err);
int mapping_parse_csv(struct mapping *m, const void *data, size_t size,
		      const struct mapping_csv_options *opts, struct mapping_csv_result *result,
		      struct cdict_error *err);

/* mapping_write_csv - one row per (tid, start_ns), in ascending order of them, with a
 * header row; origins are brought together as mapping_find() does. Failures of writing
 * stay in the sink; -ENOMEM. */
int mapping_write_csv(const struct mapping *m, struct sink *s, struct cdict_error *err);

#endif
