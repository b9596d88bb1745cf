/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions of an ELF file. */
#include "convert/symbols/functions.h"

#include <errno.h>
#include <string.h>

#include "convert/symbols/demangle.h"
#include "convert/symbols/plt.h"

/* perf ends the last function, if it has no size, at the end of the page after its own. */
#define PAGE 4096u

void functions_fini(struct functions *f)
{
	array_fini(&f->all);
}

/* As in perf, data have names, too: they end functions without a size. */
static bool is_named(const Elf64_Sym *sym, const char *name)
{
	unsigned visibility = ELF64_ST_VISIBILITY(sym->st_other);

	if (!name || !*name || sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS)
		return false;
	switch (ELF64_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT:
		return true;
	case STT_NOTYPE: /* labels of assembly; "$x" marks code among data */
		return visibility != STV_HIDDEN && visibility != STV_INTERNAL && *name != '$';
	default:
		return false;
	}
}

static int by_start(const void *a, const void *b)
{
	const struct elf_function *x = a, *y = b;

	if (x->start != y->start)
		return x->start > y->start ? 1 : -1;
	return (x->order > y->order) - (x->order < y->order);
}

static size_t underscores(const char *name)
{
	size_t n = 0;

	while (name[n] == '_')
		n++;
	return n;
}

/* Whether perf keeps @a of two symbols with one address, @a being the earlier one. It compares
 * demangled names (symbol-elf.c, dso__load_sym_internal(); symbol.c, choose_best_symbol()). */
static bool is_better(const struct elf_function *a, const struct elf_function *b,
		      struct stringset *names)
{
	const char *demangled_a = demangle(names, a->name), *demangled_b = demangle(names, b->name);
	const char *name_a = demangled_a ? demangled_a : a->name; /* NULL: out of memory */
	const char *name_b = demangled_b ? demangled_b : b->name;
	const uint64_t differ[][2] = {
		{ a->end != a->start, b->end != b->start },
		{ ELF64_ST_BIND(a->info) != STB_WEAK, ELF64_ST_BIND(b->info) != STB_WEAK },
		{ ELF64_ST_BIND(a->info) == STB_GLOBAL, ELF64_ST_BIND(b->info) == STB_GLOBAL },
		{ underscores(name_b), underscores(name_a) },
		{ strlen(name_a), strlen(name_b) },
	};

	for (size_t i = 0; i < sizeof(differ) / sizeof(differ[0]); i++)
		if (differ[i][0] != differ[i][1])
			return differ[i][0] > differ[i][1];
	return true;
}

/* Gives an end to functions without a size, then keeps one for each address. */
static void tidy(struct functions *f, struct stringset *names)
{
	struct elf_function *all = f->all.at;
	size_t kept = 0;

	for (size_t i = 0; i < f->all.n; i++) {
		if (all[i].end != all[i].start)
			continue;
		all[i].end = i + 1 < f->all.n ? all[i + 1].start
					      : (all[i].start + PAGE - 1) / PAGE * PAGE + PAGE;
	}
	for (size_t i = 0; i < f->all.n; i++) {
		if (kept && all[kept - 1].start == all[i].start) {
			if (!is_better(&all[kept - 1], &all[i], names))
				all[kept - 1] = all[i];
		} else {
			all[kept++] = all[i];
		}
	}
	f->all.n = kept;
}

int functions_read(struct functions *f, Dwfl_Module *module, size_t most, struct stringset *names)
{
	Elf64_Addr bias = 0;
	int n, ret = 0;
	void *elf;
	const char *bytes;
	size_t size = 0;

	errno = 0; /* libdw has only a text for lack of memory */
	n = dwfl.module_getsymtab(module);
	if (n > 0 && (size_t)n > most)
		return -E2BIG;
	for (int i = 1; i < n; i++) {
		Elf64_Addr address = 0;
		Elf64_Sym sym;
		const char *name =
			dwfl.module_getsym_info(module, i, &sym, &address, NULL, NULL, NULL);
		struct elf_function new = { .start = address, .order = (uint32_t)i };

		if (!is_named(&sym, name))
			continue;
		new.name = name;
		new.info = sym.st_info;
		new.end = sym.st_size > UINT64_MAX - address ? UINT64_MAX : address + sym.st_size;
		if (array_push(&f->all, new))
			return -ENOMEM;
	}
	elf = dwfl.module_getelf(module, &bias);
	bytes = elf ? dwfl.elf_rawfile(elf, &size) : NULL;
	if (errno == ENOMEM)
		return -ENOMEM;
	if (bytes)
		ret = plt_read(f, bytes, size, bias, most - f->all.n, names);
	if (f->all.n)
		qsort(f->all.at, f->all.n, sizeof(*f->all.at), by_start);
	tidy(f, names);
	return ret;
}

const struct elf_function *functions_find(const struct functions *f, uint64_t address)
{
	size_t lo = 0, hi = f->all.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->all.at[mid].start <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && address < f->all.at[lo - 1].end ? &f->all.at[lo - 1] : NULL;
}
