/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * host.h - adds every thread of every VM on this host to a mapping, from /proc
 * (or a saved copy), control groups and libvirt. Used by `cdict identify` and
 * `cdict record`.
 *
 *	struct host_report report;
 *	rc = host_identify(&mapping, &(struct host_options){ 0 }, &report, &err);
 *	... report.notes ...
 *	host_report_fini(&report);
 *
 * Reads only, takes no lock of the VMs, and returns after timeout_ms with its partial result.
 * Anything unreadable or without answer becomes a note; only an unlistable /proc and out of
 * memory are failures, and the mapping then keeps everything found before.
 *
 * Labels     origin PROC for every thread (instance, uuid, role, pid, start, host), and
 *            LIBVIRT in addition where libvirt has more (name, project, role of a vCPU)
 * Threads    forks to ask libvirt's daemon: call it before threads are started
 * Ownership  host_report_fini() frees what the report holds, also after a failure
 */
#ifndef ANNOTATE_HOST_HOST_H
#define ANNOTATE_HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/labels/mapping.h"
#include "base/memory/array.h"
#include "base/memory/stringset.h"
#include "base/text/sink.h"
#include "cdict/error.h"

struct host_options {
	const char *proc_root; /* NULL: /proc */
	/* NULL or "auto": the state files if readable, else the daemon if its socket exists;
	 * neither for a saved /proc. "off": neither. Else a connection URI, which is
	 * tried first. */
	const char *libvirt;
	const char *libvirt_state; /* NULL: /run/libvirt/qemu, for the live /proc */
	/* The folder below which container runtimes keep their state; NULL: / for the live /proc,
	 * nothing for a saved one. */
	const char *state_root;
	uint32_t timeout_ms; /* 0: 5000 */
};

struct host_vm {
	int32_t pid;
	const char *vmm;                                               /* "qemu" */
	const char *instance, *title, *name, *project, *flavor, *unit; /* never NULL; in texts */
	char uuid[37];
	size_t threads; /* all, including kernel threads */
	size_t vcpus;
	size_t unnamed; /* with role "thread" */
	bool libvirt;   /* libvirt has it */
};

struct host_report {
	ARRAY(struct host_vm) vms; /* by pid */
	size_t threads, unnamed;   /* of all VMs */
	size_t processes, units;   /* outside VMs: those in a unit, container or pod; how many */
	/* The time was up, or a source requested by name (a connection, a folder of state
	 * files) was empty or unreadable. */
	bool incomplete;
	ARRAY(const char *) notes; /* one line each, for the user: missing data and the reason */
	bool note_lost;            /* a note was lost: out of memory */
	struct stringset texts;
};

int host_identify(struct mapping *into, const struct host_options *opts, struct host_report *report,
		  struct cdict_error *err);
void host_report_fini(struct host_report *report);

/* host_report_summary - "4 VMs, 34 threads named, 2 not", without a line end. */
void host_report_summary(const struct host_report *report, struct sink *sink);

#endif
