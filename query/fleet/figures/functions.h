/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * functions.h - samples of a capture by program, event and function: figures that add up over hosts.
 *
 * Failure    0 or a negative code with *err filled
 */
#ifndef QUERY_FLEET_FIGURES_FUNCTIONS_H
#define QUERY_FLEET_FIGURES_FUNCTIONS_H

#include "cdict/reader.h"
#include "query/fleet/values/rows.h"

/* Limits of one measurement: rows beyond it, those with the fewest events, are added up in one row per
 * event; longer names are cut, and stay different. */
enum { FLEET_FUNCTIONS_MOST = 4000, FLEET_FUNCTION_BYTES = 500 };
#define FLEET_FUNCTIONS_REST "[others]"

/* fleet_functions_add - adds a row per program, event and function: that in which the sample was taken, of
 * the program as it was called then. */
int fleet_functions_add(struct fleet_rows *rows, struct cdict_reader *r, struct cdict_error *err);
/* fleet_function_in - "kernel" or "user", of a row's key; "": not known. */
const char *fleet_function_in(const struct fleet_key *key);

#endif
