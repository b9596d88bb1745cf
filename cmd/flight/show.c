/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists the dumps of the flight recorder, and shows one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/text/escape.h"
#include "cmd/flight/flight.h"
#include "cmd/tables/figures.h"
#include "tables/columns/number.h"

enum { WHEN = 0, HOST, OF, WHY, SECONDS, SIZE, BYTES, FILE_ };
static const struct table_column columns[] = {
	[WHEN] = { "time", "time (UTC)", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	[HOST] = { "host", "host", TABLE_TEXT, TABLE_DASH, NULL, 0 },
	[OF] = { "of", "VM or task", TABLE_TEXT, TABLE_DASH, NULL, 0 },
	[WHY] = { "trigger", "trigger", TABLE_TEXT, TABLE_DASH, NULL, 0 },
	[SECONDS] = { "window_ns", "window ms", TABLE_MS, TABLE_GAUGE | TABLE_DASH, NULL, 0 },
	[SIZE] = { "size", "size", TABLE_TEXT, TABLE_HUMAN | TABLE_RIGHT, NULL, 0 },
	[BYTES] = { "bytes", "bytes", TABLE_COUNT, TABLE_MACHINE | TABLE_GAUGE, NULL, 0 },
	[FILE_] = { "file", "file", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	TABLE_COLUMNS_END,
};

static void when(char *room, size_t size, uint64_t ms)
{
	time_t t = (time_t)(ms / 1000);
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(room, size, "%Y-%m-%d %H:%M:%S", &tm))
		*room = '\0';
}

/* Given; NULL: out of memory. */
static char *path_of(const struct flight_folder *f, const struct flight_dump *d)
{
	char *path;

	return asprintf(&path, "%s/%s", f->path, d->name) < 0 ? NULL : path;
}

/* Adds what the name says, and the rest if the dump can be read. */
static int add_row(struct table *t, const struct flight_folder *f, const struct flight_dump *d,
		   struct cdict_error *err)
{
	char room[64], size[NUMBER_ROOM], *path = path_of(f, d);
	struct cdict_reader *r = NULL;
	uint64_t first, last;
	int rc;

	when(room, sizeof(room), d->at_ms);
	table_row(t);
	table_text(t, WHEN, room);
	table_text(t, FILE_, d->name);
	table_text(t, SIZE, number_bytes(size, d->bytes));
	table_u64(t, BYTES, d->bytes);
	rc = path ? cdict_reader_open(&r, path, err) : cdict_fail_nomem(err);
	if (!rc) {
		table_text(t, HOST, cdict_reader_info(r, "host.name"));
		table_text(t, OF, cdict_reader_info(r, "record.trigger_of"));
		table_text(t, WHY, cdict_reader_info(r, "record.trigger"));
		if (cdict_reader_window(r, &first, &last))
			table_u64(t, SECONDS, last - first);
	}
	cdict_reader_close(r);
	free(path);
	return rc;
}

int flight_list(const struct cmd_call *call, struct flight_folder *f)
{
	struct table_frame frame = { .command = "flight",
				     .file = f->path,
				     .wide = call->verbose > 0 };
	struct table *t = table_new("dumps", columns);
	struct cdict_error err = { 0 };
	int status = CMD_DONE, rc = 0;

	if (t) {
		t->certain = true;
		t->order = "time:desc";
	}
	for (size_t i = f->n; t && rc != -ENOMEM && i-- > 0;) {
		rc = add_row(t, f, &f->at[i], &err);
		if (rc)
			status = cmd_error(call, f->at[i].name, &err);
		if (rc && rc != -ENOMEM)
			status = CMD_DAMAGED;
	}
	t = table_done(t);
	/* what the list lacks for want of memory was reported */
	if (rc != -ENOMEM && figures_sort(&t, 1, call->opts, &err))
		status = err.code == CDICT_EUSAGE ? cmd_usage(call, "%s", err.text)
						  : cmd_error(call, NULL, &err);
	else if (rc != -ENOMEM && figures_to_stdout(call, NULL, &frame, false, &t, 1))
		status = CMD_FAILED;
	table_free(t);
	return status;
}

/* ---- one ---- */

/* NULL: none or several begin with @which, which is reported. */
static const struct flight_dump *find(const struct cmd_call *call, const struct flight_folder *f,
				      const char *which)
{
	const struct flight_dump *found = NULL;
	size_t n = 0;

	if (!f->n)
		cmd_errorf(call, f->path, "no dumps");
	if (!which || !f->n)
		return f->n ? &f->at[f->n - 1] : NULL;
	if (strrchr(which, '/'))
		which = strrchr(which, '/') + 1;
	for (size_t i = 0; i < f->n; i++) {
		if (strncmp(f->at[i].name, which, strlen(which)))
			continue;
		n++;
		found = &f->at[i];
	}
	if (!n)
		cmd_errorf(call, f->path, "no dump begins with '%s'; see 'cdict flight list'",
			   which);
	if (n > 1)
		cmd_errorf(call, f->path, "%zu dumps begin with '%s': give more of the name", n,
			   which);
	return n == 1 ? found : NULL;
}

static int add_analyses(struct figures *f, struct cdict_error *err)
{
	return tables_walk_add(&f->walk, err);
}

static void line(struct sink *s, const char *title, const char *value)
{
	if (!value || !*value)
		return;
	sink_printf(s, "%-9s", title);
	escape_terminal(s, value, strlen(value));
	sink_putc(s, '\n');
}

static int print_findings(struct figures *f)
{
	char *findings = tables_vcpu_findings(&f->walk);
	const char *name = strrchr(f->file, '/');
	char room[64];
	uint64_t at_ms;
	struct sink s;
	int rc;

	if (!findings)
		return figures_no_memory(f);
	sink_to_file(&s, stdout);
	line(&s, "file", f->file);
	if (flight_name_parse(name ? name + 1 : f->file, &at_ms)) {
		when(room, sizeof(room), at_ms);
		strcat(room, " UTC");
		line(&s, "time", room);
	}
	line(&s, "host", cdict_reader_info(f->reader, "host.name"));
	line(&s, "of", cdict_reader_info(f->reader, "record.trigger_of"));
	line(&s, "trigger", cdict_reader_info(f->reader, "record.trigger"));
	sink_printf(&s, "\n%s", *findings ? findings : "no vCPU and no task waited long\n");
	sink_puts(&s, "\nnext: cdict report ");
	escape_terminal(&s, f->file, strlen(f->file));
	sink_putc(&s, '\n');
	free(findings);
	rc = sink_finish(&s);
	if (rc == -ENOMEM)
		return figures_no_memory(f);
	return rc ? CMD_FAILED : figures_status(f);
}

int flight_show(const struct cmd_call *call, struct flight_folder *f, const char *which)
{
	const struct flight_dump *d = find(call, f, which);
	char *path = d ? path_of(f, d) : NULL;
	const char *operands[] = { path, NULL };
	struct cmd_call as = *call;
	int status;

	if (!d)
		return CMD_FAILED;
	if (!path)
		return cmd_errorf(call, NULL, "out of memory");
	as.operands = operands;
	as.n_operands = as.n_before = 1;
	status = figures_command(&as, add_analyses, print_findings);
	free(path);
	return status;
}
