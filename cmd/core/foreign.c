// SPDX-License-Identifier: GPL-2.0-only
/* foreign.c - see foreign.h. */
#include "cmd/core/foreign.h"

#include <stddef.h>
#include <string.h>

/* Command lines of the tools' manual pages: perf(1), trace-cmd(1). */
static const struct foreign_command all[] = {
	{ "perf", "sched", "'cdict latency', 'cdict tasks', 'cdict coremap' or 'cdict query'" },
	{ "perf", "sched record", "'cdict record'" },
	{ "perf", "sched latency",
	  "'cdict latency FILE', or 'cdict tasks FILE -s latency_max_ns'" },
	{ "perf", "sched timehist",
	  "'cdict query \"SELECT * FROM thread_state\" FILE', or 'cdict script FILE -e sched:sched_switch'" },
	{ "perf", "sched map",
	  "'cdict heatmap FILE --view cores', or 'cdict coremap FILE' for its sums" },
	{ "perf", "sched script", "'cdict script FILE -e \"sched:*\"'" },
	{ "perf", "sched stats", "'cdict stats FILE'" },
	{ "perf", "kvm", "'cdict exits FILE'; live: 'cdict top'" },
	{ "perf", "kvm record", "'cdict record'" },
	{ "perf", "kvm report", "'cdict exits FILE'" },
	{ "perf", "kvm diff", "'cdict diff OLD NEW'" },
	{ "perf", "kvm top", "'cdict top'" },
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
	  "'cdict count FILE' for the events of a capture; 'cdict push -e LIST -- COMMAND' counts a command" },
	{ "perf", "evlist", "'cdict info FILE'" },
	{ "perf", "timechart", "'cdict report FILE'" },
	{ "perf", "timechart record", "'cdict record'" },
	{ "perf", "data", "'cdict convert FILE'" },
	{ "perf", "data convert", "'cdict convert FILE'; to other formats: 'cdict export'" },
	{ "perf", "bench", "'cdict sweep COMMAND'" },
	{ "perf", "daemon", "'cdict record --keep 30s', or 'cdict job'" },
	{ "perf", "ftrace", "'cdict record -e \"ftrace:*\"', or 'cdict flame' for call logs" },
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
