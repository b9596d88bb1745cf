/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences about the VMs of a job. */
#include "query/fleet/results/findings.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/escape.h"
#include "base/text/plural.h"
#include "base/text/sink.h"
#include "tables/columns/number.h"
#include "tables/columns/tables.h"

#define EACH 2           /* VMs with a sentence */
#define SECOND_FROM 20.0 /* percent of a VM's waiting from which a second culprit is named */

static const struct table_cell *cell(const struct table *t, size_t row, const char *key)
{
	static const struct table_cell none = { 0 };
	size_t c = table_column(t, key);

	return c < t->n_columns ? table_at(t, row, c) : &none;
}

/* The row of @delays with the most time of @vm, other than @than; n_rows: none. */
static size_t most(const struct table *delays, const char *vm, size_t than)
{
	size_t found = delays->n_rows;
	uint64_t ns = 0;

	for (size_t i = 0; i < delays->n_rows; i++) {
		if (i == than || !cell(delays, i, "vm")->set ||
		    strcmp(cell(delays, i, "vm")->text, vm) != 0 ||
		    cell(delays, i, "behind_ns")->u64 <= ns)
			continue;
		ns = cell(delays, i, "behind_ns")->u64;
		found = i;
	}
	return found;
}

static void put_name(struct sink *s, const char *text)
{
	escape_terminal(s, text, strlen(text));
}

/* ": 35 % behind its own tasks, 26 % behind web"; nothing if it was not stored. */
static void put_behind(struct sink *s, const struct table *delays, const char *vm,
		       uint64_t delayed_ns)
{
	size_t first = most(delays, vm, delays->n_rows);

	for (size_t i = first; i < delays->n_rows && delayed_ns; i = most(delays, vm, first)) {
		double share =
			100.0 * (double)cell(delays, i, "behind_ns")->u64 / (double)delayed_ns;
		/* the text is borrowed until the next cell is read */
		const char *kind = cell(delays, i, "behind_kind")->text;
		bool self = !strcmp(kind, "self"), idle = !strcmp(kind, "idle");
		bool unknown = !strcmp(kind, "unknown");

		if (unknown || (i != first && (share < SECOND_FROM || idle)))
			return;
		sink_printf(s, "%s%.0f %% ", i == first ? ": " : ", ", share);
		if (idle) {
			sink_puts(s, "while that CPU was idle");
		} else if (self) {
			sink_puts(s, "behind its own tasks");
		} else {
			sink_puts(s, "behind ");
			put_name(s, cell(delays, i, "behind")->text);
		}
		if (i != first)
			return;
	}
}

static char *sentence(const struct table *vms, size_t i, const struct table *delays, const char *vm)
{
	uint64_t delayed_ns = cell(vms, i, "delayed_ns")->u64;
	double share = cell(vms, i, "delayed_percent")->percent;
	const struct table_cell *worst = cell(vms, i, "worst_ns");
	uint64_t worst_ns = worst->set ? worst->u64 : 0;
	struct sink s;
	char *text;

	sink_to_memory(&s);
	sink_puts(&s, "VM ");
	put_name(&s, vm);
	sink_puts(&s, " waited ");
	tables_duration(&s, delayed_ns);
	sink_printf(&s, " for a CPU, %.*f %% of the known time of its vCPUs", share < 9.95, share);
	put_behind(&s, delays, vm, delayed_ns);
	if (worst_ns) {
		sink_puts(&s, "; longest wait ");
		tables_duration(&s, worst_ns);
	}
	sink_putc(&s, '.');
	text = sink_take(&s, NULL);
	if (text)
		tables_plain(text);
	return text;
}

void fleet_vm_findings(struct texts *texts, const struct table *vms, const struct table *delays,
		       void (*added)(void *ctx, const char *about), void *ctx)
{
	char more[NUMBER_ROOM];
	size_t many = 0;

	for (size_t i = 0; i < vms->n_rows; i++) {
		const struct table_cell *share = cell(vms, i, "delayed_percent");
		char *vm;

		if (!cell(vms, i, "vm")->set || !share->set ||
		    share->percent < FLEET_FINDING_PERCENT || many++ >= EACH)
			continue;
		vm = strdup(cell(vms, i, "vm")->text);
		texts_take(texts, vm ? sentence(vms, i, delays, vm) : NULL);
		if (added)
			added(ctx, vm);
		free(vm);
	}
	if (many <= EACH)
		return;
	texts_printf(texts, "%s more VM%s waited for %g %% of their time or longer.",
		     number_grouped(more, many - EACH), plural(many - EACH), FLEET_FINDING_PERCENT);
	if (added)
		added(ctx, NULL);
}
