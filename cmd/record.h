/* SPDX-License-Identifier: GPL-2.0-only */
/* record.h - `cdict record`, split over cmd/record*.c. */
#ifndef CMD_RECORD_H
#define CMD_RECORD_H

#include "format/mapping.h"
#include "capture/record.h"
#include "cmd/cmd.h"
#include "cmd/openstack.h"
#include "cmd/options.h"

struct record_opts {
	struct options_shared shared;
	struct cmd_list events; /* "event=sched:*", "filter=prev_pid != 0", in order */
	bool all, all_cpus;
	double seconds;
	const char *buffer, *queue;
	uint64_t realtime, groups;
	const char *clock;
	const char *keep, *trigger;
	const char *perf_data;
	bool stats, no_names;
	const char *libvirt;
	struct openstack_opts openstack;
};

/* --- record_units.c: values with units; CDICT_EUSAGE and the option's name in *err */

/* "128" pages, "4K", "4M", "1G". */
int record_size(const char *option, const char *text, bool pages, size_t *bytes,
		struct cdict_error *err);
/* "30s", "500ms", "2m", "64M", "30s,64M". */
int record_keep(const char *text, uint64_t *ns, uint64_t *bytes, struct cdict_error *err);

/* --- record_names.c: labels of the tasks */

struct record_names {
	const struct cmd_call *call;
	struct mapping labels;
	int status; /* of the mapping files */
};

/* Looks at the host and reads the mapping files, before the recording; a status. */
int record_names_init(struct record_names *n, const struct cmd_call *call);
void record_names_fini(struct record_names *n);
/* struct record_options.labels */
int record_names_write(void *names, struct cdict_writer *w, struct cdict_error *err);

/* --- record_perf.c: perf record beside us */

struct record_perf {
	const struct record_opts *opts;
	int pid;
	int control, ack; /* perf's --control */
};

/* struct record_options.beside */
int record_perf_beside(void *perf, const struct choice *choice, size_t ring_bytes,
		       struct cdict_error *err);

#endif
