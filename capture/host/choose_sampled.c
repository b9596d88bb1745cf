/* SPDX-License-Identifier: GPL-2.0-only */
/* Chooses events that are sampled, and how often. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/sampled.h"
#include "capture/host/choose_internal.h"
#include "capture/host/events.h"
#include "capture/host/permit.h"
#include "capture/host/tracefs.h"

/* Whether a bare name is that of a tracepoint, or of a system. */
static bool is_tracepoint(const struct choice *c, const char *name)
{
	struct texts names = { 0 };
	struct cdict_error err;
	char glob[256];
	bool found = false;

	for (int i = 0; i < 2 && !found; i++) {
		snprintf(glob, sizeof(glob), i ? "%s:*" : "*:%s", name);
		found = !tracefs_names(&names, c->root, glob, &err) && names.n;
		texts_fini(&names);
	}
	return found;
}

int choice_add_sampled(struct choice *c, const char *item, const char *of_group, bool *added,
		       struct cdict_error *err)
{
	struct perf_event_attr attr = { 0 };
	const char *slash = strrchr(item, '/');
	bool has_mods = slash ? slash[1] : strchr(item, ':') != NULL, found;
	char name[256];
	int n;

	*added = false;
	/* patterns name tracepoints */
	if (!c->samples || (!slash && item[strcspn(item, "*?[")]))
		return 0;
	n = snprintf(name, sizeof(name), SAMPLED_SYSTEM ":%s%s%s", item,
		     has_mods || !*of_group || slash ? "" : ":", has_mods ? "" : of_group);
	if ((size_t)n >= sizeof(name))
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "the name of an event is longer than %zu bytes",
				  sizeof(name) - sizeof(SAMPLED_SYSTEM) - 1);
	found = event_known(name + sizeof(SAMPLED_SYSTEM), &attr);
	if (!found && (has_mods || !is_tracepoint(c, item))) {
		attr = (struct perf_event_attr){ 0 };
		/* libpfm4 has no tracepoints, but names with a colon */
		found = event_pfm(name + sizeof(SAMPLED_SYSTEM), &attr);
	}
	*added = found;
	return found ? choice_add_event(c, name, &attr, err) : 0;
}

/* The kernel's limit of samples a second; 0: not known. */
static uint64_t most_samples(void)
{
	char *text = tracefs_read("/proc/sys/kernel/perf_event_max_sample_rate", NULL);
	uint64_t most = text ? strtoull(text, NULL, 10) : 0;

	free(text);
	return most;
}

static int how_often(struct choice *c, uint64_t freq, uint64_t period, struct cdict_error *err)
{
	uint64_t most = most_samples();

	if (freq == CHOICE_FREQ_MOST)
		freq = most;
	if (!period && most && freq > most)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "option --freq: this kernel takes at most %" PRIu64
				  " samples a second (kernel.perf_event_max_sample_rate)",
				  most);
	if (!freq && !period)
		freq = most && most < CHOICE_FREQ ? most : CHOICE_FREQ;
	for (size_t i = 0; i < c->events.n; i++) {
		struct chosen *ev = &c->events.at[i];

		if (!ev->sampled)
			continue;
		ev->attr.freq = !period;
		if (period)
			ev->attr.sample_period = period;
		else
			ev->attr.sample_freq = freq;
	}
	return 0;
}

int choice_sampling(struct choice *c, const struct choice_sampling *how, struct buf *lacks,
		    struct cdict_error *err)
{
	size_t kept = 0;
	int ret = how_often(c, how->freq, how->period, err);

	for (size_t i = 0; i < c->events.n; i++) {
		struct chosen *ev = &c->events.at[i];
		int fd = ev->sampled && !ret ? event_try(&ev->attr, how->tid, how->cpu, NULL) : -1;

		if (ev->sampled && !ret && fd < 0 && event_is_uncountable(-fd)) {
			buf_printf(lacks, "%s'%s'", lacks->len ? ", " : "", ev->event);
			c->n_sampled--;
			chosen_fini(ev);
			continue;
		}
		if (ev->sampled && !ret && fd < 0)
			ret = fd == -EPERM || fd == -EACCES
				      ? permit_explain(fd, err)
				      : cdict_fail(err, fd, CDICT_NO_OFFSET, "event '%s': %s",
						   ev->event, strerror(-fd));
		if (fd >= 0)
			close(fd);
		c->events.at[kept++] = *ev;
	}
	c->events.n = kept;
	return !ret && lacks->failed ? cdict_fail_nomem(err) : ret;
}
