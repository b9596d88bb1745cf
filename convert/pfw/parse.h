/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * parse.h - the lines of an I/O trace (DFTracer, datacrumbs: Chrome's trace events, one a line)
 * as events, before anybody knows which columns they go to.
 *
 * A line is `{"name":"read","cat":"POSIX","pid":1,"tid":2,"ts":10,"dur":5,"ph":"X","args":{...}}`;
 * numbers may stand in quotes, a comma may stand behind, `[` and `]` alone on a line are the array
 * around all of them. Lines of phase M define: FH and HH the name of a file and a host that others
 * name by a hash. What is no such line is counted, and the next line begins anew.
 *
 * Units      *_ns, from the microseconds of the text
 * Threads    one at a time per part
 * Failure    -ENOMEM; broken text is counted, and no failure
 * Ownership  caller's storage, whose zero value is empty; texts point into the text that was read,
 *            which is written to (escapes become what they stand for) and must outlive them
 */
#ifndef EXCHANGE_PFW_PARSE_H
#define EXCHANGE_PFW_PARSE_H

#include <stdbool.h>

#include "base/memory/map.h"
#include "convert/pfw/words.h"

/* What must be readable behind the last line's newline. */
#define PFW_PADDING 16u
/* Keys of one kind of events, and arguments of one event; what is more is not kept apart. */
#define PFW_ARGS_MAX 250u

/* What an argument's key means, by its name. */
enum pfw_role {
	PFW_PLAIN = 0,
	PFW_FNAME,      /* a file's name */
	PFW_FHASH,      /* its hash */
	PFW_HOST,       /* "hostname" */
	PFW_HHASH,      /* its hash */
	PFW_SIZE,       /* bytes: size, size_sum */
	PFW_RET,        /* of read and write: bytes */
	PFW_IMAGE_SIZE, /* bytes */
	PFW_TIME,       /* of a profile: seconds, here ns */
	PFW_NAME,       /* of a definition: the name, */
	PFW_VALUE,      /* and the hash */
};

enum pfw_form {
	PFW_NUMBER,
	PFW_TEXT, /* a string's content */
	PFW_RAW,  /* JSON as it is: a fraction, true, an object */
	PFW_WORD, /* a hash: its number among the part's words */
};

struct pfw_arg {
	uint16_t key; /* in its kind's keys */
	uint8_t form; /* enum pfw_form */
	uint32_t len; /* of text */
	union {
		int64_t number;
		const char *text;
		uint32_t word;
	};
};

/* A key as events of one kind have it. */
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
	uint32_t kind, first_arg;
	uint16_t n_args;
	char phase;
};

/* A definition. */
struct pfw_definition {
	enum { PFW_DEFINES_FILE, PFW_DEFINES_HOST, PFW_DEFINES_THREAD, PFW_DEFINES_PROCESS } what;
	uint32_t hash; /* word; of a file or host */
	int32_t pid, tid;
	const char *name;
	uint32_t len;
};

struct pfw_part {
	ARRAY(struct pfw_event) events;
	ARRAY(struct pfw_arg) args;
	ARRAY(struct pfw_kind) kinds; /* those beyond n_kinds are kept for their room */
	size_t n_kinds;
	ARRAY(struct pfw_definition) definitions;
	struct pfw_words words;
	ARRAY(uint8_t) roles;         /* of words that are keys: 1 + enum pfw_role */
	struct map kind_of;           /* kinds by category and name */
	ARRAY(uint32_t) kind_of_name; /* of words that are names: 1 + a kind that is called so */
	uint64_t lines;
	uint64_t broken;       /* of them, that cannot be read */
	uint64_t first_broken; /* the first of them, counted from 1 */
	uint64_t beyond;       /* of them, with bytes beyond ASCII */
	uint64_t unused;       /* definitions of something else */
};

/* pfw_parse - adds what the lines in @text[@len] hold to @part; the last one has its newline, and
 * PFW_PADDING bytes are behind it. */
int pfw_parse(struct pfw_part *part, char *text, size_t len);
/* pfw_part_clear - empty, with the room that it took. */
void pfw_part_clear(struct pfw_part *part);
void pfw_part_fini(struct pfw_part *part);

#endif
