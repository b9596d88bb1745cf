/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * limit.h - bounds what a command prints of a small file with very much in it.
 */
#ifndef CMD_TABLES_LIMIT_H
#define CMD_TABLES_LIMIT_H

#include "cmd/core/options.h"
#include "tables/columns/table.h"

/* What the command's option -n is about: the rows of the first table; or of all, where 0 prints all of them. */
enum limit_top { LIMIT_TOP_FIRST = 0, LIMIT_TOP_ALL };

/* limit_tables - cuts the rows shown, so that the tables take at most some 16 MB together, or 16 times the files of
 * @frame, and warns with the number of rows that are not shown. Does not cut a table whose number of rows was asked for
 * (table_top()). */
void limit_tables(const struct cmd_call *call, const struct table_frame *frame,
		  enum table_format format, struct table *const *tables, size_t n,
		  enum limit_top top);

#endif
