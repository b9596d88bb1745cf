/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of a capture, bucket by bucket. */
#include "query/fleet/figures/capture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/saturate.h"
#include "tables/columns/tables.h"
#include "tables/info/info.h"
#include "tables/names/culprits.h"

/* FNV-1a: capture ids must never change. */
static uint64_t hash(uint64_t h, const char *text)
{
	for (; text && *text; text++)
		h = (h ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return (h ^ 0xff) * UINT64_C(0x100000001b3);
}

static void make_id(struct fleet_capture *c)
{
	static const char *const keys[] = { "host.name", "clock.wall_ns", "clock.mono_ns",
					    "host.kernel" };
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	char first[32];

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		h = hash(h, cdict_reader_info(c->reader, keys[i]));
	snprintf(first, sizeof(first), "%" PRIu64 " %" PRIu32, c->first_ns,
		 cdict_reader_cpus(c->reader));
	snprintf(c->id, sizeof(c->id), "%016" PRIx64, hash(h, first));
}

int fleet_capture_init(struct fleet_capture *c, struct cdict_reader *r, const char *host,
		       uint64_t bucket_ns, struct cdict_error *err)
{
	const char *own = cdict_reader_info(r, "host.name");
	struct mapping none = { 0 };
	uint64_t wall_ns;
	int rc = 0;

	*c = (struct fleet_capture){ .reader = r, .bucket_ns = bucket_ns };
	snprintf(c->host, sizeof(c->host), "%s", host ? host : own && *own ? own : "unknown");
	if (cdict_reader_label_count(r))
		rc = label_index_new(&c->labels, r, false, &none, err);
	if (rc)
		return rc;
	if (!cdict_reader_window(r, &c->first_ns, &c->last_ns))
		return 0;
	c->clocked = info_wall(r, c->first_ns, &wall_ns);
	c->offset_ns = c->clocked ? wall_ns - c->first_ns : 0;
	make_id(c);
	c->first = (c->first_ns + c->offset_ns) / bucket_ns;
	c->n = (c->last_ns + c->offset_ns) / bucket_ns - c->first + 1;
	return 0;
}

void fleet_capture_fini(struct fleet_capture *c)
{
	label_index_free(c->labels);
	c->labels = NULL;
}

/* ---- one bucket ---- */

struct collecting {
	const struct fleet_capture *c;
	const struct tables_walk *w;
	struct fleet_rows *rows;
	unsigned lacks;
};

/* The name @name of the task's VM, given. A VM without a name has its pid as name, which belongs to
 * another VM on another host. */
static int vm_named(const struct collecting *k, const struct analyze_task *task, const char *name,
		    char **vm, struct cdict_error *err)
{
	*vm = NULL;
	if (name && names_nameless(&k->w->names, task))
		return asprintf(vm, "%s:%s", k->c->host, name) < 0 ? cdict_fail_nomem(err) : 0;
	*vm = name ? strdup(name) : NULL;
	return name && !*vm ? cdict_fail_nomem(err) : 0;
}

static int vm_of(const struct collecting *k, const struct analyze_task *task, char **vm,
		 struct cdict_error *err)
{
	return vm_named(k, task, names_vm(&k->w->names, task), vm, err);
}

static int add_row(const struct collecting *k, enum fleet_kind kind, const void *row,
		   struct cdict_error *err)
{
	const struct analyze_task *task = analyze_engine_task(k->w->eng, *(const uint32_t *)row);
	const struct tables_decl *decl = fleet_shapes[kind].decl;
	bool lossy = tables_lossy(k->w, task) || (decl->lossy && decl->lossy(row));
	struct fleet_key key = { .vcpu = -1, .idle = !task->tid };
	union fleet_any any;
	char *name, *vm;
	int rc;

	if (!task->tid && decl->no_idle)
		return 0;
	name = names_display(&k->w->names, task);
	if (!name)
		return cdict_fail_nomem(err);
	rc = vm_of(k, task, &vm, err);
	key.name = name;
	key.vm = vm;
	key.vcpu = names_vcpu(&k->w->names, task);
	memset(&any, 0, sizeof(any));
	memcpy(&any, row, fleet_shapes[kind].size);
	if (kind == FLEET_EXITS) {
		key.isa = any.exit.isa;
		key.code = any.exit.reason;
		key.reason = any.exit.name;
		key.idle = any.exit.idle;
	} else if (kind == FLEET_VCPUS) {
		/* the CPU and the antagonist are meaningful on this host only */
		any.vcpu.worst.cpu = CDICT_CPU_UNKNOWN;
		any.vcpu.worst.behind = ANALYZE_NO_TASK;
	}
	if (!rc)
		rc = fleet_rows_add(k->rows, kind, &key, &any, lossy, k->lacks, err);
	free(name);
	free(vm);
	return rc;
}

/* ---- behind whom the VMs waited ---- */

struct blaming {
	const struct collecting *k;
	struct culprits culprits;
	const char *vm; /* of the vCPU: borrowed from the names, then as stored */
	char *stored;
	bool lossy;
};

static enum fleet_culprit culprit_of(const char *kind)
{
	int is = 0;

	while (is < FLEET_UNKNOWN && strcmp(fleet_culprits[is], kind) != 0)
		is++;
	return (enum fleet_culprit)is;
}

static int blame(struct blaming *b, const struct analyze_task *task, uint64_t ns,
		 struct cdict_error *err)
{
	struct fleet_key key = { .vm = b->stored, .vcpu = -1 };
	union fleet_any any;
	enum fleet_culprit is;
	const char *kind, *name = culprits_name(&b->culprits, task, b->vm, &kind);
	char *vm = NULL;
	int rc = 0;

	if (!ns)
		return 0;
	if (!name)
		return cdict_fail_nomem(err);
	is = culprit_of(kind);
	if (is == FLEET_SELF || is == FLEET_VM)
		rc = vm_named(b->k, task, name, &vm, err);
	key.name = vm ? vm : name;
	memset(&any, 0, sizeof(any));
	any.behind.ns[is] = ns;
	if (!rc)
		rc = fleet_rows_add(b->k->rows, FLEET_BEHIND, &key, &any, b->lossy, b->k->lacks,
				    err);
	free(vm);
	return rc;
}

/* As the rows of "vcpu --by vm". */
static int blame_all(struct blaming *b, const struct analyze_vcpu_row *row, struct cdict_error *err)
{
	const struct tables_walk *w = b->k->w;
	const struct analyze_task *task = analyze_engine_task(w->eng, row->task);
	uint64_t rest_ns = analyze_vcpu_delayed_ns(row);
	int rc;

	b->vm = names_vm(&w->names, task);
	b->lossy = row->lost_ns || tables_lossy(w, task);
	rc = vm_of(b->k, task, &b->stored, err);
	for (size_t i = 0; i < row->n_antagonists && !rc && b->stored; i++) {
		const struct analyze_antagonist *a = &row->antagonists[i];

		rest_ns -= analyze_behind_ns(a);
		rc = blame(b, analyze_engine_task(w->eng, a->task), analyze_behind_ns(a), err);
	}
	if (!rc && b->stored)
		rc = blame(b, NULL, rest_ns, err);
	free(b->stored);
	return rc;
}

static int add_culprits(const struct collecting *k, struct cdict_error *err)
{
	struct blaming b = { .k = k, .culprits.names = &k->w->names };
	int rc = 0;

	for (size_t i = 0; i < fleet_shapes[FLEET_VCPUS].decl->count(k->w) && !rc; i++)
		rc = blame_all(&b, fleet_shapes[FLEET_VCPUS].decl->at(k->w, i), err);
	culprits_fini(&b.culprits);
	return rc;
}

static int add_rows(const struct collecting *k, struct cdict_error *err)
{
	const struct tables_walk *w = k->w;
	int rc = 0;

	for (int kind = 0; kind < FLEET_BEHIND && !rc; kind++) {
		const struct tables_decl *decl = fleet_shapes[kind].decl;
		size_t n = decl->count(w);

		for (size_t i = 0; i < n && !rc; i++)
			rc = add_row(k, (enum fleet_kind)kind, decl->at(w, i), err);
	}
	return rc ? rc : add_culprits(k, err);
}

/* A loss belongs to the bucket in which it ends, so that it is counted once. */
static uint64_t lost_in(const struct fleet_capture *c, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < cdict_reader_loss_count(c->reader); i++) {
		const struct cdict_loss *loss = cdict_reader_loss_at(c->reader, i);
		uint64_t end = loss->to_ns > c->last_ns ? c->last_ns : loss->to_ns;

		if (loss_missing(loss) && (end >= from_ns || from_ns == c->first_ns) &&
		    (end < to_ns || to_ns == c->last_ns))
			saturated_add(&lost, loss->count);
	}
	return lost;
}

static int walk_bucket(struct tables_walk *w, struct cdict_error *err)
{
	const struct analyze_exits_options exits = { .no_accesses = true };
	int rc = analyze_tasks_new(&w->tasks, w->eng, NULL, err);

	rc = rc ? rc : analyze_latency_new(&w->latency, w->eng, NULL, err);
	rc = rc ? rc : analyze_exits_new(&w->exits, w->eng, &exits, err);
	rc = rc ? rc : analyze_vcpus_new(&w->vcpus, w->eng, err);
	return rc ? rc : tables_walk_run(w, err);
}

int fleet_capture_bucket(const struct fleet_capture *c, uint64_t i, unsigned jobs, struct buf *out,
			 struct cdict_error *err)
{
	uint64_t begin = (c->first + i) * c->bucket_ns - c->offset_ns;
	uint64_t from = i ? begin : c->first_ns;
	uint64_t to = i + 1 < c->n ? begin + c->bucket_ns : c->last_ns;
	struct tables_options opts = {
		.from_ns = from,
		.to_ns = to,
		.jobs = jobs,
		.whole_waits = true, /* the job has the largest of its buckets */
		.names = { .labels = c->labels, .merge_sys_tasks = true },
	};
	struct tables_walk w = { 0 };
	struct fleet_rows rows = { 0 };
	struct fleet_window window;
	int rc;

	if (c->n == 1)
		opts.from_ns = opts.to_ns = 0;
	rc = tables_walk_init(&w, c->reader, &opts, err);
	rc = rc ? rc : walk_bucket(&w, err);
	if (!rc && c->growing && analyze_engine_open(w.eng)) {
		rc = FLEET_OPEN;
	} else if (!rc) {
		const struct analyze_summary *sum = analyze_engine_summary(w.eng);
		struct collecting k = { c, &w, &rows, tables_lacks(&w) };

		window = (struct fleet_window){
			.from_ns = from + c->offset_ns,
			.window_ns = sum->window_ns,
			.events = sum->events,
			.lost = lost_in(c, from, to),
			.unknown_ns = sum->unknown_ns,
			.cpus = cdict_reader_cpus(c->reader),
			.clocked = c->clocked,
		};
		rc = add_rows(&k, err);
	}
	if (!rc)
		rc = fleet_value_encode(out, &rows, &window, err);
	fleet_rows_fini(&rows);
	tables_walk_fini(&w);
	return rc;
}

int fleet_capture_put(const struct fleet_capture *c, uint64_t i, const struct buf *value,
		      struct store *st, const char *id, bool *added, struct cdict_error *err)
{
	char shelf[STORE_NAME_MOST + 1], name[STORE_NAME_MOST + 1];

	snprintf(shelf, sizeof(shelf), "%s%s", FLEET_SHELF_HOST, c->host);
	snprintf(name, sizeof(name), "%s.%" PRIu64, c->id, c->first + i);
	return store_put(st, id, shelf, name, value->data, value->len, added, err);
}
