// SPDX-License-Identifier: GPL-2.0-only
/* cdict annotate: names the tasks of a cdict. */
#include "cmd/names/annotate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "annotate/anonymize.h"
#include "annotate/apply.h"
#include "base/system/outfile.h"
#include "base/text/plural.h"
#include "tables/columns/loss.h"
#include "cmd/input/input.h"
#include "cmd/input/maps.h"
#include "format/file/guests.h"

/* Adds OpenStack's names for the VMs in the file's labels and --map. If it cannot be queried, the
 * rest still proceeds; if nothing else was requested, it is a failure. */
static int annotate_openstack(struct mapping *more, const struct cdict_reader *r,
			      const struct cmd_call *call)
{
	const struct annotate_opts *o = call->opts;
	struct mapping known = { 0 };
	struct cdict_error err = { 0 };
	struct openstack_ask *ask;
	int rc = 0, status = openstack_prepare(call, &o->openstack, &ask);

	if (status != CMD_DONE || !ask)
		return status;
	if ((!o->clear && label_index_reader(&known, r, &err)) ||
	    mapping_add_all(&known, more, &err))
		status = cmd_error(call, NULL, &err);
	else
		rc = openstack_add(call, ask, cdict_reader_info(r, "host.name"), &known, more);
	if (rc == -ENOMEM || (rc && !o->shared.maps.n && !o->clear && !o->anonymize))
		status = CMD_FAILED;
	mapping_fini(&known);
	openstack_free(ask);
	return status;
}

static int write_file(const struct cmd_call *call, const char *file, const char *output,
		      const struct cdict_reader *r, const struct mapping *labels)
{
	const struct annotate_opts *o = call->opts;
	struct cdict_error err = { 0 };
	struct outfile *of = NULL;
	int rc;

	rc = cmd_output_open(&of, call, NULL,
			     &(struct outfile_options){ .path = output,
							.capture = true,
							.in_place = !o->shared.output });
	if (rc)
		return rc;
	rc = o->anonymize ? anonymize_write(r, labels, o->anonymize_key, outfile_write, of, &err)
			  : apply_labels(r, labels, o->clear, outfile_write, of, &err);
	if (rc < 0) {
		cmd_output_abort(of);
		/* Blame the output for a failed write, the input for anything else. */
		return cmd_error(call, err.code > -1000 ? output : file, &err);
	}
	return cmd_output_commit(call, output, of, OUTFILE_SYNC);
}

static int annotate(const struct cmd_call *call, const char *file, const char *output,
		    struct cdict_reader *r)
{
	const struct annotate_opts *o = call->opts;
	struct annotate_report report = { 0 };
	struct mapping more = { 0 }, old = { 0 };
	struct label_index *labels = NULL;
	struct cdict_error err = { 0 };
	size_t rows;
	/* A map of another host is a mistake; servers of other hosts in OpenStack's answer are
	 * not. */
	bool foreign_matters = o->shared.maps.n && !o->openstack.on;
	int status = maps_read(&more, call, &o->shared);

	if (!status)
		status = annotate_openstack(&more, r, call);
	rows = more.n; /* label_index_new() takes them */
	if (!status && !o->clear && label_index_reader(&old, r, &err))
		status = cmd_error(call, file, &err);
	if (!status && label_index_new(&labels, r, o->clear, &more, &err))
		status = cmd_error(call, file, &err);
	if (!status && (!call->quiet || foreign_matters))
		status = annotate_look(&report, call, file, r, labels, old.n);
	if (!status && foreign_matters && annotate_foreign(&report, rows))
		status = cmd_errorf(call, file,
				    "none of the %s task%s of --map is in the capture; nothing was "
				    "written: %s",
				    GROUPED(rows), rows == 1 ? "" : "s", report.unmatched_text);
	if (!status)
		status = write_file(call, file, output, r, label_index_mapping(labels));
	if (!status && o->anonymize && reader_guest_count(r))
		cmd_warn(
			call, file,
			"the recordings of %s guest%s are left out: anonymize them before 'cdict join'",
			GROUPED(reader_guest_count(r)), reader_guest_count(r) == 1 ? "" : "s");
	if (!status)
		annotate_report_print(&report, call, file, rows);
	if (!status)
		status = cmd_loss_status(call, file, r, o->shared.max_loss_pct);
	annotate_report_fini(&report);
	label_index_free(labels);
	mapping_fini(&more);
	mapping_fini(&old);
	return status;
}

/* Whether @path can be replaced by a new file of that name. */
static bool replaceable(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && !(stat(path, &st) == 0 && !S_ISREG(st.st_mode));
}

static int annotate_run(const struct cmd_call *call)
{
	const struct annotate_opts *o = call->opts;
	const char *file = input_file(call);
	const char *output = o->shared.output ? o->shared.output : file;
	struct cdict_error err = { 0 };
	struct cdict_reader *r;
	int status;

	if (!o->shared.maps.n && !o->openstack.on && !o->clear && !o->anonymize)
		return cmd_usage(call, "needs --map CSV, --openstack, --clear or --anonymize");
	if (o->anonymize_key && !o->anonymize)
		return cmd_usage(call, "option --anonymize-key needs --anonymize");
	if (!o->shared.output && !replaceable(file))
		return cmd_usage(call, "'%s' cannot be changed in place: give -o FILE", file);
	if (!strcmp(output, "-") && isatty(STDOUT_FILENO))
		return cmd_usage(call, "cannot write a cdict to a terminal: use -o FILE or a pipe");
	if (cdict_reader_open(&r, file, &err))
		return cmd_error(call, file, &err);
	status = annotate(call, file, output, r);
	cdict_reader_close(r);
	return status;
}

static const struct cmd_option annotate_options[] = {
	OPTION_INPUT,
	OPTION_OUTPUT,
	OPTIONS_MAP,
	CMD_FLAG(0, "clear", struct annotate_opts, clear, "first remove the labels of the file"),
	CMD_FLAG(0, "anonymize", struct annotate_opts, anonymize,
		 "replace names, comms, host and command line by pseudonyms"),
	CMD_STRING(0, "anonymize-key", struct annotate_opts, anonymize_key, "FILE",
		   "derive pseudonyms from the secret in FILE, so that names cannot be guessed"),
	OPENSTACK_OPTIONS(struct annotate_opts, openstack),
	OPTION_MAX_LOSS,
	OPTIONS_MESSAGES,
	CMD_OPTIONS_END,
};

static const struct cmd_example annotate_examples[] = {
	{ "cdict annotate run.cdict --map tmap.csv", "name the tasks, in place" },
	{ "cdict annotate run.cdict --clear --map new.csv -o other.cdict",
	  "other names, in another file" },
	{ "cdict annotate run.cdict --anonymize -o shared.cdict", "a copy that may be shared" },
	{ NULL, NULL },
};

const struct cmd cmd_annotate = {
	.name = "annotate",
	.brief = "name the tasks of a cdict: VM, role, group",
	.operands = "[FILE]",
	.about =
		"Writes labels into FILE: in place (the file is replaced at once, or not at all), "
		"or into -o. Existing labels stay; a new label for the same task replaces the "
		"fields that it sets. A mapping file has the columns tid, libvirt-instance, role, "
		"uuid, group-type, group-id, task-name; all but the first may be empty. Events and "
		"comms are not changed.",
	.options = annotate_options,
	.opts_size = sizeof(struct annotate_opts),
	.max_operands = 1,
	.examples = annotate_examples,
	.run = annotate_run,
};
