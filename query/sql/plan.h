/* SPDX-License-Identifier: GPL-2.0-only */
/* plan.h - turns the constraints of a statement into a scan. */
#ifndef QUERY_SQL_PLAN_H
#define QUERY_SQL_PLAN_H

#include "query/sql/tables.h"

/* plan_best - sqlite3_module's xBestIndex. */
int plan_best(sqlite3_index_info *info, const struct query_db *db, const struct query_table *table);

/* The files that a scan reads: those of one name, or all. */
struct plan_run {
	bool one;
	char *name; /* NULL with @one: no file */
};
bool plan_run_wants(const struct plan_run *run, const struct query_run_of *of);
void plan_run_fini(struct plan_run *run);

/* plan_scan - makes the scan of plan_best()'s plan @text with the values; SQLITE_OK or SQLITE_NOMEM. plan_scan_fini()
 * empties the scan, also after a failure. */
int plan_scan(struct query_scan *scan, struct plan_run *run, const char *text, int argc,
	      sqlite3_value **argv);
void plan_scan_fini(struct query_scan *scan);

#endif
