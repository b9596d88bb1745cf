/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the properties of this machine from uname, /proc and /sys. */
#include "capture/host/host.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory/buf.h"
#include "base/text/cpulist.h"
#include "capture/host/tracefs.h"

#define CPU_DIR "/sys/devices/system/cpu"
#define NODE_DIR "/sys/devices/system/node"
#define CPUS_MAX 65536

/* The inode number of the initial namespace is fixed: PROC_PID_INIT_INO in the kernel's
 * include/linux/proc_ns.h. */
bool host_pids_foreign(void)
{
	char text[32];
	ssize_t n = readlink("/proc/self/ns/pid", text, sizeof(text) - 1);

	if (n < 0)
		return false;
	text[n] = '\0';
	return strcmp(text, "pid:[4026531836]") != 0;
}

/* Reads a one-line file, without the newline; NULL on failure. Given. */
static char *line_of(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static char *line_of(const char *fmt, ...)
{
	char path[512], *text;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	text = tracefs_read(path, NULL);
	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

int host_cpu_list(const char *text, int **cpus)
{
	const char *p = text ? text : "";
	uint32_t from, to;
	int n = 0;

	*cpus = NULL;
	while (cpulist_next(&p, &from, &to)) {
		int *grown = realloc(*cpus, ((size_t)n + to - from + 1) * sizeof(*grown));

		if (!grown) {
			n = -ENOMEM;
			break;
		}
		*cpus = grown;
		while (from <= to)
			grown[n++] = (int)from++;
	}
	if (n <= 0) {
		free(*cpus);
		*cpus = NULL;
	}
	return n;
}

int host_cpus(int **cpus, struct cdict_error *err)
{
	char *text = line_of(CPU_DIR "/online");
	int n = !text && errno == ENOMEM ? -ENOMEM : host_cpu_list(text, cpus);

	free(text);
	if (n < 0)
		return cdict_fail_nomem(err);
	return n ? n : cdict_fail(err, -ENOENT, CDICT_NO_OFFSET, CPU_DIR "/online lists no CPU");
}

/* The sysfs folder of the CPU's topology is removed when it goes offline, and recreated with
 * another inode. */
uint64_t host_cpu_birth(int cpu)
{
	char path[sizeof(CPU_DIR) + 40];
	struct stat st;

	snprintf(path, sizeof(path), CPU_DIR "/cpu%d/topology", cpu);
	return stat(path, &st) ? 0 : (uint64_t)st.st_ino;
}

size_t host_cpus_possible(void)
{
	char *text = line_of(CPU_DIR "/possible");
	long configured = sysconf(_SC_NPROCESSORS_CONF);
	size_t count = configured > 0 ? (size_t)configured : 1;
	int *cpus, n = host_cpu_list(text, &cpus);

	if (n > 0 && (size_t)cpus[n - 1] + 1 > count)
		count = (size_t)cpus[n - 1] + 1;
	free(text);
	free(cpus);
	return count;
}

/* The first "key<blanks>: value" of /proc/cpuinfo, to @out. */
static bool cpuinfo(const char *text, const char *key, char *out, size_t size)
{
	size_t n = strlen(key);

	while (text && *text) {
		const char *colon = strchr(text, ':');
		size_t len = strcspn(text, "\n");

		if (colon && colon < text + len && !strncmp(text, key, n) &&
		    strspn(text + n, " \t") == (size_t)(colon - text) - n) {
			colon += 1 + strspn(colon + 1, " \t");
			snprintf(out, size, "%.*s", (int)(text + len - colon), colon);
			return true;
		}
		text += len + (text[len] == '\n');
	}
	return false;
}

static void read_cpu(struct host *h)
{
	char *text = tracefs_read("/proc/cpuinfo", NULL), *midr;
	char vendor[64], family[32], model[32], stepping[32];

	if (cpuinfo(text, "model name", h->cpu, sizeof(h->cpu)) ||
	    cpuinfo(text, "Processor", h->cpu, sizeof(h->cpu)) ||
	    cpuinfo(text, "cpu", h->cpu, sizeof(h->cpu)))
		h->info.cpu = h->cpu;
	midr = line_of(CPU_DIR "/cpu0/regs/identification/midr_el1");
	if (midr)
		snprintf(h->cpuid, sizeof(h->cpuid), "%s", midr);
	else if (cpuinfo(text, "vendor_id", vendor, sizeof(vendor)) &&
		 cpuinfo(text, "cpu family", family, sizeof(family)) &&
		 cpuinfo(text, "model", model, sizeof(model)) &&
		 cpuinfo(text, "stepping", stepping, sizeof(stepping)))
		snprintf(h->cpuid, sizeof(h->cpuid), "%s,%s,%s,%s", vendor, family, model,
			 stepping);
	h->info.cpuid = h->cpuid;
	free(midr);
	free(text);
}

/* The value of @key ("MemTotal:") in /proc/meminfo; 0: missing. */
static uint64_t memory_kb(const char *key)
{
	char *text = tracefs_read("/proc/meminfo", NULL);
	const char *line = text ? strstr(text, key) : NULL;
	uint64_t kb = line ? strtoull(line + strlen(key), NULL, 10) : 0;

	free(text);
	return kb;
}

/* Reads @file of each CPU; NULL: no CPU has it. */
static const int32_t *of_each_cpu(int32_t *to, size_t n, const char *file)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		char *text = line_of(CPU_DIR "/cpu%zu/topology/%s", i, file);

		to[i] = text && *text ? (int32_t)strtol(text, NULL, 10) : -1;
		any |= to[i] >= 0;
		free(text);
	}
	return any ? to : NULL;
}

/* Stores each core once: a core belongs to its first CPU. */
static void read_threads(struct host *h, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *list = line_of(CPU_DIR "/cpu%zu/topology/thread_siblings_list", i);

		if (list && *list && strtoul(list, NULL, 10) == i)
			buf_printf(&h->info.threads, "%s%s", h->info.threads.len ? " " : "", list);
		free(list);
	}
}

static int is_node(const struct dirent *d)
{
	return !strncmp(d->d_name, "node", 4) && d->d_name[4] >= '0' && d->d_name[4] <= '9';
}

static void read_numa(struct host *h)
{
	struct dirent **nodes;
	int n = scandir(NODE_DIR, &nodes, is_node, versionsort);

	for (int i = 0; i < n; i++) {
		char *list = line_of(NODE_DIR "/%s/cpulist", nodes[i]->d_name);

		buf_printf(&h->info.numa, "%s%s:%s", h->info.numa.len ? ";" : "",
			   nodes[i]->d_name + 4, list ? list : "");
		free(list);
		free(nodes[i]);
	}
	if (n >= 0)
		free(nodes);
}

void host_read(struct host *h)
{
	long configured = sysconf(_SC_NPROCESSORS_CONF), online = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = configured > 0 ? (size_t)configured : 0;

	*h = (struct host){ 0 };
	if (!uname(&h->names)) {
		h->info.name = h->names.nodename;
		h->info.kernel = h->names.release;
		h->info.arch = h->names.machine;
	}
	read_cpu(h);
	h->info.memory_kb = memory_kb("MemTotal:");
	h->info.cpus_online = online > 0 ? (uint64_t)online : 0;
	h->info.cpus = n;
	h->topology = calloc(3 * n + 1, sizeof(*h->topology));
	if (h->topology) {
		h->info.n_topology = n;
		h->info.core = of_each_cpu(h->topology, n, "core_id");
		h->info.socket = of_each_cpu(h->topology + n, n, "physical_package_id");
		h->info.die = of_each_cpu(h->topology + 2 * n, n, "die_id");
	}
	read_threads(h, n);
	read_numa(h);
}

void host_fini(struct host *h)
{
	buf_fini(&h->info.threads);
	buf_fini(&h->info.numa);
	free(h->topology);
}

uint64_t host_memory_available(void)
{
	return memory_kb("MemAvailable:") << 10;
}
