/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * types.h - makes event types of the cdict, and their columns, from the events of an I/O trace.
 *
 * Each category and name is a type "category:name". Its fields come from its events in the part
 * with the first of them: every argument by its own name, numbers as s64 and texts as __data_loc
 * (hashes, too, besides the names that they stand for); and always dur (ns), ph, fname, host and size; args is JSON of the arguments without a field. A
 * missing number is PFW_ABSENT. A profile's seconds (time) become time_ns.
 *
 * Units      ns, bytes
 * Threads    one at a time
 * Failure    negative code with *err filled
 * Ownership  pfw_types_init() fills the caller's storage, pfw_types_fini() empties it
 */
#ifndef CONVERT_PFW_TYPES_H
#define CONVERT_PFW_TYPES_H

#include "base/memory/buf.h"
#include "base/memory/map.h"
#include "base/memory/stringset.h"
#include "cdict/schema.h"
#include "convert/ingest/source.h"
#include "convert/pfw/parse.h"

/* Value of a number field that an event does not have. */
#define PFW_ABSENT INT64_MIN
#define PFW_RECORD_MAX 65535u

struct pfw_type;

struct pfw_types {
	struct cdict_schema *schema;
	const char *const *globs; /* globs of the wanted events; none: all */
	size_t n_globs;
	ARRAY(struct source_event) source; /* by index in the schema */
	ARRAY(struct pfw_type *) all;
	uint64_t n_fields; /* of all types */
	struct stringset texts;
	struct pfw_words words;  /* names, keys, hashes */
	struct map by_name;      /* category and name -> all */
	struct map files, hosts; /* hash -> names */
	ARRAY(struct pfw_word) names;
	struct pfw_type *other; /* for events without a type of their own */
	/* Maps the indices of the current part. */
	ARRAY(struct pfw_bound) bound; /* by kind */
	ARRAY(uint32_t) file_names;    /* by word: 1 + index in names; 0: not looked up, NONE */
	ARRAY(uint32_t) host_names;
	struct buf rest;  /* args of the current event */
	uint64_t unnamed; /* events with a hash whose name is unknown */
	uint64_t too_long;
};

/* Maps the keys of a kind to the fields of its type. */
struct pfw_bound {
	struct pfw_type *type;       /* NULL: not looked up */
	uint8_t slots[PFW_KEYS_MAX]; /* by key: 1 + field of the type; 0: none */
};

int pfw_types_init(struct pfw_types *t, const char *const *globs, size_t n_globs,
		   struct cdict_error *err);
void pfw_types_fini(struct pfw_types *t);

/* pfw_types_bind - called before a part's events: its definitions apply from now on. *@grows: it
 * has events without a type yet; then nothing may read the schema until pfw_types_grow() has added
 * them. */
int pfw_types_bind(struct pfw_types *t, const struct pfw_part *part, bool *grows,
		   struct cdict_error *err);
int pfw_types_grow(struct pfw_types *t, const struct pfw_part *part, struct cdict_error *err);

/* pfw_types_record - writes the event as struct source_record to @out[PFW_RECORD_MAX]; returns its
 * size, and in *type its index in the schema. 0: it is not wanted, or too long, which is counted.
 * -ENOMEM. */
int pfw_types_record(struct pfw_types *t, const struct pfw_part *part, const struct pfw_event *e,
		     uint8_t *out, uint32_t *type);

/* pfw_types_unstored - the name of type @i if its events are not wanted, and their number; NULL: it
 * has none. */
const char *pfw_types_unstored(const struct pfw_types *t, size_t i, uint64_t *count);

#endif
