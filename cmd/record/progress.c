/* SPDX-License-Identifier: GPL-2.0-only */
/* Progress of a recording on a terminal: one line, updated every second. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text/escape.h"
#include "cmd/record/record.h"
#include "tables/columns/number.h"

/* Limits the line: a wrapped line could not be erased. */
static size_t columns(void)
{
	struct winsize ws;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) || ws.ws_col < 20)
		return 80;
	return ws.ws_col;
}

void record_progress_show(void *meter, const struct record_progress *p)
{
	struct record_meter *m = meter;
	char events[NUMBER_ROOM], bytes[NUMBER_ROOM], lost[NUMBER_ROOM];
	struct sink s;
	char *text;
	size_t len;

	sink_to_memory(&s);
	sink_puts(&s, p->paused ? "paused, " : "recording to ");
	escape_terminal(&s, m->output, strlen(m->output));
	sink_printf(&s, ", %.0f s: ", p->seconds);
	/* Rings are read several times a second, but blocks encoded once a second: do not show zeros before. */
	if (p->events)
		sink_printf(&s, "%s event%s, ", number_grouped(events, p->events),
			    p->events == 1 ? "" : "s");
	else if (!p->paused)
		sink_puts(&s, "waiting for the first events, ");
	if (p->bytes)
		sink_printf(&s, "%s, ", number_bytes(bytes, p->bytes));
	sink_printf(&s, "%s lost", number_grouped(lost, p->lost));
	if (p->seconds > 0.1)
		sink_printf(&s, ", %.1f %% of a CPU", 100 * p->cpu_seconds / p->seconds);
	sink_puts(&s, "; Ctrl-C ends");
	text = sink_take(&s, &len);
	if (text && len > columns() - 1)
		len = columns() - 1;
	if (text)
		fprintf(stderr, "\r%.*s\033[K", (int)len, text);
	m->shown = text != NULL;
	free(text);
}

void record_progress_end(struct record_meter *m)
{
	if (m->shown)
		fprintf(stderr, "\r\033[K");
	m->shown = false;
}
