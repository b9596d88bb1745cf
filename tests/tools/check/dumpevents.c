/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dumpevents [-a] FILE: every event of a cdict, one line each (dumpline.h), in the
 * reader's order; with -a before them the other contents, each line with a # in front.
 * Status 2, and the damage on stderr, when the file is not whole.
 */
#include <stdio.h>
#include <string.h>

#include "cdict/reader.h"
#include "tests/tools/check/dumpline.h"

static void text(struct buf *out, const char *s)
{
	buf_u8(out, ' ');
	dump_bytes(out, (struct cdict_bytes){ (const uint8_t *)s, strlen(s) }, true);
}

/* Unknown CPU or type: -1. */
static int64_t number_or_none(uint32_t n)
{
	return n == UINT32_MAX ? -1 : (int64_t)n;
}

static void dump_others(const struct cdict_reader *r, struct buf *out)
{
	static const char *const task[] = { "fork", "comm", "exec", "exit" };
	static const char *const loss[] = { "ring", "samples", "throttle", "disorder", "damage" };

	for (size_t i = 0; i < cdict_reader_info_count(r); i++) {
		const char *key, *value;

		cdict_reader_info_at(r, i, &key, &value);
		buf_printf(out, "# info");
		text(out, key);
		text(out, value);
		buf_u8(out, '\n');
	}
	for (size_t i = 0; i < cdict_reader_task_count(r); i++) {
		const struct cdict_task_event *t = cdict_reader_task_at(r, i);

		buf_printf(out, "# %s %" PRIu64 " %" PRId32 "/%" PRId32, task[t->what & 3], t->t_ns,
			   t->pid, t->tid);
		if (t->comm)
			text(out, t->comm);
		else
			buf_printf(out, " %" PRId32 "/%" PRId32, t->ppid, t->ptid);
		buf_u8(out, '\n');
	}
	for (size_t i = 0; i < cdict_reader_loss_count(r); i++) {
		const struct cdict_loss *l = cdict_reader_loss_at(r, i);

		if ((unsigned)l->what >= sizeof(loss) / sizeof(loss[0]))
			continue;
		buf_printf(out,
			   "# %s %" PRId64 " %" PRId64 " %" PRIu64 "-%" PRIu64 " %" PRIu64 "\n",
			   loss[l->what], number_or_none(l->cpu), number_or_none(l->type),
			   l->from_ns, l->to_ns, l->count);
	}
	for (size_t i = 0; i < cdict_reader_late_count(r); i++) {
		const struct cdict_late *l = cdict_reader_late_at(r, i);

		buf_printf(out, "# late %" PRId64 " %" PRIu64 " after %" PRIu64 "\n",
			   number_or_none(l->cpu), l->t_ns, l->after_ns);
	}
	for (size_t i = 0; i < cdict_reader_unstored_count(r); i++) {
		buf_printf(out, "# skip");
		text(out, cdict_reader_unstored_at(r, i)->name);
		buf_printf(out, " %" PRIu64 "\n", cdict_reader_unstored_at(r, i)->count);
	}
}

static bool put(struct buf *out)
{
	bool ok = !out->failed && (!out->len || fwrite(out->data, 1, out->len, stdout) == out->len);

	out->len = 0;
	return ok;
}

static int dump(struct cdict_reader *r, bool all, struct cdict_error *err)
{
	struct cdict_events *it;
	struct cdict_event ev;
	struct buf line = { 0 };
	int ret;

	if (all)
		dump_others(r, &line);
	ret = cdict_events_open(&it, r, NULL, err);
	while (!ret && (ret = cdict_events_next(it, &ev, err)) > 0) {
		dump_line(&line, &ev);
		ret = put(&line) ? 0 : -1;
	}
	if (!ret && !put(&line))
		ret = -1;
	buf_fini(&line);
	cdict_events_close(it);
	return ret;
}

int main(int argc, char **argv)
{
	bool all = argc > 1 && !strcmp(argv[1], "-a");
	struct cdict_error err = { 0 };
	struct cdict_damage damage;
	struct cdict_reader *r;
	const char *path = argv[argc - 1];

	if (argc != 2 + all) {
		fprintf(stderr, "usage: dumpevents [-a] FILE\n");
		return 129;
	}
	if (cdict_reader_open(&r, path, &err)) {
		fprintf(stderr, "dumpevents: %s: %s\n", path, err.text);
		return 1;
	}
	if (dump(r, all, &err) < 0 || fflush(stdout)) {
		fprintf(stderr, "dumpevents: %s: %s\n", path, err.text);
		cdict_reader_close(r);
		return 1;
	}
	cdict_reader_damage(r, &damage);
	cdict_reader_close(r);
	if (damage.first[0])
		fprintf(stderr, "dumpevents: %s: %s\n", path, damage.first);
	return damage.first[0] ? 2 : 0;
}
