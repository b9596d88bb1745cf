/* SPDX-License-Identifier: GPL-2.0-only */
/* When a trigger fires, and what it says: made-up samples as the readers hand them over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "capture/trigger_internal.h"
#include "trace.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)
/* No time is 0, and what a feed has read is looked at 2 ms later. */
#define T0 (100 * S)
#define SLACK (2 * MS)

/* One trigger, and a reader for each of two CPUs. */
struct bench {
	struct trace tr; /* its schema */
	struct trigger *trigger;
	struct trigger_feed *feeds[2];
	struct trigger_hit hit;
};

/* As cmd/record.c tells it, for Intel's exits. */
static bool hlt_is_idle(void *ctx, const struct cdict_event_type *type, uint32_t isa, uint64_t code,
			uint64_t esr_ec)
{
	(void)ctx;
	(void)esr_ec;
	assert_string_equal(type->name, "kvm:kvm_exit");
	return isa == 1 && (code & 0xffff) == TRACE_HLT;
}

static int bench_try(struct bench *b, const char *what, const char *task, const char *without,
		     struct cdict_error *err)
{
	struct trigger_options opts = { .task = task, .exit_is_idle = hlt_is_idle };

	memset(b, 0, sizeof(*b));
	trace_init_without(&b->tr, 2, without);
	opts.schema = b->tr.schema;
	assert_int_equal(trigger_parse(&opts.spec, what, err), 0);
	return trigger_new(&b->trigger, &opts, err);
}

static void bench_init(struct bench *b, const char *what, const char *task)
{
	struct cdict_error err;

	assert_int_equal(bench_try(b, what, task, "", &err), 0);
	for (int i = 0; i < 2; i++) {
		b->feeds[i] = trigger_feed_new(b->trigger);
		assert_non_null(b->feeds[i]);
	}
}

static void bench_fini(struct bench *b)
{
	trigger_feed_free(b->feeds[0]);
	trigger_feed_free(b->feeds[1]);
	trigger_free(b->trigger);
	trace_fini(&b->tr);
}

/* Writes the fields named in @... (as trace_add()) into a payload and feeds it. */
static void put(struct bench *b, int cpu, uint64_t t_ns, int32_t tid, const char *type, ...)
{
	const struct cdict_event_type *et = cdict_schema_find(b->tr.schema, type);
	struct pending_sample s = { .t_ns = T0 + t_ns };
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

			memcpy(raw + f->offset, &v, f->size); /* little-endian, as the schema */
		}
	}
	va_end(ap);
	trigger_feed_sample(b->feeds[cpu], &s, (uint32_t)tid, raw, et->payload_size);
}

static void wake(struct bench *b, int cpu, uint64_t t, int32_t tid, const char *comm)
{
	put(b, cpu, t, 1, "sched:sched_waking", "comm", comm, "pid", (uint64_t)tid, NULL);
}

static void switch_(struct bench *b, int cpu, uint64_t t, int32_t prev, uint64_t state,
		    int32_t next, const char *comm)
{
	put(b, cpu, t, prev, "sched:sched_switch", "prev_pid", (uint64_t)prev, "prev_state", state,
	    "next_pid", (uint64_t)next, "next_comm", comm, NULL);
}

static void kvm_exit(struct bench *b, int cpu, uint64_t t, int32_t tid, uint64_t reason)
{
	put(b, cpu, t, tid, "kvm:kvm_exit", "exit_reason", reason, "isa", UINT64_C(1), NULL);
}

static void kvm_entry(struct bench *b, int cpu, uint64_t t, int32_t tid)
{
	put(b, cpu, t, tid, "kvm:kvm_entry", NULL);
}

/* The readers' pass ends: that on CPU @cpu, -1: both, has read everything up to @t_ns. */
static void pass(struct bench *b, int cpu, uint64_t t_ns)
{
	for (int i = 0; i < 2; i++)
		if (cpu < 0 || cpu == i) {
			b->feeds[i]->began_ns = T0 + t_ns + SLACK;
			trigger_feed_end(b->feeds[i]);
		}
}

/* What is known at @t_ns; @text is the hit's, NULL: there must be none. */
static void expect(struct bench *b, uint64_t t_ns, const char *text)
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

/* ---- latency ----------------------------------------------------------------------------- */

static void a_wait_longer_than_the_limit_fires_and_is_told(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	wake(&b, 0, 1 * MS, 7, "late");
	switch_(&b, 0, 13 * MS + 500 * US, 0, TRACE_R, 7, "late");
	expect(&b, 20 * MS, "latency of late (7) was 12.500 ms at 100.013500000 s");
	assert_int_equal(b.hit.tid, 7);
	assert_int_equal(b.hit.ns, 12 * MS + 500 * US);
	assert_int_equal(b.hit.t_ns, T0 + 13 * MS + 500 * US);
	assert_string_equal(b.hit.comm, "late");
	expect(&b, 900 * MS, NULL); /* once */
	bench_fini(&b);
}

static void a_wait_of_the_limit_itself_does_not_fire(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	wake(&b, 0, 1 * MS, 7, "edge");
	switch_(&b, 0, 11 * MS, 0, TRACE_R, 7, "edge");
	expect(&b, 20 * MS, NULL);
	wake(&b, 0, 30 * MS, 8, "edge");
	switch_(&b, 0, 40 * MS + 1, 7, TRACE_S, 8, "edge");
	expect(&b, 50 * MS, "latency of edge (8) was 10.000 ms at 100.040000001 s");
	bench_fini(&b);
}

static void who_still_waits_fires_before_it_runs(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	switch_(&b, 0, 1 * MS, 7, TRACE_S, 0, "swapper/0");
	wake(&b, 1, 5 * MS, 7, "stuck");
	expect(&b, 15 * MS, NULL);
	expect(&b, 16 * MS, "latency of stuck (7) was 11.000 ms at 100.016000000 s");
	expect(&b, 200 * MS, NULL); /* of one wait it is told once */
	switch_(&b, 1, 300 * MS, 0, TRACE_R, 7, "stuck");
	expect(&b, 310 * MS, NULL);
	switch_(&b, 1, 320 * MS, 7, TRACE_S, 0, "swapper/1");
	wake(&b, 1, 330 * MS, 7, "stuck");
	expect(&b, 350 * MS, "latency of stuck (7) was 20.000 ms at 100.350000000 s");
	bench_fini(&b);
}

/* Woken on one CPU, run on the other, whose reader was first. */
static void a_task_that_moves_to_another_cpu_is_followed(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	switch_(&b, 1, 30 * MS, 0, TRACE_R, 7, "mover");
	pass(&b, 1, 40 * MS);
	assert_false(trigger_run(b.trigger, &b.hit)); /* CPU 0 may still bring something */
	switch_(&b, 0, 1 * MS, 7, TRACE_S, 0, "swapper/0");
	wake(&b, 0, 5 * MS, 7, "mover");
	expect(&b, 40 * MS, "latency of mover (7) was 25.000 ms at 100.030000000 s");
	/* The other way round: short on both, each CPU alone would make it long. */
	switch_(&b, 1, 50 * MS, 7, TRACE_S, 0, "swapper/1");
	wake(&b, 0, 55 * MS, 7, "mover");
	switch_(&b, 0, 56 * MS, 0, TRACE_R, 7, "mover");
	switch_(&b, 0, 57 * MS, 7, TRACE_S, 0, "swapper/0");
	wake(&b, 1, 90 * MS, 7, "mover");
	switch_(&b, 1, 91 * MS, 0, TRACE_R, 7, "mover");
	expect(&b, 100 * MS, NULL);
	bench_fini(&b);
}

static void nothing_is_looked_at_before_all_readers_have_got_there(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	switch_(&b, 0, 1 * MS, 7, TRACE_S, 0, "swapper/0");
	wake(&b, 0, 2 * MS, 7, "x");
	pass(&b, 0, 100 * MS);
	assert_false(trigger_run(b.trigger, &b.hit));
	pass(&b, 1, 3 * MS);
	assert_false(trigger_run(b.trigger, &b.hit));
	switch_(&b, 1, 4 * MS, 0, TRACE_R, 7, "x"); /* it was in time */
	expect(&b, 100 * MS, NULL);
	bench_fini(&b);
}

static void samples_in_the_wrong_order_are_looked_at_in_the_right_one(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	switch_(&b, 0, 23 * MS, 0, TRACE_R, 7, "x");
	wake(&b, 0, 21 * MS, 7, "x");
	switch_(&b, 0, 3 * MS, 0, TRACE_R, 7, "x");
	switch_(&b, 0, 4 * MS, 7, TRACE_S, 0, "swapper/0");
	wake(&b, 0, 1 * MS, 7, "x");
	expect(&b, 30 * MS, NULL);
	bench_fini(&b);
}

static void a_second_wakeup_does_not_begin_the_wait_anew(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	wake(&b, 0, 1 * MS, 7, "x");
	wake(&b, 1, 9 * MS, 7, "x");
	switch_(&b, 0, 15 * MS, 0, TRACE_R, 7, "x");
	expect(&b, 20 * MS, "latency of x (7) was 14.000 ms at 100.015000000 s");
	bench_fini(&b);
}

/* Nobody saw it stop: it may be running, and then it does not wait. */
static void a_running_task_that_is_woken_does_not_wait(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	wake(&b, 0, 1 * MS, 7, "runs");
	expect(&b, 100 * MS, NULL);
	switch_(&b, 0, 110 * MS, 7, TRACE_S, 0, "swapper/0");
	expect(&b, 200 * MS, NULL);
	/* The same where its switch-in was seen. */
	wake(&b, 0, 201 * MS, 7, "runs");
	switch_(&b, 0, 202 * MS, 0, TRACE_R, 7, "runs");
	wake(&b, 1, 203 * MS, 7, "runs");
	expect(&b, 400 * MS, NULL);
	bench_fini(&b);
}

static void a_preempted_task_waits_for_no_wakeup(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	switch_(&b, 0, 1 * MS, 7, TRACE_R_PLUS, 8, "other");
	wake(&b, 1, 2 * MS, 7, "preempted");
	switch_(&b, 0, 50 * MS, 8, TRACE_S, 7, "preempted");
	expect(&b, 60 * MS, NULL);
	bench_fini(&b);
}

static void a_new_task_waits_from_its_birth(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	/* The number was another one's, whose end nobody saw. */
	switch_(&b, 0, 1 * MS, 0, TRACE_R, 7, "before");
	put(&b, 0, 5 * MS, 1, "sched:sched_wakeup_new", "comm", "new", "pid", UINT64_C(7), NULL);
	expect(&b, 18 * MS, "latency of new (7) was 13.000 ms at 100.018000000 s");
	bench_fini(&b);
}

static void only_tasks_that_match_fire(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", "^CPU [0-9]+/KVM$");
	wake(&b, 0, 1 * MS, 7, "CPU 12/KVM x");
	wake(&b, 0, 1 * MS, 8, "worker");
	switch_(&b, 0, 20 * MS, 0, TRACE_R, 7, "CPU 12/KVM x");
	switch_(&b, 0, 21 * MS, 7, TRACE_S, 8, "worker");
	expect(&b, 30 * MS, NULL);
	wake(&b, 0, 31 * MS, 9, "CPU 12/KVM");
	switch_(&b, 0, 51 * MS, 8, TRACE_S, 9, "CPU 12/KVM");
	expect(&b, 60 * MS, "latency of CPU 12/KVM (9) was 20.000 ms at 100.051000000 s");
	bench_fini(&b);
	bench_init(&b, "latency>10ms", "*late"); /* as .*late */
	wake(&b, 0, 1 * MS, 7, "too-late");
	switch_(&b, 0, 20 * MS, 0, TRACE_R, 7, "too-late");
	expect(&b, 30 * MS, "latency of too-late (7) was 19.000 ms at 100.020000000 s");
	bench_fini(&b);
}

static void of_several_the_first_is_told_and_idle_never_is(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	wake(&b, 0, 1 * MS, 0, "swapper/0");
	wake(&b, 0, 1 * MS, 8, "b");
	wake(&b, 0, 2 * MS, 7, "a\n\033");
	switch_(&b, 1, 20 * MS, 0, TRACE_R, 7, "a\n\033");
	switch_(&b, 0, 30 * MS, 9, TRACE_S, 8, "b");
	switch_(&b, 0, 40 * MS, 8, TRACE_S, 0, "swapper/0");
	expect(&b, 50 * MS, "latency of a?? (7) was 18.000 ms at 100.020000000 s");
	bench_fini(&b);
}

/* More tasks than the first table holds; those that ended make room. */
static void thousands_of_tasks_are_told_apart(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	for (int32_t i = 0; i < 40000; i++) {
		uint64_t t = 1 * MS + (uint64_t)i * 20;

		wake(&b, 0, t, 100 + i, "short");
		switch_(&b, 0, t + 5, 1, TRACE_R, 100 + i, "short");
		switch_(&b, 0, t + 10, 100 + i, i % 4 ? TRACE_Z : TRACE_S, 1, "one");
	}
	wake(&b, 0, 2 * MS, 104, "long");
	expect(&b, 3 * MS, NULL);
	expect(&b, 13 * MS, "latency of long (104) was 11.000 ms at 100.013000000 s");
	bench_fini(&b);
}

/* ---- loss -------------------------------------------------------------------------------- */

static void what_was_waited_for_over_a_loss_is_not_told(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	switch_(&b, 0, 1 * MS, 7, TRACE_S, 0, "swapper/0");
	wake(&b, 0, 2 * MS, 7, "x");
	/* Between 3 and 20 ms anything may have happened on CPU 1. */
	trigger_feed_loss(b.feeds[1], T0 + 3 * MS, T0 + 20 * MS);
	wake(&b, 0, 4 * MS, 8, "y");
	switch_(&b, 0, 19 * MS, 9, TRACE_S, 8, "y");
	switch_(&b, 0, 25 * MS, 8, TRACE_S, 7, "x");
	expect(&b, 40 * MS, NULL);
	/* Afterwards it goes on. */
	switch_(&b, 0, 41 * MS, 7, TRACE_S, 0, "swapper/0");
	wake(&b, 0, 42 * MS, 7, "x");
	switch_(&b, 0, 60 * MS, 0, TRACE_R, 7, "x");
	expect(&b, 70 * MS, "latency of x (7) was 18.000 ms at 100.060000000 s");
	bench_fini(&b);
}

/* 64 MiB of notes while nobody looks: they go, and nothing is made up of what is left. */
static void too_much_at_once_is_a_loss(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	switch_(&b, 0, 1 * MS, 7, TRACE_S, 0, "swapper/0");
	wake(&b, 0, 2 * MS, 7, "x");
	expect(&b, 3 * MS, NULL);
	switch_(&b, 0, 4 * MS, 0, TRACE_R, 7, "x"); /* it ran: this one is lost */
	pass(&b, -1, 4 * MS);
	for (uint64_t n = 0; n <= (64u << 20) / sizeof(struct note); n++) {
		kvm_entry(&b, 0, 5 * MS + n, 9);
		if (n % 65536 == 0)
			pass(&b, 0, 5 * MS + n);
	}
	/* What the other reader brings late began before the hole: who knows how it ended. */
	switch_(&b, 1, 4 * MS + 200 * US, 8, TRACE_S, 0, "swapper/1");
	wake(&b, 1, 4 * MS + 300 * US, 8, "y");
	expect(&b, 90 * MS, NULL);
	switch_(&b, 0, 91 * MS, 7, TRACE_S, 0, "swapper/0");
	wake(&b, 0, 92 * MS, 7, "x");
	expect(&b, 110 * MS, "latency of x (7) was 18.000 ms at 100.110000000 s");
	bench_fini(&b);
}

static void without_a_clock_the_events_tell_how_far_it_is(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	for (int i = 0; i < 2; i++) {
		wake(&b, i, 1 * MS, 7 + i, "x");
		switch_(&b, i, 20 * MS, 0, TRACE_R, 7 + i, "x");
		wake(&b, i, 30 * MS, 1, "y");
		b.feeds[i]->began_ns = 0;
		trigger_feed_end(b.feeds[i]);
	}
	assert_true(trigger_run(b.trigger, &b.hit));
	assert_int_equal(b.hit.ns, 19 * MS);
	bench_fini(&b);
}

/* ---- exits ------------------------------------------------------------------------------- */

static void an_exit_longer_than_the_limit_fires_and_is_told(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "exit>5ms", NULL);
	switch_(&b, 0, 1 * MS, 0, TRACE_R, 7, "CPU 0/KVM");
	kvm_entry(&b, 0, 2 * MS, 7);
	kvm_exit(&b, 0, 3 * MS, 7, TRACE_IO);
	kvm_entry(&b, 0, 8 * MS, 7); /* 5 ms are not longer */
	kvm_exit(&b, 0, 9 * MS, 7, TRACE_CPUID);
	kvm_entry(&b, 1, 14 * MS + 1, 7); /* on another CPU */
	expect(&b, 20 * MS, "exit of CPU 0/KVM (7) was 5.000 ms at 100.014000001 s");
	assert_int_equal(b.hit.ns, 5 * MS + 1);
	expect(&b, 900 * MS, NULL);
	bench_fini(&b);
}

static void an_exit_that_does_not_end_fires(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "exit>5ms", NULL);
	switch_(&b, 0, 1 * MS, 0, TRACE_R, 7, "CPU 0/KVM");
	kvm_exit(&b, 0, 3 * MS, 7, TRACE_IO);
	expect(&b, 8 * MS, NULL);
	expect(&b, 9 * MS, "exit of CPU 0/KVM (7) was 6.000 ms at 100.009000000 s");
	/* It is still the same one, in QEMU, which sleeps. */
	switch_(&b, 0, 10 * MS, 7, TRACE_S, 0, "swapper/0");
	wake(&b, 0, 11 * MS, 7, "CPU 0/KVM");
	switch_(&b, 0, 12 * MS, 0, TRACE_R, 7, "CPU 0/KVM");
	expect(&b, 30 * MS, NULL);
	kvm_entry(&b, 0, 31 * MS, 7);
	expect(&b, 40 * MS, NULL);
	bench_fini(&b);
}

static void a_vcpu_that_waits_for_work_is_not_meant(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "exit>5ms", NULL);
	kvm_exit(&b, 0, 1 * MS, 7, TRACE_HLT);
	expect(&b, 500 * MS, NULL);
	kvm_entry(&b, 0, 501 * MS, 7);
	expect(&b, 600 * MS, NULL);
	bench_fini(&b);
}

static void an_entry_without_exit_and_an_exit_without_entry_are_not_paired(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "exit>5ms", NULL);
	kvm_entry(&b, 0, 100 * MS, 7);
	kvm_entry(&b, 0, 200 * MS, 7);
	/* The entry between these two was not recorded: what is told is from the second on. */
	kvm_exit(&b, 0, 300 * MS, 7, TRACE_IO);
	kvm_exit(&b, 0, 302 * MS, 7, TRACE_IO);
	kvm_entry(&b, 0, 306 * MS, 7);
	/* Others' entries end nothing. */
	kvm_exit(&b, 0, 310 * MS, 8, TRACE_IO);
	kvm_entry(&b, 0, 311 * MS, 7);
	kvm_entry(&b, 0, 314 * MS, 8);
	expect(&b, 400 * MS, NULL);
	bench_fini(&b);
}

static void an_exit_over_a_loss_is_not_told(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "exit>5ms", NULL);
	kvm_exit(&b, 0, 1 * MS, 7, TRACE_IO);
	trigger_feed_loss(b.feeds[0], T0 + 2 * MS, T0 + 9 * MS);
	kvm_entry(&b, 0, 10 * MS, 7);
	kvm_exit(&b, 0, 11 * MS, 7, TRACE_IO);
	kvm_entry(&b, 0, 12 * MS, 7);
	expect(&b, 100 * MS, NULL);
	bench_fini(&b);
}

static void a_vcpu_thread_that_ended_has_no_exit(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "exit>5ms", NULL);
	kvm_exit(&b, 0, 1 * MS, 7, TRACE_IO);
	switch_(&b, 0, 2 * MS, 7, TRACE_Z, 0, "swapper/0");
	expect(&b, 100 * MS, NULL);
	bench_fini(&b);
}

/* A vCPU that never leaves its CPU: who it is says /proc. This process is one. */
static void a_vcpu_that_was_never_switched_is_named_all_the_same(void **state)
{
	char comm[16] = "", want[64];
	FILE *f = fopen("/proc/self/comm", "r");
	int32_t pid = (int32_t)getpid();
	struct bench b;

	(void)state;
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%15s", comm), 1);
	fclose(f);
	bench_init(&b, "exit>5ms", comm);
	kvm_exit(&b, 0, 1 * MS, pid, TRACE_IO);
	kvm_entry(&b, 0, 11 * MS, pid);
	pass(&b, -1, 20 * MS);
	assert_true(trigger_run(b.trigger, &b.hit));
	snprintf(want, sizeof(want), "exit of %s (%d) was 10.000 ms", comm, pid);
	assert_memory_equal(b.hit.text, want, strlen(want));
	bench_fini(&b);
}

/* ---- steal ------------------------------------------------------------------------------- */

/* Out of each 10 ms the task runs @run_ms, and is preempted for the rest. */
static void shared_cpu(struct bench *b, uint64_t from, uint64_t to, unsigned run_ms)
{
	for (uint64_t t = from; t < to; t += 10) {
		switch_(b, 0, t * MS, 8, TRACE_R_PLUS, 7, "shares");
		switch_(b, 0, (t + run_ms) * MS, 7, TRACE_R_PLUS, 8, "hog");
	}
}

static void a_task_that_is_kept_off_its_cpu_fires(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "steal>60%", "^shares$");
	shared_cpu(&b, 1000, 3000, 4); /* 60 % is not more */
	expect(&b, 3000 * MS, NULL);
	shared_cpu(&b, 3000, 5000, 3);
	pass(&b, -1, 5000 * MS);
	assert_true(trigger_run(b.trigger, &b.hit));
	assert_int_equal(b.hit.tid, 7);
	assert_string_equal(b.hit.comm, "shares");
	assert_true(b.hit.pct > 60 && b.hit.pct < 70.5);
	bench_fini(&b);
}

static void steal_tells_the_second_and_its_share(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "steal>50%", "^x$");
	switch_(&b, 0, 1000 * MS, 1, TRACE_S, 7, "x");
	/* Its second begins at 1 s; it is ready from 1.25 to 1.85 s. */
	switch_(&b, 0, 1250 * MS, 7, TRACE_R, 8, "hog");
	switch_(&b, 0, 1850 * MS, 8, TRACE_R, 7, "x");
	expect(&b, 1999 * MS, NULL);
	switch_(&b, 0, 2100 * MS, 7, TRACE_S, 8, "hog");
	expect(&b, 2200 * MS, "steal of x (7) was 60.0 % in the second before 102.000000000 s");
	bench_fini(&b);
}

static void a_wait_over_seconds_is_told_while_it_lasts(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "steal>99%", "^x$");
	switch_(&b, 0, 1000 * MS, 7, TRACE_S, 8, "hog");
	wake(&b, 1, 1500 * MS, 7, "x");
	expect(&b, 1990 * MS, NULL);
	/* Its second began when it was first seen: half of that it slept. */
	expect(&b, 2100 * MS, NULL);
	expect(&b, 3100 * MS, "steal of x (7) was 100.0 % in the second before 103.000000000 s");
	bench_fini(&b);
}

static void sleep_is_no_steal(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "steal>10%", NULL);
	for (uint64_t t = 1000; t < 4000; t += 100) {
		wake(&b, 0, t * MS, 7, "naps");
		switch_(&b, 0, (t + 5) * MS, 0, TRACE_R, 7, "naps");
		switch_(&b, 0, (t + 10) * MS, 7, TRACE_S, 0, "swapper/0");
	}
	expect(&b, 4000 * MS, NULL);
	bench_fini(&b);
}

static void who_may_be_running_is_not_stolen_from(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "steal>10%", NULL);
	wake(&b, 0, 1000 * MS, 7, "runs");
	expect(&b, 5000 * MS, NULL);
	switch_(&b, 0, 5001 * MS, 7, TRACE_S, 0, "swapper/0");
	expect(&b, 9000 * MS, NULL);
	bench_fini(&b);
}

static void what_was_stolen_over_a_loss_is_not_told(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "steal>50%", NULL);
	switch_(&b, 0, 1000 * MS, 7, TRACE_R, 8, "hog");
	trigger_feed_loss(b.feeds[0], T0 + 1100 * MS, T0 + 3000 * MS);
	expect(&b, 3100 * MS, NULL);
	switch_(&b, 0, 3200 * MS, 8, TRACE_S, 7, "x");
	expect(&b, 5000 * MS, NULL);
	bench_fini(&b);
}

/* ---- what is asked for ------------------------------------------------------------------- */

static void what_can_be_asked_for(void **state)
{
	static const struct {
		const char *text;
		int ret;
		enum trigger_kind kind;
		uint64_t ns;
		double pct;
	} cases[] = {
		{ "latency>10ms", 0, TRIGGER_LATENCY, 10 * MS, 0 },
		{ "latency>1.5s", 0, TRIGGER_LATENCY, 1500 * MS, 0 },
		{ "latency>0ns", 0, TRIGGER_LATENCY, 0, 0 },
		{ "exit>500us", 0, TRIGGER_EXIT, 500 * US, 0 },
		{ "exit>7ns", 0, TRIGGER_EXIT, 7, 0 },
		{ "steal>20%", 0, TRIGGER_STEAL, 0, 20 },
		{ "steal>0.5%", 0, TRIGGER_STEAL, 0, 0.5 },
		{ "steal>100%", CDICT_EUSAGE, 0, 0, 0 },
		{ "steal>20", CDICT_EUSAGE, 0, 0, 0 },
		{ "steal>20ms", CDICT_EUSAGE, 0, 0, 0 },
		{ "latency>20%", CDICT_EUSAGE, 0, 0, 0 },
		{ "latency>10", CDICT_EUSAGE, 0, 0, 0 },
		{ "latency>", CDICT_EUSAGE, 0, 0, 0 },
		{ "latency>-1ms", CDICT_EUSAGE, 0, 0, 0 },
		{ "latency>inf", CDICT_EUSAGE, 0, 0, 0 },
		{ "latency>1e30s", CDICT_EUSAGE, 0, 0, 0 },
		{ "latency<10ms", CDICT_EUSAGE, 0, 0, 0 },
		{ "late>10ms", CDICT_EUSAGE, 0, 0, 0 },
		{ "exit>5ms ", CDICT_EUSAGE, 0, 0, 0 },
		{ "exits>5ms", CDICT_EUSAGE, 0, 0, 0 },
		{ "", CDICT_EUSAGE, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cdict_error err = { 0 };
		struct trigger_spec spec;

		print_message("# %s\n", cases[i].text);
		assert_int_equal(trigger_parse(&spec, cases[i].text, &err), cases[i].ret);
		if (cases[i].ret) {
			assert_non_null(strstr(err.text, cases[i].text));
			continue;
		}
		assert_int_equal(spec.kind, cases[i].kind);
		assert_int_equal(spec.limit_ns, cases[i].ns);
		assert_true(spec.limit_pct == cases[i].pct);
	}
}

static void events_that_are_not_recorded_cannot_trigger(void **state)
{
	static const struct {
		const char *what, *without, *task;
		int ret;
	} cases[] = {
		{ "latency>1ms", "sched_switch", NULL, CDICT_EUSAGE },
		{ "latency>1ms", "sched_waking sched_wakeup", NULL, CDICT_EUSAGE },
		{ "latency>1ms", "kvm_exit", NULL, 0 },
		{ "steal>1%", "sched_switch", NULL, CDICT_EUSAGE },
		{ "exit>1ms", "kvm_entry", NULL, CDICT_EUSAGE },
		{ "exit>1ms", "kvm_exit", NULL, CDICT_EUSAGE },
		{ "exit>1ms", "sched_switch sched_waking", NULL, 0 },
		{ "latency>1ms", "", "(", CDICT_EUSAGE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cdict_error err = { 0 };
		struct bench b;
		int ret = bench_try(&b, cases[i].what, cases[i].task, cases[i].without, &err);

		print_message("# %s without %s\n", cases[i].what, cases[i].without);
		assert_int_equal(ret, cases[i].ret);
		assert_int_equal(b.trigger != NULL, !ret);
		trigger_free(b.trigger);
		trace_fini(&b.tr);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_longer_than_the_limit_fires_and_is_told),
		cmocka_unit_test(a_wait_of_the_limit_itself_does_not_fire),
		cmocka_unit_test(who_still_waits_fires_before_it_runs),
		cmocka_unit_test(a_task_that_moves_to_another_cpu_is_followed),
		cmocka_unit_test(nothing_is_looked_at_before_all_readers_have_got_there),
		cmocka_unit_test(samples_in_the_wrong_order_are_looked_at_in_the_right_one),
		cmocka_unit_test(a_second_wakeup_does_not_begin_the_wait_anew),
		cmocka_unit_test(a_running_task_that_is_woken_does_not_wait),
		cmocka_unit_test(a_preempted_task_waits_for_no_wakeup),
		cmocka_unit_test(a_new_task_waits_from_its_birth),
		cmocka_unit_test(only_tasks_that_match_fire),
		cmocka_unit_test(of_several_the_first_is_told_and_idle_never_is),
		cmocka_unit_test(thousands_of_tasks_are_told_apart),
		cmocka_unit_test(what_was_waited_for_over_a_loss_is_not_told),
		cmocka_unit_test(too_much_at_once_is_a_loss),
		cmocka_unit_test(without_a_clock_the_events_tell_how_far_it_is),
		cmocka_unit_test(an_exit_longer_than_the_limit_fires_and_is_told),
		cmocka_unit_test(an_exit_that_does_not_end_fires),
		cmocka_unit_test(a_vcpu_that_waits_for_work_is_not_meant),
		cmocka_unit_test(an_entry_without_exit_and_an_exit_without_entry_are_not_paired),
		cmocka_unit_test(an_exit_over_a_loss_is_not_told),
		cmocka_unit_test(a_vcpu_thread_that_ended_has_no_exit),
		cmocka_unit_test(a_vcpu_that_was_never_switched_is_named_all_the_same),
		cmocka_unit_test(a_task_that_is_kept_off_its_cpu_fires),
		cmocka_unit_test(steal_tells_the_second_and_its_share),
		cmocka_unit_test(a_wait_over_seconds_is_told_while_it_lasts),
		cmocka_unit_test(sleep_is_no_steal),
		cmocka_unit_test(who_may_be_running_is_not_stolen_from),
		cmocka_unit_test(what_was_stolen_over_a_loss_is_not_told),
		cmocka_unit_test(what_can_be_asked_for),
		cmocka_unit_test(events_that_are_not_recorded_cannot_trigger),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
