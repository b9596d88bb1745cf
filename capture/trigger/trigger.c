/* SPDX-License-Identifier: GPL-2.0-only */
/* Collects the readers' events, and examines them in time order. */
#include "capture/trigger/trigger.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "base/memory/buf.h"
#include "capture/host/clock.h"
#include "capture/host/rings.h"
#include "capture/trigger/trigger_internal.h"

/* An event reaches its ring at most this long after its time stamp was taken. */
#define SLACK_NS UINT64_C(2000000)
/* Limit of notes that may arrive while a dump is written. Notes that wait exist twice, and a
 * growing buffer may be twice as large as its contents. */
#define NOTES_MAX_BYTES (TRIGGER_BYTES / 4)

int trigger_parse(struct trigger_spec *spec, const char *text, struct cdict_error *err)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	static const char *const names[] = { [TRIGGER_LATENCY] = "latency>",
					     [TRIGGER_DELAY] = "delay>",
					     [TRIGGER_EXIT] = "exit>",
					     [TRIGGER_STEAL] = "steal>" };

	for (size_t kind = 0; kind < sizeof(names) / sizeof(names[0]); kind++) {
		size_t n = strlen(names[kind]);
		char *end;
		double v;

		if (strncmp(text, names[kind], n) || text[n] < '0' || text[n] > '9')
			continue;
		v = strtod(text + n, &end);
		*spec = (struct trigger_spec){ .kind = (enum trigger_kind)kind };
		if (kind == TRIGGER_STEAL) {
			spec->limit_pct = v;
			if (!strcmp(end, "%") && v < 100)
				return 0;
			break;
		}
		for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
			if (strcmp(end, units[i].name) || v * units[i].ns > 1e15)
				continue;
			spec->limit_ns = (uint64_t)(v * units[i].ns);
			return 0;
		}
	}
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			  "option --trigger takes latency>TIME, delay>TIME, exit>TIME or "
			  "steal>PCT%%, as in latency>10ms, not '%s'",
			  text);
}

/* The first field among @names ("a|b") that @type has. */
static struct watch_field field(const struct cdict_event_type *type, const char *names)
{
	char name[32];
	int i = -1;

	for (; *names && i < 0; names += strspn(names, "|")) {
		size_t n = strcspn(names, "|");

		snprintf(name, sizeof(name), "%.*s", (int)n, names);
		i = cdict_event_type_field(type, name);
		names += n;
	}
	if (i < 0)
		return (struct watch_field){ 0 };
	return (struct watch_field){ type->fields[i].offset, type->fields[i].size,
				     type->fields[i].kind == CDICT_FIELD_DATA_LOC };
}

static struct watch watch_of(const struct cdict_event_type *type)
{
	struct watch w = { .type = type };

	if (!strcmp(type->name, "sched:sched_waking") ||
	    !strcmp(type->name, "sched:sched_wakeup") ||
	    !strcmp(type->name, "sched:sched_wakeup_new")) {
		w.kind = NOTE_WAKE;
		w.is_new = !strcmp(type->event, "sched_wakeup_new");
		w.tid = field(type, "pid");
		w.comm = field(type, "comm");
		w.success = field(type, "success");
	} else if (!strcmp(type->name, "sched:sched_switch")) {
		w.kind = NOTE_SWITCH;
		w.tid = field(type, "prev_pid");
		w.next = field(type, "next_pid");
		w.state = field(type, "prev_state");
		w.comm = field(type, "next_comm");
	} else if (!strcmp(type->name, "kvm:kvm_exit")) {
		w.kind = NOTE_EXIT;
		w.code = field(type, "exit_reason|ret|exit_nr|reason|scause");
		w.isa = field(type, "isa");
		w.esr = field(type, "esr_ec");
	} else if (!strcmp(type->name, "kvm:kvm_entry")) {
		w.kind = NOTE_ENTRY;
	}
	return w;
}

static bool records(const struct trigger *t, const char *name)
{
	return cdict_schema_find(t->opts.schema, name) != NULL;
}

/* A condition needs certain recorded events. */
static int check_events(const struct trigger *t, const struct trigger_spec *spec,
			struct cdict_error *err)
{
	bool exits = spec->kind == TRIGGER_EXIT;

	if (exits ? records(t, "kvm:kvm_exit") && records(t, "kvm:kvm_entry")
		  : records(t, "sched:sched_switch") &&
			    (records(t, "sched:sched_waking") || records(t, "sched:sched_wakeup")))
		return 0;
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "the trigger needs %s",
			  exits ? "kvm:kvm_exit and kvm:kvm_entry"
				: "sched:sched_switch and sched:sched_waking");
}

static int add_watchers(struct trigger *t, struct cdict_error *err)
{
	const struct trigger_options *o = &t->opts;

	t->watchers = calloc(o->n_specs + 1, sizeof(struct watcher *));
	for (size_t i = 0; i < o->n_specs && t->watchers; i++) {
		int ret = check_events(t, &o->specs[i], err);

		if (ret)
			return ret;
		t->watchers[i] = watcher_new(o, &o->specs[i], t->tasks);
		if (!t->watchers[i])
			return cdict_fail_nomem(err);
	}
	return t->watchers && t->watches ? 0 : cdict_fail_nomem(err);
}

int trigger_new(struct trigger **out, const struct trigger_options *opts, struct cdict_error *err)
{
	struct trigger *t = calloc(1, sizeof(*t));
	int ret = 0;

	*out = NULL;
	if (!t)
		return cdict_fail_nomem(err);
	pthread_mutex_init(&t->lock, NULL);
	t->opts = *opts;
	t->n_types = cdict_schema_count(opts->schema);
	t->watches = calloc(t->n_types + 1, sizeof(*t->watches));
	if (opts->task)
		ret = task_pattern_new(&t->tasks, opts->task, err);
	if (!ret)
		ret = add_watchers(t, err);
	t->opts.specs = NULL; /* the watchers have copies */
	for (size_t i = 0; i < t->n_types && !ret; i++)
		t->watches[i] = watch_of(cdict_schema_at(opts->schema, i));
	if (ret)
		trigger_free(t);
	else
		*out = t;
	return ret;
}

void trigger_free(struct trigger *t)
{
	if (!t)
		return;
	for (size_t i = 0; t->watchers && t->watchers[i]; i++)
		watcher_free(t->watchers[i]);
	free(t->watchers);
	task_pattern_free(t->tasks);
	free(t->watches);
	buf_fini(&t->incoming);
	buf_fini(&t->waiting);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

struct trigger_feed *trigger_feed_new(struct trigger *t)
{
	struct trigger_feed *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->trigger = t;
	pthread_mutex_lock(&t->lock);
	f->next = t->feeds;
	t->feeds = f;
	pthread_mutex_unlock(&t->lock);
	return f;
}

void trigger_feed_free(struct trigger_feed *f)
{
	if (!f)
		return;
	pthread_mutex_lock(&f->trigger->lock);
	for (struct trigger_feed **at = &f->trigger->feeds; *at; at = &(*at)->next)
		if (*at == f) {
			*at = f->next;
			break;
		}
	pthread_mutex_unlock(&f->trigger->lock);
	clock_close(f->clock);
	buf_fini(&f->notes);
	free(f);
}

void trigger_feed_begin(struct trigger_feed *f)
{
	const struct trigger_options *o = &f->trigger->opts;

	if (!f->clock && !f->clock_tried)
		f->clock = clock_open(o->use_clockid, o->clockid); /* bound to its thread */
	f->clock_tried = true;
	f->began_ns = f->clock ? clock_now(f->clock) : 0;
}

static uint64_t newest(const struct buf *notes)
{
	const struct note *n = (const struct note *)notes->data;
	uint64_t t_ns = 0;

	for (size_t i = 0; i < notes->len / sizeof(*n); i++) {
		uint64_t end = n[i].kind == NOTE_LOSS ? n[i].until_ns : n[i].t_ns;

		if (end > t_ns)
			t_ns = end;
	}
	return t_ns;
}

/* Drops @notes: everything up to the newest is unknown. Called with the lock held. */
static void overflow(struct trigger *t, struct buf *notes)
{
	uint64_t end = newest(notes);

	buf_fini(notes);
	*notes = (struct buf){ 0 };
	t->overflow = true;
	if (end > t->blind_ns)
		t->blind_ns = end;
}

void trigger_feed_end(struct trigger_feed *f)
{
	struct trigger *t = f->trigger;
	/* Without a clock, the notes show how far it has read. */
	uint64_t at = f->began_ns ? f->began_ns : newest(&f->notes);

	pthread_mutex_lock(&t->lock);
	if (f->notes.failed)
		overflow(t, &f->notes);
	if (t->incoming.len + f->notes.len > NOTES_MAX_BYTES)
		overflow(t, &t->incoming);
	buf_add(&t->incoming, f->notes.data, f->notes.len);
	if (t->incoming.failed) {
		overflow(t, &t->incoming);
		overflow(t, &f->notes);
	}
	if (at > SLACK_NS && at - SLACK_NS > f->horizon_ns)
		f->horizon_ns = at - SLACK_NS;
	pthread_mutex_unlock(&t->lock);
	f->notes.len = 0;
	f->notes.failed = false;
}

/* Reads @size bytes at @f of the payload, as an unsigned number in native byte order. */
static uint64_t scalar(const struct watch_field *f, const uint8_t *raw, uint32_t raw_size)
{
	if (!f->size || f->offset > raw_size || f->size > raw_size - f->offset)
		return 0;
	raw += f->offset;
	switch (f->size) {
	case 1:
		return *raw;
	case 2:
		return load16(raw, NATIVE_BIG);
	case 4:
		return load32(raw, NATIVE_BIG);
	case 8:
		return load64(raw, NATIVE_BIG);
	}
	return 0;
}

static void text(const struct watch_field *f, const uint8_t *raw, uint32_t raw_size, char out[16])
{
	uint32_t at = f->offset, size = f->size;

	if (f->data_loc) {
		uint32_t loc = (uint32_t)scalar(f, raw, raw_size);

		at = loc & 0xffff;
		size = loc >> 16;
	}
	if (at > raw_size)
		return;
	if (size > raw_size - at)
		size = raw_size - at;
	if (size > 15)
		size = 15;
	memcpy(out, raw + at, size);
}

/* Whether a switch-out leaves the task runnable. Preemption is marked by a higher bit, which
 * differs in old kernels. */
static bool stays_ready(uint64_t state)
{
	return !(state & 0xff);
}

/* EXIT_DEAD, EXIT_ZOMBIE, and a value that was TASK_DEAD before Linux 4.14 and now is
 * TASK_PARKED. */
static bool has_ended(uint64_t state)
{
	return state & 0x70;
}

void trigger_feed_sample(struct trigger_feed *f, const struct batch_sample *s, uint32_t tid,
			 const uint8_t *raw, uint32_t raw_size)
{
	const struct trigger_options *o = &f->trigger->opts;
	const struct watch *w = &f->trigger->watches[s->event];
	struct note n = { .t_ns = s->t_ns, .kind = w->kind, .tid = (int32_t)tid };

	switch (w->kind) {
	case NOTE_WAKE:
		if (w->success.size && !scalar(&w->success, raw, raw_size))
			return;
		n.flag = w->is_new;
		n.tid = (int32_t)scalar(&w->tid, raw, raw_size);
		text(&w->comm, raw, raw_size, n.comm);
		break;
	case NOTE_SWITCH:
		n.tid = (int32_t)scalar(&w->tid, raw, raw_size);
		n.next = (int32_t)scalar(&w->next, raw, raw_size);
		n.flag = stays_ready(scalar(&w->state, raw, raw_size));
		n.gone = has_ended(scalar(&w->state, raw, raw_size));
		text(&w->comm, raw, raw_size, n.comm);
		break;
	case NOTE_EXIT:
		n.flag = o->exit_is_idle &&
			 o->exit_is_idle(o->exit_ctx, w->type,
					 (uint32_t)scalar(&w->isa, raw, raw_size),
					 scalar(&w->code, raw, raw_size),
					 scalar(&w->esr, raw, raw_size));
		break;
	case NOTE_ENTRY:
		break;
	default:
		return;
	}
	buf_add(&f->notes, &n, sizeof(n));
}

void trigger_feed_loss(struct trigger_feed *f, uint64_t from_ns, uint64_t to_ns)
{
	struct note n = { .t_ns = from_ns, .kind = NOTE_LOSS, .until_ns = to_ns };

	buf_add(&f->notes, &n, sizeof(n));
}

static int by_time(const void *a, const void *b)
{
	const struct note *x = a, *y = b;

	return (x->t_ns > y->t_ns) - (x->t_ns < y->t_ns);
}

/* Takes the new notes, and the time that all feeds have reached. True: notes are missing; *blind
 * has the end of the gap. */
static bool take_notes(struct trigger *t, uint64_t *horizon_ns, struct note *blind)
{
	uint64_t horizon = UINT64_MAX;
	bool missing;

	pthread_mutex_lock(&t->lock);
	buf_add(&t->waiting, t->incoming.data, t->incoming.len);
	t->incoming.len = 0;
	for (const struct trigger_feed *f = t->feeds; f; f = f->next)
		if (f->horizon_ns < horizon)
			horizon = f->horizon_ns;
	if (t->waiting.failed)
		overflow(t, &t->waiting);
	*blind = (struct note){ .kind = NOTE_LOSS, .until_ns = t->blind_ns };
	missing = t->overflow;
	t->overflow = false;
	pthread_mutex_unlock(&t->lock);
	*horizon_ns = horizon == UINT64_MAX ? 0 : horizon;
	return missing;
}

/* Examines a note for all conditions; keeps the first hit. */
static void examine(struct trigger *t, const struct note *n, struct trigger_hit *hit, bool *found)
{
	struct trigger_hit one;

	for (size_t i = 0; t->watchers[i]; i++)
		if (watcher_note(t->watchers[i], n, &one) && !*found) {
			*hit = one;
			*found = true;
		}
}

bool trigger_run(struct trigger *t, struct trigger_hit *hit)
{
	struct note blind, *notes;
	bool found = false, none = true;
	struct trigger_hit one;
	uint64_t horizon;
	size_t n, done = 0;

	if (take_notes(t, &horizon, &blind))
		examine(t, &blind, &one, &none);
	notes = (struct note *)t->waiting.data;
	n = t->waiting.len / sizeof(*notes);
	if (n)
		qsort(notes, n, sizeof(*notes), by_time);
	/* Examine all notes, but report the first hit. */
	while (done < n && notes[done].t_ns <= horizon)
		examine(t, &notes[done++], hit, &found);
	if (done)
		memmove(notes, notes + done, (n - done) * sizeof(*notes));
	t->waiting.len = (n - done) * sizeof(*notes);
	for (size_t i = 0; !found && horizon && t->watchers[i]; i++)
		found = watcher_time(t->watchers[i], horizon, hit);
	return found;
}
