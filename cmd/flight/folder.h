/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * folder.h - the flight recorder's folder: one file for each dump, with its time, VM and trigger in
 * the name:
 *
 *	20261128T015903.120Z_web01_latency-31.234ms.cdict
 *
 * The time is UTC. Bytes of the name other than letters, digits and _.- are %XX. Other files in the
 * folder are neither listed nor removed.
 *
 * Threads    one at a time
 * Failure    0 or a negative code with *err filled
 * Ownership  caller's storage; close frees its content
 */
#ifndef CMD_FLIGHT_FOLDER_H
#define CMD_FLIGHT_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"

struct flight_dump {
	char *name;     /* in the folder */
	uint64_t at_ms; /* since 1970, from the name */
	uint64_t bytes;
};

struct flight_folder {
	const char *path;       /* borrowed */
	int fd;                 /* -1: closed */
	struct flight_dump *at; /* oldest first */
	size_t n, cap;
	uint64_t bytes; /* of all dumps */
};

/* flight_folder_open - reads the folder; with @write it is made when missing, and locked: -EBUSY
 * when another recorder uses it. */
int flight_folder_open(struct flight_folder *f, const char *path, bool write,
		       struct cdict_error *err);
void flight_folder_close(struct flight_folder *f);
/* flight_folder_read - reads it again. */
int flight_folder_read(struct flight_folder *f, struct cdict_error *err);
/* flight_folder_sweep - removes what a killed recorder left unfinished; returns the number of files. */
size_t flight_folder_sweep(struct flight_folder *f);
/* flight_folder_remove - removes dump @i if it is a capture; else only forgets it. 0 or a negative
 * errno. */
int flight_folder_remove(struct flight_folder *f, size_t i);
/* flight_folder_free - free bytes of the file system. */
uint64_t flight_folder_free(const struct flight_folder *f);

/* flight_name - @of may be NULL; @why is made of letters, digits, '.' and '-'. Given; NULL: out of
 * memory. */
char *flight_name(uint64_t at_ms, const char *of, const char *why);
/* flight_name_parse - whether @name is the name of a dump, and its time. */
bool flight_name_parse(const char *name, uint64_t *at_ms);

#endif
