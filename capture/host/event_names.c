/* SPDX-License-Identifier: GPL-2.0-only */
/* perf's names of the kernel's generic events, and of the events that PMUs describe in /sys/bus/event_source/devices. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text/cpulist.h"
#include "capture/host/events.h"
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

/* ---- cache events, by perf's grammar: CACHE[-OP][-RESULT], in either order ---- */

struct cache_word {
	const char *word;
	uint64_t number;
};
static const struct cache_word caches[] = {
	{ "L1-dcache", 0 }, { "L1-data", 0 },
	{ "l1-d", 0 },      { "l1d", 0 },
	{ "L1-icache", 1 }, { "L1-instruction", 1 },
	{ "l1-i", 1 },      { "l1i", 1 },
	{ "LLC", 2 },       { "L2", 2 },
	{ "dTLB", 3 },      { "d-tlb", 3 },
	{ "Data-TLB", 3 },  { "iTLB", 4 },
	{ "i-tlb", 4 },     { "Instruction-TLB", 4 },
	{ "branches", 5 },  { "branch", 5 },
	{ "bpu", 5 },       { "btb", 5 },
	{ "bpc", 5 },       { "node", 6 },
	{ NULL, 0 },
};
static const struct cache_word cache_ops[] = {
	{ "loads", 0 },
	{ "load", 0 },
	{ "read", 0 },
	{ "stores", 1 },
	{ "store", 1 },
	{ "write", 1 },
	{ "prefetches", 2 },
	{ "prefetch", 2 },
	{ "speculative-read", 2 },
	{ "speculative-load", 2 },
	{ NULL, 0 },
};
static const struct cache_word cache_results[] = {
	{ "refs", 0 },   { "Reference", 0 }, { "ops", 0 }, { "access", 0 },
	{ "misses", 1 }, { "miss", 1 },      { NULL, 0 },
};
/* Operations of each cache, as a bit mask: nothing is stored in an instruction cache. */
static const uint8_t cache_can[] = { 7, 5, 7, 7, 1, 1, 7 };

/* Takes a word that ends at '-' or at the end; false: none of @words. */
static bool take_word(const char **p, const struct cache_word *words, uint64_t *number)
{
	for (; words->word; words++) {
		size_t n = strlen(words->word);

		if (strncasecmp(*p, words->word, n) || ((*p)[n] && (*p)[n] != '-'))
			continue;
		*p += n + ((*p)[n] == '-' && (*p)[n + 1]);
		*number = words->number;
		return true;
	}
	return false;
}

static bool cache_event(const char *name, uint64_t *config)
{
	uint64_t cache = 0, op = 0, result = 0;
	bool has_op = false, has_result = false;

	if (!take_word(&name, caches, &cache))
		return false;
	while (*name) {
		if (!has_op && take_word(&name, cache_ops, &op))
			has_op = true;
		else if (!has_result && take_word(&name, cache_results, &result))
			has_result = true;
		else
			return false;
	}
	*config = cache | op << 8 | result << 16;
	return cache_can[cache] >> op & 1;
}

/* ---- events of a PMU: cpu/cache-misses/, cpu/event=0x3c,umask=1/ ---- */

/* Reads a file in the PMU's folder, NUL-terminated; NULL: no such file. Given. Like perf, takes
 * $SYSFS_PATH as the mount point of sysfs. */
static char *pmu_file(const char *pmu, const char *folder, const char *name)
{
	const char *sysfs = getenv("SYSFS_PATH");
	char *path = NULL, *text = NULL;
	size_t len;

	if (asprintf(&path, "%s/bus/event_source/devices/%s%s/%s", sysfs ? sysfs : "/sys", pmu,
		     folder, name) < 0)
		return NULL;
	text = tracefs_read(path, &len);
	free(path);
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
	static const char *const plain[] = { "config", "config1", "config2" };
	char *value = strchr(term, '='), *end = NULL, *text;
	uint64_t v = 1;
	bool ok;

	if (value)
		*value++ = 0;
	if (!strcmp(term, "name")) /* perf's name for its output; ours is the whole text */
		return value && *value;
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
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		if (!strcmp(term, plain[i])) {
			*(i == 2   ? (uint64_t *)&attr->config2
			  : i == 1 ? (uint64_t *)&attr->config1
				   : (uint64_t *)&attr->config) = v;
			return value;
		}
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

/* An event without modifiers. */
static bool plain_event(const char *name, struct perf_event_attr *attr)
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

/* perf's modifiers: with some of u, k and h, the other modes are excluded, and likewise with G and
 * H; without these two, guests are excluded with u only. p and P (precise) affect samples only, S (read
 * the group) and W (weak group) neither a count nor a sample. */
static bool put_modifiers(const char *mods, struct perf_event_attr *attr)
{
	bool cpu = strpbrk(mods, "ukh"), host = strpbrk(mods, "GH");

	if (!*mods || mods[strspn(mods, "ukhIGHpPSDWe")])
		return false;
	if (cpu) {
		attr->exclude_user = !strchr(mods, 'u');
		attr->exclude_kernel = !strchr(mods, 'k');
		attr->exclude_hv = !strchr(mods, 'h');
	}
	attr->exclude_guest = host ? !strchr(mods, 'G') : strchr(mods, 'u') != NULL;
	attr->exclude_host = host && !strchr(mods, 'H');
	attr->exclude_idle = strchr(mods, 'I') != NULL;
	for (const char *p = mods; *p; p++) {
		if (*p == 'P')
			attr->precise_ip = 3; /* as much as the machine has */
		else if (*p == 'p' && attr->precise_ip < 3)
			attr->precise_ip++;
	}
	attr->pinned = strchr(mods, 'D') != NULL;
	attr->exclusive = strchr(mods, 'e') != NULL;
	return true;
}

bool event_known(const char *name, struct perf_event_attr *attr)
{
	const char *slash = strrchr(name, '/'), *mods = slash ? slash + 1 : strrchr(name, ':');
	char *plain;
	bool ok;

	attr->exclude_guest = 1; /* as perf does, unless told otherwise */
	if (!mods || !*mods)
		return plain_event(name, attr);
	mods += *mods == ':';
	plain = strndup(name, (size_t)(mods - name) - (slash == NULL || mods > slash + 1));
	ok = plain && plain_event(plain, attr) && put_modifiers(mods, attr);
	free(plain);
	return ok;
}
