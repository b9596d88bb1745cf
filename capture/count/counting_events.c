/* SPDX-License-Identifier: GPL-2.0-only */
/* perf's names of the kernel's generic events, and of the events that PMUs describe in /sys/bus/event_source/devices. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/cpulist.h"
#include "capture/count/counting.h"
#include "capture/host/tracefs.h"

#define HARDWARE(name, config)                                                                     \
	{                                                                                          \
		name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config                                   \
	}
#define SOFTWARE(name, config)                                                                     \
	{                                                                                          \
		name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config                                   \
	}
static const struct known {
	const char *name;
	uint32_t type;
	uint64_t config;
} known[] = {
	HARDWARE("cycles", CPU_CYCLES),
	HARDWARE("cpu-cycles", CPU_CYCLES),
	HARDWARE("instructions", INSTRUCTIONS),
	HARDWARE("cache-references", CACHE_REFERENCES),
	HARDWARE("cache-misses", CACHE_MISSES),
	HARDWARE("branches", BRANCH_INSTRUCTIONS),
	HARDWARE("branch-instructions", BRANCH_INSTRUCTIONS),
	HARDWARE("branch-misses", BRANCH_MISSES),
	HARDWARE("bus-cycles", BUS_CYCLES),
	HARDWARE("ref-cycles", REF_CPU_CYCLES),
	HARDWARE("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HARDWARE("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
	SOFTWARE("cpu-clock", CPU_CLOCK),
	SOFTWARE("task-clock", TASK_CLOCK),
	SOFTWARE("page-faults", PAGE_FAULTS),
	SOFTWARE("faults", PAGE_FAULTS),
	SOFTWARE("minor-faults", PAGE_FAULTS_MIN),
	SOFTWARE("major-faults", PAGE_FAULTS_MAJ),
	SOFTWARE("context-switches", CONTEXT_SWITCHES),
	SOFTWARE("cs", CONTEXT_SWITCHES),
	SOFTWARE("cpu-migrations", CPU_MIGRATIONS),
	SOFTWARE("migrations", CPU_MIGRATIONS),
	SOFTWARE("alignment-faults", ALIGNMENT_FAULTS),
	SOFTWARE("emulation-faults", EMULATION_FAULTS),
};

/* perf's names of cache events: LLC-load-misses, L1-dcache-loads, dTLB-store-misses. */
static bool cache_event(const char *name, uint64_t *config)
{
	static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB",
					      "iTLB",      "branch",    "node" };
	static const char *const ops[] = { "-load", "-store", "-prefetch" };

	for (uint64_t c = 0; c < sizeof(caches) / sizeof(*caches); c++) {
		size_t n = strlen(caches[c]);

		if (strncmp(name, caches[c], n))
			continue;
		for (uint64_t op = 0; op < sizeof(ops) / sizeof(*ops); op++) {
			size_t end = n + strlen(ops[op]);
			bool misses;

			if (strncmp(name + n, ops[op], end - n))
				continue;
			misses = !strcmp(name + end, "-misses");
			if (!misses && strcmp(name + end, op == 2 ? "es" : "s"))
				continue;
			*config = c | op << 8 | (uint64_t)misses << 16;
			return true;
		}
	}
	return false;
}

/* ---- events of a PMU: cpu/cache-misses/, cpu/event=0x3c,umask=1/ ---- */

/* Reads a file in the PMU's folder, NUL-terminated; NULL: no such file. Given. */
static char *pmu_file(const char *pmu, const char *folder, const char *name)
{
	char path[256], *text = NULL;
	size_t len;

	if ((size_t)snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s%s/%s", pmu,
			     folder, name) < sizeof(path))
		text = tracefs_read(path, &len);
	if (text)
		text[strcspn(text, "\n")] = 0;
	return text;
}

/* Puts @value into the bits that @format names, "config1:0-7,32-35", low bits first. */
static bool put_bits(struct perf_event_attr *attr, const char *format, uint64_t value)
{
	size_t n = strcspn(format, ":");
	uint64_t *to = n == 6 && !strncmp(format, "config", n)    ? (uint64_t *)&attr->config
		       : n == 7 && !strncmp(format, "config1", n) ? (uint64_t *)&attr->config1
		       : n == 7 && !strncmp(format, "config2", n) ? (uint64_t *)&attr->config2
								  : NULL;
	const char *p = format + n + 1;
	uint32_t from, last;

	if (!to || !format[n])
		return false;
	while (*p) {
		if (!cpulist_next(&p, &from, &last) || last > 63)
			return false;
		for (uint32_t bit = from; bit <= last; bit++, value >>= 1)
			*to |= (value & 1) << bit;
	}
	return !value;
}

static bool put_terms(struct perf_event_attr *attr, const char *pmu, char *terms, bool alias);

/* A term: "umask=1", "any", or the name of a PMU event, which consists of terms itself. */
static bool put_term(struct perf_event_attr *attr, const char *pmu, char *term, bool alias)
{
	char *value = strchr(term, '='), *end = NULL, *text;
	uint64_t v = 1;
	bool ok;

	if (value)
		*value++ = 0;
	/* a name must not contain a path */
	if (!*term || strchr(term, '/') || *term == '.')
		return false;
	text = value || !alias ? NULL : pmu_file(pmu, "/events", term);
	if (text) {
		ok = put_terms(attr, pmu, text, false);
		free(text);
		return ok;
	}
	if (value) {
		v = strtoull(value, &end, 0);
		if (!*value || *end)
			return false;
	}
	if (!strcmp(term, "config")) {
		attr->config = v;
		return value;
	}
	text = pmu_file(pmu, "/format", term);
	ok = text && put_bits(attr, text, v);
	free(text);
	return ok;
}

static bool put_terms(struct perf_event_attr *attr, const char *pmu, char *terms, bool alias)
{
	char *rest = terms, *term;

	while ((term = strsep(&rest, ","))) {
		if (!put_term(attr, pmu, term, alias))
			return false;
	}
	return true;
}

/* perf's form PMU/TERMS/; a name alone is an event of the PMU cpu. */
static bool pmu_event(const char *name, struct perf_event_attr *attr)
{
	const char *slash = strchr(name, '/');
	size_t len = strlen(name);
	char *pmu, *terms, *type;
	bool ok = false;

	if (slash && (slash == name || name[len - 1] != '/' || slash == name + len - 1))
		return false;
	pmu = slash ? strndup(name, (size_t)(slash - name)) : strdup("cpu");
	terms = slash ? strndup(slash + 1, len - (size_t)(slash - name) - 2) : strdup(name);
	type = pmu && terms && *pmu != '.' ? pmu_file(pmu, "", "type") : NULL;
	if (type) {
		attr->type = (uint32_t)strtoul(type, NULL, 10);
		ok = put_terms(attr, pmu, terms, true);
	}
	free(pmu);
	free(terms);
	free(type);
	return ok;
}

bool counting_event_known(const char *name, struct perf_event_attr *attr)
{
	uint64_t config;
	char *end;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (!strcmp(name, known[i].name)) {
			attr->type = known[i].type;
			attr->config = known[i].config;
			return true;
		}
	}
	if (cache_event(name, &config)) {
		attr->type = PERF_TYPE_HW_CACHE;
		attr->config = config;
		return true;
	}
	if (*name == 'r' && name[1] && strlen(name) <= 17 &&
	    strspn(name + 1, "0123456789abcdefABCDEF") == strlen(name + 1)) {
		attr->type = PERF_TYPE_RAW;
		attr->config = strtoull(name + 1, &end, 16);
		return true;
	}
	return !strchr(name, ':') && pmu_event(name, attr);
}
