// SPDX-License-Identifier: LGPL-2.1-only
/*
 * digest_pieces.c - digests of a CPU's events after a cut: events read for it, and events that the
 * walk about to begin there reads anyway.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyze/windows/digest_internal.h"
#include "base/fail.h"

/* Events of a piece that is kept for the next request, which folds at most that many again; bytes
 * kept for all CPUs. */
enum { PIECE_EVENTS = 1 << 14, KEPT_MAX = 8 << 20 };

size_t digest_part_bytes(const struct part *p)
{
	return p->sum.tasks.n * sizeof(*p->sum.tasks.at) + p->sum.rows.n * sizeof(*p->sum.rows.at) +
	       p->sum.kvm.n * sizeof(*p->sum.kvm.at);
}

void digest_forget_pieces(struct digests *d, struct pieces *pieces)
{
	for (size_t i = 0; i < pieces->all.n; i++) {
		d->kept -= digest_part_bytes(&pieces->all.at[i]);
		digest_fini(&pieces->all.at[i].sum);
	}
	array_fini(&pieces->all);
}

int digest_end_piece(struct digests *d, struct part *p, uint64_t next_ns, struct digest *out,
		     struct pieces **keep)
{
	struct part next = { .cpu = p->cpu,
			     .first_ns = next_ns,
			     .switched = p->switched ||
					 p->sum.cpus[0].switch_ns != ANALYZE_NO_TIME };
	struct part *kept;

	if (digest_add_part(out, p) || digest_init(&next.sum, 1))
		return -ENOMEM;
	kept = d->kept < KEPT_MAX ? array_add(&(*keep)->all) : NULL;
	if (kept) {
		p->last_ns = next_ns - 1;
		*kept = *p;
		d->kept += digest_part_bytes(p);
	} else {
		*keep = NULL;
		digest_fini(&p->sum);
	}
	*p = next;
	return 0;
}

/* With @keep, cuts the events into pieces of PIECE_EVENTS; *p is the last one. */
static int read_pieces(struct digests *d, struct part *p, uint64_t t_ns, struct digest *out,
		       struct pieces **keep, struct cdict_error *err)
{
	struct cdict_events *it = NULL;
	struct fold f;
	struct cdict_event ev;
	uint64_t n = 0;
	int ret = digest_open_cpu(d, &it, p->cpu, p->first_ns, t_ns - 1, err);

	recent_begin(d, p->cpu, p->first_ns);
	digest_fold_begin(&f, p);
	while (!ret && (ret = cdict_events_next(it, &ev, err)) > 0 && ev.t_ns < t_ns) {
		ret = 0;
		if (*keep && n++ >= PIECE_EVENTS && ev.t_ns > f.state->last_ns) {
			digest_fold_end(&f);
			ret = digest_end_piece(d, p, ev.t_ns, out, keep);
			digest_fold_begin(&f, p);
			n = 1;
		}
		if (!ret)
			digest_fold(d, &f, &ev);
		if (f.no_memory)
			ret = -ENOMEM;
	}
	digest_fold_end(&f);
	if (ret >= 0)
		recent_end(d, p->cpu, t_ns);
	cdict_events_close(it);
	return ret == -ENOMEM ? cdict_fail_nomem(err) : ret < 0 ? ret : 0;
}

int digest_read_piece(struct digests *d, struct part *p, uint64_t t_ns, struct cdict_error *err)
{
	struct pieces *none = NULL;

	return read_pieces(d, p, t_ns, NULL, &none, err);
}

int digest_add_piece(struct digests *d, const struct part *p, uint64_t t_ns, struct digest *out,
		     struct pieces *keep, struct cdict_error *err)
{
	struct part piece = { .cpu = p->cpu, .first_ns = p->first_ns, .switched = p->switched };
	int ret = digest_init(&piece.sum, 1) ? -ENOMEM : 0;

	if (!ret)
		ret = read_pieces(d, &piece, t_ns, out, &keep, err);
	if (!ret)
		ret = keep ? digest_end_piece(d, &piece, t_ns, out, &keep)
			   : digest_add_part(out, &piece);
	digest_fini(&piece.sum);
	return ret == -ENOMEM ? cdict_fail_nomem(err) : ret;
}

/* ---- events just before a walk ---- */

static bool walks(const struct analyze_engine *walk, uint32_t cpu)
{
	const struct analyze_options *o = &walk->opts;

	return !o->narrow || !o->cpus || (cpu < o->n_cpus && o->cpus[cpu / 64] >> cpu % 64 & 1);
}

struct lead_cpu *digest_lead_cpus(const struct digests *d, const struct analyze_engine *walk,
				  uint64_t t_ns)
{
	struct lead_cpu *cpus = calloc((size_t)d->n_cpus + 1, sizeof(*cpus));

	for (uint32_t c = 0; cpus && c < d->n_cpus; c++)
		cpus[c] = (struct lead_cpu){ .from_ns = t_ns, .before_ns = ANALYZE_NO_TIME };
	for (size_t b = 0; cpus && b < cdict_reader_block_count(d->reader); b++) {
		const struct cdict_block_info *info = cdict_reader_block_at(d->reader, b);
		struct lead_cpu *cpu = &cpus[info->cpu];

		if (info->last_ns < t_ns)
			cpu->before_ns = info->last_ns;
		else if (info->first_ns < cpu->from_ns && walks(walk, info->cpu) &&
			 (cpu->before_ns == ANALYZE_NO_TIME || cpu->before_ns < info->first_ns))
			cpu->from_ns = info->first_ns;
	}
	return cpus;
}

/* Adds the events of @c that the walk read to @out. */
static int end_lead(struct digests *d, struct lead_cpu *c, uint64_t t_ns, struct digest *out)
{
	struct pieces *keep = c->keep;
	int ret;

	digest_fold_end(c->fold);
	free(c->fold);
	c->fold = NULL;
	ret = keep ? digest_end_piece(d, &c->part, t_ns, out, &keep)
		   : digest_add_part(out, &c->part);
	digest_fini(&c->part.sum);
	return ret;
}

static int begin_lead(struct lead_cpu *c, uint32_t cpu, const struct digest *out)
{
	c->part = (struct part){ .cpu = cpu,
				 .first_ns = c->from_ns,
				 .switched = out->cpus[cpu].switch_ns != ANALYZE_NO_TIME };
	if (digest_init(&c->part.sum, 1))
		return -ENOMEM;
	c->fold = malloc(sizeof(*c->fold));
	if (!c->fold)
		return -ENOMEM;
	digest_fold_begin(c->fold, &c->part);
	return 0;
}

struct leading {
	struct digests *d;
	struct lead_cpu *cpus;
	const struct digest *out;
	bool no_memory;
};

static void lead(void *ctx, const struct cdict_event *ev)
{
	struct leading *l = ctx;
	struct lead_cpu *c = ev->cpu < l->d->n_cpus ? &l->cpus[ev->cpu] : NULL;

	if (!c || ev->t_ns < c->from_ns || l->no_memory)
		return;
	if (!c->fold && begin_lead(c, ev->cpu, l->out)) {
		l->no_memory = true;
		return;
	}
	digest_fold(l->d, c->fold, ev);
	l->no_memory |= c->fold->no_memory;
}

int digest_add_lead(struct digests *d, struct analyze_engine *walk, struct lead_cpu *cpus,
		    uint64_t t_ns, struct digest *out, struct cdict_error *err)
{
	struct leading l = { .d = d, .cpus = cpus, .out = out };
	int ret;

	for (uint32_t c = 0; c < d->n_cpus; c++)
		if (cpus[c].from_ns < t_ns)
			recent_begin(d, c, cpus[c].from_ns);
	ret = engine_lead(walk, lead, &l, err);
	for (uint32_t c = 0; c < d->n_cpus && !ret; c++)
		if (cpus[c].from_ns < t_ns)
			recent_end(d, c, t_ns);
	for (uint32_t c = 0; c < d->n_cpus && !ret && !l.no_memory; c++)
		l.no_memory = cpus[c].fold && end_lead(d, &cpus[c], t_ns, out);
	return l.no_memory ? cdict_fail_nomem(err) : ret;
}

void digest_lead_free(struct digests *d, struct lead_cpu *cpus)
{
	for (uint32_t c = 0; cpus && c < d->n_cpus; c++) {
		digest_fini(&cpus[c].part.sum);
		free(cpus[c].fold);
	}
	free(cpus);
}
