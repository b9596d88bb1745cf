/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vcpu.h - where each vCPU's time went: one bar of states per vCPU (or per VM for all its vCPUs),
 * each as long as the window, the worst on top.
 */
#ifndef RENDER_VIEWS_VCPU_H
#define RENDER_VIEWS_VCPU_H

#include "render/draw/frame.h"

struct vcpu_bar {
	char *name;                       /* clean */
	char *antagonist;                 /* clean: its longest antagonist, or NULL */
	double antagonist_share;          /* of preempted + waiting, 0..1 */
	uint64_t ns[ANALYZE_VCPU_STATES]; /* sum: the window, times its vCPUs */
	bool unreported;                  /* why it left its CPU is unknown, and so are its waits */
	uint32_t vcpus;                   /* number of vCPUs in the bar */
	uint32_t row;                     /* the caller's */
};

/* vcpu_bar_waited - the vCPU delay: time preempted, or woken and not on a CPU. */
uint64_t vcpu_bar_waited(const struct vcpu_bar *bar);

/* view_vcpu - @bars are worst first; 0 or -ENOMEM. */
int view_vcpu(struct marks *m, const struct canvas *c, const struct frame_caption *caption,
	      const struct vcpu_bar *bars, size_t n);

#endif
