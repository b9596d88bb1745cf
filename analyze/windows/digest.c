// SPDX-License-Identifier: LGPL-2.1-only
/* digest.c - see digest.h. */
#include "analyze/windows/digest_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

/* Default events per digest: for a time inside one, the events up to that time are read. */
enum { EVENTS_DEFAULT = 1 << 14 };

/* Limit of memory: 8 times the file's size, plus this. */
enum { BYTES_FREE = 48 << 20 };

void digest_fini(struct digest *d)
{
	array_fini(&d->tasks);
	array_fini(&d->rows);
	array_fini(&d->kvm);
	map_fini(&d->index);
	free(d->cpus);
	*d = (struct digest){ 0 };
}

int digest_init(struct digest *d, uint32_t n_cpus)
{
	*d = (struct digest){ .cpus = calloc(n_cpus + 1, sizeof(*d->cpus)), .n_cpus = n_cpus };
	for (uint32_t c = 0; d->cpus && c < n_cpus; c++)
		d->cpus[c] = (struct digest_cpu){ .first_ns = ANALYZE_NO_TIME,
						  .first_switch_ns = ANALYZE_NO_TIME,
						  .switch_ns = ANALYZE_NO_TIME,
						  .break_ns = ANALYZE_NO_TIME,
						  .sample_ns = ANALYZE_NO_TIME,
						  .last_ns = ANALYZE_NO_TIME };
	return d->cpus ? 0 : -ENOMEM;
}

const struct digest_task *digest_find_task(const struct digest *d, int32_t tid, uint32_t cpu)
{
	const uint32_t *i = map_find(&d->index, (uint32_t)tid, tid ? 0 : cpu);

	return i ? &d->tasks.at[*i] : NULL;
}

const struct digest_row *digest_find(const struct digest *d, int32_t tid, uint32_t cpu)
{
	const struct digest_task *task = digest_find_task(d, tid, cpu);

	return task && task->row ? &d->rows.at[task->row - 1] : NULL;
}

static const struct digest_when never = { ANALYZE_NO_TIME, CDICT_CPU_UNKNOWN };

struct digest_task *digest_take_task(struct digest *d, int32_t tid, uint32_t cpu, uint64_t t_ns)
{
	uint32_t *i = map_add(&d->index, (uint32_t)tid, tid ? 0 : cpu);
	struct digest_task *task;

	if (!i)
		return NULL;
	if (*i != MAP_NEW)
		return &d->tasks.at[*i];
	task = array_add(&d->tasks);
	if (!task)
		return NULL;
	*i = (uint32_t)d->tasks.n - 1;
	*task = (struct digest_task){ .tid = tid,
				      .cpu = tid ? CDICT_CPU_UNKNOWN : cpu,
				      .first_ns = t_ns,
				      .named_ns = ANALYZE_NO_TIME,
				      .last_ns = ANALYZE_NO_TIME,
				      .pid_ns = ANALYZE_NO_TIME,
				      .comm_ns = ANALYZE_NO_TIME };
	return task;
}

struct digest_row *digest_take_row(struct digest *d, struct digest_task *task)
{
	struct digest_row *row;

	if (task->row)
		return &d->rows.at[task->row - 1];
	row = array_add(&d->rows);
	if (!row)
		return NULL;
	task->row = (uint32_t)d->rows.n;
	*row = (struct digest_row){ .task = (uint32_t)(task - d->tasks.at),
				    .tid = task->tid,
				    .io_ns = ANALYZE_NO_TIME,
				    .lost_ns = ANALYZE_NO_TIME,
				    .early = never,
				    .out = { never, never },
				    .in = { never, never },
				    .wake = { never, never },
				    .up = { never, never },
				    .woken = never,
				    .moved = { never, never } };
	return row;
}

struct digest_kvm *digest_take_kvm(struct digest *d, struct digest_row *row)
{
	struct digest_kvm *k;

	if (row->kvm)
		return &d->kvm.at[row->kvm - 1];
	k = array_add(&d->kvm);
	if (!k)
		return NULL;
	row->kvm = (uint32_t)d->kvm.n;
	*k = (struct digest_kvm){ .exit = never,
				  .entry = never,
				  .user = never,
				  .access_ns = ANALYZE_NO_TIME,
				  .vcpu_id = -1,
				  .vcpu_ns = ANALYZE_NO_TIME };
	return k;
}

void digest_latest(struct digest_when *to, const struct digest_when *w)
{
	if (digest_later(w->t_ns, to->t_ns))
		*to = *w;
}

void digest_latest_two(struct digest_when to[2], const struct digest_when *w)
{
	if (digest_later(w->t_ns, to[0].t_ns)) {
		to[1] = to[0];
		to[0] = *w;
	} else if (digest_later(w->t_ns, to[1].t_ns)) {
		to[1] = *w;
	}
}

static uint64_t earliest(uint64_t a, uint64_t b)
{
	return a < b ? a : b; /* ANALYZE_NO_TIME is the largest */
}

/* ---- adding up ---- */

void digest_add_kvm(struct digest_kvm *to, const struct digest_kvm *k)
{
	if (digest_later(k->exit.t_ns, to->exit.t_ns)) {
		to->type = k->type;
		to->value = k->value;
		to->how = k->how;
		to->isa = k->isa;
	}
	digest_latest(&to->exit, &k->exit);
	digest_latest(&to->entry, &k->entry);
	digest_latest(&to->user, &k->user);
	if (digest_later(k->access_ns, to->access_ns))
		to->access_ns = k->access_ns;
	if (digest_later(k->vcpu_ns, to->vcpu_ns)) {
		to->vcpu_ns = k->vcpu_ns;
		to->vcpu_id = k->vcpu_id;
	}
}

static void add_comm(struct digest_task *to, const struct digest_task *task)
{
	bool take;

	if (task->comm_ns == ANALYZE_NO_TIME)
		return;
	if (to->comm_ns == ANALYZE_NO_TIME || to->comm_kept != task->comm_kept)
		take = to->comm_ns == ANALYZE_NO_TIME || to->comm_kept;
	else
		take = task->comm_kept ? task->comm_ns < to->comm_ns : task->comm_ns > to->comm_ns;
	if (!take)
		return;
	memcpy(to->comm, task->comm, sizeof(to->comm));
	to->comm_ns = task->comm_ns;
	to->comm_kept = task->comm_kept;
}

void digest_add_early(struct digest_row *to, const struct digest_row *row)
{
	to->early_on_many |= row->early_on_many || (to->early.t_ns != ANALYZE_NO_TIME &&
						    row->early.t_ns != ANALYZE_NO_TIME &&
						    to->early.cpu != row->early.cpu);
	digest_latest(&to->early, &row->early);
}

static int add_row(struct digest *d, struct digest_task *task, const struct digest *from,
		   const struct digest_row *row)
{
	struct digest_row *to = digest_take_row(d, task);

	if (!to)
		return -ENOMEM;
	digest_add_early(to, row);
	if (digest_later(row->out[0].t_ns, to->out[0].t_ns))
		to->off = row->off;
	for (unsigned i = 0; i < 2; i++) {
		digest_latest_two(to->out, &row->out[i]);
		digest_latest_two(to->in, &row->in[i]);
		digest_latest_two(to->wake, &row->wake[i]);
		digest_latest_two(to->up, &row->up[i]);
		digest_latest_two(to->moved, &row->moved[i]);
	}
	digest_latest(&to->woken, &row->woken);
	if (digest_later(row->io_ns, to->io_ns))
		to->io_ns = row->io_ns;
	if (row->kvm) {
		struct digest_kvm *k = digest_take_kvm(d, to);

		if (!k)
			return -ENOMEM;
		digest_add_kvm(k, &from->kvm.at[row->kvm - 1]);
	}
	return 0;
}

static int add_task(struct digest *d, const struct digest *from, const struct digest_task *task)
{
	struct digest_task *to = digest_take_task(d, task->tid, task->cpu, task->first_ns);

	if (!to)
		return -ENOMEM;
	to->first_ns = earliest(to->first_ns, task->first_ns);
	to->named_ns = earliest(to->named_ns, task->named_ns);
	if (digest_later(task->last_ns, to->last_ns))
		to->last_ns = task->last_ns;
	if (digest_later(task->pid_ns, to->pid_ns)) {
		to->pid_ns = task->pid_ns;
		to->pid = task->pid;
	}
	add_comm(to, task);
	return task->row ? add_row(d, to, from, &from->rows.at[task->row - 1]) : 0;
}

/* Whether the first switch of @c does not fit the events before. */
static bool is_break(const struct digest_cpu *to, const struct digest_cpu *c)
{
	if (c->first_switch_ns == ANALYZE_NO_TIME)
		return false;
	if (to->switch_ns != ANALYZE_NO_TIME)
		return to->cur != c->first_prev;
	return c->first_switch_ns == c->first_ns && to->sample_ns != ANALYZE_NO_TIME &&
	       to->sample_tid != c->first_prev;
}

/* @c is later. */
void digest_add_cpu(struct digest_cpu *to, const struct digest_cpu *c)
{
	if (is_break(to, c))
		to->break_ns = c->first_switch_ns;
	if (digest_later(c->break_ns, to->break_ns))
		to->break_ns = c->break_ns;
	to->first_ns = earliest(to->first_ns, c->first_ns);
	if (to->first_switch_ns == ANALYZE_NO_TIME || c->sample_ns < to->first_switch_ns)
		to->mixed |= c->mixed ||
			     (to->sample_ns != ANALYZE_NO_TIME && c->sample_ns != ANALYZE_NO_TIME &&
			      to->first_switch_ns == ANALYZE_NO_TIME &&
			      to->sample_tid != c->first_tid);
	if (c->first_switch_ns < to->first_switch_ns) {
		to->first_switch_ns = c->first_switch_ns;
		to->first_prev = c->first_prev;
	}
	if (digest_later(c->last_ns, to->last_ns))
		to->last_ns = c->last_ns;
	if (digest_later(c->switch_ns, to->switch_ns)) {
		to->switch_ns = c->switch_ns;
		to->cur = c->cur;
	}
	if (to->sample_ns == ANALYZE_NO_TIME)
		to->first_tid = c->first_tid;
	if (digest_later(c->sample_ns, to->sample_ns)) {
		to->sample_ns = c->sample_ns;
		to->sample_tid = c->sample_tid;
		to->sample_pid = c->sample_pid;
	}
}

int digest_add_part(struct digest *d, const struct part *p)
{
	digest_add_cpu(&d->cpus[p->cpu], &p->sum.cpus[0]);
	for (size_t i = 0; i < p->sum.tasks.n; i++)
		if (add_task(d, &p->sum, &p->sum.tasks.at[i]))
			return -ENOMEM;
	return 0;
}

/* ---- reading ---- */

/* The file stores the comms: do not read them from events. */
static int leave_names_out(struct digests *d, const struct cdict_schema *schema,
			   struct cdict_error *err)
{
	for (size_t i = 0; i < d->n_types; i++) {
		struct type_info *ti = &d->types[i];

		if (ti->kind == ANALYZE_KIND_SWITCH)
			ti->field[SW_PREV_COMM] = ti->field[SW_NEXT_COMM] = -1;
		else if (ti->kind == ANALYZE_KIND_MIGRATE)
			ti->field[MIG_ORIG] = -1;
		else if (ti->kind == ANALYZE_KIND_WAKING || ti->kind == ANALYZE_KIND_WAKEUP ||
			 ti->kind == ANALYZE_KIND_WAKEUP_NEW)
			ti->field[WAKE_COMM] = -1;
	}
	free(d->fields);
	d->fields = types_fields(d->types, schema, DIGEST_NEEDS, false);
	return d->fields ? 0 : cdict_fail_nomem(err);
}

int digests_new(struct digests **out, struct cdict_reader *r, uint64_t events,
		struct cdict_error *err)
{
	const struct cdict_schema *schema = cdict_reader_schema(r);
	struct digests *d;
	struct scope scope;
	int ret;

	*out = NULL;
	scope_of_reader(&scope, r);
	if (scope.kind == SCOPE_TASKS || scope.filtered || scope.foreign)
		return 0;
	for (size_t i = 0; i < cdict_reader_block_count(r); i++)
		if (cdict_reader_block_at(r, i)->cpu >= cdict_reader_cpus(r))
			return 0;
	d = calloc(1, sizeof(*d));
	if (!d)
		return cdict_fail_nomem(err);
	d->reader = r;
	d->per_part = events ? events : EVENTS_DEFAULT;
	d->n_cpus = cdict_reader_cpus(r);
	d->n_types = cdict_schema_count(schema);
	ret = types_resolve(&d->types, schema, &d->states, &d->has, err);
	if (!ret && d->has.undigested) {
		digests_free(d);
		return 0;
	}
	if (!ret) {
		d->fields = types_fields(d->types, schema, DIGEST_NEEDS, false);
		if (!d->fields || digest_init(&d->whole, d->n_cpus))
			ret = cdict_fail_nomem(err);
	}
	if (!ret && !events)
		ret = digest_take_file(d, err);
	if (!ret && d->file)
		ret = leave_names_out(d, schema, err);
	if (ret) {
		digests_free(d);
		return ret;
	}
	*out = d;
	return 0;
}

int digests_stored(struct digests **out, struct cdict_reader *r, struct cdict_error *err)
{
	int ret = digests_new(out, r, 0, err);

	if (!ret && *out && !(*out)->file) {
		digests_free(*out);
		*out = NULL;
	}
	return ret;
}

void digests_free(struct digests *d)
{
	if (!d)
		return;
	cdict_events_close(d->it);
	for (size_t i = 0; i < d->parts.n; i++)
		digest_fini(&d->parts.at[i].sum);
	array_fini(&d->parts);
	digest_fini(&d->whole);
	map_fini(&d->next_index);
	array_fini(&d->next);
	digest_file_fini(d);
	free(d->types);
	free(d->fields);
	free(d);
}

static int begin_part(struct digests *d, uint64_t t_ns)
{
	struct part *p = array_add(&d->parts);

	if (!p)
		return -ENOMEM;
	*p = (struct part){ .cpu = d->cpu,
			    .first_ns = t_ns,
			    .switched = d->whole.cpus[d->cpu].switch_ns != ANALYZE_NO_TIME };
	if (digest_init(&p->sum, 1)) {
		d->parts.n--;
		return -ENOMEM;
	}
	digest_fold_begin(&d->fold, p);
	d->in_part = 0;
	return 0;
}

static int end_part(struct digests *d)
{
	struct part *p = &d->parts.at[d->parts.n - 1];

	digest_fold_end(&d->fold);
	d->fold.to = NULL;
	p->last_ns = p->sum.cpus[0].last_ns;
	/* Bounds memory: no recorder sees that many tasks. */
	d->bytes += digest_part_bytes(p);
	d->hopeless |= d->bytes / 8 > cdict_reader_size(d->reader) + BYTES_FREE / 8;
	return digest_add_part(&d->whole, p);
}

int digests_step(struct digests *d, uint64_t events, struct cdict_error *err)
{
	struct cdict_event ev;
	int ret;

	for (; events && !d->done; events--) {
		if (!d->it) {
			if (d->cpu == d->n_cpus) {
				d->done = true;
				break;
			}
			ret = digest_open_cpu(d, &d->it, d->cpu, 0, UINT64_MAX, err);
			if (ret)
				return ret;
		}
		ret = cdict_events_next(d->it, &ev, err);
		if (ret < 0)
			return ret;
		if (!ret) {
			if (d->fold.to && end_part(d))
				return cdict_fail_nomem(err);
			cdict_events_close(d->it);
			d->it = NULL;
			d->cpu++;
			continue;
		}
		if (d->fold.to && d->in_part >= d->per_part && ev.t_ns > d->fold.state->last_ns &&
		    end_part(d))
			return cdict_fail_nomem(err);
		if (!d->fold.to && begin_part(d, ev.t_ns))
			return cdict_fail_nomem(err);
		digest_fold(d, &d->fold, &ev);
		d->in_part++;
		if (d->fold.no_memory)
			return cdict_fail_nomem(err);
		d->done = d->hopeless;
	}
	return !d->done;
}

bool digests_done(const struct digests *d)
{
	return d->done;
}

bool digests_have_ups(const struct digests *d)
{
	return !d->file || d->file->wakes_apart || !d->has.has_waking || !d->has.has_wakeup;
}

const struct digest *digests_whole(const struct digests *d)
{
	return &d->whole;
}

bool digests_broken(const struct digests *d)
{
	for (uint32_t c = 0; c < d->n_cpus; c++)
		if (d->whole.cpus[c].break_ns != ANALYZE_NO_TIME)
			return true;
	return false;
}

bool digests_can_resume(const struct digests *d)
{
	return !d->hopeless;
}

int digests_at(struct digests *d, uint64_t t_ns, struct analyze_engine *walk, struct digest *out,
	       struct cdict_error *err)
{
	int ret = digest_init(out, d->n_cpus) ? cdict_fail_nomem(err) : 0;

	if (!ret && d->file)
		ret = digest_file_at(d, t_ns, walk, out, err);
	for (size_t i = 0; i < d->parts.n && !ret; i++) {
		const struct part *p = &d->parts.at[i];

		if (p->last_ns < t_ns)
			ret = digest_add_part(out, p) ? cdict_fail_nomem(err) : 0;
		else if (p->first_ns < t_ns)
			ret = digest_add_piece(d, p, t_ns, out, NULL, err);
	}
	return ret;
}
