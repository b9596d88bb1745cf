// SPDX-License-Identifier: LGPL-2.1-only
/* engine.c - the walk: reads events, keeps the time, passes them on. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/walk/digest.h"
#include "base/fail.h"
#include "base/sampled.h"
#include "base/saturate.h"
#include "cdict/stack.h"

/* Events whose loss breaks pairs of scheduler events, and of KVM events. */
#define SCHED_KINDS (ANALYZE_NEED(SWITCH) | ANALYZE_NEED_WAKES)
#define KVM_KINDS                                                                                  \
	(ANALYZE_NEED(KVM_ENTRY) | ANALYZE_NEED(KVM_EXIT) | ANALYZE_NEED(KVM_REASON) |             \
	 ANALYZE_NEED(KVM_USERSPACE) | ANALYZE_NEED(KVM_PIO) | ANALYZE_NEED(KVM_MMIO) |            \
	 ANALYZE_NEED(KVM_MSR))

#define SYS_KINDS ANALYZE_NEED_SYSCALLS

/* Events after the window between two checks whether something is open. */
enum { SETTLED_EVERY = 64 };

/* Higher CPU numbers are damage; their events count, but for no CPU. */
enum { CPUS_MAX = 1 << 16 };

int analyze_engine_new(struct analyze_engine **out, const struct analyze_options *opts,
		       struct cdict_error *err)
{
	struct analyze_engine *eng = calloc(1, sizeof(*eng));

	*out = NULL;
	if (!eng)
		return cdict_fail_nomem(err);
	if (opts)
		eng->opts = *opts;
	eng->needs = ANALYZE_NEED_TASKS;
	*out = eng;
	return 0;
}

void analyze_engine_free(struct analyze_engine *eng)
{
	if (!eng)
		return;
	for (size_t i = 0; eng->is_later && i < eng->hooks.n; i++)
		if (eng->hooks.at[i].ops->part_free)
			eng->hooks.at[i].ops->part_free(eng->hooks.at[i].self);
	array_fini(&eng->hooks);
	free(eng->on_run);
	free(eng->types);
	free(eng->cpus);
	free(eng->loose);
	array_fini(&eng->accounted);
	array_fini(&eng->early_wakers);
	free(eng->records);
	cdict_events_close(eng->it);
	free(eng->windows);
	array_fini(&eng->start.all);
	free(eng->start_cpus);
	if (eng->at)
		digest_fini(eng->at);
	free(eng->at);
	array_fini(&eng->waits);
	array_fini(&eng->early);
	free(eng->ahead);
	map_fini(&eng->vms);
	gaps_fini(&eng->sched_gaps);
	gaps_fini(&eng->kvm_gaps);
	gaps_fini(&eng->sys_gaps);
	table_fini(&eng->table);
	free(eng);
}

int analyze_engine_add(struct analyze_engine *eng, const struct analyze_ops *ops, void *self,
		       struct cdict_error *err)
{
	if (array_push(&eng->hooks, (struct hook){ .ops = ops, .self = self }))
		return cdict_fail_nomem(err);
	eng->needs |= ops->needs;
	eng->asked |= ops->needs;
	eng->walk_all |= !ops->resumes;
	return 0;
}

void analyze_engine_walk_all(struct analyze_engine *eng)
{
	eng->walk_all = true;
}

void *analyze_engine_find(const struct analyze_engine *eng, const struct analyze_ops *ops)
{
	for (size_t i = 0; i < eng->hooks.n; i++)
		if (eng->hooks.at[i].ops == ops)
			return eng->hooks.at[i].self;
	return NULL;
}

void analyze_engine_out_of_memory(struct analyze_engine *eng)
{
	eng->out_of_memory = true;
}

const struct analyze_options *analyze_engine_options(const struct analyze_engine *eng)
{
	return &eng->opts;
}

uint32_t analyze_engine_last_cpu(const struct analyze_engine *eng, uint32_t task)
{
	return eng->table.all.at[task].cpu;
}

uint32_t analyze_engine_stack(const struct analyze_engine *eng)
{
	return eng->stack ? eng->stack(eng->stack_ctx) : CDICT_NO_STACK;
}

uint32_t analyze_engine_sampled(const struct analyze_engine *eng, uint32_t cpu)
{
	return cpu < eng->n_cpus ? eng->cpus[cpu].last : ANALYZE_NO_TASK;
}

const char *analyze_engine_state(const struct analyze_engine *eng, uint64_t prev_state,
				 char room[ANALYZE_STATE_ROOM])
{
	uint64_t named = prev_state & eng->states.known;
	size_t n = 0;

	for (; named && n < ANALYZE_STATE_ROOM - 2; named &= named - 1)
		room[n++] = eng->states.letter[__builtin_ctzll(named)];
	if (!n)
		room[n++] = 'R';
	/* a bit without a letter means preemption */
	if (prev_state & ~eng->states.known)
		room[n++] = '+';
	room[n] = '\0';
	return room;
}

uint64_t analyze_engine_now(const struct analyze_engine *eng)
{
	return eng->now_ns;
}

uint64_t analyze_engine_moved_ns(const struct analyze_engine *eng, uint32_t task)
{
	return eng->table.all.at[task].moved_ns;
}

uint64_t analyze_engine_clip(const struct analyze_engine *eng, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t ns = 0, from, to;

	if (!eng->windows) {
		engine_clip(eng, &from_ns, &to_ns);
		return to_ns - from_ns;
	}
	for (from = from_ns, to = to_ns; analyze_engine_part(eng, &from, &to);
	     from = to, to = to_ns)
		ns += to - from;
	return ns;
}

bool analyze_engine_part(const struct analyze_engine *eng, uint64_t *from_ns, uint64_t *to_ns)
{
	if (!eng->windows) {
		engine_clip(eng, from_ns, to_ns);
		return *from_ns < *to_ns;
	}
	for (size_t i = engine_window(eng, *from_ns); eng->windows[i].from_ns < *to_ns; i++) {
		const struct timespec_window *w = &eng->windows[i];
		uint64_t from = *from_ns > w->from_ns ? *from_ns : w->from_ns;
		uint64_t to = *to_ns < w->to_ns ? *to_ns : w->to_ns;

		if (from >= to)
			continue;
		*from_ns = from;
		*to_ns = to;
		return true;
	}
	return false;
}

bool analyze_engine_longest(const struct analyze_engine *eng, uint64_t *from_ns, uint64_t *to_ns)
{
	uint64_t from = *from_ns, to = *to_ns, begin = *from_ns, end = *to_ns, most = 0;

	for (; analyze_engine_part(eng, &from, &to); from = to, to = end) {
		if (to - from <= most)
			continue;
		most = to - from;
		*from_ns = eng->opts.whole_waits ? begin : from;
		*to_ns = to;
	}
	return most > 0;
}

size_t analyze_engine_window_of(const struct analyze_engine *eng, uint64_t t_ns)
{
	size_t i = engine_window(eng, t_ns);

	/* its end may be the begin of the next one */
	return i + (i + 1 < eng->n_windows && eng->windows[i].to_ns == t_ns);
}

void analyze_engine_window_at(const struct analyze_engine *eng, size_t i, uint64_t *from_ns,
			      uint64_t *to_ns)
{
	*from_ns = eng->windows ? eng->windows[i].from_ns : eng->sum.from_ns;
	*to_ns = eng->windows ? eng->windows[i].to_ns : eng->sum.to_ns;
}

size_t engine_window(const struct analyze_engine *eng, uint64_t t)
{
	size_t lo = 0, hi = eng->n_windows;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (eng->windows[mid].to_ns < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void analyze_engine_window(const struct analyze_engine *eng, uint64_t *from_ns, uint64_t *to_ns)
{
	*from_ns = eng->sum.from_ns;
	*to_ns = eng->sum.to_ns;
}

void analyze_engine_walk(const struct analyze_engine *eng, uint64_t *from_ns, uint64_t *to_ns)
{
	*from_ns = eng->walk_from_ns;
	*to_ns = eng->walk_to_ns;
}

uint64_t analyze_engine_gap(const struct analyze_engine *eng, bool kvm, uint32_t cpu,
			    uint64_t from_ns, uint64_t to_ns)
{
	const struct gap_set *set = kvm ? &eng->kvm_gaps : &eng->sched_gaps;

	return gaps_find(set, cpu, from_ns, to_ns);
}

uint64_t analyze_engine_lost(const struct analyze_engine *eng, bool kvm, uint64_t from_ns,
			     uint64_t to_ns)
{
	return gaps_lost(kvm ? &eng->kvm_gaps : &eng->sched_gaps, from_ns, to_ns);
}

uint64_t analyze_engine_gap_end(const struct analyze_engine *eng, uint64_t from_ns, uint64_t to_ns)
{
	return gaps_end(&eng->sched_gaps, from_ns, to_ns);
}

bool analyze_engine_pair_broken(const struct analyze_engine *eng, const struct analyze_kvm *k,
				uint64_t since_ns, uint32_t cpu)
{
	uint64_t moved = analyze_engine_moved_ns(eng, k->task);
	bool stayed = cpu == k->cpu && (moved == ANALYZE_NO_TIME || moved <= since_ns);

	if (k->kind == ANALYZE_KIND_KVM_EXIT && cpu != k->cpu)
		return true; /* a guest stays on its CPU */
	return analyze_engine_gap(eng, true, stayed ? k->cpu : CDICT_CPU_UNKNOWN, since_ns,
				  k->t_ns) != ANALYZE_NO_TIME;
}

bool analyze_engine_call_broken(const struct analyze_engine *eng, const struct analyze_syscall *sc,
				uint64_t since_ns, uint32_t cpu)
{
	uint64_t moved = analyze_engine_moved_ns(eng, sc->task);
	bool stayed = cpu == sc->cpu && (moved == ANALYZE_NO_TIME || moved <= since_ns);

	return gaps_find(&eng->sys_gaps, stayed ? sc->cpu : CDICT_CPU_UNKNOWN, since_ns,
			 sc->t_ns) != ANALYZE_NO_TIME;
}

uint64_t analyze_engine_ran_ns(const struct analyze_engine *eng, uint32_t task)
{
	const struct task *t = &eng->table.all.at[task];

	return t->ran_ns + (t->where == TASK_ON ? eng->now_ns - t->since_ns : 0);
}

uint32_t analyze_engine_running(const struct analyze_engine *eng, uint32_t cpu, uint64_t *since_ns)
{
	if (cpu >= eng->n_cpus)
		return ANALYZE_NO_TASK;
	*since_ns = eng->cpus[cpu].since_ns;
	return eng->cpus[cpu].cur;
}

size_t analyze_engine_task_count(const struct analyze_engine *eng)
{
	return eng->table.all.n;
}

const struct analyze_task *analyze_engine_task(const struct analyze_engine *eng, uint32_t index)
{
	return &eng->table.all.at[index].pub;
}

uint64_t analyze_engine_absent_ns(const struct analyze_engine *eng, uint32_t index)
{
	const struct task *t = &eng->table.all.at[index];
	uint64_t ns = 0;

	if (t->pub.born_ns != ANALYZE_NO_TIME)
		ns += analyze_engine_clip(eng, 0, t->pub.born_ns);
	if (t->gone)
		ns += analyze_engine_clip(eng, t->moved_ns, eng->sum.to_ns);
	return ns;
}

uint32_t analyze_engine_cpus(const struct analyze_engine *eng)
{
	return eng->n_cpus;
}

bool analyze_engine_open(const struct analyze_engine *eng)
{
	return eng->open;
}

const struct analyze_summary *analyze_engine_summary(const struct analyze_engine *eng)
{
	return &eng->sum;
}

bool analyze_engine_has_vcpus(const struct analyze_engine *eng)
{
	const unsigned kinds = ANALYZE_NEED(KVM_ENTRY) | ANALYZE_NEED(KVM_EXIT);

	for (size_t i = 0; i < eng->n_types; i++)
		if ((kinds & 1u << eng->types[i].kind) &&
		    (!eng->reader || cdict_reader_has_type(eng->reader, i)))
			return true;
	return false;
}

uint64_t analyze_engine_cpu_unknown_ns(const struct analyze_engine *eng, uint32_t cpu)
{
	return cpu < eng->n_cpus ? eng->cpus[cpu].unknown_ns : 0;
}

uint64_t analyze_engine_loss_ns(const struct analyze_engine *eng, uint32_t cpu)
{
	uint64_t ns = 0;

	if (!eng->windows)
		return gaps_ns(&eng->sched_gaps, cpu, eng->sum.from_ns, eng->sum.to_ns);
	for (size_t i = 0; i < eng->n_windows; i++)
		ns += gaps_ns(&eng->sched_gaps, cpu, eng->windows[i].from_ns,
			      eng->windows[i].to_ns);
	return ns;
}

/* One allocation holds the ten NULL-terminated lists. */
static int sort_hooks(struct analyze_engine *eng)
{
	size_t n = eng->hooks.n + 1;
	struct hook *room = calloc(11 * n, sizeof(*room));

	if (!room)
		return -ENOMEM;
	eng->on_run = room;
	eng->on_away = room + n;
	eng->on_sw = room + 2 * n;
	eng->on_wake = room + 3 * n;
	eng->on_sched = room + 4 * n;
	eng->on_kvm = room + 5 * n;
	eng->on_events = room + 6 * n;
	eng->on_event = room + 7 * n;
	eng->on_syscall = room + 8 * n;
	eng->on_in = room + 9 * n;
	eng->on_sample = room + 10 * n;
	for (size_t i = 0, run = 0, away = 0, sw = 0, wake = 0, sched = 0, kvm = 0, events = 0,
		    event = 0, syscall = 0, in = 0, sample = 0;
	     i < eng->hooks.n; i++) {
		const struct analyze_ops *ops = eng->hooks.at[i].ops;

		if (ops->run)
			eng->on_run[run++] = eng->hooks.at[i];
		if (ops->away)
			eng->on_away[away++] = eng->hooks.at[i];
		if (ops->sw)
			eng->on_sw[sw++] = eng->hooks.at[i];
		if (ops->wake)
			eng->on_wake[wake++] = eng->hooks.at[i];
		if (ops->sched)
			eng->on_sched[sched++] = eng->hooks.at[i];
		if (ops->kvm)
			eng->on_kvm[kvm++] = eng->hooks.at[i];
		if (ops->events)
			eng->on_events[events++] = eng->hooks.at[i];
		if (ops->event)
			eng->on_event[event++] = eng->hooks.at[i];
		if (ops->syscall)
			eng->on_syscall[syscall++] = eng->hooks.at[i];
		if (ops->sample)
			eng->on_sample[sample++] = eng->hooks.at[i];
		if (ops->in)
			eng->on_in[in++] = eng->hooks.at[i];
	}
	return 0;
}

static int record_order(const void *a, const void *b)
{
	const struct cdict_task_event *const *x = a, *const *y = b;

	if ((*x)->t_ns != (*y)->t_ns)
		return (*x)->t_ns < (*y)->t_ns ? -1 : 1;
	/* They are in one array or were appended in order: address order is file order. */
	return *x < *y ? -1 : *x > *y;
}

static int sort_records(struct analyze_engine *eng, const struct analyze_source *src)
{
	eng->records = calloc(src->n_tasks ? src->n_tasks : 1, sizeof(*eng->records));
	if (!eng->records)
		return -ENOMEM;
	for (size_t i = 0; i < src->n_tasks; i++)
		eng->records[i] = src->task_at(src->ctx, i);
	/* In another PID namespace they are about other tasks. */
	eng->n_records = eng->sum.scope.foreign ? 0 : src->n_tasks;
	for (size_t i = 1; i < eng->n_records; i++) {
		if (record_order(&eng->records[i - 1], &eng->records[i]) <= 0)
			continue;
		qsort(eng->records, eng->n_records, sizeof(*eng->records), record_order);
		break;
	}
	eng->record_ns = eng->n_records ? eng->records[0]->t_ns : UINT64_MAX;
	return 0;
}

/* Keeps the parts of several windows inside from_ns and to_ns. */
static int set_windows(struct analyze_engine *eng)
{
	struct analyze_summary *sum = &eng->sum;

	if (eng->opts.n_windows < 2)
		return 0;
	eng->windows = calloc(eng->opts.n_windows + 1, sizeof(*eng->windows));
	if (!eng->windows)
		return -ENOMEM;
	sum->window_ns = 0;
	for (size_t i = 0; i < eng->opts.n_windows; i++) {
		struct timespec_window w = eng->opts.windows[i];

		w.from_ns = w.from_ns > sum->from_ns ? w.from_ns : sum->from_ns;
		w.to_ns = w.to_ns < sum->to_ns ? w.to_ns : sum->to_ns;
		if (w.from_ns > w.to_ns)
			continue;
		eng->windows[eng->n_windows++] = w;
		sum->window_ns += w.to_ns - w.from_ns;
	}
	eng->windows[eng->n_windows].from_ns = UINT64_MAX;
	return 0;
}

static void set_window(struct analyze_engine *eng, const struct analyze_source *src)
{
	struct analyze_summary *sum = &eng->sum;

	sum->first_ns = src->first_ns;
	sum->last_ns = src->last_ns;
	sum->from_ns = eng->opts.from_ns > src->first_ns ? eng->opts.from_ns : src->first_ns;
	sum->to_ns = eng->opts.to_ns && eng->opts.to_ns < src->last_ns ? eng->opts.to_ns
								       : src->last_ns;
	if (sum->from_ns > sum->to_ns)
		sum->from_ns = sum->to_ns;
	sum->window_ns = sum->to_ns - sum->from_ns;
	eng->closed = sum->to_ns == src->last_ns;
	eng->walk_from_ns = src->first_ns;
	eng->walk_to_ns = src->last_ns;
	eng->begin_ns = src->first_ns;
}

int engine_prepare(struct analyze_engine *eng, const struct analyze_source *src,
		   struct cdict_error *err)
{
	int ret;

	if (eng->ran)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "an engine runs once");
	eng->ran = true;
	set_window(eng, src);
	if (set_windows(eng))
		return cdict_fail_nomem(err);
	ret = types_resolve(&eng->types, src->schema, &eng->states, &eng->sum, err);
	if (ret)
		return ret;
	eng->sum.scope = src->scope;
	eng->stack = src->stack;
	eng->stack_ctx = src->ctx;
	/* If only some switches were recorded, the time between them is unknown. */
	if (src->scope.filtered)
		eng->sum.has_switch = false;
	eng->sum.has_runs = eng->sum.has_switch &&
			    (src->scope.kind != SCOPE_TASKS || eng->sum.has_runtime);
	if (src->scope.kind == SCOPE_TASKS)
		eng->needs |= ANALYZE_NEED(RUNTIME);
	eng->n_types = cdict_schema_count(src->schema);
	eng->n_cpus = src->cpus < CPUS_MAX ? src->cpus : CPUS_MAX;
	ret = gaps_init(&eng->sched_gaps, src, eng->types, SCHED_KINDS, eng->n_cpus, err);
	if (!ret)
		ret = gaps_init(&eng->kvm_gaps, src, eng->types, KVM_KINDS, eng->n_cpus, err);
	if (!ret && eng->needs & SYS_KINDS)
		ret = gaps_init(&eng->sys_gaps, src, eng->types, SYS_KINDS, eng->n_cpus, err);
	if (ret)
		return ret;
	for (size_t i = 0; i < src->n_losses; i++) {
		const struct cdict_loss *loss = src->loss_at(src->ctx, i);

		if (loss->what != CDICT_LOSS_DISORDER && loss->from_ns <= eng->sum.to_ns &&
		    loss->to_ns >= eng->sum.from_ns)
			saturated_add(&eng->sum.lost_events, loss->count);
	}
	eng->cpus = calloc(eng->n_cpus + 1, sizeof(*eng->cpus));
	if (src->scope.kind == SCOPE_TASKS)
		eng->loose = calloc(eng->n_cpus + 1, sizeof(*eng->loose));
	if (!eng->cpus || (src->scope.kind == SCOPE_TASKS && !eng->loose) ||
	    table_init(&eng->table, eng->n_cpus) || sort_hooks(eng) || sort_records(eng, src))
		return cdict_fail_nomem(err);
	eng->now_ns = eng->walk_from_ns;
	for (uint32_t c = 0; c < eng->n_cpus; c++) {
		eng->cpus[c].cur = eng->cpus[c].last = ANALYZE_NO_TASK;
		eng->cpus[c].last_tid = -1;
		eng->cpus[c].since_ns = eng->walk_from_ns;
		eng->cpus[c].counts = !eng->opts.cpus || (c < eng->opts.n_cpus &&
							  eng->opts.cpus[c / 64] >> (c % 64) & 1);
		/* With very many CPUs most do not exist: IDLE of those is created when seen. */
		if ((eng->cpus[c].counts || eng->n_cpus <= ANALYZE_CPUS_MANY) &&
		    table_find(&eng->table, 0, c) == ANALYZE_NO_TASK)
			return cdict_fail_nomem(err);
	}
	for (size_t i = 0; i < eng->hooks.n; i++) {
		const struct hook *h = &eng->hooks.at[i];

		ret = h->ops->start ? h->ops->start(h->self, src->schema, err) : 0;
		if (ret)
			return ret;
	}
	return 0;
}

/* PERF_RECORD_FORK, COMM, EXIT up to @t_ns. */
void engine_records(struct analyze_engine *eng, uint64_t t_ns)
{
	for (; eng->next_record < eng->n_records; eng->next_record++) {
		const struct cdict_task_event *rec = eng->records[eng->next_record];
		uint32_t i;

		eng->record_ns = rec->t_ns;
		if (rec->t_ns > t_ns)
			return;
		switch (rec->what) {
		case CDICT_TASK_FORK:
			if (!engine_heeds(eng, rec->tid, rec->pid))
				break;
			table_birth(&eng->table, rec->tid, rec->pid, rec->ppid, rec->t_ns);
			break;
		case CDICT_TASK_COMM:
		case CDICT_TASK_EXEC:
			if (rec->tid <= 0 || !engine_heeds(eng, rec->tid, rec->pid))
				break;
			i = table_find(&eng->table, rec->tid, CDICT_CPU_UNKNOWN);
			if (i == ANALYZE_NO_TASK)
				break;
			if (rec->pid >= 0)
				eng->table.all.at[i].pub.pid = rec->pid;
			task_comm(&eng->table.all.at[i], rec->comm, strlen(rec->comm));
			eng->table.all.at[i].named_ns = rec->t_ns;
			break;
		case CDICT_TASK_EXIT:
			i = rec->tid > 0 ? table_peek(&eng->table, rec->tid) : ANALYZE_NO_TASK;
			if (i == ANALYZE_NO_TASK)
				break;
			eng->table.all.at[i].pub.exit_ns = rec->t_ns;
			eng->table.all.at[i].recorded = true;
			break;
		}
	}
	eng->record_ns = UINT64_MAX;
}

static uint64_t value_of(const struct cdict_event *ev, int field)
{
	return field >= 0 ? ev->values[field] : 0;
}

static void report_sched(struct analyze_engine *eng, const struct cdict_event *ev,
			 const struct type_info *ti)
{
	struct analyze_sched s = { .t_ns = eng->now_ns,
				   .cpu = ev->cpu,
				   .in = engine_in(eng, eng->now_ns),
				   .kind = (enum analyze_kind)ti->kind };

	s.task = table_find(&eng->table, (int32_t)ev->values[ti->field[0]], ev->cpu);
	if (s.task == ANALYZE_NO_TASK)
		return;
	if (s.kind == ANALYZE_KIND_MIGRATE) {
		s.orig_cpu = (uint32_t)ev->values[ti->field[MIG_ORIG]];
		s.dest_cpu = (uint32_t)ev->values[ti->field[MIG_DEST]];
	} else {
		s.value = ev->values[ti->field[STAT_VALUE]];
		if (s.kind == ANALYZE_KIND_IOWAIT)
			eng->table.all.at[s.task].io = true;
	}
	for (const struct hook *h = eng->on_sched; h->ops; h++)
		h->ops->sched(h->self, &s);
}

static void notify_kvm(struct analyze_engine *eng, const struct cdict_event *ev,
		       const struct type_info *ti)
{
	struct analyze_kvm k = { .t_ns = eng->now_ns,
				 .cpu = ev->cpu,
				 .in = engine_in(eng, eng->now_ns) &&
				       analyze_engine_counts(eng, ev->cpu),
				 .kind = (enum analyze_kind)ti->kind,
				 .value = value_of(ev, ti->field[KVM_VALUE]),
				 .how = value_of(ev, ti->field[KVM_HOW]) };
	struct task *t;

	if (ev->tid <= 0 || (k.kind == ANALYZE_KIND_KVM_REASON && ti->field[KVM_VALUE] < 0))
		return;
	if (ev->cpu < eng->n_cpus && eng->cpus[ev->cpu].last_tid == ev->tid)
		k.task = eng->cpus[ev->cpu].last; /* set by track_sample() for this event */
	else
		k.task = table_find(&eng->table, ev->tid, ev->cpu);
	if (k.task == ANALYZE_NO_TASK)
		return;
	t = &eng->table.all.at[k.task];
	if (k.kind == ANALYZE_KIND_KVM_EXIT || k.kind == ANALYZE_KIND_KVM_REASON)
		k.isa = types_isa(ti, ev);
	if (k.kind == ANALYZE_KIND_KVM_ENTRY || k.kind == ANALYZE_KIND_KVM_EXIT)
		t->pub.is_vcpu = true;
	if (ti->field[KVM_VCPU] >= 0)
		t->pub.vcpu_id = (int32_t)ev->values[ti->field[KVM_VCPU]];
	for (const struct hook *h = eng->on_kvm; h->ops; h++)
		h->ops->kvm(h->self, &k);
}

/* The task of a sample that track_sample() has seen, or ANALYZE_NO_TASK. */
static uint32_t sampled_task(struct analyze_engine *eng, const struct cdict_event *ev)
{
	if (ev->tid < 0 || (!ev->tid && ev->pid))
		return ANALYZE_NO_TASK;
	if (ev->cpu < eng->n_cpus && eng->cpus[ev->cpu].last_tid == ev->tid)
		return eng->cpus[ev->cpu].last;
	return table_find(&eng->table, ev->tid, ev->cpu);
}

static void notify_event(struct analyze_engine *eng, const struct cdict_event *ev, bool in)
{
	const struct analyze_event e = { .t_ns = eng->now_ns,
					 .cpu = ev->cpu,
					 .in = in,
					 .task = sampled_task(eng, ev),
					 .type = (uint32_t)ev->type->index };

	for (const struct hook *h = eng->on_event; h->ops; h++)
		h->ops->event(h->self, &e);
}

static void report_syscall(struct analyze_engine *eng, const struct cdict_event *ev,
			   const struct type_info *ti)
{
	struct analyze_syscall sc = { .t_ns = eng->now_ns,
				      .cpu = ev->cpu,
				      .in = engine_in(eng, eng->now_ns) &&
					    analyze_engine_counts(eng, ev->cpu),
				      .exit = ti->kind == ANALYZE_KIND_SYS_EXIT,
				      .nr = (int64_t)ev->values[ti->field[SYS_NR]],
				      .task = sampled_task(eng, ev) };

	if (sc.task == ANALYZE_NO_TASK)
		return;
	if (sc.exit)
		sc.ret = (int64_t)ev->values[ti->field[SYS_RET]];
	for (const struct hook *h = eng->on_syscall; h->ops; h++)
		h->ops->syscall(h->self, &sc);
}

static void dispatch(struct analyze_engine *eng, const struct cdict_event *ev,
		     const struct type_info *ti)
{
	switch ((enum analyze_kind)ti->kind) {
	case ANALYZE_KIND_SWITCH:
		if (ev->cpu < eng->n_cpus && eng->sum.has_switch)
			track_switch(eng, ev, ti);
		break;
	case ANALYZE_KIND_WAKING:
	case ANALYZE_KIND_WAKEUP:
	case ANALYZE_KIND_WAKEUP_NEW:
		track_wake(eng, ev, ti);
		break;
	case ANALYZE_KIND_RUNTIME:
		if (eng->sum.scope.kind == SCOPE_TASKS)
			track_runtime(eng, ev, ti);
		report_sched(eng, ev, ti);
		break;
	case ANALYZE_KIND_MIGRATE:
	case ANALYZE_KIND_IOWAIT:
		report_sched(eng, ev, ti);
		break;
	case ANALYZE_KIND_FORK:
		table_birth(&eng->table, (int32_t)ev->values[ti->field[FORK_CHILD]], -1, -1,
			    eng->now_ns);
		break;
	case ANALYZE_KIND_EXEC:
		track_exec(eng, ev, ti);
		break;
	case ANALYZE_KIND_KVM_ENTRY:
	case ANALYZE_KIND_KVM_EXIT:
	case ANALYZE_KIND_KVM_USERSPACE:
	case ANALYZE_KIND_KVM_PIO:
	case ANALYZE_KIND_KVM_MMIO:
	case ANALYZE_KIND_KVM_MSR:
	case ANALYZE_KIND_KVM_VIRQ:
	case ANALYZE_KIND_KVM_WAKEUP:
	case ANALYZE_KIND_KVM_HALT_POLL:
	case ANALYZE_KIND_KVM_REASON:
		notify_kvm(eng, ev, ti);
		break;
	case ANALYZE_KIND_SYS_ENTER:
	case ANALYZE_KIND_SYS_EXIT:
		report_syscall(eng, ev, ti);
		break;
	default:
		break;
	}
}

/* Reports a sample to the analyses that want it; only for them its task enters the table. */
static void take_sample(struct analyze_engine *eng, const struct cdict_event *ev, bool in)
{
	const struct type_info *ti = &eng->types[ev->type->index];
	struct analyze_sample s = { .t_ns = eng->now_ns,
				    .cpu = ev->cpu,
				    .in = in && analyze_engine_counts(eng, ev->cpu),
				    .type = (uint32_t)ev->type->index };
	struct task *t;

	if (!eng->on_sample->ops || !(eng->needs & ANALYZE_NEED(SAMPLE)) || ev->tid < 0)
		return;
	s.task = table_find(&eng->table, ev->tid, ev->cpu);
	if (s.task == ANALYZE_NO_TASK)
		return;
	t = &eng->table.all.at[s.task];
	if (ev->pid > 0 && t->pub.pid <= 0)
		t->pub.pid = ev->pid;
	s.period = ev->values[ti->field[SAMPLED_PERIOD]];
	for (const struct hook *h = eng->on_sample; h->ops; h++)
		h->ops->sample(h->self, &s);
}

/* Returns whether the walk goes on. */
static bool take_event(struct analyze_engine *eng, const struct cdict_event *ev)
{
	bool guest = ev->mode == CDICT_MODE_GUEST_KERNEL || ev->mode == CDICT_MODE_GUEST_USER, in;
	const struct type_info *ti;

	if (ev->t_ns > eng->walk_to_ns)
		return false;
	if (eng->may_stop && ev->t_ns > eng->sum.to_ns && ev->t_ns > eng->now_ns &&
	    eng->past++ % SETTLED_EVERY == 0) {
		if (eng->now_ns < eng->sum.to_ns)
			eng->now_ns = eng->sum.to_ns;
		track_gaps(eng, eng->now_ns);
		eng->stopped = engine_settled(eng);
		if (eng->stopped)
			return false;
	}
	if (ev->t_ns < eng->begin_ns || ev->type->index >= eng->n_types ||
	    (guest && eng->opts.no_guest_mode))
		return true;
	if (ev->t_ns < eng->now_ns)
		eng->sum.disorder += engine_in(eng, eng->now_ns);
	else
		eng->now_ns = ev->t_ns;
	if (eng->begun < eng->sched_gaps.n)
		track_gaps(eng, eng->now_ns);
	if (eng->record_ns <= eng->now_ns)
		engine_records(eng, eng->now_ns);
	in = engine_in(eng, eng->now_ns);
	ti = &eng->types[ev->type->index];
	if (ti->kind == ANALYZE_KIND_SAMPLE) {
		take_sample(eng, ev, in);
		return true;
	}
	eng->sum.events += in;
	eng->sum.guest_mode += in && guest;
	track_sample(eng, ev, in);
	if (eng->on_event->ops && analyze_engine_counts(eng, ev->cpu))
		notify_event(eng, ev, in);
	if (eng->needs & 1u << ti->kind)
		dispatch(eng, ev, ti);
	return true;
}

/* The sample's tid belongs to the recorder's PID namespace; the payload has the host's, as in all
 * fields. */
static void take_host_tid(const struct analyze_engine *eng, struct cdict_event *ev)
{
	int field = ev->type->index < eng->n_types ? eng->types[ev->type->index].common_pid : -1;

	if (field < 0)
		return;
	ev->tid = (int32_t)ev->values[field];
	ev->pid = ev->tid ? -1 : 0;
}

bool engine_failed(const struct analyze_engine *eng)
{
	return eng->out_of_memory || eng->table.failed;
}

int engine_walk(struct analyze_engine *eng, const struct analyze_source *src, uint64_t events,
		struct cdict_error *err)
{
	struct cdict_event ev;
	int ret = 0;

	for (; events && !engine_failed(eng); events--) {
		ret = src->next(src->ctx, &ev, err);
		if (ret > 0 && eng->sum.scope.foreign)
			take_host_tid(eng, &ev);
		if (ret <= 0 || !take_event(eng, &ev))
			break;
	}
	if (ret < 0 || (!events && !engine_failed(eng)))
		return ret;
	if (eng->stopped) {
		ret = engine_stop(eng, err);
		if (ret)
			return ret;
		eng->walk_to_ns = eng->now_ns;
	} else {
		eng->open = engine_pending(eng);
	}
	if (eng->part_ns || eng->is_later)
		return engine_failed(eng) ? cdict_fail_nomem(err) : 0;
	return engine_end(eng, err);
}

int engine_end(struct analyze_engine *eng, struct cdict_error *err)
{
	int ret;

	engine_records(eng, UINT64_MAX);
	if (!engine_failed(eng))
		track_finish(eng, eng->walk_to_ns);
	if (engine_failed(eng))
		return cdict_fail_nomem(err);
	for (uint32_t c = 0; c < eng->n_cpus; c++) {
		eng->sum.unknown_ns += eng->cpus[c].counts ? eng->cpus[c].unknown_ns : 0;
		eng->sum.cpus_seen += eng->cpus[c].any;
	}
	for (size_t i = 0; i < eng->hooks.n; i++) {
		const struct hook *h = &eng->hooks.at[i];

		ret = h->ops->finish ? h->ops->finish(h->self, err) : 0;
		if (ret)
			return ret;
	}
	return engine_failed(eng) ? cdict_fail_nomem(err) : 0;
}

int analyze_engine_run(struct analyze_engine *eng, const struct analyze_source *src,
		       struct cdict_error *err)
{
	int ret = engine_prepare(eng, src, err);

	if (!ret)
		ret = early_wakes_of_source(eng, src, err);
	return ret ? ret : engine_walk(eng, src, UINT64_MAX, err);
}
