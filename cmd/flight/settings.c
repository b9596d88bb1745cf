/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the flight recorder's configuration. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory/array.h"
#include "cmd/flight/flight.h"

struct flight_keys {
	const char *directory, *max_size, *max_age, *min_free, *max_rate;
};

#define KEY struct flight_keys
static const struct cmd_option keys[] = {
	CMD_STRING_PRESET(0, "directory", KEY, directory, "DIR", FLIGHT_FOLDER, "for the dumps"),
	CMD_STRING_PRESET(0, "max-size", KEY, max_size, "SIZE", "2G", "of all dumps"),
	CMD_STRING_PRESET(0, "max-age", KEY, max_age, "TIME", "14d", "of a dump"),
	CMD_STRING_PRESET(0, "min-free", KEY, min_free, "SIZE", "256M", "left to others"),
	CMD_STRING_PRESET(0, "max-rate", KEY, max_rate, "N/TIME,...", "12/h", "of dumps"),
	CMD_OPTIONS_END,
};
#undef KEY

static const struct cmd keys_of_flight = { .name = "flight",
					   .options = keys,
					   .opts_size = sizeof(struct flight_keys) };

/* What the service decides itself, or has no use for. */
static const char *const refused[] = {
	"output",
	"control",
	"delay",
	"dry-run",
	"max-size",
	"switch-output",
	"switch-max-files",
	"timestamp-filename",
	"stats",
	"push",
	"wait",
	"job",
	"store",
	"store-password",
	"spool",
	"keep-perf-data",
	"max-loss",
	"quiet",
	NULL,
};

static int fail_key(struct cdict_error *err, const char *key, const char *what, const char *text)
{
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "option --%s %s, not '%s'", key, what,
			  text);
}

/* "0" or "none": no limit. */
static bool is_none(const char *text)
{
	return !strcmp(text, "0") || !strcmp(text, "none");
}

/* "12/h", "1/10m". */
static int take_rate(struct flight_settings *s, const char *part, const char *all,
		     struct cdict_error *err)
{
	static const char what[] = "takes numbers of dumps, as in 12/h or 2/10m,12/h";
	char *end, length[32];
	struct flight_rate r = { 0 };

	part += strspn(part, " ");
	r.n = strtoull(part, &end, 10);
	if (*part < '0' || *part > '9' || *end != '/' || !end[1] || r.n > 100000 ||
	    s->n_rates >= FLIGHT_RATES)
		return fail_key(err, "max-rate", what, all);
	snprintf(length, sizeof(length), "%s%s", strchr("0123456789", end[1]) ? "" : "1", end + 1);
	if (record_time("max-rate", length, &r.ns, err))
		return fail_key(err, "max-rate", what, all);
	s->rates[s->n_rates++] = r;
	return 0;
}

static int take_rates(struct flight_settings *s, const char *text, struct cdict_error *err)
{
	char *copy = strdup(text), *rest = copy, *part;
	int ret = copy ? 0 : cdict_fail_nomem(err);

	while (!ret && !is_none(text) && (part = strsep(&rest, ",")))
		ret = take_rate(s, part, text, err);
	free(copy);
	return ret;
}

static int take_keys(struct flight_settings *s, struct cdict_error *err)
{
	const struct flight_keys *k = s->flight.opts;
	int ret = 0;

	s->folder = k->directory;
	if (*k->directory != '/')
		return fail_key(err, "directory", "takes an absolute path", k->directory);
	if (!is_none(k->max_size))
		ret = record_size("max-size", k->max_size, false, &s->max_bytes, err);
	if (!ret && !is_none(k->min_free))
		ret = record_size("min-free", k->min_free, false, &s->min_free, err);
	if (!ret && !is_none(k->max_age))
		ret = record_time("max-age", k->max_age, &s->max_age_ns, err);
	return ret ? ret : take_rates(s, k->max_rate, err);
}

/* A dump has at most the bytes that are kept. */
static int check_size(const struct flight_settings *s, struct cdict_error *err)
{
	uint64_t ns, bytes;

	if (record_keep(s->opts->keep, &ns, &bytes, err))
		return err->code;
	bytes = bytes ? bytes : UINT64_C(256) << 20;
	if (!s->max_bytes || s->max_bytes >= bytes)
		return 0;
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			  "option --max-size is smaller than one dump: keep = %s, at most %" PRIu64
			  " MiB",
			  s->opts->keep, bytes >> 20);
}

/* The defaults of a recorder that runs for months beside others. */
static void set_defaults(struct record_opts *o)
{
	o->keep = "30s,64M";
	o->queue = "64M";
	o->realtime = 0;
	o->shared.max_loss_pct = 100;
}

static int check(struct flight_settings *s, const struct cmd_call *call, struct cdict_error *err)
{
	struct cmd_call as = { .cmd = call->cmd, .opts = s->opts };
	int ret = take_keys(s, err);

	ret = ret ? ret : record_check(&as, err);
	return ret ? ret : check_size(s, err);
}

int flight_settings_read(struct flight_settings *s, const struct cmd_call *call, const char *path,
			 struct cdict_error *err)
{
	static const char *const none[] = { NULL };
	const struct config_section sections[] = {
		{ .name = "flight", .cmd = &keys_of_flight, .args = &s->flight },
		{ .name = "record", .cmd = &cmd_record, .args = &s->record, .refused = refused },
	};
	struct config_lines lines = { 0 };
	int ret;

	*s = (struct flight_settings){ 0 };
	ret = cmd_parse(&s->flight, &keys_of_flight, none, err);
	ret = ret ? ret : cmd_parse(&s->record, &cmd_record, none, err);
	if (ret)
		return ret;
	s->opts = s->record.opts;
	set_defaults(s->opts);
	ret = config_file(path, sections, 2, &lines, err);
	if (!ret) {
		ret = check(s, call, err);
		if (ret)
			config_fail(err, path, config_line_of(&lines, err->text));
	}
	array_fini(&lines);
	return ret;
}

void flight_settings_fini(struct flight_settings *s)
{
	cmd_args_fini(&s->flight, &keys_of_flight);
	cmd_args_fini(&s->record, &cmd_record);
}
