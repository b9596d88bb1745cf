/* SPDX-License-Identifier: GPL-2.0-only */
/* Combines /proc and libvirt into the labels of the host's VMs and their threads. */
#include "annotate/host/host.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate/host/containers.h"
#include "annotate/host/libvirt.h"
#include "annotate/host/proc.h"
#include "base/fail.h"
#include "base/system/monotonic.h"
#include "base/text/plural.h"

#define STATE_DIR "/run/libvirt/qemu"
#define DAEMON_URI "qemu:///system"

struct job {
	const struct host_options *opts;
	struct host_report *report;
	struct mapping *into;
	struct proc_scan scan;
	struct libvirt_domains domains;
	struct containers containers;
	struct stringset units;
	uint64_t deadline_ns;
	uint32_t timeout_ms;
};

static void add_note(struct host_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void add_note(struct host_report *report, const char *fmt, ...)
{
	const char *kept = NULL;
	char *text;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n >= 0) {
		kept = stringset_add(&report->texts, text, (size_t)n);
		free(text);
	}
	report->note_lost |= !kept || array_push(&report->notes, kept);
}

/* --- libvirt --- */

static const char *const sockets[] = {
	"/run/libvirt/libvirt-sock-ro",
	"/run/libvirt/virtqemud-sock-ro",
};

static bool daemon_is_there(void)
{
	for (size_t i = 0; i < sizeof(sockets) / sizeof(sockets[0]); i++) {
		if (!access(sockets[i], R_OK | W_OK))
			return true;
	}
	return false;
}

/* 0, 1 without an answer (adds a note), -ENOMEM. */
static int ask_daemon(struct job *j, const char *uri, struct cdict_error *err)
{
	int left = monotonic_left_ms(j->deadline_ns), rc;

	if (!left)
		return 1;
	/* Use half of the time: the state files may still have to be read. */
	rc = libvirt_ask(&j->domains, uri, (unsigned)left / 2 + 1, err);
	if (!rc || rc == -ENOMEM)
		return rc;
	add_note(j->report, "libvirt at %s: %s", uri, err->text);
	return 1;
}

/* @silent: the user did not name this folder. Returns like ask_daemon(). */
static int read_state(struct job *j, const char *dir, bool silent, struct cdict_error *err)
{
	int rc = libvirt_read_state(&j->domains, dir, j->deadline_ns, err);

	if (!rc || rc == -ENOMEM)
		return rc;
	if (!silent)
		add_note(j->report, "libvirt's state: %s", err->text);
	return 1;
}

static int find_domains(struct job *j, struct cdict_error *err)
{
	const char *how = j->opts->libvirt ? j->opts->libvirt : "auto";
	const char *state = j->opts->libvirt_state;
	bool automatic = !strcmp(how, "auto"), off = !strcmp(how, "off");
	bool wanted = state || (!automatic && !off);
	int rc = 1;

	if (!automatic && !off)
		rc = ask_daemon(j, how, err);
	if (rc > 0 && state)
		rc = read_state(j, state, false, err);
	else if (rc > 0 && j->scan.live && !off && j->scan.vms.n)
		rc = read_state(j, STATE_DIR, true, err);
	if (rc > 0 && automatic && !state && j->scan.live && j->scan.vms.n && daemon_is_there())
		rc = ask_daemon(j, DAEMON_URI, err);
	if (j->domains.bad)
		add_note(j->report, "libvirt: cannot read %zu XML document%s; the first: %s",
			 j->domains.bad, j->domains.bad == 1 ? "" : "s", j->domains.first_bad);
	j->report->incomplete |= (rc && wanted) || j->domains.bad;
	return rc > 0 ? 0 : rc;
}

/* The domain of a VM. State files of an earlier boot may have the same names but other
 * processes: then their vCPUs are ignored. */
static const struct libvirt_domain *domain_of(const struct job *j, const struct proc_vm *vm)
{
	const struct libvirt_domain *by_uuid = NULL, *by_name = NULL;

	for (size_t i = 0; i < j->domains.all.n; i++) {
		const struct libvirt_domain *d = &j->domains.all.at[i];
		bool uuid = d->uuid[0] && !strcmp(d->uuid, vm->args.uuid);
		bool name = d->name[0] && !strcmp(d->name, vm->args.instance);

		if (d->pid == vm->pid && (uuid || name || !vm->args.uuid[0]))
			return d;
		if (uuid && !by_uuid)
			by_uuid = d;
		if (name && !by_name && (!d->uuid[0] || !vm->args.uuid[0]))
			by_name = d;
	}
	return by_uuid ? by_uuid : by_name;
}

/* --- labels --- */

/* The user's name for the VM; "": use the instance. */
static const char *own_name(const struct libvirt_domain *d)
{
	return d->nova_name[0] ? d->nova_name : d->title;
}

static int add_thread(struct job *j, const struct proc_vm *vm, const struct proc_thread *t,
		      const struct libvirt_domain *d, struct cdict_error *err)
{
	char nameless[64] = "";
	bool known = vm->args.instance[0] || (d && d->name[0]);
	struct cdict_label label = {
		.tid = t->tid,
		.pid = t->kernel ? t->tid
		       : t->pid  ? t->pid
				 : vm->pid,
		.start_ns = t->start_ns,
		.origin = CDICT_LABEL_PROC,
		.name = known ? vm->args.name : nameless,
		.role = t->role,
		.uuid = vm->args.uuid,
		.instance = vm->args.instance,
		.project = vm->project,
		.host = j->scan.host,
		.unit = vm->unit,
		.cgroup = t->kernel ? "" : vm->cgroup,
	};
	int rc;

	/* Without any name, make one, so that the threads of two such VMs are not merged. */
	if (!known)
		snprintf(nameless, sizeof(nameless), "%s-%d", vm->vmm->nameless, vm->pid);
	rc = mapping_add(j->into, &label, err);
	if (rc || !d)
		return rc;
	label.origin = CDICT_LABEL_LIBVIRT;
	label.name = own_name(d);
	label.role = t->by_libvirt ? t->role : "";
	label.uuid = d->uuid;
	label.instance = d->name;
	label.project = d->nova_project;
	label.host = label.unit = label.cgroup = "";
	return mapping_add(j->into, &label, err);
}

static bool is_vcpu(const struct proc_thread *t)
{
	return !strncmp(t->role, "vcpu", 4);
}

static const char *keep_text(struct host_report *report, const char *text)
{
	return stringset_add(&report->texts, text, strlen(text));
}

static int describe(struct job *j, const struct proc_vm *vm, const struct libvirt_domain *d,
		    struct cdict_error *err)
{
	struct host_vm *out = array_add(&j->report->vms);

	if (!out)
		return cdict_fail_nomem(err);
	out->pid = vm->pid;
	out->vmm = vm->vmm->name;
	out->libvirt = d != NULL;
	memcpy(out->uuid, vm->args.uuid, sizeof(out->uuid));
	if (d && d->uuid[0])
		memcpy(out->uuid, d->uuid, sizeof(out->uuid));
	out->instance = keep_text(j->report, d && d->name[0] ? d->name : vm->args.instance);
	out->title = keep_text(j->report, d ? d->title : "");
	out->name = keep_text(j->report, d && *own_name(d) ? own_name(d) : vm->args.name);
	out->project = keep_text(j->report, d && *d->nova_project ? d->nova_project : vm->project);
	out->unit = keep_text(j->report, vm->unit);
	out->flavor = keep_text(j->report, d ? d->nova_flavor : "");
	if (!out->instance || !out->title || !out->name || !out->project || !out->flavor ||
	    !out->unit)
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < vm->threads.n; i++) {
		out->threads++;
		out->vcpus += is_vcpu(&vm->threads.at[i]);
		out->unnamed += !strcmp(vm->threads.at[i].role, "thread");
	}
	j->report->threads += out->threads;
	j->report->unnamed += out->unnamed;
	return 0;
}

static int give_roles(struct proc_vm *vm, const struct libvirt_domain *d)
{
	bool ours = d && d->pid == vm->pid && d->vcpus.n;

	return proc_vm_roles(vm, ours ? d->vcpus.at : NULL, ours ? d->vcpus.n : 0,
			     ours && !d->iothreads);
}

/* Two VMs without UUID may have the same name, as two sockets in different folders: their names
 * get the pid, else they would be shown as one. */
static void distinguish(struct proc_scan *scan)
{
	for (size_t i = 0; i < scan->vms.n; i++) {
		struct vmm_args *a = &scan->vms.at[i].args;
		bool shared = false;

		for (size_t k = 0; a->instance[0] && !a->uuid[0] && k < scan->vms.n; k++)
			shared |= k != i && !scan->vms.at[k].args.uuid[0] &&
				  !strcmp(scan->vms.at[k].args.instance, a->instance);
		scan->vms.at[i].shared = shared;
	}
	for (size_t i = 0; i < scan->vms.n; i++) {
		struct vmm_args *a = &scan->vms.at[i].args;
		char pid[16];

		snprintf(pid, sizeof(pid), "-%d", scan->vms.at[i].pid);
		if (scan->vms.at[i].shared && strlen(a->instance) + strlen(pid) < VMM_NAME_MAX)
			strcat(a->instance, pid);
	}
}

static int label_all(struct job *j, struct cdict_error *err)
{
	const struct libvirt_domain **domains;
	int rc = 0;

	domains = calloc(j->scan.vms.n ? j->scan.vms.n : 1, sizeof(*domains));
	if (!domains)
		return cdict_fail_nomem(err);
	distinguish(&j->scan);
	for (size_t i = 0; i < j->scan.vms.n && !rc; i++) {
		domains[i] = domain_of(j, &j->scan.vms.at[i]);
		rc = give_roles(&j->scan.vms.at[i], domains[i]);
	}
	rc = rc ? cdict_fail_nomem(err) : proc_join_kernel(&j->scan, err);
	for (size_t i = 0; i < j->scan.vms.n && !rc; i++) {
		const struct proc_vm *vm = &j->scan.vms.at[i];

		rc = describe(j, vm, domains[i], err);
		for (size_t t = 0; t < vm->threads.n && !rc; t++)
			rc = add_thread(j, vm, &vm->threads.at[t], domains[i], err);
	}
	free(domains);
	return rc;
}

/* --- units, containers, pods --- */

/* KubeVirt's domain is NAMESPACE_NAME, in a pod; Kata's VM has the id of its sandbox. */
static int name_by_pod(struct job *j, struct proc_vm *vm, const struct containers_pod *pod)
{
	static const char sandbox[] = "sandbox-";
	const char *id = vm->args.instance, *cut = strchr(id, '_');
	struct containers_pod own;
	int rc;

	if (!strncmp(id, sandbox, sizeof(sandbox) - 1))
		id += sizeof(sandbox) - 1;
	rc = containers_sandbox(&j->containers, id, &own);
	if (rc)
		return rc;
	if (own.name[0]) {
		snprintf(vm->args.name, sizeof(vm->args.name), "%s", own.name);
		snprintf(vm->project, sizeof(vm->project), "%s", own.namespace_);
		snprintf(vm->unit, sizeof(vm->unit), "pod %.126s/%.123s", own.namespace_, own.name);
	} else if (cut && cut > id && cut[1] && !strchr(cut + 1, '_') &&
		   (!pod->namespace_[0] || !strncmp(pod->namespace_, id, (size_t)(cut - id)))) {
		snprintf(vm->project, sizeof(vm->project), "%.*s",
			 (int)(cut - id < 253 ? cut - id : 253), id);
		snprintf(vm->args.name, sizeof(vm->args.name), "%s", cut + 1);
	}
	return 0;
}

/* The root, or a path from another cgroup namespace, which begins with "/..". */
static bool is_no_place(const char *cgroup)
{
	return !strcmp(cgroup, "/") || !strncmp(cgroup, "/..", 3);
}

/* A VM may run in a container or pod. */
static int place_vm(struct job *j, struct proc_vm *vm)
{
	struct containers_pod pod = { 0 };
	struct cgroup_unit unit;
	int rc;

	if (is_no_place(vm->cgroup))
		vm->cgroup[0] = 0;
	cgroup_unit(&unit, vm->cgroup, strlen(vm->cgroup));
	if (unit.kind < CGROUP_CONTAINER)
		return 0;
	rc = containers_name(&j->containers, &unit, &pod);
	snprintf(vm->unit, sizeof(vm->unit), "%s", unit.text);
	return rc ? rc : name_by_pod(j, vm, &pod);
}

static int place_other(struct job *j, const struct proc_other *other, struct cdict_error *err)
{
	struct cdict_label label = {
		.tid = other->pid,
		.pid = other->pid,
		.start_ns = other->start_ns,
		.origin = CDICT_LABEL_PROC,
		.host = j->scan.host,
		.cgroup = other->cgroup,
	};
	struct cgroup_unit unit;
	size_t n = j->units.n;

	if (is_no_place(other->cgroup))
		return 0;
	cgroup_unit(&unit, other->cgroup, strlen(other->cgroup));
	if (containers_name(&j->containers, &unit, NULL))
		return cdict_fail_nomem(err);
	label.unit = unit.text;
	if (unit.kind && !stringset_add(&j->units, unit.text, strlen(unit.text)))
		return cdict_fail_nomem(err);
	j->report->processes += unit.kind != CGROUP_NONE;
	j->report->units += j->units.n > n;
	return mapping_add(j->into, &label, err);
}

static int place_all(struct job *j, struct cdict_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < j->scan.vms.n && !rc; i++)
		rc = place_vm(j, &j->scan.vms.at[i]);
	if (rc)
		rc = cdict_fail_nomem(err);
	for (size_t i = 0; i < j->scan.others.n && !rc; i++)
		rc = place_other(j, &j->scan.others.at[i], err);
	return rc;
}

/* --- notes to the user --- */

static void note_gaps(struct job *j)
{
	struct host_report *r = j->report;
	size_t vms = 0;

	for (size_t i = 0; i < r->vms.n; i++)
		vms += r->vms.at[i].unnamed > 0;
	if (r->unnamed)
		add_note(
			r,
			"%s thread%s of %s VM%s: role unknown (\"thread\"): QEMU runs without "
			"debug-threads=on, and neither control groups nor libvirt's state identify "
			"its threads",
			GROUPED(r->unnamed), plural(r->unnamed), GROUPED(vms), plural(vms));
	if (j->scan.incomplete)
		add_note(r, "the name%s of %s thread%s could not be read%s",
			 plural(j->scan.incomplete), GROUPED(j->scan.incomplete),
			 plural(j->scan.incomplete), geteuid() ? ": run as root" : "");
	if (j->scan.unreadable)
		add_note(r, "cannot inspect %s process%s: permission denied%s",
			 GROUPED(j->scan.unreadable), j->scan.unreadable == 1 ? "" : "es",
			 geteuid() ? ": run as root" : "");
	if (j->scan.kernel.n)
		add_note(r,
			 "%s kernel thread%s of a VM, such as %s (%d), belong%s to no VM's process",
			 GROUPED(j->scan.kernel.n), plural(j->scan.kernel.n),
			 j->scan.kernel.at[0].thread.comm, j->scan.kernel.at[0].thread.tid,
			 j->scan.kernel.n == 1 ? "s" : "");
	if (j->scan.inner && j->scan.vms.n)
		add_note(
			r,
			"this is a container's /proc: recordings have the host's thread ids, not these; "
			"run on the host, or give the host's /proc with --proc-root");
	if (j->scan.cut || monotonic_past(j->deadline_ns)) {
		r->incomplete = true;
		add_note(r, "stopped after %u ms with partial results", j->timeout_ms);
	}
}

int host_identify(struct mapping *into, const struct host_options *opts, struct host_report *report,
		  struct cdict_error *err)
{
	struct job j = { .opts = opts, .report = report, .into = into };
	struct cdict_error own = { 0 };
	int rc;

	memset(report, 0, sizeof(*report));
	if (!err)
		err = &own;
	j.timeout_ms = opts->timeout_ms ? opts->timeout_ms : 5000;
	j.deadline_ns = monotonic_in_ms(j.timeout_ms);
	rc = proc_scan(&j.scan, opts->proc_root, j.deadline_ns, err);
	if (rc)
		return rc;
	containers_init(&j.containers, opts->state_root ? opts->state_root
				       : j.scan.live    ? "/"
							: NULL);
	rc = find_domains(&j, err);
	if (!rc)
		rc = place_all(&j, err);
	if (!rc)
		rc = label_all(&j, err);
	if (!rc) {
		note_gaps(&j);
		memset(err, 0, sizeof(*err)); /* its failure is a note now */
		rc = report->note_lost ? cdict_fail_nomem(err) : 0;
	}
	proc_scan_fini(&j.scan);
	containers_fini(&j.containers);
	stringset_fini(&j.units);
	libvirt_domains_fini(&j.domains);
	return rc;
}

void host_report_fini(struct host_report *report)
{
	array_fini(&report->vms);
	array_fini(&report->notes);
	stringset_fini(&report->texts);
	memset(report, 0, sizeof(*report));
}

void host_report_summary(const struct host_report *report, struct sink *sink)
{
	size_t named = report->threads - report->unnamed;

	if (report->vms.n)
		sink_printf(sink, "%s VM%s, %s thread%s named", GROUPED(report->vms.n),
			    plural(report->vms.n), GROUPED(named), plural(named));
	else
		sink_puts(sink, "no VM found");
	if (report->unnamed)
		sink_printf(sink, ", %zu not", report->unnamed);
	if (report->processes)
		sink_printf(sink, "; %s other process%s in %s unit%s or container%s",
			    GROUPED(report->processes), report->processes == 1 ? "" : "es",
			    GROUPED(report->units), plural(report->units), plural(report->units));
}
