/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * error.h - error code, input offset and a one-line text.
 *
 * Every fallible function of libcdict returns 0 (or a non-negative result) or
 * a negative code: a negated errno, or one of the codes below.  The last
 * parameter is a struct cdict_error, filled where the error is detected; it may be
 * NULL when the caller only wants the code.
 *
 * Threads    an error object belongs to one caller; nothing is global
 * Ownership  caller's storage; text is held inside, nothing to free
 */
#ifndef CDICT_ERROR_H
#define CDICT_ERROR_H

#include <stdint.h>

#include "cdict/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Codes start below every Linux errno, so the two never collide. */
#define CDICT_ERRORS(X)                                                                            \
	X(CDICT_EFORMAT, -1000, "not in the expected format")                                      \
	X(CDICT_ETRUNCATED, -1001, "ends too early")                                               \
	X(CDICT_ECORRUPT, -1002, "is damaged")                                                     \
	X(CDICT_EVERSION, -1003, "unsupported version")                                            \
	X(CDICT_ENOTFOUND, -1004, "not found")                                                     \
	X(CDICT_ELIMIT, -1005, "is beyond a limit")                                                \
	X(CDICT_ENOEVENTS, -1006, "no events of the requested kind")                               \
	X(CDICT_EUSAGE, -1007, "wrong usage")                                                      \
	X(CDICT_EUNSUPPORTED, -1008, "not supported by this build")

enum cdict_error_code {
#define X(name, value, text) name = value,
	CDICT_ERRORS(X)
#undef X
};

#define CDICT_NO_OFFSET UINT64_MAX

struct cdict_error {
	int code;        /* 0: no error; else what the function returned */
	uint64_t offset; /* byte offset in the input, or CDICT_NO_OFFSET */
	char text[480];  /* one line, no full stop, always NUL-terminated */
};

/* cdict_strerror - the general text of @code (CDICT_E* or a negated errno);
 * never NULL, static storage for CDICT_E*, thread-local for errno. */
CDICT_API const char *cdict_strerror(int code);

#ifdef __cplusplus
}
#endif
#endif
