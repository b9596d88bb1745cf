/* SPDX-License-Identifier: GPL-2.0-only */
/* library.h - libcurl and jansson, loaded when OpenStack is queried or JSON is read. */
#ifndef ANNOTATE_LIBRARY_H
#define ANNOTATE_LIBRARY_H

#define CURL_DISABLE_TYPECHECK /* its macros refer to the functions directly */
#include <curl/curl.h>
#include <stddef.h>
#undef curl_easy_setopt
#undef curl_easy_getinfo

/* json_decref() is inline and calls json_delete(). */
#define json_delete library_json_delete
#define json_null library_json_null /* base/text/json.h has a json_null(), too */
#include <jansson.h>
#undef json_delete
#undef json_null

#include "cdict/error.h"

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

/* libcurl's functions without their prefix, valid after library_curl() returned 0. */
extern struct library_curl {
#define X(name) __typeof__ (&(curl_##name))(name);
	LIBRARY_CURL(X)
#undef X
} curl;

#define LIBRARY_JSON(X)                                                                            \
	X(array_get)                                                                               \
	X(array_size)                                                                              \
	X(dumps)                                                                                   \
	X(loadb)                                                                                   \
	X(number_value)                                                                            \
	X(object_get)                                                                              \
	X(object_iter)                                                                             \
	X(object_iter_key)                                                                         \
	X(object_iter_next)                                                                        \
	X(object_iter_value)                                                                       \
	X(object_key_to_iter)                                                                      \
	X(object_set_new)                                                                          \
	X(pack)                                                                                    \
	X(string)                                                                                  \
	X(string_length)                                                                           \
	X(string_value)

/* jansson's functions, valid after library_json() returned 0, under their own names: its
 * macros and inline functions call them. */
extern struct library_json {
#define X(name) __typeof__ (&(json_##name))(name);
	LIBRARY_JSON(X)
#undef X
	void (*delete)(json_t *json);
} json;

#define json_array_get json.array_get
#define json_array_size json.array_size
#define json_dumps json.dumps
#define json_loadb json.loadb
#define json_number_value json.number_value
#define json_object_get json.object_get
#define json_object_iter json.object_iter
#define json_object_iter_key json.object_iter_key
#define json_object_iter_next json.object_iter_next
#define json_object_iter_value json.object_iter_value
#define json_object_key_to_iter json.object_key_to_iter
#define json_object_set_new json.object_set_new
#define json_pack json.pack
#define json_string json.string
#define json_string_length json.string_length
#define json_string_value json.string_value

/* library_curl, library_json - load and initialise it once; -ENOENT when it is not installed, -ENOSYS, -ENOMEM. */
int library_curl(struct cdict_error *err);
int library_json(struct cdict_error *err);

#endif
