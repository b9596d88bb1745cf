/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report.h - what every import tells at its end: what was not stored, why nothing was, the labels.
 *
 * Failure    0 or a negative code with *err filled
 */
#ifndef EXCHANGE_REPORT_H
#define EXCHANGE_REPORT_H

#include "convert/convert.h"

/* report_unstored - @count events called @name were seen and not stored; 0: none. */
int report_unstored(struct convert_report *r, const char *name, uint64_t count,
		    struct cdict_error *err);
/* report_write_unstored - they are sorted, the most frequent first, and become rows of the file. */
int report_write_unstored(struct convert_report *r, struct cdict_writer *w,
			  struct cdict_error *err);

/* report_missing - r->missing says what there was when nothing was stored, and @instead. */
void report_missing(struct convert_report *r, const char *instead);

/* report_labels - those of the options. */
int report_labels(const struct convert_options *opts, struct cdict_writer *w,
		  struct cdict_error *err);

#endif
