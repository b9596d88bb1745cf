// SPDX-License-Identifier: LGPL-2.1-only
/* halts.c - see halts.h. */
#include "analyze/halts.h"

#include <stdlib.h>

#include "analyze/index.h"
#include "analyze/ops.h"
#include "base/array.h"
#include "base/fail.h"

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
		row->slept_ns += k->value;
	} else {
		row->polled++;
		row->polled_ns += k->value;
	}
}

static const struct analyze_ops ops = {
	.needs = ANALYZE_NEED(KVM_WAKEUP) | ANALYZE_NEED(KVM_HALT_POLL),
	.kvm = on_kvm,
	/* each event tells all there is to know of it */
	.resumes = true,
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

const struct analyze_halt_row *analyze_halts_row(const struct analyze_halts *h, uint32_t task)
{
	static const struct analyze_halt_row none;

	return task < h->rows.n ? &h->rows.at[task] : &none;
}
