// SPDX-License-Identifier: GPL-2.0-only
/* foreign.c - see foreign.h. */
#include "cmd/core/foreign.h"

#include <stddef.h>
#include <string.h>

#define RUN_QUEUE                                                                                  \
	"'cdict latency FILE --by cpu' for the waits, or 'cdict query' to count thread_state = 'R'"

/* Command lines of the tools' manual pages: perf(1), trace-cmd(1). */
static const struct foreign_command all[] = {
	{ "perf", "sched", "'cdict latency', 'cdict tasks', 'cdict coremap' or 'cdict query'" },
	{ "perf", "sched record", "'cdict record'" },
	{ "perf", "sched latency",
	  "'cdict latency FILE --perf', or 'cdict tasks FILE -s latency_max_ns'" },
	{ "perf", "sched timehist",
	  "'cdict query \"SELECT * FROM thread_state\" FILE', or 'cdict script FILE -e sched:sched_switch'" },
	{ "perf", "sched timehist -w",
	  "'cdict query \"SELECT * FROM wakeup\" FILE', or 'cdict script FILE -e \"sched:sched_wak*\"'" },
	{ "perf", "sched timehist -V", "'cdict heatmap FILE --view cores'" },
	{ "perf", "sched timehist -M",
	  "'cdict tasks FILE -s migrations', or 'cdict script FILE -e sched:sched_migrate_task'" },
	{ "perf", "sched timehist -g",
	  "'cdict flame FILE', or 'cdict script FILE' for the stacks" },
	{ "perf", "sched timehist -s", "'cdict tasks FILE'" },
	{ "perf", "sched timehist --summary", "'cdict tasks FILE'" },
	{ "perf", "sched timehist -I", "'cdict coremap FILE': idle time of each CPU" },
	{ "perf", "sched replay",
	  "'cdict sweep COMMAND' to run a load again; cdict does not replay a capture" },
	{ "perf", "sched map",
	  "'cdict heatmap FILE --view cores', or 'cdict coremap FILE' for its sums" },
	{ "perf", "sched script", "'cdict script FILE -e \"sched:*\"'" },
	{ "perf", "sched stats", "'cdict stats FILE'" },
	{ "perf", "kvm", "'cdict exits FILE'; live: 'cdict top'" },
	{ "perf", "kvm record", "'cdict record'" },
	{ "perf", "kvm report", "'cdict exits FILE'" },
	{ "perf", "kvm diff", "'cdict diff OLD NEW'" },
	{ "perf", "kvm top", "'cdict top'" },
	{ "perf", "kvm --host", "'cdict exits FILE'; live: 'cdict top'" },
	{ "perf", "kvm --guest", "'cdict record' on the host, then 'cdict exits FILE'" },
	{ "perf", "kvm stat", "'cdict exits FILE'" },
	{ "perf", "kvm stat record", "'cdict record -e \"kvm:*\"'" },
	{ "perf", "kvm stat report", "'cdict exits FILE'" },
	{ "perf", "kvm stat live", "'cdict top'" },
	{ "perf", "trace",
	  "'cdict record -e \"raw_syscalls:*\"', then 'cdict count FILE --by syscall'" },
	{ "perf", "trace record", "'cdict record -e \"raw_syscalls:*\"'" },
	{ "perf", "list",
	  "'cdict info FILE' for the events of a capture; those of this host: 'perf list'" },
	{ "perf", "stat",
	  "'cdict count FILE' for the events of a capture; 'cdict push --job ID -e LIST -- COMMAND' counts a command" },
	{ "perf", "evlist", "'cdict info FILE'" },
	{ "perf", "timechart", "'cdict report FILE'" },
	{ "perf", "timechart record", "'cdict record'" },
	{ "perf", "data", "'cdict convert FILE'" },
	{ "perf", "data convert", "'cdict convert FILE'; to other formats: 'cdict export'" },
	{ "perf", "bench", "'cdict sweep COMMAND'" },
	{ "perf", "daemon", "'cdict record --keep 30s', or 'cdict job'" },
	{ "perf", "ftrace", "'cdict record -e \"ftrace:*\"', or 'cdict flame' for call logs" },
	{ "perf", "lock", "'cdict record -e \"lock:*\" -g', then 'cdict flame FILE'" },
	{ "perf", "mem", "'perf mem'; cdict does not sample addresses" },
	{ "perf", "c2c", "'perf c2c'; cdict does not sample addresses" },
	{ "perf", "probe", "'perf probe', then 'cdict record -e \"probe:*\"'" },
	{ "perf", "inject", "'cdict convert FILE', which orders and merges events itself" },
	{ "perf", "buildid-list", "'cdict info -v FILE'" },
	{ "perf", "kmem", "'cdict record -e \"kmem:*\"', then 'cdict count FILE'" },
	{ "perf", "kwork", "'cdict record -e \"irq:*\" -e \"workqueue:*\"', then 'cdict query'" },
	{ "perf", "archive", "'cdict convert FILE': a cdict needs no other file" },
	{ "trace-cmd", "start",
	  "'cdict record', or 'cdict record --keep 30s' for a flight recorder" },
	{ "trace-cmd", "stop", "Ctrl-C, or the signals that cdict-record(1) names" },
	{ "trace-cmd", "extract", "'cdict record --keep 30s' and signal USR2" },
	{ "trace-cmd", "snapshot", "'cdict record --keep 30s' and signal USR2" },
	{ "trace-cmd", "show", "'cdict script FILE'" },
	{ "trace-cmd", "stream", "'cdict top'" },
	{ "trace-cmd", "profile", "'cdict stats FILE', or 'cdict flame FILE'" },
	{ "trace-cmd", "hist", "'cdict count FILE', or 'cdict flame FILE'" },
	{ "trace-cmd", "split", "'cdict export FILE --time A,B -o part.dat'" },
	{ "trace-cmd", "dump", "'cdict info FILE'" },
	{ "trace-cmd", "attach", "'cdict convert HOST.dat': guests are named by it" },
	{ "trace-cmd", "listen",
	  "'cdict job create ID', then 'cdict record --push --job ID' on each host" },
	{ "trace-cmd", "stack", "'cdict record -g', then 'cdict flame FILE'" },
	{ "trace-cmd", "options", "'cdict help COMMAND'" },
	{ "trace-cmd", "check-events", "'cdict info -v FILE'" },
	{ "trace-cmd", "reset", "'cdict record', which leaves no tracing on" },
	{ "trace-cmd", "clear", "'cdict record', which has its own ring" },
	{ "trace-cmd", "restore", "'cdict convert FILE', which reads what was written" },
	{ "trace-cmd", "set", "'cdict record -e EVENT'" },
	{ "trace-cmd", "mem", "'cdict record -e \"kmem:*\"', then 'cdict count FILE'" },
	{ "trace-cmd", "sqlhist", "'cdict query SQL FILE'" },
	{ "trace-cmd", "agent", "'cdict record' in the guest, then 'cdict convert HOST.dat'" },
	{ "the shell", "kvm_stat", "'cdict top', or 'cdict exits FILE'" },
	{ "the shell", "kvm_stat -1",
	  "'cdict record --seconds 1 -o run.cdict', then 'cdict exits run.cdict'" },
	{ "the shell", "kvm_stat -l", "'cdict top | cat': a table each second" },
	{ "the shell", "hyperfine", "'cdict sweep'" },
	{ "the shell", "perf", "'cdict' with the same words, as in 'cdict sched latency'" },
	{ "the shell", "trace-cmd", "'cdict' with the same words, as in 'cdict report'" },
	{ "the shell", "kernelshark",
	  "'cdict report FILE'; for KernelShark: 'cdict export FILE -o trace.dat'" },
	/* bpftrace(8), its tools, and those of bcc */
	{ "the shell", "bpftrace", "'cdict record -e EVENT', then 'cdict query SQL FILE'" },
	{ "bpftrace", "-l",
	  "'cdict info FILE' for the events of a capture; those of this host: 'perf list'" },
	{ "bpftrace", "-e", "'cdict record -e EVENT', then 'cdict query SQL FILE'" },
	{ "bpftrace", "-p", "'cdict record -p PID'" },
	{ "bpftrace", "runqlat.bt", "'cdict latency FILE'" },
	{ "bpftrace", "runqlen.bt", RUN_QUEUE },
	{ "bpftrace", "cpuwalk.bt", "'cdict coremap FILE'" },
	{ "bcc", "runqlat", "'cdict latency FILE'" },
	{ "bcc", "runqlen", RUN_QUEUE },
	{ "bcc", "runqslower",
	  "'cdict latency FILE', or 'cdict record --trigger \"latency>10ms\" --keep 10s'" },
	{ "bcc", "offcputime",
	  "'cdict record -g', then 'cdict flame FILE'; sums: 'cdict tasks -v FILE'" },
	{ "bcc", "wakeuptime", "'cdict query \"SELECT * FROM wakeup\" FILE'" },
	{ "bcc", "cpudist", "'cdict tasks -v FILE': time slices" },
	{ "bcc", "softirqs", "'cdict record -e \"irq:*\"', then 'cdict count FILE'" },
	{ "bcc", "hardirqs", "'cdict record -e \"irq:*\"', then 'cdict count FILE'" },
	{ "bcc", "kvmexit", "'cdict exits FILE'" },
};

/* Number of words of @words if @args begin with them, else 0. */
static size_t begins(const char *const *args, const char *words)
{
	for (size_t n = 0;; n++) {
		size_t len = strcspn(words, " ");

		if (!args[n] || strlen(args[n]) != len || strncmp(args[n], words, len))
			return 0;
		if (!words[len])
			return n + 1;
		words += len + 1;
	}
}

const struct foreign_command *foreign_command(const char *const *args)
{
	const struct foreign_command *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		size_t n = begins(args, all[i].words);

		if (n > most) {
			most = n;
			best = &all[i];
		}
	}
	return best;
}
