/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * library.h - libraries that are loaded when somebody asks a service: a laptop may lack them, and with what
 * libcurl needs it is most of the time that a short command takes to start (7 of 15 ms).
 */
#ifndef ANNOTATE_LIBRARY_H
#define ANNOTATE_LIBRARY_H

#define CURL_DISABLE_TYPECHECK /* its macros would name the functions themselves */
#include <curl/curl.h>
#include <stddef.h>
#undef curl_easy_setopt
#undef curl_easy_getinfo

#include "cdict/error.h"

struct library_function {
	const char *name;
	void *at; /* where the pointer to it goes */
};

/* library_load - the first of @names (NULL-terminated) that is there, with its @n functions. -ENOENT: none is, or
 * it lacks one; -ENOMEM. */
int library_load(const char *const *names, const struct library_function *functions, size_t n,
		 struct cdict_error *err);

#define LIBRARY_CURL(X)                                                                            \
	X(global_init)                                                                             \
	X(free)                                                                                    \
	X(easy_init)                                                                               \
	X(easy_cleanup)                                                                            \
	X(easy_reset)                                                                              \
	X(easy_setopt)                                                                             \
	X(easy_getinfo)                                                                            \
	X(easy_perform)                                                                            \
	X(easy_strerror)                                                                           \
	X(easy_escape)                                                                             \
	X(easy_unescape)                                                                           \
	X(slist_append)                                                                            \
	X(slist_free_all)                                                                          \
	X(url)                                                                                     \
	X(url_cleanup)                                                                             \
	X(url_get)                                                                                 \
	X(url_set)

/* libcurl's functions without their prefix, once library_curl() gave 0. */
extern struct library_curl {
#define X(name) __typeof__ (&(curl_##name))(name);
	LIBRARY_CURL(X)
#undef X
} curl;

/* library_curl - loads and prepares it once; -ENOENT where it is not installed, -ENOMEM. */
int library_curl(struct cdict_error *err);

#endif
