/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal of cdict top. */
#include "cmd/top/terminal.h"

#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ROWS_OF_PIPE 20

void top_terminal_enter(struct top_terminal *t)
{
	struct termios raw;

	if (!t->on)
		return;
	if (!tcgetattr(STDIN_FILENO, &t->before)) {
		raw = t->before;
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		t->raw = !tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	}
	fputs("\033[?1049h\033[?25l", stdout);
	fflush(stdout);
}

void top_terminal_leave(struct top_terminal *t)
{
	if (!t->on)
		return;
	if (t->raw)
		tcsetattr(STDIN_FILENO, TCSANOW, &t->before);
	fputs("\033[?25h\033[?1049l", stdout);
	fflush(stdout);
	t->on = t->raw = false;
}

struct top_view top_terminal_view(const struct top_terminal *t, uint64_t top, bool wide)
{
	struct top_view view = { .lines = SIZE_MAX,
				 .rows = top     ? top
					 : t->on ? SIZE_MAX
						 : ROWS_OF_PIPE,
				 .columns = isatty(STDOUT_FILENO) ? 80 : 0,
				 .wide = wide,
				 .eol = t->on ? "\033[K\n" : "\n" };
	struct winsize ws = { .ws_row = 24 };

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) && ws.ws_row >= 4 && ws.ws_col >= 20)
		view.columns = ws.ws_col;
	else
		ws.ws_row = 24;
	if (t->on) {
		view.lines = ws.ws_row - 1u;
		view.columns--;
	}
	return view;
}

char top_terminal_key(const struct top_terminal *t, int wait_ms)
{
	struct pollfd in = { .fd = t->raw ? STDIN_FILENO : -1, .events = POLLIN };
	char key;

	return poll(&in, 1, wait_ms) == 1 && read(STDIN_FILENO, &key, 1) == 1 ? key : 0;
}
