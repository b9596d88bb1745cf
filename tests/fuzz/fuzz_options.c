/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A command line, its words apart by NULs, the first byte the command: taken, or wrong usage with a
 * reason; its requests to a capture are refused with a reason, or within the capture.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text/cpulist.h"
#include "base/fail.h"
#include "capture/trigger/task_pattern.h"
#include "cmd/core/options.h"
#include "cmd/core/parse.h"
#include "cdict/writer.h"
#include "tests/fuzz/lib/limits.h"
#include "tests/unit/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct cmd cmd_annotate, cmd_convert, cmd_coremap, cmd_count, cmd_diff, cmd_exits,
	cmd_heatmap, cmd_identify, cmd_info, cmd_latency, cmd_record, cmd_report, cmd_script,
	cmd_stats, cmd_successors, cmd_sweep, cmd_switches, cmd_tasks, cmd_vcpu;
static const struct cmd *const commands[] = {
	&cmd_annotate, &cmd_convert,    &cmd_coremap, &cmd_diff,    &cmd_exits,
	&cmd_heatmap,  &cmd_identify,   &cmd_info,    &cmd_latency, &cmd_record,
	&cmd_report,   &cmd_script,     &cmd_stats,   &cmd_tasks,   &cmd_vcpu,
	&cmd_switches, &cmd_successors, &cmd_count,   &cmd_sweep,
};

enum { WORDS = 24 };

static void must(int so)
{
	if (!so)
		abort();
}

static int to_buf(void *ctx, const void *data, size_t size)
{
	buf_add(ctx, data, size);
	return 0;
}

/* A second of four CPUs. */
static struct cdict_reader *capture(void)
{
	static struct cdict_reader *r;
	static struct buf file;
	struct cdict_writer *w;
	uint8_t payload[64] = { 0 };
	struct trace tr;

	if (r)
		return r;
	trace_init(&tr, 4);
	must(!cdict_writer_open(&w, to_buf, &file, NULL) &&
	     !cdict_writer_schema(w, tr.schema, NULL));
	for (uint32_t i = 0; i <= 100; i++) {
		struct cdict_sample s = { .t_ns = 5000000000 + i * 10000000u, .cpu = i % 4 };

		must(!cdict_writer_event(w, &s, 0, payload, sizeof(payload), NULL));
	}
	must(!cdict_writer_finish(w, NULL));
	cdict_writer_close(w);
	trace_fini(&tr);
	must(!cdict_reader_parse(&r, file.data, file.len, NULL));
	return r;
}

static void ask(const struct options_shared *o)
{
	struct cdict_error err = { 0 };
	struct options_filter f;
	int rc = options_filter_init(&f, o, capture(), &err);

	must(!rc || (err.code == rc && err.text[0]));
	if (!rc && f.windows.n) {
		must(f.from_ns >= 5000000000 && f.to_ns <= 6000000000 && f.from_ns <= f.to_ns);
		for (size_t i = 0; i < f.windows.n; i++)
			must(f.windows.windows[i].from_ns <= f.windows.windows[i].to_ns &&
			     (!i ||
			      f.windows.windows[i - 1].to_ns <= f.windows.windows[i].from_ns));
		must(!f.marked || (f.clipped && f.windows.n <= f.markers.windows));
	}
	if (f.tasks)
		task_pattern_matches(f.tasks, "CPU 0/KVM");
	options_filter_fini(&f);
}

static void parse(const struct cmd *cmd, const char *const *words, size_t n)
{
	struct cdict_error err = { 0 };
	struct cmd_args args;
	int rc = cmd_parse(&args, cmd, words, &err);

	must(!rc || (rc == CDICT_EUSAGE && err.code == rc && err.text[0]));
	if (!rc && !args.help) {
		const struct options_shared *o = args.opts;

		must(args.n_operands <= n && !args.operands[args.n_operands]);
		for (size_t i = 0; i + 1 < o->tids.n; i++)
			must(o->tids.at[i] <= o->tids.at[i + 1]);
		must(o->cpus.n <= CPULIST_MAX);
		ask(o);
	}
	cmd_args_fini(&args, cmd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *words[WORDS + 1];
	size_t n = 0, at = 1;
	char *text;

	capture();
	limits_begin(size);
	if (size < 2)
		return 0;
	text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	while (n < WORDS && at < size) {
		/* each in memory of its own: a read past its end is noticed */
		words[n] = strdup(text + at);
		at += strlen(words[n++]) + 1;
	}
	words[n] = NULL;
	parse(commands[data[0] % (sizeof(commands) / sizeof(commands[0]))], words, n);
	limits_end();
	while (n)
		free((char *)(uintptr_t)words[--n]);
	free(text);
	return 0;
}
