/* SPDX-License-Identifier: GPL-2.0-only */
/* The start of a run, and its end: the output file and what is said of it. */
#include "plugin/session.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "annotate/csv.h"
#include "base/fail.h"
#include "ingest/info.h"
#include "plugin/session_internal.h"
#include "plugin/tidy.h"

void session_say(const struct session *s, const char *fmt, ...)
{
	char line[1024];
	va_list ap;
	int n;

	(void)s;
	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	/* Names of files and events are not to steer a terminal. */
	for (char *p = line; n > 0 && *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	fprintf(stderr, "cdict-dlfilter: %s\n", line);
}

/* --- start --- */

/* "run.data" -> "run.cdict", as convert names it. */
static int name_output(struct session *s, struct cdict_error *err)
{
	const char *in = s->perf.input ? s->perf.input : "perf.data";
	size_t n = strlen(in);
	bool piped = !strcmp(in, "-") || !s->input.path;

	if (s->args.out) {
		s->out = strdup(s->args.out);
		return s->out ? 0 : cdict_fail_nomem(err);
	}
	if (piped)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "the recording comes through a pipe: give the output's name, "
				  "--dlarg out=FILE");
	while (n > 1 && in[n - 1] == '/')
		n--;
	if (n > 5 && !strncmp(in + n - 5, ".data", 5))
		n -= 5;
	if (asprintf(&s->out, "%.*s.cdict", (int)n, in) < 0) {
		s->out = NULL;
		return cdict_fail_nomem(err);
	}
	return 0;
}

static int check_output(const struct session *s, struct cdict_error *err)
{
	if (strcmp(s->out, "-"))
		return 0;
	if (s->args.print)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "standard output cannot have the cdict and what perf prints");
	if (isatty(STDOUT_FILENO))
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "a cdict is not for a terminal: give --dlarg out=FILE");
	return 0;
}

static int write_labels(struct session *s, struct cdict_error *err)
{
	struct mapping m = { 0 };
	int ret = 0;

	for (size_t i = 0; i < s->args.maps.n && !ret; i++) {
		struct cdict_error why = { 0 };

		ret = mapping_read_csv(&m, s->args.maps.at[i], NULL, NULL, &why);
		if (ret)
			cdict_fail(err, ret, CDICT_NO_OFFSET, "%s: %s", s->args.maps.at[i],
				   why.text);
	}
	for (size_t i = 0; i < m.n && !ret; i++)
		ret = cdict_writer_label(s->w, &m.labels[i], err);
	mapping_fini(&m);
	return ret;
}

/* What could not be read is told at the end. */
static int put(void *ctx, struct store_item *item, struct cdict_error *err)
{
	struct session *s = ctx;

	if (item->bad.count)
		buf_add(&s->bad_rows, &item->bad, sizeof(item->bad));
	return store_write(s->w, item, err);
}

/* Samples in this machine's form, which are copied. */
static int make_ingest(struct session *s, struct cdict_error *err)
{
	static const struct store_ops ops = { .put = put };
	struct ingest_options opts = { .stacks = &s->chains.dict };

	opts.store = s->store = store_new(&ops, s);
	ingest_init(&s->ingest, &opts);
	s->ingest.source = (struct source){
		.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.copy = true,
		.stacks = true,
	};
	return s->store ? 0 : cdict_fail_nomem(err);
}

static int open_output(struct session *s, struct cdict_error *err)
{
	struct cdict_error why = { 0 };
	int ret = check_output(s, err);

	if (ret)
		return ret;
	ret = outfile_open(&s->of, s->out, &why);
	if (ret)
		return cdict_fail(err, ret, CDICT_NO_OFFSET, "%s: %s", s->out, why.text);
	tidy_begin(outfile_temporary(s->of));
	ret = cdict_writer_open(&s->w, outfile_write, s->of, &why);
	if (ret)
		return cdict_fail(err, ret, CDICT_NO_OFFSET, "%s: %s", s->out, why.text);
	return write_labels(s, err);
}

static int begin(struct session *s, void *ctx, struct cdict_error *err)
{
	int n = 0, ret;
	char **argv = s->fns->args ? s->fns->args(ctx, &n) : NULL;

	ret = make_ingest(s, err);
	if (!ret)
		ret = args_parse(&s->args, argv, argv ? n : 0, err);
	if (!ret)
		ret = perf_args_read(&s->perf, err);
	if (ret)
		return ret;
	/* With filters the samples that pass them are taken; without, all, before perf
	 * spends time on them and drops those of guest mode. */
	s->early = !s->perf.filtered;
	formats_init(&s->types, (const char *const *)s->args.events.at, s->args.events.n);
	ret = input_open(&s->input, &s->perf, s->args.tracefs, err);
	if (!ret)
		ret = name_output(s, err);
	if (!ret)
		ret = open_output(s, err);
	if (!ret && *s->input.why_not)
		session_say(s,
			    "%s: the recording is not read along, tasks and losses are not known",
			    s->input.why_not);
	return ret;
}

static void session_free(struct session *s)
{
	tidy_end();
	outfile_abort(s->of);
	ingest_fini(&s->ingest);
	store_free(s->store);
	cdict_writer_close(s->w);
	formats_fini(&s->types);
	input_close(&s->input);
	chains_fini(&s->chains);
	for (size_t i = 0; i < s->unstored.n; i++)
		free(s->unstored.at[i].name);
	array_fini(&s->unstored);
	buf_fini(&s->record);
	buf_fini(&s->bad_rows);
	args_fini(&s->args);
	perf_args_fini(&s->perf);
	free(s->out);
	free(s);
}

int session_start(struct session **out, const struct perf_dlfilter_fns *fns, void *ctx)
{
	struct session *s = calloc(1, sizeof(*s));
	struct cdict_error err = { 0 };
	sigset_t signals;
	int ret;

	*out = NULL;
	if (!s) {
		session_say(NULL, "out of memory");
		return -ENOMEM;
	}
	s->fns = fns;
	tidy_hold_pipe(&signals);
	ret = begin(s, ctx, &err);
	tidy_release_pipe(&signals);
	if (ret) {
		session_say(s, "%s", err.text);
		session_free(s);
		/* perf prints what it knows of an errno, and it knows none of ours. */
		return ret > -1000 ? ret : -EINVAL;
	}
	*out = s;
	return 0;
}

/* --- stop --- */

/* Without the recording itself: what came here, and who says so. */
static int write_alone(struct session *s, struct cdict_error *err)
{
	struct info_pairs pairs = { .w = s->w, .err = err };
	const struct info_recorder recorder = {
		.scope.foreign = store_foreign(store_counts(s->store)),
	};
	int ret;

	info_begin(&pairs, &(struct info_host){ 0 }, &recorder);
	ret = pairs.failed;
	for (size_t i = 0; i < s->unstored.n && !ret; i++)
		if (s->unstored.at[i].count)
			ret = cdict_writer_unstored(s->w, s->unstored.at[i].name,
						    s->unstored.at[i].count, err);
	return ret;
}

static int write_along(struct session *s, struct convert_report *r, struct cdict_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < s->unstored.n && !ret; i++)
		if (s->unstored.at[i].count)
			ret = along_unstored(s->input.along, s->unstored.at[i].name,
					     s->unstored.at[i].count, err);
	return ret ? ret : along_write(s->input.along, s->w, s->store, r, err);
}

static int write_strings(struct session *s, struct cdict_error *err)
{
	const struct cdict_schema *schema = s->types.schema;
	char *running = NULL;
	const char *text;
	int ret = 0;

	if (!schema || !formats_need_strings(schema))
		return 0;
	text = s->input.along ? along_tracing(s->input.along)->printk
			      : (running = input_strings(&s->input));
	if (text)
		ret = cdict_writer_info(s->w, "trace.strings", text, err);
	free(running);
	return ret;
}

/* perf takes the running kernel's symbols for those of any recording, if nobody tells it
 * where better ones are: then the file and the user are told. */
static int check_symbols(struct session *s, struct cdict_error *err)
{
	const char *kernel = s->input.along ? along_kernel(s->input.along) : NULL;
	struct utsname uts;

	if (!s->chains.dict.stacks.n || !kernel || s->perf.symbols || uname(&uts) ||
	    !strcmp(kernel, uts.release))
		return 0;
	session_say(s,
		    "kernel symbols of the stacks are those of %s, the recording is of %s: perf "
		    "script -k VMLINUX or --symfs DIR gives the right ones, --dlarg stacks=0 none",
		    uts.release, kernel);
	return cdict_writer_info(s->w, "stacks.kernel", uts.release, err);
}

static int write_losses(struct session *s, struct cdict_error *err)
{
	struct rows rows = { .losses = s->bad_rows };
	int ret;

	s->bad_rows = (struct buf){ 0 };
	ret = ingest_losses(&s->ingest, &rows, err);
	if (!ret)
		ret = rows_write(&rows, s->w, err);
	rows_fini(&rows);
	return ret;
}

static int write_rest(struct session *s, struct convert_report *r, struct cdict_error *err)
{
	int ret = s->ingest.encode ? ingest_cut(&s->ingest, err) : 0;

	if (!ret)
		ret = ingest_wait(&s->ingest, err);
	input_finish(&s->input);
	if (!ret)
		ret = write_strings(s, err);
	if (!ret)
		ret = check_symbols(s, err);
	if (!ret)
		ret = write_losses(s, err);
	if (!ret)
		ret = s->input.along ? write_along(s, r, err) : write_alone(s, err);
	return ret ? ret : cdict_writer_finish(s->w, err);
}

static void say_result(const struct session *s, const struct convert_report *r, uint64_t bytes)
{
	uint64_t n = store_counts(s->store)->events, dropped = s->guest_early - s->guest_late;

	if (r->damaged)
		session_say(s, "%s: input is damaged: %s; what perf handed out was kept",
			    s->input.from, r->damage);
	if (s->bad)
		session_say(s,
			    "%" PRIu64 " samples without fields or with an unbelievable CPU are "
			    "left out",
			    s->bad);
	if (s->chains.full)
		session_say(s, "there are more stacks than a cdict may have: some are left out");
	if (!s->early && dropped)
		session_say(s,
			    "%" PRIu64 " host events that fired while a guest was entered are left "
			    "out%s",
			    dropped,
			    s->perf.guest_code ? " by perf script's options"
					       : ": perf script drops them without --guest-code");
	if (!n)
		session_say(s, "no event of the wanted kind came: %s has none", s->out);
	if (s->args.quiet)
		return;
	fprintf(stderr,
		"[ cdict-dlfilter: %" PRIu64 " events of %zu types kept in %s, %" PRIu64
		" bytes, %u stacks, formats from %s",
		n, s->types.schema ? cdict_schema_count(s->types.schema) : 0, s->out, bytes,
		s->chains.dict.stacks.n, s->input.from);
	if (s->input.along)
		fprintf(stderr, ", %" PRIu64 " lost", r->lost);
	fprintf(stderr, " ]\n");
}

int session_stop(struct session *s)
{
	struct convert_report result = { 0 };
	struct cdict_error err = { 0 };
	uint64_t bytes = 0;
	sigset_t signals;
	int ret = s->failed ? -ECANCELED : 0;

	tidy_hold_pipe(&signals);
	if (!ret) {
		ret = write_rest(s, &result, &err);
		bytes = cdict_writer_bytes(s->w);
	}
	if (!ret) {
		struct outfile *of = s->of;

		s->of = NULL;
		ret = outfile_commit(of, false, &err);
	}
	tidy_release_pipe(&signals);
	if (ret)
		session_say(s, "%s is not written%s%s", s->out, err.code ? ": " : "", err.text);
	else
		say_result(s, &result, bytes);
	convert_report_fini(&result);
	session_free(s);
	return ret > -1000 ? ret : -EINVAL;
}

void session_drop(struct session *s)
{
	session_free(s);
}
