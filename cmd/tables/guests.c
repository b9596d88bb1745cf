/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of joined guests. */
#include "cmd/tables/guests.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/input/input.h"
#include "cmd/tables/figures.h"
#include "format/file/guests.h"
#include "tables/guest/guests.h"
#include "tables/guest/join.h"

/* Shares that fit a reader's attention; with -v, in CSV and JSON: all. */
#define MOST_SHARES 12

int guest_files_init(struct guest_files *g, const struct cmd_call *call)
{
	size_t n = 0;

	*g = (struct guest_files){ .call = *call };
	g->operands = calloc(call->n_operands + 1, sizeof(*g->operands));
	if (!g->operands)
		return cmd_errorf(call, NULL, "out of memory");
	for (size_t i = 0; i < call->n_operands; i++) {
		const char *text = call->operands[i], *equals = strchr(text, '=');

		if (!equals || !access(text, F_OK)) {
			g->operands[n++] = text;
			continue;
		}
		if (texts_take(&g->vms, strndup(text, (size_t)(equals - text))) ||
		    texts_add(&g->files, equals + 1))
			return cmd_errorf(call, NULL, "out of memory");
		if (!equals[1])
			return cmd_usage(call, "'%s' names no file", text);
	}
	g->call.operands = g->operands;
	g->call.n_operands = n;
	return CMD_DONE;
}

void guest_files_fini(struct guest_files *g)
{
	texts_fini(&g->vms);
	texts_fini(&g->files);
	free(g->operands);
}

static int join_one(struct join *j, const struct guest_files *g, size_t i, const char *clock)
{
	const char *file = g->files.at[i];
	struct join_how how = { .vm = *g->vms.at[i] ? g->vms.at[i] : NULL, .clock = clock };
	struct cdict_error err = { 0 };
	struct cdict_reader *guest;
	struct sink said;
	char *text;
	int status = input_open(&guest, &g->call, file, 0);

	if (status)
		return status;
	sink_to_memory(&said);
	if (join_add(j, guest, &how, &said, &err))
		status = cmd_error(&g->call, file, &err);
	text = sink_take(&said, NULL);
	if (!status && !text)
		status = cmd_errorf(&g->call, file, "out of memory");
	if (text)
		tables_plain(text);
	if (!status)
		cmd_warn(&g->call, file, "%s", text);
	free(text);
	return status;
}

int guest_files_join(const struct guest_files *g, struct cdict_reader *host, const char *file,
		     struct label_index *labels, const char *clock)
{
	struct tables_options opts = { .names = { .labels = labels } };
	struct cdict_error err = { 0 };
	struct join *j;
	int status = CMD_DONE;

	if (!g->files.n)
		return CMD_DONE;
	if (clock && g->files.n > 1)
		return cmd_usage(&g->call, "--clock is the clock of one guest, not of %zu",
				 g->files.n);
	if (join_new(&j, host, &opts, &err))
		return cmd_error(&g->call, file, &err);
	for (size_t i = 0; i < g->files.n && !status; i++)
		status = join_one(j, g, i, clock);
	join_free(j);
	return status;
}

int guests_put_text(struct figures *f, struct sink *s)
{
	struct tables_options opts = f->walk.opts;
	struct cdict_error err = { 0 };
	struct guests *g = NULL;
	char *text;
	int rc;

	if (!reader_guest_count(f->reader))
		return CMD_DONE;
	opts.digests = NULL;
	rc = guests_new(&g, f->reader, &opts, &err);
	if (rc == CDICT_ENOTFOUND) /* none is of the chosen VM */
		return CMD_DONE;
	if (rc)
		return figures_fail(f, &err);
	text = guests_text(g);
	sink_printf(s, "\n\n%s", text ? text : "");
	free(text);
	guests_free(g);
	return text ? CMD_DONE : figures_no_memory(f);
}

char *guests_beside(struct figures *f, char *text, int *status)
{
	struct sink s;

	if (!text || !reader_guest_count(f->reader))
		return text;
	sink_to_memory(&s);
	sink_puts(&s, text);
	free(text);
	*status = guests_put_text(f, &s);
	text = sink_take(&s, NULL);
	if (!*status)
		return text;
	free(text);
	return NULL;
}

static int print(struct figures *f, enum guest_tables what)
{
	struct cdict_error err = { 0 };
	struct table *tables[3] = { NULL };
	struct guests *g;
	size_t n = 1;
	char *text;
	int status;

	if (guests_new(&g, f->reader, &f->walk.opts, &err))
		return figures_fail(f, &err);
	text = guests_text(g);
	tables[0] = what == GUEST_TABLES_LATENCY ? guests_latency(g) : guests_tasks(g);
	if (what == GUEST_TABLES_INSIDE) {
		tables[n++] = guests_shares(g);
		tables[n] = guests_steal(g);
		/* Only cdict record stores it. */
		if (f->opts->format != TABLE_AS_TEXT || !tables[n] || tables[n]->shown)
			n++;
		else
			table_free(tables[n]);
	}
	if (n > 1 && tables[1] && f->opts->format == TABLE_AS_TEXT && !f->call->verbose &&
	    !table_sort(tables[1], NULL, &err))
		table_top(tables[1], MOST_SHARES);
	status = text ? figures_print(f, text, tables, n) : figures_no_memory(f);
	free(text);
	guests_free(g);
	return status;
}

int guest_files_print(const struct guest_files *g, const char *clock, enum guest_tables what)
{
	struct figures f = { 0 };
	int status;

	if (g->call.n_operands > 1)
		return cmd_usage(&g->call,
				 "guests are joined to one recording of a host, not to %zu",
				 g->call.n_operands);
	status = figures_open_file(&f, &g->call, input_file(&g->call));
	if (!status)
		status = guest_files_join(g, f.reader, f.file, f.labels, clock);
	if (!status && !reader_guest_count(f.reader))
		status = cmd_errorf(&g->call, f.file,
				    "no guest is joined; give VM=FILE, or join it by 'cdict join'");
	if (!status)
		status = figures_run(&f);
	if (!status)
		status = print(&f, what);
	figures_close(&f);
	return status;
}

int guest_files_or(const struct cmd_call *call, bool guest, const char *clock,
		   enum guest_tables what, int (*run)(const struct cmd_call *call))
{
	struct guest_files g;
	int status = guest_files_init(&g, call);

	if (!status && (guest || g.files.n))
		status = guest_files_print(&g, clock, what);
	else if (!status)
		status = clock ? cmd_usage(call, "--clock needs a guest, VM=FILE") : run(call);
	guest_files_fini(&g);
	return status;
}
