/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict push -e: counts events by program, into a job. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory/texts.h"
#include "capture/count/counting.h"
#include "cmd/fleet/push.h"
#include "cmd/record/record.h"
#include "query/fleet/figures/figures.h"
#include "query/fleet/figures/start.h"

/* Adds a row for each program and event with a count other than 0. */
static int add_counts(struct fleet_rows *rows, const struct counting_result *c,
		      struct cdict_error *err)
{
	int rc = 0;

	for (size_t name = 0; name < c->n_names && !rc; name++) {
		for (size_t event = 0; event < c->n_events && !rc; event++) {
			struct counting_figure figure = c->figures[name * c->n_events + event];
			const struct counting_event *ev = &c->events[event];
			const struct fleet_key key = { .name = c->names[name],
						       .reason = ev->name,
						       .vcpu = -1 };
			union fleet_any any;

			if (!figure.count)
				continue;
			memset(&any, 0, sizeof(any));
			any.count = (struct fleet_count_row){ .value = figure.value,
							      .count = figure.count,
							      .runs = 1,
							      .enabled_ns = ev->enabled_ns,
							      .running_ns = ev->running_ns };
			rc = fleet_rows_add(rows, FLEET_COUNTS, &key, &any, false, 0, err);
		}
	}
	return rc;
}

/* Warns about the limits of the figures. */
static void warn_uncounted(const struct cmd_call *call, const struct counting_result *c)
{
	if (c->lost)
		cmd_warn(call, NULL,
			 "%" PRIu64 " of %" PRIu64
			 " switches were lost: counts across them go to " COUNTING_UNKNOWN,
			 c->lost, c->switches + c->lost);
	for (size_t event = 0; event < c->n_events; event++) {
		const struct counting_event *ev = &c->events[event];

		if (ev->running_ns < ev->enabled_ns)
			cmd_warn(
				call, NULL,
				"event '%s': counted %.1f %% of the time (multiplexed): extrapolated",
				ev->name, 100.0 * (double)ev->running_ns / (double)ev->enabled_ns);
	}
	if (c->status)
		cmd_warn(call, NULL, "the command ended with status %d", c->status);
}

static bool is_open(const char *event)
{
	const char *slash = strchr(event, '/');

	return slash && !strchr(slash + 1, '/');
}

/* A comma between slashes belongs to an event: cpu/event=0x3c,umask=1/. */
static int events_init(struct texts *events, const struct cmd_list *words, struct cdict_error *err)
{
	for (size_t i = 0; i < words->n; i++) {
		char **last = events->n ? &events->at[events->n - 1] : NULL, *text = NULL;

		if (last && is_open(*last)) {
			if (asprintf(&text, "%s,%s", *last, words->at[i]) < 0)
				return cdict_fail_nomem(err);
			free(*last);
			*last = text;
			continue;
		}
		if (texts_add(events, words->at[i]))
			return cdict_fail_nomem(err);
	}
	return 0;
}

static int count(const struct cmd_call *call, const struct texts *events, struct counting **out,
		 struct cdict_error *err)
{
	const struct push_opts *o = call->opts;
	uint64_t ns = 0;
	int rc = o->seconds ? record_time("seconds", o->seconds, &ns, err) : 0;

	rc = rc ? rc : counting_open(out, (const char *const *)events->at, events->n, err);
	return rc ? rc
		  : counting_run(*out, (double)ns / 1e9, call->n_operands ? call->operands : NULL,
				 err);
}

int push_counts(const struct cmd_call *call, struct store *st, const struct fleet_job *job)
{
	const struct push_opts *o = call->opts;
	struct fleet_window window = { .from_ns = fleet_now_ns(), .clocked = true };
	struct fleet_rows rows = { 0 };
	struct texts events = { 0 };
	struct cdict_error err = { 0 };
	struct counting_result was = { 0 };
	struct counting *c = NULL;
	char host[FLEET_HOST_ROOM], name[64];
	bool added;
	int rc = push_host(host, o, &err);

	rc = rc ? rc : events_init(&events, &o->shared.events, &err);
	rc = rc ? rc : count(call, &events, &c, &err);
	if (!rc) {
		was = counting_result(c);
		rc = add_counts(&rows, &was, &err);
	}
	if (!rc) {
		window.events = was.switches;
		window.lost = was.lost;
		window.window_ns = (uint64_t)(was.seconds * 1e9);
		window.cpus = was.cpus;
		warn_uncounted(call, &was);
		/* unique: a process begins only one at a time */
		snprintf(name, sizeof(name), "%016" PRIx64 "-%d", window.from_ns, (int)getpid());
		rc = fleet_figures_put(st, job->id, FLEET_SHELF_COUNTS, host, name, &rows, &window,
				       &added, &err);
	}
	if (!rc && !call->quiet)
		fprintf(stderr,
			"[ cdict push: job %s, %s: %zu event%s of %zu program%s in %.3f s on %" PRIu32
			" CPU%s ]\n",
			job->id, host, was.n_events, was.n_events == 1 ? "" : "s", was.n_names,
			was.n_names == 1 ? "" : "s", was.seconds, was.cpus,
			was.cpus == 1 ? "" : "s");
	fleet_rows_fini(&rows);
	counting_close(c);
	texts_fini(&events);
	return rc ? options_fail(call, NULL, &err) : CMD_DONE;
}
