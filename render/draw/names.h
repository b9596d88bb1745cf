/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * names.h - the names in one picture, shortened to the room they have: different names stay
 * different, as in the columns of tables (base/text/shorten.h), also without their tids ("  1122").
 *
 * Failure    NULL when out of memory
 * Ownership  the caller frees the names with names_free()
 */
#ifndef RENDER_DRAW_NAMES_H
#define RENDER_DRAW_NAMES_H

#include <stddef.h>

/* names_fit - copies of @n clean names, each at most @room wide in a font of @size (text_width()). */
char **names_fit(const char *const *names, size_t n, double size, double room);
void names_free(char **names, size_t n);

#endif
