/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The running domains of libvirt's daemon, through its own library, which is loaded only
 * when asked for: a laptop without libvirt runs the same program.
 *
 * A child does the talking and sends each domain's XML through a pipe as a 32-bit length
 * and the bytes; length 0 ends the list, LENGTH_ERROR goes before a message.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "annotate/libvirt.h"
#include "base/buf.h"
#include "base/fail.h"

#define LENGTH_ERROR UINT32_MAX
#define LENGTH_ABSENT (UINT32_MAX - 1) /* a message too: no library here */
#define DOMAINS_MAX 100000
#define TOTAL_MAX ((size_t)1 << 30)

#define CONNECT_LIST_DOMAINS_ACTIVE 1 /* virConnectListAllDomainsFlags */

/* The few functions of libvirt's stable interface that are used, with its struct names. */
struct _virConnect;
struct _virDomain;
struct _virError;

struct library {
	int (*initialize)(void);
	void (*set_error_func)(void *ctx, void (*handler)(void *ctx, struct _virError *error));
	const char *(*last_error)(void);
	struct _virConnect *(*open_read_only)(const char *uri);
	int (*close)(struct _virConnect *conn);
	int (*list)(struct _virConnect *conn, struct _virDomain ***domains, unsigned flags);
	char *(*xml)(struct _virDomain *domain, unsigned flags);
};

#if __has_include(<libvirt/libvirt.h>) && __has_include(<libvirt/virterror.h>)
/* Where the headers are, the compiler compares. */
#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>
#define SAME(member, function)                                                                     \
	_Static_assert(__builtin_types_compatible_p(__typeof__(((struct library *)0)->member),     \
						    __typeof__(&(function))),                      \
		       #function " has another type")
SAME(initialize, virInitialize);
SAME(last_error, virGetLastErrorMessage);
SAME(open_read_only, virConnectOpenReadOnly);
SAME(close, virConnectClose);
SAME(list, virConnectListAllDomains);
SAME(xml, virDomainGetXMLDesc);
SAME(set_error_func, virSetErrorFunc);
_Static_assert(CONNECT_LIST_DOMAINS_ACTIVE == VIR_CONNECT_LIST_DOMAINS_ACTIVE, "another flag");
#endif

static bool load(struct library *lib)
{
	void *so = dlopen("libvirt.so.0", RTLD_NOW | RTLD_LOCAL);
	const struct {
		const char *name;
		void *at;
	} symbols[] = {
		{ "virInitialize", &lib->initialize },
		{ "virSetErrorFunc", &lib->set_error_func },
		{ "virGetLastErrorMessage", &lib->last_error },
		{ "virConnectOpenReadOnly", &lib->open_read_only },
		{ "virConnectClose", &lib->close },
		{ "virConnectListAllDomains", &lib->list },
		{ "virDomainGetXMLDesc", &lib->xml },
	};

	for (size_t i = 0; so && i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *function = dlsym(so, symbols[i].name);

		if (!function)
			return false;
		memcpy(symbols[i].at, &function, sizeof(function));
	}
	return so != NULL;
}

/* --- the child --- */

static void send_all(int fd, const void *data, size_t size)
{
	const char *p = data;

	while (size) {
		ssize_t n = write(fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(1);
		p += n;
		size -= (size_t)n;
	}
}

static void send_text(int fd, uint32_t kind, const char *text)
{
	uint32_t len = (uint32_t)strlen(text);

	if (kind)
		send_all(fd, &kind, sizeof(kind));
	send_all(fd, &len, sizeof(len));
	send_all(fd, text, len);
}

static void quiet(void *ctx, struct _virError *error)
{
	(void)ctx;
	(void)error;
}

static void talk(int fd, const char *uri)
{
	struct library lib = { 0 };
	struct _virDomain **domains = NULL;
	struct _virConnect *conn;
	uint32_t end = 0;
	int n;

	if (!load(&lib)) {
		const char *why = dlerror();

		send_text(fd, LENGTH_ABSENT, why ? why : "it lacks a function");
		return;
	}
	lib.set_error_func(NULL, quiet); /* else libvirt prints */
	conn = lib.initialize() ? NULL : lib.open_read_only(uri);
	n = conn ? lib.list(conn, &domains, CONNECT_LIST_DOMAINS_ACTIVE) : -1;
	if (n < 0) {
		send_text(fd, LENGTH_ERROR, lib.last_error());
		return;
	}
	for (int i = 0; i < n; i++) {
		char *xml = lib.xml(domains[i], 0);

		if (xml && *xml) /* NULL: it was shut down meanwhile */
			send_text(fd, 0, xml);
		free(xml);
	}
	send_all(fd, &end, sizeof(end));
	lib.close(conn);
}

static void child(int fd, const char *uri)
{
	int null = open("/dev/null", O_RDWR);

	/* No terminal, so that ssh (qemu+ssh://) cannot stop to ask for a password. */
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_DFL);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	talk(fd, uri);
	_exit(0);
}

/* --- the parent --- */

struct line {
	int fd;
	uint64_t deadline_ns;
	size_t total;
	struct cdict_error *err;
};

static int left_ms(uint64_t deadline_ns)
{
	struct timespec now;
	uint64_t now_ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	return now_ns >= deadline_ns ? 0 : (int)((deadline_ns - now_ns) / 1000000 + 1);
}

static int receive(struct line *l, void *data, size_t size)
{
	struct pollfd p = { .fd = l->fd, .events = POLLIN };
	char *at = data;

	while (size) {
		int ms = left_ms(l->deadline_ns);
		ssize_t n;

		if (!ms)
			return cdict_fail(l->err, -ETIMEDOUT, CDICT_NO_OFFSET,
					  "libvirt did not answer in time");
		if (poll(&p, 1, ms) <= 0)
			continue;
		n = read(l->fd, at, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return cdict_fail(l->err, -EIO, CDICT_NO_OFFSET,
					  "libvirt's library ended in the middle of its answer");
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

/* @len bytes into @out, with a NUL behind them. */
static int receive_text(struct line *l, struct buf *out, uint32_t len)
{
	if (len > LIBVIRT_XML_MAX || len > TOTAL_MAX - l->total)
		return cdict_fail(l->err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				  "libvirt sent a domain's XML of %u bytes", len);
	l->total += len;
	out->len = 0;
	if (!buf_room(out, (size_t)len + 1))
		return cdict_fail(l->err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
	out->data[len] = 0;
	out->len = len;
	return receive(l, out->data, len);
}

static int receive_error(struct line *l, struct buf *text, bool absent)
{
	uint32_t len;
	int rc = receive(l, &len, sizeof(len));

	if (!rc)
		rc = receive_text(l, text, len);
	if (rc)
		return rc;
	if (absent)
		return cdict_fail(l->err, CDICT_EUNSUPPORTED, CDICT_NO_OFFSET,
				  "libvirt's library is not on this machine (%s)",
				  (char *)text->data);
	return cdict_fail(l->err, -EIO, CDICT_NO_OFFSET, "%s", (char *)text->data);
}

static int receive_list(struct libvirt_domains *d, struct line *l)
{
	struct buf text = { 0 };
	uint32_t len;
	int rc = 0;

	for (unsigned i = 0; !rc && i <= DOMAINS_MAX; i++) {
		rc = receive(l, &len, sizeof(len));
		if (rc || !len)
			break;
		if (len >= LENGTH_ABSENT)
			rc = receive_error(l, &text, len == LENGTH_ABSENT);
		else
			rc = receive_text(l, &text, len);
		if (!rc)
			rc = libvirt_add_xml(d, "a domain", text.data, text.len, l->err);
	}
	buf_fini(&text);
	return rc;
}

int libvirt_ask(struct libvirt_domains *d, const char *uri, unsigned timeout_ms,
		struct cdict_error *err)
{
	struct line l = { .err = err };
	struct timespec now;
	int fds[2], rc;
	pid_t pid;

	clock_gettime(CLOCK_MONOTONIC, &now);
	l.deadline_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec +
			(uint64_t)timeout_ms * 1000000;
	if (pipe2(fds, O_CLOEXEC))
		return cdict_fail_errno(err, "a pipe to ask libvirt");
	pid = fork();
	if (pid < 0) {
		rc = cdict_fail_errno(err, "a process to ask libvirt");
		close(fds[0]);
		close(fds[1]);
		return rc;
	}
	if (!pid) {
		close(fds[0]);
		child(fds[1], uri);
	}
	close(fds[1]);
	l.fd = fds[0];
	rc = receive_list(d, &l);
	close(fds[0]);
	/* A helper as ssh sees its connection end; when all is done, this is but the wait. */
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return rc;
}
