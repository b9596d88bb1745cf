/* SPDX-License-Identifier: GPL-2.0-only */
/* Event types of samples that no tracepoint took. */
#include "convert/sampled.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/sampled.h"

/* tools/perf/util/evsel.c: evsel__hw_names, evsel__sw_names */
static const char *const hardware[] = {
	"cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"branches",
	"branch-misses",
	"bus-cycles",
	"stalled-cycles-frontend",
	"stalled-cycles-backend",
	"ref-cycles",
};
static const char *const software[] = {
	"cpu-clock",    "task-clock",   "page-faults",      "context-switches", "cpu-migrations",
	"minor-faults", "major-faults", "alignment-faults", "emulation-faults",
};

const char *sampled_name(uint32_t type, uint64_t config)
{
	if (type == PERF_TYPE_HARDWARE && config < sizeof(hardware) / sizeof(hardware[0]))
		return hardware[config];
	if (type == PERF_TYPE_SOFTWARE && config < sizeof(software) / sizeof(software[0]))
		return software[config];
	return NULL;
}

int sampled_add(struct cdict_schema *schema, const char *name, struct cdict_error *err)
{
	static const char format[] = "name: %s\nID: 0\nformat:\n"
				     "\tfield:u64 ip;\toffset:%d;\tsize:8;\tsigned:0;\n"
				     "\tfield:u64 period;\toffset:%d;\tsize:8;\tsigned:0;\n\n"
				     "print fmt: \"period=%%llu ip=%%llx\", REC->period, REC->ip\n";
	const struct cdict_event_type *known;
	char text[600], whole[300];
	int n;

	/* A name from a file: it must be a line of the format. */
	for (const char *p = name; *p; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
					  "an event's name has spaces or control characters");
	if (!*name || strlen(name) > 255)
		return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET, "an event's name %s",
				  *name ? "is too long" : "is empty");
	snprintf(whole, sizeof(whole), SAMPLED_SYSTEM ":%s", name);
	known = cdict_schema_find(schema, whole);
	if (known)
		return (int)known->index;
	n = snprintf(text, sizeof(text), format, name, SAMPLED_AT_IP, SAMPLED_AT_PERIOD);
	return cdict_schema_add(schema, SAMPLED_SYSTEM, text, (size_t)n, err);
}

static void put64(uint8_t *to, uint64_t v, bool big)
{
	for (unsigned i = 0; i < 8; i++)
		to[i] = (uint8_t)(v >> 8 * (big ? 7 - i : i));
}

void sampled_payload(struct source_sample *out, uint64_t ip, uint64_t period, bool big)
{
	_Static_assert(SAMPLED_BYTES == sizeof(out->made), "the payload has its own room");
	put64(out->made + SAMPLED_AT_IP, ip, big);
	put64(out->made + SAMPLED_AT_PERIOD, period, big);
	out->raw = out->made;
	out->raw_size = SAMPLED_BYTES;
}
