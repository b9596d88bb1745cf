/* SPDX-License-Identifier: GPL-2.0-only */
/* job.h - cdict top --job: shows what hosts push, as it arrives. */
#ifndef CMD_TOP_JOB_H
#define CMD_TOP_JOB_H

#include "cmd/core/cmd.h"
#include "cmd/top/top.h"

struct top_job_options {
	enum top_by by;
	bool wide;
	uint64_t interval_ns;
	uint64_t length_ns; /* 0: until q or a signal */
};

/* top_job - runs it; a status. */
int top_job(const struct cmd_call *call, const struct top_job_options *how);

#endif
