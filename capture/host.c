/* SPDX-License-Identifier: GPL-2.0-only */
/* This machine, from uname, /proc and /sys. */
#include "capture/host.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fail.h"
#include "capture/tracefs.h"

#define CPU_DIR "/sys/devices/system/cpu"
#define NODE_DIR "/sys/devices/system/node"
#define CPUS_MAX 65536

struct host {
	struct cdict_writer *w;
	struct cdict_error *err;
	int failed;
};

static void pair(struct host *h, const char *key, const char *value)
{
	if (!h->failed && value && *value)
		h->failed = cdict_writer_info(h->w, key, value, h->err);
}

static void number(struct host *h, const char *key, long value)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", value);
	if (value > 0)
		pair(h, key, text);
}

static void buffer(struct host *h, const char *key, struct buf *b)
{
	buf_u8(b, 0);
	if (!b->failed)
		pair(h, key, (const char *)b->data);
	b->len = 0;
}

/* A file's one line, without its end; NULL when there is none. Given. */
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

static long number_of(const char *dir, long cpu, const char *file)
{
	char *text = line_of("%s/cpu%ld/topology/%s", dir, cpu, file);
	long v = text && *text ? strtol(text, NULL, 10) : -1;

	free(text);
	return v;
}

int host_cpu_list(const char *text, int **cpus)
{
	const char *p = text;
	char *end;
	int n = 0;

	*cpus = NULL;
	while (p && *p) {
		long from = strtol(p, &end, 10), to = from;
		int *grown;

		if (end == p)
			break;
		if (*end == '-')
			to = strtol(end + 1, &end, 10);
		if (from < 0 || to < from || to >= CPUS_MAX)
			break;
		grown = realloc(*cpus, ((size_t)n + (size_t)(to - from) + 1) * sizeof(*grown));
		if (!grown) {
			n = 0;
			break;
		}
		*cpus = grown;
		while (from <= to)
			grown[n++] = (int)from++;
		p = end + (*end == ',');
	}
	if (!n) {
		free(*cpus);
		*cpus = NULL;
	}
	return n;
}

int host_cpus(int **cpus, struct cdict_error *err)
{
	char *text = line_of(CPU_DIR "/online");
	int n = host_cpu_list(text, cpus);

	free(text);
	return n ? n : cdict_fail(err, -ENOENT, CDICT_NO_OFFSET, CPU_DIR "/online names no CPU");
}

/* The folder of what the CPU is made of goes with it, and comes back as another one. */
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

	if (n && (size_t)cpus[n - 1] + 1 > count)
		count = (size_t)cpus[n - 1] + 1;
	free(text);
	free(cpus);
	return count;
}

/* "key<blanks>: value" of /proc/cpuinfo, the first; into @out. */
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

static void cpu(struct host *h)
{
	char *text = tracefs_read("/proc/cpuinfo", NULL), *midr;
	char model[256], vendor[64], family[32], number_[32], stepping[32], id[192];

	if (cpuinfo(text, "model name", model, sizeof(model)) ||
	    cpuinfo(text, "Processor", model, sizeof(model)) ||
	    cpuinfo(text, "cpu", model, sizeof(model)))
		pair(h, "host.cpu", model);
	midr = line_of(CPU_DIR "/cpu0/regs/identification/midr_el1");
	if (midr)
		pair(h, "host.cpuid", midr);
	else if (cpuinfo(text, "vendor_id", vendor, sizeof(vendor)) &&
		 cpuinfo(text, "cpu family", family, sizeof(family)) &&
		 cpuinfo(text, "model", number_, sizeof(number_)) &&
		 cpuinfo(text, "stepping", stepping, sizeof(stepping))) {
		snprintf(id, sizeof(id), "%s,%s,%s,%s", vendor, family, number_, stepping);
		pair(h, "host.cpuid", id);
	}
	free(midr);
	free(text);
}

static void memory(struct host *h)
{
	char *text = tracefs_read("/proc/meminfo", NULL);
	const char *line = text ? strstr(text, "MemTotal:") : NULL;

	if (line)
		number(h, "host.memory_kb", strtol(line + 9, NULL, 10));
	free(text);
}

static void per_cpu(struct host *h, const char *key, const char *file, long n)
{
	struct buf b = { 0 };
	bool any = false;

	for (long i = 0; i < n; i++) {
		long v = number_of(CPU_DIR, i, file);

		any |= v >= 0;
		buf_printf(&b, "%s%ld", i ? "," : "", v);
	}
	if (any)
		buffer(h, key, &b);
	buf_fini(&b);
}

/* Each core once: the list that names a CPU first. */
static void threads(struct host *h, long n)
{
	struct buf b = { 0 };

	for (long i = 0; i < n; i++) {
		char *list = line_of(CPU_DIR "/cpu%ld/topology/thread_siblings_list", i);

		if (list && *list && strtol(list, NULL, 10) == i)
			buf_printf(&b, "%s%s", b.len ? " " : "", list);
		free(list);
	}
	buffer(h, "topology.threads", &b);
	buf_fini(&b);
}

static int is_node(const struct dirent *d)
{
	return !strncmp(d->d_name, "node", 4) && d->d_name[4] >= '0' && d->d_name[4] <= '9';
}

static void numa(struct host *h)
{
	struct dirent **nodes;
	struct buf b = { 0 };
	int n = scandir(NODE_DIR, &nodes, is_node, versionsort);

	for (int i = 0; i < n; i++) {
		char *list = line_of(NODE_DIR "/%s/cpulist", nodes[i]->d_name);

		buf_printf(&b, "%s%s:%s", b.len ? ";" : "", nodes[i]->d_name + 4, list ? list : "");
		free(list);
		free(nodes[i]);
	}
	if (n >= 0)
		free(nodes);
	buffer(h, "topology.numa", &b);
	buf_fini(&b);
}

int host_info(struct cdict_writer *w, struct cdict_error *err)
{
	struct host h = { .w = w, .err = err };
	long available = sysconf(_SC_NPROCESSORS_CONF);
	struct utsname names;

	if (!uname(&names)) {
		pair(&h, "host.name", names.nodename);
		pair(&h, "host.kernel", names.release);
		pair(&h, "host.arch", names.machine);
	}
	cpu(&h);
	memory(&h);
	number(&h, "host.cpus_online", sysconf(_SC_NPROCESSORS_ONLN));
	number(&h, "host.cpus", available);
	per_cpu(&h, "topology.core", "core_id", available);
	per_cpu(&h, "topology.socket", "physical_package_id", available);
	per_cpu(&h, "topology.die", "die_id", available);
	threads(&h, available);
	numa(&h);
	return h.failed;
}
