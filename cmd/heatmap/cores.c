/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict heatmap --view cores: which task ran on each CPU, coloured by task, by group or by vCPU state. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cmd/heatmap/heatmap.h"
#include "render/views/cores.h"

static int put_piece(void *ctx, const struct analyze_slice *s)
{
	const struct heatmap *h = ctx;

	/* the running task is unknown: leave it empty */
	if (s->task == ANALYZE_NO_TASK)
		return 0;
	return lanes_add(h->lanes, s->cpu, s->task,
			 !analyze_engine_task(h->f.walk.eng, s->task)->tid, s->start_ns, s->end_ns);
}

/* The colours of --by state; all other tasks count as the host's. */
enum { PART_GUEST, PART_EXIT, PART_QEMU, PART_KERNEL, PARTS };
static const struct cores_part state_parts[PARTS] = {
	[PART_GUEST] = { .name = "guest", .ink = { INK_STATE, ANALYZE_VCPU_GUEST } },
	[PART_EXIT] = { .name = "exit handling", .ink = { INK_STATE, ANALYZE_VCPU_EXIT } },
	[PART_QEMU] = { .name = "in the VMM, and its other threads",
			.ink = { INK_STATE, ANALYZE_VCPU_QEMU } },
	[PART_KERNEL] = { .name = "kernel threads", .ink = { INK_TASK, 2 } }, /* as in the page */
};

static unsigned part_of(enum analyze_vcpu_state state)
{
	return state == ANALYZE_VCPU_GUEST  ? PART_GUEST
	       : state == ANALYZE_VCPU_EXIT ? PART_EXIT
	       : state == ANALYZE_VCPU_QEMU ? PART_QEMU
					    : PARTS;
}

/* Adds an interval to the task's lane, to find the vCPU's longest state in each column. */
static void put_state(void *ctx, const struct analyze_vcpu_piece *piece)
{
	struct heatmap *h = ctx;
	unsigned part = part_of(piece->state);
	struct lanes **own;

	if (part == PARTS)
		return;
	while (!h->m.failed && h->states.n <= piece->task)
		h->m.failed = array_push(&h->states, NULL);
	if (h->m.failed)
		return;
	own = &h->states.at[piece->task];
	if (!*own)
		*own = lanes_new(h->f.filter.from_ns, h->f.filter.to_ns, view_cores_columns(&h->c),
				 1);
	h->m.failed = !*own || lanes_add(*own, 0, part, false, piece->from_ns, piece->to_ns);
}

int heatmap_add_cores(struct heatmap *h, struct cdict_error *err)
{
	struct analyze_slices_options how = { .kinds = 1u << ANALYZE_SLICE_PIECE,
					      .on_slice = put_piece };
	struct tables_walk *w = &h->f.walk;
	int rc;

	h->lanes = lanes_new(h->f.filter.from_ns, h->f.filter.to_ns, view_cores_columns(&h->c),
			     cdict_reader_cpus(h->f.reader));
	if (!h->lanes)
		return cdict_fail_nomem(err);
	if (h->rows != HEATMAP_ROWS_TASK)
		lanes_keep(h->lanes);
	how.ctx = h;
	rc = analyze_slices_new(&h->slices, w->eng, &how, err);
	if (!rc)
		rc = analyze_tasks_new(&w->tasks, w->eng, NULL, err);
	if (!rc && h->by == HEATMAP_BY_STATE)
		rc = analyze_vcpus_new(&w->vcpus, w->eng, err);
	if (!rc && w->vcpus)
		analyze_vcpus_on_piece(w->vcpus, put_state, h);
	return rc;
}

/* The colour of each task. */
struct colours {
	const struct heatmap *h;
	uint8_t *of; /* by task */
	char *names[PALETTE_TASKS];
};

static unsigned colour_of(void *ctx, uint32_t task, unsigned column)
{
	const struct colours *col = ctx;
	unsigned colour = col->of[task];
	uint32_t state;

	if (col->h->by != HEATMAP_BY_STATE || colour != PART_GUEST)
		return colour;
	state = lanes_majority(col->h->states.at[task], 0)[column];
	return state == LANES_NONE ? CORES_UNKNOWN : state;
}

/* The rows (tasks or groups) that ran longest, in descending order: they get the colours. */
struct longest {
	uint32_t row[PALETTE_TASKS];
	unsigned n;
};

/* @ns: run time by row. There may be as many rows as tasks, so nothing else is stored per row. */
static void find_longest(struct longest *l, const uint64_t *ns, size_t rows)
{
	for (uint32_t i = 0; i < rows; i++) {
		unsigned at = l->n;

		while (at && ns[l->row[at - 1]] < ns[i])
			at--;
		if (at == PALETTE_TASKS || !ns[i])
			continue;
		l->n += l->n < PALETTE_TASKS;
		memmove(&l->row[at + 1], &l->row[at], (l->n - at - 1) * sizeof(*l->row));
		l->row[at] = i;
	}
}

static int name_longest(struct heatmap *h, const struct longest *l, const uint64_t *ns,
			struct colours *col, struct cores *cores)
{
	for (unsigned i = 0; i < l->n; i++) {
		char *name = col->names[i] = heatmap_row_name(h, l->row[i]);

		if (!name)
			return -ENOMEM;
		cores->parts[i] = (struct cores_part){ .name = name,
						       .ink = { INK_TASK, (uint8_t)i },
						       .run_ns = ns[l->row[i]] };
		cores->n_parts++;
	}
	return 0;
}

static uint8_t colour_of_row(const struct longest *l, uint32_t row)
{
	unsigned i = 0;

	while (i < l->n && l->row[i] != row)
		i++;
	return i < l->n ? (uint8_t)i : PALETTE_TASKS;
}

/* Assigns a colour to each of the rows (tasks or groups) that ran longest. */
static int colour_rows(struct heatmap *h, struct colours *col, struct cores *cores)
{
	struct analyze_tasks *tasks = h->f.walk.tasks;
	size_t rows = analyze_tasks_row_count(tasks);
	struct longest longest = { 0 };
	ARRAY(uint64_t) ran = { 0 }; /* run time in ns, by row */
	int rc = 0;

	for (unsigned pass = 0; pass < 2 && !rc; pass++) {
		for (size_t i = 0; i < rows && !rc; i++) {
			const struct analyze_task_row *row = analyze_tasks_row_at(tasks, i);
			uint32_t at;

			if (col->of[row->task] == CORES_IDLE || !heatmap_is_wanted(h, row->task))
				continue;
			rc = heatmap_row_of(h, row->task, &at);
			while (!rc && ran.n <= at)
				rc = array_push(&ran, 0);
			if (!rc && !pass)
				ran.at[at] += row->run_ns;
			else if (!rc)
				col->of[row->task] = colour_of_row(&longest, at);
		}
		if (rc || pass)
			continue;
		find_longest(&longest, ran.at, ran.n);
		rc = name_longest(h, &longest, ran.at, col, cores);
	}
	array_fini(&ran);
	return rc;
}

/* Assigns colours to vCPU states, QEMU and the kernel. */
static int colour_states(struct heatmap *h, struct colours *col, struct cores *cores)
{
	const struct tables_walk *w = &h->f.walk;

	h->groups.fold.culprits.names = &w->names;
	memcpy(cores->parts, state_parts, sizeof(state_parts));
	cores->n_parts = PARTS;
	if (tables_lacks(w) & TABLE_OF_QEMU)
		cores->parts[PART_QEMU].name = "other threads of the VMM";
	for (size_t i = 0; i < analyze_tasks_row_count(w->tasks); i++) {
		const struct analyze_task_row *row = analyze_tasks_row_at(w->tasks, i);
		const struct analyze_task *task = analyze_engine_task(w->eng, row->task);
		struct fold_place place;

		if (col->of[row->task] == CORES_IDLE || !heatmap_is_wanted(h, row->task))
			continue;
		if (!fold_find(&h->groups.fold, task, &place))
			return -ENOMEM;
		if (row->task < h->states.n && h->states.at[row->task])
			col->of[row->task] = PART_GUEST; /* or another state, by column */
		else if (!strcmp(place.kind, "vm"))
			col->of[row->task] = PART_QEMU;
		else if (!strcmp(place.kind, "kernel"))
			col->of[row->task] = PART_KERNEL;
		if (col->of[row->task] == PART_QEMU || col->of[row->task] == PART_KERNEL)
			cores->parts[col->of[row->task]].run_ns += row->run_ns;
	}
	for (size_t i = 0; i < analyze_vcpus_row_count(w->vcpus); i++) {
		const struct analyze_vcpu_row *row = analyze_vcpus_row_at(w->vcpus, i);

		for (unsigned s = 0; col->of[row->task] == PART_GUEST && s < ANALYZE_VCPU_STATES;
		     s++)
			if (part_of(s) != PARTS)
				cores->parts[part_of(s)].run_ns += row->ns[s];
	}
	return 0;
}

static int choose_colours(struct heatmap *h, struct colours *col, struct cores *cores)
{
	const struct analyze_engine *eng = h->f.walk.eng;
	size_t n = analyze_engine_task_count(eng);
	int rc;

	col->of = malloc(n + 1);
	if (!col->of)
		return -ENOMEM;
	memset(col->of, PALETTE_TASKS, n);
	for (size_t i = 0; i < n; i++) {
		if (!analyze_engine_task(eng, (uint32_t)i)->tid)
			col->of[i] = CORES_IDLE;
	}
	rc = h->by == HEATMAP_BY_STATE ? colour_states(h, col, cores) : colour_rows(h, col, cores);
	for (size_t i = 0; i < analyze_tasks_row_count(h->f.walk.tasks) && !rc; i++) {
		const struct analyze_task_row *row = analyze_tasks_row_at(h->f.walk.tasks, i);

		if (col->of[row->task] == PALETTE_TASKS)
			cores->others_ns += row->run_ns;
	}
	return rc;
}

static int row_key(void *ctx, uint32_t task, uint64_t *key)
{
	uint32_t row = 0;
	int rc = heatmap_find_row(ctx, task, &row);

	*key = row;
	return rc;
}

/* The majority of each column: of tasks, or of groups; *made is given. */
static int find_majority(struct heatmap *h, struct cores *cores, uint32_t **made)
{
	size_t cells = (size_t)lanes_columns(h->lanes) * cdict_reader_cpus(h->f.reader);

	cores->majority = lanes_majority(h->lanes, 0);
	if (h->rows == HEATMAP_ROWS_TASK)
		return 0;
	*made = malloc((cells + 1) * sizeof(**made));
	if (!*made)
		return -ENOMEM;
	memcpy(*made, cores->majority, cells * sizeof(**made));
	cores->majority = *made;
	return lanes_groups(h->lanes, row_key, h, *made);
}

int heatmap_draw_cores(struct heatmap *h)
{
	static const char *const each[] = {
		[HEATMAP_ROWS_TASK] = "the task that had the CPU longest",
		[HEATMAP_ROWS_GROUP] = "the group that had the CPU longest",
		[HEATMAP_ROWS_ROLE] = "the role that had the CPU longest",
		[HEATMAP_BY_STATE] = "the state of the task that had the CPU longest",
	};
	struct colours col = { .h = h };
	struct cores cores = {
		.lanes = h->lanes, .colour = colour_of, .ctx = &col, .each = each[h->by]
	};
	uint32_t n = analyze_engine_cpus(h->f.walk.eng);
	uint32_t *cpus = calloc((size_t)n + 1, sizeof(*cpus)), *majority = NULL;
	int rc = cpus ? heatmap_find_wanted(h) : -ENOMEM;

	for (uint32_t cpu = 0; cpus && cpu < n; cpu++) {
		if (tables_cpu(&h->f.walk, cpu))
			cpus[cores.n_cpus++] = cpu;
	}
	cores.cpus = cpus;
	if (!rc)
		rc = choose_colours(h, &col, &cores);
	if (!rc)
		rc = find_majority(h, &cores, &majority);
	if (!rc)
		rc = view_cores(&h->m, &h->c, &h->cap.frame, &cores);
	for (size_t i = 0; i < PALETTE_TASKS; i++)
		free(col.names[i]);
	free(col.of);
	free(cpus);
	free(majority);
	return rc;
}
