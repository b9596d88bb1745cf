// SPDX-License-Identifier: GPL-2.0-only
#define CURL_LIBRARY_LOADER
#include "annotate/curl_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

struct curl_library curl_library;
static bool loaded;

static void load(void)
{
	/* Debian's GnuTLS build, with or without the other; elsewhere there is one. */
	static const char *const names[] = { "libcurl-gnutls.so.4", "libcurl.so.4" };
	static const struct {
		const char *name;
		void *at;
	} functions[] = {
#define X(name) { #name, &curl_library.name },
		CURL_LIBRARY(X)
#undef X
	};
	void *so = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !so; i++)
		so = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; so && i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *function = dlsym(so, functions[i].name);

		if (!function)
			return;
		memcpy(functions[i].at, &function, sizeof(function));
	}
	loaded = so != NULL;
}

bool curl_library_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return loaded;
}
