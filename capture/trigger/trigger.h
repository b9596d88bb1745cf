/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trigger.h - watches the events for what the flight recorder waits for:
 *
 *	latency>TIME   a task waited longer than that from its wake-up to its switch-in
 *	exit>TIME      a KVM exit took longer until the next entry of the same thread; a vCPU that
 *	               waits for work (HLT and its kin) is not meant
 *	steal>PCT%     a task was ready, but did not run, for more of the last second
 *
 * Each reader feeds what it saw of the events that matter, and how far in time it has got; when
 * all have got there, the events are looked at in order of time.
 *
 * Threads    a feed belongs to its reader; trigger_run() is for one thread
 */
#ifndef CAPTURE_TRIGGER_H
#define CAPTURE_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"
#include "cdict/schema.h"
#include "convert/ingest/batcher.h"

/* Memory of what readers noted and nobody has looked at, at most. */
#define TRIGGER_BYTES ((size_t)64 << 20)

enum trigger_kind { TRIGGER_LATENCY, TRIGGER_EXIT, TRIGGER_STEAL };

struct trigger_spec {
	enum trigger_kind kind;
	uint64_t limit_ns; /* latency, exit */
	double limit_pct;  /* steal */
};

/* trigger_parse - "latency>10ms", "exit>500us", "steal>20%"; CDICT_EUSAGE. */
int trigger_parse(struct trigger_spec *spec, const char *text, struct cdict_error *err);

/* Whether the vCPU waits for work after an exit of this @code; @type is kvm_exit as recorded. */
typedef bool (*trigger_idle_fn)(void *ctx, const struct cdict_event_type *type, uint32_t isa,
				uint64_t code, uint64_t esr_ec);

struct trigger_options {
	struct trigger_spec spec;
	const char *task; /* regular expression over comm; NULL: any task */
	const struct cdict_schema *schema;
	trigger_idle_fn exit_is_idle;
	void *exit_ctx;
	bool use_clockid;
	int clockid;
};

/* What was seen. */
struct trigger_hit {
	uint64_t t_ns; /* when it became true */
	int32_t tid;
	char comm[16];
	uint64_t ns;    /* latency, exit */
	double pct;     /* steal */
	char text[160]; /* one line */
};

struct trigger;
struct trigger_feed;

/* trigger_new - CDICT_EUSAGE when the recorded events do not tell what is asked for. */
int trigger_new(struct trigger **out, const struct trigger_options *opts, struct cdict_error *err);
void trigger_free(struct trigger *t);
/* trigger_run - looks at what the feeds brought; true and *hit when it is time. */
bool trigger_run(struct trigger *t, struct trigger_hit *hit);

/* trigger_feed_new - for one reader; before the recording begins. */
struct trigger_feed *trigger_feed_new(struct trigger *t);
void trigger_feed_free(struct trigger_feed *f);
/* Around each pass over the rings. */
void trigger_feed_begin(struct trigger_feed *f);
void trigger_feed_end(struct trigger_feed *f);
void trigger_feed_sample(struct trigger_feed *f, const struct batch_sample *s, uint32_t tid,
			 const uint8_t *raw, uint32_t raw_size);
/* trigger_feed_loss - nobody knows what happened between the two times. */
void trigger_feed_loss(struct trigger_feed *f, uint64_t from_ns, uint64_t to_ns);

#endif
