// SPDX-License-Identifier: LGPL-2.1-only
/* halts.c - see halts.h. */
#include "analyze/kvm/halts.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"
#include "base/memory/array.h"
#include "base/saturate.h"

struct analyze_halts {
	struct analyze_engine *eng;
	ARRAY(struct analyze_halt_row) rows; /* by task */
};

static void on_kvm(void *self, const struct analyze_kvm *k)
{
	struct analyze_halts *h = self;
	struct analyze_halt_row *row;

	if (!k->in || (k->kind != ANALYZE_KIND_KVM_WAKEUP && k->kind != ANALYZE_KIND_KVM_HALT_POLL))
		return;
	row = row_at(&h->rows, k->task);
	if (!row) {
		analyze_engine_out_of_memory(h->eng);
	} else if (k->kind == ANALYZE_KIND_KVM_HALT_POLL) {
		*(k->how ? &row->grown : &row->shrunk) += 1;
		if (k->value > row->limit_ns)
			row->limit_ns = k->value;
	} else if (k->how) {
		row->slept++;
		saturated_add(&row->slept_ns, k->value);
	} else {
		row->polled++;
		saturated_add(&row->polled_ns, k->value);
	}
}

static int part(void *self, struct analyze_engine *eng, struct cdict_error *err)
{
	struct analyze_halts *later;

	(void)self;
	return analyze_halts_new(&later, eng, err);
}

static void part_free(void *self)
{
	analyze_halts_free(self);
}

static int begun(void *self)
{
	struct analyze_halts *h = self;

	h->rows.n = 0;
	return 0;
}

static int join(void *self, void *later)
{
	struct analyze_halts *h = self, *l = later;

	for (size_t i = 0; i < l->rows.n; i++) {
		struct analyze_halt_row *row = row_at(&h->rows, i);

		if (!row)
			return -ENOMEM;
		analyze_halts_add(row, &l->rows.at[i]);
	}
	return 0;
}

static const struct analyze_ops ops = {
	.needs = ANALYZE_NEED(KVM_WAKEUP) | ANALYZE_NEED(KVM_HALT_POLL),
	.kvm = on_kvm,
	/* each event is complete in itself */
	.resumes = true,
	.part = part,
	.part_free = part_free,
	.begun = begun,
	.join = join,
};

int analyze_halts_new(struct analyze_halts **out, struct analyze_engine *eng,
		      struct cdict_error *err)
{
	struct analyze_halts *h = calloc(1, sizeof(*h));
	int ret;

	*out = NULL;
	if (!h)
		return cdict_fail_nomem(err);
	h->eng = eng;
	ret = analyze_engine_add(eng, &ops, h, err);
	if (ret) {
		free(h);
		return ret;
	}
	*out = h;
	return 0;
}

void analyze_halts_free(struct analyze_halts *h)
{
	if (!h)
		return;
	array_fini(&h->rows);
	free(h);
}

void analyze_halts_add(struct analyze_halt_row *to, const struct analyze_halt_row *one)
{
	to->polled += one->polled;
	to->polled_ns += one->polled_ns;
	to->slept += one->slept;
	to->slept_ns += one->slept_ns;
	to->grown += one->grown;
	to->shrunk += one->shrunk;
	if (one->limit_ns > to->limit_ns)
		to->limit_ns = one->limit_ns;
}

const struct analyze_halt_row *analyze_halts_row(const struct analyze_halts *h, uint32_t task)
{
	static const struct analyze_halt_row none;

	return task < h->rows.n ? &h->rows.at[task] : &none;
}
