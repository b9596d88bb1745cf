/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * along.h - reads the recording along with perf. perf gives its filter samples and nothing
 * else: no formats, no tasks, no losses, nothing about the host. All of that is in the
 * recording, which a thread of ours reads a second time, as convert does: from the file, or,
 * when it comes through a pipe, from a copy of what goes to perf (tee.h).
 *
 * Threads    the functions are for the thread that opened it
 * Failure    0 or a negative code with *err filled
 * Ownership  along_open*() gives, along_close() takes
 */
#ifndef PLUGIN_ALONG_H
#define PLUGIN_ALONG_H

#include "cdict/writer.h"
#include "convert/convert.h"
#include "ingest/store.h"

struct along;

/* along_open - reads the file or directory @path. along_open_fd - @fd, which is taken: a
 * pipe, which must come to an end, or an open file. */
int along_open(struct along **out, const char *path, struct cdict_error *err);
int along_open_fd(struct along **out, int fd, struct cdict_error *err);

/* along_event - waits until the recording has named its events; number @i of them, NULL when it has
 * not so many (yet). */
const struct perfdata_event *along_event(struct along *a, size_t i);
/* along_tracing - the formats, after along_event(); borrowed. */
const struct perfdata_tracing *along_tracing(const struct along *a);

/* along_finish - waits until all is read (whatever perf did). */
void along_finish(struct along *a);

/* along_unstored - perf handed out @count samples of the event called @name, which are not stored.
 * After along_finish(). */
int along_unstored(struct along *a, const char *name, uint64_t count, struct cdict_error *err);
/* along_write - writes what the recording says of itself, its tasks, losses and what of it is not
 * stored into @w, after the events that @store had. After along_finish(). */
int along_write(struct along *a, struct cdict_writer *w, struct store *store,
		struct convert_report *report, struct cdict_error *err);

/* along_kernel - release of the recorded kernel, NULL when not known; after along_finish(). */
const char *along_kernel(const struct along *a);

void along_close(struct along *a);

#endif
