/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording in several files (perf record's --switch-output), and its pauses. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/system/monotonic.h"
#include "capture/host/clock.h"
#include "capture/record/internal.h"

/* Enables the rings CPU by CPU. Returns the time on the samples' clock when all switches are
 * recorded; 0 if it is unknown, or if switches are not recorded, or not all of them. */
static uint64_t switch_on(struct recording *rec)
{
	struct clock *clock = clock_open(rec->opts->use_clockid, rec->opts->clockid);
	bool switches = clock;
	uint64_t done_ns;

	for (size_t i = 0; i < rec->n_groups; i++) {
		group_resume(rec->groups[i]);
		switches &= rings_watch_switches(group_rings(rec->groups[i]));
	}
	switches &= !rec->info.scope.filtered && rec->info.scope.kind != SCOPE_TASKS;
	done_ns = switches ? clock_now(clock) : 0;
	clock_close(clock);
	for (size_t i = 0; i < rec->n_groups; i++)
		rings_enable(group_rings(rec->groups[i]));
	return done_ns;
}

struct scope recording_scope_end(const struct recording *rec)
{
	struct scope scope = rec->info.scope;

	if (scope.begins_ns <= store_counts(rec->store)->first_ns)
		scope.begins_ns = 0;
	return scope;
}

void recording_switch(struct recording *rec, bool on)
{
	bool again = rec->was_on;
	uint64_t done_ns;

	if (rec->on == on)
		return;
	rec->on = on;
	rec->was_on = true;
	if (on) {
		done_ns = switch_on(rec);
		rec->on_ns = monotonic_ns();
		rec->first_on_ns = again ? rec->first_on_ns : rec->on_ns;
		/* After a pause each CPU is unknown up to its first event: begins_ns stays. */
		rec->info.scope.begins_ns = again ? rec->info.scope.begins_ns : done_ns;
		return;
	}
	for (size_t i = 0; i < rec->n_groups; i++) {
		rings_disable(group_rings(rec->groups[i]));
		group_pause(rec->groups[i]);
	}
	rec->recorded_ns += monotonic_ns() - rec->on_ns;
}

/* Removes files beyond the limit, the oldest first. */
static void forget_files(struct recording *rec)
{
	size_t n = rec->names.n, keep = rec->opts->rotate_files;

	if (!keep || n < keep)
		return;
	for (size_t i = 0; i + keep <= n; i++) {
		if (unlink(rec->names.at[i]) && errno != ENOENT)
			recording_say(rec, true, "cannot remove %s: %s", rec->names.at[i],
				      cdict_strerror(-errno));
		free(rec->names.at[i]);
	}
	rec->names.n = keep - 1;
	memmove(rec->names.at, rec->names.at + (n - rec->names.n),
		rec->names.n * sizeof(*rec->names.at));
}

static int end_file(struct recording *rec)
{
	struct record_info_end end = { .why = "the next file was started",
				       .cpus = rec->info.cpus.failed
						       ? NULL
						       : (const char *)rec->info.cpus.data };
	struct cdict_error err = { 0 };
	int ret;

	end.scope = recording_scope_end(rec);
	rec->info.scope.begins_ns = 0; /* when the next file begins, all CPUs are already on */
	ret = recording_finish(rec, &end, &err);
	cdict_writer_close(rec->writer);
	rec->writer = NULL;
	rec->report->bytes_out += target_bytes(rec->target);
	if (target_close(rec->target, ret ? NULL : &err) && !ret)
		ret = err.code;
	rec->target = NULL;
	if (ret)
		return cdict_fail(rec->err, ret, CDICT_NO_OFFSET, "%s: %s", recording_name(rec),
				  err.text);
	recording_say(rec, false, "%s is complete", recording_name(rec));
	if (array_push(&rec->names, rec->name))
		return cdict_fail_nomem(rec->err);
	rec->name = NULL;
	forget_files(rec);
	return 0;
}

int recording_rotate(struct recording *rec)
{
	int ret;

	recording_flush(rec);
	pthread_mutex_lock(&rec->file_lock);
	ret = end_file(rec);
	if (!ret)
		ret = recording_begin_file(rec);
	pthread_mutex_unlock(&rec->file_lock);
	if (ret)
		rec->report->ended = *rec->err;
	return ret;
}
