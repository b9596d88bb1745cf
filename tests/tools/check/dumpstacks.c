/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dumpstacks FILE: the stack of every event that has one, as perf script -F
 * cpu,time,sym,symoff,dso prints them. Status 2, and the damage on stderr, when the file
 * is not whole.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cdict/reader.h"
#include "cdict/stack.h"

static void dump(const struct cdict_reader *r, const struct cdict_event *ev, uint32_t stack)
{
	const uint32_t *frames;
	size_t n = cdict_reader_stack_at(r, stack, &frames);

	printf("[%03u] %" PRIu64 ".%09" PRIu64 ":\n", ev->cpu, ev->t_ns / 1000000000,
	       ev->t_ns % 1000000000);
	for (size_t i = 0; i < n; i++) {
		const struct cdict_frame *f = cdict_reader_frame_at(r, frames[i]);

		if (*f->symbol)
			printf("%s+0x%" PRIx64, f->symbol, f->offset);
		else
			printf("[unknown]");
		printf(" (%s)\n", *f->object ? f->object : "[unknown]");
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	struct cdict_error err = { 0 };
	struct cdict_damage damage;
	struct cdict_reader *r;
	struct cdict_events *it;
	struct cdict_event ev;

	if (argc != 2) {
		fprintf(stderr, "usage: dumpstacks FILE\n");
		return 129;
	}
	if (cdict_reader_open(&r, argv[1], &err) < 0 || cdict_events_open(&it, r, NULL, &err) < 0) {
		fprintf(stderr, "dumpstacks: %s: %s\n", argv[1], err.text);
		return 1;
	}
	while (cdict_events_next(it, &ev, &err) > 0) {
		uint32_t stack = cdict_events_stack(it);

		if (stack != CDICT_NO_STACK)
			dump(r, &ev, stack);
	}
	cdict_events_close(it);
	cdict_reader_damage(r, &damage);
	cdict_reader_close(r);
	if (!damage.first[0])
		return 0;
	fprintf(stderr, "dumpstacks: %s: %s\n", argv[1], damage.first);
	return 2;
}
