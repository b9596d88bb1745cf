/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * parse.h - parses the lines of an I/O trace (DFTracer, datacrumbs: Chrome's trace events, one per
 * line) to events, before their columns are known.
 *
 * A line is `{"name":"read","cat":"POSIX","pid":1,"tid":2,"ts":10,"dur":5,"ph":"X","args":{...}}`;
 * numbers may be quoted, a comma may follow, and `[` and `]` alone on a line enclose the array of
 * all of them. Lines of phase M are definitions: FH and HH give the name of a file or host that
 * other lines refer to by a hash. Other lines are counted as broken, and parsing continues at the
 * next line.
 *
 * Units      *_ns, from the microseconds of the text
 * Threads    one at a time per part
 * Failure    -ENOMEM; broken text is not a failure: it is counted
 * Ownership  caller's storage; a zeroed struct is empty; texts point into the text that was parsed,
 *            which is modified (escapes are replaced) and must outlive them
 */
#ifndef CONVERT_PFW_PARSE_H
#define CONVERT_PFW_PARSE_H

#include <stdbool.h>

#include "base/memory/map.h"
#include "convert/pfw/words.h"

/* Readable bytes needed after the last line's newline. */
#define PFW_PADDING 16u
/* Limit of keys per kind of events; arguments with others get no role and no field. */
#define PFW_KEYS_MAX 250u

/* The meaning of an argument, by the name of its key. */
enum pfw_role {
	PFW_PLAIN = 0,
	PFW_FNAME,      /* name of a file */
	PFW_FHASH,      /* hash of a file's name */
	PFW_HOST,       /* "hostname" */
	PFW_HHASH,      /* hash of a host's name */
	PFW_SIZE,       /* bytes: size, size_sum */
	PFW_RET,        /* result of read and write: bytes */
	PFW_IMAGE_SIZE, /* bytes */
	PFW_TIME,       /* in a profile: seconds, converted to ns */
	PFW_NAME,       /* in a definition: the name, */
	PFW_VALUE,      /* and the hash */
};

enum pfw_form {
	PFW_NUMBER,
	PFW_TEXT, /* a string's content */
	PFW_RAW,  /* unparsed JSON: a fraction, true, an object */
	PFW_WORD, /* a hash: its index in the part's words */
};

struct pfw_arg {
	uint32_t key : 24; /* index in the keys of its kind, or PFW_KEYS_MAX + the key's word */
	uint32_t form : 8; /* enum pfw_form */
	uint32_t len;      /* of text; of a word: 1 if it was a JSON number */
	union {
		int64_t number;
		const char *text;
		uint32_t word;
	};
};

/* A key in the events of one kind. */
struct pfw_key {
	uint32_t word; /* its name */
	uint8_t role;  /* enum pfw_role */
	uint8_t form;  /* of its first value */
};

/* Events of one category and name. */
struct pfw_kind {
	uint32_t category, name; /* words */
	ARRAY(struct pfw_key) keys;
};

struct pfw_event {
	uint64_t end_ns, dur_ns;
	int32_t pid, tid;
	uint32_t kind, first_arg, n_args;
	char phase;
};

/* A definition. */
struct pfw_definition {
	enum { PFW_DEFINES_FILE, PFW_DEFINES_HOST, PFW_DEFINES_THREAD, PFW_DEFINES_PROCESS } what;
	uint32_t hash; /* word: hash of a file or host */
	int32_t pid, tid;
	const char *name;
	uint32_t len;
};

struct pfw_part {
	ARRAY(struct pfw_event) events;
	ARRAY(struct pfw_arg) args;
	ARRAY(struct pfw_kind) kinds; /* those beyond n_kinds are kept for reuse */
	size_t n_kinds;
	ARRAY(struct pfw_definition) definitions;
	struct pfw_words words;
	ARRAY(uint8_t) roles;         /* by word, if it is a key: 1 + enum pfw_role */
	struct map kind_of;           /* kinds by category and name */
	ARRAY(uint32_t) kind_of_name; /* by word, if it is a name: 1 + a kind with it */
	uint64_t lines;
	uint64_t broken;       /* lines that cannot be parsed */
	uint64_t first_broken; /* number of the first of them, from 1 */
	uint64_t beyond;       /* lines with non-ASCII bytes */
	uint64_t unused;       /* definitions of other things */
};

/* pfw_parse - adds the contents of the lines in @text[@len] to @part; the last line ends with a
 * newline, and PFW_PADDING bytes follow it. */
int pfw_parse(struct pfw_part *part, char *text, size_t len);
/* pfw_part_clear - empties it, but keeps its memory. */
void pfw_part_clear(struct pfw_part *part);
void pfw_part_fini(struct pfw_part *part);

#endif
