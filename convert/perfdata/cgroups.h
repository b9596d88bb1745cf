/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroups.h - the control group of each task, as perf record --all-cgroups records it: every sample
 * has the id of its task's group (PERF_SAMPLE_CGROUP), and PERF_RECORD_CGROUP the path of an id;
 * <linux/perf_event.h>. The group of a task's last sample counts.
 *
 * Failure    -ENOMEM
 * Ownership  caller's storage, zero at first; perfdata_cgroups_fini() frees its content
 */
#ifndef CONVERT_PERFDATA_CGROUPS_H
#define CONVERT_PERFDATA_CGROUPS_H

#include "base/memory/array.h"
#include "base/memory/map.h"
#include "base/memory/stringset.h"
#include "convert/perfdata/perfdata.h"

#define PERFDATA_SAMPLE_CGROUP (UINT64_C(1) << 21)
#define PERFDATA_RECORD_CGROUP 19

struct perfdata_cgroups {
	struct map by_id, by_tid;
	ARRAY(const char *) paths; /* by the number in by_id */
	ARRAY(struct perfdata_cgroups_task)
	tasks; /* by the number in by_tid */
	struct stringset texts;
};

struct perfdata_cgroups_task {
	int32_t pid, tid;
	uint64_t id;
};

void perfdata_cgroups_fini(struct perfdata_cgroups *g);

/* perfdata_cgroups_path - the group @id has this path; later ones replace it. */
int perfdata_cgroups_path(struct perfdata_cgroups *g, uint64_t id, const char *path, size_t len);
/* perfdata_cgroups_record - reads a PERF_RECORD_CGROUP; one that is too short is ignored. */
int perfdata_cgroups_record(struct perfdata_cgroups *g, const struct perfdata_record *rec,
			    bool big);
/* perfdata_cgroups_sample - reads a sample of an event with this @layout. */
int perfdata_cgroups_sample(struct perfdata_cgroups *g, const struct perfdata_sample_layout *layout,
			    const uint8_t *data, uint32_t size, bool big);
/* perfdata_cgroups_of - the path of the group @id, or NULL. */
const char *perfdata_cgroups_of(const struct perfdata_cgroups *g, uint64_t id);

#endif
