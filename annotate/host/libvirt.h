/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libvirt.h - libvirt's domains, from its daemon or its state files, which also contain the
 * process and its vCPUs.
 *
 * Input      read only: a read-only connection, and files opened for reading. The XML is untrusted: a
 *            DTD is rejected, so no entity can be defined or fetched; depth, size and counts are bounded
 * Threads    libvirt_ask() forks: call it before threads are started
 * Failure    0 or a negative code with *err filled; the list keeps its content
 * Ownership  caller's storage; libvirt_domains_fini() frees its content
 */
#ifndef ANNOTATE_HOST_LIBVIRT_H
#define ANNOTATE_HOST_LIBVIRT_H

#include "annotate/host/proc.h"
#include "base/memory/array.h"

#define LIBVIRT_XML_MAX ((size_t)16 << 20)

/* Texts are never NULL. */
struct libvirt_domain {
	char *name, *title;
	char uuid[37];
	char *nova_name, *nova_flavor, *nova_project;
	int32_t pid; /* 0: not a running domain */
	uint32_t iothreads;
	ARRAY(struct proc_vcpu) vcpus;
};

/* libvirt_xml_parse - CDICT_EFORMAT if it is not XML or not a domain, CDICT_ELIMIT; *@out is then empty. */
int libvirt_xml_parse(struct libvirt_domain *out, const void *data, size_t size,
		      struct cdict_error *err);
void libvirt_domain_fini(struct libvirt_domain *d);

struct libvirt_domains {
	ARRAY(struct libvirt_domain) all;
	size_t bad;          /* unreadable documents */
	char first_bad[320]; /* the first of them and the reason, one line */
};

void libvirt_domains_fini(struct libvirt_domains *d);

/* libvirt_add_xml - adds a domain; a bad document is counted as @name, and is not an error. Fails only with
 * -ENOMEM. */
int libvirt_add_xml(struct libvirt_domains *d, const char *name, const void *xml, size_t size,
		    struct cdict_error *err);

/* libvirt_read_state - reads every *.xml in @dir: /run/libvirt/qemu, a copy of it, or a folder
 * of `virsh dumpxml` outputs. Stops at @deadline_ns (base/system/monotonic.h). */
int libvirt_read_state(struct libvirt_domains *d, const char *dir, uint64_t deadline_ns,
		       struct cdict_error *err);

/* libvirt_ask - the running domains of the daemon at @uri ("qemu:///system"), through
 * libvirt.so.0 if installed (else CDICT_EUNSUPPORTED). Runs in a child process that is
 * killed after @timeout_ms, so that a hanging daemon blocks nothing. */
int libvirt_ask(struct libvirt_domains *d, const char *uri, unsigned timeout_ms,
		struct cdict_error *err);

#endif
