/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * intake.h - samples as perf hands them out, one by one, become blocks of the file.
 *
 * Samples wait per CPU; 64 Ki of one CPU make a block, as in convert, or fewer when too
 * many bytes wait. A thread of its own encodes and writes the blocks in the order in
 * which they were cut, which depends on the samples alone. Samples of one CPU come in
 * order but for the few that perf itself handed out late: such a one is moved to its
 * place, or, when that is written already, begins another block.
 *
 * Threads    the functions are for the thread that made the intake; between intake_new()
 *            and intake_idle() or intake_finish() the writer belongs to the intake
 * Failure    0 or a negative code with *err filled; once failed, always failed
 * Ownership  intake_new() gives, intake_free() takes; writer and schema are borrowed
 */
#ifndef PLUGIN_INTAKE_H
#define PLUGIN_INTAKE_H

#include "cdict/writer.h"
#include "format/stacks.h"

struct intake;

struct intake_sample {
	struct cdict_sample sample;
	uint32_t type;  /* index in the schema */
	uint32_t stack; /* in the dictionary, or CDICT_NO_STACK */
	const void *raw;
	uint32_t raw_size;
};

/* How the samples of one CPU came. */
struct intake_cpu_counts {
	uint64_t late; /* earlier than what was written already */
	uint64_t late_first_ns, late_last_ns;
	uint64_t sorted; /* out of order, and moved to their place */
	uint64_t bad;    /* shorter than their fields */
	uint64_t bad_first_ns, bad_last_ns;
	uint64_t events; /* stored */
	uint64_t first_ns, last_ns;
};

int intake_new(struct intake **out, struct cdict_writer *w, const struct cdict_schema *schema,
	       struct stack_dict *stacks, struct cdict_error *err);
int intake_add(struct intake *in, const struct intake_sample *s, struct cdict_error *err);
/* intake_idle - returns when nothing is in work: the schema may grow then. */
int intake_idle(struct intake *in, struct cdict_error *err);
/* intake_finish - cuts and writes everything, and ends the thread. */
int intake_finish(struct intake *in, struct cdict_error *err);
void intake_free(struct intake *in);

/* After intake_finish(); CPU numbers plus one, 0 is the unknown CPU. */
size_t intake_cpus(const struct intake *in);
const struct intake_cpu_counts *intake_counts(const struct intake *in, size_t i);

#endif
