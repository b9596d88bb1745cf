/* SPDX-License-Identifier: GPL-2.0-only */
/* Names at capture: who is running here is known best now. */
#include "annotate/host.h"
#include "capture/host.h"
#include "cmd/maps.h"
#include "cmd/record.h"

/* This host's VMs; what cannot be read is no reason not to record. */
static void ask_host(struct record_names *n)
{
	const struct record_opts *o = n->call->opts;
	struct host_options host = { .libvirt = o->libvirt, .timeout_ms = 5000 };
	struct cdict_error err = { 0 };
	struct host_report report = { 0 };

	if (host_identify(&n->labels, &host, &report, &err))
		cmd_warn(n->call, NULL, "tasks are not named: %s", err.text);
	/* "No VM here" is no news on a host without. */
	for (size_t i = 0; i < report.notes.n && (report.vms.n || n->call->verbose); i++)
		cmd_warn(n->call, NULL, "%s", report.notes.at[i]);
	host_report_fini(&report);
}

int record_names_init(struct record_names *n, const struct cmd_call *call)
{
	const struct record_opts *o = call->opts;
	struct openstack_ask *ask = NULL;

	*n = (struct record_names){ .call = call };
	n->status = openstack_prepare(call, &o->openstack, &ask);
	if (!n->status)
		n->status = maps_read(&n->labels, call, &o->shared);
	/* By tids that the events have only where pids are the kernel's. */
	if (!n->status && !o->no_names && !host_pids_foreign())
		ask_host(n);
	/* That it could not be asked was said; the host's names are there. */
	if (!n->status)
		openstack_add(call, ask, NULL, &n->labels, &n->labels);
	openstack_free(ask);
	return n->status;
}

void record_names_fini(struct record_names *n)
{
	mapping_fini(&n->labels);
}

int record_names_write(void *names, struct cdict_writer *w, struct cdict_error *err)
{
	const struct record_names *n = names;
	int ret = 0;

	for (size_t i = 0; i < n->labels.n && !ret; i++)
		ret = cdict_writer_label(w, &n->labels.labels[i], err);
	return ret;
}
