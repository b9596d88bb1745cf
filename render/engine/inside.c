/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tasks of the joined guests whose vCPUs are among the question's tasks: as cdict vm --inside, and as lanes like those of
 * tracks.c, with the task that had the CPU of the host. The walks over the host and over who ran in the guests are kept.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"
#include "render/bins/columns.h"
#include "render/engine/engine_internal.h"
#include "tables/columns/tables.h"
#include "tables/guest/guests.h"

#define LANES 256u /* of many tasks, those that waited longest for their vCPUs */

/* Of lanes; stolen: a task of the host has the CPU. */
enum state { RUNNING, STOLEN, EXIT, VMM, HALTED, BUSY, AWAY, ASLEEP, BLOCKED, UNKNOWN, STATES };

static const char *const states[STATES] = { "running", "stolen", "exit",   "qemu",    "halted",
					    "busy",    "away",   "asleep", "blocked", "unknown" };

struct piece {
	uint32_t lane, state, cause, host, vcpu; /* cause: of causes; host, vcpu: the page's */
	uint64_t from_ns, to_ns;
};

struct inside {
	struct index lanes; /* by guest and its task */
	struct columns columns;
	struct lane {
		uint64_t *ns;    /* [state][column]; NULL: it has no piece */
		uint64_t end_ns; /* of its latest piece */
		uint32_t guest, task;
	} lane[LANES];
	struct index
		known; /* of causes: by guest, 0 the host, 1 + n or more an exit; and task or reason */
	ARRAY(char *) causes;
	ARRAY(struct piece) pieces;
	bool chosen, more;     /* lanes are chosen; there are more */
	bool too_many, failed; /* pieces; out of memory */
};

static enum state state_of(const struct guest_task_piece *piece)
{
	static const enum state of[] = {
		[GUEST_RUNNING] = RUNNING, [GUEST_BUSY] = BUSY,       [GUEST_AWAY] = AWAY,
		[GUEST_ASLEEP] = ASLEEP,   [GUEST_BLOCKED] = BLOCKED, [GUEST_STOLEN] = STOLEN
	};

	if (piece->doing != GUEST_STOLEN || piece->state == ANALYZE_VCPU_PREEMPTED ||
	    piece->state == ANALYZE_VCPU_WAITING)
		return of[piece->doing];
	return piece->state == ANALYZE_VCPU_EXIT   ? EXIT
	       : piece->state == ANALYZE_VCPU_QEMU ? VMM
						   : HALTED;
}

/* The number of the words for what the piece is due to, or PAGE_NO_TASK. */
static uint32_t cause_of(struct page_engine *e, const struct guest_task_piece *piece)
{
	struct inside *in = e->state;
	struct guest_culprit who = piece->who;
	bool own = piece->doing == GUEST_BUSY, vmm = piece->state == ANALYZE_VCPU_QEMU;
	struct sink text;
	uint32_t number;
	char *words;

	sink_to_memory(&text);
	if (own)
		who.guest = e->guests->walking + 1;
	if (own || piece->state == ANALYZE_VCPU_PREEMPTED || piece->state == ANALYZE_VCPU_WAITING) {
		bool inner = who.guest && who.guest_task != ANALYZE_NO_TASK;

		number = index_take(&in->known, inner ? who.guest : 0,
				    inner ? who.guest_task : who.task);
		if (number == in->causes.n) {
			sink_puts(&text, "behind ");
			guests_put_culprit(&text, e->guests, &who);
		}
	} else if (piece->state == ANALYZE_VCPU_EXIT || vmm) {
		const char *reason = guest_vcpu_track_reason(e->guests->track, piece->reason);

		number = index_take(&in->known, e->guests->n + 1 + vmm, piece->reason);
		sink_printf(&text, "%s: %s", vmm ? "VMM" : "exit",
			    reason && *reason ? reason : "unknown");
	} else {
		sink_finish(&text);
		return PAGE_NO_TASK;
	}
	if (number < in->causes.n) {
		sink_finish(&text);
		return number;
	}
	words = sink_take(&text, NULL);
	if (number == INDEX_NONE || !words || array_push(&in->causes, words)) {
		free(words);
		in->failed = true;
		return PAGE_NO_TASK;
	}
	return number;
}

static void add(struct page_engine *e, struct piece one)
{
	struct inside *in = e->state;
	struct piece *last = in->pieces.n ? &in->pieces.at[in->pieces.n - 1] : NULL;

	columns_spread(&in->columns, in->lane[one.lane].ns + one.state * e->q.columns, 0,
		       e->t0_ns + one.from_ns, e->t0_ns + one.to_ns);
	if (in->too_many)
		return;
	if (last && last->lane == one.lane && last->state == one.state &&
	    last->cause == one.cause && last->host == one.host && last->vcpu == one.vcpu &&
	    last->to_ns == one.from_ns) {
		last->to_ns = one.to_ns;
		return;
	}
	in->too_many = in->pieces.n >= e->q.max;
	if (!in->too_many && array_push(&in->pieces, one))
		in->failed = true;
}

/* From the lane's latest piece to @to_ns. */
static struct piece unknown(const struct page_engine *e, uint32_t lane, uint64_t to_ns)
{
	const struct inside *in = e->state;

	return (struct piece){ .lane = lane,
			       .state = UNKNOWN,
			       .cause = PAGE_NO_TASK,
			       .host = PAGE_NO_TASK,
			       .vcpu = PAGE_NO_TASK,
			       .from_ns = in->lane[lane].end_ns - e->t0_ns,
			       .to_ns = to_ns - e->t0_ns };
}

/* It begins with the window, or with its task. */
static void begin_lane(struct page_engine *e, struct lane *lane, uint32_t guest, uint32_t task)
{
	const struct guest *one = &e->guests->all[guest];
	uint64_t born_ns = analyze_engine_task(one->walk.eng, task)->born_ns;

	*lane = (struct lane){ .end_ns = e->guests->from_ns, .guest = guest, .task = task };
	lane->ns = calloc((size_t)STATES * e->q.columns, sizeof(*lane->ns));
	((struct inside *)e->state)->failed |= !lane->ns;
	if (born_ns == ANALYZE_NO_TIME)
		return;
	born_ns = guest_clock_host_ns(&one->clock, born_ns);
	lane->end_ns = born_ns > lane->end_ns ? born_ns : lane->end_ns;
}

static void on_piece(void *ctx, const struct guest_task_piece *piece)
{
	struct page_engine *e = ctx;
	struct inside *in = e->state;
	uint32_t guest = e->guests->walking,
		 lane = in->chosen ? index_find(&in->lanes, guest, piece->task)
				   : index_take(&in->lanes, guest, piece->task);
	struct piece one = { .lane = lane,
			     .state = state_of(piece),
			     .vcpu = page_tasks_number(e, piece->vcpu),
			     .host = page_tasks_number(e, piece->who.task),
			     .from_ns = piece->from_ns - e->t0_ns,
			     .to_ns = piece->to_ns - e->t0_ns };

	if (lane >= LANES) {
		in->more |= !in->chosen;
		return;
	}
	if (!in->lane[lane].ns)
		begin_lane(e, &in->lane[lane], guest, piece->task);
	if (!in->lane[lane].ns)
		return;
	one.cause = cause_of(e, piece);
	if (in->lane[lane].end_ns < piece->from_ns)
		add(e, unknown(e, lane, piece->from_ns));
	add(e, one);
	in->lane[lane].end_ns = piece->to_ns;
}

/* The end of the lanes is unknown, but for tasks that died. */
static void end_lanes(struct page_engine *e)
{
	struct inside *in = e->state;

	for (uint32_t i = 0; i < LANES; i++) {
		const struct lane *lane = &in->lane[i];
		const struct guest *one = &e->guests->all[lane->guest];
		uint64_t to_ns = e->guests->to_ns, dead_ns;

		if (!lane->ns)
			continue;
		dead_ns = analyze_engine_task(one->walk.eng, lane->task)->exit_ns;
		if (dead_ns != ANALYZE_NO_TIME) {
			dead_ns = guest_clock_host_ns(&one->clock, dead_ns);
			to_ns = dead_ns < to_ns ? dead_ns : to_ns;
		}
		if (lane->end_ns < to_ns)
			add(e, unknown(e, i, to_ns));
	}
}

static bool wants(void *ctx, uint32_t vcpu)
{
	const struct page_task_key *known = page_tasks_of(ctx, vcpu);

	return known && page_tasks_wanted(ctx, known);
}

/* ---- the question ---- */

int page_guests_again(struct page_engine *e,
		      void (*piece)(void *ctx, const struct guest_task_piece *piece),
		      struct cdict_error *err)
{
	struct tables_options opts = { .from_ns = e->t0_ns + e->q.from_ns,
				       .to_ns = e->t0_ns + e->q.to_ns };
	int rc = page_engine_labels(e, &opts.names.labels, err);

	if (!rc && !e->guests)
		rc = guests_begin(&e->guests, e->reader, &opts, err);
	if (rc)
		return rc;
	e->eng = e->guests->walk.eng;
	e->guests->wants = wants;
	e->guests->on_piece = piece;
	e->guests->ctx = e;
	guests_again(e->guests, opts.from_ns, opts.to_ns);
	return 0;
}

int page_guests_step(struct page_engine *e, uint64_t events, struct cdict_error *err)
{
	int rc = guests_step(e->guests, events, err);

	if (rc < 0) {
		e->eng = NULL;
		guests_free(e->guests);
		e->guests = NULL;
	}
	return rc;
}

static int inside_add(struct page_engine *e, struct cdict_error *err)
{
	struct inside *in = e->state;

	if (columns_init(&in->columns, e->t0_ns + e->q.from_ns, e->t0_ns + e->q.to_ns,
			 e->q.columns))
		return cdict_fail_nomem(err);
	return page_guests_again(e, on_piece, err);
}

struct row {
	uint32_t guest, task;
	uint64_t ns;
};

static int by_wait(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	if (x->guest != y->guest)
		return x->guest < y->guest ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

static void free_lanes(struct inside *in)
{
	for (size_t i = 0; i < LANES; i++)
		free(in->lane[i].ns);
	memset(in->lane, 0, sizeof(in->lane));
}

/* Chooses the lanes, and walks once more. */
static int choose(struct page_engine *e)
{
	struct inside *in = e->state;
	const struct guests *g = e->guests;
	ARRAY(struct row) rows = { 0 };
	int rc = 0;

	index_fini(&in->lanes);
	for (uint32_t i = 0; i < g->n; i++)
		for (size_t k = 0; g->all[i].inside && k < guest_inside_row_count(g->all[i].inside);
		     k++) {
			const struct guest_task_row *row = guest_inside_row_at(g->all[i].inside, k);

			rc |= array_push(&rows, (struct row){ i, row->task,
							      guest_task_vcpu_wait_ns(row) });
		}
	if (rows.n)
		qsort(rows.at, rows.n, sizeof(*rows.at), by_wait);
	for (size_t i = 0; i < rows.n && i < LANES; i++)
		rc |= index_take(&in->lanes, rows.at[i].guest, rows.at[i].task) == INDEX_NONE;
	array_fini(&rows);
	free_lanes(in);
	in->pieces.n = 0;
	in->too_many = false;
	in->chosen = true;
	guests_again(e->guests, e->t0_ns + e->q.from_ns, e->t0_ns + e->q.to_ns);
	return rc ? -ENOMEM : 1;
}

static int inside_step(struct page_engine *e, uint64_t events, struct cdict_error *err)
{
	struct inside *in = e->state;
	int rc = page_guests_step(e, events, err);

	if (!rc && in->more && !in->chosen)
		rc = choose(e);
	if (!rc)
		end_lanes(e);
	if (rc >= 0 && in->failed)
		rc = -ENOMEM;
	if (rc == -ENOMEM)
		cdict_fail_nomem(err);
	return rc;
}

/* ---- the answer ---- */

/* For each lane the row of its task in the table; the times of the lanes. */
static int write_lanes(struct page_engine *e, struct arrays *a)
{
	struct inside *in = e->state;
	const struct guests *g = e->guests;
	uint64_t **ns;
	uint32_t row = 0;
	size_t n = in->lanes.keys.n; /* LANES at most */

	ns = calloc(n * STATES + 1, sizeof(*ns));
	if (!ns)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < STATES && in->lane[i].ns; k++)
			ns[i * STATES + k] = in->lane[i].ns + k * e->q.columns;
	arrays_rows(a, "ns", ns, n * STATES, e->q.columns);
	free(ns);
	json_open(a->j, "tasks", '[', false);
	for (size_t i = 0; i < n; i++)
		json_u64(a->j, NULL, i);
	json_close(a->j);
	json_open(a->j, "lanes", '[', false);
	for (uint32_t i = 0; i < g->n; i++)
		for (size_t k = 0; g->all[i].inside && k < guest_inside_row_count(g->all[i].inside);
		     k++, row++)
			page_number_json(
				a->j, NULL,
				index_find(&in->lanes, i,
					   guest_inside_row_at(g->all[i].inside, k)->task));
	json_close(a->j);
	return 0;
}

static int inside_write(struct page_engine *e, struct arrays *a, struct cdict_error *err)
{
	struct inside *in = e->state;
	struct table *t = guests_tasks(e->guests);
	char *text = guests_says(e->guests), *line, *save = NULL;
	int rc = !t || !text ? -ENOMEM : write_lanes(e, a);

	if (!rc) {
		json_open(a->j, "says", '[', false);
		for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
			tables_says_json(a->j, NULL, line, e->t0_ns, NULL);
		json_close(a->j);
		json_open(a->j, "tables", '{', true);
		t->grouped = true; /* by tasks of the guest, which the page does not number */
		table_page_json(a->j, t->name, t, e->t0_ns, NULL);
		json_close(a->j);
	}
	table_free(t);
	free(text);
	json_u64(a->j, "columns", e->q.columns);
	json_open(a->j, "states", '[', false);
	for (size_t i = 0; i < STATES; i++)
		json_text(a->j, NULL, states[i]);
	json_close(a->j);
	json_open(a->j, "causes", '[', false);
	for (size_t i = 0; i < in->causes.n; i++)
		json_text(a->j, NULL, in->causes.at[i]);
	json_close(a->j);
	json_bool(a->j, "exact", !in->too_many);
	if (in->too_many)
		in->pieces.n = 0;
	arrays_member(a, "task", in->pieces, lane);
	arrays_member(a, "state", in->pieces, state);
	arrays_member(a, "cause", in->pieces, cause);
	arrays_member(a, "host", in->pieces, host);
	arrays_member(a, "vcpu", in->pieces, vcpu);
	arrays_member(a, "from", in->pieces, from_ns);
	arrays_member(a, "to", in->pieces, to_ns);
	return rc ? cdict_fail_nomem(err) : 0;
}

static void inside_fini(struct page_engine *e)
{
	struct inside *in = e->state;

	e->eng = NULL;
	index_fini(&in->lanes);
	index_fini(&in->known);
	columns_fini(&in->columns);
	free_lanes(in);
	while (in->causes.n)
		free(in->causes.at[--in->causes.n]);
	array_fini(&in->causes);
	array_fini(&in->pieces);
}

const struct page_call page_inside = { .state_size = sizeof(struct inside),
				       .add = inside_add,
				       .write = inside_write,
				       .fini = inside_fini,
				       .step = inside_step };
