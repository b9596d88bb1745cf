/* SPDX-License-Identifier: GPL-2.0-only */
/* secret.h - memory for secrets: overwritten before it is freed. */
#ifndef ANNOTATE_SECRET_H
#define ANNOTATE_SECRET_H

#include "base/memory/buf.h"

/* secret_read - reads at most @most bytes of the file into @out; free with secret_forget(): 0 or -errno. */
int secret_read(struct buf *out, const char *path, size_t most);
void secret_forget(struct buf *secret);
/* secret_forget_text - NULL is fine. */
void secret_forget_text(char *secret);

#endif
