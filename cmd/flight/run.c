/* SPDX-License-Identifier: GPL-2.0-only */
/* The flight recorder: writes dumps into its folder, within its limits. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory/array.h"
#include "base/text/plural.h"
#include "capture/host/clock.h"
#include "cmd/flight/flight.h"
#include "tables/columns/number.h"

/* Interval at which old dumps are removed, and at which a line is printed, in seconds. */
#define AGE_S 600u
#define REPORT_S 3600u
/* What a dump needs beside its events: tasks, names, index. */
#define REST_BYTES ((uint64_t)1 << 20)

struct flight {
	const struct cmd_call *call;
	const struct flight_settings *s;
	struct flight_folder folder;
	ARRAY(uint64_t) times; /* of dumps, in ms; for the rate */
	uint64_t dumps, failed;
	uint64_t skipped; /* triggers, since the last dump */
	int failure;      /* of the last dump, which was reported; 0: none */
	unsigned seconds;
	struct record_progress now, last; /* of the last second, and at the last report */
};

static void say(const struct flight *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(const struct flight *f, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	if (f->call->quiet)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	fprintf(stderr, "[ cdict flight: %s ]\n", line);
}

static uint64_t now_ms(void)
{
	return clock_wall_ns() / 1000000;
}

/* ---- limits ---- */

/* How many dumps of the last @ns there are; those of the future are of another clock. */
static uint64_t dumps_within(const struct flight *f, uint64_t ns, uint64_t now)
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->times.n; i++)
		n += f->times.at[i] <= now && now - f->times.at[i] < ns / 1000000;
	return n;
}

static bool skip(void *ctx, const struct record_dump *d)
{
	struct flight *f = ctx;
	uint64_t now = now_ms();

	for (size_t i = 0; i < f->s->n_rates && d->hit; i++) {
		const struct flight_rate *r = &f->s->rates[i];

		if (dumps_within(f, r->ns, now) < r->n)
			continue;
		if (!f->skipped++)
			cmd_warn(f->call, NULL,
				 "max-rate: %" PRIu64 " dump%s in %.0f s; further triggers make no "
				 "dump until then, the first: %s",
				 r->n, plural(r->n), (double)r->ns / 1e9, d->why);
		return true;
	}
	return false;
}

static bool remove_oldest(struct flight *f, const char *why)
{
	char *name;
	int ret;

	if (!f->folder.n)
		return false;
	name = strdup(f->folder.at[0].name);
	ret = flight_folder_remove(&f->folder, 0);
	if (ret)
		cmd_warn(f->call, name, "cannot be removed: %s",
			 ret == -EINVAL ? "is no capture" : cdict_strerror(ret));
	else
		say(f, "removed %s: %s", name ? name : "a dump", why);
	free(name);
	return true;
}

static void remove_aged(struct flight *f)
{
	uint64_t now = now_ms(), age = f->s->max_age_ns / 1000000;

	while (age && f->folder.n && f->folder.at[0].at_ms < now &&
	       now - f->folder.at[0].at_ms > age)
		remove_oldest(f, "max-age");
}

static uint64_t room_for(const struct record_dump *d)
{
	return d->bytes + d->bytes / 8 + REST_BYTES;
}

/* Removes the oldest dumps until there is room for another one; nothing when there cannot be. */
static void make_room(struct flight *f, uint64_t need)
{
	uint64_t least = f->s->min_free ? f->s->min_free + need : 0;

	remove_aged(f);
	while (f->s->max_bytes && f->folder.n && f->folder.bytes + need > f->s->max_bytes)
		remove_oldest(f, "max-size");
	if (flight_folder_free(&f->folder) + f->folder.bytes < least)
		return;
	while (f->folder.n && flight_folder_free(&f->folder) < least)
		remove_oldest(f, "min-free");
}

/* ---- dumps ---- */

/* "latency-31.234ms", "steal-55pct" */
static void reason(char *out, size_t size, const struct trigger_hit *hit)
{
	size_t n = hit ? strcspn(hit->text, " ") : 0;

	if (!hit)
		snprintf(out, size, "request");
	else if (hit->ns)
		snprintf(out, size, "%.*s-%.3fms", (int)n, hit->text, (double)hit->ns / 1e6);
	else
		snprintf(out, size, "%.*s-%.0fpct", (int)n, hit->text, hit->pct);
}

/* Reports a failure once, until a dump succeeds. */
static void failed(struct flight *f, int code, const char *text)
{
	f->failed++;
	if (f->failure != code)
		cmd_warn(f->call, f->s->folder, "no dump: %s; recording continues", text);
	f->failure = code;
}

static enum record_dump_answer begin(void *ctx, struct record_dump *d)
{
	struct flight *f = ctx;
	struct cdict_error err = { 0 };
	char why[48], *name;
	uint64_t at_ms = now_ms();

	reason(why, sizeof(why), d->hit);
	if (flight_folder_read(&f->folder, &err)) {
		failed(f, err.code, err.text);
		return RECORD_DUMP_SKIP;
	}
	make_room(f, room_for(d));
	if (flight_folder_free(&f->folder) < f->s->min_free + room_for(d) && f->s->min_free) {
		failed(f, -ENOSPC, "less than min-free would be left on the disk");
		return RECORD_DUMP_SKIP;
	}
	name = flight_name(at_ms, d->of, why);
	if (!name || asprintf(&d->path, "%s/%s", f->s->folder, name) < 0) {
		d->path = NULL;
		failed(f, -ENOMEM, "out of memory");
	}
	free(name);
	return d->path ? RECORD_DUMP_WRITE : RECORD_DUMP_SKIP;
}

/* Old dumps make room for this one. */
static bool full(void *ctx, const struct record_dump *d)
{
	struct flight *f = ctx;
	uint64_t freed = 0;
	bool any = false;

	while (f->folder.n && freed < room_for(d)) {
		freed += f->folder.at[0].bytes;
		any |= remove_oldest(f, "the disk is full");
	}
	return any;
}

static void end(void *ctx, const struct record_dump *d, const struct cdict_error *err)
{
	struct flight *f = ctx;

	if (err) {
		failed(f, err->code, err->text);
	} else {
		f->dumps++;
		if (f->failed)
			say(f, "dumps are written again; %" PRIu64 " were not", f->failed);
		if (f->skipped && d->hit)
			say(f, "max-rate: dumps are written again");
		f->skipped = d->hit ? 0
				    : f->skipped; /* one on request says nothing about triggers */
		f->failed = 0;
		f->failure = 0;
		if (array_push(&f->times, now_ms()))
			cmd_warn(f->call, NULL, "out of memory");
	}
	free(d->path);
}

/* ---- the recorder ---- */

static void report(struct flight *f)
{
	const struct record_progress *p = &f->now;
	char events[NUMBER_ROOM], lost[NUMBER_ROOM];
	double s = p->seconds - f->last.seconds;

	say(f, "%.0f s: %s event%s, %s lost, %.2f %% of a CPU, %" PRIu64 " dump%s since the start",
	    s, number_grouped(events, p->events - f->last.events),
	    plural(p->events - f->last.events), number_grouped(lost, p->lost - f->last.lost),
	    s > 0 ? 100 * (p->cpu_seconds - f->last.cpu_seconds) / s : 0.0, f->dumps,
	    plural(f->dumps));
	f->last = *p;
}

/* Times beyond the longest rate do not count any more. */
static void forget_times(struct flight *f)
{
	uint64_t longest = 0, now = now_ms();
	size_t kept = 0;

	for (size_t i = 0; i < f->s->n_rates; i++)
		longest = f->s->rates[i].ns > longest ? f->s->rates[i].ns : longest;
	for (size_t i = 0; i < f->times.n; i++) {
		if (f->times.at[i] <= now && now - f->times.at[i] < longest / 1000000)
			f->times.at[kept++] = f->times.at[i];
	}
	f->times.n = kept;
}

static void progress(void *ctx, const struct record_progress *p)
{
	struct flight *f = ctx;
	struct cdict_error err = { 0 };

	f->now = *p;
	if (!f->seconds)
		flight_notify("READY=1");
	if (++f->seconds % AGE_S == 0 && !flight_folder_read(&f->folder, &err)) {
		remove_aged(f);
		forget_times(f);
	}
	if (f->seconds % REPORT_S == 0)
		report(f);
}

static int start(struct flight *f, struct cdict_error *err)
{
	int ret = flight_folder_open(&f->folder, f->s->folder, true, err);
	size_t n = ret ? 0 : flight_folder_sweep(&f->folder);

	if (ret)
		return ret;
	if (n)
		say(f, "removed %zu unfinished file%s of a recorder that was killed", n, plural(n));
	/* A recorder that is restarted again and again stays within its rate. */
	for (size_t i = 0; i < f->folder.n && !ret; i++)
		ret = array_push(&f->times, f->folder.at[i].at_ms);
	if (ret)
		return cdict_fail_nomem(err);
	make_room(f, 0);
	return 0;
}

int flight_run(const struct cmd_call *call, const struct flight_settings *s)
{
	struct flight f = { .call = call, .s = s, .folder = { .fd = -1 } };
	const struct record_flight hooks = {
		.dumps = { .skip = skip, .begin = begin, .full = full, .end = end, .ctx = &f },
		.progress = progress,
	};
	struct cmd_call as = {
		.cmd = call->cmd, .opts = s->opts, .quiet = call->quiet, .verbose = call->verbose
	};
	struct cdict_error err = { 0 };
	int status = start(&f, &err) ? cmd_error(call, NULL, &err) : record_command(&as, &hooks);

	flight_notify("STOPPING=1");
	if (f.now.seconds > f.last.seconds)
		report(&f);
	array_fini(&f.times);
	flight_folder_close(&f.folder);
	return status;
}
