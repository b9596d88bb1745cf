/* SPDX-License-Identifier: LGPL-2.1-only */
/* number.h - numbers for people; each returns @out. */
#ifndef TABLES_COLUMNS_NUMBER_H
#define TABLES_COLUMNS_NUMBER_H

#include <stdint.h>

#define NUMBER_ROOM 64

char *number_grouped(char out[NUMBER_ROOM], uint64_t v);   /* 12,345 */
char *number_seconds(char out[NUMBER_ROOM], uint64_t ns);  /* 12.345678, cut off */
char *number_ns(char out[NUMBER_ROOM], uint64_t ns);       /* 12.345678901 */
char *number_bytes(char out[NUMBER_ROOM], uint64_t bytes); /* 12.3 MB */
/* Three digits and a unit: 0, 94.3 ms, 3.89 s, as on the page. */
char *number_duration(char out[NUMBER_ROOM], uint64_t ns);
/* 178.437 ms, 13.329 s from a second on. */
char *number_time(char out[NUMBER_ROOM], uint64_t ns);
/* @unit_ns per unit, @decimals after the point, rounded to nearest. */
char *number_scaled(char out[NUMBER_ROOM], uint64_t ns, uint64_t unit_ns, unsigned decimals);
/* Wall clock in UTC: 2026-11-20 16:36:58.123456789 UTC */
char *number_utc(char out[NUMBER_ROOM], uint64_t ns);

#endif
