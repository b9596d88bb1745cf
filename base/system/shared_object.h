/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * shared_object.h - libraries loaded on first use: a host or laptop may lack them, and loading their
 * dependencies takes most of the time of a short command.
 *
 * Names      sonames, which the loader searches in the system's directories: never a path
 * Failure    0 or a negative code with *err filled: -ENOENT (not installed, or it lacks a function), -ENOMEM;
 *            -ENOSYS in the statically linked program, which has no loader
 * Threads    any may load
 */
#ifndef BASE_SYSTEM_SHARED_OBJECT_H
#define BASE_SYSTEM_SHARED_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "cdict/error.h"

struct shared_function {
	const char *name;
	void *at; /* where to store the function pointer */
};

/* shared_object_open - loads the first of @names (NULL-terminated) that exists and its @n functions. It stays loaded. */
int shared_object_open(const char *const *names, const struct shared_function *functions, size_t n,
		       struct cdict_error *err);

/* A library that the program uses. */
struct shared_object {
	const char *use;          /* "PNG is drawn by cairo" */
	const char *package;      /* name of Debian's package */
	const char *const *names; /* NULL-terminated */
	const struct shared_function *functions;
	size_t n;
	bool is_shared; /* other libraries of its package need its symbols without declaring it (hiredis_ssl) */
	void (*prepare)(void); /* called once when it is loaded; or NULL */

	/* private to shared_object_load() */
	int state;
	struct cdict_error why;
};

/* shared_object_load - loads it once; later calls return the same result. */
int shared_object_load(struct shared_object *so, struct cdict_error *err);

/* shared_object_without - features missing for lack of a loader: "PNG, PDF, ..."; NULL: there is a loader. */
const char *shared_object_without(void);

#endif
