/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * guests.h - the walks over a host's recording and those of its guests, and the rows of the guests'
 * tasks.
 *
 *	guests_new(&g, host, &opts, err);	// the guests of the reader (format/file/guests.h)
 *	t = guests_tasks(g);
 *	guests_free(g);
 *
 * The window of the options is the host's.
 *
 * Failure    0 or a negative code with *err filled; tables: NULL when out of memory
 * Ownership  new gives, free takes; the reader and the labels are borrowed
 */
#ifndef TABLES_GUEST_GUESTS_H
#define TABLES_GUEST_GUESTS_H

#include "analyze/guest/inside.h"
#include "base/text/sink.h"
#include "tables/columns/walk.h"

/* A guest of the host's reader. */
struct guest {
	size_t number;          /* in the reader */
	const char *vm, *found; /* borrowed */
	struct cdict_reader *reader;
	struct guest_clock clock;
	uint32_t *vcpus; /* the host's task of each of its CPUs, or ANALYZE_NO_TASK */
	size_t n_vcpus;
	size_t cpus,
		missing; /* CPUs with events, and those of them whose vCPU the host never saw */
	/* First which tasks ran on its CPUs, then where their time went. */
	struct tables_walk runs_walk, walk;
	struct guest_runs *runs;
	struct guest_inside *inside; /* NULL: not wanted */
};

struct guests {
	struct cdict_reader *host;
	struct tables_walk walk; /* over all of the host's recording */
	struct guest_vcpu_track *track;
	struct guest_sides sides;
	struct guest *all;
	size_t n;
	uint64_t from_ns, to_ns; /* the window */
	size_t done;             /* walks */
	struct tables_walk *now; /* the one in progress, or NULL */
	/* To be set before guests_step(); each may be NULL. */
	bool (*wants)(void *ctx, uint32_t vcpu); /* of the host: instead of names.filter.vm */
	void (*on_piece)(void *ctx, const struct guest_task_piece *piece); /* of guest @walking */
	void *ctx;
	uint32_t walking;
};

/* guests_joined - how many guests the recording has. */
size_t guests_joined(const struct cdict_reader *host);
/* guests_new - CDICT_ENOTFOUND if no guest belongs to opts->names.filter.vm, if that is set. */
int guests_new(struct guests **out, struct cdict_reader *host, const struct tables_options *opts,
	       struct cdict_error *err);
void guests_free(struct guests *g);
/* guests_begin - the same in steps: guests_step() is 1 while there is more to walk, then 0; also after
 * guests_again(), which sets another window. */
int guests_begin(struct guests **out, struct cdict_reader *host, const struct tables_options *opts,
		 struct cdict_error *err);
int guests_step(struct guests *g, uint64_t events, struct cdict_error *err);
/* guests_finish - all steps, each walk by several threads; 0 or a negative code. */
int guests_finish(struct guests *g, struct cdict_error *err);
void guests_again(struct guests *g, uint64_t from_ns, uint64_t to_ns);

/* guest_vcpus - the tasks of the VM's vCPUs by the guest's CPU: "CPU n/KVM", as QEMU names them, else
 * the number in the role, else KVM's. Gives *vcpus; *n: 1 + the highest number; 0 or -ENOMEM. */
int guest_vcpus(const struct tables_walk *host, const char *vm, uint32_t **vcpus, size_t *n);

/* guests_tasks - a row per task. guests_shares - a row per task and culprit or reason.
 * guests_latency - a row per task that waited after a wake-up. */
struct table *guests_tasks(const struct guests *g);
struct table *guests_shares(const struct guests *g);
struct table *guests_latency(const struct guests *g);
/* guests_steal - a row per CPU whose steal time the guest's kernel counted while it recorded, beside
 * what its vCPU did meanwhile; not clipped to the window. */
struct table *guests_steal(const struct guests *g);
/* A task that waited for its vCPU. */
struct guest_finding {
	uint32_t guest, task;
	uint32_t vcpu;          /* the host's, on which it ran last */
	int32_t tid;            /* of the task */
	uint64_t ns;            /* its vCPU waited */
	uint64_t at_ns, dur_ns; /* the longest of these waits */
};
enum { GUEST_FINDINGS = 5 };
/* guests_findings - those that waited longest, in this order; how many. guests_say_finding - "nginx-101
 * in instance-0000001c waited 38 ms for its vCPU, 31 ms of it behind instance-0000001b.vcpu1", with
 * mentions (tables_plain()) and otherwise escaped. */
size_t guests_findings(const struct guests *g, struct guest_finding found[GUEST_FINDINGS]);
void guests_say_finding(struct sink *out, const struct guests *g, const struct guest_finding *f);
/* guests_text - each guest's clock, and sentences on what kept its tasks waiting; to be freed.
 * guests_says - the same with mentions, for tables_says_json(). */
char *guests_says(const struct guests *g);
char *guests_text(const struct guests *g);
/* guest_say_clock - "clock: tsc, within 1.0 us, drift +0.021 ppm". */
void guest_say_clock(struct sink *out, const struct guest_clock *clock);
/* guest_say_damage - "; its recording is damaged: ...", or nothing. */
void guest_say_damage(struct sink *out, const struct cdict_reader *guest);
/* guests_put_culprit - "vcpu1 of instance-0000001b", "postgres in instance-0000001e", "backup-500". */
void guests_put_culprit(struct sink *out, const struct guests *g, const struct guest_culprit *who);

#endif
