/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chains.h - the call chain of a sample, with the symbols that perf resolves, as a stack
 * of the file's dictionary.
 *
 * Kernel addresses are asked for once each. Those of a process are asked for every time:
 * another program may have been loaded there meanwhile, and only perf keeps book of that.
 */
#ifndef PLUGIN_CHAINS_H
#define PLUGIN_CHAINS_H

#include "base/map.h"
#include "format/stacks.h"
#include "plugin/perf_abi.h"

/* The zero value is empty. */
struct chains {
	struct stack_dict dict;
	struct map kernel; /* frames, by address */
	uint32_t *frames;  /* of one stack */
	bool full;         /* some stack found no room: it is left out */
};

void chains_fini(struct chains *c);

/* chains_stack - of a sample that perf handed out with @ctx; CDICT_NO_STACK when it has no
 * call chain. */
uint32_t chains_stack(struct chains *c, const struct perf_dlfilter_fns *fns,
		      const struct perf_dlfilter_sample *sample, void *ctx);

#endif
