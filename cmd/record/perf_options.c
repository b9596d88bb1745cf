/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options of perf record (of Linux 6.1 to 6.12) that cdict record does not have: those that are the
 * default here are accepted, the others refused with the reason. cdict-record(1) has the same list,
 * and tests/live compares both with perf.
 */
#include "cmd/record/record.h"

#define ACCEPTED(letter, name, argument, why)                                                      \
	{                                                                                          \
		letter, name, CMD_FOREIGN_##argument, false, why                                   \
	}
#define REFUSED(letter, name, argument, why)                                                       \
	{                                                                                          \
		letter, name, CMD_FOREIGN_##argument, true, why                                    \
	}

#define BY_MODIFIERS                                                                               \
	"tracepoints are in the kernel; for other events use modifiers, as in cpu-clock:u"
#define NO_CODE "samples have a call chain, but no branches, registers or page sizes"
#define NO_MEMORY "the address of data is not sampled"
#define KALLSYMS "the kernel's symbols are read from /proc/kallsyms"

const struct cmd_foreign record_perf_options[] = {
	ACCEPTED('R', "raw-samples", NONE, "always: the raw fields are recorded"),
	ACCEPTED('T', "timestamp", NONE, "always"),
	ACCEPTED('P', "period", NONE, "always"),
	ACCEPTED(0, "sample-cpu", NONE, "always: each ring belongs to one CPU"),
	ACCEPTED(0, "sample-identifier", NONE, "always: each event has its type"),
	ACCEPTED(0, "timestamp-boundary", NONE, "always: the index has the boundaries"),
	ACCEPTED('z', "compression-level", MAYBE, "always compressed, at cdict's own level"),
	ACCEPTED('B', "no-buildid", NONE, "no build ids are kept"),
	ACCEPTED('N', "no-buildid-cache", NONE, "cdict has no build-id cache"),
	ACCEPTED(0, "buildid-all", NONE, "no build ids are kept"),
	ACCEPTED(0, "buildid-mmap", NONE, "no build ids are kept"),
	ACCEPTED(0, "no-bpf-event", NONE, "BPF events are not recorded"),
	ACCEPTED(0, "exclude-perf", NONE,
		 "always for tracepoints: the recorder's own activity is left out"),
	ACCEPTED(
		0, "switch-events", NONE,
		"sched_switch has the same information and more; for some tasks (-p) with sched_stat_runtime"),
	ACCEPTED(0, "strict-freq", NONE, "always: a -F beyond the kernel's limit is refused"),
	ACCEPTED(0, "group", NONE, "every event of a tracepoint is recorded, grouped or not"),
	ACCEPTED(0, "no-buffering", NONE, "a ring is read when it has a megabyte, or after 0.2 s"),
	ACCEPTED(0, "mmap-flush", ONE, "a ring is read when it has a megabyte, or after 0.2 s"),
	ACCEPTED(0, "aio", MAYBE, "a separate thread writes"),
	ACCEPTED(0, "threads", MAYBE, "one thread per 16 CPUs reads: see --jobs"),
	ACCEPTED(0, "affinity", ONE, "the scheduler places the readers"),
	ACCEPTED(0, "synth", ONE, "existing tasks are always read from /proc"),
	ACCEPTED(0, "tail-synthesize", NONE, "tasks are read from /proc at the start"),
	ACCEPTED(0, "num-thread-synthesize", ONE, "one thread reads /proc"),
	ACCEPTED(0, "proc-map-timeout", ONE, "maps are read only with -g, for existing processes"),
	ACCEPTED(0, "namespaces", NONE,
		 "namespaces are not kept; containers are named by their control group"),
	ACCEPTED(0, "debuginfod", MAYBE, "debuginfod is not used"),

	REFUSED('n', "no-samples", NONE, "nothing would be recorded"),
	REFUSED(0, "all-user", NONE, BY_MODIFIERS),
	REFUSED(0, "all-kernel", NONE, BY_MODIFIERS),
	REFUSED(0, "stat", NONE, "-s is --seconds here; 'cdict tasks' counts per thread"),
	REFUSED(0, "per-thread", NONE, "rings are per CPU: -t TID records a thread on all CPUs"),
	REFUSED(0, "overwrite", NONE, "use --keep, which keeps the latest events, compressed"),
	REFUSED('S', "snapshot", MAYBE, "there is no AUX area; --keep writes the latest events"),
	REFUSED(0, "aux-sample", MAYBE, "there is no AUX area"),
	REFUSED(0, "switch-output-event", ONE, "use --keep --trigger, which writes on a condition"),
	REFUSED(0, "running-time", NONE, "tracepoints are not multiplexed"),
	REFUSED('b', "branch-any", NONE, NO_CODE),
	REFUSED(0, "branch-filter", ONE, NO_CODE),
	REFUSED('I', "intr-regs", MAYBE, NO_CODE),
	REFUSED(0, "user-regs", MAYBE, NO_CODE),
	REFUSED(0, "code-page-size", NONE, NO_CODE),
	REFUSED(0, "kcore", NONE, KALLSYMS),
	REFUSED(0, "vmlinux", ONE, KALLSYMS),
	REFUSED('d', "data", NONE, NO_MEMORY),
	REFUSED(0, "phys-data", NONE, NO_MEMORY),
	REFUSED(0, "data-page-size", NONE, NO_MEMORY),
	REFUSED('W', "weight", NONE, NO_MEMORY),
	REFUSED(0, "transaction", NONE, NO_MEMORY),
	REFUSED(0, "off-cpu", NONE, "sched_switch shows off-CPU time: 'cdict tasks -v'"),
	REFUSED(0, "clang-opt", ONE, "no BPF programs are built"),
	REFUSED(0, "clang-path", ONE, "no BPF programs are built"),
	REFUSED(0, "setup-filter", ONE,
		"BPF filters are not used: --filter sets a tracepoint filter"),
	{ 0, NULL, CMD_FOREIGN_NONE, false, NULL },
};
