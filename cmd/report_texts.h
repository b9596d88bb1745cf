/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report_texts.h - sentences of a page, one after the other.
 *
 * Failure    out of memory is remembered
 * Ownership  caller's storage, zeroed at first; report_texts_fini() empties it
 */
#ifndef CMD_REPORT_TEXTS_H
#define CMD_REPORT_TEXTS_H

#include <stdbool.h>

#include "base/array.h"

struct report_texts {
	ARRAY(char *) at;
	bool failed;
};

void report_say(struct report_texts *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void report_texts_fini(struct report_texts *t);

#endif
