/* SPDX-License-Identifier: GPL-2.0-only */
/* Names tasks during the recording, when the host can still be asked about them. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "annotate/host/host.h"
#include "base/fail.h"
#include "capture/host/host.h"
#include "capture/record/cgroups.h"
#include "cmd/input/maps.h"
#include "cmd/record/record.h"
#include "format/labels/cgroup_vm.h"

/* Finds this host's VMs; errors do not prevent the recording. */
static void ask_host(struct record_names *n, bool again)
{
	const struct record_opts *o = n->call->opts;
	struct host_options host = { .libvirt = o->libvirt, .timeout_ms = 5000 };
	struct cdict_error err = { 0 };
	struct host_report report = { 0 };

	if (host_identify(&n->labels, &host, &report, &err)) {
		cmd_warn(n->call, NULL, "cannot name tasks: %s", err.text);
		n->failed = true;
	}
	/* "No VM here" is irrelevant on a host without VMs. */
	for (size_t i = 0; i < report.notes.n && !again && (report.vms.n || n->call->verbose); i++)
		cmd_warn(n->call, NULL, "%s", report.notes.at[i]);
	host_report_fini(&report);
}

/* --all-cgroups; where it is not possible, /proc is what remains. */
static void watch_cgroups(struct record_names *n)
{
	struct cdict_error err = { 0 };

	containers_init(&n->containers, "/");
	if (record_cgroups_new(&n->cgroups, &err))
		cmd_warn(n->call, NULL, "--all-cgroups: %s; groups are those in /proc at the start",
			 err.text);
}

/* A task's group, as its samples have it. */
static int add_cgroup(void *ctx, int32_t pid, int32_t tid, const char *path)
{
	struct record_names *n = ctx;
	struct cdict_label label = {
		.tid = tid, .pid = pid, .origin = CDICT_LABEL_PROC, .cgroup = path
	};
	struct cgroup_place place = { 0 };
	struct cgroup_unit unit;

	if (!strcmp(path, "/") || strlen(path) > MAPPING_TEXT_MAX)
		return 0;
	cgroup_vm_label(&label, &place, path);
	cgroup_unit(&unit, path, strlen(path));
	if (containers_name(&n->containers, &unit, NULL))
		return -ENOMEM;
	label.unit = unit.text;
	return mapping_add(&n->labels, &label, NULL);
}

static void *ask_openstack(void *names)
{
	struct record_names *n = names;

	/* A failure is reported; the host's names remain. */
	n->unanswered = openstack_add(n->call, n->ask, NULL, &n->known, &n->asked) != 0;
	return NULL;
}

/* Networks are slow, and the recording must not wait: the answer arrives during the recording.
 * Signals go to the recorder. */
static void begin_asking(struct record_names *n)
{
	sigset_t all, old;

	if (!n->ask)
		return;
	if (mapping_add_all(&n->known, &n->labels, NULL)) {
		cmd_warn(n->call, NULL, "cannot name tasks: out of memory");
		n->failed = true;
		return;
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	n->asking = !pthread_create(&n->thread, NULL, ask_openstack, n);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!n->asking)
		ask_openstack(n);
}

int record_names_init(struct record_names *n, const struct cmd_call *call)
{
	const struct record_opts *o = call->opts;

	*n = (struct record_names){ .call = call };
	containers_init(&n->containers, NULL);
	n->status = openstack_prepare(call, &o->openstack, &n->ask);
	if (!n->status)
		n->status = maps_read(&n->labels, call, &o->shared);
	/* The host's tids match the events only if pids are the kernel's. */
	if (!n->status && !o->no_names && !host_pids_foreign())
		ask_host(n, false);
	if (!n->status && !o->no_names && o->all_cgroups && !host_pids_foreign())
		watch_cgroups(n);
	if (!n->status)
		begin_asking(n);
	return n->status;
}

/* Tasks that have ended since keep their names once more: the events of now may have them. */
void record_names_again(struct record_names *n)
{
	const struct record_opts *o = n->call->opts;
	bool failed = n->failed;
	struct mapping old = n->labels;
	int ret = 0;

	if (o->no_names || host_pids_foreign())
		return;
	n->labels = (struct mapping){ 0 };
	for (size_t i = 0; i < old.n && !ret; i++) {
		if (old.labels[i].origin == CDICT_LABEL_CSV)
			ret = mapping_add(&n->labels, &old.labels[i], NULL);
	}
	ask_host(n, true);
	if (n->cgroups && record_cgroups_each(n->cgroups, add_cgroup, n))
		ret = -ENOMEM;
	n->failed = failed; /* reported; it is no failure of the recording */
	mapping_fini(&n->before);
	n->before = old;
	if (ret)
		cmd_warn(n->call, NULL, "cannot name tasks: out of memory");
}

bool record_names_wait(struct record_names *n)
{
	if (n->asking)
		pthread_join(n->thread, NULL);
	n->asking = false;
	return !n->failed && !n->unanswered;
}

void record_names_fini(struct record_names *n)
{
	record_names_wait(n);
	openstack_free(n->ask);
	n->ask = NULL;
	mapping_fini(&n->labels);
	mapping_fini(&n->before);
	mapping_fini(&n->known);
	mapping_fini(&n->asked);
	record_cgroups_free(n->cgroups);
	n->cgroups = NULL;
	containers_fini(&n->containers);
}

static int write_all(const struct mapping *m, struct cdict_writer *w, struct cdict_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < m->n && !ret; i++)
		ret = cdict_writer_label(w, &m->labels[i], err);
	return ret;
}

static int write_both(struct record_names *n, struct cdict_writer *w, struct cdict_error *err)
{
	struct mapping all = { 0 };
	int ret = mapping_add_all(&all, &n->before, err);

	ret = ret ? ret : mapping_add_all(&all, &n->labels, err);
	ret = ret ? ret : write_all(&all, w, err);
	mapping_fini(&all);
	return ret;
}

/* Writes the labels known at the start, and all of them at the end. */
int record_names_write(void *names, bool last, struct cdict_writer *w, struct cdict_error *err)
{
	struct record_names *n = names;
	int ret = 0;

	if (last && n->cgroups && record_cgroups_each(n->cgroups, add_cgroup, n))
		ret = cdict_fail_nomem(err);
	if (!ret)
		ret = n->before.n ? write_both(n, w, err) : write_all(&n->labels, w, err);
	if (ret || (n->asking && !last))
		return ret;
	record_names_wait(n);
	return write_all(&n->asked, w, err);
}
