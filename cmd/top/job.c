/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict top --job: hosts and VMs of a job, from the buckets pushed since the last look. */
#include "cmd/top/job.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/escape.h"
#include "base/fail.h"
#include "base/saturate.h"
#include "base/memory/map.h"
#include "base/system/monotonic.h"
#include "base/memory/stringset.h"
#include "base/text/plural.h"
#include "cmd/tables/fleet.h"
#include "cmd/top/terminal.h"
#include "query/fleet/figures/figures.h"
#include "query/fleet/figures/follow.h"

#define KEYS "w waiting, e exits, c CPU, SPACE freeze, q quit"

/* The data of one look: a row per host, a row per VM. */
struct news {
	struct top_rows hosts, vms;
	struct top_row now;     /* of the current bucket: its host */
	struct stringset texts; /* names of VMs */
	struct map by_vm;
	ARRAY(uint32_t) touched; /* VMs in the current bucket */
	ARRAY(uint32_t) of_host; /* index in the job -> row + 1 */
	bool failed;
};

struct following {
	const struct cmd_call *call;
	struct fleet_follow follow;
	struct news *news;            /* from the last look with new data */
	struct fleet_results results; /* counts and benchmarks, of all time */
	uint64_t n_results;           /* values they were read from */
	enum top_by by;
	bool wide;
	bool frozen, failed; /* failed: out of memory while drawing */
	struct top_terminal terminal;
	char message[512];
};

/* A handler can only use global state. */
static volatile sig_atomic_t ended;

static void on_signal(int sig)
{
	(void)sig;
	ended = 1;
}

/* Without SA_RESTART: a signal ends the wait for a key. */
static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction now, want = { .sa_handler = on_signal };

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		/* signals that the parent ignores (nohup) stay ignored */
		if (!sigaction(signals[i], NULL, &now) && now.sa_handler == SIG_DFL)
			sigaction(signals[i], &want, NULL);
	}
}

/* ---- data ---- */

static void news_free(struct news *n)
{
	if (!n)
		return;
	top_rows_fini(&n->hosts);
	top_rows_fini(&n->vms);
	stringset_fini(&n->texts);
	map_fini(&n->by_vm);
	array_fini(&n->touched);
	array_fini(&n->of_host);
	free(n);
}

static struct top_row *new_row(struct top_rows *rows, const char *name)
{
	struct top_row *row = array_add(&rows->rows);

	if (row && !(row->name = strdup(name))) {
		rows->rows.n--;
		row = NULL;
	}
	return row;
}

/* The VM's row; NULL: out of memory. */
static struct top_row *row_of_vm(struct news *n, const char *vm)
{
	const char *text = stringset_add(&n->texts, vm, strlen(vm));
	uint32_t *at = text ? map_add(&n->by_vm, (uintptr_t)text, 0) : NULL;
	size_t t = 0;

	if (!at)
		return NULL;
	if (*at == MAP_NEW) {
		if (!new_row(&n->vms, vm))
			return NULL;
		*at = (uint32_t)n->vms.rows.n - 1;
	}
	while (t < n->touched.n && n->touched.at[t] != *at)
		t++;
	if (t == n->touched.n && array_push(&n->touched, *at))
		return NULL;
	return &n->vms.rows.at[*at];
}

static void add_figures(struct top_row *to, const struct fleet_key *key, enum fleet_kind kind,
			const union fleet_any *any)
{
	if (kind == FLEET_TASKS) {
		to->cpu_ns += any->task.run_ns;
		/* for vCPUs, their own table has the exact time */
		if (key->vcpu < 0)
			to->waiting_ns += any->task.off_ns[ANALYZE_OFF_RUNNABLE] +
					  any->task.off_ns[ANALYZE_OFF_PREEMPTED] +
					  any->task.latency.sum;
	} else if (kind == FLEET_EXITS) {
		to->guests = true;
		to->exits += any->exit.events;
	} else if (kind == FLEET_VCPUS) {
		to->guests = true;
		to->waiting_ns +=
			any->vcpu.ns[ANALYZE_VCPU_PREEMPTED] + any->vcpu.ns[ANALYZE_VCPU_WAITING];
		to->guest_ns += any->vcpu.ns[ANALYZE_VCPU_GUEST];
		to->exit_ns += any->vcpu.ns[ANALYZE_VCPU_EXIT];
		to->halted_ns += any->vcpu.ns[ANALYZE_VCPU_HALTED];
		if (key->vcpu >= 0 && (uint32_t)key->vcpu + 1 > to->threads)
			to->threads = (uint32_t)key->vcpu + 1;
	}
}

static void on_row(void *ctx, enum fleet_kind kind, const struct fleet_key *key,
		   const union fleet_any *any, unsigned lacks)
{
	struct news *n = ctx;
	struct top_row *vm;

	(void)lacks;
	if (kind == FLEET_TASKS && key->idle)
		return;
	add_figures(&n->now, key, kind, any);
	if (!key->vm)
		return;
	vm = row_of_vm(n, key->vm);
	if (vm)
		add_figures(vm, key, kind, any);
	n->failed |= !vm;
}

static void add_now(struct top_row *to, const struct top_row *now, uint64_t window_ns)
{
	to->window_ns += window_ns;
	to->guests |= now->guests;
	to->waiting_ns += now->waiting_ns;
	to->exits += now->exits;
	to->cpu_ns += now->cpu_ns;
	to->guest_ns += now->guest_ns;
	to->exit_ns += now->exit_ns;
	to->halted_ns += now->halted_ns;
}

struct hearing {
	struct following *f;
	struct news *n;
};

static int on_bucket(void *ctx, size_t host, const struct fleet_window *w, struct cdict_error *err)
{
	struct hearing *k = ctx;
	struct news *n = k->n;

	if (n->failed || (host >= n->of_host.n && array_resize(&n->of_host, host + 1)))
		return cdict_fail_nomem(err);
	if (!n->of_host.at[host]) {
		if (!new_row(&n->hosts, k->f->follow.hosts.at[host].name))
			return cdict_fail_nomem(err);
		n->of_host.at[host] = (uint32_t)n->hosts.rows.n;
	}
	add_now(&n->hosts.rows.at[n->of_host.at[host] - 1], &n->now, w->window_ns);
	for (size_t i = 0; i < n->touched.n; i++)
		n->vms.rows.at[n->touched.at[i]].window_ns += w->window_ns;
	n->touched.n = 0;
	n->now = (struct top_row){ 0 };
	saturated_add(&n->hosts.window_ns, w->window_ns);
	saturated_add(&n->hosts.events, w->events);
	saturated_add(&n->hosts.lost, w->lost);
	return 0;
}

static void on_row_of(void *ctx, enum fleet_kind kind, const struct fleet_key *key,
		      const union fleet_any *any, unsigned lacks)
{
	on_row(((struct hearing *)ctx)->n, kind, key, any, lacks);
}

/* ---- counts and benchmarks ---- */

/* Reads them again if there are more; 1: there are. */
static int look_results(struct following *f, struct store *st, const char *id,
			struct cdict_error *err)
{
	struct fleet_results fresh = { 0 };
	struct store_names shelves = { 0 };
	uint64_t n = 0;
	int rc = store_list_shelves(&shelves, st, id, err);

	for (size_t i = 0; i < shelves.all.n; i++)
		n += fleet_figures_host(shelves.all.at[i].text) ? shelves.all.at[i].n : 0;
	array_fini(&shelves.all);
	if (rc || n == f->n_results)
		return rc;
	rc = fleet_results_read(&fresh, st, id, NULL, err);
	if (rc) {
		fleet_results_fini(&fresh);
		return rc;
	}
	fleet_results_fini(&f->results);
	f->results = fresh;
	f->n_results = n;
	return 1;
}

/* Prints the tables. */
static void draw_results(struct following *f, struct sink *s, const struct top_view *view)
{
	struct table *tables[FLEET_RESULT_TABLES];
	size_t n = fleet_add_results(f->call, &f->results, tables, 0);
	struct table_frame frame = { .command = "top",
				     .file = "counts and benchmarks",
				     .columns = (unsigned)view->columns,
				     .live = true };
	struct sink text;
	char *all;

	sink_to_memory(&text);
	f->failed |= n && table_print(&text, TABLE_AS_TEXT, &frame, tables, n);
	for (size_t i = 0; i < n; i++)
		table_free(tables[i]);
	all = sink_take(&text, NULL);
	f->failed |= !all;
	if (n && all)
		top_print_lines(s, all, view);
	free(all);
}

/* ---- display ---- */

/* Hosts, and below them VMs; on a terminal hosts get up to half of the lines. */
static void draw_news(struct following *f, struct sink *s, struct top_view view)
{
	enum { ABOVE_ROWS = 2 };
	size_t lines = view.lines - 1, half = lines / 2, want;

	top_rows_sort(&f->news->hosts, f->by);
	top_rows_sort(&f->news->vms, f->by);
	top_rows_head(&f->news->hosts, s, f->by, &view);
	want = f->news->hosts.rows.n + ABOVE_ROWS;
	view.lines = !f->news->vms.rows.n ? lines : want < half ? want : half;
	f->failed |= top_rows_list(&f->news->hosts, s, &view) != 0;
	view.lines = lines - view.lines;
	if (f->news->vms.rows.n)
		f->failed |= top_rows_list(&f->news->vms, s, &view) != 0;
}

static void draw(struct following *f)
{
	const struct options_shared *o = f->call->opts;
	const char *last = f->message[0] ? f->message : f->frozen ? "frozen: SPACE resumes" : KEYS;
	struct top_view view = top_terminal_view(&f->terminal, o->top, f->wide), results = view;
	struct sink s;

	sink_to_file(&s, stdout);
	if (f->terminal.on)
		sink_puts(&s, "\033[H");
	results.lines = f->terminal.on && f->news ? view.lines / 4 : view.lines - 1;
	if (f->terminal.on && f->n_results)
		view.lines -= results.lines;
	if (f->news)
		draw_news(f, &s, view);
	else
		sink_printf(&s, f->n_results ? "job %s%s" : "job %s: nothing pushed yet%s",
			    f->follow.job.id, view.eol);
	if (f->n_results)
		draw_results(f, &s, &results);
	if (f->terminal.on) {
		escape_terminal(&s, last,
				strlen(last) < view.columns ? strlen(last) : view.columns);
		sink_puts(&s, "\033[K\033[J");
	} else {
		sink_putc(&s, '\n');
	}
	f->failed |= sink_finish(&s) == -ENOMEM;
	fflush(stdout);
}

/* ---- polling ---- */

static int look(struct following *f, struct store *st, const char *id, struct cdict_error *err)
{
	struct hearing k = { f, calloc(1, sizeof(*k.n)) };
	const struct fleet_listener listener = { .row = on_row_of, .bucket = on_bucket, .ctx = &k };
	int rc = k.n ? fleet_follow_look(&f->follow, st, id, &listener, err)
		     : cdict_fail_nomem(err);
	int more = rc ? 0 : look_results(f, st, id, err);

	rc = more < 0 ? more : rc;
	if (rc || !k.n->hosts.rows.n) {
		news_free(k.n);
		if (!rc && more)
			draw(f);
		return rc;
	}
	k.n->hosts.what = "host";
	k.n->vms.what = "VM";
	k.n->vms.each = "vCPUs";
	snprintf(k.n->hosts.host, sizeof(k.n->hosts.host), "job %.30s, %s of %s host%s", id,
		 GROUPED(k.n->hosts.rows.n), GROUPED(f->follow.hosts.n),
		 f->follow.hosts.n == 1 ? "" : "s");
	news_free(f->news);
	f->news = k.n;
	draw(f);
	return 0;
}

/* Handles a key; returns whether to quit. */
static bool obey(struct following *f, char key)
{
	switch (key) {
	case 'q':
		return true;
	case ' ':
		f->frozen = !f->frozen;
		break;
	default:
		if (!top_by_key(key, &f->by))
			return false;
	}
	draw(f);
	return false;
}

/* Waits until the next look, or the end; returns whether it is the end. */
static bool wait_for(struct following *f, uint64_t until_ns, uint64_t end_ns)
{
	bool last = end_ns && end_ns <= until_ns;

	until_ns = last ? end_ns : until_ns;
	while (!ended && !ferror(stdout) && !monotonic_past(until_ns)) {
		char key = top_terminal_key(&f->terminal, monotonic_left_ms(until_ns));

		if (key && obey(f, key))
			return true;
	}
	return ended || ferror(stdout) || last;
}

static int follow(struct following *f, struct store *st, const char *id,
		  const struct top_job_options *how, struct cdict_error *err)
{
	uint64_t end_ns = how->length_ns ? monotonic_ns() + how->length_ns : 0;
	bool begun = false;

	for (;;) {
		uint64_t next_ns = monotonic_ns() + how->interval_ns;
		int rc = f->frozen ? 0 : look(f, st, id, err);

		/* a server may come back; a removed job does not */
		if (rc && (!begun || rc == CDICT_ENOTFOUND || rc == -ENOMEM))
			return rc;
		snprintf(f->message, sizeof(f->message), "%s", rc ? err->text : "");
		if (rc && !f->terminal.on)
			cmd_warn(f->call, NULL, "%s", err->text);
		if (f->terminal.on && (rc || !begun))
			draw(f);
		begun = true;
		if (f->failed)
			return cdict_fail_nomem(err);
		if (wait_for(f, next_ns, end_ns))
			return f->failed ? cdict_fail_nomem(err) : 0;
	}
}

int top_job(const struct cmd_call *call, const struct top_job_options *how)
{
	const struct options_shared *o = call->opts;
	struct following f = { .call = call, .by = how->by, .wide = how->wide };
	struct cdict_error err = { 0 };
	struct store *st = NULL;
	int status, rc = fleet_job_id(o->job, &err);

	status = rc ? fleet_fail(call, &err) : fleet_open(&st, call);
	if (!status) {
		rc = store_get(st, o->job, &f.follow.job, &err); /* before changing the screen */
		if (!rc) {
			catch_signals();
			f.terminal.on = isatty(STDOUT_FILENO) && isatty(STDIN_FILENO);
			top_terminal_enter(&f.terminal);
			rc = follow(&f, st, o->job, how, &err);
			top_terminal_leave(&f.terminal);
		}
		status = rc ? fleet_fail(call, &err) : CMD_DONE;
	}
	store_close(st);
	news_free(f.news);
	fleet_results_fini(&f.results);
	fleet_follow_fini(&f.follow);
	return status;
}
