/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output files and signals: what has a temporary name is removed when SIGINT,
 * SIGTERM, SIGHUP or SIGPIPE ends the program.  A handler can only be told
 * through global state, so this is the one place that keeps some.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/outfile.h"
#include "base/sink.h"
#include "cmd/cmd.h"

#define OPEN_MAX_FILES 16

static struct {
	volatile sig_atomic_t used;
	char name[PATH_MAX];
} temporaries[OPEN_MAX_FILES];

static const int fatal_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGXCPU };
#define N_FATAL (sizeof(fatal_signals) / sizeof(fatal_signals[0]))

static void on_fatal_signal(int sig)
{
	for (size_t i = 0; i < OPEN_MAX_FILES; i++) {
		if (temporaries[i].used)
			unlink(temporaries[i].name);
	}
	/* SA_RESETHAND has restored the default action: die as the sender expects */
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

		/* what the parent ignores (nohup) or the command handles stays so */
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

int cmd_output_open(struct outfile **out, const char *path, struct cdict_error *err)
{
	sigset_t old;
	int rc;

	install_handlers();
	block_signals(&old);
	rc = outfile_open(out, path, err);
	if (!rc)
		remember(outfile_temporary(*out));
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc;
}

static int commit(struct outfile *of, bool sync, struct cdict_error *err)
{
	sigset_t old;
	int rc;

	block_signals(&old);
	forget(outfile_temporary(of));
	rc = outfile_commit(of, sync, err);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc;
}

int cmd_output_commit(struct outfile *of, struct cdict_error *err)
{
	return commit(of, false, err);
}

int cmd_output_commit_synced(struct outfile *of, struct cdict_error *err)
{
	return commit(of, true, err);
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

int cmd_output_write(const struct cmd_call *call, const char *path,
		     int (*write)(void *ctx, struct sink *s, struct cdict_error *err), void *ctx)
{
	struct cdict_error err = { 0 };
	struct outfile *of = NULL;
	struct sink s;
	int rc, end;

	if (cmd_output_open(&of, path, &err))
		return cmd_error(call, path, &err);
	sink_to(&s, outfile_write, of);
	rc = write(ctx, &s, &err);
	end = sink_finish(&s);
	if (!rc && end == -ENOMEM)
		rc = cdict_fail_nomem(&err);
	if (rc || (end && !strcmp(path, "-"))) {
		cmd_output_abort(of);
		return rc ? cmd_error(call, path, &err) : cmd_stdout_error(call, end);
	}
	/* what could not be written, commit tells */
	return cmd_output_commit(of, &err) ? cmd_error(call, path, &err) : CMD_DONE;
}

bool cmd_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return strcmp(a, "-") && strcmp(b, "-") && !stat(a, &x) && !stat(b, &y) &&
	       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}
