/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * handed.h - the samples that perf passes to the filter, with their stacks, on their way from perf's
 * thread to the converter's. Both threads identify a sample by CPU, time and event; among samples
 * that share all three, the order decides.
 *
 * The converter waits for perf, never perf for the converter.
 *
 * Threads    perf's thread calls handed_give(), handed_passed() and handed_end(), the converter's
 *            handed_take()
 * Failure    out of memory is remembered: handed_take() then returns NULL, handed_wait() false
 */
#ifndef PLUGIN_HANDED_H
#define PLUGIN_HANDED_H

#include <stdbool.h>
#include <stdint.h>

struct handed;

struct handed_sample {
	uint64_t t_ns;
	uint32_t cpu;
	uint32_t config; /* of the event's attr */
	uint32_t stack;  /* or CDICT_NO_STACK */
	bool passed;     /* it passed perf's own filters */
	uint8_t taken;   /* completed steps, enum handed_step */
};

/* The converter looks a sample up twice: when it reads the sample, to decide whether to keep it, and when it
 * encodes it, for its stack. */
enum handed_step { HANDED_WANTED = 1, HANDED_STACK = 2, HANDED_BOTH = 3 };

struct handed *handed_new(void);
void handed_free(struct handed *h);

/* handed_give - adds the next sample. */
void handed_give(struct handed *h, const struct handed_sample *s);
/* handed_passed - the latest sample passed perf's filters, and has this stack. */
void handed_passed(struct handed *h, uint32_t stack);
/* handed_end - no more samples follow. */
void handed_end(struct handed *h);

/* handed_take - waits for the sample, and marks @steps as completed; NULL when perf did not pass it.
 * Borrowed until the next call. */
const struct handed_sample *handed_take(struct handed *h, uint32_t cpu, uint64_t t_ns,
					uint32_t config, unsigned steps);
/* handed_wait - waits until perf has finished; false when memory ran out and samples are missing. */
bool handed_wait(struct handed *h);

#endif
