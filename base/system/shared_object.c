/* SPDX-License-Identifier: LGPL-2.1-only */
#include "base/system/shared_object.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/fail.h"

#ifdef CDICT_STATIC

/* A static glibc can load only libraries of its own version: load none. */
int shared_object_open(const char *const *names, const struct shared_function *functions, size_t n,
		       struct cdict_error *err)
{
	(void)names;
	(void)functions;
	(void)n;
	return cdict_fail(err, -ENOSYS, CDICT_NO_OFFSET, "a static program cannot load libraries");
}

static void share(const char *const *names)
{
	(void)names;
}

/* Stops libtraceevent from loading plugins, which cdict does not use (the linker's --wrap=dlopen). */
void *__wrap_dlopen(const char *name, int mode);
void *__wrap_dlopen(const char *name, int mode)
{
	(void)name;
	(void)mode;
	return NULL;
}

const char *shared_object_without(void)
{
	return "PNG, PDF, SQL, Redis, OpenStack's services, libvirt's daemon, function names of programs";
}

#else

const char *shared_object_without(void)
{
	return NULL;
}

/* The loader's message; dlopen() has no error code. It may lack memory for the message, too: then the
 * text is another one. */
static int not_loaded(struct cdict_error *err)
{
	bool no_memory = errno == ENOMEM;
	const char *text = dlerror();

	if (no_memory || (text && strstr(text, strerror(ENOMEM))))
		return cdict_fail_nomem(err);
	return cdict_fail(err, -ENOENT, CDICT_NO_OFFSET, "%s", text ? text : "not loaded");
}

int shared_object_open(const char *const *names, const struct shared_function *functions, size_t n,
		       struct cdict_error *err)
{
	void *so = NULL;
	int ret = -ENOENT;

	for (; *names && !so && ret == -ENOENT; names++) {
		errno = 0;
		so = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
		ret = so ? 0 : not_loaded(err);
	}
	for (size_t i = 0; so && i < n; i++) {
		void *function;

		errno = 0;
		function = dlsym(so, functions[i].name);
		if (!function)
			return not_loaded(err);
		memcpy(functions[i].at, &function, sizeof(function));
	}
	return ret;
}

/* Makes its functions visible to libraries loaded later. */
static void share(const char *const *names)
{
	for (; *names; names++)
		dlopen(*names, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

#endif

int shared_object_load(struct shared_object *so, struct cdict_error *err)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	enum { NEW, OPEN }; /* or the error code */

	pthread_mutex_lock(&lock);
	if (so->state == NEW) {
		so->state = shared_object_open(so->names, so->functions, so->n, &so->why);
		if (!so->state) {
			so->state = OPEN;
			if (so->is_shared)
				share(so->names);
			if (so->prepare)
				so->prepare();
		}
	}
	pthread_mutex_unlock(&lock);
	switch (so->state) {
	case OPEN:
		return 0;
	case -ENOENT:
		return cdict_fail(err, -ENOENT, CDICT_NO_OFFSET,
				  "%s, which is not installed (Debian: %s): %s", so->use,
				  so->package, so->why.text);
	case -ENOSYS:
		return cdict_fail(err, -ENOSYS, CDICT_NO_OFFSET, "%s, but %s", so->use,
				  so->why.text);
	}
	return cdict_fail_nomem(err);
}
