/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * marker_filter.h - a condition over the fields of one event type (grammar: markers.h).
 *
 * Failure    0 or a negative code with *err filled, CDICT_EUSAGE: the text is not a condition
 * Ownership  new gives, free takes (NULL is fine); type and text are borrowed
 */
#ifndef ANALYZE_PRINTING_MARKER_FILTER_H
#define ANALYZE_PRINTING_MARKER_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/event.h"

struct marker_filter;

/* marker_filter_new - @text NULL: every event passes. */
int marker_filter_new(struct marker_filter **out, const struct cdict_event_type *type,
		      const char *text, size_t len, struct cdict_error *err);
void marker_filter_free(struct marker_filter *f);

/* marker_filter_asks_comm - whether it uses the task's comm; marker_filter_fields - bitmap of the
 * fields that it uses; marker_filter_share - sets the fields of both filters to their union. */
bool marker_filter_asks_comm(const struct marker_filter *f);
const uint64_t *marker_filter_fields(const struct marker_filter *f);
void marker_filter_share(struct marker_filter *a, struct marker_filter *b);

/* marker_filter_passes - whether @ev matches; @comm: of the event's task, NULL: unknown. */
bool marker_filter_passes(const struct marker_filter *f, const struct cdict_event *ev,
			  const char *comm);

#endif
