/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * toprows FILE.cdict vms|tasks - prints the tables that cdict top shows on this terminal, one per sort order, after a
 * second (or another time) that FILE.cdict recorded. cdict top itself takes no file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/memory/buf.h"
#include "cmd/top/top.h"

static int read_file(struct buf *to, const char *path)
{
	FILE *f = fopen(path, "rb");
	char part[1 << 16];
	size_t n;

	if (!f)
		return -1;
	while ((n = fread(part, 1, sizeof(part), f)))
		buf_add(to, part, n);
	n = (size_t)ferror(f);
	fclose(f);
	return n ? -1 : 0;
}

int main(int argc, char **argv)
{
	struct top_choice choice = { .window_ns = UINT64_C(3600000000000) };
	struct winsize size = { 0 };
	struct buf file = { 0 };
	struct cdict_error err;
	struct top_rows t;

	if (argc != 3 || (strcmp(argv[2], "vms") && strcmp(argv[2], "tasks")) ||
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || read_file(&file, argv[1])) {
		fprintf(stderr, "usage: toprows FILE.cdict vms|tasks, on a terminal\n");
		return 129;
	}
	choice.fold = !strcmp(argv[2], "vms");
	if (top_rows_fill(&t, file.data, file.len, &choice, &err)) {
		fprintf(stderr, "%s: %s\n", argv[1], err.text);
		return 1;
	}
	for (int by = TOP_BY_WAITING; by <= TOP_BY_CPU; by++) {
		const struct top_view view = { .lines = size.ws_row,
					       .rows = size.ws_row,
					       .columns = size.ws_col - 1u,
					       .eol = "\n" };
		struct sink s;
		char *text;

		sink_to_memory(&s);
		top_rows_sort(&t, (enum top_by)by);
		text = top_rows_list(&t, &s, &view) ? NULL : sink_take(&s, NULL);
		if (!text)
			return 1;
		printf("%s\n", text);
		free(text);
	}
	top_rows_fini(&t);
	buf_fini(&file);
	return 0;
}
