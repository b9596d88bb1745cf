/* SPDX-License-Identifier: GPL-2.0-only */
/* host.h - properties of this machine. */
#ifndef CAPTURE_HOST_HOST_H
#define CAPTURE_HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/utsname.h>

#include "convert/ingest/info.h"

struct host {
	struct info_host info; /* its texts are stored in this struct */
	struct utsname names;
	char cpu[256], cpuid[192];
	int32_t *topology;
};

/* host_read - fills in all that can be read. */
void host_read(struct host *h);
void host_fini(struct host *h);

/* host_pids_foreign - true when pids here are those of a PID namespace, not the kernel's own. */
bool host_pids_foreign(void);

/* host_cpus - the online CPUs, ascending; returns their number or a negative code. Given. */
int host_cpus(int **cpus, struct cdict_error *err);
/* host_memory_available - bytes available without swapping; 0: unknown. */
uint64_t host_memory_available(void);
/* host_cpus_possible - the highest possible CPU number of this machine, plus one. */
size_t host_cpus_possible(void);
/* host_cpu_birth - a number that changes each time that @cpu comes online; 0: unknown. */
uint64_t host_cpu_birth(int cpu);
/* host_cpu_list - parses "0-3,8"; returns the number of CPUs, 0 if there are none, -ENOMEM.
 * Given. */
int host_cpu_list(const char *text, int **cpus);

#endif
