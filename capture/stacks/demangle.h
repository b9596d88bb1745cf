/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * demangle.h - names of C++ functions as perf prints them, without their parameters: by libstdc++, where it is
 * installed.
 */
#ifndef CAPTURE_DEMANGLE_H
#define CAPTURE_DEMANGLE_H

#include "base/memory/stringset.h"

/* demangle - @symbol's name, which is kept in @names; @symbol itself where it is no such name, is longer than
 * DEMANGLE_MAX, or cannot be read. */
#define DEMANGLE_MAX 1024u
const char *demangle(struct stringset *names, const char *symbol);

#endif
