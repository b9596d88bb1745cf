/* SPDX-License-Identifier: GPL-2.0-only */
/* host.h - what this machine is. */
#ifndef CAPTURE_HOST_H
#define CAPTURE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/utsname.h>

#include "convert/ingest/info.h"

struct host {
	struct info_host info; /* its texts are here */
	struct utsname names;
	char cpu[256], cpuid[192];
	int32_t *topology;
};

/* host_read - all that can be told. */
void host_read(struct host *h);
void host_fini(struct host *h);

/* host_pids_foreign - whether pids here are those of a PID namespace, not the kernel's own. */
bool host_pids_foreign(void);

/* host_cpus - the CPUs that are online, ascending; their count or negative. Given. */
int host_cpus(int **cpus, struct cdict_error *err);
/* host_memory_available - bytes that can be had without swapping; 0: unknown. */
uint64_t host_memory_available(void);
/* host_cpus_possible - one more than the highest number that a CPU of this machine may have. */
size_t host_cpus_possible(void);
/* host_cpu_birth - another number each time that @cpu comes online; 0: unknown. */
uint64_t host_cpu_birth(int cpu);
/* host_cpu_list - the CPUs of "0-3,8"; their count, 0 when there is none, -ENOMEM. Given. */
int host_cpu_list(const char *text, int **cpus);

#endif
