/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * openrc.h - the environment set by an openrc file.
 *
 * Such a file is a program: a shell runs it, like `source` in its users' shells, with this
 * process's permissions. So it is read only when the user names it, and never searched
 * for.
 *
 * - Uses bash if installed (the dashboard's file has `read -s`), else sh; reads no other file
 *   (BASH_ENV, profiles). The file's output goes to standard error, or to the terminal when that
 *   is redirected.
 * - It may prompt on the controlling terminal. Without one its input is empty, and it is
 *   killed after a timeout.
 * - It starts with this environment except OS_*, which an earlier file may have set. Only
 *   secrets and certificates stay (they belong to the user and the machine, not to the file);
 *   they apply also when the file sets them to empty values.
 * - Its variables count whether exported or not.
 */
#ifndef ANNOTATE_OPENSTACK_OPENRC_H
#define ANNOTATE_OPENSTACK_OPENRC_H

#include "base/memory/buf.h"
#include "cdict/error.h"

struct openrc {
	char **environment; /* "NAME=value", NULL-terminated; borrowed from text and from the
			     * @environment passed in */
	struct buf text;
};

/* openrc_run - @environment: the shell's initial environment. CDICT_EUSAGE when the file exits the shell;
 * -ETIMEDOUT after @timeout_ms; -errno when it cannot be read. */
int openrc_run(struct openrc *out, const char *path, char *const *environment, uint32_t timeout_ms,
	       struct cdict_error *err);
void openrc_fini(struct openrc *rc);

/* openrc_variable - the value of @name; NULL: not set. */
const char *openrc_variable(char *const *environment, const char *name);

#endif
