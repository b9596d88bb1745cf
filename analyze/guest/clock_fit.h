/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * clock_fit.h - a guest's clock from the events of both recordings, without any other knowledge.
 *
 * An event of a guest's CPU can only happen while its vCPU is in guest mode, which the host's
 * recording bounds: from kvm_entry, before the guest runs, to kvm_exit or the switch-out of the
 * vCPU's thread, after it ran. So each event of the guest bounds its time on the host from both sides:
 * tightly where it comes soon after an entry (the interrupt that ends a halt) or soon before an exit
 * (the halt itself, a write to an MSR). Time in which the host's events are missing bounds nothing.
 *
 * All lines from the guest's time to the host's that meet every bound form a convex set (as in
 * Duda et al., "Estimating global time in distributed systems", 1987, and Poirier et al., "Accurate
 * offline synchronization of distributed traces using kernel-level events", 2010; here without
 * matching messages). The fit is its middle, its half width the error: as long as both clocks run at
 * constant speeds, the true time is within the error while both recorded.
 *
 * The offset is searched over the whole overlap. When no line meets all bounds, when lines with
 * different offsets do, or when the bounds are too loose, the fit fails and gives the distance.
 */
#ifndef ANALYZE_GUEST_CLOCK_FIT_H
#define ANALYZE_GUEST_CLOCK_FIT_H

#include "analyze/guest/clock.h"
#include "cdict/reader.h"

/* The host's thread of a guest's CPU. */
struct guest_fit_vcpu {
	uint32_t guest_cpu;
	int32_t tid;
};

struct fit_span {
	uint64_t from_ns, to_ns; /* inclusive */
};

/* When each thread of a host's recording may have been in guest mode: all guests are fitted to it. */
struct fit_host;

/* fit_host_new - reads the events of threads @tids; with @parts, only then, and nothing is known
 * between them. 0; -ENOMEM; CDICT_ENOTFOUND: no events of KVM; or an error of reading. */
int fit_host_new(struct fit_host **out, struct cdict_reader *host, const int32_t *tids, size_t n,
		 const struct fit_span *parts, size_t n_parts, struct cdict_error *err);
void fit_host_free(struct fit_host *h);

/* guest_clock_fit - 0; -ENOMEM; CDICT_ENOTFOUND when there is no fit, with the reason; or an error of
 * reading. @host: of @h, for its wall clock. */
int guest_clock_fit(struct guest_clock *out, const struct fit_host *h, struct cdict_reader *host,
		    struct cdict_reader *guest, const struct guest_fit_vcpu *vcpus, size_t n,
		    struct cdict_error *err);

/* guest_clock_agrees - *off_ns: by how much by @clock an event of the guest, of all or those in some parts of
 * it, is at most outside of guest mode and of the clock's error: cheaper than a fit. 0 or a negative
 * code. */
int guest_clock_agrees(uint64_t *off_ns, const struct guest_clock *clock, struct cdict_reader *host,
		       struct cdict_reader *guest, const struct guest_fit_vcpu *vcpus, size_t n,
		       struct cdict_error *err);

/* --- the same from times --- */

struct fit_vcpu {
	ARRAY(struct fit_span) entered; /* may be in guest mode: ascending, apart */
	ARRAY(uint64_t) events;         /* the guest's time, ascending */
	uint64_t first_ns, last_ns;     /* known from, to: the host's time */
};

struct fit_input {
	const struct fit_vcpu *vcpus;
	size_t n;
	/* The offset by the wall clocks, host's minus guest's time; is tried first. */
	bool guessed;
	int64_t guess_ns;
};

int fit_clock(struct guest_clock *out, const struct fit_input *in, struct cdict_error *err);

void fit_vcpu_fini(struct fit_vcpu *v);

/* fit_host_vcpu - of thread @tid, without events; NULL when it was never seen in guest mode. */
const struct fit_vcpu *fit_host_vcpu(const struct fit_host *h, int32_t tid);
/* fit_read - sets @vcpus[@n]: the spans of @host, borrowed, and the guest's events. fit_read_fini()
 * frees these. */
int fit_read(struct fit_vcpu *vcpus, const struct fit_host *host, struct cdict_reader *guest,
	     const struct guest_fit_vcpu *of, size_t n, struct cdict_error *err);
void fit_read_fini(struct fit_vcpu *vcpus, size_t n);

#endif
