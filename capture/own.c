/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * own.c - the recorder's own activity, kept out of the rings.
 *
 * What is left out is what the recorder's threads do to themselves and what is done to them
 * alone: the events of the scheduler that name a recorder's thread in their field "pid" (it is
 * woken, moved, charged), and its system calls.
 *
 * What stays is whatever says something of anybody else. sched_switch stays always: the task
 * that the recorder displaced did not run meanwhile, and a switch from or to the recorder is
 * the only witness. So do events of others that happen in the recorder's context, an interrupt
 * that wakes a vCPU while the recorder runs: a filter on common_pid would lose them.
 */
#include <stdio.h>
#include <string.h>

#include "capture/choose.h"

/* The kernel takes a page at most. */
#define FILTER_MAX 4000u

/* The line of @field in a format text: "\tfield:pid_t pid;". */
static bool has_field(const char *format, const char *field)
{
	char want[64];

	snprintf(want, sizeof(want), " %s;\t", field);
	return strstr(format, want) != NULL;
}

/* "pid != 7", "(pid < 7 || pid > 9)": threads made one after the other have tids in a row. */
static void but_not(const char *field, const int32_t *own, size_t n, struct buf *out)
{
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && own[j] == own[j - 1] + 1;)
			j++;
		if (i)
			buf_printf(out, " && ");
		if (j == i + 1)
			buf_printf(out, "%s != %d", field, own[i]);
		else
			buf_printf(out, "(%s < %d || %s > %d)", field, own[i], field, own[j - 1]);
	}
}

void choice_full_filter(const struct chosen *ev, const int32_t *own, size_t n_own, struct buf *out)
{
	const char *field = NULL;
	size_t start = out->len;

	if (!strcmp(ev->system, "sched") && has_field(ev->format, "pid"))
		field = "pid";
	else if (!strcmp(ev->system, "syscalls") || !strcmp(ev->system, "raw_syscalls"))
		field = "common_pid";
	if (field && n_own) {
		if (ev->filter)
			buf_printf(out, "(%s) && ", ev->filter);
		but_not(field, own, n_own, out);
		if (out->len - start <= FILTER_MAX)
			return;
		out->len = start;
	}
	if (ev->filter)
		buf_printf(out, "%s", ev->filter);
}
