/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * proctree.h - lays a host's identity snapshot (NAME.proc.txt) out as a /proc tree.
 *
 * A snapshot has "== pid N", then "cmdline: ..." "comm: ..." "stat: ..." "cgroup: ..." and
 * "thread TID<tab>COMM<tab>cgroup=...<tab>..." of a process, and after "== all threads"
 * "PID TID COMM" of every thread. Its cmdline shows NULs as blanks: every " -" begins an
 * argument, and the text after its first blank is the next.
 */
#ifndef TESTS_UNIT_PROCTREE_H
#define TESTS_UNIT_PROCTREE_H

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *proctree_root;

static inline void proctree_die(const char *what)
{
	fprintf(stderr, "proctree: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Writes DIR/path with all folders above it; @end, unless it is EOF, is appended. */
static inline void proctree_put(const char *data, size_t len, int end, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static inline void proctree_put(const char *data, size_t len, int end, const char *fmt, ...)
{
	char path[4096];
	size_t n = (size_t)snprintf(path, sizeof(path), "%s/", proctree_root);
	va_list ap;
	FILE *f;

	va_start(ap, fmt);
	vsnprintf(path + n, sizeof(path) - n, fmt, ap);
	va_end(ap);
	for (char *p = path + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = 0;
		if (mkdir(path, 0755) && errno != EEXIST)
			proctree_die(path);
	}
	f = fopen(path, "w");
	if (!f || fwrite(data, 1, len, f) != len || (end != EOF && putc(end, f) != end) ||
	    fclose(f))
		proctree_die(path);
}

static inline int proctree_has(const char *pid, const char *tid)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s/task/%s/comm", proctree_root, pid, tid);
	return !access(path, F_OK);
}

/* Blanks to NULs, in place; the last argument ends with one too. */
static inline void proctree_split(char *line)
{
	int value = 0; /* inside an option's value, where blanks are blanks */

	for (char *p = line; *p; p++) {
		if (*p != ' ')
			continue;
		if (p[1] == '-' && (isalpha((unsigned char)p[2]) || p[2] == '-')) {
			*p = 0;
			value = 0;
			p++;
		} else if (!value) {
			*p = 0;
			value = 1;
		}
	}
}

static inline void proctree_key_line(const char *pid, char *line)
{
	static const char *const files[] = { "comm", "stat", "cgroup" };
	char *value = strstr(line, ": ");
	size_t len;

	if (!value)
		return;
	*value = 0;
	value += 2;
	len = strlen(value);
	if (!strcmp(line, "cmdline")) {
		proctree_split(value);
		proctree_put(value, len, 0, "%s/cmdline", pid);
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (!strcmp(line, files[i]))
			proctree_put(value, len, '\n', "%s/%s", pid, files[i]);
	}
}

/* The comm may hold blanks: fields are separated by tabs. */
static inline void proctree_thread_line(const char *pid, char *line)
{
	char *tid = strtok(line, "\t"), *comm = strtok(NULL, "\t"), *field;

	if (!tid || !comm)
		return;
	proctree_put(comm, strlen(comm), '\n', "%s/task/%s/comm", pid, tid);
	while ((field = strtok(NULL, "\t"))) {
		if (!strncmp(field, "cgroup=", 7))
			proctree_put(field + 7, strlen(field + 7), '\n', "%s/task/%s/cgroup", pid,
				     tid);
	}
}

static inline void proctree_task_line(char *line)
{
	char *pid = strtok(line, " "), *tid = strtok(NULL, " "), *comm = strtok(NULL, "");

	if (!pid || !tid || !comm || proctree_has(pid, tid))
		return;
	proctree_put(comm, strlen(comm), '\n', "%s/task/%s/comm", pid, tid);
	if (!strcmp(pid, tid)) {
		proctree_put(comm, strlen(comm), '\n', "%s/comm", pid);
		proctree_put("", 0, EOF, "%s/cmdline", pid);
	}
}

/* proctree_lay - @dir and missing folders above it are made. */
static inline void proctree_lay(const char *snapshot, const char *dir)
{
	FILE *f = fopen(snapshot, "r");
	char *line = NULL, pid[32] = "";
	size_t cap = 0;
	ssize_t n;
	int all = 0;

	if (!f)
		proctree_die(snapshot);
	proctree_root = dir;
	while ((n = getline(&line, &cap, f)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = 0;
		if (!strncmp(line, "== all threads", 14))
			all = 1;
		else if (sscanf(line, "== pid %31[0-9]", pid) == 1 || line[0] == '#')
			continue;
		else if (all && isdigit((unsigned char)line[0]))
			proctree_task_line(line);
		else if (*pid && !strncmp(line, "thread ", 7))
			proctree_thread_line(pid, line + 7);
		else if (*pid)
			proctree_key_line(pid, line);
	}
	free(line);
	fclose(f);
}

#endif
