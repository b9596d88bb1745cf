// SPDX-License-Identifier: GPL-2.0-only
#include "annotate/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int secret_read(struct buf *out, const char *path, size_t most)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

	*out = (struct buf){ 0 };
	if (fd < 0)
		return -errno;
	/* allocate all at once, so that growing leaves no copies */
	rc = buf_room(out, most) ? buf_read(out, fd, most) : -ENOMEM;
	close(fd);
	if (rc)
		secret_forget(out);
	return rc;
}

void secret_forget(struct buf *secret)
{
	if (secret->data)
		explicit_bzero(secret->data, secret->len);
	buf_fini(secret);
}

void secret_forget_text(char *secret)
{
	if (secret)
		explicit_bzero(secret, strlen(secret));
	free(secret);
}
