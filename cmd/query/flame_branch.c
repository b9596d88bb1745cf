/* SPDX-License-Identifier: GPL-2.0-only */
/* The commit of a branch, from git. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "annotate/child.h"
#include "base/fail.h"
#include "cmd/query/flame.h"

enum { GIT_MS = 60000, GIT_BYTES = 1 << 16, NOT_RUN = 127 };

/* rev-list is plumbing: no configuration changes its output. */
static void run_git(void *ctx)
{
	dup2(STDOUT_FILENO, STDERR_FILENO);
	execlp("git", "git", "rev-list", "-1", (const char *)ctx, "--", (char *)NULL);
	_exit(NOT_RUN);
}

/* Whether it is a SHA-1 or SHA-256 in hexadecimal. */
static bool is_hash(const char *text, size_t len)
{
	return (len == 40 || len == 64) && strspn(text, "0123456789abcdef") == len;
}

int flame_branch_commit(const struct cmd_call *call, const char *branch, char **commit)
{
	const struct child_options git = { .what = "git",
					   .timeout_ms = GIT_MS,
					   .max_bytes = GIT_BYTES,
					   .run = run_git,
					   .ctx = (void *)(uintptr_t)branch };
	struct cdict_error err = { 0 };
	struct buf out = { 0 };
	int status = CMD_DONE, ended = 0, rc;

	/* git would take it for an option, a range or the end of the names */
	if (!*branch || *branch == '-' || *branch == '^' || strstr(branch, ".."))
		return cmd_usage(call, "option --branch: '%s' is not the name of a branch", branch);
	rc = child_read(&git, &out, &ended, &err);
	buf_u8(&out, 0);
	if (!rc && out.failed)
		rc = cdict_fail_nomem(&err);
	if (rc) {
		status = cmd_error(call, NULL, &err);
	} else {
		char *text = (char *)out.data;

		text[strcspn(text, "\n")] = '\0';
		if (WIFEXITED(ended) && WEXITSTATUS(ended) == NOT_RUN)
			status = cmd_errorf(call, NULL, "option --branch: cannot run git");
		else if (!WIFEXITED(ended) || WEXITSTATUS(ended) || !is_hash(text, strlen(text)))
			status = cmd_errorf(call, NULL,
					    "option --branch: git has no commit of '%s': %s",
					    branch, text);
		else if (!(*commit = strdup(text)))
			status = cmd_errorf(call, NULL, "out of memory");
	}
	buf_fini(&out);
	return status;
}
