// SPDX-License-Identifier: GPL-2.0-only
#include "annotate/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

struct library_curl curl;
static bool loaded;

bool library_load(const char *const *names, const struct library_function *functions, size_t n)
{
	void *so = NULL;

	for (; *names && !so; names++)
		so = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; so && i < n; i++) {
		void *function = dlsym(so, functions[i].name);

		if (!function)
			return false;
		memcpy(functions[i].at, &function, sizeof(function));
	}
	return so != NULL;
}

static void load_curl(void)
{
	/* Debian's GnuTLS build, with or without the other; elsewhere there is one. */
	static const char *const names[] = { "libcurl-gnutls.so.4", "libcurl.so.4", NULL };
	static const struct library_function functions[] = {
#define X(name) { "curl_" #name, &curl.name },
		LIBRARY_CURL(X)
#undef X
	};

	loaded = library_load(names, functions, sizeof(functions) / sizeof(functions[0]));
	if (loaded)
		curl.global_init(CURL_GLOBAL_DEFAULT);
}

bool library_curl(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load_curl);
	return loaded;
}
