/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * handed.h - the samples that perf handed out, with their stacks, on their way from perf's thread
 * to the one that converts the recording. What both know of a sample is its CPU, time and
 * event; of several that have all three in common the order tells.
 *
 * The converter waits for perf, perf never for the converter.
 *
 * Threads    handed_give(), handed_passed() and handed_end() are perf's, handed_take() the
 *            converter's
 * Failure    out of memory is remembered: handed_take() finds nothing then, handed_wait() tells
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
	bool passed;     /* perf's own filters */
	uint8_t taken;   /* enum handed_step that is over */
};

/* A sample is asked for twice: whether it is wanted, when it is read, and for its stack, when it is
 * encoded. */
enum handed_step { HANDED_WANTED = 1, HANDED_STACK = 2, HANDED_BOTH = 3 };

struct handed *handed_new(void);
void handed_free(struct handed *h);

/* handed_give - the next sample. */
void handed_give(struct handed *h, const struct handed_sample *s);
/* handed_passed - the sample given last passed perf's filters, and has this stack. */
void handed_passed(struct handed *h, uint32_t stack);
/* handed_end - no more comes. */
void handed_end(struct handed *h);

/* handed_take - waits for the sample, and marks @steps as over; NULL when perf did not hand it out.
 * Borrowed until the next call. */
const struct handed_sample *handed_take(struct handed *h, uint32_t cpu, uint64_t t_ns,
					uint32_t config, unsigned steps);
/* handed_wait - until perf has ended; false when memory was out, and samples are missing. */
bool handed_wait(struct handed *h);

#endif
