/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view_vcpu.h - where each vCPU's time went: one bar of states a vCPU, all of the
 * window long, the worst on top.
 */
#ifndef RENDER_VIEW_VCPU_H
#define RENDER_VIEW_VCPU_H

#include "render/frame.h"

struct vcpu_bar {
	char *name;                       /* clean */
	char *antagonist;                 /* clean: who was in its way longest, or NULL */
	double antagonist_share;          /* of preempted + waiting, 0..1 */
	uint64_t ns[ANALYZE_VCPU_STATES]; /* sum: the window */
};

/* view_vcpu - @bars are worst first; 0 or -ENOMEM. */
int view_vcpu(struct marks *m, const struct canvas *c, const struct frame_caption *caption,
	      const struct vcpu_bar *bars, size_t n);

#endif
