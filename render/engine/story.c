/* SPDX-License-Identifier: GPL-2.0-only */
/* The story of one VM, that of the question's tasks, in a range: as cdict vm. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "render/engine/engine_internal.h"
#include "tables/vm/story.h"

struct telling {
	struct tables_walk walk;
	struct story *story; /* NULL: the first walk is not done */
	bool done;           /* the first walk is */
	uint32_t *numbers;   /* the page's, by the walk's numbers */
};

static int telling_add(struct page_engine *e, struct cdict_error *err)
{
	struct telling *t = e->state;
	int rc = page_engine_walk(e, &t->walk, err);

	if (!rc)
		rc = story_add(&t->walk, err);
	return rc ? rc : tables_walk_begin(&t->walk, err);
}

/* Begins the second walk, if the question's tasks are of one VM. */
static int telling_begin(struct telling *t, struct cdict_error *err)
{
	struct culprits names = { .names = &t->walk.names };
	bool several;
	const char *vm = story_only_vm(&t->walk, &names, &several);
	int rc = vm ? story_begin(&t->story, &t->walk, vm, err) : 0;

	if (names.failed)
		rc = cdict_fail_nomem(err);
	culprits_fini(&names);
	return rc ? rc : t->story != NULL;
}

static int telling_step(struct page_engine *e, uint64_t events, struct cdict_error *err)
{
	struct telling *t = e->state;
	int rc;

	if (t->done)
		return t->story ? story_step(t->story, events, err) : 0;
	rc = tables_walk_step(&t->walk, events, err);
	if (rc)
		return rc;
	t->done = true;
	return telling_begin(t, err);
}

static int put_table(struct telling *t, struct page_engine *e, struct json *j, struct table *table)
{
	if (table)
		table_page_json(j, table->name, table, e->t0_ns, t->numbers);
	table_free(table);
	return table ? 0 : -1;
}

static int telling_write(struct page_engine *e, struct arrays *a, struct cdict_error *err)
{
	struct telling *t = e->state;
	size_t n = analyze_engine_task_count(t->walk.eng);
	char *text, *line, *save = NULL;
	int rc;

	if (!t->story) {
		json_null(a->j, "vm");
		return 0;
	}
	t->numbers = malloc((n + 1) * sizeof(*t->numbers));
	text = story_says(t->story);
	if (!t->numbers || !text) {
		free(text);
		return cdict_fail_nomem(err);
	}
	for (uint32_t i = 0; i < n; i++)
		t->numbers[i] = page_tasks_number(e, i);
	json_text(a->j, "vm", t->story->vm);
	json_u64(a->j, "vcpus", t->story->n_vcpus);
	json_u64(a->j, "life_ns", t->story->life_ns);
	json_open(a->j, "sentences", '[', false);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		tables_says_json(a->j, NULL, line, e->t0_ns, t->numbers);
	json_close(a->j);
	free(text);
	json_open(a->j, "tables", '{', true);
	rc = put_table(t, e, a->j, story_parts(t->story));
	rc |= put_table(t, e, a->j, story_threads(t->story));
	rc |= put_table(t, e, a->j, tables_chains(t->story->w, t->story->chains, 0, 0));
	json_close(a->j);
	return rc ? cdict_fail_nomem(err) : 0;
}

static void telling_fini(struct page_engine *e)
{
	struct telling *t = e->state;

	e->eng = NULL;
	story_free(t->story);
	tables_walk_fini(&t->walk);
	free(t->numbers);
}

const struct page_call page_story = { .state_size = sizeof(struct telling),
				      .add = telling_add,
				      .write = telling_write,
				      .fini = telling_fini,
				      .step = telling_step };
