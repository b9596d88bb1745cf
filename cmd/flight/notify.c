/* SPDX-License-Identifier: GPL-2.0-only */
/* The protocol of sd_notify(3), for a unit of Type=notify: one datagram to the socket that $NOTIFY_SOCKET names. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cmd/flight/flight.h"

void flight_notify(const char *state)
{
	const char *name = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len = name ? strlen(name) : 0;
	int fd;

	if (len < 2 || len >= sizeof(to.sun_path) || (name[0] != '/' && name[0] != '@'))
		return;
	memcpy(to.sun_path, name, len);
	if (name[0] == '@') /* the abstract namespace */
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* A manager that does not answer must not stop the recorder. */
	(void)!sendto(fd, state, strlen(state), MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&to,
		      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	close(fd);
}
