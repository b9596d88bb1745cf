/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict push -e: counts events by program, into a job. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory/buf.h"
#include "base/memory/texts.h"
#include "base/text/plural.h"
#include "capture/count/counting.h"
#include "capture/record/targets.h"
#include "cmd/fleet/push.h"
#include "cmd/record/record.h"
#include "query/fleet/figures/figures.h"
#include "query/fleet/figures/start.h"

static bool counted(const struct counting_result *c, size_t name)
{
	for (size_t event = 0; event < c->n_events; event++) {
		if (c->figures[name * c->n_events + event].count)
			return true;
	}
	return false;
}

static int add_count(struct fleet_rows *rows, const struct counting_result *c, size_t name,
		     size_t event, struct cdict_error *err)
{
	const struct counting_figure *figure = &c->figures[name * c->n_events + event];
	const struct counting_event *ev = &c->events[event];
	const struct fleet_key key = { .name = c->names[name], .reason = ev->name, .vcpu = -1 };
	union fleet_any any;

	memset(&any, 0, sizeof(any));
	any.count = (struct fleet_count_row){ .value = figure->value,
					      .count = figure->count,
					      .runs = 1,
					      .enabled_ns = ev->enabled_ns,
					      .running_ns = ev->running_ns };
	return fleet_rows_add(rows, FLEET_COUNTS, &key, &any, false, 0, err);
}

/* Adds a row for each event of each program that counted something: its other events are 0, not
 * unknown. */
static int add_counts(struct fleet_rows *rows, const struct counting_result *c,
		      struct cdict_error *err)
{
	bool any = false;
	int rc = 0;

	for (size_t name = 0; name < c->n_names; name++)
		any |= counted(c, name);
	for (size_t name = 0; name < c->n_names && !rc; name++) {
		bool keep = !any || counted(c, name);

		for (size_t event = 0; event < c->n_events && !rc && keep; event++)
			rc = add_count(rows, c, name, event, err);
	}
	return rc;
}

/* Warns about the limits of the figures. */
static void warn_uncounted(const struct cmd_call *call, const struct counting_result *c)
{
	if (c->lost && c->machine)
		cmd_warn(call, NULL,
			 "%s of %s switches were lost: counts across them go to " COUNTING_UNKNOWN,
			 GROUPED(c->lost), GROUPED(c->switches + c->lost));
	else if (c->lost)
		cmd_warn(call, NULL,
			 "%s record%s of tasks lost: the sum is right, but counts of "
			 "some programs go to the one that started them",
			 GROUPED(c->lost), c->lost == 1 ? "" : "s");
	for (size_t event = 0; event < c->n_events; event++) {
		const struct counting_event *ev = &c->events[event];

		if (ev->running_ns < ev->enabled_ns)
			cmd_warn(
				call, NULL,
				"event '%s': counted %.1f %% of the time (multiplexed): extrapolated",
				ev->name, 100.0 * (double)ev->running_ns / (double)ev->enabled_ns);
	}
}

/* Names the events that this machine lacks, once: the others are counted. */
static void warn_uncountable(const struct cmd_call *call, const struct counting_result *c)
{
	struct buf list = { 0 };

	for (size_t i = 0; i < c->n_uncountable; i++)
		buf_printf(&list, "%s'%s'", i ? ", " : "", c->uncountable[i]);
	if (c->n_uncountable && !list.failed)
		cmd_warn(call, NULL,
			 "event%s %.*s: this machine cannot count %s; counting the others",
			 c->n_uncountable == 1 ? "" : "s", (int)list.len, (const char *)list.data,
			 c->n_uncountable == 1 ? "it" : "them");
	for (size_t i = 0; i < c->n_events; i++) {
		if (c->events[i].user_only)
			cmd_warn(call, NULL,
				 "event '%s': counted in user mode only, as '%s:u': no permission "
				 "for the kernel's part",
				 c->events[i].name, c->events[i].name);
	}
	buf_fini(&list);
}

static bool is_open(const char *event)
{
	const char *slash = strchr(event, '/');

	return slash && !strchr(slash + 1, '/');
}

int push_events(struct texts *events, const struct cmd_list *words, struct cdict_error *err)
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

struct counts {
	const struct cmd_call *call;
	struct texts events;
	struct targets targets;
	bool machine;
	int lock; /* -1: none */
	struct counting *c;
	struct record_moment moment; /* of --wait */
	struct fleet_window window;
};

/* Waits for the start of the job; *seconds: its duration, if it has one. */
static int wait_start(struct counts *k, double *seconds, struct cdict_error *err)
{
	const struct push_opts *o = k->call->opts;
	struct record_start start = { 0 };
	uint64_t now_ns;
	sigset_t set;
	int rc;

	k->moment.call = k->call;
	k->moment.host = o->host;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	rc = record_moment_wait(&k->moment, &set, &start, err);
	if (rc)
		return rc;
	*seconds = start.seconds > 0 ? start.seconds : *seconds;
	while ((now_ns = fleet_now_ns()) < start.wall_ns) {
		const uint64_t left_ns = start.wall_ns - now_ns;
		const struct timespec left = { (time_t)(left_ns / 1000000000),
					       (long)(left_ns % 1000000000) };

		if (sigtimedwait(&set, NULL, &left) > 0)
			return cdict_fail(err, -EINTR, CDICT_NO_OFFSET,
					  "interrupted before the start of job %s", o->shared.job);
	}
	return 0;
}

bool push_is_of_machine(const struct cmd_call *call)
{
	const struct push_opts *o = call->opts;

	return o->all_cpus || (!call->n_operands && !o->pids.n);
}

int push_lock_machine(const struct cmd_call *call, int *lock, struct cdict_error *err)
{
	struct cdict_error why = { 0 };
	int rc = counting_lock_machine(lock, &why);

	if (rc == -EBUSY)
		*err = why;
	else if (rc)
		cmd_warn(call, NULL, "%s: cannot detect others that count this whole machine",
			 why.text);
	return rc == -EBUSY ? rc : 0;
}

static int ready(void *ctx, double *seconds, struct cdict_error *err)
{
	struct counts *k = ctx;
	const struct push_opts *o = k->call->opts;
	int rc = k->machine ? push_lock_machine(k->call, &k->lock, err) : 0;

	if (!rc && o->wait)
		rc = wait_start(k, seconds, err);
	k->window.from_ns = fleet_now_ns();
	return rc;
}

static int count(struct counts *k, struct cdict_error *err)
{
	const struct push_opts *o = k->call->opts;
	struct counting_options how = { .machine = k->machine,
					.command = k->call->n_operands ? k->call->operands : NULL,
					.ready = ready,
					.ctx = k };
	struct counting_result was;
	uint64_t ns = 0;
	int rc = o->seconds ? record_time("seconds", o->seconds, &ns, err) : 0;

	rc = rc ? rc : push_events(&k->events, &o->shared.events, err);
	for (size_t i = 0; i < o->pids.n && !rc; i++)
		rc = targets_pid(&k->targets, o->pids.at[i], err);
	targets_done(&k->targets);
	how.events = (const char *const *)k->events.at;
	how.n = k->events.n;
	how.tids = k->targets.tids.at;
	how.n_tids = k->targets.tids.n;
	how.seconds = (double)ns / 1e9;
	rc = rc ? rc : counting_open(&k->c, &how, err);
	if (rc)
		return rc;
	was = counting_result(k->c);
	warn_uncountable(k->call, &was);
	return counting_run(k->c, err);
}

static int put_counts(struct counts *k, struct store *st, const char *id, const char *host,
		      const struct counting_result *was, struct cdict_error *err)
{
	struct fleet_rows rows = { 0 };
	char name[64];
	bool added;
	int rc = add_counts(&rows, was, err);

	k->window.events = was->switches;
	k->window.lost = was->lost;
	k->window.window_ns = (uint64_t)(was->seconds * 1e9);
	k->window.cpus = was->cpus;
	/* unique: a process begins only one at a time */
	snprintf(name, sizeof(name), "%016" PRIx64 "-%d", k->window.from_ns, (int)getpid());
	if (!rc)
		rc = fleet_figures_put(st, id, FLEET_SHELF_COUNTS, host, name, &rows, &k->window,
				       &added, err);
	fleet_rows_fini(&rows);
	return rc;
}

static void print_done(const char *id, const char *host, const struct counting_result *was)
{
	size_t programs = 0;

	for (size_t name = 0; name < was->n_names; name++)
		programs += counted(was, name);
	fprintf(stderr,
		"[ cdict push: job %s, %s: %s event%s of %s program%s%s in %.3f s on %s CPU%s ]\n",
		id, host, GROUPED(was->n_events), was->n_events == 1 ? "" : "s", GROUPED(programs),
		programs == 1 ? "" : "s", was->machine ? " of the whole machine" : "", was->seconds,
		GROUPED(was->cpus), was->cpus == 1 ? "" : "s");
}

int push_counts(const struct cmd_call *call, struct store *st, const struct fleet_job *job)
{
	const struct push_opts *o = call->opts;
	struct counts k = { .call = call,
			    .machine = push_is_of_machine(call),
			    .window = { .clocked = true },
			    .lock = -1 };
	struct cdict_error err = { 0 };
	struct counting_result was = { 0 };
	char host[FLEET_HOST_ROOM];
	int rc = push_host(host, o, &err), status = CMD_DONE;

	rc = rc ? rc : count(&k, &err);
	record_moment_end(&k.moment, rc ? 0 : k.window.from_ns);
	if (!rc) {
		was = counting_result(k.c);
		status = was.status;
		warn_uncounted(call, &was);
		rc = put_counts(&k, st, job->id, host, &was, &err);
	}
	if (!rc && !call->quiet)
		print_done(job->id, host, &was);
	counting_close(k.c);
	if (k.lock >= 0)
		close(k.lock);
	targets_fini(&k.targets);
	texts_fini(&k.events);
	return rc ? options_fail(call, NULL, &err) : status;
}
