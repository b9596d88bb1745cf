/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by commands that read many hosts. */
#include "cmd/tables/fleet.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/plural.h"
#include "capture/trigger/task_pattern.h"
#include "cmd/tables/figures.h"
#include "query/fleet/results/findings.h"
#include "tables/columns/number.h"

/* People see so many functions. */
#define FUNCTIONS_SHOWN 40

const struct fleet_view fleet_tasks = { { FLEET_TASKS }, 1, 0 };
const struct fleet_view fleet_latency = { { FLEET_LATENCY }, 1, 0 };
const struct fleet_view fleet_vcpu = { { FLEET_VCPUS }, 1, 0 };
const struct fleet_view fleet_behind = { { FLEET_BEHIND }, 1, 0 };

int fleet_fail(const struct cmd_call *call, const struct cdict_error *err)
{
	return options_fail(call, NULL, err);
}

/* Reads the first line of @path, given. */
static int read_password(const char *path, char **out, struct cdict_error *err)
{
	FILE *file = fopen(path, "re");
	size_t room = 0;
	ssize_t n;

	*out = NULL;
	if (!file)
		return cdict_fail_errno(err, path);
	n = getline(out, &room, file);
	fclose(file);
	if (n < 0) {
		free(*out);
		*out = NULL;
		return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
				  "%s: no password in this file", path);
	}
	(*out)[strcspn(*out, "\r\n")] = 0;
	return 0;
}

/* The default location of jobs, given; NULL: out of memory, or no home. */
static char *default_place(void)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	char *path = NULL;
	int n = -1;

	if (data && *data == '/')
		n = asprintf(&path, "%s/cdict/jobs", data);
	else if (home && *home)
		n = asprintf(&path, "%s/.local/share/cdict/jobs", home);
	return n < 0 ? NULL : path;
}

int fleet_open_store(struct store **out, const struct options_shared *o, struct cdict_error *err)
{
	const char *where = o->store ? o->store : getenv("CDICT_STORE");
	const char *password = getenv("REDISCLI_AUTH");
	char *own = NULL, *read = NULL;
	int rc = 0;

	*out = NULL;
	if (o->store_password) {
		rc = read_password(o->store_password, &read, err);
		password = read;
	}
	if (!rc && (!where || !*where)) {
		where = own = default_place();
		if (!own)
			rc = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					"needs --store: no home folder for jobs");
	}
	rc = rc ? rc : store_open(out, where, password, err);
	free(own);
	if (read)
		explicit_bzero(read, strlen(read));
	free(read);
	return rc;
}

int fleet_open(struct store **out, const struct cmd_call *call)
{
	struct cdict_error err = { 0 };

	return fleet_open_store(out, call->opts, &err) ? fleet_fail(call, &err) : CMD_DONE;
}

/* ---- tables ---- */

int fleet_refuse(const struct cmd_call *call)
{
	const struct options_shared *o = call->opts;
	const char *what = call->n_operands || o->input         ? "a file"
			   : o->tids.n                          ? "--tid"
			   : o->cpus.n                          ? "--cpu"
			   : o->time || o->from_ms || o->cap_ms ? "--time, --from or --cap"
			   : o->window_start || o->window_end   ? "--window-start or --window-end"
			   : o->maps.n || o->map_skip_bad       ? "--map"
			   : o->no_guest_mode                   ? "--no-guest-mode"
			   : o->append_tid                      ? "--append-tid"
								: NULL;

	return what ? cmd_usage(call, "%s cannot be used with --job", what) : CMD_DONE;
}

int fleet_print_tables(const struct cmd_call *call, const char *title, const char *note,
		       struct table **tables, size_t n)
{
	struct table_frame frame = {
		.command = call->cmd->name, .file = title, .note = note, .wide = call->verbose > 0
	};
	struct cdict_error err = { 0 };
	int status = figures_sort(tables, n, call->opts, &err)
			     ? fleet_fail(call, &err)
			     : figures_to_stdout(call, NULL, &frame, false, tables, n);

	for (size_t i = 0; i < n; i++)
		table_free(tables[i]);
	return status;
}

bool fleet_only_results(const struct cmd_call *call, const struct fleet_read *r,
			const struct fleet_results *results)
{
	const struct options_shared *o = call->opts;

	return (o->format == TABLE_AS_TEXT || o->format == TABLE_AS_MD) && !r->hosts.n &&
	       (results->hosts.n || results->runs.n);
}

size_t fleet_add_results(const struct cmd_call *call, struct fleet_results *r,
			 struct table **tables, size_t n)
{
	const struct options_shared *o = call->opts;
	bool people = o->format == TABLE_AS_TEXT || o->format == TABLE_AS_MD;

	for (int by_host = 0; by_host < 2 && fleet_results_has(r, FLEET_COUNTS); by_host++)
		tables[n++] = people ? fleet_results_counts(r, by_host)
				     : fleet_results_programs(r, by_host);
	if (fleet_results_has(r, FLEET_FUNCTIONS)) {
		tables[n] = fleet_results_functions(r);
		if (tables[n] && people)
			table_top(tables[n], FUNCTIONS_SHOWN);
		n++;
	}
	if (r->runs.n) {
		tables[n++] = fleet_results_bench(r);
		tables[n++] = fleet_results_runs(r);
	}
	return n;
}

static double loss_percent(const struct fleet_rows *rows)
{
	uint64_t all = rows->events + rows->lost;

	return all ? 100.0 * (double)rows->lost / (double)all : 0;
}

/* Describes what the figures cover, given; NULL: out of memory. */
static char *note_of(const struct fleet_read *r, const struct fleet_results *results)
{
	char events[NUMBER_ROOM], lost[NUMBER_ROOM], time[NUMBER_ROOM], buckets[NUMBER_ROOM];
	char *note = NULL;
	int n;

	if (!r->hosts.n && (results->hosts.n || results->runs.n))
		n = asprintf(&note, "counts of %s host%s, %s run%s of benchmarks, no captures",
			     GROUPED(results->hosts.n), results->hosts.n == 1 ? "" : "s",
			     GROUPED(results->runs.n), results->runs.n == 1 ? "" : "s");
	else
		n = asprintf(&note, "%s host%s, %s bucket%s, %s s in total, %s event%s, %s lost",
			     GROUPED(r->hosts.n), r->hosts.n == 1 ? "" : "s",
			     number_grouped(buckets, r->rows.values),
			     r->rows.values == 1 ? "" : "s",
			     number_seconds(time, r->rows.window_ns),
			     number_grouped(events, r->rows.events), r->rows.events == 1 ? "" : "s",
			     number_grouped(lost, r->rows.lost));

	return n < 0 ? NULL : note;
}

int fleet_loss_status(const struct cmd_call *call, const struct fleet_read *r)
{
	const struct options_shared *o = call->opts;
	int status = CMD_DONE;

	if (r->gone) {
		cmd_warn(
			call, NULL,
			"job %s: the store evicted %s pushed bucket%s; the figures cover the others",
			r->job.id, GROUPED(r->gone), r->gone == 1 ? "" : "s");
		status = CMD_DAMAGED;
	}
	if (loss_percent(&r->rows) > o->max_loss_pct) {
		cmd_warn(call, NULL, "job %s: %.1f %% of the events are lost", r->job.id,
			 loss_percent(&r->rows));
		status = CMD_DAMAGED;
	}
	return status;
}

/* Adds a line for each VM that waited most, and an empty one. */
static char *add_findings(char *note, const struct fleet_read *r,
			  const struct fleet_table_options *how)
{
	struct fleet_table_options by_vm = *how;
	struct table *vms, *delays = fleet_table(&r->rows, FLEET_BEHIND, how);
	struct texts texts = { 0 };
	struct sink s;

	by_vm.hidden = HIDE_NAME | HIDE_VCPU;
	vms = fleet_table(&r->rows, FLEET_VCPUS, &by_vm);
	if (vms && delays && note && !table_sort(vms, NULL, NULL))
		fleet_vm_findings(&texts, vms, delays, NULL, NULL);
	sink_to_memory(&s);
	sink_puts(&s, note ? note : "");
	for (size_t i = 0; i < texts.n; i++) {
		sink_putc(&s, '\n');
		sink_puts(&s, texts.at[i]);
	}
	if (!vms || !delays || !note || texts.failed)
		s.error = -ENOMEM;
	free(note);
	texts_fini(&texts);
	table_free(vms);
	table_free(delays);
	return sink_take(&s, NULL);
}

static int print_job(const struct cmd_call *call, const struct fleet_read *r,
		     struct fleet_results *results, const struct fleet_view *view,
		     struct task_pattern *tasks)
{
	const struct options_shared *o = call->opts;
	struct fleet_table_options how = {
		.hidden = view->hidden,
		.vm = o->vm,
		.matches = tasks ? task_pattern_matches : NULL,
		.ctx = tasks,
	};
	struct table *tables[3 + FLEET_RESULT_TABLES];
	char title[FLEET_ID_ROOM + 8], *note = note_of(r, results);
	size_t n = 0;
	int status;

	snprintf(title, sizeof(title), "job %s", r->job.id);
	for (; n < view->n; n++) {
		how.hidden = n ? 0 : view->hidden;
		tables[n] = fleet_table(&r->rows, view->kinds[n], &how);
	}
	if (o->format == TABLE_AS_JSON || o->format == TABLE_AS_OPENMETRICS)
		tables[n++] = fleet_hosts_table(r);
	if (view == &fleet_tasks && fleet_only_results(call, r, results)) {
		while (n)
			table_free(tables[--n]);
	}
	if (view == &fleet_vcpu && o->format == TABLE_AS_TEXT && !how.matches)
		note = add_findings(note, r, &how);
	if (view == &fleet_tasks)
		n = fleet_add_results(call, results, tables, n);
	if (!note) { /* out of memory: a NULL table reports it */
		table_free(n ? tables[0] : NULL);
		tables[0] = NULL;
		n = n ? n : 1;
	}
	status = fleet_print_tables(call, title, note, tables, n);
	free(note);
	return status ? status : fleet_loss_status(call, r);
}

int fleet_print(const struct cmd_call *call, const struct fleet_view *view)
{
	const struct options_shared *o = call->opts;
	struct task_pattern *tasks = NULL;
	struct cdict_error err = { 0 };
	struct fleet_read r = { 0 };
	struct fleet_results results = { 0 };
	struct store *st = NULL;
	int status = fleet_refuse(call), rc = 0;

	if (status)
		return status;
	if (o->task && view == &fleet_behind)
		return cmd_usage(call, "--task cannot be used with --by vm and --job");
	if (o->task)
		rc = task_pattern_new(&tasks, o->task, &err);
	rc = rc ? rc : fleet_job_id(o->job, &err);
	status = rc ? fleet_fail(call, &err) : fleet_open(&st, call);
	if (!status && (fleet_read(&r, st, o->job, &err) ||
			fleet_results_read(&results, st, o->job, NULL, &err)))
		status = fleet_fail(call, &err);
	store_close(st);
	if (!status)
		status = print_job(call, &r, &results, view, tasks);
	fleet_results_fini(&results);
	fleet_read_fini(&r);
	task_pattern_free(tasks);
	return status;
}
