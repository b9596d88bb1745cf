/* SPDX-License-Identifier: GPL-2.0-only */
/* Converts a perfwhiz file's events. */
#include "convert/perfwhiz/import.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "base/memory/buf.h"
#include "base/text/plural.h"
#include "convert/formats.h"
#include "convert/import.h"
#include "convert/ingest/info.h"
#include "convert/perfwhiz/columns.h"
#include "convert/perfwhiz/names.h"
#include "convert/perfwhiz/schema.h"
#include "convert/span.h"
#include "format/file/writer.h"

#define PROGRESS_ROWS 0xffffu
#define STATE_UNKNOWN 1u
#define TID_MAX (1 << 30)
#define ISA_VMX 1u
#define ISA_SVM 2u

struct perfwhiz_file {
	struct import_bytes bytes;
};

struct conversion {
	const struct perfwhiz_file *pw;
	struct import in;
	struct formats formats; /* its source has one entry per perfwhiz_event */
	struct perfwhiz_reasons reasons;
	struct perfwhiz_names names;
	uint64_t seen[PERFWHIZ_EVENTS + 1]; /* the last one: unknown events */
	int32_t *current;                   /* running tid, by CPU; -1: unknown */
	struct map vcpus;                   /* tid -> index in inside */
	ARRAY(bool) inside;                 /* whether the vCPU is in its guest */
	struct passes passes;
	char damage[256];
};

bool perfwhiz_is(const uint8_t *first, size_t n)
{
	/* RFC 1950: deflate, a window of 32 KiB, and a check of both bytes */
	return n >= 2 && first[0] == 0x78 && !((first[0] << 8 | first[1]) % 31) &&
	       !(first[1] & 0x20);
}

int perfwhiz_holds(const uint8_t *first, size_t n)
{
	struct msgpack_reader m;
	struct msgpack_value v;
	bool holds;

	holds = msgpack_read_open(&m, first, n) && msgpack_next(&m, &v) && v.type == MSGPACK_MAP &&
		msgpack_next(&m, &v) && (v.type == MSGPACK_TEXT || v.type == MSGPACK_INT);
	if (m.no_memory)
		holds = false;
	msgpack_read_close(&m);
	return m.no_memory ? -ENOMEM : holds;
}

/* ---- open ---- */

int perfwhiz_parse(struct perfwhiz_file **out, const void *data, size_t size,
		   struct cdict_error *err)
{
	struct perfwhiz_file *pw = calloc(1, sizeof(*pw));

	*out = pw;
	if (!pw)
		return cdict_fail_nomem(err);
	pw->bytes = (struct import_bytes){ .data = data, .size = size };
	return 0;
}

int perfwhiz_open(struct perfwhiz_file **out, const char *path, struct cdict_error *err)
{
	int ret = perfwhiz_parse(out, NULL, 0, err);

	if (!ret)
		ret = import_bytes_open(&(*out)->bytes, path, err);
	if (ret) {
		perfwhiz_close(*out);
		*out = NULL;
	}
	return ret;
}

void perfwhiz_close(struct perfwhiz_file *pw)
{
	if (pw)
		import_bytes_close(&pw->bytes);
	free(pw);
}

/* ---- contents ---- */

static const char *text_of(const struct msgpack_value *v)
{
	return v->type == MSGPACK_TEXT ? v->text : "";
}

static int survey_row(struct conversion *c, const struct msgpack_value *row)
{
	enum perfwhiz_event e = perfwhiz_event_of(text_of(&row[PERFWHIZ_EVENT]));
	int64_t n;
	int ret = 0;

	c->seen[e]++;
	if (e == PERFWHIZ_EVENTS)
		return 0;
	if (perfwhiz_number(&row[PERFWHIZ_PID], &n))
		ret = perfwhiz_names_add(&c->names, n, text_of(&row[PERFWHIZ_TASK_NAME]));
	if (!ret && e == PERFWHIZ_SWITCH && perfwhiz_number(&row[PERFWHIZ_NEXT_PID], &n))
		ret = perfwhiz_names_add(&c->names, n, text_of(&row[PERFWHIZ_NEXT_COMM]));
	if (e == PERFWHIZ_KVM_EXIT && perfwhiz_number(&row[PERFWHIZ_NEXT_COMM], &n))
		perfwhiz_reason_seen(&c->reasons, n);
	else if (e == PERFWHIZ_KVM_EXIT && row[PERFWHIZ_NEXT_COMM].type == MSGPACK_TEXT)
		perfwhiz_reason_named(&c->reasons, row[PERFWHIZ_NEXT_COMM].text);
	return c->reasons.no_memory ? -ENOMEM : ret;
}

/* Calls @row for each row; a column that is cut off is damage, and the rows before it are kept. */
static int each_row(struct conversion *c,
		    int (*row)(struct conversion *c, const struct msgpack_value *row))
{
	struct perfwhiz_columns *columns = malloc(sizeof(*columns));
	struct cdict_error err = { 0 };
	int ret;

	if (!columns)
		return cdict_fail_nomem(c->in.err);
	ret = perfwhiz_columns_open(columns, c->pw->bytes.data, c->pw->bytes.size, &err);
	if (ret)
		*c->in.err = err;
	if (!ret && columns->uneven)
		snprintf(c->damage, sizeof(c->damage), "its columns differ in length");
	while (!ret && (ret = perfwhiz_columns_next(columns, &err)) > 0) {
		ret = row(c, columns->row);
		if (ret == -ENOMEM)
			cdict_fail_nomem(c->in.err);
		if (!(columns->at & PROGRESS_ROWS) && c->in.opts->progress)
			c->in.opts->progress(c->in.opts->progress_ctx, columns->at, columns->n);
	}
	if (ret == CDICT_ECORRUPT && columns->at) {
		snprintf(c->damage, sizeof(c->damage), "%.200s, after %s of %s events", err.text,
			 GROUPED(columns->at), GROUPED(columns->n));
		ret = 0;
	} else if (ret && ret == err.code) {
		*c->in.err = err;
	}
	perfwhiz_columns_close(columns);
	free(columns);
	return ret;
}

static int add_type(struct conversion *c, enum perfwhiz_event e)
{
	static const struct perfdata_tracing tracing = { .present = true,
							 .long_size = 8,
							 .page_size = 4096 };
	struct source_event source = { .type = SOURCE_UNSTORED,
				       .tid = offsetof(struct source_record, pid),
				       .raw = sizeof(struct source_record) };
	const char *name = perfwhiz_event_name(e);

	if (c->seen[e] && formats_wants(&c->formats, name)) {
		bool kvm = !strncmp(name, "kvm:", 4);
		struct perfdata_format format = { .system = kvm ? "kvm" : "sched" };
		struct buf text = { 0 };
		int type;

		perfwhiz_format(&text, e, &c->reasons);
		if (text.failed) {
			buf_fini(&text);
			return cdict_fail_nomem(c->in.err);
		}
		format.text = (const char *)text.data;
		format.len = text.len - 1;
		type = formats_add(&c->formats, &tracing, &format, name, c->in.err);
		buf_fini(&text);
		if (type < 0)
			return type;
		source.type = type;
	}
	return array_push(&c->formats.source, source) ? cdict_fail_nomem(c->in.err) : 0;
}

/* ---- events ---- */

static void put_comm(uint8_t *p, const struct msgpack_value *v)
{
	char comm[PERFWHIZ_COMM];

	perfwhiz_comm(comm, text_of(v));
	memcpy(p, comm, sizeof(comm));
}

static bool tid_of(const struct msgpack_value *v, int32_t *tid)
{
	int64_t n;

	if (!perfwhiz_number(v, &n) || n < 0 || n > TID_MAX)
		return false;
	*tid = (int32_t)n;
	return true;
}

/* The exit reason's number: the file's own, or that of its name. */
static uint32_t reason_of(struct conversion *c, const struct msgpack_value *v)
{
	int64_t n;

	if (perfwhiz_number(v, &n))
		return (uint32_t)n;
	n = v->type == MSGPACK_TEXT ? perfwhiz_reason_named(&c->reasons, v->text) : -1;
	return n < 0 ? UINT32_MAX : (uint32_t)n;
}

/* Makes the payload of event @e; @tid: the task that it belongs to. 0 bytes: impossible values. */
static uint32_t payload(struct conversion *c, enum perfwhiz_event e,
			const struct msgpack_value *row, uint32_t cpu, int32_t pid, int32_t *tid,
			uint8_t *p)
{
	uint64_t ns = 0;
	int32_t next;

	if (!perfwhiz_ns(&row[PERFWHIZ_DURATION], &ns))
		ns = 0;
	*tid = pid;
	switch (e) {
	case PERFWHIZ_SWITCH:
		if (!tid_of(&row[PERFWHIZ_NEXT_PID], &next))
			return 0;
		put_comm(p + SWITCH_PREV_COMM, &row[PERFWHIZ_TASK_NAME]);
		put_le32(p + SWITCH_PREV_PID, (uint32_t)pid);
		put_le32(p + SWITCH_PREV_STATE, STATE_UNKNOWN);
		put_comm(p + SWITCH_NEXT_COMM, &row[PERFWHIZ_NEXT_COMM]);
		put_le32(p + SWITCH_NEXT_PID, (uint32_t)next);
		put_le64(p + SWITCH_RUNTIME, ns);
		c->current[cpu] = next;
		return SWITCH_SIZE;
	case PERFWHIZ_SLEEP:
	case PERFWHIZ_IOWAIT:
		/* the event is about the woken task; the running task wakes it */
		*tid = c->current[cpu];
		put_comm(p + STAT_COMM, &row[PERFWHIZ_TASK_NAME]);
		put_le32(p + STAT_PID, (uint32_t)pid);
		put_le64(p + STAT_DELAY, ns);
		return STAT_SIZE;
	case PERFWHIZ_KVM_ENTRY:
		put_le64(p + KVM_NS, ns);
		return KVM_ENTRY_SIZE;
	default:
		put_le64(p + KVM_NS, ns);
		put_le32(p + KVM_REASON, reason_of(c, &row[PERFWHIZ_NEXT_COMM]));
		put_le32(p + KVM_ISA, c->reasons.amd ? ISA_SVM : ISA_VMX);
		return KVM_EXIT_SIZE;
	}
}

struct record {
	struct source_record head;
	uint8_t payload[PERFWHIZ_PAYLOAD_MAX];
};

static int add_event(struct conversion *c, enum perfwhiz_event e, uint64_t t_ns, uint32_t cpu,
		     int32_t tid, struct record *r)
{
	struct batch_sample s = { .t_ns = t_ns,
				  .record = (const uint8_t *)r,
				  .event = e,
				  .order = passes_sample(&c->passes, cpu) };

	r->payload[0] = (uint8_t)(e + 1);
	put_le32(r->payload + COMMON_PID, (uint32_t)tid);
	r->head.type = PERF_RECORD_SAMPLE;
	r->head.misc = PERF_RECORD_MISC_KERNEL;
	r->head.size = (uint16_t)(sizeof(r->head) + r->head.raw_size);
	r->head.tid = tid;
	r->head.pid = tid ? -1 : 0;
	return ingest_add(&c->in.ingest, cpu, &s, r->head.size, c->in.err);
}

/* perfwhiz does not store a guest's entry before its first exit; that exit has the time that the
 * guest ran, and the vCPU did not migrate meanwhile. */
static int guest_ran(struct conversion *c, enum perfwhiz_event e, uint64_t t_ns, uint64_t ran_ns,
		     uint32_t cpu, int32_t tid)
{
	uint32_t *at = map_add(&c->vcpus, (uint32_t)tid, 0);
	struct record r = { .head = { .raw_size = KVM_ENTRY_SIZE } };
	bool known;

	if (at && *at == MAP_NEW) {
		*at = (uint32_t)c->inside.n;
		at = array_add(&c->inside) ? at : NULL;
	}
	if (!at)
		return cdict_fail_nomem(c->in.err);
	known = c->inside.at[*at];
	c->inside.at[*at] = e == PERFWHIZ_KVM_ENTRY;
	if (e == PERFWHIZ_KVM_ENTRY || known || !ran_ns || ran_ns > t_ns ||
	    c->formats.source.at[PERFWHIZ_KVM_ENTRY].type == SOURCE_UNSTORED)
		return 0;
	return add_event(c, PERFWHIZ_KVM_ENTRY, t_ns - ran_ns, cpu, tid, &r);
}

static int event(struct conversion *c, const struct msgpack_value *row)
{
	struct record r = { .head = { .type = PERF_RECORD_SAMPLE } };
	uint64_t t_ns, ns;
	enum perfwhiz_event e = perfwhiz_event_of(text_of(&row[PERFWHIZ_EVENT]));
	int64_t cpu;
	int32_t pid, tid;

	if (e == PERFWHIZ_EVENTS || c->formats.source.at[e].type == SOURCE_UNSTORED)
		return 0; /* counted in the first pass */
	if (!perfwhiz_number(&row[PERFWHIZ_CPU], &cpu) || cpu < 0 || cpu >= INGEST_CPUS_MAX ||
	    !perfwhiz_ns(&row[PERFWHIZ_USECS], &t_ns) || !tid_of(&row[PERFWHIZ_PID], &pid)) {
		c->in.report->bad_samples++;
		return 0;
	}
	r.head.raw_size = payload(c, e, row, (uint32_t)cpu, pid, &tid, r.payload);
	if (!r.head.raw_size) {
		c->in.report->bad_samples++;
		return 0;
	}
	if (e == PERFWHIZ_KVM_ENTRY || e == PERFWHIZ_KVM_EXIT) {
		int ret = guest_ran(c, e, t_ns, perfwhiz_ns(&row[PERFWHIZ_DURATION], &ns) ? ns : 0,
				    (uint32_t)cpu, tid);

		if (ret)
			return ret;
	}
	return add_event(c, e, t_ns, (uint32_t)cpu, tid, &r);
}

/* ---- begin and end ---- */

static int store_source(struct conversion *c)
{
	struct info_pairs pairs = { .w = c->in.w, .err = c->in.err };
	struct info_host host = { .name = NULL };
	struct info_recorder recorder = { .clock = info_clock(false, 0) };

	info_begin(&pairs, &host, &recorder);
	info_text(&pairs, "source", "perfwhiz");
	info_number(&pairs, "input.bytes", c->pw->bytes.size);
	info_text(&pairs, "input.mode", c->pw->bytes.mapped ? "file" : "pipe");
	return pairs.failed;
}

static int start(struct conversion *c)
{
	c->current = malloc(INGEST_CPUS_MAX * sizeof(*c->current));
	if (!c->current)
		return cdict_fail_nomem(c->in.err);
	for (size_t i = 0; i < INGEST_CPUS_MAX; i++)
		c->current[i] = -1;
	return import_start(&c->in, c->formats.schema, c->formats.source.at, c->formats.source.n);
}

static int begin_conversion(struct conversion *c)
{
	int ret = each_row(c, survey_row);

	c->formats.schema = cdict_schema_new(false, 8, 4096);
	if (!ret && !c->formats.schema)
		ret = cdict_fail_nomem(c->in.err);
	for (unsigned e = 0; e < PERFWHIZ_EVENTS && !ret; e++)
		ret = add_type(c, e);
	if (!ret)
		ret = store_source(c);
	if (!ret)
		ret = cdict_writer_schema(c->in.w, c->formats.schema, c->in.err);
	if (!ret)
		ret = start(c);
	return ret ? ret : perfwhiz_names_store(&c->names, &c->in.ingest, c->in.err);
}

static int list_unstored(struct conversion *c)
{
	int ret = 0;

	for (unsigned e = 0; e < PERFWHIZ_EVENTS && !ret; e++)
		if (c->formats.source.at[e].type == SOURCE_UNSTORED)
			ret = convert_unstored_add(c->in.report, perfwhiz_event_name(e), c->seen[e],
						   c->in.err);
	if (!ret)
		ret = convert_unstored_add(c->in.report,
					   c->seen[PERFWHIZ_EVENTS] == 1
						   ? "event with another name"
						   : "events with other names",
					   c->seen[PERFWHIZ_EVENTS], c->in.err);
	return ret ? ret : convert_unstored_write(c->in.report, c->in.w, c->in.err);
}

static int finish(struct conversion *c)
{
	struct convert_report *r = c->in.report;
	int ret = import_settle(&c->in, c->formats.schema);

	if (!ret)
		ret = list_unstored(c);
	r->bytes_in = c->pw->bytes.size;
	snprintf(r->damage, sizeof(r->damage), "%s", c->damage);
	if (!r->damage[0] && r->bad_samples)
		snprintf(r->damage, sizeof(r->damage), "%s event%s a required number",
			 GROUPED(r->bad_samples), r->bad_samples == 1 ? " lacks" : "s lack");
	r->damaged = r->damage[0];
	import_missing(r, "it is not a recording of switches and exits");
	if (!ret && r->damaged)
		ret = cdict_writer_info(c->in.w, "input.damage", r->damage, c->in.err);
	if (!ret)
		ret = perfwhiz_names_label(&c->names, c->in.w, c->in.err);
	return ret ? ret : import_finish(&c->in);
}

int perfwhiz_convert(struct perfwhiz_file *pw, const struct convert_options *opts,
		     cdict_write_fn fn, void *ctx, struct convert_report *report,
		     struct cdict_error *err)
{
	struct conversion c = { .pw = pw };
	int ret = import_open(&c.in, opts, fn, ctx, report, err);

	formats_init(&c.formats, opts->events, opts->n_events);
	if (!ret)
		ret = begin_conversion(&c);
	if (!ret)
		ret = each_row(&c, event);
	if (!ret)
		ret = finish(&c);
	import_close(&c.in);
	formats_fini(&c.formats);
	perfwhiz_reasons_fini(&c.reasons);
	perfwhiz_names_fini(&c.names);
	map_fini(&c.vcpus);
	array_fini(&c.inside);
	free(c.current);
	return ret;
}
