/* SPDX-License-Identifier: GPL-2.0-only */
/* terminal.h - the terminal of cdict top: alternate screen, keys without Enter. */
#ifndef CMD_TOP_TERMINAL_H
#define CMD_TOP_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

#include "cmd/top/top.h"

struct top_terminal {
	bool on; /* false: not a terminal, the functions do nothing */
	bool raw;
	struct termios before;
};

void top_terminal_enter(struct top_terminal *t);
void top_terminal_leave(struct top_terminal *t);
/* top_terminal_view - the room for a table above the last line: 23 lines of 80 columns if the size is
 * unknown, and no limit but @top rows (0: 20) if it is not a terminal. @wide: all
 * columns. */
struct top_view top_terminal_view(const struct top_terminal *t, uint64_t top, bool wide);
/* top_terminal_key - returns the key pressed; 0: none within @wait_ms. */
char top_terminal_key(const struct top_terminal *t, int wait_ms);

#endif
