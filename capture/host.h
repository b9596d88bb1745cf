/* SPDX-License-Identifier: GPL-2.0-only */
/* host.h - what this machine is, as INFO pairs of the cdict: the keys that convert writes. */
#ifndef CAPTURE_HOST_H
#define CAPTURE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/writer.h"

/* host_info - writes every pair that can be told. */
int host_info(struct cdict_writer *w, struct cdict_error *err);

/* host_cpus - the CPUs that are online, ascending; their count or negative. Given. */
int host_cpus(int **cpus, struct cdict_error *err);
/* host_cpus_possible - one more than the highest number that a CPU of this machine may have. */
size_t host_cpus_possible(void);
/* host_cpu_birth - another number each time that @cpu comes online; 0: unknown. */
uint64_t host_cpu_birth(int cpu);
/* host_cpu_list - the CPUs of "0-3,8"; their count, 0 when there is none or no memory. Given. */
int host_cpu_list(const char *text, int **cpus);

#endif
