/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict script: prints events like perf script. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/printing/print.h"
#include "base/memory/array.h"
#include "base/text/escape.h"
#include "base/fail.h"
#include "base/sampled.h"
#include "cdict/reader.h"
#include "cdict/stack.h"
#include "cmd/core/cmd.h"
#include "cmd/core/foreign.h"
#include "cmd/tables/figures.h"
#include "cmd/input/input.h"
#include "tables/columns/loss.h"
#include "cmd/core/options.h"
#include "cmd/core/pager.h"
#include "cmd/files/script_fields.h"
#include "convert/print.h"

struct script_opts {
	struct options_shared shared;
	const char *fields;
	struct cmd_tids pids;
	struct cmd_list comms;
	uint64_t most; /* events */
	bool ns, no_stacks;
};

static const struct cmd_option script_options[] = {
	OPTION_INPUT,
	OPTION_EVENT,
	OPTION_CPU,
	OPTIONS_TASKS,
	CMD_TIDS(0, "pid", struct script_opts, pids, "LIST",
		 "only tasks of these processes, as in 17,23"),
	CMD_LIST(0, "comms", struct script_opts, comms, "COMM",
		 "only tasks with this comm, comma list, repeatable"),
	CMD_UINT('n', "top", struct script_opts, most, "N", NULL, "only the first N events"),
	CMD_STRING(
		'F', "fields", struct script_opts, fields, "LIST",
		"print these of comm, pid, tid, cpu, time, period (of samples), event, trace, and "
		"of stacks ip, sym, symoff, dso; or changes as in +comm,-ip (default: all but "
		"comm and pid, in ns)"),
	CMD_FLAG(0, "ns", struct script_opts, ns, "with -F: times in ns, not in us"),
	CMD_FLAG('G', "hide-call-graph", struct script_opts, no_stacks, "do not print stacks"),
	OPTION_TIME,
	CMD_STRING(0, "from", struct options_shared, from_ms, "MS",
		   "begin MS milliseconds after the first event"),
	OPTION_CAP,
	OPTIONS_MARKERS,
	OPTION_NO_GUEST_MODE,
	OPTION_NO_PAGER,
	OPTION_JOBS,
	OPTION_MAX_LOSS,
	OPTIONS_MESSAGES,
	CMD_OPTIONS_END,
};

#define FLUSH_BYTES (64u << 10)

struct late_line {
	uint64_t after_ns;
	size_t at, len; /* in the text of waiting lines */
};

/* A line at the current time, when some lines of that time are late. */
struct tie {
	uint32_t cpu;
	size_t at, len; /* in the text of ties */
	uint64_t after_ns;
};

/* Printed lines of events that perf delivers late, waiting for their place. */
struct late {
	const struct cdict_late **rows; /* sorted by time and CPU, then as read */
	size_t n;
	ARRAY(struct late_line) waiting; /* sorted by after_ns, then by time */
	struct buf text;
	ARRAY(struct tie) ties;
	struct buf ties_text;
	uint64_t ties_ns;
};

static int by_time(const void *a, const void *b)
{
	const struct cdict_late *x = *(const struct cdict_late *const *)a;
	const struct cdict_late *y = *(const struct cdict_late *const *)b;

	if (x->t_ns != y->t_ns)
		return x->t_ns > y->t_ns ? 1 : -1;
	if (x->cpu != y->cpu)
		return x->cpu > y->cpu ? 1 : -1;
	return (x > y) - (x < y);
}

static bool late_init(struct late *late, const struct cdict_reader *r)
{
	*late = (struct late){ .n = cdict_reader_late_count(r) };
	late->rows = calloc(late->n + 1, sizeof(*late->rows));
	if (!late->rows)
		return false;
	for (size_t i = 0; i < late->n; i++)
		late->rows[i] = cdict_reader_late_at(r, i);
	qsort(late->rows, late->n, sizeof(*late->rows), by_time);
	return true;
}

static void late_fini(struct late *late)
{
	free(late->rows);
	array_fini(&late->waiting);
	buf_fini(&late->text);
	array_fini(&late->ties);
	buf_fini(&late->ties_text);
}

/* Index of the first row at @t_ns or later. */
static size_t late_find(const struct late *late, uint64_t t_ns)
{
	size_t lo = 0, hi = late->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (late->rows[mid]->t_ns < t_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Whether an event at that time is late. */
static bool late_any(const struct late *late, uint64_t t_ns)
{
	size_t i = late_find(late, t_ns);

	return i < late->n && late->rows[i]->t_ns == t_ns;
}

static int tie_by_cpu(const void *a, const void *b)
{
	const struct tie *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu > y->cpu ? 1 : -1;
	return (x->at > y->at) - (x->at < y->at);
}

static int tie_by_place(const void *a, const void *b)
{
	const struct tie *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* Sets after which time each line is printed, or 0: in its place. A ring delivers events in time
 * order, so with equal CPU and time the last ones are late, in the order of their rows. */
static void ties_resolve(struct late *late)
{
	size_t first = late_find(late, late->ties_ns), row = first, tie = late->ties.n;

	while (row < late->n && late->rows[row]->t_ns == late->ties_ns)
		row++;
	qsort(late->ties.at, late->ties.n, sizeof(*late->ties.at), tie_by_cpu);
	while (row > first && tie) {
		const struct cdict_late *r = late->rows[row - 1];
		struct tie *t = &late->ties.at[tie - 1];

		if (t->cpu == r->cpu)
			t->after_ns = r->after_ns;
		row -= t->cpu <= r->cpu; /* skip a row whose event is not printed */
		tie -= t->cpu >= r->cpu;
	}
	qsort(late->ties.at, late->ties.n, sizeof(*late->ties.at), tie_by_place);
}

static bool late_wait(struct late *late, uint64_t after_ns, const uint8_t *text, size_t len)
{
	struct late_line *line = array_add(&late->waiting);

	if (!line)
		return false;
	for (; line > late->waiting.at && line[-1].after_ns > after_ns; line--)
		*line = line[-1];
	*line = (struct late_line){ after_ns, late->text.len, len };
	buf_add(&late->text, text, len);
	return !late->text.failed;
}

/* Prints lines that waited for everything before @t_ns. */
static void late_release(struct late *late, uint64_t t_ns, struct buf *lines)
{
	size_t n = 0;

	struct late_line *waiting = late->waiting.at;

	while (n < late->waiting.n && waiting[n].after_ns < t_ns) {
		buf_add(lines, late->text.data + waiting[n].at, waiting[n].len);
		n++;
	}
	if (!n)
		return;
	late->waiting.n -= n;
	memmove(waiting, waiting + n, late->waiting.n * sizeof(*waiting));
	if (!late->waiting.n)
		late->text.len = 0;
}

/* All lines of one time are complete: prints each, or makes it wait. */
static bool ties_end(struct late *late, struct buf *lines)
{
	bool done = !late->ties_text.failed;

	if (!late->ties.n)
		return done;
	ties_resolve(late);
	for (size_t i = 0; i < late->ties.n && done; i++) {
		const struct tie *tie = &late->ties.at[i];
		const uint8_t *text = late->ties_text.data + tie->at;

		if (tie->after_ns)
			done = late_wait(late, tie->after_ns, text, tie->len);
		else
			buf_add(lines, text, tie->len);
	}
	late->ties.n = 0;
	late->ties_text.len = 0;
	return done;
}

/* Moves the last line of @lines to those of its time, of which some are late. */
static bool ties_add(struct late *late, const struct cdict_event *ev, struct buf *lines, size_t at)
{
	size_t len = lines->len - at;

	late->ties_ns = ev->t_ns;
	if (array_push(&late->ties, (struct tie){ ev->cpu, late->ties_text.len, len, 0 }))
		return false;
	buf_add(&late->ties_text, lines->data + at, len);
	lines->len = at;
	return !late->ties_text.failed;
}

/* Whether to print the event. @tids: of the selected tasks, ascending; empty: all. */
static bool wanted(const struct options_filter *f, const struct options_shared *o,
		   const struct cmd_tids *tids, const struct cdict_event *ev)
{
	size_t type = ev->type->index;

	if (f->query.types &&
	    (type >= f->query.n_types || !(f->query.types[type / 64] >> type % 64 & 1)))
		return false;
	if (f->windows.n > 1 && !timespec_covers(&f->windows, ev->t_ns))
		return false;
	if (o->no_guest_mode &&
	    (ev->mode == CDICT_MODE_GUEST_KERNEL || ev->mode == CDICT_MODE_GUEST_USER))
		return false;
	return names_wanted_tid(tids->at, tids->n, ev->tid);
}

/* Writes lines to stdout, or to its pager. On a terminal, task names must not send control
 * sequences; files and pipes get exactly the bytes that perf script prints. */
static void flush(struct buf *lines, struct sink *s, bool terminal)
{
	for (size_t at = 0; terminal && at < lines->len;) {
		const uint8_t *nl = memchr(lines->data + at, '\n', lines->len - at);
		size_t end = nl ? (size_t)(nl - lines->data) : lines->len;

		escape_terminal(s, (const char *)lines->data + at, end - at);
		sink_putc(s, '\n');
		at = end + 1;
	}
	if (terminal)
		sink_flush(s);
	else if (lines->len)
		fwrite(lines->data, 1, lines->len, stdout);
	lines->len = 0;
}

/* Formats lines: by the capture's formats, or by libtraceevent where they need it. */
struct lines {
	struct printer *printer;
	struct print *fallback;
	const uint64_t **fields; /* fields to read: for struct cdict_query */
	uint64_t *all;           /* bitmap of all fields, for any type */
	struct script_fields head;
};

static void lines_fini(struct lines *l)
{
	printer_free(l->printer);
	print_free(l->fallback);
	free(l->fields);
	free(l->all);
	script_fields_fini(&l->head);
}

/* Recorded without call chains, a sample's stack is its address. */
static bool have_no_callers(const struct cdict_reader *r)
{
	const uint32_t *frames;

	for (size_t i = 0; i < cdict_reader_stack_count(r); i++)
		if (cdict_reader_stack_at(r, i, &frames) > 1)
			return false;
	return true;
}

static bool lines_init(struct lines *l, const struct cmd_call *call, const struct cdict_reader *r)
{
	const struct script_opts *o = call->opts;
	struct cdict_error err;

	const struct cdict_schema *schema = cdict_reader_schema(r);
	size_t n = cdict_schema_count(schema), words = 1;

	*l = (struct lines){ .printer = printer_new(schema),
			     .fallback = print_new(schema, cdict_reader_info(r, "trace.strings")) };
	if (l->printer)
		printer_source(l->printer, cdict_reader_info(r, "source"));
	if (l->fallback)
		print_symbols(l->fallback, cdict_reader_info(r, "trace.symbols"));
	if (l->printer && printer_symbols(l->printer, cdict_reader_info(r, "trace.symbols")))
		return false;
	/* the text was checked before */
	if (script_fields_parse(&l->head, o->fields, o->ns, &err) ||
	    script_fields_init(&l->head, r, &err))
		return false;
	l->head.stacks = l->head.ip && !o->no_stacks;
	l->head.alone = have_no_callers(r);
	for (size_t i = 0; i < n; i++)
		if (cdict_schema_at(schema, i)->n_fields / 64 >= words)
			words = cdict_schema_at(schema, i)->n_fields / 64 + 1;
	l->fields = calloc(n + 1, sizeof(*l->fields));
	l->all = malloc(words * sizeof(*l->all));
	if (!l->printer || !l->fallback || !l->fields || !l->all)
		return false;
	memset(l->all, 0xff, words * sizeof(*l->all));
	for (size_t i = 0; i < n; i++) {
		l->fields[i] = printer_fields(l->printer, i);
		if (!l->fields[i])
			l->fields[i] = l->all;
		if (!printer_knows(l->printer, i) && cdict_reader_has_type(r, i))
			print_begin(l->fallback);
	}
	return true;
}

/* Prints like "perf script --ns -F tid,cpu,time,event,trace,ip,sym,symoff,dso". */
static void line(struct lines *l, const struct cdict_reader *r, const struct cdict_event *ev,
		 uint32_t stack, struct buf *out)
{
	bool alone;

	script_fields_head(&l->head, l->printer, ev, out);
	alone = script_fields_ip(&l->head, r, ev, stack, out);
	if (!sampled_is(ev->type) && l->head.trace && !printer_text(l->printer, ev, out) &&
	    !print_text(l->fallback, ev, out))
		printer_plain(ev, out);
	buf_u8(out, '\n');
	if (!alone)
		script_fields_stack(&l->head, r, stack, out);
}

static int print_all(const struct cmd_call *call, const char *input, struct cdict_reader *r,
		     const struct options_filter *f, const struct cmd_tids *tids)
{
	const struct options_shared *o = call->opts;
	bool terminal = isatty(STDOUT_FILENO);
	size_t at;
	bool tie;
	struct cdict_error err = { 0 };
	struct cdict_query query = f->query;
	struct cdict_events *it = NULL;
	struct buf text = { 0 };
	struct lines lines;
	struct late late;
	struct cdict_event ev;
	struct pager pager;
	uint64_t most = ((const struct script_opts *)call->opts)->most, n = 0;
	int ret = -ENOMEM, rc;
	bool ready = lines_init(&lines, call, r);

	pager_open(&pager, call, terminal);
	query.fields = lines.fields;
	query.n_fields = cdict_schema_count(cdict_reader_schema(r));
	if (!late_init(&late, r) || !ready) {
		cdict_fail_nomem(&err);
	} else {
		/* Late events are identified by their order per CPU and time, so all events must be
		 * read. */
		for (size_t i = 0; late.n && query.types && i < query.n_fields; i++)
			if (i >= query.n_types || !(query.types[i / 64] >> i % 64 & 1))
				lines.fields[i] = NULL;
		if (late.n)
			query.types = NULL;
		ret = cdict_events_open(&it, r, &query, &err);
	}
	while (!ret && !ferror(stdout) && !pager.gone && !pager.sink.error && (!most || n < most) &&
	       (ret = cdict_events_next(it, &ev, &err)) > 0) {
		ret = 0;
		tie = late.n && late_any(&late, ev.t_ns);
		if (!tie && !wanted(f, o, tids, &ev))
			continue;
		if (late.ties.n && ev.t_ns != late.ties_ns && !ties_end(&late, &text))
			text.failed = true;
		late_release(&late, ev.t_ns, &text);
		at = text.len;
		if (!tie || wanted(f, o, tids, &ev)) {
			n++;
			line(&lines, r, &ev,
			     lines.head.stacks ? cdict_events_stack(it) : CDICT_NO_STACK, &text);
		}
		if (tie && !ties_add(&late, &ev, &text, at))
			text.failed = true;
		if (text.failed)
			ret = cdict_fail_nomem(&err);
		else if (text.len >= FLUSH_BYTES)
			flush(&text, &pager.sink, terminal);
	}
	if (!ret && !ties_end(&late, &text))
		ret = cdict_fail_nomem(&err);
	late_release(&late, UINT64_MAX, &text);
	flush(&text, &pager.sink, terminal);
	rc = pager_close(&pager);
	cdict_events_close(it);
	late_fini(&late);
	lines_fini(&lines);
	buf_fini(&text);
	if (ret < 0)
		return cmd_error(call, input, &err);
	return rc ? cmd_stdout_error(call, rc) : cmd_loss_status(call, input, r, o->max_loss_pct);
}

static int by_tid(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Whether --pid and --comms select the task. */
static bool selected(const struct script_opts *o, const struct analyze_task *task)
{
	bool pid = !o->pids.n, comm = !o->comms.n;

	for (size_t i = 0; i < o->pids.n && !pid; i++)
		pid = o->pids.at[i] == (task->pid > 0 ? task->pid : task->tid);
	for (size_t i = 0; i < o->comms.n && !comm; i++)
		comm = !strcmp(o->comms.at[i], task->comm);
	return pid && comm;
}

/* -t, --vm, --pid and --comms, with the meaning they have for tables: the tasks are known only after a full
 * walk. */
static int print_tasks(const struct cmd_call *call, const char *input)
{
	struct cmd_tids tids = { 0 };
	struct cdict_error err = { 0 };
	struct figures f;
	int status = figures_open_file(&f, call, input);

	if (!status && (analyze_tasks_new(&f.walk.tasks, f.walk.eng,
					  &(struct analyze_tasks_options){ 0 }, &err) ||
			analyze_vcpus_new(&f.walk.vcpus, f.walk.eng, &err)))
		status = figures_fail(&f, &err);
	if (!status)
		status = figures_run_wanted(&f);
	for (size_t i = 0; !status && i < analyze_engine_task_count(f.walk.eng); i++) {
		const struct analyze_task *task = analyze_engine_task(f.walk.eng, (uint32_t)i);

		if (names_wanted(&f.walk.names, task) && selected(call->opts, task) &&
		    array_push(&tids, task->tid))
			status = figures_no_memory(&f);
	}
	if (!status && !tids.n)
		status = cmd_errorf(call, input, "no task with this process id or comm");
	if (!status) {
		qsort(tids.at, tids.n, sizeof(*tids.at), by_tid);
		status = print_all(call, input, f.reader, &f.filter, &tids);
	}
	array_fini(&tids);
	figures_close(&f);
	return status;
}

static int script_run(const struct cmd_call *call)
{
	const struct options_shared *o = call->opts;
	const char *input = input_file(call);
	struct options_filter filter;
	const struct script_opts *opts = call->opts;
	struct cdict_error err = { 0 };
	struct script_fields fields;
	struct cdict_reader *r;
	int status;

	if (script_fields_parse(&fields, opts->fields, opts->ns, &err))
		return cmd_usage(call, "%s", err.text);
	if (o->task || o->vm || opts->pids.n || opts->comms.n)
		return print_tasks(call, input);
	status = input_open(&r, call, input, INPUT_ALL_EVENTS);
	if (status)
		return status;
	if (options_filter_init(&filter, o, r, &err) < 0)
		status = options_fail(call, input, &err);
	if (!status) {
		options_filter_report(&filter, call, input);
		status = print_all(call, input, r, &filter, &o->tids);
	}
	options_filter_fini(&filter);
	cdict_reader_close(r);
	return status;
}

static const struct cmd_example script_examples[] = {
	{ "cdict script run.cdict", "all events" },
	{ "cdict script -e sched:sched_switch --time 544.9,545 -C 0-1 run.cdict",
	  "switches of two CPUs in a tenth of a second" },
	{ "cdict script -t vhost --vm web run.cdict", "events of the vhost threads of one VM" },
	{ "cdict script -F comm,tid,time,event", "these fields, as perf script -F" },
	{ "cdict script -n 20 --comms 'CPU 0/KVM' run.cdict",
	  "the first 20 events of these threads" },
	{ NULL, NULL },
};

const struct cmd cmd_script = {
	.name = "script",
	.brief = "print events as perf script prints them",
	.operands = "[FILE]",
	.about = "Prints the same as perf script --guest-code --ns -F tid,cpu,time,event,trace for "
		 "the recording that FILE was converted from. Events that fired while a guest was "
		 "entered are included; --no-guest-mode leaves them out as perf does without "
		 "--guest-code.",
	.options = script_options,
	.foreign = foreign_script_options,
	.opts_size = sizeof(struct script_opts),
	.max_operands = 1,
	.all_events = true,
	.examples = script_examples,
	.run = script_run,
};
