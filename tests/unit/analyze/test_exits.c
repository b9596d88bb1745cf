/* SPDX-License-Identifier: GPL-2.0-only */
/* Exits by reason, guest time, accesses: pairs, edges, loss.  Times are ns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/kvm/exits.h"
#include "analyze/kvm/exits_internal.h"
#include "tests/unit/trace.h"

struct run {
	struct analyze_engine *eng;
	struct analyze_exits *exits;
};

static struct run run_with(struct trace *tr, const struct analyze_options *opts, bool like_perf)
{
	struct analyze_exits_options xopts = { .like_perf = like_perf };
	struct run r = { .eng = trace_engine(opts) };

	assert_int_equal(analyze_exits_new(&r.exits, r.eng, &xopts, NULL), 0);
	trace_run(tr, r.eng);
	return r;
}

static void done(struct run *r)
{
	analyze_exits_free(r->exits);
	analyze_engine_free(r->eng);
}

static const struct analyze_exit_row *row(const struct run *r, int32_t tid, const char *name)
{
	for (size_t i = 0; i < analyze_exits_count(r->exits); i++) {
		const struct analyze_exit_row *x = analyze_exits_at(r->exits, i);

		if (analyze_engine_task(r->eng, x->task)->tid == tid && !strcmp(x->name, name))
			return x;
	}
	return NULL;
}

static const struct analyze_guest_row *guest(const struct run *r, int32_t tid)
{
	for (size_t i = 0; i < analyze_exits_guest_count(r->exits); i++) {
		const struct analyze_guest_row *g = analyze_exits_guest_at(r->exits, i);

		if (analyze_engine_task(r->eng, g->task)->tid == tid)
			return g;
	}
	return NULL;
}

static const struct analyze_access_row *access_at(const struct run *r,
						  enum analyze_access_kind kind, uint64_t where)
{
	for (size_t i = 0; i < analyze_exits_access_count(r->exits); i++) {
		const struct analyze_access_row *a = analyze_exits_access_at(r->exits, i);

		if (a->kind == kind && a->where == where)
			return a;
	}
	return NULL;
}

/*
 * 10:  entry 1000  exit(CPUID) 1100  entry 1120  exit(HLT) 1200
 *      switched out 1210, in 1500, entry 1510  exit(CPUID) 1600  entry 1640 - end
 */
static void simple(struct trace *tr)
{
	trace_init(tr, 1);
	trace_entry(tr, 1000, 0, 10);
	trace_exit(tr, 1100, 0, 10, TRACE_CPUID);
	trace_entry(tr, 1120, 0, 10);
	trace_exit(tr, 1200, 0, 10, TRACE_HLT);
	trace_switch(tr, 1210, 0, 10, TRACE_S, 0);
	trace_switch(tr, 1500, 0, 0, TRACE_R, 10);
	trace_entry(tr, 1510, 0, 10);
	trace_exit(tr, 1600, 0, 10, TRACE_CPUID);
	trace_entry(tr, 1640, 0, 10);
}

static void exits_last_from_exit_to_entry_by_reason(void **state)
{
	const struct analyze_exit_row *x;
	struct trace tr;
	struct run r;

	(void)state;
	simple(&tr);
	r = run_with(&tr, NULL, false);
	x = row(&r, 10, "CPUID");
	assert_true(x->events == 2 && x->time.count == 2 && x->time.sum == 60);
	assert_true(x->time.min == 20 && x->time.max == 40 && x->time.max_at == 1600);
	assert_true(x->broken == 0 && !x->idle && x->cpu_ns == 60);
	/* HLT: 310 from exit to entry, 20 of them on the CPU. */
	x = row(&r, 10, "HLT");
	assert_true(x->time.sum == 310 && x->cpu_ns == 20 && x->idle);
	/* Guest: 100 + 80 + 90; the last entry has no exit. */
	assert_true(guest(&r, 10)->time.sum == 270 && guest(&r, 10)->guest_ns == 270);
	assert_true(guest(&r, 10)->entries == 4 && guest(&r, 10)->broken == 1);
	assert_true(analyze_engine_task(r.eng, row(&r, 10, "HLT")->task)->is_vcpu);
	done(&r);
	trace_fini(&tr);
}

static void an_exit_without_an_entry_and_an_entry_without_an_exit_are_not_bridged(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 1);
	trace_exit(&tr, 1000, 0, 10, TRACE_IO); /* its entry is missing */
	trace_exit(&tr, 1100, 0, 10, TRACE_CPUID);
	trace_entry(&tr, 1110, 0, 10); /* its exit is missing */
	trace_entry(&tr, 1300, 0, 10);
	trace_exit(&tr, 1350, 0, 10, TRACE_CPUID); /* the capture ends */
	r = run_with(&tr, NULL, false);
	assert_true(row(&r, 10, "IO_INSTRUCTION")->events == 1);
	assert_true(row(&r, 10, "IO_INSTRUCTION")->time.count == 0);
	assert_true(row(&r, 10, "IO_INSTRUCTION")->broken == 1);
	assert_true(row(&r, 10, "CPUID")->events == 2 && row(&r, 10, "CPUID")->time.count == 1);
	assert_true(row(&r, 10, "CPUID")->time.sum == 10 && row(&r, 10, "CPUID")->broken == 1);
	assert_true(guest(&r, 10)->time.count == 1 && guest(&r, 10)->time.sum == 50);
	assert_true(guest(&r, 10)->broken == 1);
	done(&r);
	trace_fini(&tr);
}

static void pairs_are_not_bridged_across_loss_on_their_cpu(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	simple(&tr);
	trace_loss(&tr, 0, 1605, 1610); /* inside the second CPUID */
	r = run_with(&tr, NULL, false);
	assert_true(row(&r, 10, "CPUID")->time.count == 1 && row(&r, 10, "CPUID")->broken == 1);
	done(&r);
	/* perf looks at no loss. */
	r = run_with(&tr, NULL, true);
	assert_true(row(&r, 10, "CPUID")->time.count == 2);
	done(&r);
	trace_fini(&tr);
}

static void loss_on_another_cpu_breaks_only_pairs_that_left_theirs(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	simple(&tr);
	tr.cpus = 2;
	trace_loss(&tr, 1, 1105, 1110); /* 10 stayed on CPU 0: it is not affected */
	trace_loss(&tr, 1, 1300, 1310); /* 10 was switched out: it may have run there */
	r = run_with(&tr, NULL, false);
	assert_true(row(&r, 10, "CPUID")->time.count == 2);
	assert_true(row(&r, 10, "HLT")->time.count == 0 && row(&r, 10, "HLT")->broken == 1);
	done(&r);
	trace_fini(&tr);
}

/* Only events of that type are missing. */
static void pairs_are_broken_by_loss_of_their_own_kind_only(void **state)
{
	static const struct {
		const char *type;
		unsigned count, broken;
	} cases[] = {
		{ "sched:sched_waking", 2, 0 },
		{ "sched:sched_switch", 2, 0 },
		{ "kvm:kvm_entry", 1, 1 },
		{ "kvm:kvm_exit", 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace tr;
		struct run r;

		simple(&tr);
		trace_loss(&tr, 0, 1605, 1610);
		tr.losses[0].type = cdict_schema_find(tr.schema, cases[i].type)->index;
		r = run_with(&tr, NULL, false);
		assert_int_equal(row(&r, 10, "CPUID")->time.count, cases[i].count);
		assert_int_equal(row(&r, 10, "CPUID")->broken, cases[i].broken);
		done(&r);
		trace_fini(&tr);
	}
}

static void like_perf_leaves_out_what_precedes_a_threads_first_entry(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 1);
	trace_exit(&tr, 1000, 0, 10, TRACE_CPUID);
	trace_entry(&tr, 1030, 0, 10);
	trace_exit(&tr, 1100, 0, 10, TRACE_CPUID);
	trace_entry(&tr, 1105, 0, 10);
	r = run_with(&tr, NULL, false);
	assert_true(row(&r, 10, "CPUID")->time.count == 2);
	done(&r);
	r = run_with(&tr, NULL, true);
	assert_true(row(&r, 10, "CPUID")->time.count == 1 && row(&r, 10, "CPUID")->time.sum == 5);
	done(&r);
	trace_fini(&tr);
}

/* Both QEMUs call it "CPU 0/KVM", and both vCPUs are number 0. */
static void two_vms_whose_threads_share_a_name_stay_apart(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 2);
	trace_task(&tr, 0, CDICT_TASK_COMM, 100, 10, "CPU 0/KVM");
	trace_task(&tr, 0, CDICT_TASK_COMM, 200, 20, "CPU 0/KVM");
	trace_exit(&tr, 1000, 0, 10, TRACE_CPUID);
	trace_exit(&tr, 1001, 1, 20, TRACE_CPUID);
	trace_entry(&tr, 1010, 0, 10);
	trace_entry(&tr, 1051, 1, 20);
	for (size_t i = 0; i < tr.n; i++)
		tr.events[i].ev.pid = tr.events[i].ev.tid * 10;
	r = run_with(&tr, NULL, false);
	assert_true(row(&r, 10, "CPUID")->time.sum == 10);
	assert_true(row(&r, 20, "CPUID")->time.sum == 50);
	assert_int_equal(analyze_engine_task(r.eng, row(&r, 10, "CPUID")->task)->pid, 100);
	assert_int_equal(analyze_engine_task(r.eng, row(&r, 20, "CPUID")->task)->pid, 200);
	done(&r);
	trace_fini(&tr);
}

/* What a later part of a walk counted before its begin belongs to the part before. */
static void a_part_begins_without_figures(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	simple(&tr);
	r = run_with(&tr, NULL, false);
	assert_true(analyze_exits_count(r.exits) > 1);
	assert_int_equal(analyze_exits_guest_count(r.exits), 1);
	assert_int_equal(exits_begun(r.exits), 0);
	for (size_t i = 0; i < analyze_exits_count(r.exits); i++) {
		const struct analyze_exit_row *x = analyze_exits_at(r.exits, i);

		assert_true(!x->events && !x->broken && !x->cpu_ns && !x->time.count);
	}
	assert_int_equal(guest(&r, 10)->entries, 0);
	assert_int_equal(guest(&r, 10)->time.count, 0);
	done(&r);
	trace_fini(&tr);
}

static void unknown_reasons_are_rows_with_their_number(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 1);
	trace_exit(&tr, 1000, 0, 10, 0x1234);
	trace_entry(&tr, 1010, 0, 10);
	r = run_with(&tr, NULL, false);
	assert_non_null(row(&r, 10, "0x1234"));
	done(&r);
	trace_fini(&tr);
}

/*
 * pio at 1010 -> entry 1030: 20.  mmio read: exit 1100 -> mmio 1115: 15.  mmio write at
 * 1210 -> entry 1250: 40.  msr at 1310 -> entry 1320: 10.  Two vectors 236, no time.
 */
static void accesses_are_timed_as_perf_kvm_stat_does(void **state)
{
	static const uint64_t order[] = { 0x3f8, 0xfee00000, 0xfee00010, 0x6e0, 236 };
	struct trace tr;

	(void)state;
	trace_init(&tr, 1);
	trace_entry(&tr, 900, 0, 10);
	trace_exit(&tr, 1000, 0, 10, TRACE_IO);
	trace_add(&tr, 1010, 0, 10, "kvm:kvm_pio", "rw", (uint64_t)1, "port", (uint64_t)0x3f8,
		  NULL);
	trace_entry(&tr, 1030, 0, 10);
	trace_exit(&tr, 1100, 0, 10, 48);
	trace_add(&tr, 1115, 0, 10, "kvm:kvm_mmio", "type", (uint64_t)1, "gpa",
		  (uint64_t)0xfee00000, NULL);
	trace_entry(&tr, 1130, 0, 10);
	trace_exit(&tr, 1200, 0, 10, 48);
	trace_add(&tr, 1210, 0, 10, "kvm:kvm_mmio", "type", (uint64_t)2, "gpa",
		  (uint64_t)0xfee00010, NULL);
	trace_entry(&tr, 1250, 0, 10);
	trace_exit(&tr, 1300, 0, 10, 32);
	trace_add(&tr, 1310, 0, 10, "kvm:kvm_msr", "write", (uint64_t)1, "ecx", (uint64_t)0x6e0,
		  NULL);
	trace_add(&tr, 1312, 0, 10, "kvm:kvm_inj_virq", "vector", (uint64_t)236, NULL);
	trace_add(&tr, 1314, 0, 10, "kvm:kvm_inj_virq", "vector", (uint64_t)236, NULL);
	trace_entry(&tr, 1320, 0, 10);
	for (int like_perf = 0; like_perf < 2; like_perf++) {
		struct run r = run_with(&tr, NULL, like_perf);
		const struct analyze_access_row *a = access_at(&r, ANALYZE_ACCESS_PIO, 0x3f8);

		assert_true(a->write && a->events == 1 && a->time.count == 1 && a->time.sum == 20);
		a = access_at(&r, ANALYZE_ACCESS_MMIO, 0xfee00000);
		assert_true(!a->write && a->time.count == 1 && a->time.sum == 15);
		a = access_at(&r, ANALYZE_ACCESS_MMIO, 0xfee00010);
		assert_true(a->write && a->time.count == 1 && a->time.sum == 40);
		a = access_at(&r, ANALYZE_ACCESS_MSR, 0x6e0);
		assert_true(a->write && a->time.count == 1 && a->time.sum == 10);
		a = access_at(&r, ANALYZE_ACCESS_VIRQ, 236);
		assert_true(a->events == 2 && a->time.count == 0);
		/* by kind, then by where */
		assert_int_equal(analyze_exits_access_count(r.exits), 5);
		for (size_t i = 0; i < 5; i++)
			assert_int_equal(analyze_exits_access_at(r.exits, i)->where, order[i]);
		done(&r);
	}
	trace_fini(&tr);
}

static void of_several_accesses_before_one_entry_all_are_timed(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 1);
	trace_entry(&tr, 900, 0, 10);
	trace_exit(&tr, 1000, 0, 10, TRACE_CPUID);
	trace_add(&tr, 1010, 0, 10, "kvm:kvm_pio", "port", (uint64_t)0x60, "rw", (uint64_t)0, NULL);
	trace_add(&tr, 1020, 0, 10, "kvm:kvm_pio", "port", (uint64_t)0x64, "rw", (uint64_t)0, NULL);
	trace_entry(&tr, 1050, 0, 10);
	for (int perf = 0; perf < 2; perf++) {
		r = run_with(&tr, NULL, perf);
		assert_true(access_at(&r, ANALYZE_ACCESS_PIO, 0x64)->time.sum == 30);
		assert_true(access_at(&r, ANALYZE_ACCESS_PIO, 0x60)->time.sum == (perf ? 0 : 40));
		done(&r);
	}
	trace_fini(&tr);
}

static void a_guest_does_not_move_to_another_cpu(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	trace_init_without(&tr, 2, "sched:sched_switch");
	trace_entry(&tr, 1000, 0, 10);
	trace_exit(&tr, 1100, 1, 10, TRACE_CPUID);
	trace_entry(&tr, 1150, 0, 10); /* an exit may move: its thread sleeps */
	trace_exit(&tr, 1160, 0, 10, TRACE_CPUID);
	r = run_with(&tr, NULL, false);
	assert_true(guest(&r, 10)->guest_ns == 10 && guest(&r, 10)->broken == 1);
	assert_true(row(&r, 10, "CPUID")->time.sum == 50);
	done(&r);
	trace_fini(&tr);
}

static void two_adjacent_windows_add_up_to_the_whole(void **state)
{
	struct trace tr;

	(void)state;
	simple(&tr);
	for (uint64_t cut = 1005; cut < 1640; cut += 5) {
		struct analyze_options a = { .to_ns = cut };
		struct analyze_options b = { .from_ns = cut };
		struct run ra = run_with(&tr, &a, false), rb = run_with(&tr, &b, false);
		uint64_t count = 0, sum = 0, events = 0, in_guest = 0;

		for (int i = 0; i < 2; i++) {
			struct run *r = i ? &rb : &ra;

			for (size_t k = 0; k < analyze_exits_count(r->exits); k++) {
				count += analyze_exits_at(r->exits, k)->time.count;
				sum += analyze_exits_at(r->exits, k)->time.sum;
				events += analyze_exits_at(r->exits, k)->events;
			}
			if (guest(r, 10))
				in_guest += guest(r, 10)->guest_ns;
		}
		assert_true(count == 3 && sum == 370 && events == 3 && in_guest == 270);
		done(&ra);
		done(&rb);
	}
	trace_fini(&tr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exits_last_from_exit_to_entry_by_reason),
		cmocka_unit_test(
			an_exit_without_an_entry_and_an_entry_without_an_exit_are_not_bridged),
		cmocka_unit_test(pairs_are_not_bridged_across_loss_on_their_cpu),
		cmocka_unit_test(pairs_are_broken_by_loss_of_their_own_kind_only),
		cmocka_unit_test(loss_on_another_cpu_breaks_only_pairs_that_left_theirs),
		cmocka_unit_test(like_perf_leaves_out_what_precedes_a_threads_first_entry),
		cmocka_unit_test(two_vms_whose_threads_share_a_name_stay_apart),
		cmocka_unit_test(a_part_begins_without_figures),
		cmocka_unit_test(unknown_reasons_are_rows_with_their_number),
		cmocka_unit_test(accesses_are_timed_as_perf_kvm_stat_does),
		cmocka_unit_test(of_several_accesses_before_one_entry_all_are_timed),
		cmocka_unit_test(a_guest_does_not_move_to_another_cpu),
		cmocka_unit_test(two_adjacent_windows_add_up_to_the_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
