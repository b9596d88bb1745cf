/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output files and signals: temporary files are removed when SIGINT, SIGTERM, SIGHUP or SIGPIPE
 * ends the program. A handler can only use global state; this is the only place with some.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory/array.h"
#include "base/system/outdir.h"
#include "base/system/outfile.h"
#include "base/text/sink.h"
#include "cmd/core/options.h"
#include "cmd/input/source_kinds.h"

#define OPEN_MAX_FILES 16

static struct {
	volatile sig_atomic_t used;
	char name[PATH_MAX];
} temporaries[OPEN_MAX_FILES];

static struct {
	volatile sig_atomic_t used;
	int dir;
	char name[NAME_MAX + 1];
} temporary_folder;

static const int fatal_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGXCPU };
#define N_FATAL (sizeof(fatal_signals) / sizeof(fatal_signals[0]))

static void on_fatal_signal(int sig)
{
	for (size_t i = 0; i < OPEN_MAX_FILES; i++) {
		if (temporaries[i].used)
			unlink(temporaries[i].name);
	}
	if (temporary_folder.used)
		outdir_remove(temporary_folder.dir, temporary_folder.name);
	/* SA_RESETHAND has restored the default action: end by the signal itself */
	raise(sig);
}

static void install_handlers(void)
{
	static bool installed;

	if (installed)
		return;
	installed = true;
	for (size_t i = 0; i < N_FATAL; i++) {
		struct sigaction now,
			want = { .sa_handler = on_fatal_signal, .sa_flags = SA_RESETHAND };

		/* signals that the parent ignores (nohup), or the command handles, keep their
		 * action */
		if (!sigaction(fatal_signals[i], NULL, &now) && now.sa_handler == SIG_DFL)
			sigaction(fatal_signals[i], &want, NULL);
	}
}

static void block_signals(sigset_t *old)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < N_FATAL; i++)
		sigaddset(&set, fatal_signals[i]);
	pthread_sigmask(SIG_BLOCK, &set, old);
}

static void remember(const char *name)
{
	if (!name || strlen(name) >= PATH_MAX)
		return;
	for (size_t i = 0; i < OPEN_MAX_FILES; i++) {
		if (!temporaries[i].used) {
			strcpy(temporaries[i].name, name);
			temporaries[i].used = 1;
			return;
		}
	}
}

static void forget(const char *name)
{
	for (size_t i = 0; name && i < OPEN_MAX_FILES; i++) {
		if (temporaries[i].used && !strcmp(temporaries[i].name, name))
			temporaries[i].used = 0;
	}
}

/* Collects the files named on the command line, except by -o. */
static int inputs_of(struct cmd_list *in, const struct cmd_call *call, const char *input)
{
	const struct options_shared *shared = call->opts;
	int rc = input ? array_push(in, input) : 0;

	for (size_t i = 0; i < call->n_operands && !call->cmd->operands_end_options && !rc; i++)
		rc = array_push(in, call->operands[i]);
	for (const struct cmd_option *o = call->cmd->options; o->kind != CMD_OPT_END && !rc; o++) {
		const void *value = (const char *)call->opts + o->offset;
		const char *const *text = value;
		const struct cmd_list *list = value;

		if (value == &shared->output || !o->arg ||
		    (strcmp(o->arg, "FILE") && strcmp(o->arg, "CSV") && strcmp(o->arg, "DIR")))
			continue;
		if (o->kind == CMD_OPT_STRING && *text)
			rc = array_push(in, *text);
		for (size_t i = 0; o->kind == CMD_OPT_LIST && i < list->n && !rc; i++)
			rc = array_push(in, list->at[i]);
	}
	return rc;
}

int cmd_inputs(struct cmd_list *in, const struct cmd_call *call, const char *input,
	       struct outfile_options *opts)
{
	int rc = 0;

	*in = (struct cmd_list){ 0 };
	for (size_t i = 0; i < opts->n_inputs && !rc; i++) /* expanded from patterns */
		rc = array_push(in, opts->inputs[i]);
	if (rc || inputs_of(in, call, input)) {
		array_fini(in);
		return -ENOMEM;
	}
	opts->inputs = in->at;
	opts->n_inputs = in->n;
	return 0;
}

static int failed(const struct cmd_call *call, const char *path, const struct cdict_error *err)
{
	return err->code == CDICT_EUSAGE ? cmd_usage(call, "%s", err->text)
					 : cmd_error(call, path, err);
}

int cmd_output_check_kind(const struct cmd_call *call, const char *input, const char *path,
			  const struct source_kind *kind)
{
	struct outfile_options opts = { .path = path,
					.there = source_kind_may_replace,
					.there_ctx = kind };
	struct cdict_error err = { 0 };
	struct cmd_list in;
	int status = CMD_DONE;

	if (cmd_inputs(&in, call, input, &opts))
		return cmd_errorf(call, path, "out of memory");
	if (outfile_check(&opts, &err))
		status = failed(call, path, &err);
	array_fini(&in);
	return status;
}

int cmd_output_check(const struct cmd_call *call, const char *input, const char *path)
{
	return cmd_output_check_kind(call, input, path, NULL);
}

int cmd_output_open(struct outfile **out, const struct cmd_call *call, const char *input,
		    const struct outfile_options *how)
{
	struct outfile_options opts = *how;
	struct cdict_error err = { 0 };
	struct cmd_list in;
	sigset_t old;
	int rc;

	opts.there = source_kind_may_replace;
	if (cmd_inputs(&in, call, input, &opts))
		return cmd_errorf(call, how->path, "out of memory");
	install_handlers();
	block_signals(&old);
	rc = outfile_open(out, &opts, &err);
	if (!rc)
		remember(outfile_temporary(*out));
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	array_fini(&in);
	return rc ? failed(call, how->path, &err) : CMD_DONE;
}

int cmd_output_commit(const struct cmd_call *call, const char *path, struct outfile *of, int flags)
{
	struct cdict_error err = { 0 };
	sigset_t old;
	int rc;

	block_signals(&old);
	forget(outfile_temporary(of));
	rc = outfile_commit(of, flags, &err);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc ? failed(call, path, &err) : CMD_DONE;
}

void cmd_output_abort(struct outfile *of)
{
	sigset_t old;

	if (!of)
		return;
	block_signals(&old);
	forget(outfile_temporary(of));
	outfile_abort(of);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* ---- folders ---- */

int cmd_folder_check(const struct cmd_call *call, const char *path)
{
	struct cdict_error err = { 0 };
	struct stat st;
	int status = CMD_DONE;

	/* A capture in its place is reported as for any output. */
	if (!stat(path, &st) && !S_ISDIR(st.st_mode))
		status = cmd_output_check(call, NULL, path);
	if (status)
		return status;
	return outdir_check(path, &err) ? failed(call, path, &err) : CMD_DONE;
}

int cmd_folder_open(struct outdir **out, const struct cmd_call *call, const char *path)
{
	struct cdict_error err = { 0 };
	sigset_t old;
	int rc;

	install_handlers();
	block_signals(&old);
	rc = outdir_open(out, path, &err);
	if (!rc) {
		snprintf(temporary_folder.name, sizeof(temporary_folder.name), "%s",
			 outdir_temporary(*out, &temporary_folder.dir));
		temporary_folder.used = 1;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc ? failed(call, path, &err) : CMD_DONE;
}

int cmd_folder_commit(const struct cmd_call *call, const char *path, struct outdir *d)
{
	struct cdict_error err = { 0 };
	sigset_t old;
	int rc;

	block_signals(&old);
	temporary_folder.used = 0;
	rc = outdir_commit(d, &err);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc ? failed(call, path, &err) : CMD_DONE;
}

void cmd_folder_abort(struct outdir *d)
{
	sigset_t old;

	block_signals(&old);
	temporary_folder.used = 0;
	outdir_abort(d);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* ---- written by a function ---- */

int cmd_output_write_kind(const struct cmd_call *call, const char *path,
			  const struct source_kind *kind, int flags,
			  int (*write)(void *ctx, struct sink *s, struct cdict_error *err),
			  void *ctx)
{
	struct cdict_error err = { 0 };
	struct outfile *of = NULL;
	struct sink s;
	int rc, end;

	rc = cmd_output_open(&of, call, NULL,
			     &(struct outfile_options){ .path = path, .there_ctx = kind });
	if (rc)
		return rc;
	sink_to(&s, outfile_write, of);
	rc = write(ctx, &s, &err);
	end = sink_finish(&s);
	if (rc &&
	    !err.code) /* either the output failed, which commit reports, or memory ran out here */
		rc = end ? 0 : cdict_fail(&err, rc, CDICT_NO_OFFSET, "%s", cdict_strerror(rc));
	if (!rc && end == -ENOMEM)
		rc = cdict_fail_nomem(&err);
	if (rc || (end && !strcmp(path, "-"))) {
		cmd_output_abort(of);
		return rc ? cmd_error(call, path, &err) : cmd_stdout_error(call, end);
	}
	/* commit reports failed writes */
	return cmd_output_commit(call, path, of, flags);
}

int cmd_output_write(const struct cmd_call *call, const char *path, int flags,
		     int (*write)(void *ctx, struct sink *s, struct cdict_error *err), void *ctx)
{
	return cmd_output_write_kind(call, path, NULL, flags, write, ctx);
}
