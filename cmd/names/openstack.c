// SPDX-License-Identifier: GPL-2.0-only
/* --openstack: converts options to settings, and reports results. */
#include "cmd/names/openstack.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "annotate/openstack/namepattern.h"
#include "annotate/openstack/openstack.h"
#include "base/text/plural.h"

struct openstack_ask {
	const struct openstack_opts *opts;
	struct openstack_settings settings;
	struct namepattern *pattern;
	struct rlimit core; /* the previous limit */
};

/* Finds an option that has no effect without --openstack. */
static const char *idle_option(const struct openstack_opts *o)
{
	return o->openrc      ? "openrc"
	       : o->cloud     ? "os-cloud"
	       : o->host      ? "os-host"
	       : o->pattern   ? "name-pattern"
	       : o->name_key  ? "name-key"
	       : o->group_key ? "group-key"
	       : o->insecure  ? "insecure"
			      : NULL;
}

static uint32_t timeout_ms(const struct openstack_opts *o)
{
	return o->timeout_ms > UINT32_MAX ? UINT32_MAX : (uint32_t)o->timeout_ms;
}

/* Prevents core files while there are secrets in memory. The limit is 1, because with 0 a program
 * in core_pattern would still receive the dump. */
static void forbid_core(struct openstack_ask *ask)
{
	struct rlimit none;

	if (getrlimit(RLIMIT_CORE, &ask->core))
		return;
	none = ask->core;
	none.rlim_cur = none.rlim_max < 1 ? 0 : 1;
	setrlimit(RLIMIT_CORE, &none);
}

int openstack_prepare(const struct cmd_call *call, const struct openstack_opts *opts,
		      struct openstack_ask **out)
{
	struct openstack_sources from = { .openrc = opts->openrc,
					  .cloud = opts->cloud,
					  .timeout_ms = timeout_ms(opts) };
	const char *idle = idle_option(opts);
	struct cdict_error err = { 0 };
	struct openstack_ask *ask;

	*out = NULL;
	if (!opts->on)
		return idle ? cmd_usage(call, "option --%s needs --openstack", idle) : CMD_DONE;
	if (opts->openrc && opts->cloud)
		return cmd_usage(call, "give --openrc or --os-cloud, not both");
	ask = calloc(1, sizeof(*ask));
	if (!ask)
		return cmd_errorf(call, NULL, "out of memory");
	ask->opts = opts;
	forbid_core(ask);
	if (namepattern_new(&ask->pattern, opts->pattern, &err)) {
		openstack_free(ask);
		return err.code == CDICT_EUSAGE ? cmd_usage(call, "%s", err.text)
						: cmd_error(call, NULL, &err);
	}
	if (openstack_settings_load(&ask->settings, &from, &err)) {
		openstack_free(ask);
		return cmd_errorf(call, NULL, "OpenStack: %s", err.text);
	}
	*out = ask;
	return CMD_DONE;
}

void openstack_free(struct openstack_ask *ask)
{
	if (!ask)
		return;
	namepattern_free(ask->pattern);
	openstack_settings_fini(&ask->settings);
	setrlimit(RLIMIT_CORE, &ask->core);
	free(ask);
}

static void print_note(void *ctx, const char *line)
{
	cmd_warn(ctx, NULL, "OpenStack: %s", line);
}

static void trace(void *ctx, const char *line)
{
	const struct cmd_call *call = ctx;

	if (call->verbose)
		cmd_errorf(call, NULL, "%s", line);
}

#define NAMES_MAX 256

/* Names by which Nova may know the host: its name, and the name without domain. */
static void host_names(const char *hosts[3], char names[2][NAMES_MAX], const char *host,
		       const struct openstack_ask *ask, const struct mapping *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n && (!host || !*host); i++)
		host = m->labels[i].host;
	if (ask->opts->host)
		host = ask->opts->host;
	if (host && *host && strlen(host) < NAMES_MAX)
		strcpy(names[0], host);
	else if (gethostname(names[0], NAMES_MAX - 1))
		names[0][0] = '\0';
	names[0][NAMES_MAX - 1] = '\0';
	if (names[0][0])
		hosts[n++] = names[0];
	if (strchr(names[0], '.') && !ask->opts->host) {
		strcpy(names[1], names[0]);
		*strchr(names[1], '.') = '\0';
		if (names[1][0])
			hosts[n++] = names[1];
	}
	hosts[n] = NULL;
}

int openstack_add(const struct cmd_call *call, const struct openstack_ask *ask, const char *host,
		  const struct mapping *known, struct mapping *into)
{
	char names[2][NAMES_MAX];
	const char *hosts[3];
	struct openstack_options o = { 0 };
	struct openstack_result result;
	struct cdict_error err = { 0 };
	int rc;

	if (!ask)
		return 0;
	host_names(hosts, names, host, ask, known);
	o.settings = &ask->settings;
	o.hosts = hosts;
	o.pattern = ask->pattern;
	o.name_key = ask->opts->name_key;
	o.group_key = ask->opts->group_key;
	o.insecure = ask->opts->insecure;
	o.timeout_ms = timeout_ms(ask->opts);
	o.trace = trace;
	o.note = print_note;
	o.ctx = (void *)call;
	rc = openstack_label(known, into, &o, &result, &err);
	if (rc) {
		/* reported even with -q: the user asked for it */
		cmd_errorf(call, NULL, "no names from OpenStack: %s", err.text);
		return rc;
	}
	if (!result.vms)
		cmd_warn(call, NULL,
			 "OpenStack (%s): no VM to name: no label has a UUID or a domain's name; "
			 "'cdict identify' on the host finds both",
			 ask->settings.from);
	else
		cmd_warn(call, NULL,
			 "OpenStack (%s): named %s of %s VM%s, %s task%s; found %s server%s",
			 ask->settings.from, GROUPED(result.named), GROUPED(result.vms),
			 plural(result.vms), GROUPED(result.tasks), plural(result.tasks),
			 GROUPED(result.servers), plural(result.servers));
	return 0;
}
