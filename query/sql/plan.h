/* SPDX-License-Identifier: GPL-2.0-only */
/* plan.h - constraints of a statement brought to a scan. */
#ifndef QUERY_PLAN_H
#define QUERY_PLAN_H

#include "query/sql/tables.h"

/* plan_best - sqlite3_module's xBestIndex. */
int plan_best(sqlite3_index_info *info, const struct query_db *db, const struct query_table *table);

/* Which files a scan is of: of one name, or of all. */
struct plan_run {
	bool one;
	char *name; /* NULL with @one: of none */
};
bool plan_run_wants(const struct plan_run *run, const struct query_run_of *of);
void plan_run_fini(struct plan_run *run);

/* plan_scan - what plan_best() wrote into @text, with the values; SQLITE_OK or SQLITE_NOMEM. plan_scan_fini() empties
 * the scan, also after that. */
int plan_scan(struct query_scan *scan, struct plan_run *run, const char *text, int argc,
	      sqlite3_value **argv);
void plan_scan_fini(struct query_scan *scan);

#endif
