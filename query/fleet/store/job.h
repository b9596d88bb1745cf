/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * job.h - a job and its encoding in a store.
 *
 * Units      *_ms since 1970
 * Ownership  caller's storage, nothing to free
 */
#ifndef QUERY_FLEET_STORE_JOB_H
#define QUERY_FLEET_STORE_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory/buf.h"
#include "cdict/error.h"

#define FLEET_ID_ROOM 65
#define FLEET_INFO_ROOM 1001

struct fleet_job {
	char id[FLEET_ID_ROOM];
	char info[FLEET_INFO_ROOM];
	uint64_t created_ms;
	uint64_t expires_ms; /* 0: never */
	uint64_t bucket_ns;
};

/* fleet_job_id - 0 if @id is a job id: 2001 to 9999, or a name that begins with a letter. CDICT_EUSAGE. */
int fleet_job_id(const char *id, struct cdict_error *err);
/* fleet_job_encode - appends the job without its id. */
void fleet_job_encode(struct buf *out, const struct fleet_job *job);
/* fleet_job_decode - parses untrusted bytes. */
int fleet_job_decode(struct fleet_job *job, const char *id, const void *data, size_t size,
		     struct cdict_error *err);
bool fleet_job_expired(const struct fleet_job *job, uint64_t now_ms);
uint64_t fleet_now_ms(void);
/* fleet_duration_ms - parses "90s", "15m", "12h", "7d", "250ms", at most ten years. CDICT_EUSAGE. */
int fleet_duration_ms(const char *text, uint64_t *ms, struct cdict_error *err);

#endif
