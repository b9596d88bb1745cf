/* SPDX-License-Identifier: GPL-2.0-only */
/* task_pattern.h - the tasks that -t means: a Perl regular expression (PCRE2) over what they are called, in
 * which a leading * is taken as .* */
#ifndef CAPTURE_TASK_PATTERN_H
#define CAPTURE_TASK_PATTERN_H

#include <stdbool.h>

#include "cdict/error.h"

struct task_pattern;

/* task_pattern_new - CDICT_EUSAGE, -ENOMEM; *@out is given in any case. */
int task_pattern_new(struct task_pattern **out, const char *pattern, struct cdict_error *err);
void task_pattern_free(struct task_pattern *p);
/* task_pattern_matches - whether @name does, of a struct task_pattern; NULL: any does. */
bool task_pattern_matches(void *pattern, const char *name);

#endif
