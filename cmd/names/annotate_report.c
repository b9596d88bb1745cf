// SPDX-License-Identifier: GPL-2.0-only
/* cdict annotate: reports which labels were used. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/plural.h"
#include "format/labels/label_text.h"
#include "base/text/escape.h"
#include "cmd/names/annotate.h"
#include "tables/columns/number.h"
#include "tables/names/names.h"

/* Limit of names in a message; -v: all. */
#define MOST_NAMED 10

/* A list for a message: "a, b, c and 12 more". */
struct list {
	struct sink s;
	size_t n, most;
};

static void list_init(struct list *l, const struct cmd_call *call)
{
	sink_to_memory(&l->s);
	l->n = 0;
	l->most = call->verbose ? SIZE_MAX : MOST_NAMED;
}

static void list_add(struct list *l, int32_t tid, const char *text)
{
	if (l->n++ >= l->most)
		return;
	sink_printf(&l->s, "%stid %" PRId32, l->n > 1 ? ", " : "", tid);
	if (!text || !*text)
		return;
	sink_puts(&l->s, " (");
	escape_terminal(&l->s, text, strlen(text));
	sink_putc(&l->s, ')');
}

static char *list_take(struct list *l)
{
	if (l->n > l->most)
		sink_printf(&l->s, " and %s more (-v lists all)", GROUPED(l->n - l->most));
	return sink_take(&l->s, NULL);
}

/* Lists labels that match no task, or several. False: out of memory. */
static bool unmatched(struct annotate_report *out, const struct cmd_call *call,
		      const struct label_index *labels, size_t n_old)
{
	const struct mapping *m = label_index_mapping(labels);
	struct list none, unclear;
	bool failed = false;

	list_init(&none, call);
	list_init(&unclear, call);
	for (size_t i = n_old; i < m->n; i++) {
		enum label_use use = label_index_use(labels, i);
		char *name;

		if (use == LABEL_USED)
			continue;
		name = label_text_name(&m->labels[i], &failed);
		list_add(use == LABEL_AMBIGUOUS ? &unclear : &none, m->labels[i].tid, name);
		free(name);
	}
	out->unmatched = none.n;
	out->unmatched_text = list_take(&none);
	out->ambiguous = unclear.n;
	out->ambiguous_text = list_take(&unclear);
	return !failed && out->unmatched_text && out->ambiguous_text;
}

/* vhost-<pid> and kvm-...: kernel threads that serve the process <pid>. */
static bool works_for_vm(const struct names *names, const struct analyze_task *task)
{
	static const char *const kinds[] = { "vhost-", "kvm-pit/", "kvm-nx-lpage-re", NULL };

	for (size_t i = 0; kinds[i]; i++) {
		size_t len = strlen(kinds[i]);

		if (!strncmp(task->comm, kinds[i], len) && task->comm[len])
			return names_vm_pid(names, atoi(task->comm + len));
	}
	return false;
}

static bool count(struct annotate_report *out, const struct cmd_call *call,
		  const struct analyze_engine *eng, const struct names *names)
{
	struct list unnamed;

	list_init(&unnamed, call);
	for (uint32_t i = 0; i < analyze_engine_task_count(eng); i++) {
		const struct analyze_task *task = analyze_engine_task(eng, i);

		if (names_named(names, task)) {
			out->tasks++;
			out->events += task->events;
		} else if (names_vm(names, task) || works_for_vm(names, task)) {
			list_add(&unnamed, task->tid, task->comm);
		}
	}
	out->all_events = analyze_engine_summary(eng)->events;
	out->unnamed = unnamed.n;
	out->unnamed_text = list_take(&unnamed);
	return out->unnamed_text != NULL;
}

int annotate_look(struct annotate_report *out, const struct cmd_call *call, const char *file,
		  struct cdict_reader *r, struct label_index *labels, size_t n_old)
{
	struct analyze_engine *eng = NULL;
	const struct names_options how = { .labels = labels };
	struct names names = { 0 };
	struct cdict_error err = { 0 };
	int status = CMD_DONE;

	*out = (struct annotate_report){ .labels = label_index_mapping(labels)->n };
	if (analyze_engine_new(&eng, NULL, &err) || analyze_engine_run_reader(eng, r, &err))
		status = cmd_error(call, file, &err);
	else if (names_init(&names, eng, &how))
		status = cmd_errorf(call, file, "out of memory");
	else if (!count(out, call, eng, &names) || !unmatched(out, call, labels, n_old))
		status = cmd_errorf(call, file, "out of memory");
	names_fini(&names);
	analyze_engine_free(eng);
	return status;
}

bool annotate_foreign(const struct annotate_report *r, size_t rows)
{
	return rows && r->unmatched == rows;
}

void annotate_report_print(const struct annotate_report *r, const struct cmd_call *call,
			   const char *file, size_t rows)
{
	char events[NUMBER_ROOM], all[NUMBER_ROOM];

	if (call->quiet)
		return;
	fprintf(stderr,
		"[ cdict annotate: %s label%s, %s task%s renamed, %s of %s events "
		"belong to them ]\n",
		GROUPED(r->labels), plural(r->labels), GROUPED(r->tasks), plural(r->tasks),
		number_grouped(events, r->events), number_grouped(all, r->all_events));
	if (r->unmatched)
		cmd_warn(call, file, "%s of %s row%s matched no task: %s", GROUPED(r->unmatched),
			 GROUPED(rows), plural(rows), r->unmatched_text);
	if (r->ambiguous)
		cmd_warn(call, file,
			 "%s row%s not used: several tasks had the tid, and the start does not "
			 "select one of them: %s",
			 GROUPED(r->ambiguous), plural(r->ambiguous), r->ambiguous_text);
	if (r->unnamed && r->labels)
		cmd_warn(call, file, "%s VM thread%s stayed unnamed: %s", GROUPED(r->unnamed),
			 plural(r->unnamed), r->unnamed_text);
}

void annotate_report_fini(struct annotate_report *report)
{
	free(report->unmatched_text);
	free(report->ambiguous_text);
	free(report->unnamed_text);
}
