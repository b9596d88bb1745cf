/* SPDX-License-Identifier: LGPL-2.1-only */
/* json_text.h - whether foreign text is JSON, so that it may stand inside of other JSON as it is. */
#ifndef BASE_TEXT_JSON_TEXT_H
#define BASE_TEXT_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* json_text_is_object - "{...}" and nothing behind it, in UTF-8, without control characters, at most 64 deep. */
bool json_text_is_object(const char *text, size_t len);
/* json_text_is_value - any one value, as it may stand in a line that was read: a carriage return is a blank, and a
 * string may hold any byte but control characters. At most 64 deep. */
bool json_text_is_value(const char *text, size_t len);

#endif
