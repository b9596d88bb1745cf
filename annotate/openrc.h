/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * openrc.h - the environment that an openrc file makes.
 *
 * Such a file is a program: a shell runs it, as its users' shells do on `source`, with the
 * rights of this process. It is therefore read only when the user names it, and looked for
 * nowhere.
 *
 * - bash where there is one (the dashboard's file has `read -s`), else sh; no other file (BASH_ENV,
 *   profiles) is read. What it prints goes to standard error, or to the terminal when that goes
 *   elsewhere.
 * - It may ask on the controlling terminal. Where there is none its input is empty, and it is
 *   ended after a time.
 * - It begins with the environment but for OS_*, which an earlier file may have left there. Only
 *   secrets and certificates stay (they belong to the user and the machine, not to the file);
 *   they count also where the file leaves them empty.
 * - Its variables count whether exported or not.
 */
#ifndef ANNOTATE_OPENRC_H
#define ANNOTATE_OPENRC_H

#include "base/buf.h"
#include "cdict/error.h"

struct openrc {
	char **environment; /* "NAME=value", NULL-terminated; borrowed from text and from what was
			     * given */
	struct buf text;
};

/* openrc_run - @environment: what the shell begins with. CDICT_EUSAGE when the file ends its shell;
 * -ETIMEDOUT after @timeout_ms; -errno when it cannot be read. */
int openrc_run(struct openrc *out, const char *path, char *const *environment, uint32_t timeout_ms,
	       struct cdict_error *err);
void openrc_fini(struct openrc *rc);

/* openrc_variable - the value of @name; NULL: not set. */
const char *openrc_variable(char *const *environment, const char *name);

#endif
