/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf_abi.h - the interface between perf script and its filters, written
 * from perf-dlfilter(1). It is the same in every perf since Linux 5.14:
 * structures only grow at their end, and their first member is their size.
 *
 *	5.14  perf_dlfilter_sample up to event, perf_dlfilter_al up to comm, 8 functions
 *	6.1   perf_dlfilter_sample: machine_pid, vcpu
 *	6.6   perf_dlfilter_al: priv, which requires the ninth function, al_cleanup; not for
 *	      callers that pass the old size, as cdict does
 *
 * Only 5.14's members are declared, and they are read only as far as size reaches.
 */
#ifndef PLUGIN_PERF_ABI_H
#define PLUGIN_PERF_ABI_H

#include <stddef.h>
#include <stdint.h>

struct perf_event_attr;

struct perf_dlfilter_sample {
	uint32_t size; /* of this structure in this perf */
	uint16_t ins_lat, p_stage_cyc;
	uint64_t ip;
	int32_t pid, tid; /* -1 when not recorded */
	uint64_t time;    /* ns; UINT64_MAX when not recorded */
	uint64_t addr, id, stream_id, period, weight, transaction;
	uint64_t insn_cnt, cyc_cnt;
	int32_t cpu; /* -1 when not recorded */
	uint32_t flags;
	uint64_t data_src, phys_addr, data_page_size, code_page_size, cgroup;
	uint8_t cpumode; /* PERF_RECORD_MISC_CPUMODE_MASK */
	uint8_t addr_correlates_sym;
	uint16_t misc;
	uint32_t raw_size;
	const void *raw_data; /* in the recording's byte order */
	uint64_t brstack_nr;
	const void *brstack;
	uint64_t raw_callchain_nr;
	const uint64_t *raw_callchain; /* PERF_CONTEXT_* marks and addresses */
	const char *event;             /* "sched:sched_switch" */
};

#define PERF_DLFILTER_SAMPLE_SIZE                                                                  \
	(offsetof(struct perf_dlfilter_sample, event) + sizeof(const char *))

/* Resolved address. */
struct perf_dlfilter_al {
	uint32_t size; /* to be set before resolve_address() */
	uint32_t symoff;
	const char *sym; /* NULL: unknown */
	uint64_t addr, sym_start, sym_end;
	const char *dso; /* NULL: unknown */
	uint8_t sym_binding, is_64_bit, is_kernel_ip;
	uint32_t buildid_size;
	uint8_t *buildid;
	uint8_t filtered;
	const char *comm;
};

/* perf fills the symbol of this name when it loads the filter: 128 pointers. */
struct perf_dlfilter_fns {
	const struct perf_dlfilter_al *(*resolve_ip)(void *ctx);
	const struct perf_dlfilter_al *(*resolve_addr)(void *ctx);
	char **(*args)(void *ctx, int *dlargc);
	int32_t (*resolve_address)(void *ctx, uint64_t address, struct perf_dlfilter_al *al);
	const uint8_t *(*insn)(void *ctx, uint32_t *length);
	const char *(*srcline)(void *ctx, uint32_t *line_number);
	struct perf_event_attr *(*attr)(void *ctx);
	int32_t (*object_code)(void *ctx, uint64_t ip, void *buf, uint32_t len);
	void *(*reserved[120])(void *);
};

#define PLUGIN_ENTRY __attribute__((visibility("default")))

extern PLUGIN_ENTRY struct perf_dlfilter_fns perf_dlfilter_fns;
PLUGIN_ENTRY int start(void **data, void *ctx);
PLUGIN_ENTRY int stop(void *data, void *ctx);
PLUGIN_ENTRY int filter_event(void *data, const struct perf_dlfilter_sample *sample, void *ctx);
PLUGIN_ENTRY int filter_event_early(void *data, const struct perf_dlfilter_sample *sample,
				    void *ctx);
PLUGIN_ENTRY const char *filter_description(const char **long_description);

#endif
