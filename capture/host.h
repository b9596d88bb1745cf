/* SPDX-License-Identifier: GPL-2.0-only */
/* host.h - what this machine is, as INFO pairs of the cdict: the keys that convert writes. */
#ifndef CAPTURE_HOST_H
#define CAPTURE_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "cdict/writer.h"

/* host_info - writes every pair that can be told. */
int host_info(struct cdict_writer *w, struct cdict_error *err);

/* host_cpus - the CPUs that are online, ascending; their count or negative. Given. */
int host_cpus(int **cpus, struct cdict_error *err);

#endif
