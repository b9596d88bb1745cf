/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * triggerbench.h - one trigger with two readers, and made-up samples as the readers hand them over.
 * The trigger, its feeds and the schema are of struct bench: bench_fini() frees them; after
 * bench_try() there are no feeds.
 */
#ifndef TESTS_UNIT_TRIGGERBENCH_H
#define TESTS_UNIT_TRIGGERBENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/host/rings.h"
#include "capture/trigger/trigger_internal.h"
#include "tests/unit/trace.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)
/* No time is 0, and events that a feed has read are processed 2 ms later. */
#define T0 (100 * S)
#define SLACK (2 * MS)

/* One trigger, and a reader for each of two CPUs. */
struct bench {
	struct trace tr; /* its schema */
	struct trigger *trigger;
	struct trigger_feed *feeds[2];
	struct trigger_hit hit;
};

/* As in cmd/record/record.c, for Intel's exits. */
static inline bool hlt_is_idle(void *ctx, const struct cdict_event_type *type, uint32_t isa,
			       uint64_t code, uint64_t esr_ec)
{
	(void)ctx;
	(void)esr_ec;
	assert_string_equal(type->name, "kvm:kvm_exit");
	return isa == 1 && (code & 0xffff) == TRACE_HLT;
}

static inline int bench_try(struct bench *b, const char *what, const char *task,
			    const char *without, struct cdict_error *err)
{
	struct trigger_spec specs[4];
	struct trigger_options opts = { .specs = specs, .task = task, .exit_is_idle = hlt_is_idle };
	char list[64], *one, *rest = list;

	memset(b, 0, sizeof(*b));
	trace_init_without(&b->tr, 2, without);
	opts.schema = b->tr.schema;
	snprintf(list, sizeof(list), "%s", what);
	while ((one = strsep(&rest, ",")) != NULL)
		assert_int_equal(trigger_parse(&specs[opts.n_specs++], one, err), 0);
	return trigger_new(&b->trigger, &opts, err);
}

static inline void bench_init(struct bench *b, const char *what, const char *task)
{
	struct cdict_error err;

	assert_int_equal(bench_try(b, what, task, "", &err), 0);
	for (int i = 0; i < 2; i++) {
		b->feeds[i] = trigger_feed_new(b->trigger);
		assert_non_null(b->feeds[i]);
	}
}

static inline void bench_fini(struct bench *b)
{
	trigger_feed_free(b->feeds[0]);
	trigger_feed_free(b->feeds[1]);
	trigger_free(b->trigger);
	trace_fini(&b->tr);
}

/* Writes the fields named in @... (as trace_add()) into a payload and feeds it. */
static inline void put(struct bench *b, int cpu, uint64_t t_ns, int32_t tid, const char *type, ...)
{
	const struct cdict_event_type *et = cdict_schema_find(b->tr.schema, type);
	struct batch_sample s = { .t_ns = T0 + t_ns };
	uint8_t raw[128] = { 0 };
	const char *name;
	va_list ap;

	assert_non_null(et);
	assert_true(et->payload_size <= sizeof(raw));
	s.event = et->index;
	va_start(ap, type);
	while ((name = va_arg(ap, const char *))) {
		int i = cdict_event_type_field(et, name);
		const struct cdict_field *f = &et->fields[i];

		assert_true(i >= 0);
		if (f->kind > CDICT_FIELD_INT) {
			const char *text = va_arg(ap, const char *);

			memcpy(raw + f->offset, text, strlen(text));
		} else {
			uint64_t v = va_arg(ap, uint64_t);

			/* as in the rings, regardless of the schema */
			memcpy(raw + f->offset, (char *)&v + (NATIVE_BIG ? 8 - f->size : 0),
			       f->size);
		}
	}
	va_end(ap);
	trigger_feed_sample(b->feeds[cpu], &s, (uint32_t)tid, raw, et->payload_size);
}

static inline void wake(struct bench *b, int cpu, uint64_t t, int32_t tid, const char *comm)
{
	put(b, cpu, t, 1, "sched:sched_waking", "comm", comm, "pid", (uint64_t)tid, NULL);
}

static inline void switch_(struct bench *b, int cpu, uint64_t t, int32_t prev, uint64_t state,
			   int32_t next, const char *comm)
{
	put(b, cpu, t, prev, "sched:sched_switch", "prev_pid", (uint64_t)prev, "prev_state", state,
	    "next_pid", (uint64_t)next, "next_comm", comm, NULL);
}

static inline void kvm_exit(struct bench *b, int cpu, uint64_t t, int32_t tid, uint64_t reason)
{
	put(b, cpu, t, tid, "kvm:kvm_exit", "exit_reason", reason, "isa", UINT64_C(1), NULL);
}

static inline void kvm_entry(struct bench *b, int cpu, uint64_t t, int32_t tid)
{
	put(b, cpu, t, tid, "kvm:kvm_entry", NULL);
}

/* The readers' pass ends: that on CPU @cpu, -1: both, has read everything up to @t_ns. */
static inline void pass(struct bench *b, int cpu, uint64_t t_ns)
{
	for (int i = 0; i < 2; i++)
		if (cpu < 0 || cpu == i) {
			b->feeds[i]->began_ns = T0 + t_ns + SLACK;
			trigger_feed_end(b->feeds[i]);
		}
}

/* The state at @t_ns; @text is the hit's, NULL: there must be none. */
static inline void expect(struct bench *b, uint64_t t_ns, const char *text)
{
	bool fired;

	pass(b, -1, t_ns);
	b->hit = (struct trigger_hit){ 0 };
	fired = trigger_run(b->trigger, &b->hit);
	if (!text)
		assert_string_equal(b->hit.text, "");
	else
		assert_string_equal(b->hit.text, text);
	assert_int_equal(fired, text != NULL);
}

#endif
