// SPDX-License-Identifier: GPL-2.0-only
#include "annotate/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/fail.h"

struct library_curl curl;
static struct cdict_error curl_error;
static int curl_status;

/* What the loader says of a failure; it has no code for it. */
static int not_loaded(struct cdict_error *err)
{
	const char *text = dlerror();

	if (text && strstr(text, strerror(ENOMEM)))
		return cdict_fail_nomem(err);
	return cdict_fail(err, -ENOENT, CDICT_NO_OFFSET, "%s", text ? text : "not loaded");
}

int library_load(const char *const *names, const struct library_function *functions, size_t n,
		 struct cdict_error *err)
{
	void *so = NULL;
	int ret = -ENOENT;

	for (; *names && !so && ret == -ENOENT; names++) {
		so = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
		ret = so ? 0 : not_loaded(err);
	}
	for (size_t i = 0; so && i < n; i++) {
		void *function = dlsym(so, functions[i].name);

		if (!function)
			return not_loaded(err);
		memcpy(functions[i].at, &function, sizeof(function));
	}
	return ret;
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

	curl_status = library_load(names, functions, sizeof(functions) / sizeof(functions[0]),
				   &curl_error);
	if (!curl_status)
		curl.global_init(CURL_GLOBAL_DEFAULT);
}

int library_curl(struct cdict_error *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load_curl);
	if (curl_status == -ENOENT)
		return cdict_fail(err, -ENOENT, CDICT_NO_OFFSET,
				  "OpenStack is asked through libcurl, which is not installed "
				  "(Debian: libcurl3-gnutls): %s",
				  curl_error.text);
	return curl_status ? cdict_fail_nomem(err) : 0;
}
