/* SPDX-License-Identifier: GPL-2.0-only */
/* openrc_word.h - one word of a shell script, with quotes taken off and variables put in. */
#ifndef ANNOTATE_OPENRC_WORD_H
#define ANNOTATE_OPENRC_WORD_H

#include <stdbool.h>
#include <stddef.h>

#include "annotate/openstack_vars.h"
#include "base/buf.h"
#include "cdict/error.h"

struct openrc_text {
	const char *at, *end;
	unsigned line;
	const struct openstack_vars *vars;
};

struct openrc_word {
	struct buf text; /* NUL-terminated, the NUL not counted */
	bool unknown;    /* holds something only a shell can tell */
	bool quoted;     /* some of it was quoted: no reserved word */
	size_t name_len; /* of NAME in NAME=value; 0: no assignment */
	bool append;     /* NAME+=value */
};

/* openrc_word_read - the word at @t->at, which begins one. CDICT_EFORMAT, -ENOMEM. */
int openrc_word_read(struct openrc_text *t, struct openrc_word *w, struct cdict_error *err);
void openrc_word_fini(struct openrc_word *w);

/* openrc_ends_word - a blank or one of the shell's operators. */
bool openrc_ends_word(char c);
/* openrc_name_len - how much of @text[@len] is a variable's name. */
size_t openrc_name_len(const char *text, size_t len);

#endif
