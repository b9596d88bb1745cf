/* SPDX-License-Identifier: GPL-2.0-only */
#include "convert/symbols/demangle.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/shared_object.h"

/* Limit of calls for one name: bounds the number of its templates. */
#define TRIES 64

static char *(*cxa_demangle)(const char *name, char *buffer, size_t *size, int *status);

static int load(void)
{
	static const char *const names[] = { "libstdc++.so.6", NULL };
	static const struct shared_function functions[] = { { "__cxa_demangle", &cxa_demangle } };
	static struct shared_object so = {
		.use = "demangling C++ names needs libstdc++",
		.package = "libstdc++6",
		.names = names,
		.functions = functions,
		.n = 1,
	};

	return shared_object_load(&so, NULL);
}

/* Demangles the first @n bytes of a mangled name; NULL if they are not one, or *no_memory. Given. */
static char *read_part(const char *symbol, size_t n, bool *no_memory)
{
	/* "_ZNK": skip const and its kin, which qualify the object of a method */
	size_t skip = strncmp(symbol, "_ZN", 3) ? 0 : 3 + strspn(symbol + 3, "rVKRO");
	char part[DEMANGLE_MAX + 4] = "_ZN";
	int status;
	char *name;

	if (skip > n)
		return NULL;
	memcpy(part + (skip ? 3 : 0), symbol + skip, n - skip);
	part[(skip ? 3 : 0) + n - skip] = '\0';
	name = cxa_demangle(part, NULL, NULL, &status);
	*no_memory |= !name && status == -1;
	return name;
}

/* The end of a name of one word, or of an operator; 0: it is neither. */
static size_t word_end(const char *symbol, size_t len)
{
	size_t at = strncmp(symbol, "_ZSt", 4) ? 2 : 4;
	char *digits_end;
	unsigned long n;

	if (symbol[at] == 'L') /* of internal linkage */
		at++;
	if (symbol[at] >= 'a' && symbol[at] <= 'z')
		return at + 2;
	if (symbol[at] < '1' || symbol[at] > '9')
		return 0;
	n = strtoul(symbol + at, &digits_end, 10);
	at = (size_t)(digits_end - symbol);
	return n < len - at ? at + n : 0;
}

/* The types of the parameters follow the function's name. The part before them is the shortest
 * prefix that is a mangled name itself: it ends with an E, or with its word when no template
 * arguments or tags follow. */
static char *read_name(const char *symbol, size_t len, bool *no_memory)
{
	size_t word = word_end(symbol, len);
	char *name = NULL;

	if (word && word < len && symbol[word] != 'I' && symbol[word] != 'B')
		name = read_part(symbol, word, no_memory);
	for (size_t i = 2, tries = 0; !name && i < len && tries < TRIES; i++) {
		if (symbol[i] != 'E' || symbol[i + 1] == 'I' || symbol[i + 1] == 'B')
			continue;
		tries++;
		name = read_part(symbol, i + 1, no_memory);
	}
	return name ? name : read_part(symbol, len, no_memory);
}

const char *demangle(struct stringset *names, const char *symbol)
{
	const char *kept = symbol;
	bool no_memory = false;
	size_t len, end;
	char *name;
	int ret;

	if (strncmp(symbol, "_Z", 2))
		return symbol;
	/* "_Z4workv@@LIB_1": from libdw, for a versioned symbol; "_Z4workv.part.0": split by gcc */
	len = strcspn(symbol, "@.");
	ret = len > DEMANGLE_MAX ? -E2BIG : load();
	if (ret)
		return ret == -ENOMEM ? NULL : symbol;
	name = read_name(symbol, len, &no_memory);
	/* for a lambda's call operator, they follow the name of the enclosing function */
	end = name && !strncmp(symbol, "_ZZ", 3) ? strlen(name) : 0;
	if (end > 6 && !strcmp(name + end - 6, " const"))
		name[end - 6] = '\0';
	if (name && strlen(name) <= DEMANGLE_MAX)
		kept = stringset_add(names, name, strlen(name));
	free(name);
	return no_memory ? NULL : kept;
}
