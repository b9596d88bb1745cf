// SPDX-License-Identifier: LGPL-2.1-only
/* digest_fold.c - adds an event to a digest. */
#include <string.h>

#include "analyze/windows/digest_internal.h"

static struct digest_row *row_of(struct fold *f, int32_t tid, uint64_t t_ns)
{
	uint32_t *at = &f->rows[(uint32_t)tid % FOLD_ROWS];
	struct digest_task *task;
	struct digest_row *row;

	if (tid < 0)
		return NULL;
	if (*at && f->to->rows.at[*at - 1].tid == tid)
		return &f->to->rows.at[*at - 1];
	task = digest_take_task(f->to, tid, f->cpu, t_ns);
	row = task ? digest_take_row(f->to, task) : NULL;
	f->no_memory |= !row;
	if (row)
		*at = (uint32_t)(row - f->to->rows.at) + 1;
	return row;
}

static struct digest_task *mention(struct fold *f, const struct digest_row *row, uint64_t t_ns)
{
	struct digest_task *task = &f->to->tasks.at[row->task];

	if (task->named_ns == ANALYZE_NO_TIME)
		task->named_ns = t_ns;
	task->last_ns = t_ns;
	return task;
}

static void name(struct digest_task *task, const struct cdict_event *ev, int field, bool own)
{
	struct cdict_bytes b;

	if (field < 0 || !task->tid || (!own && task->comm_ns != ANALYZE_NO_TIME))
		return;
	b = cdict_event_bytes(ev, (size_t)field);
	if (!b.len)
		return;
	task->comm_ns = ev->t_ns;
	task->comm_kept = !own;
	b.len = strnlen((const char *)b.data, b.len < 15 ? b.len : 15);
	memset(task->comm, 0, sizeof(task->comm));
	memcpy(task->comm, b.data, b.len);
}

/* Extends the last mention of the latest sample's task to that sample. */
static void end_samples(struct fold *f)
{
	struct digest_task *task;

	if (f->sampled == UINT32_MAX)
		return;
	task = &f->to->tasks.at[f->to->rows.at[f->sampled].task];
	if (digest_later(f->state->sample_ns, task->last_ns))
		task->last_ns = f->state->sample_ns;
}

static void fold_sample(struct fold *f, const struct cdict_event *ev)
{
	struct digest_cpu *c = f->state;
	struct digest_task *task;
	struct digest_row *row;

	if (ev->tid < 0 || (!ev->tid && ev->pid))
		return;
	if (f->sampled == UINT32_MAX || ev->tid != f->tid || ev->pid != f->pid) {
		end_samples(f);
		row = row_of(f, ev->tid, ev->t_ns);
		if (!row)
			return;
		if (c->first_switch_ns == ANALYZE_NO_TIME && c->sample_ns != ANALYZE_NO_TIME)
			c->mixed |= ev->tid != c->sample_tid;
		task = mention(f, row, ev->t_ns);
		if (ev->pid > 0) {
			task->pid = ev->pid;
			task->pid_ns = ev->t_ns;
		}
		f->sampled = (uint32_t)(row - f->to->rows.at);
		f->tid = ev->tid;
		f->pid = ev->pid;
	}
	if (c->sample_ns == ANALYZE_NO_TIME)
		c->first_tid = ev->tid;
	c->sample_ns = ev->t_ns;
	c->sample_tid = ev->tid;
	c->sample_pid = ev->pid;
	if (!f->switched)
		f->to->rows.at[f->sampled].early = (struct digest_when){ ev->t_ns, f->cpu };
}

static void fold_switch(struct digests *d, struct fold *f, const struct cdict_event *ev,
			const struct type_info *ti)
{
	int32_t prev = (int32_t)ev->values[ti->field[SW_PREV_PID]];
	int32_t next = (int32_t)ev->values[ti->field[SW_NEXT_PID]];
	struct digest_when now = { ev->t_ns, f->cpu };
	struct digest_row *row;

	recent_add(d, f->cpu, ev->t_ns, prev);
	if (prev < 0 || next < 0)
		return;
	row = f->cur != UINT32_MAX && f->to->rows.at[f->cur].tid == prev
		      ? &f->to->rows.at[f->cur]
		      : row_of(f, prev, ev->t_ns);
	if (!row)
		return;
	name(mention(f, row, ev->t_ns), ev, ti->field[SW_PREV_COMM], true);
	digest_latest_two(row->out, &now);
	row->off = (uint8_t)types_off(ti, &d->states, ev);
	row = row_of(f, next, ev->t_ns);
	if (!row)
		return;
	name(mention(f, row, ev->t_ns), ev, ti->field[SW_NEXT_COMM], false);
	digest_latest_two(row->in, &now);
	f->cur = (uint32_t)(row - f->to->rows.at);
	f->switched = true;
	if (f->state->first_switch_ns == ANALYZE_NO_TIME) {
		f->state->first_switch_ns = ev->t_ns;
		f->state->first_prev = prev;
	}
	f->state->switch_ns = ev->t_ns;
	f->state->cur = next;
}

static struct digest_when wake_of(const struct cdict_event *ev, const struct type_info *ti)
{
	int field = ti->field[WAKE_TARGET];

	return (struct digest_when){ ev->t_ns,
				     field >= 0 ? (uint32_t)ev->values[field] : CDICT_CPU_UNKNOWN };
}

bool digest_wakes(const struct digests *d, const struct cdict_event *ev, int32_t tid,
		  struct digest_when *wake)
{
	const struct type_info *ti = &d->types[ev->type->index];

	if ((ti->kind != ANALYZE_KIND_WAKING && ti->kind != ANALYZE_KIND_WAKEUP &&
	     ti->kind != ANALYZE_KIND_WAKEUP_NEW) ||
	    !types_wakes(ev, ti) || (int32_t)ev->values[ti->field[WAKE_PID]] != tid)
		return false;
	*wake = wake_of(ev, ti);
	return true;
}

static void fold_wake(struct digests *d, struct fold *f, const struct cdict_event *ev,
		      const struct type_info *ti)
{
	struct digest_row *row = row_of(f, (int32_t)ev->values[ti->field[WAKE_PID]], ev->t_ns);
	struct digest_when now = wake_of(ev, ti);

	if (!row)
		return;
	name(mention(f, row, ev->t_ns), ev, ti->field[WAKE_COMM], false);
	if (!types_wakes(ev, ti))
		return;
	digest_latest(&row->woken, &now);
	digest_latest_two(
		ti->kind == ANALYZE_KIND_WAKEUP && d->has.has_waking ? row->up : row->wake, &now);
}

static void fold_kvm(struct fold *f, const struct cdict_event *ev, const struct type_info *ti)
{
	struct digest_row *row = ev->tid > 0 ? row_of(f, ev->tid, ev->t_ns) : NULL;
	struct digest_kvm *k = row ? digest_take_kvm(f->to, row) : NULL;
	struct digest_when now = { ev->t_ns, f->cpu };

	f->no_memory |= row && !k;
	if (!k)
		return;
	if (ti->field[KVM_VCPU] >= 0) {
		k->vcpu_id = (int32_t)ev->values[ti->field[KVM_VCPU]];
		k->vcpu_ns = ev->t_ns;
	}
	switch ((enum analyze_kind)ti->kind) {
	case ANALYZE_KIND_KVM_ENTRY:
		k->entry = now;
		break;
	case ANALYZE_KIND_KVM_EXIT:
		k->exit = now;
		k->type = ev->type->index;
		k->value = ti->field[KVM_VALUE] >= 0 ? ev->values[ti->field[KVM_VALUE]] : 0;
		k->how = ti->field[KVM_HOW] >= 0 ? ev->values[ti->field[KVM_HOW]] : 0;
		k->isa = ti->field[KVM_ISA] >= 0 ? (uint32_t)ev->values[ti->field[KVM_ISA]] : 0;
		break;
	case ANALYZE_KIND_KVM_USERSPACE:
		k->user = now;
		break;
	default:
		k->access_ns = ev->t_ns;
		break;
	}
}

/* A task that is switched out must have been switched in before, or sampled last. */
static void fold_chain(struct fold *f, const struct cdict_event *ev, int32_t prev)
{
	const struct digest_cpu *c = f->state;

	if (c->switch_ns != ANALYZE_NO_TIME   ? c->cur != prev
	    : c->sample_ns != ANALYZE_NO_TIME ? !f->switched && c->sample_tid != prev
					      : false)
		f->state->break_ns = ev->t_ns;
}

void digest_fold(struct digests *d, struct fold *f, const struct cdict_event *ev)
{
	const struct type_info *ti = &d->types[ev->type->index];
	struct digest_row *row;

	if (f->state->first_ns == ANALYZE_NO_TIME)
		f->state->first_ns = ev->t_ns;
	f->state->last_ns = ev->t_ns;
	if (ti->kind == ANALYZE_KIND_SWITCH)
		fold_chain(f, ev, (int32_t)ev->values[ti->field[SW_PREV_PID]]);
	fold_sample(f, ev);
	switch ((enum analyze_kind)ti->kind) {
	case ANALYZE_KIND_SWITCH:
		fold_switch(d, f, ev, ti);
		break;
	case ANALYZE_KIND_WAKING:
	case ANALYZE_KIND_WAKEUP:
	case ANALYZE_KIND_WAKEUP_NEW:
		fold_wake(d, f, ev, ti);
		break;
	case ANALYZE_KIND_MIGRATE:
		row = row_of(f, (int32_t)ev->values[ti->field[MIG_PID]], ev->t_ns);
		if (row)
			digest_latest_two(
				row->moved,
				&(struct digest_when){ ev->t_ns,
						       (uint32_t)ev->values[ti->field[MIG_DEST]] });
		break;
	case ANALYZE_KIND_IOWAIT:
		row = row_of(f, (int32_t)ev->values[ti->field[STAT_PID]], ev->t_ns);
		if (row)
			row->io_ns = ev->t_ns;
		break;
	case ANALYZE_KIND_EXEC:
		d->hopeless |= ev->values[ti->field[EXEC_PID]] != ev->values[ti->field[EXEC_OLD]];
		break;
	case ANALYZE_KIND_KVM_ENTRY:
	case ANALYZE_KIND_KVM_EXIT:
	case ANALYZE_KIND_KVM_USERSPACE:
	case ANALYZE_KIND_KVM_PIO:
	case ANALYZE_KIND_KVM_MMIO:
	case ANALYZE_KIND_KVM_MSR:
	case ANALYZE_KIND_KVM_VIRQ:
		fold_kvm(f, ev, ti);
		break;
	default:
		break;
	}
}

void digest_fold_begin(struct fold *f, struct part *p)
{
	*f = (struct fold){ .to = &p->sum,
			    .state = p->sum.cpus,
			    .cpu = p->cpu,
			    .switched = p->switched,
			    .sampled = UINT32_MAX,
			    .cur = UINT32_MAX };
}

void digest_fold_end(struct fold *f)
{
	end_samples(f);
	f->sampled = f->cur = UINT32_MAX;
}
