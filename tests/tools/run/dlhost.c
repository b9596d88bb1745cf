/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dlhost HOW PLUGIN DLARG... -- script [PERF'S OPTIONS] -i FILE: plays perf script with a
 * filter. HOW, a list of words with commas between, names the perf and its oddities:
 *
 *	old       samples as Linux 5.14 had them, at the very end of a page, nothing after them
 *	new       samples and addresses with members that are not known yet
 *	tiny      samples shorter than any perf had them
 *	no-attr   no attr() among the functions
 *	late      perf's own filters let only every second sample through
 *	abandon   exit without stop()
 *	no-stop   ends without stop(), by dlclose() alone
 *
 * The samples are those of FILE, in order of time. Each has a stack of two frames, of the
 * kernel and of a made-up program. Status 0, or 1 when something is wrong with the plugin.
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <linux/perf_event.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "convert/perfdata/perfdata.h"
#include "plugin/perf_abi.h"

#define AL_UNKNOWN 64 /* bytes a later perf may have added */

static struct host {
	bool old, new, tiny, no_attr, late, abandon, no_stop;
	char **args;
	int n_args;
	const struct perf_event_attr *attr; /* of the sample at hand */
	bool in_sample;
} host;

__attribute__((noreturn)) static void fail(const char *what)
{
	fprintf(stderr, "dlhost: %s\n", what);
	exit(1);
}

static bool has(const char *list, const char *word)
{
	const char *p = strstr(list, word);
	size_t n = strlen(word);

	return p && (p == list || p[-1] == ',') && (!p[n] || p[n] == ',');
}

/* --- the functions a filter may call */

static char **args(void *ctx, int *n)
{
	*n = ctx == &host ? host.n_args : 0;
	return host.args;
}

static struct perf_event_attr *attr(void *ctx)
{
	if (ctx != &host || !host.in_sample)
		fail("attr() is called where it may not be");
	return (struct perf_event_attr *)(uintptr_t)host.attr;
}

static int32_t resolve_address(void *ctx, uint64_t address, struct perf_dlfilter_al *al)
{
	static char symbol[32], object[] = "a program";
	struct {
		struct perf_dlfilter_al al;
		uint8_t unknown[AL_UNKNOWN];
	} mine = { .al = { .size = sizeof(mine), .is_64_bit = 1 } };
	uint32_t size = al->size, known = host.new ? sizeof(mine) : sizeof(mine.al);

	if (ctx != &host || !host.in_sample || !size)
		fail("resolve_address() is called as it may not be");
	if (address == 0x1000)
		return -1; /* perf knows nothing of it */
	memset(mine.unknown, 0xee, sizeof(mine.unknown));
	snprintf(symbol, sizeof(symbol), "f_%llx", (unsigned long long)address);
	mine.al.sym = symbol;
	mine.al.symoff = 16;
	mine.al.dso = address >> 63 ? NULL : object;
	memcpy(al, &mine, size < known ? size : known);
	al->size = size;
	return 0;
}

/* --- a recording's samples in order of time */

struct item {
	struct perfdata_sample sample;
	uint8_t *raw;
	size_t event;
	uint8_t mode;
};

static struct item *items;
static size_t n_items;
static struct perf_event_attr *attrs;

static int by_time(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->sample.time != y->sample.time)
		return x->sample.time < y->sample.time ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void read_samples(struct perfdata *pd)
{
	struct perfdata_record rec;
	struct cdict_error err;

	while (perfdata_next(pd, &rec, &err) > 0) {
		int event = rec.type == PERF_RECORD_SAMPLE ? perfdata_event_of(pd, &rec) : -1;
		struct item it = { .event = (size_t)event, .mode = rec.misc & 7 };

		if (event < 0 ||
		    perfdata_sample(pd, perfdata_event_at(pd, it.event), &rec, &it.sample))
			continue;
		items = realloc(items, (n_items + 1) * sizeof(*items));
		it.raw = malloc(it.sample.raw_size + 1);
		if (!items || !it.raw)
			fail("out of memory");
		if (it.sample.raw)
			memcpy(it.raw, it.sample.raw, it.sample.raw_size);
		items[n_items++] = it;
	}
	if (n_items)
		qsort(items, n_items, sizeof(*items), by_time);
	attrs = calloc(perfdata_event_count(pd) + 1, sizeof(*attrs));
	for (size_t i = 0; i < perfdata_event_count(pd); i++) {
		const struct perfdata_event *ev = perfdata_event_at(pd, i);

		attrs[i].type = ev->attr_type;
		attrs[i].config = ev->config;
		attrs[i].sample_type = ev->layout.sample_type;
	}
}

/* A sample whose last byte is the last of a page, with nothing after it. */
static void *at_the_edge(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + page, page, PROT_NONE))
		fail("no memory");
	memset(p, 0xee, page);
	return p + page - size;
}

static void fill(struct perf_dlfilter_sample *s, uint32_t size, const struct perfdata *pd,
		 const struct item *it)
{
	static const uint64_t chain[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000010,
					  PERF_CONTEXT_USER, 0x1000, 0x400010 };
	struct perf_dlfilter_sample full = {
		.size = size,
		.pid = it->sample.pid,
		.tid = it->sample.tid,
		.time = it->sample.time,
		.id = it->sample.id,
		.cpu = (int32_t)it->sample.cpu,
		.cpumode = it->mode,
		.misc = it->mode,
		.raw_size = it->sample.raw_size,
		.raw_data = it->sample.raw ? it->raw : NULL,
		.raw_callchain_nr = sizeof(chain) / sizeof(chain[0]),
		.raw_callchain = chain,
		.event = perfdata_event_at(pd, it->event)->name,
	};

	memcpy(s, &full, size < sizeof(full) ? size : sizeof(full));
}

/* --- a run */

struct entries {
	int (*start)(void **, void *);
	int (*stop)(void *, void *);
	int (*event)(void *, const struct perf_dlfilter_sample *, void *);
	int (*early)(void *, const struct perf_dlfilter_sample *, void *);
};

static void *entry(void *handle, const char *name)
{
	void *p = dlsym(handle, name);

	if (!p)
		fail(dlerror());
	return p;
}

/* perf copies 128 pointers to there, whatever the plugin thinks. */
static void give_functions(void *handle)
{
	struct perf_dlfilter_fns fns = { .args = args, .resolve_address = resolve_address };
	void *to = entry(handle, "perf_dlfilter_fns");
	const ElfW(Sym) * sym;
	Dl_info info;

	if (!dladdr1(to, &info, (void **)&sym, RTLD_DL_SYMENT) || sym->st_size < 1024)
		fail("perf_dlfilter_fns has no room for 128 pointers");
	if (sizeof(fns) != 1024)
		fail("the functions are not 128 pointers");
	if (!host.no_attr)
		fns.attr = attr;
	memcpy(to, &fns, sizeof(fns));
}

static void check_description(void *handle)
{
	const char *(*describe)(const char **) =
		(const char *(*)(const char **))entry(handle, "filter_description");
	const char *text = NULL;
	const char *line = describe(&text);

	if (!line || strchr(line, '\n') || !text)
		fail("the description is not one line and a longer text");
}

static int run(const char *plugin, const struct perfdata *pd)
{
	uint32_t size = host.tiny ? 64 : (uint32_t)PERF_DLFILTER_SAMPLE_SIZE + (host.new ? 72 : 0);
	struct perf_dlfilter_sample *s = at_the_edge(size);
	void *handle = dlopen(plugin, RTLD_NOW), *data = NULL;
	size_t passed = 0, early_passed = 0;
	struct entries e;
	int ret;

	if (!handle)
		fail(dlerror());
	e.start = (int (*)(void **, void *))entry(handle, "start");
	e.stop = (int (*)(void *, void *))entry(handle, "stop");
	e.event = (int (*)(void *, const struct perf_dlfilter_sample *,
			   void *))entry(handle, "filter_event");
	e.early = (int (*)(void *, const struct perf_dlfilter_sample *,
			   void *))entry(handle, "filter_event_early");
	check_description(handle);
	give_functions(handle);
	ret = e.start(&data, &host);
	if (ret)
		return ret < 0 ? 3 : 4;
	host.in_sample = true;
	for (size_t i = 0; i < n_items; i++) {
		host.attr = &attrs[items[i].event];
		fill(s, size, pd, &items[i]);
		if (e.early(data, s, &host))
			continue;
		early_passed++;
		if (!host.late || i % 2)
			passed += !e.event(data, s, &host);
	}
	host.in_sample = false;
	printf("%zu samples, %zu passed early, %zu printed\n", n_items, early_passed, passed);
	fflush(stdout);
	if (host.abandon)
		exit(0);
	if (!host.no_stop)
		ret = e.stop(data, &host);
	dlclose(handle);
	return ret < 0 ? 5 : 0;
}

int main(int argc, char **argv)
{
	struct perfdata *pd;
	struct cdict_error err;
	int dashes = 3, status;
	FILE *held;

	while (dashes < argc && strcmp(argv[dashes], "--"))
		dashes++;
	if (argc < 4 || dashes == argc)
		fail("usage: dlhost HOW PLUGIN DLARG... -- script [OPTIONS] -i FILE");
	host = (struct host){
		.old = has(argv[1], "old"),
		.new = has(argv[1], "new"),
		.tiny = has(argv[1], "tiny"),
		.no_attr = has(argv[1], "no-attr"),
		.late = has(argv[1], "late"),
		.abandon = has(argv[1], "abandon"),
		.no_stop = has(argv[1], "no-stop"),
		.args = argv + 3,
		.n_args = dashes - 3,
	};
	/* perf has its input open. */
	held = fopen(argv[argc - 1], "re");
	if (!held || perfdata_open(&pd, argv[argc - 1], &err))
		fail("the recording cannot be read");
	read_samples(pd);
	status = run(argv[2], pd);
	for (size_t i = 0; i < n_items; i++)
		free(items[i].raw);
	free(items);
	free(attrs);
	perfdata_close(pd);
	fclose(held);
	return status;
}
