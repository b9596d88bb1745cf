// SPDX-License-Identifier: LGPL-2.1-only
/* digest_file.c - digests from those stored in the file (cdict/digest.h), and from few events. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/windows/digest_internal.h"
#include "base/fail.h"

/* Per CPU; each time that is requested may end a piece. */
enum { PIECES_MAX = 64 };

/* With more CPUs, the state of all at once takes too much memory. */
enum { LEAD_CPUS = 1024 };

static const struct digest_when never = { ANALYZE_NO_TIME, CDICT_CPU_UNKNOWN };

static struct digest_when at_ns(uint64_t t_ns, uint32_t cpu)
{
	return t_ns == CDICT_NEVER ? never : (struct digest_when){ t_ns, cpu };
}

/* Adds the tasks that were seen before @t_ns. */
static int add_tasks(const struct digests *d, uint64_t t_ns, struct digest *out)
{
	const struct cdict_digest_task *all = d->file->tasks;
	size_t n = 0;

	while (n < d->file->n_tasks && all[n].first_ns < t_ns)
		n++;
	if (array_reserve(&out->tasks, n + d->n_cpus))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct cdict_digest_task *t = &all[i];
		struct digest_task *task = digest_take_task(out, t->tid, t->cpu, t->first_ns);
		struct digest_row *row;
		struct digest_kvm *k;

		if (!task)
			return -ENOMEM;
		task->named_ns = task->last_ns = t->first_ns;
		if (t->pid > 0) {
			task->pid = t->pid;
			task->pid_ns = t->first_ns;
		}
		if (t->comm[0]) {
			memcpy(task->comm, t->comm, sizeof(task->comm));
			task->comm_ns = t->first_ns;
		}
		if (!t->is_vcpu || t_ns != UINT64_MAX)
			continue;
		row = digest_take_row(out, task);
		k = row ? digest_take_kvm(out, row) : NULL;
		if (!k)
			return -ENOMEM;
		k->vcpu_id = t->vcpu_id;
		k->vcpu_ns = k->exit.t_ns = t->first_ns;
	}
	return 0;
}

static int by_tid(const void *tid, const void *life)
{
	int32_t a = *(const int32_t *)tid, b = ((const struct cdict_digest_life *)life)->tid;

	return a < b ? -1 : a > b;
}

static const struct cdict_digest_life *life_of(const struct digests *d, int32_t tid)
{
	return d->file->n_lives ? bsearch(&tid, d->file->lives, d->file->n_lives,
					  sizeof(*d->file->lives), by_tid)
				: NULL;
}

/* @first_ns: used unless the birth is known. */
static struct digest_row *row_of(const struct digests *d, struct digest *out, int32_t tid,
				 uint32_t cpu, uint64_t first_ns)
{
	const struct cdict_digest_life *life = life_of(d, tid);
	struct digest_task *task = digest_take_task(out, tid, cpu, life ? life->born_ns : first_ns);

	return task ? digest_take_row(out, task) : NULL;
}

static int add_file_kvm(struct digest *out, struct digest_row *to, const struct cdict_digest_row *r,
			uint32_t cpu)
{
	struct digest_kvm k = { .exit = at_ns(r->exit_ns, cpu),
				.entry = at_ns(r->entry_ns, cpu),
				.user = at_ns(r->user_ns, cpu),
				.access_ns = r->access_ns,
				.type = r->exit_type,
				.value = r->exit_reason,
				.how = r->exit_how,
				.isa = r->exit_isa,
				.vcpu_ns = ANALYZE_NO_TIME };
	struct digest_kvm *kvm;

	if (r->exit_ns == CDICT_NEVER && r->entry_ns == CDICT_NEVER && r->user_ns == CDICT_NEVER &&
	    r->access_ns == CDICT_NEVER)
		return 0;
	kvm = digest_take_kvm(out, to);
	if (!kvm)
		return -ENOMEM;
	digest_add_kvm(kvm, &k);
	return 0;
}

/* The file stores a switch-in only of the task on the CPU: for other tasks that ran, 0 stands for
 * it, the earliest time. */
static int add_file_row(const struct digests *d, const struct cdict_digest_row *r, uint32_t cpu,
			uint64_t first_ns, struct digest *out)
{
	const uint64_t *up_ns = d->file->wakes_apart ? d->file->up_ns[r - d->file->rows] : NULL;
	struct digest_row *to = row_of(d, out, r->tid, cpu, first_ns);

	if (!to)
		return -ENOMEM;
	if (digest_later(r->out_ns[0], to->out[0].t_ns))
		to->off = (uint8_t)state_class(&d->states, r->prev_state);
	for (unsigned i = 0; i < 2; i++) {
		struct digest_when moved = at_ns(r->moved_ns[i], r->moved_cpu);
		struct digest_when wake = at_ns(r->wake_ns[i], r->wake_cpu);
		struct digest_when when = at_ns(r->out_ns[i], cpu);

		digest_latest_two(to->out, &when);
		digest_latest_two(to->wake, &wake);
		if (up_ns)
			digest_latest_two(to->up, &(struct digest_when){
							  up_ns[i], up_ns[i] == r->woken_ns
									    ? r->woken_cpu
									    : CDICT_CPU_UNKNOWN });
		digest_latest_two(to->moved, &moved);
	}
	if (r->ran)
		digest_latest_two(to->in, &(struct digest_when){ 0, cpu });
	digest_latest_two(to->in, &(struct digest_when){ r->in_ns, cpu });
	digest_latest(&to->woken, &(struct digest_when){ r->woken_ns, r->woken_cpu });
	if (digest_later(r->io_ns, to->io_ns))
		to->io_ns = r->io_ns;
	return add_file_kvm(out, to, r, cpu);
}

/* Adds the rows of @cut and of the CPU's cuts before it, and the CPU's state there. */
static int add_rows(const struct digests *d, const struct cut *cut, struct digest *out)
{
	const struct cdict_digest_cut *of = cut->of;
	const struct cpu_cuts *cpu = &d->cpus[of->cpu];
	struct digest_cpu *to = &out->cpus[of->cpu];
	struct digest_row *row;

	to->first_ns = cpu->first_ns;
	to->last_ns = cdict_reader_block_at(d->reader, of->block)->last_ns;
	if (digest_later(cut->break_ns, to->break_ns))
		to->break_ns = cut->break_ns;
	to->switch_ns = of->switch_ns;
	to->cur = of->cur;
	row = row_of(d, out, of->cur, of->cpu, of->switch_ns);
	if (!row)
		return -ENOMEM;
	digest_latest_two(row->in, &(struct digest_when){ of->switch_ns, of->cpu });
	for (size_t i = (size_t)(cut - d->cuts) + 1; i; i = d->cuts[i - 1].before) {
		of = d->cuts[i - 1].of;
		for (size_t k = 0; k < of->n_rows; k++)
			if (add_file_row(d, &of->rows[k], of->cpu, cpu->first_ns, out))
				return -ENOMEM;
	}
	return 0;
}

/* Adds the samples before the first switch, which the file's rows lack. */
static int add_head(const struct digests *d, const struct part *head, struct digest *out)
{
	digest_add_cpu(&out->cpus[head->cpu], &head->sum.cpus[0]);
	for (size_t i = 0; i < head->sum.rows.n; i++) {
		const struct digest_row *row = &head->sum.rows.at[i];
		const struct digest_task *task = &head->sum.tasks.at[row->task];
		struct digest_row *to = row_of(d, out, task->tid, task->cpu, task->first_ns);

		if (!to)
			return -ENOMEM;
		digest_add_early(to, row);
	}
	return 0;
}

/* Adds the events after @cut and before @t_ns. */
static int add_behind(struct digests *d, size_t cut, struct part *rest, uint64_t t_ns,
		      struct lead_cpu *lead, struct digest *out, struct cdict_error *err)
{
	struct pieces *pieces = &d->cpus[rest->cpu].pieces, *keep;
	uint64_t to_ns = lead ? lead->from_ns : t_ns;
	size_t i = 0;
	int ret;

	if (pieces->cut != cut || pieces->all.n >= PIECES_MAX)
		digest_forget_pieces(d, pieces);
	pieces->cut = cut;
	for (; i < pieces->all.n && pieces->all.at[i].last_ns < t_ns; i++) {
		const struct part *p = &pieces->all.at[i];

		if (digest_add_part(out, p))
			return cdict_fail_nomem(err);
		rest->first_ns = p->last_ns + 1;
		rest->switched |= p->sum.cpus[0].switch_ns != ANALYZE_NO_TIME;
	}
	keep = i == pieces->all.n ? pieces : NULL;
	if (lead) {
		lead->from_ns = rest->first_ns > to_ns ? rest->first_ns : to_ns;
		lead->keep = keep;
	}
	if (rest->first_ns >= to_ns)
		return 0;
	ret = digest_add_piece(d, rest, to_ns, out, keep, err);
	/* Kept pieces must be contiguous. */
	if (lead && keep && (!keep->all.n || keep->all.at[keep->all.n - 1].last_ns + 1 != to_ns))
		lead->keep = NULL;
	return ret;
}

/* Adds the events of @cpu before @t_ns. */
static int add_cuts(struct digests *d, uint32_t cpu, uint64_t t_ns, struct lead_cpu *lead,
		    struct digest *out, struct cdict_error *err)
{
	const struct cpu_cuts *c = &d->cpus[cpu];
	struct part rest = { .cpu = cpu };
	size_t i = c->last;

	if (!i || c->first_ns >= t_ns) {
		if (lead)
			lead->from_ns = t_ns;
		return 0;
	}
	while (i && (d->cuts[i - 1].of->last || d->cuts[i - 1].of->ahead_ns >= t_ns))
		i = d->cuts[i - 1].before;
	/* The file does not store samples before a CPU's first switch. */
	if (i && d->cuts[i - 1].of->switched) {
		if (add_head(d, &c->head, out) || add_rows(d, &d->cuts[i - 1], out))
			return cdict_fail_nomem(err);
		rest.first_ns = d->cuts[i - 1].next_first_ns;
		rest.switched = true;
	}
	return add_behind(d, i, &rest, t_ns, lead, out, err);
}

/* Links the cuts of each CPU, and finds its first and last time. */
static void link_cuts(struct digests *d)
{
	const struct cdict_digests *f = d->file;

	for (uint32_t c = 0; c < d->n_cpus; c++)
		d->cpus[c].first_ns = d->cpus[c].last_ns = ANALYZE_NO_TIME;
	for (size_t i = 0; i < f->n_cuts; i++) {
		struct cpu_cuts *c = &d->cpus[f->cuts[i].cpu];

		d->cuts[i] = (struct cut){ .of = &f->cuts[i],
					   .next_first_ns = ANALYZE_NO_TIME,
					   .before = c->last,
					   .break_ns = c->last ? d->cuts[c->last - 1].break_ns
							       : ANALYZE_NO_TIME };
		if (f->cuts[i].missing)
			d->cuts[i].break_ns =
				cdict_reader_block_at(d->reader, f->cuts[i].block)->last_ns;
		c->last = c->cut = i + 1;
	}
	/* From the last block on: @cut is the last of the CPU whose next block is not found. */
	for (size_t b = cdict_reader_block_count(d->reader); b-- > 0;) {
		const struct cdict_block_info *info = cdict_reader_block_at(d->reader, b);
		struct cpu_cuts *c = &d->cpus[info->cpu];

		while (c->cut && d->cuts[c->cut - 1].of->block >= b)
			c->cut = d->cuts[c->cut - 1].before;
		if (c->last_ns == ANALYZE_NO_TIME)
			c->last_ns = info->last_ns;
		c->first_ns = info->first_ns;
		/* The first block after the cut is set last. */
		if (c->cut)
			d->cuts[c->cut - 1].next_first_ns = info->first_ns;
	}
}

/* Sums up the CPUs' heads and last cuts as the digest of the whole. */
static int sum_heads(struct digests *d, struct cdict_error *err)
{
	for (uint32_t c = 0; c < d->n_cpus; c++) {
		struct cpu_cuts *cpu = &d->cpus[c];
		struct digest_cpu *to = &d->whole.cpus[c];
		const struct cut *last = cpu->last ? &d->cuts[cpu->last - 1] : NULL;
		int ret = 0;

		cpu->head.cpu = c;
		if (digest_init(&cpu->head.sum, 1))
			return cdict_fail_nomem(err);
		if (!last)
			continue;
		if (last->of->switched)
			ret = digest_read_piece(d, &cpu->head, last->of->first_switch_ns + 1, err);
		if (ret)
			return ret;
		digest_add_cpu(to, &cpu->head.sum.cpus[0]);
		to->first_ns = cpu->first_ns;
		to->last_ns = cpu->last_ns;
		to->first_switch_ns = last->of->first_switch_ns;
		if (digest_later(last->break_ns, to->break_ns))
			to->break_ns = last->break_ns;
		to->switch_ns = last->of->switch_ns;
		to->cur = last->of->cur;
	}
	return 0;
}

/* Of the heads, add_head() takes the samples: values of KVM events are not decoded. */
static int sum_whole(struct digests *d, struct cdict_error *err)
{
	uint64_t **all = d->fields;
	int ret;

	d->fields = types_fields(d->types, cdict_reader_schema(d->reader),
				 DIGEST_NEEDS & ~DIGEST_KVM_NEEDS, false);
	ret = d->fields ? sum_heads(d, err) : cdict_fail_nomem(err);
	free(d->fields);
	d->fields = all;
	return ret;
}

/* Adds the tasks running at the end; unknown where switches are missing. */
static int add_running(struct digests *d)
{
	for (uint32_t c = 0; c < d->n_cpus; c++) {
		const struct digest_cpu *cpu = &d->whole.cpus[c];
		struct digest_row *row;

		if (cpu->switch_ns == ANALYZE_NO_TIME)
			continue;
		row = row_of(d, &d->whole, cpu->cur, c, cpu->switch_ns);
		if (!row)
			return -ENOMEM;
		digest_latest_two(row->in, &(struct digest_when){ cpu->switch_ns, c });
	}
	return 0;
}

/* Whether wake-ups have a field "success" that may be 0: older files count those, too. */
static bool may_fail(const struct digests *d)
{
	for (size_t i = 0; i < d->n_types; i++)
		if (ANALYZE_NEED_WAKES & 1u << d->types[i].kind &&
		    d->types[i].field[WAKE_SUCCESS] >= 0)
			return true;
	return false;
}

int digest_take_file(struct digests *d, struct cdict_error *err)
{
	int ret = cdict_reader_digests(d->reader, &d->file, err);

	if (ret || !d->file)
		return ret;
	if (d->file->wakeup_counts == d->has.has_waking || (!d->file->wakes_apart && may_fail(d))) {
		cdict_digests_free(d->file);
		d->file = NULL;
		return 0;
	}
	d->cuts = calloc(d->file->n_cuts + 1, sizeof(*d->cuts));
	d->cpus = calloc((size_t)d->n_cpus + 1, sizeof(*d->cpus));
	if (d->n_cpus <= LEAD_CPUS)
		d->recent = calloc((size_t)d->n_cpus + 1, sizeof(*d->recent));
	if (!d->cuts || !d->cpus || (!d->recent && d->n_cpus <= LEAD_CPUS))
		return cdict_fail_nomem(err);
	link_cuts(d);
	ret = sum_whole(d, err);
	if (!ret && add_tasks(d, UINT64_MAX, &d->whole))
		ret = cdict_fail_nomem(err);
	if (!ret && !digests_broken(d) && add_running(d))
		ret = cdict_fail_nomem(err);
	d->done = !ret;
	return ret;
}

void digest_file_fini(struct digests *d)
{
	for (uint32_t c = 0; d->cpus && c < d->n_cpus; c++) {
		digest_fini(&d->cpus[c].head.sum);
		digest_forget_pieces(d, &d->cpus[c].pieces);
	}
	recent_fini(d);
	free(d->cpus);
	free(d->cuts);
	cdict_digests_free(d->file);
}

/* Removes the rows of dead tasks, which have nothing open: rows may lack the death. */
static void bury(const struct digests *d, struct digest *out, uint64_t t_ns)
{
	const struct cdict_digest_task *all = d->file->tasks;

	for (size_t i = 0; i < out->tasks.n; i++) {
		struct digest_task *task = &out->tasks.at[i];
		/* The file's tasks come first, in its order. */
		bool listed = i < d->file->n_tasks && all[i].tid == task->tid;
		const struct cdict_digest_life *life = task->row && !listed ? life_of(d, task->tid)
									    : NULL;

		if (listed ? all[i].died_ns <= t_ns : life && life->died_ns <= t_ns)
			task->row = 0;
	}
}

int digest_file_at(struct digests *d, uint64_t t_ns, struct analyze_engine *walk,
		   struct digest *out, struct cdict_error *err)
{
	bool leads = walk && d->n_cpus <= LEAD_CPUS;
	struct lead_cpu *cpus = leads ? digest_lead_cpus(d, walk, t_ns) : NULL;
	int ret = (leads && !cpus) || add_tasks(d, t_ns, out) ? cdict_fail_nomem(err) : 0;

	for (uint32_t c = 0; c < d->n_cpus && !ret; c++)
		ret = add_cuts(d, c, t_ns, cpus ? &cpus[c] : NULL, out, err);
	if (!ret && leads)
		ret = digest_add_lead(d, walk, cpus, t_ns, out, err);
	digest_lead_free(d, cpus);
	if (!ret)
		bury(d, out, t_ns);
	for (size_t i = 0; i < d->file->n_tasks && !ret; i++) {
		const struct cdict_digest_task *t = &d->file->tasks[i];
		const struct digest_row *row = t->is_vcpu ? digest_find(out, t->tid, 0) : NULL;

		if (row && row->kvm && out->kvm.at[row->kvm - 1].vcpu_ns == ANALYZE_NO_TIME)
			out->kvm.at[row->kvm - 1].vcpu_id = t->vcpu_id;
	}
	return ret;
}
