/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The digest of a block.  The encoder notes what its own state of a task does not have; the rest
 * is taken from that state when the block ends.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sampled.h"
#include "format/coding/encode_internal.h"
#include "format/digest.h"

static const struct {
	const char *name;
	enum digest_kind kind;
} kinds[] = {
	{ "sched:sched_switch", DIGEST_SWITCH },
	{ "sched:sched_waking", DIGEST_WAKING },
	{ "sched:sched_wakeup", DIGEST_WAKEUP },
	{ "sched:sched_wakeup_new", DIGEST_WAKEUP_NEW },
	{ "sched:sched_migrate_task", DIGEST_MIGRATE },
	{ "sched:sched_stat_iowait", DIGEST_IOWAIT },
	{ "sched:sched_process_exec", DIGEST_EXEC },
	{ "kvm:kvm_entry", DIGEST_KVM_ENTRY },
	{ "kvm:kvm_exit", DIGEST_KVM_EXIT },
	{ "kvm:kvm_userspace_exit", DIGEST_KVM_USERSPACE },
	{ "kvm:kvm_pio", DIGEST_KVM_OTHER },
	{ "kvm:kvm_mmio", DIGEST_KVM_OTHER },
	{ "kvm:kvm_msr", DIGEST_KVM_OTHER },
	{ "kvm:kvm_inj_virq", DIGEST_KVM_OTHER },
};

/* The first of @names, separated by '|', that is a scalar of @t. */
static const struct format_field *find_field(const struct format_type *t, const char *names)
{
	for (size_t n; *names; names += n + (names[n] == '|')) {
		n = strcspn(names, "|");
		for (uint32_t i = FORMAT_F_SAMPLE; i < t->n_coded; i++) {
			const struct format_field *f = &t->coded[i];
			const char *name = t->fields[f->value].name;

			if (format_kind_is_scalar(f->kind) && !strncmp(name, names, n) && !name[n])
				return f;
		}
	}
	return NULL;
}

static const struct format_field *find_task(const struct format_type *t, const char *name)
{
	const struct format_field *f = find_field(t, name);

	return f && f->size == 4 && format_model_is_task(f->model.kind) ? f : NULL;
}

static const struct format_field *find_cpu(const struct format_type *t, const char *names)
{
	const struct format_field *f = find_field(t, names);

	return f && f->size == 4 ? f : NULL;
}

/* The cell that holds the latest prev_state and nothing else; -1: none does. */
static int state_cell(const struct cdict_schema *schema, const struct format_type *t)
{
	const struct format_field *state = find_field(t, "prev_state"),
				  *prev = find_task(t, "prev_pid");

	if (!state || !prev || state->model.kind != FORMAT_CELL || state->model.who != prev->index)
		return -1;
	for (size_t i = 0; i < schema->types.n; i++)
		for (uint32_t k = FORMAT_F_SAMPLE; k < schema->types.at[i]->n_coded; k++) {
			const struct format_field *f = &schema->types.at[i]->coded[k];

			if (f != state && !format_model_is_task(f->model.kind) &&
			    (f->model.kind == FORMAT_CELL || f->model.kind == FORMAT_SUM) &&
			    f->model.cell == state->model.cell)
				return -1;
		}
	return state->model.cell;
}

/* Entries and exits of architectures whose events these digests do not cover (analyze/walk/types.c). */
static bool is_unknown_kvm(const char *name)
{
	static const char *const events[] = {
		"kvm:kvm_s390_sie_enter", "kvm:kvm_s390_sie_exit", "kvm:kvm_enter",
		"kvm:kvm_reenter",        "kvm:kvm_exit_idle",     "kvm:kvm_exit_cache",
		"kvm:kvm_exit_cpucfg",    "kvm:kvm_exit_csr",
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (!strcmp(events[i], name))
			return true;
	return false;
}

bool digest_fields_of(struct digest_fields *out, const struct cdict_schema *schema,
		      const struct format_type *t)
{
	const struct format_field *task = NULL, *next;

	*out = (struct digest_fields){ 0 };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, t->pub.name))
			out->kind = (uint8_t)kinds[i].kind;
	/* Samples take no part in the walk that digests stand for. */
	if (is_unknown_kvm(t->pub.name) || sampled_is(&t->pub))
		return false;
	switch ((enum digest_kind)out->kind) {
	case DIGEST_NONE:
		/* The coder would note the switches and wakings of another event. */
		for (uint32_t i = FORMAT_F_SAMPLE; i < t->n_coded; i++)
			if (t->coded[i].path == FORMAT_PATH_NEXT ||
			    t->coded[i].path == FORMAT_PATH_WAKEE)
				return false;
		return true;
	case DIGEST_SWITCH:
		task = find_task(t, "prev_pid");
		next = find_task(t, "next_pid");
		if (!task || !next || task->model.kind != FORMAT_CURRENT ||
		    next->path != FORMAT_PATH_NEXT || state_cell(schema, t) != FORMAT_CELL_STATE)
			return false;
		break;
	case DIGEST_WAKING:
		task = find_task(t, "pid");
		out->cpu = find_cpu(t, "target_cpu|cpu");
		if (find_field(t, "success"))
			return false; /* no kernel has it; a waking is noted where its task is coded */
		if (!task || task->path != FORMAT_PATH_WAKEE || !out->cpu)
			return false;
		break;
	case DIGEST_WAKEUP:
	case DIGEST_WAKEUP_NEW:
		task = find_task(t, "pid");
		out->cpu = find_cpu(t, "target_cpu|cpu");
		out->success = find_field(t, "success");
		break;
	case DIGEST_MIGRATE:
		task = find_task(t, "pid");
		out->cpu = find_cpu(t, "dest_cpu");
		if (!out->cpu)
			return false;
		break;
	case DIGEST_IOWAIT:
		task = find_task(t, "pid");
		break;
	case DIGEST_EXEC:
		task = find_task(t, "pid");
		out->old = find_task(t, "old_pid");
		if (!out->old)
			return false;
		break;
	case DIGEST_KVM_EXIT:
		out->reason = find_field(t, "exit_reason|ret|exit_nr|reason|scause");
		/* arm before Linux 5.4 has two; without one it is no exit (analyze/walk/types.c) */
		if (!out->reason || (find_field(t, "idx") && find_field(t, "exit_reason")))
			return false;
		out->how = find_field(t, "esr_ec");
		out->isa = find_field(t, "isa");
		/* fallthrough */
	default:
		out->task = FORMAT_F_TID;
		return true;
	}
	out->task = task ? task->index : 0;
	return task != NULL;
}

static inline uint64_t scalar(const struct adding *a, const struct format_field *f)
{
	const uint8_t *p = a->payload;

	if (!f)
		return 0;
	p += f->offset;
	if (f->size == 4 && f->kind == CDICT_FIELD_UINT)
		return load32(p, a->enc->schema->big_endian);
	return encode_scalar(p, f->size, f->kind == CDICT_FIELD_INT, a->enc->schema->big_endian);
}

/* KVM events belong to the sample's task. */
static inline struct cdict_digest_row *note_kvm(struct adding *a)
{
	struct block_task *task;

	a->type->shape(a);
	task = &a->enc->digests[a->row[FORMAT_F_TID]];
	task->seen = true;
	return &task->row;
}

static void note_entry(struct adding *a)
{
	note_kvm(a)->entry_ns = a->enc->st.t_ns;
}

static void note_user(struct adding *a)
{
	note_kvm(a)->user_ns = a->enc->st.t_ns;
}

static void note_access(struct adding *a)
{
	note_kvm(a)->access_ns = a->enc->st.t_ns;
}

static void note_exit(struct adding *a)
{
	const struct digest_fields *d = &a->type->digest;
	struct cdict_digest_row *row = note_kvm(a);

	row->exit_ns = a->enc->st.t_ns;
	row->exit_type = a->t->pub.index;
	row->exit_reason = scalar(a, d->reason);
	row->exit_how = scalar(a, d->how);
	row->exit_isa = (uint32_t)scalar(a, d->isa);
}

/* Scheduler events belong to the task that a field names. */
static inline struct cdict_digest_row *note_task(struct adding *a)
{
	struct block_task *task;

	a->type->shape(a);
	task = &a->enc->digests[a->enc->failed ? 0 : a->row[a->type->digest.task]];
	task->seen = true;
	return &task->row;
}

/* Notes the block's first switch. */
static void note_switch(struct adding *a)
{
	struct format_encoder *enc = a->enc;

	note_task(a);
	enc->switched = true;
	enc->first_prev = (uint32_t)a->row[a->type->digest.task];
	enc->first_switch_ns = enc->st.t_ns;
	a->type->add = a->type->shape;
}

static inline uint32_t cpu_of(const struct adding *a)
{
	const struct format_field *cpu = a->type->digest.cpu;

	return cpu ? load32(a->payload + cpu->offset, a->enc->schema->big_endian)
		   : CDICT_CPU_UNKNOWN;
}

/* Nearly half of all events, so seen is not set: take_task() checks woken_ns. */
static void note_woken(struct adding *a)
{
	struct block_task *task;
	struct cdict_digest_row *row;

	a->type->shape(a);
	task = &a->enc->digests[a->enc->failed ? 0 : a->row[a->type->digest.task]];
	row = &task->row;
	if (a->type->digest.success && !scalar(a, a->type->digest.success)) {
		task->seen = true;
		return;
	}
	if (a->type->digest.kind != DIGEST_WAKEUP || a->enc->wakeup_counts) {
		row->wake_ns[1] = row->wake_ns[0];
		row->wake_ns[0] = a->enc->st.t_ns;
		row->wake_cpu = cpu_of(a);
	} else {
		task->up_ns[1] = task->up_ns[0];
		task->up_ns[0] = a->enc->st.t_ns;
	}
	row->woken_ns = a->enc->st.t_ns;
	row->woken_cpu = cpu_of(a);
}

static void note_moved(struct adding *a)
{
	struct cdict_digest_row *row = note_task(a);

	row->moved_ns[1] = row->moved_ns[0];
	row->moved_ns[0] = a->enc->st.t_ns;
	row->moved_cpu = cpu_of(a);
}

/* A thread takes over another's tid: the tid is now another task. */
static void note_exec(struct adding *a)
{
	const struct digest_fields *d = &a->type->digest;

	note_task(a);
	a->enc->taken_over |= a->row[d->task] != a->row[d->old->index];
}

static void note_iowait(struct adding *a)
{
	note_task(a)->io_ns = a->enc->st.t_ns;
}

void digest_type(struct format_encoder *enc, uint32_t at)
{
	const struct format_type *t = enc->schema->types.at[at];
	struct encode_type *et = &enc->types[at];

	if (!digest_fields_of(&et->digest, enc->schema, t)) {
		et->digest = (struct digest_fields){ 0 };
		enc->digested = false;
	}
	et->wakee_cpu = et->digest.cpu ? et->digest.cpu->offset : 0;
	digest_type_begin(et);
}

void digest_type_begin(struct encode_type *et)
{
	static void (*const notes[])(struct adding *) = {
		[DIGEST_SWITCH] = note_switch,
		[DIGEST_WAKING] = NULL, /* noted where its task is coded */
		[DIGEST_WAKEUP] = note_woken,
		[DIGEST_WAKEUP_NEW] = note_woken,
		[DIGEST_MIGRATE] = note_moved,
		[DIGEST_IOWAIT] = note_iowait,
		[DIGEST_EXEC] = note_exec,
		[DIGEST_KVM_ENTRY] = note_entry,
		[DIGEST_KVM_EXIT] = note_exit,
		[DIGEST_KVM_USERSPACE] = note_user,
		[DIGEST_KVM_OTHER] = note_access,
	};

	et->add = notes[et->digest.kind] ? notes[et->digest.kind] : et->shape;
}

bool digest_task_add(struct format_encoder *enc)
{
	struct block_task *task;

	if (enc->st.n_tasks > enc->cap_digests) {
		struct block_task *all = realloc(enc->digests, enc->st.cap_tasks * sizeof(*all));

		if (!all)
			return false;
		enc->digests = all;
		enc->cap_digests = enc->st.cap_tasks;
	}
	task = &enc->digests[enc->st.n_tasks - 1];
	memset(task, 0xff, sizeof(*task)); /* CDICT_NEVER, CDICT_CPU_UNKNOWN */
	task->first_ns = enc->st.t_ns;
	task->seen = task->turned_up = false;
	task->early = 0;
	return true;
}

/* @task is on the CPU, but @cur was switched in last: a switch-out of @cur and a switch-in of @task are missing. */
static void note_missing(struct format_encoder *enc, uint32_t cur, uint32_t task)
{
	enc->missing++;
	enc->digests[cur].row.in_ns = enc->switch_ns;
	enc->digests[task].turned_up = true;
}

void digest_note_sample(struct format_encoder *enc, uint32_t task, uint32_t before)
{
	enc->digests[task].seen = true;
	if (!enc->switch_ns)
		return;
	if (enc->left_ns != enc->switch_ns) {
		enc->left = before;
		enc->left_ns = enc->switch_ns;
	}
	/* perf gives -1 for a task that is exiting. */
	if (enc->st.tids[task] >= 0 && task != enc->left)
		note_missing(enc, enc->left, task);
}

void digest_note_prev(struct format_encoder *enc, uint32_t prev)
{
	uint32_t cur = enc->left_ns == enc->switch_ns ? enc->left : enc->st.current;

	if (enc->switch_ns && cur != prev && enc->st.tids[cur] >= 0)
		note_missing(enc, cur, prev);
}

/* --- when the block ends --- */

static void take_comm(const struct format_encoder *enc, uint64_t key, char comm[16])
{
	const struct entry *e = &enc->entries[key < enc->n_entries ? key : 0];

	memset(comm, 0, 16);
	if (e->len)
		memcpy(comm, enc->text.data + e->at, e->len < 15 ? e->len : 15);
}

static uint64_t cell(const struct format_encoder *enc, size_t task, unsigned number)
{
	return number < enc->st.n_cells ? enc->st.cells[task * enc->st.n_cells + number]
					: STATE_UNSET;
}

static uint64_t or_never(uint64_t t_ns)
{
	return t_ns ? t_ns : CDICT_NEVER;
}

/* A waking counts as a wake-up. */
static void take_woken(struct cdict_digest_row *row)
{
	if (row->wake_ns[0] != CDICT_NEVER &&
	    (row->woken_ns == CDICT_NEVER || row->wake_ns[0] >= row->woken_ns)) {
		row->woken_ns = row->wake_ns[0];
		row->woken_cpu = row->wake_cpu;
	}
}

/* Takes the switch-outs of task @i from the encoder's state. */
static void take_outs(const struct format_encoder *enc, uint32_t i, struct cdict_digest_row *row)
{
	row->out_ns[0] = or_never(enc->st.tasks[i].out_ns);
	row->out_ns[1] = or_never(enc->st.tasks[i].out_before_ns);
	/* Switched out once, and that was the block's first switch: the switch-in was before. */
	row->ran = row->out_ns[0] != CDICT_NEVER &&
		   (row->out_ns[1] != CDICT_NEVER ||
		    (i != enc->first_prev && !enc->digests[i].turned_up));
}

unsigned digest_over(const struct block_task *task)
{
	const struct cdict_digest_row *row = &task->row;

	return OVER_OUT * (row->out_ns[0] != CDICT_NEVER) | OVER_RAN * row->ran |
	       OVER_OUT_TWICE * (row->out_ns[1] != CDICT_NEVER) |
	       OVER_WAKE_TWICE * (row->wake_ns[1] != CDICT_NEVER) |
	       OVER_UP_TWICE * (task->up_ns[1] != CDICT_NEVER) |
	       OVER_WOKEN * (row->woken_ns != CDICT_NEVER) |
	       OVER_MOVED_TWICE * (row->moved_ns[1] != CDICT_NEVER) |
	       OVER_IO * (row->io_ns != CDICT_NEVER) | OVER_EXIT * (row->exit_ns != CDICT_NEVER) |
	       OVER_ENTRY * (row->entry_ns != CDICT_NEVER) |
	       OVER_USER * (row->user_ns != CDICT_NEVER) |
	       OVER_ACCESS * (row->access_ns != CDICT_NEVER);
}

void digest_note_early(struct format_encoder *enc)
{
	enc->early_ns = enc->last_ns;
	for (uint32_t i = 0; enc->digested && i < enc->st.n_tasks; i++) {
		struct block_task task = enc->digests[i];

		take_outs(enc, i, &task.row);
		take_woken(&task.row);
		enc->digests[i].early = (uint16_t)digest_over(&task);
	}
}

static void take_task(const struct format_encoder *enc, uint32_t i, uint32_t cur,
		      struct block_task *task)
{
	struct cdict_digest_row *row = &task->row;
	uint64_t pid = cell(enc, i, FORMAT_CELL_PROCESS), v;

	*task = enc->digests[i];
	row->tid = enc->st.tids[i];
	row->prev_state = cell(enc, i, FORMAT_CELL_STATE);
	take_outs(enc, i, row);
	take_woken(row);
	task->seen |= i == cur || row->out_ns[0] != CDICT_NEVER || row->woken_ns != CDICT_NEVER ||
		      row->in_ns != CDICT_NEVER;
	v = cell(enc, i, FORMAT_CELL_VCPU);
	task->vcpu_id = v == STATE_UNSET ? -1 : (int32_t)v;
	task->pid = pid == STATE_UNSET || (int32_t)pid <= 0 ? -1 : (int32_t)pid;
	take_comm(enc, cell(enc, i, FORMAT_CELL_COMM), task->comm);
}

struct block_digest *digest_collect(struct format_encoder *enc)
{
	const struct state *st = &enc->st;
	uint32_t cur = enc->switched && enc->left_ns == enc->switch_ns ? enc->left : st->current;
	struct block_digest *d;

	if (!enc->digested || enc->taken_over)
		return NULL;
	d = malloc(sizeof(*d) + st->n_tasks * sizeof(d->tasks[0]));
	if (!d) {
		enc->failed = true;
		return NULL;
	}
	*d = (struct block_digest){ .switched = enc->switched,
				    .wakeup_counts = enc->wakeup_counts,
				    .first_prev = enc->switched ? st->tids[enc->first_prev] : -1,
				    .cur = st->tids[cur],
				    .first_switch_ns = enc->switched ? enc->first_switch_ns
								     : CDICT_NEVER,
				    .switch_ns = enc->switched ? enc->switch_ns : CDICT_NEVER,
				    .missing = enc->missing,
				    .early_ns = enc->early_ns };
	for (uint32_t i = 0; i < st->n_tasks; i++) {
		if (st->tids[i] < 0)
			continue;
		take_task(enc, i, cur, &d->tasks[d->n]);
		d->n += d->tasks[d->n].seen;
	}
	return d;
}
