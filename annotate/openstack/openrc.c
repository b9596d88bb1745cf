// SPDX-License-Identifier: GPL-2.0-only
/* openrc files: a shell in a child process sources the file; its environment is read back. */
#include "annotate/openstack/openrc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "annotate/child.h"
#include "annotate/secret.h"
#include "base/fail.h"

#define ENVIRONMENT_MAX ((size_t)8 << 20) /* the kernel takes 6 MiB */

/* Absolute paths, because root's PATH may lead anywhere. The file's name is passed as a variable: as an
 * argument it would be the file's $1, and as $0 the file would notice that it is not sourced. */
static const char script[] = "set -a; . \"$CDICT_OPENRC\" >&2; exec /usr/bin/env -0";
static const char *const shells[] = { "/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash",
				      "/bin/sh" };

/* Taken from the environment even with a file: secrets, which people leave out of files, and
 * settings of the machine. */
static const char *const beside_a_file[] = { "OS_PASSWORD", "OS_APPLICATION_CREDENTIAL_SECRET",
					     "OS_CACERT", "OS_CERT", "OS_KEY" };

/* The value if @setting ("NAME=value") sets @name. */
static const char *value_of(const char *setting, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(setting, name, len) && setting[len] == '=' ? setting + len + 1 : NULL;
}

const char *openrc_variable(char *const *environment, const char *name)
{
	const char *value = NULL;

	for (; *environment && !value; environment++)
		value = value_of(*environment, name);
	return value;
}

static bool begins_with(const char *setting)
{
	if (value_of(setting, "BASH_ENV") || value_of(setting, "ENV"))
		return false; /* they name files that the user did not ask for */
	for (size_t i = 0; i < sizeof(beside_a_file) / sizeof(beside_a_file[0]); i++) {
		if (value_of(setting, beside_a_file[i]))
			return true;
	}
	return strncmp(setting, "OS_", 3) != 0;
}

struct shell {
	char *file; /* "CDICT_OPENRC=..." */
	char **environment;
};

static void run_shell(void *ctx)
{
	const struct shell *s = ctx;

	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
		const char *argv[] = { strrchr(shells[i], '/') + 1, "-c", script, NULL };

		execve(shells[i], (char *const *)argv, s->environment);
	}
	_exit(127);
}

static int prepare_shell(struct shell *s, const char *path, char *const *environment,
			 struct cdict_error *err)
{
	struct stat st;
	size_t n = 0;

	if (stat(path, &st))
		return cdict_fail_errno(err, path);
	errno = S_ISDIR(st.st_mode) ? EISDIR : 0;
	if (errno || eaccess(path, R_OK))
		return cdict_fail_errno(err, path);
	/* a shell searches a bare name in PATH */
	if (asprintf(&s->file, "CDICT_OPENRC=%s%s", *path == '/' ? "" : "./", path) < 0) {
		s->file = NULL;
		return cdict_fail_nomem(err);
	}
	while (environment[n])
		n++;
	s->environment = calloc(n + 2, sizeof(*s->environment));
	if (!s->environment)
		return cdict_fail_nomem(err);
	n = 0;
	s->environment[n++] = s->file;
	for (; *environment; environment++) {
		if (begins_with(*environment))
			s->environment[n++] = *environment;
	}
	return 0;
}

/* The shell succeeded only if it ended by running env(1). */
static int check_status(const char *path, int status, const struct buf *text,
			struct cdict_error *err)
{
	if (WIFSIGNALED(status))
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "%s: the shell running it was killed by signal %d", path,
				  WTERMSIG(status));
	if (WEXITSTATUS(status) || !text->len || text->data[text->len - 1])
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "%s: exits the shell running it, with status %d", path,
				  WEXITSTATUS(status));
	return 0;
}

/* @setting, or the one of that name in @before when its value is empty. */
static char *setting_or(char *setting, char *const *before)
{
	size_t name = strcspn(setting, "=") + 1, len = strlen(setting);

	if (strncmp(setting, "OS_", 3))
		return setting;
	while (len > name && setting[len - 1] == '\r') /* from lines ending in CR LF */
		setting[--len] = '\0';
	for (; len == name && *before; before++) {
		if (!strncmp(setting, *before, name))
			return *before;
	}
	return setting;
}

static int list_settings(struct openrc *out, char *const *before, struct cdict_error *err)
{
	char *text = (char *)out->text.data, *end = text + out->text.len;
	size_t n = 0;

	for (char *p = text; p < end; p += strlen(p) + 1)
		n++;
	out->environment = calloc(n + 1, sizeof(*out->environment));
	if (!out->environment)
		return cdict_fail_nomem(err);
	n = 0;
	for (char *p = text, *next; p < end; p = next) {
		next = p + strlen(p) + 1;
		out->environment[n++] = setting_or(p, before);
	}
	return 0;
}

int openrc_run(struct openrc *out, const char *path, char *const *environment, uint32_t timeout_ms,
	       struct cdict_error *err)
{
	struct shell shell = { 0 };
	struct child_options child = { .what = path,
				       .terminal = true,
				       .timeout_ms = child_has_terminal() ? 0 : timeout_ms,
				       .max_bytes = ENVIRONMENT_MAX,
				       .run = run_shell,
				       .ctx = &shell };
	int status = 0, rc = prepare_shell(&shell, path, environment, err);

	*out = (struct openrc){ 0 };
	/* allocate all at once, so that growing leaves no copies of secrets */
	if (!rc && !buf_room(&out->text, ENVIRONMENT_MAX + (1 << 16)))
		rc = cdict_fail_nomem(err);
	if (!rc)
		rc = child_read(&child, &out->text, &status, err);
	if (rc == -ETIMEDOUT)
		cdict_fail(err, rc, CDICT_NO_OFFSET, "%s: did not end within %.1f s (--os-timeout)",
			   path, timeout_ms / 1000.0);
	if (!rc)
		rc = check_status(path, status, &out->text, err);
	if (!rc)
		rc = list_settings(out, shell.environment, err);
	free(shell.file);
	free(shell.environment);
	if (rc)
		openrc_fini(out);
	return rc;
}

void openrc_fini(struct openrc *rc)
{
	secret_forget(&rc->text);
	free(rc->environment);
	*rc = (struct openrc){ 0 };
}
