/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * demangle.h - demangles C++ function names as perf prints them, without parameters, by libstdc++
 * if it is installed.
 */
#ifndef CONVERT_SYMBOLS_DEMANGLE_H
#define CONVERT_SYMBOLS_DEMANGLE_H

#include "base/memory/stringset.h"

/* demangle - returns the demangled name of @symbol, stored in @names; @symbol itself when it is not
 * mangled, is longer than DEMANGLE_MAX, or cannot be parsed; NULL: out of memory. */
#define DEMANGLE_MAX 1024u
const char *demangle(struct stringset *names, const char *symbol);

#endif
