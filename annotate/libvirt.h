/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libvirt.h - the domains that libvirt knows, from its daemon or from its state files, which also have
 * the process and its vCPUs.
 *
 * Input      read only: a read-only connection, and files that are only read. The XML is untrusted: no
 *            DTD is accepted, so no entity is ever defined or fetched; depth, size and counts are bounded
 * Threads    libvirt_ask() forks: call it before threads are started
 * Failure    0 or a negative code with *err filled; the list keeps what it had
 * Ownership  caller's storage; libvirt_domains_fini() frees what is inside
 */
#ifndef ANNOTATE_LIBVIRT_H
#define ANNOTATE_LIBVIRT_H

#include "annotate/proc.h"
#include "base/array.h"

#define LIBVIRT_XML_MAX ((size_t)16 << 20)

/* Texts are never NULL. */
struct libvirt_domain {
	char *name, *title;
	char uuid[37];
	char *nova_name, *nova_flavor, *nova_project;
	int32_t pid; /* 0: not of a running domain */
	uint32_t iothreads;
	ARRAY(struct proc_vcpu) vcpus;
};

/* libvirt_xml_parse - CDICT_EFORMAT for what is no XML or no domain, CDICT_ELIMIT; *@out is empty then. */
int libvirt_xml_parse(struct libvirt_domain *out, const void *data, size_t size,
		      struct cdict_error *err);
void libvirt_domain_fini(struct libvirt_domain *d);

struct libvirt_domains {
	ARRAY(struct libvirt_domain) all;
	size_t bad;          /* documents that could not be read */
	char first_bad[320]; /* the first of them, one line */
};

void libvirt_domains_fini(struct libvirt_domains *d);

/* libvirt_add_xml - one more domain; what is bad is counted as @name, not an error. Only
 * -ENOMEM. */
int libvirt_add_xml(struct libvirt_domains *d, const char *name, const void *xml, size_t size,
		    struct cdict_error *err);

/* libvirt_read_state - every *.xml in @dir: /run/libvirt/qemu, a copy of it, or a folder
 * of `virsh dumpxml` outputs. Stops at @deadline_ns (base/monotonic.h). */
int libvirt_read_state(struct libvirt_domains *d, const char *dir, uint64_t deadline_ns,
		       struct cdict_error *err);

/* libvirt_ask - the running domains of the daemon at @uri ("qemu:///system"), through
 * libvirt.so.0 if this machine has it (CDICT_EUNSUPPORTED if not). A child process does
 * it, which is ended after @timeout_ms: a daemon that hangs takes nobody with it. */
int libvirt_ask(struct libvirt_domains *d, const char *uri, unsigned timeout_ms,
		struct cdict_error *err);

#endif
