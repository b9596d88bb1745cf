/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trigger.h - watches the events for the conditions that trigger the flight recorder:
 *
 *	latency>TIME   a task waited longer from its wake-up to its switch-in
 *	delay>TIME     a task waited longer for a CPU, after its wake-up or a preemption
 *	exit>TIME      a KVM exit took longer until the next entry of the same thread; exits of a
 *	               vCPU that waits for work (HLT and its kin) do not count
 *	steal>PCT%     a task was runnable, but not running, for more of the last second
 *
 * Each reader feeds its relevant events, and up to which time it has read; once all feeds have
 * reached a time, the events before it are examined in time order.
 *
 * Threads    a feed belongs to its reader; one thread calls trigger_run()
 */
#ifndef CAPTURE_TRIGGER_TRIGGER_H
#define CAPTURE_TRIGGER_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"
#include "cdict/schema.h"
#include "convert/ingest/batcher.h"

/* Limit of memory for notes that trigger_run() has not examined yet. */
#define TRIGGER_BYTES ((size_t)64 << 20)

enum trigger_kind { TRIGGER_LATENCY, TRIGGER_DELAY, TRIGGER_EXIT, TRIGGER_STEAL };

struct trigger_spec {
	enum trigger_kind kind;
	uint64_t limit_ns; /* latency, delay, exit */
	double limit_pct;  /* steal */
};

/* trigger_parse - parses "latency>10ms", "delay>20ms", "exit>500us", "steal>20%"; CDICT_EUSAGE. */
int trigger_parse(struct trigger_spec *spec, const char *text, struct cdict_error *err);

/* Whether the vCPU waits for work after an exit of this @code; @type is the recorded kvm_exit. */
typedef bool (*trigger_idle_fn)(void *ctx, const struct cdict_event_type *type, uint32_t isa,
				uint64_t code, uint64_t esr_ec);

struct trigger_options {
	const struct trigger_spec *specs; /* any of them; copied */
	size_t n_specs;
	const char *task; /* regular expression over comm; NULL: any task */
	const struct cdict_schema *schema;
	trigger_idle_fn exit_is_idle;
	void *exit_ctx;
	bool use_clockid;
	int clockid;
};

/* The first match of any condition. */
struct trigger_hit {
	uint64_t t_ns; /* time of the match */
	int32_t tid;
	char comm[16];
	uint64_t ns;    /* latency, delay, exit */
	double pct;     /* steal */
	char text[160]; /* one line */
};

struct trigger;
struct trigger_feed;

/* trigger_new - CDICT_EUSAGE when the recorded events are not sufficient for a condition. */
int trigger_new(struct trigger **out, const struct trigger_options *opts, struct cdict_error *err);
void trigger_free(struct trigger *t);
/* trigger_run - examines the fed events; true and *hit when one is met. */
bool trigger_run(struct trigger *t, struct trigger_hit *hit);

/* trigger_feed_new - makes the feed of one reader; before the recording begins. */
struct trigger_feed *trigger_feed_new(struct trigger *t);
void trigger_feed_free(struct trigger_feed *f);
/* Called before and after each pass over the rings. */
void trigger_feed_begin(struct trigger_feed *f);
void trigger_feed_end(struct trigger_feed *f);
void trigger_feed_sample(struct trigger_feed *f, const struct batch_sample *s, uint32_t tid,
			 const uint8_t *raw, uint32_t raw_size);
/* trigger_feed_loss - events between the two times are unknown. */
void trigger_feed_loss(struct trigger_feed *f, uint64_t from_ns, uint64_t to_ns);

#endif
