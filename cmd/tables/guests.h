/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guests.h - recordings of guests as operands, "VM=FILE" or "=FILE", and the tables of their tasks.
 *
 *	struct guest_files files;
 *
 *	status = guest_files_init(&files, call);
 *	... guest_files_report(&files, GUEST_TABLES_TASKS) ...
 *	guest_files_fini(&files);
 */
#ifndef CMD_TABLES_GUESTS_H
#define CMD_TABLES_GUESTS_H

#include "base/memory/texts.h"
#include "cmd/core/options.h"

/* The operands of a call, those of guests apart. */
struct guest_files {
	struct cmd_call call; /* with the operands that are no guests */
	const char **operands;
	struct texts vms, files; /* of each guest; "": the VM is not given */
};

#define OPTION_CLOCK(type, member)                                                                 \
	CMD_STRING(0, "clock", type, member, "CLOCK",                                              \
		   "the guest's clock: nanoseconds to add to its time, or pairs "                  \
		   "GUEST_NS:HOST_NS,... of equal times")

#define OPTIONS_GUEST(type, guest, clock)                                                          \
	CMD_FLAG(0, "guest", type, guest, "the tasks of the joined guests"),                       \
		OPTION_CLOCK(type, clock)

/* guest_files_init - splits the operands: one with '=' that is not the name of a file is a guest. A
 * status; guest_files_fini() also after a failure. */
int guest_files_init(struct guest_files *g, const struct cmd_call *call);
void guest_files_fini(struct guest_files *g);

/* guest_files_join - adds the guests to @host, opened from @file, and reports what was found for each; a
 * status. @clock: or NULL. */
struct label_index;
int guest_files_join(const struct guest_files *g, struct cdict_reader *host, const char *file,
		     struct label_index *labels, const char *clock);

/* guests_put_text - appends the sentences on the joined guests, if there are any, after an empty line; a
 * status. guests_beside - the same to @text, which is taken, and becomes the result; NULL: out of memory, or
 * *status. */
struct figures;
struct sink;
int guests_put_text(struct figures *f, struct sink *s);
char *guests_beside(struct figures *f, char *text, int *status);

enum guest_tables { GUEST_TABLES_TASKS, GUEST_TABLES_LATENCY, GUEST_TABLES_INSIDE };

/* guest_files_print - opens the host's recording, joins the guests, and prints @what; a status. */
int guest_files_print(const struct guest_files *g, const char *clock, enum guest_tables what);

/* guest_files_or - the same for @call if it names guests or @guest is set, else @run with @call. */
int guest_files_or(const struct cmd_call *call, bool guest, const char *clock,
		   enum guest_tables what, int (*run)(const struct cmd_call *call));

#endif
