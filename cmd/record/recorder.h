/* SPDX-License-Identifier: GPL-2.0-only */
/* recorder.h - one run of `cdict record` or `cdict flight run`. */
#ifndef CMD_RECORD_RECORDER_H
#define CMD_RECORD_RECORDER_H

#include "analyze/printing/reasons.h"
#include "base/memory/buf.h"
#include "capture/record/targets.h"
#include "cmd/record/record.h"

struct recorder {
	const struct cmd_call *call;
	struct record_names names;
	struct record_perf perf;
	struct record_push push;
	struct record_moment moment;
	struct analyze_reasons *reasons;
	struct buf cmdline;
	struct record_event *events;
	const struct record_options *options;
	const struct record_flight *flight; /* NULL: none */
	struct targets targets;
	struct record_span *spans;
	struct control control;
	struct record_meter meter;
	bool terminal; /* standard error is a terminal */
	char *stamped; /* output name with a time stamp */
	int status;
};

/* recorder_options - checks the options and fills @to, which borrows from @r; CDICT_EUSAGE, or
 * another code. */
int recorder_options(struct recorder *r, struct record_options *to, struct cdict_error *err);

#endif
