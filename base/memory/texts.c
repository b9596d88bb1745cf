/* SPDX-License-Identifier: LGPL-2.1-only */
/* A list of texts. */
#include "base/memory/texts.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/memory/array.h"

int texts_take(struct texts *t, char *text)
{
	if (text && !array_push(t, text))
		return 0;
	free(text);
	t->failed = true;
	return -ENOMEM;
}

int texts_add(struct texts *t, const char *text)
{
	return texts_take(t, strdup(text));
}

int texts_printf(struct texts *t, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	return texts_take(t, n < 0 ? NULL : text);
}

void texts_clear(struct texts *t)
{
	while (t->n)
		free(t->at[--t->n]);
}

void texts_fini(struct texts *t)
{
	texts_clear(t);
	array_fini(t);
}
