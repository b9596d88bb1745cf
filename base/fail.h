/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * fail.h - fill a struct cdict_error and return its code, in one expression:
 *	return cdict_fail(err, CDICT_ETRUNCATED, at, "%u bytes are left", n);
 */
#ifndef BASE_FAIL_H
#define BASE_FAIL_H

#include "cdict/error.h"

/* cdict_fail - fills *@err (when not NULL) and returns @code.  @offset is the
 * position in the input, or CDICT_NO_OFFSET. */
int cdict_fail(struct cdict_error *err, int code, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* cdict_fail_errno - the same for a system call that failed on @subject: the
 * text is "@subject: strerror(errno)", the code -errno. NULL when the caller adds the subject. */
int cdict_fail_errno(struct cdict_error *err, const char *subject);

/* cdict_fail_nomem - reports a failed allocation: "out of memory", -ENOMEM. */
int cdict_fail_nomem(struct cdict_error *err);

/* cdict_fail_empty - the one way in which an input without a byte fails; "-" is standard input. */
int cdict_fail_empty(struct cdict_error *err, const char *path);
/* cdict_fail_in - prefixes the text of *@err (may be NULL) with "@subject: " when @code is an
 * error; returns @code. */
int cdict_fail_in(struct cdict_error *err, int code, const char *subject);

#endif
