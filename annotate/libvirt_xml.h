/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libvirt_xml.h - what libvirt's XML says of one domain: `virsh dumpxml`, or the state
 * of a running one under /run/libvirt/qemu, which also has the process and its vCPUs.
 *
 * Input      untrusted: no DTD is accepted, so no entity is ever defined or fetched;
 *            depth, size and counts are bounded
 * Failure    0 or a negative code with *err filled; *out is then empty
 * Ownership  caller's storage; libvirt_domain_fini() frees what is inside
 */
#ifndef ANNOTATE_LIBVIRT_XML_H
#define ANNOTATE_LIBVIRT_XML_H

#include <stddef.h>
#include <stdint.h>

#include "annotate/proc.h"
#include "cdict/error.h"

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

/* libvirt_xml_parse - CDICT_EFORMAT for what is no XML or no domain, CDICT_ELIMIT. */
int libvirt_xml_parse(struct libvirt_domain *out, const void *data, size_t size,
		      struct cdict_error *err);
void libvirt_domain_fini(struct libvirt_domain *d);

#endif
