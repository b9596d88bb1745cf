// SPDX-License-Identifier: GPL-2.0-only
/* cdict join: adds recordings of guests to that of their host. */
#include <unistd.h>

#include "annotate/apply.h"
#include "base/system/outfile.h"
#include "cmd/input/input.h"
#include "cmd/input/maps.h"
#include "cmd/tables/guests.h"
#include "format/labels/label_index.h"
#include "tables/columns/loss.h"

struct join_opts {
	struct options_shared shared;
	const char *clock;
};

static int write_both(const struct guest_files *g, const struct cdict_reader *host)
{
	const struct join_opts *o = g->call.opts;
	struct outfile_options how = { .path = o->shared.output,
				       .capture = true,
				       .inputs = (const char *const *)g->files.at,
				       .n_inputs = g->files.n };
	struct cdict_error err = { 0 };
	struct outfile *of;
	int status = cmd_output_open(&of, &g->call, NULL, &how);

	if (status)
		return status;
	if (apply_guests(host, outfile_write, of, &err) < 0) {
		cmd_output_abort(of);
		return cmd_error(&g->call, o->shared.output, &err);
	}
	return cmd_output_commit(&g->call, o->shared.output, of, OUTFILE_SYNC);
}

/* The names of the host's file and of --map: they say which process is which VM. */
static int open_labels(struct label_index **out, const struct cmd_call *call, const char *file,
		       struct cdict_reader *host)
{
	const struct join_opts *o = call->opts;
	struct cdict_error err = { 0 };
	struct mapping more = { 0 };
	int status = maps_read(&more, call, &o->shared);

	if (!status && label_index_new(out, host, false, &more, &err))
		status = cmd_error(call, file, &err);
	mapping_fini(&more);
	return status;
}

static int join_run(const struct cmd_call *call)
{
	const struct join_opts *o = call->opts;
	struct label_index *labels = NULL;
	struct cdict_error err = { 0 };
	struct cdict_reader *host = NULL;
	struct guest_files g;
	const char *file;
	int status = guest_files_init(&g, call);

	if (!status && !o->shared.output)
		status = cmd_usage(call, "needs -o FILE");
	if (!status && !strcmp(o->shared.output, "-") && isatty(STDOUT_FILENO))
		status = cmd_usage(call,
				   "cannot write a cdict to a terminal: use -o FILE or a pipe");
	if (!status && (!g.files.n || g.call.n_operands != 1))
		status = cmd_usage(call, "needs a host's recording, and guests as VM=FILE");
	file = status ? NULL : g.call.operands[0];
	if (!status && cdict_reader_open(&host, file, &err))
		status = cmd_error(call, file, &err);
	if (!status)
		status = open_labels(&labels, &g.call, file, host);
	if (!status)
		status = guest_files_join(&g, host, file, labels, o->clock);
	if (!status)
		status = write_both(&g, host);
	if (!status)
		status = cmd_loss_status(&g.call, file, host, o->shared.max_loss_pct);
	label_index_free(labels);
	cdict_reader_close(host);
	guest_files_fini(&g);
	return status;
}

static const struct cmd_option join_options[] = {
	OPTION_OUTPUT,    OPTION_CLOCK(struct join_opts, clock),
	OPTIONS_MAP,      OPTION_MAX_LOSS,
	OPTIONS_MESSAGES, CMD_OPTIONS_END,
};

static const struct cmd_example join_examples[] = {
	{ "cdict join host.cdict instance-0000001c=guest.cdict -o both.cdict",
	  "put the guest's recording into a copy of the host's" },
	{ "cdict join host.cdict =guest1.cdict =guest2.cdict -o both.cdict",
	  "find the VM of each guest by its UUID" },
	{ "cdict vm instance-0000001c both.cdict --inside", "where the time of its tasks went" },
	{ NULL, NULL },
};

const struct cmd cmd_join = {
	.name = "join",
	.brief = "put recordings of guests into the one of their host, on one clock",
	.operands = "HOST [VM]=GUEST...",
	.about =
		"Guest and host were recorded at the same time. The output has the host's recording, "
		"unchanged, and each guest's with the VM it belongs to and its clock: how its time "
		"becomes the host's, and by how much that may be wrong. 'cdict vm NAME --inside', "
		"'cdict tasks --guest' and 'cdict latency --guest' then show what kept the guest's "
		"tasks waiting; these commands also take VM=GUEST themselves. Without a VM's name, "
		"'=GUEST', it is found by the guest's UUID.",
	.options = join_options,
	.opts_size = sizeof(struct join_opts),
	.min_operands = 2,
	.max_operands = 256,
	.examples = join_examples,
	.run = join_run,
};
