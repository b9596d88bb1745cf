/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dumpevents FILE: every event of a cdict, one line each (dumpline.h), in the
 * reader's order. Status 2, and the damage on stderr, when the file is not whole.
 */
#include <stdio.h>

#include "cdict/reader.h"
#include "tests/tools/dumpline.h"

static int dump(struct cdict_reader *r, struct cdict_error *err)
{
	struct cdict_events *it;
	struct cdict_event ev;
	struct buf line = { 0 };
	int ret = cdict_events_open(&it, r, NULL, err);

	while (!ret && (ret = cdict_events_next(it, &ev, err)) > 0) {
		line.len = 0;
		dump_line(&line, &ev);
		ret = line.failed || fwrite(line.data, 1, line.len, stdout) != line.len ? -1 : 0;
	}
	buf_fini(&line);
	cdict_events_close(it);
	return ret;
}

int main(int argc, char **argv)
{
	struct cdict_error err = { 0 };
	struct cdict_damage damage;
	struct cdict_reader *r;

	if (argc != 2) {
		fprintf(stderr, "usage: dumpevents FILE\n");
		return 129;
	}
	if (cdict_reader_open(&r, argv[1], &err)) {
		fprintf(stderr, "dumpevents: %s: %s\n", argv[1], err.text);
		return 1;
	}
	if (dump(r, &err) < 0 || fflush(stdout)) {
		fprintf(stderr, "dumpevents: %s: %s\n", argv[1], err.text);
		cdict_reader_close(r);
		return 1;
	}
	cdict_reader_damage(r, &damage);
	cdict_reader_close(r);
	if (damage.first[0])
		fprintf(stderr, "dumpevents: %s: %s\n", argv[1], damage.first);
	return damage.first[0] ? 2 : 0;
}
