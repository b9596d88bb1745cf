/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/kallsyms: "ffffffff81000000 T _text", with "\t[kvm]" appended for modules. */
#include "convert/symbols/kallsyms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/array.h"
#include "base/system/procfs.h"

/* 12 MB on Linux 6.18, 20 MB with BTF and all modules. */
#define KALLSYMS_MAX ((size_t)128 << 20)
/* perf ends the last function of an object at the end of the page after its own. */
#define PAGE 4096u

struct function {
	uint64_t address;
	const char *name, *object; /* in the text of the file */
	uint32_t order;            /* position in the file */
};

struct kallsyms {
	struct buf text;
	ARRAY(struct function) functions; /* sorted by address */
};

static const char kernel[] = "[kernel.kallsyms]";

static int by_address(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->address != y->address)
		return x->address > y->address ? 1 : -1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Cuts the word at *at out of the text and NUL-terminates it; moves *at after it. */
static char *word(char **at)
{
	char *begin = *at + strspn(*at, " \t");
	size_t len = strcspn(begin, " \t");

	*at = begin + len;
	if (**at)
		*(*at)++ = '\0';
	return begin;
}

static int add_line(struct kallsyms *k, char *line)
{
	struct function f = { .order = (uint32_t)k->functions.n };
	char *end, *type;

	f.address = strtoull(word(&line), &end, 16);
	type = word(&line);
	f.name = word(&line);
	f.object = word(&line);
	if (*end || !*type || type[1] || !strchr("tTwW", *type) || !*f.name)
		return 0;
	if (!*f.object)
		f.object = kernel;
	return array_push(&k->functions, f) ? -ENOMEM : 0;
}

int kallsyms_read(struct kallsyms **out, int dir, const char *path)
{
	struct kallsyms *k = calloc(1, sizeof(*k));
	int ret = k ? procfs_read(dir, path, &k->text, KALLSYMS_MAX) : -ENOMEM;
	char *at, *nl, *end;

	*out = NULL;
	at = ret ? NULL : (char *)k->text.data;
	end = at ? at + strlen(at) : NULL;
	for (; at && !ret && (nl = memchr(at, '\n', (size_t)(end - at))); at = nl + 1) {
		*nl = '\0';
		ret = add_line(k, at);
	}
	if (!ret) {
		struct function *all = k->functions.at;
		size_t n = k->functions.n;

		if (n)
			qsort(all, n, sizeof(*all), by_address);
		if (!n || !all[n - 1].address)
			ret = -EACCES;
	}
	if (ret)
		kallsyms_free(k);
	else
		*out = k;
	return ret;
}

void kallsyms_free(struct kallsyms *k)
{
	if (!k)
		return;
	array_fini(&k->functions);
	buf_fini(&k->text);
	free(k);
}

uint64_t kallsyms_address(const struct kallsyms *k, const char *function)
{
	for (size_t i = 0; i < k->functions.n; i++) {
		const struct function *f = &k->functions.at[i];

		if (f->object == kernel && !strcmp(f->name, function))
			return f->address;
	}
	return 0;
}

void kallsyms_move(struct kallsyms *k, uint64_t delta)
{
	struct function *all = k->functions.at;
	size_t n = 0;

	for (size_t i = 0; delta && i < k->functions.n; i++) {
		if (all[i].object != kernel)
			continue;
		all[n] = all[i];
		all[n++].address -= delta;
	}
	if (!delta)
		return;
	k->functions.n = n;
	if (n)
		qsort(all, n, sizeof(*all), by_address);
}

bool kallsyms_resolve(const struct kallsyms *k, struct cdict_frame *frame)
{
	const struct function *all = k->functions.at, *f;
	size_t lo = 0, hi = k->functions.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (all[mid].address <= frame->address)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return false;
	/* Of several names of an address, perf uses the last one. */
	f = &all[lo - 1];
	if ((lo == k->functions.n || strcmp(all[lo].object, f->object)) &&
	    frame->address >= (f->address / PAGE + 2) * PAGE)
		return false;
	frame->symbol = f->name;
	frame->offset = frame->address - f->address;
	frame->object = f->object;
	return true;
}
