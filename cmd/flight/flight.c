/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict flight: the flight recorder as a service, and its dumps. */
#include "cmd/flight/flight.h"

#include <string.h>
#include <unistd.h>

struct flight_opts {
	struct options_shared shared;
	const char *config, *directory;
};

enum verb { LIST = 0, SHOW, RECEIVE, CHECK, RUN };
static const char *const verbs[] = { "list", "show", "receive", "check", "run", NULL };

static int settings_fail(const struct cmd_call *call, const struct cdict_error *err)
{
	cmd_error(call, NULL, err);
	/* the service manager does not try again */
	return err->code == CDICT_EUSAGE ? CMD_USAGE : CMD_FAILED;
}

/* list and show: the folder of -d, else of the configuration, if there is one. */
static int read_folder(const struct cmd_call *call, enum verb verb)
{
	const struct flight_opts *o = call->opts;
	const char *path = o->config ? o->config : FLIGHT_CONFIG, *folder = o->directory;
	struct flight_settings s = { 0 };
	struct flight_folder f = { .fd = -1 };
	struct cdict_error err = { 0 };
	int status = CMD_DONE;

	if (!folder && (o->config || !access(path, R_OK))) {
		if (flight_settings_read(&s, call, path, &err))
			status = settings_fail(call, &err);
		folder = s.folder;
	}
	if (!status && flight_folder_open(&f, folder ? folder : FLIGHT_FOLDER, false, &err))
		status = cmd_error(call, NULL, &err);
	if (!status)
		status = verb == LIST
				 ? flight_list(call, &f)
				 : flight_show(call, &f,
					       call->n_operands > 1 ? call->operands[1] : NULL);
	flight_folder_close(&f);
	flight_settings_fini(&s);
	return status;
}

static int by_config(const struct cmd_call *call, enum verb verb)
{
	const struct flight_opts *o = call->opts;
	const char *path = o->config ? o->config : FLIGHT_CONFIG;
	struct flight_settings s;
	struct cdict_error err = { 0 };
	int status;

	if (flight_settings_read(&s, call, path, &err))
		status = settings_fail(call, &err);
	else
		status = verb == RUN ? flight_run(call, &s) : CMD_DONE;
	flight_settings_fini(&s);
	return status;
}

static int flight_command(const struct cmd_call *call)
{
	const struct flight_opts *o = call->opts;
	int verb = 0;

	while (verbs[verb] && strcmp(verbs[verb], call->operands[0]))
		verb++;
	if (!verbs[verb])
		return cmd_usage(call,
				 "unknown action '%s'; expected list, show, receive, check or run",
				 call->operands[0]);
	if (verb != SHOW && call->n_operands > 1)
		return cmd_usage(call, "unexpected operand '%s'", call->operands[1]);
	if (verb >= CHECK && o->directory)
		return cmd_usage(call,
				 "--directory cannot be used with %s, which takes that of "
				 "the configuration",
				 verbs[verb]);
	if (verb == RECEIVE)
		return flight_receive(call, o->directory ? o->directory : ".");
	return verb >= CHECK ? by_config(call, verb) : read_folder(call, verb);
}

static const struct cmd_option flight_options[] = {
	CMD_STRING('c', "config", struct flight_opts, config, "FILE",
		   "the configuration (default: " FLIGHT_CONFIG ")"),
	CMD_STRING('d', "directory", struct flight_opts, directory, "FOLDER",
		   "the folder of the dumps (default: that of the configuration, else " FLIGHT_FOLDER
		   "; receive: the current one)"),
	OPTIONS_TABLE("time"),
	OPTION_MAX_LOSS,
	OPTIONS_MESSAGES,
	CMD_OPTIONS_END,
};

static const struct cmd_example flight_examples[] = {
	{ "cdict flight list", "what was late, when, and which VM" },
	{ "cdict flight show", "the newest dump: what kept its vCPUs from running" },
	{ "cdict flight show 20261128T0159", "the dump of that minute" },
	{ "ssh host cdict record --keep 30s --trigger 'latency>10ms' -o - | cdict flight receive",
	  "another host's dumps, leaving nothing there" },
	{ "cdict flight check", "is the configuration valid?" },
	{ NULL, NULL },
};

const struct cmd cmd_flight = {
	.name = "flight",
	.brief = "the flight recorder as a service: its dumps, its configuration",
	.operands = "list|show|receive|check|run [DUMP]",
	.about =
		"The service cdict-flight ('systemctl enable --now cdict-flight') keeps the last seconds in memory, and writes them into a "
		"folder when a task or a vCPU is late. list and show read that folder; show takes "
		"the name of a dump or its beginning, without it the newest. receive writes the "
		"dumps of a stream ('cdict record --keep TIME -o -') into a folder. check reads "
		"the configuration only; run records, as the service does.",
	.options = flight_options,
	.opts_size = sizeof(struct flight_opts),
	.min_operands = 1,
	.max_operands = 2,
	.examples = flight_examples,
	.run = flight_command,
};
