/* SPDX-License-Identifier: GPL-2.0-only */
/* contents.h - stores the contents of a trace.dat except events in a cdict. 0 or a negative code. */
#ifndef CONVERT_TRACEDAT_CONTENTS_H
#define CONVERT_TRACEDAT_CONTENTS_H

#include "base/memory/map.h"
#include "convert/ingest/ingest.h"
#include "convert/tracedat/internal.h"

/* tracedat_store_host - stores host, recorder and clock, before the first event. */
int tracedat_store_host(const struct tracedat *td, struct cdict_writer *w, const char *clock,
			struct cdict_error *err);
/* tracedat_store_tasks - stores the names of tasks; @leaders gets those that are known to be
 * processes. */
int tracedat_store_tasks(const struct tracedat *td, struct ingest *in, struct map *leaders,
			 struct cdict_error *err);
/* tracedat_store_end - stores what was converted and how, and the vCPUs' threads. */
int tracedat_store_end(const struct tracedat *td, const struct ingest *in,
		       const struct convert_report *r, struct cdict_writer *w,
		       struct cdict_error *err);

#endif
