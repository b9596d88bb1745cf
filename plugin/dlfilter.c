/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict-dlfilter.so: the functions that perf script calls; perf-dlfilter(1). */
#include "plugin/perf_abi.h"
#include "plugin/session.h"

/* Filled by perf when it loads the filter; the only exported variable. */
struct perf_dlfilter_fns perf_dlfilter_fns;

/* For a perf that ends without calling stop(), for example by exit(3). */
static struct session *unfinished;

int start(void **data, void *ctx)
{
	struct session *s;
	int ret = session_start(&s, &perf_dlfilter_fns, ctx);

	*data = unfinished = s;
	return ret;
}

int stop(void *data, void *ctx)
{
	(void)ctx;
	unfinished = NULL;
	return data ? session_stop(data) : 0;
}

int filter_event(void *data, const struct perf_dlfilter_sample *sample, void *ctx)
{
	return data ? session_sample(data, sample, ctx, false) : 0;
}

int filter_event_early(void *data, const struct perf_dlfilter_sample *sample, void *ctx)
{
	return data ? session_sample(data, sample, ctx, true) : 0;
}

const char *filter_description(const char **long_description)
{
	*long_description =
		"Stores scheduler and KVM events in a compact file for the program cdict, with call\n"
		"chains where they were recorded (perf record -g). perf prints no events.\n"
		"  --dlarg out=FILE    output; default: the input's name with .cdict\n"
		"  --dlarg event=GLOB  events to store; default: sched:*,kvm:*\n"
		"  --dlarg map=CSV     names for tasks, see cdict-annotate(1)\n"
		"  --dlarg print=1     perf prints the events as well\n"
		"  --dlarg stacks=0    leave call chains out\n"
		"See cdict-dlfilter(1).";
	return "Store scheduler and KVM events as a cdict";
}

__attribute__((destructor)) static void leave(void)
{
	if (unfinished)
		session_drop(unfinished);
}
