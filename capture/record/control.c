/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands to a running recording. */
#include "capture/record/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"

static int wrong(const char *text, struct cdict_error *err)
{
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			  "option --control takes fd:N[,M] or fifo:PATH[,PATH], not '%s'", text);
}

static int open_fds(struct control *c, const char *text, struct cdict_error *err)
{
	char *end;

	c->in = (int)strtol(text + 3, &end, 10);
	if (*end == ',')
		c->out = (int)strtol(end + 1, &end, 10);
	if (text[3] < '0' || text[3] > '9' || *end || fcntl(c->in, F_GETFD) < 0 ||
	    (c->out >= 0 && fcntl(c->out, F_GETFD) < 0))
		return wrong(text, err);
	/* not inherited by the recorded command */
	fcntl(c->in, F_SETFD, FD_CLOEXEC);
	if (c->out >= 0)
		fcntl(c->out, F_SETFD, FD_CLOEXEC);
	return 0;
}

static int open_fifos(struct control *c, const char *text, struct cdict_error *err)
{
	char *path = strdup(text + 5), *ack = path ? strchr(path, ',') : NULL;
	int ret = 0;

	if (!path)
		return cdict_fail_nomem(err);
	if (ack)
		*ack++ = '\0';
	c->own = true;
	/* Open both ends, as perf does: EOF must not follow when a writer closes. */
	c->in = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (c->in >= 0 && ack)
		c->out = open(ack, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (c->in < 0 || (ack && c->out < 0)) {
		ret = cdict_fail(err, -errno, CDICT_NO_OFFSET, "%s: %s", c->in < 0 ? path : ack,
				 strerror(errno));
		control_close(c);
	}
	free(path);
	return ret;
}

int control_open(struct control *c, const char *text, struct cdict_error *err)
{
	*c = (struct control){ .in = -1, .out = -1 };
	if (!strncmp(text, "fd:", 3))
		return open_fds(c, text, err);
	if (!strncmp(text, "fifo:", 5) && text[5])
		return open_fifos(c, text, err);
	return wrong(text, err);
}

void control_close(struct control *c)
{
	if (c->own && c->in >= 0)
		close(c->in);
	if (c->own && c->out >= 0)
		close(c->out);
	c->in = c->out = -1;
}

static enum control_command command_of(const char *line)
{
	static const struct {
		const char *name;
		enum control_command command;
	} commands[] = {
		{ "enable", CONTROL_ENABLE },     { "disable", CONTROL_DISABLE },
		{ "snapshot", CONTROL_SNAPSHOT }, { "stop", CONTROL_STOP },
		{ "ping", CONTROL_PING },
	};

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!strcmp(commands[i].name, line))
			return commands[i].command;
	}
	return CONTROL_UNKNOWN;
}

enum control_command control_next(struct control *c)
{
	struct pollfd ready = { .fd = c->in, .events = POLLIN };
	char at;

	while (c->in >= 0 && poll(&ready, 1, 0) == 1 && (ready.revents & POLLIN)) {
		if (read(c->in, &at, 1) != 1)
			break;
		/* perf accepts a newline, or the NUL that echo -e '...\0' sends */
		if (at != '\n' && at != '\0') {
			if (c->len < sizeof(c->line) - 1)
				c->line[c->len++] = at;
			continue;
		}
		c->line[c->len] = '\0';
		if (!c->len)
			continue;
		c->len = 0;
		return command_of(c->line);
	}
	return CONTROL_NONE;
}

void control_ack(const struct control *c)
{
	ssize_t n = c->out >= 0 ? write(c->out, "ack\n", 4) : 4;

	(void)n; /* a reader that is gone or slow is not waited for */
}
