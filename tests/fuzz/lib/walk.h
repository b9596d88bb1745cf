/* SPDX-License-Identifier: GPL-2.0-only */
/* walk.h - reads all that an open cdict gives; what fuzz targets share. */
#ifndef TESTS_FUZZ_LIB_WALK_H
#define TESTS_FUZZ_LIB_WALK_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cdict/digest.h"
#include "cdict/reader.h"
#include "cdict/stack.h"

static volatile uint64_t walk_sum;

static inline void walk_event(const struct cdict_reader *r, const struct cdict_event *ev)
{
	uint8_t raw[512];

	walk_sum += cdict_event_payload(cdict_reader_schema(r), ev, raw, sizeof(raw)) + ev->t_ns;
	for (size_t i = 0; i < ev->type->n_fields; i++) {
		struct cdict_bytes b;

		if (ev->type->fields[i].kind <= CDICT_FIELD_INT) {
			walk_sum += ev->values[i];
			continue;
		}
		b = cdict_event_bytes(ev, i);
		if (b.len)
			walk_sum += b.data[0] + b.data[b.len - 1];
	}
}

static inline void walk_stack(const struct cdict_reader *r, uint32_t stack)
{
	const uint32_t *frames;
	size_t n = cdict_reader_stack_at(r, stack, &frames);

	while (n--) {
		const struct cdict_frame *f = cdict_reader_frame_at(r, frames[n]);

		walk_sum += strlen(f->symbol) + strlen(f->object) + f->address + f->offset;
	}
}

/* walk_all - everything except events, the events, and verify. */
static inline void walk_all(struct cdict_reader *r)
{
	const struct cdict_schema *schema = cdict_reader_schema(r);
	struct cdict_error err;
	struct cdict_digests *digests;
	struct cdict_events *it;
	struct cdict_event ev;
	struct cdict_damage d;
	int verified;

	for (size_t i = 0; i < cdict_reader_info_count(r); i++) {
		const char *key, *value;

		cdict_reader_info_at(r, i, &key, &value);
		walk_sum += strlen(key) + strlen(value);
	}
	for (size_t i = 0; i < cdict_reader_task_count(r); i++)
		if (cdict_reader_task_at(r, i)->comm)
			walk_sum += (uint8_t)cdict_reader_task_at(r, i)->comm[0];
	for (size_t i = 0; i < cdict_reader_loss_count(r); i++)
		walk_sum += cdict_reader_loss_at(r, i)->count;
	for (size_t i = 0; i < cdict_reader_label_count(r); i++) {
		const struct cdict_label *l = cdict_reader_label_at(r, i);

		walk_sum += strlen(l->name) + strlen(l->group) + strlen(l->group_type) +
			    strlen(l->role) + strlen(l->uuid) + strlen(l->instance) +
			    strlen(l->project) + strlen(l->host);
		if (l->tid <= 0 || l->pid < 0)
			abort();
	}
	for (size_t i = 0; i < cdict_reader_unstored_count(r); i++)
		walk_sum += strlen(cdict_reader_unstored_at(r, i)->name);
	for (size_t i = 0; i < cdict_schema_count(schema); i++)
		walk_sum += strlen(cdict_schema_at(schema, i)->format);
	if (!cdict_events_open(&it, r, NULL, &err)) {
		while (cdict_events_next(it, &ev, &err) == 1) {
			uint32_t stack = cdict_events_stack(it);

			walk_event(r, &ev);
			if (stack != CDICT_NO_STACK)
				walk_stack(r, stack);
		}
		cdict_events_close(it);
	}
	if (!cdict_reader_digests(r, &digests, &err) && digests) {
		for (size_t i = 0; i < digests->n_cuts; i++)
			for (size_t k = 0; k < digests->cuts[i].n_rows; k++)
				walk_sum += digests->cuts[i].rows[k].out_ns[0];
		for (size_t i = 0; i < digests->n_tasks; i++)
			walk_sum += strlen(digests->tasks[i].comm);
		cdict_digests_free(digests);
	}
	verified = cdict_reader_verify(r, &err);
	cdict_reader_damage(r, &d);
	/* What verify says, damage says as well. */
	if (!verified != !d.first[0])
		abort();
}

#endif
