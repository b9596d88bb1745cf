/* SPDX-License-Identifier: GPL-2.0-only */
/* Waits for what ends a recording. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/monotonic.h"
#include "capture/record_internal.h"

/* How often a trigger is looked at. */
#define TRIGGER_MS 50
/* How often CPUs that came online are looked for. */
#define CPUS_MS 1000u
/* Recordings of a trigger follow each other no faster; so many are written at most. */
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
	/* nohup: the terminal may go. */
	if (sigaction(SIGHUP, NULL, &hup) || hup.sa_handler != SIG_IGN)
		sigaddset(&rec->signals, SIGHUP);
	/* Whoever started us may ignore it: then nobody would tell that the command has ended. */
	sigaction(SIGCHLD, &usual, NULL);
	sigaddset(&rec->signals, SIGCHLD);
	sigaddset(&rec->signals, SIGUSR2);
	sigaddset(&rec->signals, RECORD_SIGNAL_FAILED);
	pthread_sigmask(SIG_BLOCK, &rec->signals, &rec->mask);
	/* It interrupts the poll() of a reader. */
	sigaction(SIGURG, &wake, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL);
}

void recording_signals_restore(struct recording *rec)
{
	const struct timespec now = { 0 };

	/* What came after the end has had its answer. */
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
	    rec->report->dumps >= HITS_MAX)
		return;
	recording_dump(rec, hit.text, true, &err);
	/* The next one begins where this one ended. */
	rec->next_hit_ns = monotonic_in_ms(pause > HIT_PAUSE_MS ? pause : HIT_PAUSE_MS);
}

static void on_usr2(struct recording *rec)
{
	struct cdict_error err = { 0 };

	if (rec->ring)
		recording_dump(rec, "SIGUSR2", true, &err);
}

/* False: it is to end. */
static bool on_signal(struct recording *rec, int sig)
{
	if (sig == SIGUSR2) {
		on_usr2(rec);
	} else if (sig == SIGCHLD) {
		if (rec->workload.pid && workload_poll(&rec->workload)) {
			rec->end = "the command ended";
			return false;
		}
	} else if (sig == RECORD_SIGNAL_FAILED) {
		rec->end = "it could not be written";
		return false;
	} else if (sig > 0) {
		rec->end = sig == SIGINT    ? "interrupted"
			   : sig == SIGTERM ? "terminated"
					    : "hung up";
		return false;
	}
	return true;
}

void recording_wait(struct recording *rec)
{
	double seconds = rec->opts->seconds;
	bool ends = seconds > 0 && seconds < 1e9; /* nobody waits for 30 years */
	uint64_t end_ns = ends ? monotonic_in_ms((uint64_t)(seconds * 1000 + 0.5)) : 0;
	uint64_t look_ns = monotonic_in_ms(CPUS_MS);

	while (1) {
		int left, until_look, sig;
		struct timespec ts;

		if (monotonic_past(look_ns)) {
			recording_look_for_cpus(rec);
			look_ns = monotonic_in_ms(CPUS_MS);
		}
		left = monotonic_left_ms(end_ns);
		if (!left) {
			rec->end = "the time was over";
			return;
		}
		if (rec->trigger && left > TRIGGER_MS)
			left = TRIGGER_MS;
		until_look = monotonic_left_ms(look_ns);
		if (left > until_look)
			left = until_look;
		ts = (struct timespec){ .tv_sec = left / 1000,
					.tv_nsec = (long)(left % 1000) * 1000000 };
		sig = sigtimedwait(&rec->signals, NULL, &ts);
		if (!on_signal(rec, sig))
			return;
		if (rec->trigger)
			on_hit(rec);
	}
}
