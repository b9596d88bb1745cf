/* SPDX-License-Identifier: GPL-2.0-only */
/* task_pattern.h - the tasks that -t selects: a Perl regular expression (PCRE2) over their names,
 * in which a leading * means .* */
#ifndef CAPTURE_TRIGGER_TASK_PATTERN_H
#define CAPTURE_TRIGGER_TASK_PATTERN_H

#include <stdbool.h>

#include "cdict/error.h"

struct task_pattern;

/* task_pattern_new - compiles @pattern; CDICT_EUSAGE, -ENOMEM. Sets *@out even on failure. */
int task_pattern_new(struct task_pattern **out, const char *pattern, struct cdict_error *err);
void task_pattern_free(struct task_pattern *p);
/* task_pattern_matches - whether @name matches the struct task_pattern; NULL matches every name. */
bool task_pattern_matches(void *pattern, const char *name);

#endif
