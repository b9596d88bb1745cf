/* SPDX-License-Identifier: GPL-2.0-only */
/* choose_internal.h - shared by choosing tracepoints and events that are sampled. */
#ifndef CAPTURE_HOST_CHOOSE_INTERNAL_H
#define CAPTURE_HOST_CHOOSE_INTERNAL_H

#include "capture/host/choose.h"

/* choice_add_event - adds the event "system:event", unless it is there already; @sampled NULL: a
 * tracepoint. */
int choice_add_event(struct choice *c, const char *name, const struct perf_event_attr *sampled,
		     struct cdict_error *err);
/* choice_add_sampled - adds @item if it names an event that is no tracepoint, with the modifiers of
 * its group; *added: it does. */
int choice_add_sampled(struct choice *c, const char *item, const char *of_group, bool *added,
		       struct cdict_error *err);
void chosen_fini(struct chosen *ev);

#endif
