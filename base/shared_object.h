/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * shared_object.h - libraries that are loaded when they are used: a host or laptop may lack them, and to load what
 * they need is most of the time that a short command takes.
 *
 * Names      sonames, which the loader looks for in the system's folders: never a path
 * Failure    0 or a negative code with *err filled: -ENOENT (none is there, or it lacks a function), -ENOMEM;
 *            -ENOSYS in the static program, which has no loader
 * Threads    any may load
 */
#ifndef BASE_SHARED_OBJECT_H
#define BASE_SHARED_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

#include "cdict/error.h"

struct shared_function {
	const char *name;
	void *at; /* where the pointer to it goes */
};

/* shared_object_open - the first of @names (NULL-terminated) that is there, with its @n functions. It stays. */
int shared_object_open(const char *const *names, const struct shared_function *functions, size_t n,
		       struct cdict_error *err);

/* A library of the program's. */
struct shared_object {
	const char *use;          /* "PNG is drawn by cairo" */
	const char *package;      /* Debian's */
	const char *const *names; /* NULL-terminated */
	const struct shared_function *functions;
	size_t n;
	bool is_shared; /* others of its package want its functions and do not say so (hiredis_ssl) */
	void (*prepare)(void); /* called once when it is loaded; or NULL */

	/* shared_object_load()'s own */
	int state;
	struct cdict_error why;
};

/* shared_object_load - opens it once; then answers what came of that. */
int shared_object_load(struct shared_object *so, struct cdict_error *err);

/* shared_object_without - what this program has no loader for: "PNG, PDF, ..."; NULL: it has one. */
const char *shared_object_without(void);

#endif
