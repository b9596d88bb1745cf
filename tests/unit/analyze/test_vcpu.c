/* SPDX-License-Identifier: GPL-2.0-only */
/* vCPU states and antagonists; and invariants of any capture, however damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/kvm/vcpu.h"
#include "tests/unit/hold.h"
#include "tests/unit/trace.h"

struct run {
	struct analyze_engine *eng;
	struct analyze_vcpus *vcpus;
};

static struct run run_with(struct trace *tr, const struct analyze_options *opts)
{
	struct run r = { .eng = trace_engine(opts) };

	assert_int_equal(analyze_vcpus_new(&r.vcpus, r.eng, NULL), 0);
	trace_run(tr, r.eng);
	return r;
}

static void done(struct run *r)
{
	analyze_vcpus_free(r->vcpus);
	analyze_engine_free(r->eng);
}

static const struct analyze_vcpu_row *row(const struct run *r, int32_t tid)
{
	for (size_t i = 0; i < analyze_vcpus_row_count(r->vcpus); i++) {
		const struct analyze_vcpu_row *v = analyze_vcpus_row_at(r->vcpus, i);

		if (analyze_engine_task(r->eng, v->task)->tid == tid)
			return v;
	}
	return NULL;
}

/*
 * vCPU 10 on CPU 0, window 0 .. 1000 from 10000 on:
 *     0 switched in        (before its first KVM event: unknown)
 *    10 entry    100 exit CPUID   110 entry             guest 90, exit 10
 *   200 exit IO  230 userspace    280 entry             guest 90, exit 30, QEMU 50
 *   300 exit EXTINT, 305 preempted by 20; 405 in, 410 entry
 *                                                       guest 20, exit 10, preempted 100
 *   500 exit HLT, 510 asleep (IDLE), woken 700 while 21 runs since 600, in 750, entry 760
 *                          guest 90, exit 20, halted 190, waiting 50: all behind 21
 *   900 exit IO, 905 userspace, 910 asleep, woken 950 by IDLE, in 960, entry 965 .. 1000
 *                          guest 140 + 35 (edge), exit 5, QEMU 5 + 5, blocked 40, waiting 10
 */
static void drawn(struct trace *tr)
{
	const uint64_t t = 10000;

	trace_init(tr, 1);
	trace_task(tr, 0, CDICT_TASK_COMM, 1, 10, "CPU 0/KVM");
	trace_switch(tr, t, 0, 0, TRACE_R, 10);
	trace_entry(tr, t + 10, 0, 10);
	trace_exit(tr, t + 100, 0, 10, TRACE_CPUID);
	trace_entry(tr, t + 110, 0, 10);
	trace_exit(tr, t + 200, 0, 10, TRACE_IO);
	trace_add(tr, t + 230, 0, 10, "kvm:kvm_userspace_exit", NULL);
	trace_entry(tr, t + 280, 0, 10);
	trace_exit(tr, t + 300, 0, 10, TRACE_EXTINT);
	trace_switch(tr, t + 305, 0, 10, TRACE_R, 20);
	trace_switch(tr, t + 405, 0, 20, TRACE_S, 10);
	trace_entry(tr, t + 410, 0, 10);
	trace_exit(tr, t + 500, 0, 10, TRACE_HLT);
	trace_switch(tr, t + 510, 0, 10, TRACE_S, 0);
	trace_switch(tr, t + 600, 0, 0, TRACE_R, 21);
	trace_waking(tr, t + 700, 0, 21, 10, 0);
	trace_switch(tr, t + 750, 0, 21, TRACE_S, 10);
	trace_entry(tr, t + 760, 0, 10);
	trace_exit(tr, t + 900, 0, 10, TRACE_IO);
	trace_add(tr, t + 905, 0, 10, "kvm:kvm_userspace_exit", NULL);
	trace_switch(tr, t + 910, 0, 10, TRACE_S, 0);
	trace_waking(tr, t + 950, 0, 0, 10, 0);
	trace_switch(tr, t + 960, 0, 0, TRACE_R, 10);
	trace_entry(tr, t + 965, 0, 10);
	/* Another task's event ends the window. */
	trace_waking(tr, t + 1000, 0, 10, 20, 0);
}

static void every_ns_of_a_vcpu_has_its_state(void **state)
{
	const struct analyze_vcpu_row *v;
	struct trace tr;
	struct run r;

	(void)state;
	drawn(&tr);
	r = run_with(&tr, NULL);
	v = row(&r, 10);
	assert_true(v->ns[ANALYZE_VCPU_UNKNOWN] == 10 && v->lost_ns == 0);
	assert_true(v->ns[ANALYZE_VCPU_GUEST] == 90 + 90 + 20 + 90 + 140 + 35);
	assert_true(v->edge_ns == 35);
	assert_true(v->ns[ANALYZE_VCPU_EXIT] == 10 + 30 + 10 + 20 + 5);
	assert_true(v->ns[ANALYZE_VCPU_QEMU] == 50 + 10);
	assert_true(v->ns[ANALYZE_VCPU_PREEMPTED] == 100 && v->preemptions == 1);
	assert_true(v->ns[ANALYZE_VCPU_WAITING] == 60 && v->waits == 2);
	assert_true(v->ns[ANALYZE_VCPU_HALTED] == 190 && v->halts == 1);
	assert_true(v->ns[ANALYZE_VCPU_BLOCKED] == 40 && v->blocks == 1);
	assert_true(vcpu_sum(v) == 1000);
	done(&r);
	trace_fini(&tr);
}

static void reasons_share_the_time_of_handling_and_of_qemu(void **state)
{
	const struct analyze_vcpu_row *v;
	struct trace tr;
	struct run r;
	uint64_t exit_ns = 0, qemu_ns = 0;

	(void)state;
	drawn(&tr);
	r = run_with(&tr, NULL);
	v = row(&r, 10);
	/* IO: 30 + 5 in the kernel, 50 + 10 in QEMU: the most, so it comes first. */
	assert_int_equal(v->n_reasons, 4);
	assert_string_equal(v->reasons[0].name, "IO_INSTRUCTION");
	assert_true(v->reasons[0].exit_ns == 35 && v->reasons[0].qemu_ns == 60);
	for (size_t i = 0; i < v->n_reasons; i++) {
		exit_ns += v->reasons[i].exit_ns;
		qemu_ns += v->reasons[i].qemu_ns;
		assert_true(v->reasons[i].idle == !strcmp(v->reasons[i].name, "HLT"));
	}
	assert_true(exit_ns == v->ns[ANALYZE_VCPU_EXIT] && qemu_ns == v->ns[ANALYZE_VCPU_QEMU]);
	done(&r);
	trace_fini(&tr);
}

static void antagonists_are_the_tasks_that_ran_while_a_vcpu_waited(void **state)
{
	const struct analyze_vcpu_row *v;
	const struct analyze_antagonist *a;
	struct trace tr;
	struct run r;

	(void)state;
	drawn(&tr);
	r = run_with(&tr, NULL);
	v = row(&r, 10);
	/* 20: 100 preempting; 21: 50 while it waited; IDLE: 10 while it woke up. */
	assert_int_equal(v->n_antagonists, 3);
	a = &v->antagonists[0];
	assert_int_equal(analyze_engine_task(r.eng, a->task)->tid, 20);
	assert_true(a->preempted_ns == 100 && a->waiting_ns == 0 && a->took_over == 1);
	assert_true(a->worst.at_ns == 10305 && a->worst.dur_ns == 100 && a->worst_held_ns == 100);
	a = &v->antagonists[1];
	assert_int_equal(analyze_engine_task(r.eng, a->task)->tid, 21);
	assert_true(a->waiting_ns == 50 && a->slices == 1 && a->took_over == 0);
	a = &v->antagonists[2];
	assert_int_equal(analyze_engine_task(r.eng, a->task)->tid, 0);
	assert_true(a->waiting_ns == 10);
	assert_true(a->worst.at_ns == 10950 && a->worst.dur_ns == 10 && a->worst_held_ns == 10);
	assert_true(a->worst.cpu == 0 && a->worst.state == ANALYZE_VCPU_WAITING);
	assert_true(v->behind_ns == 160);
	assert_true(v->worst.dur_ns == 100 && v->worst.at_ns == 10305 && v->worst.cpu == 0);
	assert_true(v->worst.state == ANALYZE_VCPU_PREEMPTED);
	assert_int_equal(analyze_engine_task(r.eng, v->worst.behind)->tid, 20);
	assert_true(v->preempted.count == 1 && v->waiting.count == 2 && v->waiting.max == 50);
	done(&r);
	trace_fini(&tr);
}

static void a_waiting_vcpu_that_is_moved_has_antagonists_on_both_cpus(void **state)
{
	const struct analyze_vcpu_row *v;
	struct trace tr;
	struct run r;

	(void)state;
	/* Preempted on CPU 0 at 1100 by 20, moved at 1300 to CPU 1 where 21 runs, in at 1400. */
	trace_init(&tr, 2);
	trace_task(&tr, 0, CDICT_TASK_COMM, 1, 10, "CPU 0/KVM");
	trace_switch(&tr, 1000, 1, 0, TRACE_R, 21);
	trace_entry(&tr, 1000, 0, 10);
	trace_exit(&tr, 1090, 0, 10, TRACE_EXTINT);
	trace_switch(&tr, 1100, 0, 10, TRACE_R_PLUS, 20);
	trace_add(&tr, 1300, 1, 21, "sched:sched_migrate_task", "pid", (uint64_t)10, "orig_cpu",
		  (uint64_t)0, "dest_cpu", (uint64_t)1, NULL);
	trace_switch(&tr, 1400, 1, 21, TRACE_S, 10);
	trace_entry(&tr, 1410, 1, 10);
	r = run_with(&tr, NULL);
	v = row(&r, 10);
	assert_int_equal(v->n_antagonists, 2);
	assert_int_equal(analyze_engine_task(r.eng, v->antagonists[0].task)->tid, 20);
	assert_true(v->antagonists[0].preempted_ns == 200);
	assert_true(v->antagonists[0].worst.at_ns == 1100 && v->antagonists[0].worst.cpu == 0);
	assert_true(v->antagonists[0].worst_held_ns == 200);
	/* the wait is the same one, the CPU another */
	assert_true(v->antagonists[1].worst.at_ns == 1100 && v->antagonists[1].worst.cpu == 1);
	assert_true(v->antagonists[1].worst.dur_ns == 300 &&
		    v->antagonists[1].worst_held_ns == 100);
	assert_int_equal(analyze_engine_task(r.eng, v->antagonists[1].task)->tid, 21);
	assert_true(v->antagonists[1].preempted_ns == 100);
	assert_true(v->ns[ANALYZE_VCPU_PREEMPTED] == 300 && v->behind_ns == 300);
	done(&r);
	trace_fini(&tr);
}

/* The wake-up's CPU is known for certain only when the task is enqueued: sched_wakeup may name another
 * than sched_waking did. */
static void a_vcpu_woken_to_one_cpu_and_back_has_antagonists_on_both(void **state)
{
	const struct analyze_vcpu_row *v;
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 2);
	trace_task(&tr, 0, CDICT_TASK_COMM, 1, 10, "CPU 0/KVM");
	trace_switch(&tr, 1000, 1, 0, TRACE_R, 21);
	trace_entry(&tr, 1000, 0, 10);
	trace_exit(&tr, 1090, 0, 10, TRACE_HLT);
	trace_switch(&tr, 1100, 0, 10, TRACE_S, 20);
	trace_waking(&tr, 1200, 1, 21, 10, 0);
	trace_waking(&tr, 1300, 1, 21, 10, 1);
	trace_waking(&tr, 1500, 1, 21, 10, 0);
	trace_switch(&tr, 1800, 0, 20, TRACE_S, 10);
	trace_entry(&tr, 1810, 0, 10);
	r = run_with(&tr, NULL);
	v = row(&r, 10);
	assert_int_equal(v->n_antagonists, 2);
	assert_int_equal(analyze_engine_task(r.eng, v->antagonists[0].task)->tid, 20);
	assert_true(v->antagonists[0].waiting_ns == 400);
	assert_int_equal(analyze_engine_task(r.eng, v->antagonists[1].task)->tid, 21);
	assert_true(v->antagonists[1].waiting_ns == 200);
	assert_true(v->behind_ns == 600);
	done(&r);
	trace_fini(&tr);
}

static void without_userspace_exits_qemu_counts_as_handling(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	trace_init_without(&tr, 1, "kvm_userspace_exit");
	trace_entry(&tr, 1000, 0, 10);
	trace_exit(&tr, 1100, 0, 10, TRACE_IO);
	trace_entry(&tr, 1150, 0, 10);
	r = run_with(&tr, NULL);
	assert_false(analyze_engine_summary(r.eng)->has_userspace_exit);
	assert_true(row(&r, 10)->ns[ANALYZE_VCPU_EXIT] == 50);
	assert_true(row(&r, 10)->ns[ANALYZE_VCPU_QEMU] == 0);
	done(&r);
	trace_fini(&tr);
}

static void a_broken_pair_is_unknown_time_not_guest_time(void **state)
{
	const struct analyze_vcpu_row *v;
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 1);
	trace_entry(&tr, 1000, 0, 10);
	/* An exit and an entry are missing in [1100, 1200]. */
	trace_exit(&tr, 1300, 0, 10, TRACE_CPUID);
	trace_entry(&tr, 1310, 0, 10);
	trace_entry(&tr, 1400, 0, 10); /* and here an exit, although no loss was reported */
	trace_exit(&tr, 1450, 0, 10, TRACE_CPUID);
	trace_loss(&tr, 0, 1100, 1200);
	r = run_with(&tr, NULL);
	v = row(&r, 10);
	assert_true(v->ns[ANALYZE_VCPU_UNKNOWN] == 300 + 90 && v->lost_ns == 390);
	assert_true(v->ns[ANALYZE_VCPU_GUEST] == 50 && v->ns[ANALYZE_VCPU_EXIT] == 10);
	assert_true(vcpu_sum(v) == 450);
	done(&r);
	trace_fini(&tr);
}

/* --- properties --- */

static uint64_t seed = 1;

static uint32_t rnd(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 11) % n;
}

enum { CPUS = 3, TASKS = 7 }; /* tasks 1 .. 4 are vCPUs */

/* A machine with consistent events. */
static void simulate(struct trace *tr, unsigned steps)
{
	enum { READY, RUNNING, ASLEEP };
	int on[CPUS] = { 0 }, where[TASKS + 1] = { 0 }, mode[TASKS + 1] = { 0 };
	uint64_t t = 1000;

	trace_init(tr, CPUS);
	for (int i = 1; i <= TASKS; i++)
		trace_task(tr, 0, CDICT_TASK_COMM, 100, i, i <= 4 ? "CPU 0/KVM" : "other");
	for (unsigned s = 0; s < steps; s++) {
		uint32_t cpu = rnd(CPUS);
		int cur = on[cpu], next, what = (int)rnd(8);

		t += rnd(50);
		if (cur && cur <= 4 && what < 5) {
			/* 0: outside, 1: in the guest, 2: left it, 3: in QEMU */
			if (mode[cur] == 1) {
				trace_exit(tr, t, cpu, cur, what < 2 ? TRACE_HLT : TRACE_IO);
				mode[cur] = what < 2 ? 4 : 2;
			} else if (mode[cur] == 2 && what == 0) {
				trace_add(tr, t, cpu, cur, "kvm:kvm_userspace_exit", NULL);
				mode[cur] = 3;
			} else {
				trace_entry(tr, t, cpu, cur);
				mode[cur] = 1;
			}
			continue;
		}
		if (what == 5) {
			int wakee = 1 + (int)rnd(TASKS);

			if (where[wakee] == ASLEEP) {
				trace_waking(tr, t, cpu, cur, wakee, rnd(CPUS));
				where[wakee] = READY;
			}
			continue;
		}
		if (cur && mode[cur] == 1)
			continue; /* no switch inside the guest */
		next = (int)rnd(TASKS + 1);
		if (next == cur || (next && where[next] != READY))
			next = 0;
		if (next == cur)
			continue;
		if (cur)
			where[cur] = rnd(2) ? ASLEEP : READY;
		trace_switch(tr, t, cpu, cur,
			     !cur || where[cur] == READY ? TRACE_R
			     : rnd(2)                    ? TRACE_S
							 : TRACE_D,
			     next);
		if (next)
			where[next] = RUNNING;
		on[cpu] = next;
	}
}

static struct all run_all(struct trace *tr, const struct analyze_options *opts)
{
	struct all a;

	all_new(&a, opts);
	trace_run(tr, a.eng);
	return a;
}

static void states_and_columns_add_up_whatever_is_missing(void **state)
{
	(void)state;
	for (unsigned round = 1; round <= 300; round++) {
		struct trace tr;
		struct all a;

		seed = round * UINT64_C(0x9e3779b97f4a7c15);
		simulate(&tr, 400);
		/* Every fourth is complete; the others are thinned, cut and full of gaps. */
		if (round % 4) {
			size_t n = 0;

			for (size_t i = 0; i < tr.n; i++)
				if (rnd(20))
					tr.events[n++] = tr.events[i];
			tr.n = round % 4 == 2 ? n / 2 : n;
			for (unsigned h = rnd(4); h; h--) {
				uint64_t from =
					tr.first_ns + rnd((uint32_t)(tr.last_ns - tr.first_ns));

				trace_loss(&tr, rnd(CPUS + 1) ? rnd(CPUS) : CDICT_CPU_UNKNOWN, from,
					   from + rnd(2000));
			}
		}
		a = run_all(&tr, NULL);
		must_hold(&a);
		if (round % 4 == 0) {
			assert_true(analyze_engine_summary(a.eng)->mismatches == 0);
			for (size_t i = 0; i < analyze_vcpus_row_count(a.vcpus); i++)
				assert_true(analyze_vcpus_row_at(a.vcpus, i)->lost_ns == 0);
		}
		all_free(&a);
		trace_fini(&tr);
	}
}

/* Any values in any field: tids that are negative or idle, CPUs that do not exist. */
static void nonsense_adds_up_too(void **state)
{
	(void)state;
	for (unsigned round = 1; round <= 100; round++) {
		struct trace tr;
		struct all a;
		uint64_t t = 1000;

		seed = round * UINT64_C(0x9e6c63d0876a3f6b);
		trace_init(&tr, CPUS);
		for (unsigned i = 0; i < 500; i++) {
			size_t type = rnd((uint32_t)cdict_schema_count(tr.schema));
			struct trace_event *e;

			t += rnd(3) ? rnd(40) : 0;
			e = trace_add(&tr, rnd(30) ? t : t / 2,
				      rnd(20) ? rnd(CPUS) : rnd(UINT32_MAX),
				      rnd(20) ? (int32_t)rnd(TASKS) : -(int32_t)rnd(9),
				      cdict_schema_at(tr.schema, type)->name, NULL);
			for (size_t f = 0; f < e->ev.type->n_fields; f++)
				if (e->ev.type->fields[f].kind <= CDICT_FIELD_INT)
					e->values[f] = rnd(15) ? rnd(TASKS) : UINT64_MAX - rnd(99);
		}
		for (unsigned i = 0; i < 10; i++)
			trace_task(&tr, rnd((uint32_t)t), (enum cdict_task_what)rnd(4),
				   (int32_t)rnd(TASKS) - 1, (int32_t)rnd(TASKS) - 1, "x");
		trace_loss(&tr, rnd(2) ? UINT32_MAX - 1 : rnd(CPUS), rnd((uint32_t)t), t);
		tr.first_ns = 500;
		a = run_all(&tr, NULL);
		must_hold(&a);
		all_free(&a);
		trace_fini(&tr);
	}
}

static void adjacent_windows_add_up_to_the_whole(void **state)
{
	(void)state;
	for (unsigned round = 1; round <= 100; round++) {
		struct analyze_options left = { 0 };
		struct analyze_options right = { 0 };
		struct parts whole = { 0 }, parts = { 0 };
		struct trace tr;
		struct all a;

		seed = round * UINT64_C(0xc2b2ae3d27d4eb4f);
		simulate(&tr, 300);
		if (round % 2)
			trace_loss(&tr, rnd(CPUS), 3000, 3500);
		left.to_ns = right.from_ns =
			tr.first_ns + 1 + rnd((uint32_t)(tr.last_ns - tr.first_ns));
		a = run_all(&tr, NULL);
		parts_take(&whole, &a);
		all_free(&a);
		a = run_all(&tr, &left);
		must_hold(&a);
		parts_take(&parts, &a);
		all_free(&a);
		a = run_all(&tr, &right);
		must_hold(&a);
		parts_take(&parts, &a);
		all_free(&a);
		parts_must_equal(&whole, &parts);
		trace_fini(&tr);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_ns_of_a_vcpu_has_its_state),
		cmocka_unit_test(reasons_share_the_time_of_handling_and_of_qemu),
		cmocka_unit_test(antagonists_are_the_tasks_that_ran_while_a_vcpu_waited),
		cmocka_unit_test(a_waiting_vcpu_that_is_moved_has_antagonists_on_both_cpus),
		cmocka_unit_test(a_vcpu_woken_to_one_cpu_and_back_has_antagonists_on_both),
		cmocka_unit_test(without_userspace_exits_qemu_counts_as_handling),
		cmocka_unit_test(a_broken_pair_is_unknown_time_not_guest_time),
		cmocka_unit_test(states_and_columns_add_up_whatever_is_missing),
		cmocka_unit_test(nonsense_adds_up_too),
		cmocka_unit_test(adjacent_windows_add_up_to_the_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
