/* SPDX-License-Identifier: GPL-2.0-only */
/* http_url.h - parses URLs with libcurl, which http_open() has loaded. */
#ifndef ANNOTATE_OPENSTACK_HTTP_URL_H
#define ANNOTATE_OPENSTACK_HTTP_URL_H

#include <stdbool.h>

#include "cdict/error.h"

/* http_url_same_service - whether both have the same scheme, host and port. */
bool http_url_same_service(const char *a, const char *b);

/* http_url_shown - @url without user, password, query and fragment, for messages: given;
 * NULL when it is not a URL. */
char *http_url_shown(const char *url);

/* http_url_parameter - the decoded value of @name in @url's query: *@value, given; NULL:
 * absent. 0 or -ENOMEM. */
int http_url_parameter(char **value, const char *url, const char *name);

/* http_url_escape - @text, escaped for a query: given; NULL when out of memory. */
char *http_url_escape(const char *text);

#endif
