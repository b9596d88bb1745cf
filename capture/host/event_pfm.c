/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of processors' events, by libpfm4, loaded when an event is unknown otherwise. */
#include <string.h>

#include "base/system/shared_object.h"
#include "capture/host/events.h"

/* libpfm4's ABI, as in its pfm_get_os_event_encoding(3): no header is needed to build. */
enum { PFM_SUCCESS = 0, PFM_PLM0 = 1, PFM_PLM3 = 8, PFM_OS_PERF_EVENT_EXT = 2 };
struct pfm_argument {
	struct perf_event_attr *attr;
	char **full_name;
	size_t size;
	int index, cpu, flags;
};

static struct {
	int (*initialize)(void);
	int (*encode)(const char *name, int modes, int os, void *argument);
} pfm;

static bool initialized;

static void prepare(void)
{
	initialized = pfm.initialize() == PFM_SUCCESS;
}

bool event_pfm(const char *name, struct perf_event_attr *attr)
{
	static const char *const names[] = { "libpfm.so.4", NULL };
	static const struct shared_function functions[] = {
		{ "pfm_initialize", &pfm.initialize },
		{ "pfm_get_os_event_encoding", &pfm.encode },
	};
	static struct shared_object so = {
		.use = "names of processors' events need libpfm4",
		.package = "libpfm4",
		.names = names,
		.functions = functions,
		.n = sizeof(functions) / sizeof(*functions),
		.prepare = prepare,
	};
	struct perf_event_attr out = { .size = sizeof(out) };
	struct pfm_argument argument = { .attr = &out, .size = sizeof(argument) };
	struct cdict_error err = { 0 };

	if (shared_object_load(&so, &err) || !initialized ||
	    pfm.encode(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &argument) != PFM_SUCCESS)
		return false;
	*attr = out;
	return true;
}
