/* SPDX-License-Identifier: LGPL-2.1-only */
/* Error texts and the one place that fills a struct cdict_error. */
#include "base/fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *cdict_strerror(int code)
{
	switch (code) {
	case 0:
		return "no error";
#define X(name, value, text)                                                                       \
	case name:                                                                                 \
		return text;
		CDICT_ERRORS(X)
#undef X
	default:
		return strerror(code < 0 ? -code : code);
	}
}

int cdict_fail(struct cdict_error *err, int code, uint64_t offset, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	err->code = code;
	err->offset = offset;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return code;
}

int cdict_fail_errno(struct cdict_error *err, const char *subject)
{
	int code = errno ? -errno : -EIO;

	return cdict_fail(err, code, CDICT_NO_OFFSET, "%s%s%s", subject ? subject : "",
			  subject ? ": " : "", strerror(-code));
}

int cdict_fail_nomem(struct cdict_error *err)
{
	return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
}

int cdict_fail_empty(struct cdict_error *err, const char *path)
{
	return cdict_fail(err, CDICT_ETRUNCATED, CDICT_NO_OFFSET, "%s",
			  strcmp(path, "-") ? "is empty"
					    : "standard input is empty: did the command before the "
					      "pipe fail?");
}

int cdict_fail_in(struct cdict_error *err, int code, const char *subject)
{
	char text[sizeof(err->text)];

	if (code && err) {
		memcpy(text, err->text, sizeof(text));
		snprintf(err->text, sizeof(err->text), "%.200s: %.270s", subject, text);
	}
	return code;
}
