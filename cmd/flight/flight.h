/* SPDX-License-Identifier: GPL-2.0-only */
/* flight.h - `cdict flight`, shared by the files of cmd/flight. */
#ifndef CMD_FLIGHT_FLIGHT_H
#define CMD_FLIGHT_FLIGHT_H

#include "cmd/core/config.h"
#include "cmd/core/options.h"
#include "cmd/flight/folder.h"
#include "cmd/record/record.h"

#define FLIGHT_CONFIG "/etc/cdict/flight.conf"
#define FLIGHT_FOLDER "/var/lib/cdict"

/* At most @n dumps in @ns. */
struct flight_rate {
	uint64_t n, ns;
};
#define FLIGHT_RATES 4

/* --- settings.c */

struct flight_settings {
	const char *folder;
	uint64_t max_bytes, max_age_ns, min_free; /* 0: no limit */
	struct flight_rate rates[FLIGHT_RATES];
	size_t n_rates;
	struct cmd_args flight, record; /* the sections */
	struct record_opts *opts;       /* of [record] */
};

/* flight_settings_read - the file @path, checked; CDICT_EUSAGE with its name and line. To be freed with
 * flight_settings_fini(), also after a failure. */
int flight_settings_read(struct flight_settings *s, const struct cmd_call *call, const char *path,
			 struct cdict_error *err);
void flight_settings_fini(struct flight_settings *s);

/* --- run.c */

/* Records until a signal; a status. */
int flight_run(const struct cmd_call *call, const struct flight_settings *s);

/* --- notify.c */

/* Sends "READY=1", ... to the service manager; nothing without one. */
void flight_notify(const char *state);

/* --- receive.c */

/* Writes the dumps on standard input into @dir, made when missing; a status. */
int flight_receive(const struct cmd_call *call, const char *dir);

/* --- show.c */

int flight_list(const struct cmd_call *call, struct flight_folder *f);
/* @which: a name, the beginning of one, or NULL: the newest. */
int flight_show(const struct cmd_call *call, struct flight_folder *f, const char *which);

#endif
