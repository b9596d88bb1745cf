/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences of a page. */
#include "cmd/report_texts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void report_say(struct report_texts *t, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0) {
		t->failed = true;
	} else if (array_push(&t->at, text)) {
		free(text);
		t->failed = true;
	}
}

void report_texts_fini(struct report_texts *t)
{
	for (size_t i = 0; i < t->at.n; i++)
		free(t->at.at[i]);
	array_fini(&t->at);
}
