/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread converts the recording as cdict convert does, from the file or from a copy of the
 * pipe's data. perf's own thread passes it the data that only perf has: which samples pass perf's
 * filters, and call chains with their symbols.
 */
#include "plugin/session.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "annotate/csv.h"
#include "base/fail.h"
#include "base/memory/array.h"
#include "base/system/ending.h"
#include "base/system/outfile.h"
#include "base/text/plural.h"
#include "convert/stacks/chains.h"
#include "convert/convert.h"
#include "format/file/writer.h"
#include "plugin/args.h"
#include "plugin/handed.h"
#include "plugin/input.h"
#include "plugin/perf_abi.h"
#include "plugin/tidy.h"

struct session {
	const struct perf_dlfilter_fns *fns;
	struct args args;
	struct perf_args perf; /* filtered: store only samples that pass perf's filters */
	char *out;
	struct outfile *of;
	struct input input;
	struct mapping labels;
	struct handed *handed;
	/* used by perf's thread */
	bool failed; /* and the reason was printed */
	struct chains chains;
	uint64_t guest_early,
		guest_late; /* samples of guest mode before and after perf's filters */
	/* used by the converter until it is joined */
	pthread_t thread;
	bool running;
	atomic_bool dropped; /* the output will not be kept */
	struct convert_report report;
	struct cdict_error err;
	int ret;
};

static void log_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* One line on stderr. */
static void log_line(const char *fmt, ...)
{
	char line[1024];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	/* Names of files and events must not control the terminal. */
	for (char *p = line; n > 0 && *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	fprintf(stderr, "cdict-dlfilter: %s\n", line);
}

/* --- the converter --- */

/* Whether perf's thread passes such samples on. */
static bool is_handed(const struct session *s, bool chain)
{
	return s->perf.filtered || (s->args.stacks && chain);
}

static bool wanted(void *ctx, const struct convert_sample *key)
{
	struct session *s = ctx;
	bool stack = key->stored && key->chain && s->args.stacks;
	const struct handed_sample *got;

	if (!is_handed(s, key->chain) || (!s->perf.filtered && stack))
		return true;
	got = handed_take(s->handed, key->cpu, key->t_ns, key->config,
			  stack ? HANDED_WANTED : HANDED_BOTH);
	return !s->perf.filtered || (got && got->passed);
}

static uint32_t stack_of(void *ctx, const struct convert_sample *key)
{
	struct session *s = ctx;
	const struct handed_sample *got = NULL;

	if (key->chain)
		got = handed_take(s->handed, key->cpu, key->t_ns, key->config,
				  s->perf.filtered ? HANDED_STACK : HANDED_BOTH);
	return got ? got->stack : CDICT_NO_STACK;
}

/* Without an option for symbol files, perf resolves any recording with the running kernel's symbols:
 * then warn, and note it in the file. */
static int check_symbols(struct session *s, struct cdict_writer *w, const struct perfdata *pd,
			 struct cdict_error *err)
{
	const char *kernel = perfdata_features(pd)->osrelease;
	struct utsname uts;

	if (!s->chains.dict.stacks.n || !kernel || s->perf.symbols || uname(&uts) ||
	    !strcmp(kernel, uts.release))
		return 0;
	log_line("stacks have kernel symbols of %s, but the recording is from %s: use perf "
		 "script -k VMLINUX or --symfs DIR, or --dlarg stacks=0",
		 uts.release, kernel);
	return cdict_writer_info(w, "stacks.kernel", uts.release, err);
}

/* perf has finished: its samples are complete. */
static int finish_file(void *ctx, struct cdict_writer *w, const struct perfdata *pd,
		       struct cdict_error *err)
{
	struct session *s = ctx;
	int ret;

	if (!handed_wait(s->handed))
		return cdict_fail_nomem(err);
	ret = check_symbols(s, w, pd, err);
	return ret ? ret : format_writer_put_stacks(w, &s->chains.dict, err);
}

static int write_out(void *ctx, const void *data, size_t size)
{
	struct session *s = ctx;

	return s->dropped ? -ECANCELED : outfile_write(s->of, data, size);
}

static void *convert(void *ctx)
{
	struct session *s = ctx;
	const struct convert_beside beside = {
		.ctx = s,
		.filtered = s->perf.filtered,
		.wanted = wanted,
		.stack = s->args.stacks ? stack_of : NULL,
		.end = finish_file,
	};
	const struct convert_options opts = {
		.events = (const char *const *)s->args.events.at,
		.n_events = s->args.events.n,
		.jobs = 1, /* in addition to perf's own thread */
		.labels = &s->labels,
		.beside = &beside,
	};

	if (!s->input.pd)
		s->ret = perfdata_open_fd(&s->input.pd, s->input.fd, &s->err);
	if (!s->ret)
		s->ret = convert_run(s->input.pd, &opts, write_out, s, &s->report, &s->err);
	/* Closes the copy, not perf's input. */
	input_close_copy(&s->input);
	return NULL;
}

/* --- start --- */

/* "run.data" -> "run.cdict", as cdict convert does. */
static int name_output(struct session *s, struct cdict_error *err)
{
	const char *in = s->perf.input ? s->perf.input : "perf.data";
	size_t n = strlen(in);

	if (s->args.out) {
		s->out = strdup(s->args.out);
		return s->out ? 0 : cdict_fail_nomem(err);
	}
	if (!s->input.pd)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "input is a pipe: name the output with "
				  "--dlarg out=FILE");
	while (n > 1 && in[n - 1] == '/')
		n--;
	if (asprintf(&s->out, "%.*s.cdict", (int)ending_cut(in, n, ".data"), in) < 0) {
		s->out = NULL;
		return cdict_fail_nomem(err);
	}
	return 0;
}

static int open_output(struct session *s, struct cdict_error *err)
{
	struct outfile_options opts = { .path = s->out, .capture = true };
	ARRAY(const char *) inputs = { 0 };
	struct cdict_error why = { 0 };
	bool out = !strcmp(s->out, "-");
	int ret;

	if (out && s->args.print)
		return cdict_fail(
			err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			"cannot write both the cdict and perf's output to standard output");
	if (out && isatty(STDOUT_FILENO))
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "refusing to write a cdict to a terminal; use --dlarg out=FILE");
	ret = array_push(&inputs, s->perf.input ? s->perf.input : "perf.data");
	for (size_t i = 0; i < s->args.maps.n && !ret; i++)
		ret = array_push(&inputs, s->args.maps.at[i]);
	opts.inputs = inputs.at;
	opts.n_inputs = inputs.n;
	ret = ret ? cdict_fail_nomem(&why) : outfile_open(&s->of, &opts, &why);
	array_fini(&inputs);
	if (ret == CDICT_EUSAGE)
		return cdict_fail(err, ret, CDICT_NO_OFFSET, "%s", why.text);
	if (ret)
		return cdict_fail(err, ret, CDICT_NO_OFFSET, "%s: %s", s->out, why.text);
	tidy_begin(outfile_temporary(s->of));
	return 0;
}

static int read_labels(struct session *s, struct cdict_error *err)
{
	for (size_t i = 0; i < s->args.maps.n; i++) {
		struct cdict_error why = { 0 };
		int ret = mapping_read_csv(&s->labels, s->args.maps.at[i], NULL, NULL, &why);

		if (ret)
			return cdict_fail(err, ret, CDICT_NO_OFFSET, "%s: %s", s->args.maps.at[i],
					  why.text);
	}
	return 0;
}

static int start_thread(struct session *s, struct cdict_error *err)
{
	sigset_t all, old;

	/* perf's thread handles perf's signals; a pipe without a reader is an error here. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	s->running = !pthread_create(&s->thread, NULL, convert, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return s->running ? 0 : cdict_fail(err, -EAGAIN, CDICT_NO_OFFSET, "cannot start a thread");
}

static int set_up(struct session *s, void *ctx, struct cdict_error *err)
{
	int n = 0, ret;
	char **argv = s->fns->args ? s->fns->args(ctx, &n) : NULL;

	s->handed = handed_new();
	if (!s->handed)
		return cdict_fail_nomem(err);
	ret = args_parse(&s->args, argv, argv ? n : 0, err);
	if (!ret)
		ret = perf_args_read(&s->perf, err);
	if (!ret)
		ret = input_open(&s->input, &s->perf, err);
	if (!ret)
		s->args.stacks = s->args.stacks && input_may_have_chains(&s->input);
	if (!ret)
		ret = name_output(s, err);
	if (!ret)
		ret = read_labels(s, err);
	if (!ret)
		ret = open_output(s, err);
	return ret ? ret : start_thread(s, err);
}

/* Ends the converter: no more samples come from perf. */
static void join_converter(struct session *s)
{
	if (!s->running)
		return;
	handed_end(s->handed);
	tee_stop(s->input.tee);
	pthread_join(s->thread, NULL);
	s->running = false;
}

static void session_free(struct session *s)
{
	s->dropped = true;
	join_converter(s);
	tidy_end();
	outfile_abort(s->of);
	input_close(&s->input);
	mapping_fini(&s->labels);
	handed_free(s->handed);
	chains_fini(&s->chains);
	convert_report_fini(&s->report);
	args_fini(&s->args);
	perf_args_fini(&s->perf);
	free(s->out);
	free(s);
}

/* perf prints the text of an errno; cdict's own codes are not errnos. */
static int errno_for_perf(int ret)
{
	return ret > -1000 ? ret : -EINVAL;
}

int session_start(struct session **out, const struct perf_dlfilter_fns *fns, void *ctx)
{
	struct session *s = calloc(1, sizeof(*s));
	struct cdict_error err = { 0 };
	int ret;

	*out = NULL;
	if (!s) {
		log_line("out of memory");
		return -ENOMEM;
	}
	s->fns = fns;
	s->input.fd = -1;
	ret = set_up(s, ctx, &err);
	if (ret) {
		log_line("%s", err.text);
		session_free(s);
		return errno_for_perf(ret);
	}
	*out = s;
	return 0;
}

/* --- a sample --- */

/* Stops storing; perf continues. */
static void stop_storing(struct session *s, const char *why)
{
	s->failed = true;
	s->dropped = true;
	log_line("%s; nothing stored", why);
}

struct perf_asked {
	const struct perf_dlfilter_fns *fns;
	void *ctx;
};

/* perf resolves the symbol. */
static bool resolve(void *ctx, struct cdict_frame *f)
{
	const struct perf_asked *perf = ctx;
	struct perf_dlfilter_al al = { .size = sizeof(al) };

	if (perf->fns->resolve_address && !perf->fns->resolve_address(perf->ctx, f->address, &al)) {
		if (al.dso)
			f->object = al.dso;
		if (al.sym) {
			f->symbol = al.sym;
			f->offset = al.symoff;
		}
	}
	return true;
}

static uint32_t stack_in(struct session *s, const struct perf_dlfilter_sample *sample, void *ctx)
{
	struct perf_asked perf = { s->fns, ctx };
	struct chain chain = {
		.entries = sample->raw_callchain,
		.n = sample->raw_callchain ? sample->raw_callchain_nr : 0,
		.mode = sample->cpumode,
		.resolve = resolve,
		.ctx = &perf,
	};

	return chains_stack(&s->chains, &chain);
}

static void hand_sample(struct session *s, const struct perf_dlfilter_sample *sample, bool early,
			void *ctx)
{
	const struct perf_event_attr *attr;
	struct handed_sample to;

	if (s->fns->attr == NULL || sample->size < PERF_DLFILTER_SAMPLE_SIZE) {
		stop_storing(s, s->fns->attr
					? "samples are too short: needs perf of Linux 5.14 or later"
					: "this perf does not pass event attributes to filters");
		return;
	}
	attr = s->fns->attr(ctx);
	if (!attr || !is_handed(s, attr->sample_type & PERF_SAMPLE_CALLCHAIN))
		return;
	to = (struct handed_sample){
		.t_ns = sample->time,
		.cpu = sample->cpu < 0 ? CDICT_CPU_UNKNOWN : (uint32_t)sample->cpu,
		.config = (uint32_t)attr->config,
		.stack = CDICT_NO_STACK,
		.passed = !s->perf.filtered,
	};
	/* Without filters, stacks are taken early, before perf spends time on the samples and drops those of
	 * guest mode; with filters, only for samples that pass. */
	if (early && s->args.stacks && !s->perf.filtered)
		to.stack = stack_in(s, sample, ctx);
	if (early)
		handed_give(s->handed, &to);
	else if (s->perf.filtered)
		handed_passed(s->handed,
			      s->args.stacks ? stack_in(s, sample, ctx) : CDICT_NO_STACK);
}

static bool is_guest(uint8_t mode)
{
	return mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER;
}

int session_sample(struct session *s, const struct perf_dlfilter_sample *sample, void *ctx,
		   bool early)
{
	/* Leave samples out before perf's own filters, or after them. */
	int pass = s->args.print || (early && s->perf.filtered) ? 0 : 1;

	if (s->failed || (!s->perf.filtered && !s->args.stacks))
		return pass;
	hand_sample(s, sample, early, ctx);
	if (s->perf.filtered && !s->failed && is_guest(sample->cpumode)) {
		s->guest_early += early;
		s->guest_late += !early;
	}
	return pass;
}

/* --- stop --- */

static void log_result(const struct session *s, bool written)
{
	const struct convert_report *r = &s->report;
	uint64_t dropped = s->guest_early - s->guest_late;

	if (r->damaged)
		log_line("%s: input is damaged: %s; the readable part was kept", s->input.from,
			 r->damage);
	if (s->chains.full)
		log_line("too many distinct stacks: some are left out");
	if (dropped)
		log_line("%s host event%s that fired while a guest was entered %s left out%s",
			 GROUPED(dropped), dropped == 1 ? "" : "s", dropped == 1 ? "is" : "are",
			 s->perf.guest_code ? " by perf script's options"
					    : ": perf script drops them without --guest-code");
	if (!r->events)
		log_line("%s %s", s->input.from, r->missing);
	if (!s->args.quiet && written)
		fprintf(stderr,
			"[ cdict-dlfilter: %s event%s of %s type%s kept in %s, %" PRIu64
			" bytes, %s stack%s, %s lost ]\n",
			GROUPED(r->events), r->events == 1 ? "" : "s", GROUPED(r->types),
			r->types == 1 ? "" : "s", s->out, r->bytes_out,
			GROUPED(s->chains.dict.stacks.n), s->chains.dict.stacks.n == 1 ? "" : "s",
			GROUPED(r->lost));
}

int session_stop(struct session *s)
{
	struct outfile *of = s->of;
	sigset_t signals;
	int ret;

	join_converter(s);
	ret = s->failed ? -ECANCELED : s->ret;
	if (!ret && s->chains.out_of_memory)
		ret = cdict_fail_nomem(&s->err);
	if (!input_close(&s->input) && !ret)
		ret = cdict_fail_nomem(&s->err);
	tidy_hold_pipe(&signals);
	if (!ret) {
		s->of = NULL;
		ret = outfile_commit(of, s->report.events ? 0 : OUTFILE_EMPTY, &s->err);
	}
	tidy_release_pipe(&signals);
	if (ret)
		log_line("%s: not written%s%s", s->out, s->failed ? "" : ": ",
			 s->failed ? "" : s->err.text);
	if (!ret || ret == CDICT_ENOEVENTS) /* prints why it is empty */
		log_result(s, !ret);
	session_free(s);
	return errno_for_perf(ret);
}

void session_drop(struct session *s)
{
	session_free(s);
}
