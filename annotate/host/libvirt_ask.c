/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gets the running domains of libvirt's daemon through libvirt's own library, which is loaded only
 * when needed: the same program runs without libvirt.
 *
 * A child process makes the calls and writes each domain's XML, NUL-terminated. Its status shows
 * whether the output is that or an error message.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "annotate/child.h"
#include "annotate/host/libvirt.h"
#include "base/fail.h"
#include "base/system/shared_object.h"

#define STATUS_ERROR 2
#define STATUS_ABSENT 3 /* the library is not installed */
#define TOTAL_MAX ((size_t)1 << 30)

#define CONNECT_LIST_DOMAINS_ACTIVE 1 /* virConnectListAllDomainsFlags */

/* The functions used from libvirt's stable interface, with its struct names. */
struct _virConnect;
struct _virDomain;
struct _virError;

struct library {
	int (*initialize)(void);
	void (*set_error_func)(void *ctx, void (*handler)(void *ctx, struct _virError *error));
	const char *(*last_error)(void);
	struct _virConnect *(*open_read_only)(const char *uri);
	int (*list)(struct _virConnect *conn, struct _virDomain ***domains, unsigned flags);
	char *(*xml)(struct _virDomain *domain, unsigned flags);
	int (*free)(struct _virDomain *domain);
};

#if __has_include(<libvirt/libvirt.h>) && __has_include(<libvirt/virterror.h>)
/* If the headers are installed, the compiler compares the types. */
#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>
#define SAME(member, function)                                                                     \
	_Static_assert(__builtin_types_compatible_p(__typeof__(((struct library *)0)->member),     \
						    __typeof__(&(function))),                      \
		       #function " has another type")
SAME(initialize, virInitialize);
SAME(last_error, virGetLastErrorMessage);
SAME(open_read_only, virConnectOpenReadOnly);
SAME(list, virConnectListAllDomains);
SAME(xml, virDomainGetXMLDesc);
SAME(free, virDomainFree);
SAME(set_error_func, virSetErrorFunc);
_Static_assert(CONNECT_LIST_DOMAINS_ACTIVE == VIR_CONNECT_LIST_DOMAINS_ACTIVE, "another flag");
#endif

static int load_library(struct library *lib, struct cdict_error *err)
{
	static const char *const names[] = { "libvirt.so.0", NULL };
	const struct shared_function functions[] = {
		{ "virInitialize", &lib->initialize },
		{ "virSetErrorFunc", &lib->set_error_func },
		{ "virGetLastErrorMessage", &lib->last_error },
		{ "virConnectOpenReadOnly", &lib->open_read_only },
		{ "virConnectListAllDomains", &lib->list },
		{ "virDomainGetXMLDesc", &lib->xml },
		{ "virDomainFree", &lib->free },
	};

	return shared_object_open(names, functions, sizeof(functions) / sizeof(functions[0]), err);
}

/* --- the child --- */

static void quiet(void *ctx, struct _virError *error)
{
	(void)ctx;
	(void)error;
}

static void end_with(FILE *out, int status, const char *message)
{
	fputs(message, out);
	fflush(out);
	_exit(status);
}

static void list_domains(void *ctx)
{
	struct library lib = { 0 };
	struct _virDomain **domains = NULL;
	struct _virConnect
		*conn; /* closed by the process's end: virConnectClose() waits for the daemon */
	struct cdict_error err;
	/* not stdout, whose buffer may hold the parent's unwritten output */
	FILE *out = fdopen(STDOUT_FILENO, "w");
	int n;

	if (!out)
		_exit(1);
	/* so that ssh (qemu+ssh://) can neither prompt for a password nor print errors */
	dup2(STDIN_FILENO, STDERR_FILENO);
	if (load_library(&lib, &err))
		end_with(out, STATUS_ABSENT, err.text);
	lib.set_error_func(NULL, quiet); /* otherwise libvirt prints errors */
	conn = lib.initialize() ? NULL : lib.open_read_only(ctx);
	n = conn ? lib.list(conn, &domains, CONNECT_LIST_DOMAINS_ACTIVE) : -1;
	if (n < 0)
		end_with(out, STATUS_ERROR, lib.last_error());
	for (int i = 0; i < n; i++) {
		char *xml = lib.xml(domains[i], 0);

		if (xml && *xml) /* NULL: the domain was shut down meanwhile */
			fwrite(xml, 1, strlen(xml) + 1, out);
		free(xml);
		lib.free(domains[i]);
	}
	free(domains);
	if (fflush(out))
		_exit(1);
}

int libvirt_ask(struct libvirt_domains *d, const char *uri, unsigned timeout_ms,
		struct cdict_error *err)
{
	struct child_options child = { .what = "libvirt",
				       .timeout_ms = timeout_ms,
				       .max_bytes = TOTAL_MAX,
				       .run = list_domains,
				       .ctx = (void *)uri };
	struct buf text = { 0 };
	int status = 0, rc = child_read(&child, &text, &status, err);
	const char *p, *end;

	buf_u8(&text, 0);
	if (!rc && text.failed)
		rc = cdict_fail_nomem(err);
	p = (const char *)text.data;
	end = p + text.len - 1;
	if (!rc && WIFEXITED(status) && WEXITSTATUS(status) == STATUS_ABSENT)
		rc = cdict_fail(err, CDICT_EUNSUPPORTED, CDICT_NO_OFFSET,
				"libvirt's library is not installed (%s)", p);
	else if (!rc && WIFEXITED(status) && WEXITSTATUS(status) == STATUS_ERROR)
		rc = cdict_fail(err, -EIO, CDICT_NO_OFFSET, "%s", p);
	else if (!rc && status)
		rc = cdict_fail(err, -EIO, CDICT_NO_OFFSET, "libvirt's answer is incomplete");
	for (; !rc && p < end; p += strlen(p) + 1)
		rc = libvirt_add_xml(d, "a domain", p, strlen(p), err);
	buf_fini(&text);
	return rc;
}
