/* SPDX-License-Identifier: GPL-2.0-only */
/* Stores the host's name, names of tasks, guests' vCPUs. */
#include "convert/tracedat/contents.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "convert/ingest/info.h"
#include "convert/tracedat/clock.h"

/* TASK_COMM_LEN, without its NUL: a longer name is not a comm. */
#define COMM_MAX 15u

/* Splits "Linux compute-01 6.1.0-18-amd64 x86_64": the words from the second on. */
static void uname_words(const char *uname, char words[3][256])
{
	const char *at = uname ? uname + strcspn(uname, " ") : "";

	for (size_t i = 0; i < 3; i++) {
		size_t n;

		at += strspn(at, " ");
		n = strcspn(at, " ");
		words[i][0] = '\0';
		if (n < sizeof(words[i])) {
			memcpy(words[i], at, n);
			words[i][n] = '\0';
		}
		at += n;
	}
}

static void store_guests(const struct tracedat *td, struct info_pairs *pairs)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < td->guests.n; i++)
		buf_printf(&b, "%s%s:%016" PRIx64, i ? " " : "", td->guests.at[i].name,
			   td->guests.at[i].trace_id);
	info_take(pairs, "trace.guests", &b);
}

static bool has_shifts(const struct tracedat *td)
{
	for (size_t i = 0; i < td->shifts.n; i++)
		if (td->shifts.at[i].at.n)
			return true;
	return false;
}

/* A guest's times were moved to those of its host's trace: which one, and how exactly. */
static void store_peer(const struct tracedat *td, struct info_pairs *pairs)
{
	char text[24];
	uint64_t error_ns;

	if (has_shifts(td)) {
		snprintf(text, sizeof(text), "%016" PRIx64, td->peer_id);
		info_text(pairs, "trace.peer", text);
	}
	if (tracedat_shift_error(td, &error_ns)) {
		snprintf(text, sizeof(text), "%" PRIu64, error_ns);
		info_text(pairs, "trace.peer_error_ns", text);
	}
	if (!td->offset_ns)
		return;
	snprintf(text, sizeof(text), "%" PRId64, td->offset_ns);
	info_text(pairs, "trace.offset_ns", text);
}

int tracedat_store_host(const struct tracedat *td, struct cdict_writer *w, const char *clock,
			struct cdict_error *err)
{
	struct info_pairs pairs = { .w = w, .err = err };
	char words[3][256], id[24] = "";
	struct info_host host = { .cpus = td->n_cpus };
	struct info_recorder recorder = { .clock = clock };

	uname_words(td->uname, words);
	host.name = words[0];
	host.kernel = words[1];
	host.arch = words[2];
	info_begin(&pairs, &host, &recorder);
	info_text(&pairs, "source", "trace-cmd");
	info_text(&pairs, "source.version", td->recorder);
	if (td->has_trace_id)
		snprintf(id, sizeof(id), "%016" PRIx64, td->trace_id);
	info_text(&pairs, "trace.id", id);
	store_guests(td, &pairs);
	store_peer(td, &pairs);
	return pairs.failed;
}

/* Parses "1234 name"; *@end: after the line. */
static bool name_line(const char *line, int32_t *tid, char comm[COMM_MAX + 1], const char **end)
{
	char *blank;
	long n = strtol(line, &blank, 10);
	size_t len = strcspn(line, "\n"), name;

	*end = line + len + (line[len] == '\n');
	if (blank == line || *blank != ' ' || n <= 0 || n >= TID_MAX)
		return false;
	name = len - (size_t)(blank + 1 - line);
	if (!name || name > COMM_MAX)
		return false;
	*tid = (int32_t)n;
	memcpy(comm, blank + 1, name);
	comm[name] = '\0';
	return true;
}

static int add_leaders(const struct tracedat *td, struct map *leaders, struct cdict_error *err)
{
	for (size_t i = 0; i < td->processes.n; i++) {
		uint32_t *n = map_add(leaders, (uint32_t)td->processes.at[i], 0);

		if (!n)
			return cdict_fail_nomem(err);
		*n = 0;
	}
	return 0;
}

int tracedat_store_tasks(const struct tracedat *td, struct ingest *in, struct map *leaders,
			 struct cdict_error *err)
{
	const char *line = td->cmdlines ? td->cmdlines : "";
	int ret = add_leaders(td, leaders, err);
	char comm[COMM_MAX + 1];

	while (*line && !ret) {
		struct cdict_task_event ev = { .what = CDICT_TASK_COMM, .pid = -1, .comm = comm };

		/* tracefs writes <...> for a name that it no longer has */
		if (!name_line(line, &ev.tid, comm, &line) || !strcmp(comm, "<...>"))
			continue;
		if (map_find(leaders, (uint32_t)ev.tid, 0))
			ev.pid = ev.tid;
		ret = ingest_task(in, &ev, err);
	}
	return ret;
}

static int report_vcpus(const struct tracedat_guest *g, struct cdict_writer *w,
			struct cdict_error *err)
{
	char role[24];
	int ret = 0;

	for (size_t i = 0; i < g->vcpus.n && !ret; i++) {
		struct cdict_label label = {
			.tid = g->vcpus.at[i].tid,
			.origin = CDICT_LABEL_PROC,
			.name = g->name,
			.role = role,
			.instance = g->name,
		};

		snprintf(role, sizeof(role), "vcpu%u", g->vcpus.at[i].vcpu);
		if (label.tid <= 0 || strlen(g->name) > 4096)
			continue;
		ret = cdict_writer_label(w, &label, err);
	}
	return ret;
}

static int report_scope(const struct ingest *in, struct cdict_writer *w, struct cdict_error *err)
{
	struct scope scope = { .kind = SCOPE_SYSTEM };
	char text[SCOPE_TEXT_MAX];

	scope.foreign = store_foreign(store_counts(in->opts.store));
	/* no begins_ns: a single write to tracing_on starts all rings */
	if (!scope.foreign)
		return 0;
	return cdict_writer_info(w, "record.scope", scope_text(text, &scope), err);
}

int tracedat_store_end(const struct tracedat *td, const struct ingest *in,
		       const struct convert_report *r, struct cdict_writer *w,
		       struct cdict_error *err)
{
	struct info_pairs pairs = { .w = w, .err = err };
	int ret;

	info_number(&pairs, "input.bytes", td->file.size);
	info_text(&pairs, "input.mode", td->file.mapped ? "file" : "pipe");
	ret = pairs.failed ? pairs.failed : report_scope(in, w, err);
	if (!ret && r->damaged)
		ret = cdict_writer_info(w, "input.damage", r->damage, err);
	for (size_t i = 0; i < td->guests.n && !ret; i++)
		ret = report_vcpus(&td->guests.at[i], w, err);
	return ret;
}
