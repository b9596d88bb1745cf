/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict identify: writes the tasks of this host as a mapping file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate/csv.h"
#include "annotate/host/host.h"
#include "base/fail.h"
#include "base/system/outfile.h"
#include "base/text/escape.h"
#include "base/text/json.h"
#include "cmd/core/options.h"
#include "cmd/names/identify.h"
#include "cmd/names/openstack.h"
#include "format/labels/label_text.h"

enum { IDENTIFY_CSV, IDENTIFY_JSON };

struct identify_opts {
	struct options_shared shared;
	const char *proc_root, *libvirt, *libvirt_state, *state_root;
	uint64_t timeout_ms;
	int format;
	struct openstack_opts openstack;
};

static const char *const formats[] = { "csv", "json", NULL };

static const struct cmd_option identify_options[] = {
	OPTION_INPUT,
	OPTION_OUTPUT_OR_STDOUT,
	CMD_STRING(0, "proc-root", struct identify_opts, proc_root, "DIR",
		   "read DIR instead of /proc: a saved copy, or the host's in a container"),
	CMD_STRING_PRESET(0, "libvirt", struct identify_opts, libvirt, "URI", "auto",
			  "ask libvirt at URI, read only; auto: its state files or its daemon; "
			  "off: neither"),
	CMD_STRING(0, "libvirt-state", struct identify_opts, libvirt_state, "DIR",
		   "read libvirt's XML files from DIR instead of /run/libvirt/qemu"),
	CMD_STRING(0, "state-root", struct identify_opts, state_root, "DIR",
		   "read the state files of container runtimes below DIR instead of /"),
	CMD_UINT(0, "timeout", struct identify_opts, timeout_ms, "MS", "5000",
		 "stop after MS milliseconds with partial results"),
	CMD_CHOICE(0, "format", struct identify_opts, format, "FORMAT", formats, "csv",
		   "output format: csv (a mapping file) or json"),
	CMD_CHOOSE("json", struct identify_opts, format, formats, "the same as --format json"),
	OPENSTACK_OPTIONS(struct identify_opts, openstack),
	OPTIONS_READ,
	CMD_OPTIONS_END,
};

/* Do not print control characters to a terminal: names are untrusted. */
static void show_lines(struct sink *out, const char *text, size_t len)
{
	while (len) {
		const char *nl = memchr(text, '\n', len);
		size_t n = nl ? (size_t)(nl - text) : len;

		escape_terminal(out, text, n);
		sink_putc(out, '\n');
		n += nl != NULL;
		text += n;
		len -= n;
	}
}

/* --- results --- */

static void vm_row(struct json *j, const struct host_vm *vm)
{
	json_open(j, NULL, '{', false);
	json_i64(j, "pid", vm->pid);
	json_text(j, "vmm", vm->vmm);
	json_text(j, "instance", vm->instance);
	json_text(j, "uuid", vm->uuid);
	json_text(j, "name", vm->name);
	json_text(j, "title", vm->title);
	json_text(j, "project", vm->project);
	json_text(j, "flavor", vm->flavor);
	json_text(j, "unit", vm->unit);
	json_bool(j, "libvirt", vm->libvirt);
	json_u64(j, "vcpus", vm->vcpus);
	json_u64(j, "threads", vm->threads);
	json_u64(j, "unnamed", vm->unnamed);
	json_close(j);
}

static void thread_row(struct json *j, const struct cdict_label *l)
{
	json_open(j, NULL, '{', false);
	json_i64(j, "tid", l->tid);
	json_i64(j, "pid", l->pid);
	if (l->start_ns)
		json_u64(j, "start_ns", l->start_ns);
	else
		json_null(j, "start_ns");
	json_text(j, "role", l->role);
	json_text(j, "name", l->name);
	json_text(j, "group", l->group);
	json_text(j, "group_type", l->group_type);
	json_text(j, "instance", l->instance);
	json_text(j, "uuid", l->uuid);
	json_text(j, "project", l->project);
	json_text(j, "unit", l->unit);
	json_text(j, "cgroup", l->cgroup);
	json_text(j, "origin", label_text_origin(l->origin));
	json_close(j);
}

static int by_tid(const void *a, const void *b)
{
	const struct cdict_label *const *x = a, *const *y = b;

	return ((*x)->tid > (*y)->tid) - ((*x)->tid < (*y)->tid);
}

/* Writes the VMs and their threads as one JSON document. */
static int write_json(struct sink *s, const struct mapping *m, const struct host_report *report,
		      struct cdict_error *err)
{
	const struct cdict_label **rows = malloc((m->n + 1) * sizeof(const struct cdict_label *));
	const char *host = "";
	struct cdict_label one;
	size_t n = 0;
	struct json j;

	if (!rows)
		return cdict_fail_nomem(err);
	/* Every thread has exactly one label of this origin. */
	for (size_t i = 0; i < m->n; i++) {
		if (m->labels[i].origin != CDICT_LABEL_PROC)
			continue;
		rows[n++] = &m->labels[i];
		host = m->labels[i].host;
	}
	qsort(rows, n, sizeof(const struct cdict_label *), by_tid);
	json_init(&j, s);
	json_open(&j, NULL, '{', true);
	json_open(&j, "schema", '{', false);
	json_text(&j, "name", "cdict-identify");
	json_u64(&j, "version", 1);
	json_close(&j);
	json_text(&j, "host", host);
	json_bool(&j, "incomplete", report->incomplete);
	json_open(&j, "vms", '[', true);
	for (size_t i = 0; i < report->vms.n; i++)
		vm_row(&j, &report->vms.at[i]);
	json_close(&j);
	json_open(&j, "identify", '[', true);
	for (size_t i = 0; i < n; i++) {
		if (mapping_find(m, rows[i]->tid, rows[i]->start_ns, &one))
			thread_row(&j, &one);
	}
	json_close(&j);
	json_close(&j);
	free(rows);
	return 0;
}

/* The data to write. */
struct written {
	const struct mapping *m;
	const struct host_report *report;
	int format;
};

static int write_names(void *ctx, struct sink *s, struct cdict_error *err)
{
	const struct written *n = ctx;

	return n->format == IDENTIFY_JSON ? write_json(s, n->m, n->report, err)
					  : mapping_write_csv(n->m, s, err);
}

static int write_out(const struct cmd_call *call, struct written *names)
{
	const char *path = ((const struct identify_opts *)call->opts)->shared.output;
	struct cdict_error err = { 0 };
	struct sink s, shown;
	char *text;
	size_t len;
	int rc;

	if (path && strcmp(path, "-"))
		return cmd_output_write(call, path, names->m->n ? 0 : OUTFILE_EMPTY, write_names,
					names);
	sink_to_memory(&s);
	rc = write_names(names, &s, &err);
	text = sink_take(&s, &len);
	if (!rc && !text)
		rc = cdict_fail_nomem(&err);
	if (rc) {
		free(text);
		return cmd_error(call, NULL, &err);
	}
	sink_to_file(&shown, stdout);
	if (isatty(STDOUT_FILENO))
		show_lines(&shown, text, len);
	else
		sink_add(&shown, text, len);
	rc = sink_finish(&shown);
	free(text);
	return rc ? cmd_stdout_error(call, rc) : CMD_DONE;
}

static void print_report(const struct cmd_call *call, const struct host_report *report)
{
	struct sink s;
	char *text;

	sink_to_memory(&s);
	host_report_summary(report, &s);
	text = sink_take(&s, NULL);
	if (text)
		cmd_warn(call, NULL, "%s", text);
	free(text);
	for (size_t i = 0; i < report->notes.n; i++)
		cmd_warn(call, NULL, "%s", report->notes.at[i]);
}

static int identify_run(const struct cmd_call *call)
{
	const struct identify_opts *o = call->opts;
	struct host_options host = {
		.proc_root = o->proc_root,
		.libvirt = o->libvirt,
		.libvirt_state = o->libvirt_state,
		.state_root = o->state_root,
		.timeout_ms = o->timeout_ms > UINT32_MAX ? UINT32_MAX : (uint32_t)o->timeout_ms,
	};
	struct cdict_error err = { 0 };
	struct host_report report;
	struct mapping m = { 0 };
	struct openstack_ask *openstack;
	int status = CMD_DONE;

	if ((call->n_operands || o->shared.input) &&
	    (o->proc_root || o->libvirt_state || o->state_root))
		return cmd_usage(call, "a capture has no /proc, libvirt or runtimes to read");
	if (o->shared.output)
		status = cmd_output_check(call, NULL, o->shared.output);
	if (status == CMD_DONE)
		status = openstack_prepare(call, &o->openstack, &openstack);
	if (status != CMD_DONE)
		return status;
	if (call->n_operands || o->shared.input)
		status = identify_capture(call, &m, &report);
	else if (host_identify(&m, &host, &report, &err))
		status = cmd_error(call, NULL, &err);
	if (status == CMD_DONE) {
		/* missing names are only reported; a lack of memory is a failure */
		status = openstack_add(call, openstack, NULL, &m, &m) == -ENOMEM
				 ? CMD_FAILED
				 : write_out(call, &(struct written){ &m, &report, o->format });
	}
	if (status == CMD_DONE) {
		print_report(call, &report);
		status = report.incomplete ? CMD_DAMAGED : CMD_DONE;
	}
	host_report_fini(&report);
	mapping_fini(&m);
	openstack_free(openstack);
	return status;
}

static const struct cmd_example identify_examples[] = {
	{ "cdict identify -o map.csv", "name every thread of every VM of this host, as root" },
	{ "cdict annotate run.cdict --map map.csv", "and put the names into a recording" },
	{ "cdict identify --proc-root saved/proc --libvirt-state saved/qemu", "from saved files" },
	{ NULL, NULL },
};

const struct cmd cmd_identify = {
	.name = "identify",
	.brief = "find the VMs of this host and name all their threads",
	.operands = "[CAPTURE]",
	.about =
		"Finds every VM's process (of QEMU, Firecracker, Cloud Hypervisor, crosvm, kvmtool "
		"or StratoVirt) and gives each of its threads, and the kernel's threads that serve "
		"it, the VM's name and a role: vcpu0, emulator, iothread1, api, worker, vhost, "
		"kvm-pit, kvm-nx. Other processes get their systemd unit, container or pod. It reads /proc, "
		"control groups, libvirt and the files of container runtimes, changes nothing, and writes a "
		"mapping file for annotate and --map. Of a CAPTURE it lists the processes with threads that entered "
		"a guest, whatever their VMM: without a label they are called by their process.",
	.options = identify_options,
	.opts_size = sizeof(struct identify_opts),
	.max_operands = 1,
	.examples = identify_examples,
	.run = identify_run,
};
