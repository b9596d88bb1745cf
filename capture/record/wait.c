/* SPDX-License-Identifier: GPL-2.0-only */
/* Waits for the end of a recording. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "base/system/monotonic.h"
#include "capture/host/clock.h"
#include "capture/record/internal.h"

/* Interval to check triggers, sizes and commands. */
#define LOOK_MS 50
/* Interval to look for CPUs that came online. */
#define CPUS_MS 1000u
/* Minimum time between two dumps of a trigger, and their maximum number. */
#define HIT_PAUSE_MS 1000u
#define HITS_MAX 100u

static void nothing(int sig)
{
	(void)sig;
}

void recording_signals(struct recording *rec)
{
	struct sigaction wake = { .sa_handler = nothing }, ignore = { .sa_handler = SIG_IGN };
	struct sigaction usual = { .sa_handler = SIG_DFL }, hup;

	rec->main = pthread_self();
	sigemptyset(&rec->signals);
	sigaddset(&rec->signals, SIGINT);
	sigaddset(&rec->signals, SIGTERM);
	/* Under nohup the terminal may go away. */
	if (sigaction(SIGHUP, NULL, &hup) || hup.sa_handler != SIG_IGN)
		sigaddset(&rec->signals, SIGHUP);
	/* The parent may have set it to be ignored: the end of the command would then go
	 * unnoticed. */
	sigaction(SIGCHLD, &usual, NULL);
	sigaddset(&rec->signals, SIGCHLD);
	sigaddset(&rec->signals, SIGUSR2);
	sigaddset(&rec->signals, RECORD_SIGNAL_FAILED);
	pthread_sigmask(SIG_BLOCK, &rec->signals, &rec->mask);
	/* Interrupts the poll() of a reader. */
	sigaction(SIGURG, &wake, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL);
}

void recording_signals_restore(struct recording *rec)
{
	const struct timespec now = { 0 };

	/* Signals that came after the end are discarded. */
	while (sigtimedwait(&rec->signals, NULL, &now) > 0)
		;
	pthread_sigmask(SIG_SETMASK, &rec->mask, NULL);
}

static void on_hit(struct recording *rec)
{
	struct trigger_hit hit;
	struct cdict_error err = { 0 };
	uint64_t pause = rec->opts->keep_ns / 1000000;

	if (!trigger_run(rec->trigger, &hit) || monotonic_ns() < rec->next_hit_ns ||
	    (rec->report->dumps >= HITS_MAX && !rec->opts->dumps))
		return;
	/* The next dump begins where this one ended. */
	if (recording_dump_hit(rec, &hit, &err) == 1 || pause < HIT_PAUSE_MS)
		pause = HIT_PAUSE_MS;
	rec->next_hit_ns = monotonic_in_ms(pause);
}

static void on_usr2(struct recording *rec)
{
	struct cdict_error err = { 0 };

	if (rec->ring)
		recording_dump(rec, "SIGUSR2", true, &err);
}

/* False: the recording has to end. */
static bool rotate(struct recording *rec)
{
	if (!recording_rotate(rec))
		return true;
	rec->end = "a write failed";
	return false;
}

static bool on_signal(struct recording *rec, int sig)
{
	if (sig == SIGUSR2) {
		if (rec->opts->rotate)
			return rotate(rec);
		on_usr2(rec);
	} else if (sig == SIGCHLD) {
		if (rec->workload.pid && workload_poll(&rec->workload)) {
			rec->end = "the command ended";
			return false;
		}
	} else if (sig == RECORD_SIGNAL_FAILED) {
		rec->end = atomic_load(&rec->at_limit) ? "--max-size was reached"
						       : "a write failed";
		return false;
	} else if (sig > 0) {
		rec->end = sig == SIGINT    ? "interrupted"
			   : sig == SIGTERM ? "terminated"
					    : "hung up";
		return false;
	}
	return true;
}

/* Executes the pending commands of --control. */
static bool on_control(struct recording *rec)
{
	struct control *c = rec->opts->control;
	enum control_command command;

	while ((command = control_next(c)) != CONTROL_NONE) {
		if (command == CONTROL_ENABLE || command == CONTROL_DISABLE)
			recording_switch(rec, command == CONTROL_ENABLE);
		else if (command == CONTROL_SNAPSHOT && rec->ring)
			on_usr2(rec);
		else if (command == CONTROL_SNAPSHOT || command == CONTROL_UNKNOWN)
			recording_say(
				rec, true,
				command == CONTROL_UNKNOWN
					? "--control: unknown command '%s'; expected enable, disable, "
					  "snapshot, stop or ping"
					: "--control: %s needs --keep",
				c->line);
		if (command == CONTROL_SNAPSHOT ? rec->ring != NULL : command != CONTROL_UNKNOWN)
			control_ack(c);
		if (command == CONTROL_STOP) {
			rec->end = "--control stop";
			return false;
		}
	}
	return true;
}

static bool on_key(struct recording *rec)
{
	struct cdict_error err = { 0 };
	enum record_key key = rec->opts->key(rec->opts->key_ctx);

	if (key == RECORD_KEY_DUMP)
		recording_dump(rec, "on request", true, &err);
	rec->end = key == RECORD_KEY_END ? "end requested" : rec->end;
	return key != RECORD_KEY_END;
}

/* When the next of opts->spans begins or ends, by base/system/monotonic.h; 0: never. */
static uint64_t next_switch(const struct recording *rec)
{
	const struct record_span *span = &rec->opts->spans[rec->next_span];

	if (rec->next_span >= rec->opts->n_spans)
		return 0;
	if (!rec->on)
		return rec->began_ns + span->from_ms * 1000000;
	return span->to_ms ? rec->began_ns + span->to_ms * 1000000 : 0;
}

/* False: the last span has ended. */
static bool on_span(struct recording *rec)
{
	while (monotonic_past(next_switch(rec))) {
		recording_switch(rec, !rec->on);
		if (rec->on)
			continue;
		if (++rec->next_span >= rec->opts->n_spans) {
			rec->end = "the last --delay range ended";
			return false;
		}
	}
	return true;
}

/* Whether the events read but not yet encoded will exceed --max-size, by the bytes per event so
 * far, or ten at first. */
static bool soon_full(const struct recording *rec)
{
	uint64_t events = atomic_load(&rec->put_events), bytes = atomic_load(&rec->file_bytes);
	uint64_t each = events ? bytes / events + 1 : 10, read = 0;

	for (size_t i = 0; i < rec->n_groups; i++)
		read += group_samples(rec->groups[i]);
	return !rec->opts->rotate && read > events &&
	       bytes + (read - events) * each >= rec->opts->max_bytes;
}

/* Encodes all to know the exact size, until too little room is left to be worth a block of each CPU. */
static bool is_full(struct recording *rec)
{
	uint64_t most = rec->opts->max_bytes;

	if (!soon_full(rec))
		return false;
	recording_flush(rec);
	return soon_full(rec) || atomic_load(&rec->file_bytes) >= most - most / 16;
}

/* Checks the limits on size and time. */
static bool on_bounds(struct recording *rec)
{
	const struct record_options *o = rec->opts;
	uint64_t bytes = atomic_load(&rec->put_bytes);
	size_t over = 0;

	if (o->max_bytes && (bytes >= o->max_bytes || is_full(rec))) {
		rec->end = "--max-size was reached";
		return false;
	}
	for (size_t i = 0; i < rec->n_groups && o->tids; i++)
		over += group_over(rec->groups[i]);
	if (o->tids && over == rec->n_groups) {
		rec->end = "the tasks ended";
		return false;
	}
	if (monotonic_past(rec->rotate_at_ns) ||
	    (o->rotate_bytes && bytes - rec->name_bytes >= o->rotate_bytes))
		return rotate(rec);
	return true;
}

static double own_seconds(void)
{
	struct rusage use;

	if (getrusage(RUSAGE_SELF, &use))
		return 0;
	return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
	       (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

/* @before: CPU seconds used before the recording began. */
static void report_progress(struct recording *rec, double before)
{
	struct record_progress p = {
		.seconds = (double)(monotonic_ns() - rec->began_ns) / 1e9,
		.bytes = atomic_load(&rec->put_bytes),
		.cpu_seconds = own_seconds() - before,
		.paused = !rec->on,
	};

	if (!rec->opts->progress)
		return;
	for (size_t i = 0; i < rec->n_groups; i++) {
		p.lost += group_lost(rec->groups[i]);
		p.events += group_samples(rec->groups[i]);
	}
	rec->opts->progress(rec->opts->progress_ctx, &p);
}

static int sooner(int left, int other)
{
	return left < other ? left : other;
}

/* How long the main thread may sleep. */
static int wait_ms(const struct recording *rec, uint64_t end_ns, uint64_t second_ns,
		   uint64_t look_ns)
{
	const struct record_options *o = rec->opts;
	int left = sooner(monotonic_left_ms(end_ns), monotonic_left_ms(second_ns));

	if (o->look)
		left = sooner(left, monotonic_left_ms(look_ns));
	left = sooner(left, monotonic_left_ms(next_switch(rec)));
	left = sooner(left, monotonic_left_ms(rec->rotate_at_ns));
	if (rec->trigger || o->key || o->control || o->max_bytes || o->rotate_bytes || o->tids)
		left = sooner(left, recording_is_small(o) ? RECORD_SMALL_MS : LOOK_MS);
	return left;
}

/* For this last part it sleeps without looking for signals. */
#define START_SLEEP_NS UINT64_C(100000000)

bool recording_wait_start(struct recording *rec)
{
	uint64_t at_ns = rec->start.wall_ns;
	struct timespec at = { .tv_sec = (time_t)(at_ns / 1000000000),
			       .tv_nsec = (long)(at_ns % 1000000000) };

	while (at_ns) {
		uint64_t now_ns = clock_wall_ns(), left;
		struct timespec slice;
		int sig;

		left = at_ns > now_ns ? at_ns - now_ns : 0;
		if (left <= START_SLEEP_NS)
			break;
		left = left - START_SLEEP_NS < START_SLEEP_NS ? left - START_SLEEP_NS
							      : START_SLEEP_NS;
		slice = (struct timespec){ .tv_nsec = (long)left };
		sig = sigtimedwait(&rec->signals, NULL, &slice);
		if (sig > 0 && !on_signal(rec, sig))
			return false;
	}
	while (at_ns && clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
	return true;
}

void recording_wait(struct recording *rec)
{
	double seconds = rec->start.seconds > 0 ? rec->start.seconds : rec->opts->seconds;
	double before = own_seconds();
	bool ends = seconds > 0 && seconds < 1e9; /* 30 years: no limit */
	uint64_t length_ns = ends ? (uint64_t)(seconds * 1e9 + 0.5) : 0, end_ns = 0;
	unsigned look_ms = rec->opts->look_every_ms ? rec->opts->look_every_ms : CPUS_MS;
	uint64_t second_ns = monotonic_in_ms(CPUS_MS), look_ns = monotonic_in_ms(look_ms);

	report_progress(rec, before);
	while (1) {
		struct timespec ts;
		bool over;
		int left;

		/* Counted from when events are recorded, which -D and --control set. */
		if (ends && rec->first_on_ns)
			end_ns = rec->first_on_ns + length_ns;
		over = monotonic_past(end_ns);
		if (monotonic_past(second_ns)) {
			recording_look_for_cpus(rec);
			report_progress(rec, before);
			second_ns = monotonic_in_ms(CPUS_MS);
		}
		/* Take a last look when the time is over. */
		if (rec->opts->look && (monotonic_past(look_ns) ||
					(over && monotonic_left_ms(look_ns) < (int)look_ms / 2))) {
			if (recording_look(rec)) {
				rec->end = "out of memory";
				return;
			}
			look_ns = monotonic_in_ms(look_ms);
		}
		if (over) {
			rec->end = "the time is up";
			return;
		}
		left = wait_ms(rec, end_ns, second_ns, look_ns);
		ts = (struct timespec){ .tv_sec = left / 1000,
					.tv_nsec = (long)(left % 1000) * 1000000 };
		if (!on_signal(rec, sigtimedwait(&rec->signals, NULL, &ts)) || !on_span(rec) ||
		    !on_bounds(rec) || (rec->opts->control && !on_control(rec)) ||
		    (rec->opts->key && !on_key(rec)))
			return;
		if (rec->trigger)
			on_hit(rec);
		if (recording_reader_left(rec)) {
			rec->end = "the reader of standard output has exited";
			return;
		}
	}
}
