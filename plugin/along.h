/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * along.h - reads the recording along with perf. perf gives its filter samples and nothing
 * else: no formats, no tasks, no losses, nothing about the host. All of that is in the
 * recording, which a thread of ours reads a second time: from the file, or, when it
 * comes through a pipe, from a copy of what goes to perf (tap.h).
 *
 * Threads    the functions are for the thread that opened it
 * Failure    0 or a negative code with *err filled
 * Ownership  along_open*() gives, along_close() takes
 */
#ifndef PLUGIN_ALONG_H
#define PLUGIN_ALONG_H

#include "cdict/writer.h"
#include "convert/convert.h"
#include "plugin/intake.h"
#include "plugin/types.h"

struct along;

/* along_open - reads the file or directory @path. along_open_fd - @fd, which is taken: a
 * pipe, which must come to an end, or an open file. */
int along_open(struct along **out, const char *path, struct cdict_error *err);
int along_open_fd(struct along **out, int fd, struct cdict_error *err);

/* along_events - waits until the recording has named its events; the tracepoints among
 * those from number *@seen on, given (free them), *@n of them; *@seen moves on. Later
 * calls may find more. */
int along_events(struct along *a, size_t *seen, struct types_event **events, size_t *n,
		 struct cdict_error *err);
/* along_tracing - the formats, after along_events(); borrowed. */
const struct perfdata_tracing *along_tracing(const struct along *a);

/* along_finish - waits until all is read (whatever perf did). */
void along_finish(struct along *a);

/* What along_write() found out. */
struct along_result {
	uint64_t bytes;
	uint64_t lost;
	bool pipe;
	bool damaged;
	char damage[512];
};

/* along_write - writes what the recording says of itself, its tasks, losses and what of it
 * is not stored into @w. @in says how samples came; @unstored are samples that perf
 * handed out and that were not stored, by name. After along_finish(). */
struct along_unstored {
	const char *name;
	uint64_t count;
};
int along_write(struct along *a, struct cdict_writer *w, const struct intake *in,
		const struct along_unstored *unstored, size_t n_unstored,
		struct along_result *result, struct cdict_error *err);

/* along_kernel - release of the recorded kernel, NULL when not known; after along_finish(). */
const char *along_kernel(const struct along *a);

void along_close(struct along *a);

#endif
