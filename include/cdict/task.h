/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * task.h - birth, names and death of tasks, as recorded
 * (PERF_RECORD_FORK, COMM, EXIT).
 *
 * Units      t_ns in the recording's clock; 0 = already there at the start
 */
#ifndef CDICT_TASK_H
#define CDICT_TASK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cdict_task_what {
	CDICT_TASK_FORK = 0, /* pid/tid was created by ppid/ptid */
	CDICT_TASK_COMM = 1, /* tid is named comm from here on */
	CDICT_TASK_EXEC = 2, /* the same, by exec: a new program */
	CDICT_TASK_EXIT = 3,
};

struct cdict_task_event {
	uint64_t t_ns;
	enum cdict_task_what what;
	int32_t pid, tid;
	int32_t ppid, ptid; /* FORK and EXIT only */
	const char *comm;   /* COMM and EXEC only; untrusted text, NUL-terminated */
};

#ifdef __cplusplus
}
#endif
#endif
