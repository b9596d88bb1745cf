/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * curl_library.h - libcurl, loaded when somebody asks a service: with what it needs it is most of the
 * time that a short command takes to start (7 of 15 ms), and a laptop may lack it.
 *
 * After curl_library_load() said true, the names of libcurl's functions are used as always.
 */
#ifndef ANNOTATE_CURL_LIBRARY_H
#define ANNOTATE_CURL_LIBRARY_H

#define CURL_DISABLE_TYPECHECK /* its macros would name the functions themselves */
#include <curl/curl.h>
#include <stdbool.h>
#undef curl_easy_setopt
#undef curl_easy_getinfo

#define CURL_LIBRARY(X)                                                                            \
	X(curl_global_init)                                                                        \
	X(curl_free)                                                                               \
	X(curl_easy_init)                                                                          \
	X(curl_easy_cleanup)                                                                       \
	X(curl_easy_reset)                                                                         \
	X(curl_easy_setopt)                                                                        \
	X(curl_easy_getinfo)                                                                       \
	X(curl_easy_perform)                                                                       \
	X(curl_easy_strerror)                                                                      \
	X(curl_easy_escape)                                                                        \
	X(curl_easy_unescape)                                                                      \
	X(curl_slist_append)                                                                       \
	X(curl_slist_free_all)                                                                     \
	X(curl_url)                                                                                \
	X(curl_url_cleanup)                                                                        \
	X(curl_url_get)                                                                            \
	X(curl_url_set)

struct curl_library {
#define X(name) __typeof__ (&(name))(name);
	CURL_LIBRARY(X)
#undef X
};

extern struct curl_library curl_library;

/* curl_library_load - loads it once; false where it is not installed. */
bool curl_library_load(void);

#ifndef CURL_LIBRARY_LOADER
#define curl_global_init curl_library.curl_global_init
#define curl_free curl_library.curl_free
#define curl_easy_init curl_library.curl_easy_init
#define curl_easy_cleanup curl_library.curl_easy_cleanup
#define curl_easy_reset curl_library.curl_easy_reset
#define curl_easy_setopt curl_library.curl_easy_setopt
#define curl_easy_getinfo curl_library.curl_easy_getinfo
#define curl_easy_perform curl_library.curl_easy_perform
#define curl_easy_strerror curl_library.curl_easy_strerror
#define curl_easy_escape curl_library.curl_easy_escape
#define curl_easy_unescape curl_library.curl_easy_unescape
#define curl_slist_append curl_library.curl_slist_append
#define curl_slist_free_all curl_library.curl_slist_free_all
#define curl_url curl_library.curl_url
#define curl_url_cleanup curl_library.curl_url_cleanup
#define curl_url_get curl_library.curl_url_get
#define curl_url_set curl_library.curl_url_set
#endif

#endif
