/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict heatmap -o x.html: writes a page of cdict report with a single view. */
#include <string.h>

#include "cmd/heatmap/heatmap.h"
#include "cmd/input/input.h"
#include "cmd/report/report.h"

/* The view of the page for a view of cdict heatmap. */
static const char *page_view(const char *view)
{
	static const char *const names[][2] = {
		{ "vcpu", "vcpus" }, { "delays", "vcpus" }, { "vm", "vcpus" },
		{ "cpu", "tasks" },  { "kvm", "switches" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i][0], view))
			return names[i][1];
	}
	return view;
}

/* The page colours by VM, not by role. */
static const char *page_by(const char *by)
{
	return by && !strcmp(by, "role") ? "group" : by;
}

/* Options that do not apply to the page: it fits its window and has its own selection. */
static const char *senseless(const struct heatmap_opts *opts)
{
	if (opts->width)
		return "width";
	if (opts->height)
		return "height";
	if (opts->theme)
		return "theme";
	if (opts->shared.cpus.n)
		return "cpu";
	if (opts->shared.no_guest_mode)
		return "no-guest-mode";
	return opts->shared.append_tid ? "append-tid" : NULL;
}

int heatmap_page(const struct cmd_call *call, const char *view, const char *what, const char *by)
{
	const struct heatmap_opts *opts = call->opts;
	const struct page_view show = { .only = page_view(view),
					.what = what,
					.by = page_by(by),
					.fold = opts->rows == HEATMAP_ROWS_TASK ? NULL : "groups" };
	const char *file = input_file(call), *option = senseless(opts);
	struct report_capture c = { 0 };
	int status;

	if (option)
		return cmd_usage(call, "option --%s cannot be used with a page", option);
	status = cmd_output_check(call, NULL, opts->shared.output);
	if (!status)
		status = report_open(&c, call, file, opts->label);
	if (!status && !figures_any_task(&c.f))
		status = figures_no_task(&c.f);
	if (!status)
		status = report_write(call, opts->shared.output, &c, 1, &show, REPORT_EMBED_AUTO);
	if (!status)
		status = cmd_loss_status(call, file, c.f.reader, opts->shared.max_loss_pct);
	report_close(&c);
	return status;
}
