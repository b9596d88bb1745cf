/* SPDX-License-Identifier: LGPL-2.1-only */
/* openmetrics_help.h - what a figure is, in a sentence, for the HELP lines of OpenMetrics. */
#ifndef TABLES_TEXT_OPENMETRICS_HELP_H
#define TABLES_TEXT_OPENMETRICS_HELP_H

/* openmetrics_help - of the column @key of @command; NULL: unknown. */
const char *openmetrics_help(const char *command, const char *key);

#endif
