/* SPDX-License-Identifier: GPL-2.0-only */
/* Records in the order of time. */
#include "convert/symbols/arrivals.h"

void arrivals_fini(struct arrivals *a)
{
	buf_fini(&a->records);
	array_fini(&a->waiting);
}

static int by_time(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;

	return x->t_ns != y->t_ns ? (x->t_ns > y->t_ns ? 1 : -1)
				  : (x->at > y->at) - (x->at < y->at);
}

void arrivals_take(struct arrivals *a, struct spaces *to)
{
	if (!a->waiting.n)
		return;
	qsort(a->waiting.at, a->waiting.n, sizeof(*a->waiting.at), by_time);
	for (size_t i = 0; i < a->waiting.n; i++)
		spaces_record(to, a->records.data + a->waiting.at[i].at, a->waiting.at[i].size,
			      a->big, a->waiting.at[i].t_ns);
	a->waiting.n = 0;
	a->records.len = 0;
}

void arrivals_add(struct arrivals *a, struct spaces *to, const void *record, size_t size,
		  uint64_t t_ns)
{
	if (a->records.len > a->max_bytes)
		arrivals_take(a, to);
	if (buf_room(&a->records, size) &&
	    !array_push(&a->waiting, (struct arrival){ t_ns, a->records.len, size })) {
		buf_add(&a->records, record, size);
	} else { /* perhaps too early */
		to->out_of_memory = true;
		spaces_record(to, record, size, a->big, t_ns);
	}
}
