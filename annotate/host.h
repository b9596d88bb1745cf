/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * host.h - who runs on this host: every thread of every VM into a mapping, from /proc
 * (or a saved copy), control groups and libvirt. `cdict identify` and `cdict record`
 * call it.
 *
 *	struct host_report report;
 *	rc = host_identify(&mapping, &(struct host_options){ 0 }, &report, &err);
 *	... report.notes ...
 *	host_report_fini(&report);
 *
 * Reads only, takes no lock of the VMs, and ends after timeout_ms with what it has.
 * What could not be read or asked becomes a note; only a /proc that cannot be listed and
 * want of memory are failures, and then the mapping has what was found before.
 *
 * Labels     of origin PROC for every thread (instance, uuid, role, pid, start, host), and
 *            LIBVIRT beside it where libvirt knows more (name, project, role of a vCPU)
 * Threads    forks when libvirt's daemon is asked: call it before threads are started
 * Ownership  host_report_fini() frees what the report holds, also after a failure
 */
#ifndef ANNOTATE_HOST_H
#define ANNOTATE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/mapping.h"
#include "base/array.h"
#include "base/sink.h"
#include "base/stringset.h"
#include "cdict/error.h"

struct host_options {
	const char *proc_root; /* NULL: /proc */
	/* NULL or "auto": the state files when they can be read, else the daemon when its
	 * socket is there; neither for a saved /proc. "off": neither. Else the URI of a
	 * connection, which is asked first. */
	const char *libvirt;
	const char *libvirt_state; /* NULL: /run/libvirt/qemu, for the live /proc */
	uint32_t timeout_ms;       /* 0: 5000 */
};

struct host_vm {
	int32_t pid;
	const char *instance, *title, *name, *project, *flavor; /* never NULL; in texts */
	char uuid[37];
	size_t threads; /* all, with the kernel's */
	size_t vcpus;
	size_t unnamed; /* of role "thread" */
	bool libvirt;   /* libvirt knows it */
};

struct host_report {
	ARRAY(struct host_vm) vms; /* by pid */
	size_t threads, unnamed;   /* of all VMs */
	/* The time was up, or what was asked for by name (a connection, a folder of state
	 * files) gave nothing or something that cannot be read. */
	bool incomplete;
	ARRAY(const char *) notes; /* one line each, for the user: what is missing, and why */
	bool unsaid;               /* there was no memory for a note */
	struct stringset texts;
};

int host_identify(struct mapping *into, const struct host_options *opts, struct host_report *report,
		  struct cdict_error *err);
void host_report_fini(struct host_report *report);

/* host_report_summary - "4 VMs, 34 threads named, 2 not", without a line end. */
void host_report_summary(const struct host_report *report, struct sink *sink);

#endif
