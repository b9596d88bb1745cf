/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict heatmap --view vm: the threads of one VM over time, with the sentences of cdict vm. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/printing/reasons.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"
#include "cmd/heatmap/heatmap.h"
#include "render/draw/text.h"
#include "render/views/vm.h"
#include "tables/vm/story.h"

/* Waits shorter than this many columns have no room for a name. */
#define NAMED_COLUMNS 40

struct heatmap_vm {
	struct heatmap *h;
	struct culprits names;
	struct story *story;
	struct tables_walk again; /* for the lanes */
	struct analyze_timeline *timeline;
	struct analyze_reasons *reasons;
	uint32_t *rows; /* by task: its lane, or VM_NONE */
	struct vm_lanes picture;
	struct lanes *doing, *exits; /* majorities by lane */
	struct map numbers;          /* of reasons (isa, code) */
	ARRAY(char *) texts;         /* names of reasons, clean */
	uint64_t least_ns;           /* of a wait with a name */
	char *title;
	bool failed;
};

/* A name of its own, with the tid where others are called the same; clean, given. */
static char *name_of(const struct heatmap_vm *v, uint32_t task)
{
	char *raw, *name;
	struct sink s;

	sink_to_memory(&s);
	tables_say_who(&s, &v->h->f.walk, task);
	raw = sink_take(&s, NULL);
	if (!raw)
		return NULL;
	tables_plain(raw);
	name = text_clean(raw, strlen(raw));
	free(raw);
	return name;
}

/* ---- the walk for the lanes ---- */

static enum analyze_timeline_kind kind_of(void *ctx, uint32_t task)
{
	const struct heatmap_vm *v = ctx;
	uint32_t row = task < v->story->n_tasks ? v->rows[task] : VM_NONE;

	return row == VM_NONE            ? ANALYZE_TIMELINE_NOT
	       : v->picture.at[row].vcpu ? ANALYZE_TIMELINE_VCPU
					 : ANALYZE_TIMELINE_TASK;
}

static void on_stretch(void *ctx, const struct analyze_stretch *s)
{
	struct heatmap_vm *v = ctx;
	uint32_t row = v->rows[s->task];
	struct vm_wait *wait;

	v->failed |= lanes_add(v->doing, row, s->doing, false, s->from_ns, s->to_ns) != 0;
	if (s->behind == ANALYZE_NO_TASK || s->to_ns - s->from_ns < v->least_ns)
		return;
	wait = array_add(&v->picture.at[row].waits);
	if (wait)
		*wait = (struct vm_wait){ s->from_ns, s->to_ns, s->doing, name_of(v, s->behind) };
	v->failed |= !wait || !wait->behind;
}

static uint32_t reason_of(struct heatmap_vm *v, const struct analyze_timeline_exit *exit)
{
	uint32_t *number = map_add(&v->numbers, exit->isa, exit->reason);
	const char *text;
	char room[24], *name;

	if (!number)
		return VM_NONE;
	if (*number != MAP_NEW)
		return *number;
	text = analyze_reasons_text(v->reasons, exit->isa, exit->reason, room);
	name = text_clean(text, strlen(text));
	*number = (uint32_t)v->texts.n;
	if (!name || array_push(&v->texts, name)) {
		free(name);
		return VM_NONE;
	}
	return *number;
}

static void on_exit_of(void *ctx, const struct analyze_timeline_exit *exit)
{
	const struct analyze_summary *sum;
	struct heatmap_vm *v = ctx;
	uint32_t reason = reason_of(v, exit);
	unsigned columns = lanes_columns(v->exits);
	unsigned __int128 place;

	sum = analyze_engine_summary(v->h->f.walk.eng);
	place = (unsigned __int128)(exit->t_ns - sum->from_ns) * columns;
	if (sum->to_ns > sum->from_ns)
		place /= sum->to_ns - sum->from_ns;
	v->failed |= reason == VM_NONE ||
		     lanes_add_in(v->exits, v->rows[exit->task],
				  place < columns ? (unsigned)place : columns - 1, reason, 1);
}

/* ---- the rows ---- */

static int by_place(const struct heatmap_vm *v, const struct story_thread *x,
		    const struct story_thread *y)
{
	const struct analyze_task *a = analyze_engine_task(v->h->f.walk.eng, x->task);
	const struct analyze_task *b = analyze_engine_task(v->h->f.walk.eng, y->task);

	if (a->is_vcpu != b->is_vcpu)
		return a->is_vcpu ? -1 : 1;
	return a->is_vcpu && a->tid != b->tid ? (a->tid < b->tid ? -1 : 1) : 0;
}

static char *note_of(const struct heatmap_vm *v, const struct story_thread *thread)
{
	char ms[TEXT_ROOM], worst[TEXT_ROOM], *text;
	int rc;

	if (tables_lacks(&v->h->f.walk) & (TABLE_OF_TIMES_OFF | TABLE_OF_STATES))
		rc = asprintf(&text, "waits unknown");
	else if (!thread->delayed_ns)
		rc = asprintf(&text, "never waited");
	else if (thread->waits && thread->waits->worst.dur_ns)
		rc = asprintf(&text, "waited %s, at most %s",
			      text_duration(ms, (double)thread->delayed_ns),
			      text_duration(worst, (double)thread->waits->worst.dur_ns));
	else
		rc = asprintf(&text, "waited %s", text_duration(ms, (double)thread->delayed_ns));
	return rc < 0 ? NULL : text;
}

/* The name without the VM's own, "NAME.", which all labels of lanes share. */
static char *lane_name(const struct heatmap_vm *v, uint32_t task)
{
	char *name = name_of(v, task);
	size_t own = strlen(v->story->vm);

	if (name && !strncmp(name, v->story->vm, own) && name[own] == '.' && name[own + 1])
		memmove(name, name + own + 1, strlen(name + own));
	return name;
}

/* The threads with the longest waits, vCPUs first. */
static int make_rows(struct heatmap_vm *v)
{
	const struct story *s = v->story;
	size_t top = v->h->opts->top, n = top && top < s->threads.n ? top : s->threads.n;
	const struct story_thread **order = calloc(n + 1, sizeof(const void *));

	v->rows = malloc((s->n_tasks + 1) * sizeof(*v->rows));
	v->picture.at = calloc(n + 1, sizeof(*v->picture.at));
	if (!order || !v->rows || !v->picture.at) {
		free(order);
		return -ENOMEM;
	}
	memset(v->rows, 0xff, (s->n_tasks + 1) * sizeof(*v->rows));
	for (size_t i = 0; i < n; i++) {
		size_t at = i;

		for (; at && by_place(v, order[at - 1], &s->threads.at[i]) > 0; at--)
			order[at] = order[at - 1];
		order[at] = &s->threads.at[i];
	}
	for (size_t i = 0; i < n; i++) {
		const struct analyze_task *task =
			analyze_engine_task(v->h->f.walk.eng, order[i]->task);
		struct vm_lane *lane = &v->picture.at[i];

		v->rows[order[i]->task] = (uint32_t)i;
		lane->vcpu = task->is_vcpu;
		lane->name = lane_name(v, order[i]->task);
		lane->note = note_of(v, order[i]);
		v->failed |= !lane->name || !lane->note;
	}
	v->picture.n = n;
	v->picture.more = s->threads.n - n;
	free(order);
	return v->failed ? -ENOMEM : 0;
}

static int walk_lanes(struct heatmap_vm *v, struct cdict_error *err)
{
	struct analyze_timeline_options how = {
		.kind = kind_of, .on_stretch = on_stretch, .on_exit = on_exit_of, .ctx = v
	};
	const struct analyze_summary *sum = analyze_engine_summary(v->h->f.walk.eng);
	struct tables_options opts = v->h->f.walk.opts;
	unsigned columns = view_vm_columns(&v->h->c, &v->picture);
	int rc;

	v->doing = lanes_new(sum->from_ns, sum->to_ns, columns ? columns : 1,
			     (uint32_t)v->picture.n + 1);
	v->exits = lanes_new(sum->from_ns, sum->to_ns, columns ? columns : 1,
			     (uint32_t)v->picture.n + 1);
	if (!columns || !v->doing || !v->exits)
		return cdict_fail_nomem(err);
	v->least_ns = (sum->to_ns - sum->from_ns) / columns * NAMED_COLUMNS;
	opts.digests = NULL;
	rc = analyze_reasons_of(&v->reasons, cdict_reader_schema(v->h->f.reader), err);
	if (!rc)
		rc = tables_walk_init(&v->again, v->h->f.reader, &opts, err);
	if (rc)
		return rc;
	analyze_engine_walk_all(v->again.eng);
	rc = analyze_timeline_new(&v->timeline, v->again.eng, &how, err);
	if (!rc)
		rc = tables_walk_run(&v->again, err);
	return rc || !v->failed ? rc : cdict_fail_nomem(err);
}

/* ---- the view ---- */

int heatmap_add_vm(struct heatmap *h, struct cdict_error *err)
{
	return story_add(&h->f.walk, err);
}

int heatmap_walk_vm(struct heatmap *h, struct cdict_error *err)
{
	struct heatmap_vm *v = h->vm = calloc(1, sizeof(*v));
	const char *vm;
	bool several;
	int rc;

	if (!v)
		return cdict_fail_nomem(err);
	v->h = h;
	v->names.names = &h->f.walk.names;
	vm = story_only_vm(&h->f.walk, &v->names, &several);
	if (v->names.failed)
		return cdict_fail_nomem(err);
	if (!vm && several)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "several VMs; choose one with --vm NAME");
	if (!vm)
		return 0;
	rc = story_new(&v->story, &h->f.walk, vm, err);
	if (!rc && make_rows(v))
		rc = cdict_fail_nomem(err);
	return rc ? rc : walk_lanes(v, err);
}

/* The VM is in the title, and the sentences replace the selection in the subtitle. */
static int tell(struct heatmap *h)
{
	char *vm = text_clean(h->vm->story->vm, strlen(h->vm->story->vm));
	char *text = story_text(h->vm->story), *line;

	if (!text) {
		free(vm);
		return -ENOMEM;
	}
	for (line = text; (line = strchr(line, '\n'));)
		*line = ' ';
	free(h->cap.selection);
	h->cap.selection = text_clean(text, strlen(text));
	h->cap.frame.selection = h->cap.selection;
	free(text);
	if (!h->cap.selection || !vm ||
	    asprintf(&h->vm->title, "%s%s: what its threads did",
		     vm[strspn(vm, "0123456789")] ? "" : "VM ", vm) < 0)
		h->vm->title = NULL;
	h->cap.frame.title = h->vm->title;
	free(vm);
	return h->vm->title ? 0 : -ENOMEM;
}

int heatmap_draw_vm(struct heatmap *h)
{
	struct heatmap_vm *v = h->vm;

	if (v->story && tell(h))
		return -ENOMEM;
	for (uint32_t i = 0; i < v->picture.n; i++) {
		v->picture.at[i].doing = lanes_majority(v->doing, i);
		v->picture.at[i].reason = lanes_majority(v->exits, i);
	}
	v->picture.reasons = (const char *const *)v->texts.at;
	v->picture.n_reasons = v->texts.n;
	return view_vm(&h->m, &h->c, &h->cap.frame, &v->picture);
}

void heatmap_vm_free(struct heatmap_vm *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->picture.n; i++) {
		struct vm_lane *lane = &v->picture.at[i];

		for (size_t k = 0; k < lane->waits.n; k++)
			free(lane->waits.at[k].behind);
		array_fini(&lane->waits);
		free(lane->name);
		free(lane->note);
	}
	free(v->picture.at);
	free(v->rows);
	free(v->title);
	while (v->texts.n)
		free(v->texts.at[--v->texts.n]);
	array_fini(&v->texts);
	map_fini(&v->numbers);
	analyze_timeline_free(v->timeline);
	analyze_reasons_free(v->reasons);
	tables_walk_fini(&v->again);
	lanes_free(v->doing);
	lanes_free(v->exits);
	story_free(v->story);
	culprits_fini(&v->names);
	free(v);
}
