/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm.h - one VM over time: a lane per thread, exits as ticks under those of vCPUs.
 */
#ifndef RENDER_VIEWS_VM_H
#define RENDER_VIEWS_VM_H

#include "analyze/sched/timeline.h"
#include "render/draw/frame.h"

#define VM_NONE UINT32_MAX

/* A wait that is long enough for a name. */
struct vm_wait {
	uint64_t from_ns, to_ns;
	enum analyze_doing doing; /* PREEMPTED or WAITING */
	char *behind;             /* clean: which task had the CPU */
};

struct vm_lane {
	char *name; /* clean */
	char *note; /* clean: how long it waited, or NULL */
	bool vcpu;
	const uint32_t *doing;  /* by column: enum analyze_doing that took most of it, or VM_NONE */
	const uint32_t *reason; /* by column: the most frequent exit reason, or VM_NONE */
	ARRAY(struct vm_wait) waits;
};

struct vm_lanes {
	struct vm_lane *at;
	size_t n;
	size_t more;                /* threads without a lane */
	const char *const *reasons; /* clean names */
	size_t n_reasons;
};

/* view_vm_columns - the columns of time that fill @c beside these names and notes. */
unsigned view_vm_columns(const struct canvas *c, const struct vm_lanes *lanes);

/* view_vm - 0 or -ENOMEM. */
int view_vm(struct marks *m, const struct canvas *c, const struct frame_caption *caption,
	    const struct vm_lanes *lanes);

#endif
