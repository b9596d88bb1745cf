/* SPDX-License-Identifier: GPL-2.0-only */
/* The path of the lines: read and parsed ahead, laid out, sorted, encoded, written. */
#include "convert/pfw/import.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/text/plural.h"
#include "convert/import.h"
#include "convert/ingest/info.h"
#include "convert/pfw/feed.h"
#include "convert/pfw/input.h"
#include "convert/pfw/streams.h"
#include "convert/pfw/types.h"

/* The last of the CPU numbers that ingest accepts are for the streams of the last file. */
#define FILES_MAX (INGEST_CPUS_MAX - PFW_STREAMS_MAX)
#define PROGRESS_BYTES (1u << 20)
/* Later times are of the wall clock: this is in 2001 as time since 1970. */
#define WALL_NS 1000000000000000000ull

struct pfw {
	const char *const *files;
	size_t n_files;
	uint64_t size; /* total; 0: unknown */
};

struct run {
	struct pfw *pfw;
	struct import in;
	struct pfw_types types;
	struct pfw_feed *feed;
	struct pfw_streams streams;
	size_t file;
	uint64_t progress_at;
	uint64_t lines, broken, beyond, unused;
	uint64_t first_broken; /* line number in the file */
	size_t first_broken_file;
	/* Of the current file. */
	uint64_t file_broken, file_first_ns, file_last_ns;
	bool begun;
	uint8_t record[PFW_RECORD_MAX + 1];
};

static bool blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* gzip, or an array or object of JSON: a bracket followed by something else ("[kernel];main 3") is
 * another kind of text. */
bool pfw_is(const uint8_t *first, size_t n)
{
	size_t i = 0;

	if (n >= 3 && first[0] == 0x1f && first[1] == 0x8b && first[2] == 8)
		return true;
	while (i < n && blank(first[i]))
		i++;
	if (i < n && first[i] == '[') {
		for (i++; i < n && blank(first[i]); i++)
			;
		if (i == n)
			return true;
	}
	return i + 1 < n && first[i] == '{' && (first[i + 1] == '"' || blank(first[i + 1]));
}

/* Inflates as many bytes as the import reads of a line. */
static int inflate_head(struct buf *text, const uint8_t *first, size_t n)
{
	struct gunzip z;
	enum gunzip_state state = GUNZIP_MORE;
	int ret = gunzip_open(&z);

	if (ret)
		return ret;
	z.next_in = first;
	z.avail_in = n;
	z.next_out = text->data;
	z.avail_out = PFW_PIECE_TEXT;
	while (state == GUNZIP_MORE && z.avail_in && z.avail_out) {
		size_t in = z.avail_in, room = z.avail_out;

		state = gunzip_run(&z);
		if (state == GUNZIP_MORE && in == z.avail_in && room == z.avail_out)
			break;
		/* Members may be small: DFTracer's have a few lines. */
		if (state == GUNZIP_END && z.avail_in && z.avail_out) {
			gunzip_next(&z);
			state = GUNZIP_MORE;
		}
	}
	text->len = PFW_PIECE_TEXT - z.avail_out;
	gunzip_close(&z);
	return state == GUNZIP_NOMEM ? -ENOMEM : 0;
}

int pfw_holds(const uint8_t *first, size_t n)
{
	struct pfw_part part = { 0 };
	struct buf text = { 0 };
	int ret = 0;

	if (!pfw_is(first, n))
		return 0;
	if (!buf_room(&text, PFW_PIECE_TEXT + 1 + PFW_PADDING)) {
		ret = -ENOMEM;
	} else if (first[0] == 0x1f) {
		ret = inflate_head(&text, first, n);
	} else {
		text.len = n < PFW_PIECE_TEXT ? n : PFW_PIECE_TEXT;
		memcpy(text.data, first, text.len);
	}
	if (!ret) {
		text.data[text.len++] = '\n';
		memset(text.data + text.len, 0, PFW_PADDING);
		ret = pfw_parse(&part, (char *)text.data, text.len);
	}
	if (!ret)
		ret = part.events.n || part.definitions.n;
	pfw_part_fini(&part);
	buf_fini(&text);
	return ret;
}

int pfw_open(struct pfw **out, const char *const *files, size_t n, struct cdict_error *err)
{
	struct pfw *p;

	*out = NULL;
	if (n > FILES_MAX)
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				  "%s files are too many for one cdict: %s at most", GROUPED(n),
				  GROUPED(FILES_MAX));
	p = calloc(1, sizeof(*p));
	if (!p)
		return cdict_fail_nomem(err);
	p->files = files;
	p->n_files = n;
	for (size_t i = 0; i < n; i++) {
		struct stat st;

		if (!strcmp(files[i], "-"))
			continue;
		if (stat(files[i], &st)) {
			free(p);
			return cdict_fail_errno(err, n > 1 ? files[i] : NULL);
		}
		p->size += S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	}
	*out = p;
	return 0;
}

void pfw_close(struct pfw *p)
{
	free(p);
}

static int begin_run(struct run *r, uint64_t first_ns)
{
	struct info_pairs pairs = { .w = r->in.w, .err = r->in.err };
	struct info_host host = { 0 };
	struct info_recorder recorder = { 0 };

	if (first_ns > WALL_NS) {
		recorder.clock = "realtime";
		recorder.wall_ns = recorder.clock_ns = first_ns;
	}

	info_begin(&pairs, &host, &recorder);
	info_text(&pairs, "source", "pfw");
	r->begun = true;
	return pairs.failed;
}

/* Extends the schema, while no thread reads it. */
static int grow(struct run *r, const struct pfw_part *part)
{
	int ret = ingest_wait(&r->in.ingest, r->in.err);

	if (!ret)
		ret = pfw_types_grow(&r->types, part, r->in.err);
	if (!ret)
		ret = cdict_writer_schema(r->in.w, r->types.schema, r->in.err);
	r->in.ingest.source.events = r->types.source.at;
	r->in.ingest.source.n_events = r->types.source.n;
	return ret;
}

static int add_events(struct run *r, const struct pfw_part *part)
{
	for (size_t i = 0; i < part->events.n; i++) {
		const struct pfw_event *e = &part->events.at[i];
		struct batch_sample s = { .t_ns = e->end_ns, .record = r->record };
		int size = pfw_types_record(&r->types, part, e, r->record, &s.event), ret;
		uint32_t cpu;

		if (size < 0)
			return cdict_fail_nomem(r->in.err);
		if (!size)
			continue;
		cpu = pfw_streams_at(&r->streams, e->end_ns,
				     INGEST_CPUS_MAX - 1 -
					     (uint32_t)(r->pfw->n_files - 1 - r->file));
		if (e->end_ns < r->file_first_ns)
			r->file_first_ns = e->end_ns;
		if (e->end_ns > r->file_last_ns)
			r->file_last_ns = e->end_ns;
		ret = ingest_add(&r->in.ingest, cpu, &s, (uint32_t)size, r->in.err);
		if (ret)
			return ret;
	}
	return 0;
}

/* Adds names of threads and processes, which Chrome's traces contain. */
static int add_tasks(struct run *r, const struct pfw_part *part)
{
	char comm[64];

	for (size_t i = 0; i < part->definitions.n; i++) {
		const struct pfw_definition *d = &part->definitions.at[i];
		struct cdict_task_event ev = { .what = CDICT_TASK_COMM,
					       .pid = d->pid,
					       .tid = d->what == PFW_DEFINES_THREAD ? d->tid
										    : d->pid,
					       .comm = comm };
		int ret;

		if (d->what < PFW_DEFINES_THREAD || ev.tid <= 0)
			continue;
		snprintf(comm, sizeof(comm), "%.*s", (int)(d->len < 63 ? d->len : 63), d->name);
		ret = ingest_task(&r->in.ingest, &ev, r->in.err);
		if (ret)
			return ret;
	}
	return 0;
}

/* The unreadable lines of a file become a loss at unknown times. */
static int end_file(struct run *r)
{
	struct cdict_loss loss = {
		.what = CDICT_LOSS_DAMAGE,
		.cpu = r->streams.first,
		.type = CDICT_TYPE_ANY,
		.from_ns = r->file_first_ns,
		.to_ns = r->file_last_ns,
		.count = r->file_broken,
	};
	int ret = 0;

	if (r->file_broken && r->streams.n)
		ret = ingest_loss(&r->in.ingest, &loss, r->in.err);
	pfw_streams_begin(&r->streams);
	r->file_broken = 0;
	r->file_first_ns = UINT64_MAX;
	r->file_last_ns = 0;
	return ret;
}

static int add_part(struct run *r, const struct pfw_part *part)
{
	const struct pfw_feed_counts *counts = pfw_feed_counts(r->feed);
	bool grows;
	int ret = 0;

	while (!ret && r->file < counts->file) {
		ret = end_file(r);
		r->file++;
	}
	if (part->broken && !r->broken) {
		r->first_broken = counts->lines + part->first_broken;
		r->first_broken_file = counts->file;
	}
	r->lines += part->lines;
	r->broken += part->broken;
	r->file_broken += part->broken;
	r->beyond += part->beyond;
	r->unused += part->unused;
	if (!ret && part->events.n && !r->begun)
		ret = begin_run(r, part->events.at[0].end_ns);
	if (!ret)
		ret = pfw_types_bind(&r->types, part, &grows, r->in.err);
	if (!ret && grows)
		ret = grow(r, part);
	if (!ret)
		ret = add_tasks(r, part);
	return ret ? ret : add_events(r, part);
}

static int read_parts(struct run *r)
{
	struct pfw_part *part;
	int ret;

	while ((ret = pfw_feed_next(r->feed, &part, r->in.err)) > 0) {
		uint64_t done = pfw_feed_counts(r->feed)->bytes;

		ret = add_part(r, part);
		if (ret)
			return ret;
		if (r->in.opts->progress && done >= r->progress_at) {
			r->in.opts->progress(r->in.opts->progress_ctx, done, r->pfw->size);
			r->progress_at = done + PROGRESS_BYTES;
		}
	}
	if (!ret)
		ret = end_file(r);
	return ret || r->begun ? ret : begin_run(r, 0);
}

/* ---- at the end ---- */

static int add_unstored(struct run *r, const char *name, uint64_t count)
{
	int ret = convert_unstored_add(r->in.report, name, count, r->in.err);

	return ret || !count ? ret : cdict_writer_unstored(r->in.w, name, count, r->in.err);
}

static void say_damage(struct run *r)
{
	const struct pfw_feed_counts *c = pfw_feed_counts(r->feed);
	uint64_t broken = r->broken + c->long_lines;
	struct convert_report *report = r->in.report;
	char of[32] = "";
	size_t file = c->damage.code ? c->damaged_file : r->first_broken_file;

	if (r->pfw->n_files > 1)
		snprintf(of, sizeof(of), " of file %zu", file + 1);
	if (c->damage.code)
		snprintf(report->damage, sizeof(report->damage), "%s (at byte %" PRIu64 "%s)",
			 c->damage.text, c->damage.offset, of);
	else if (r->broken)
		snprintf(report->damage, sizeof(report->damage),
			 "%s of %s line%s cannot be read, the first is line %" PRIu64 "%s",
			 GROUPED(broken), GROUPED(r->lines), r->lines == 1 ? "" : "s",
			 r->first_broken, of);
	else if (broken)
		snprintf(report->damage, sizeof(report->damage), "%s line%s longer than %u bytes",
			 GROUPED(broken), broken == 1 ? " is" : "s are", PFW_PIECE_TEXT);
	else if (r->types.too_long)
		snprintf(report->damage, sizeof(report->damage), "%s event%s longer than %u bytes",
			 GROUPED(r->types.too_long), r->types.too_long == 1 ? " is" : "s are",
			 PFW_RECORD_MAX);
	report->damaged = report->damage[0];
	report->bad_samples = broken + r->types.too_long;
}

/* Notes facts that are unusual, but not damage. */
static void say_note(struct run *r)
{
	struct convert_report *report = r->in.report;
	size_t at = 0;

	if (r->beyond)
		at = (size_t)snprintf(report->note, sizeof(report->note),
				      "%s line%s non-ASCII bytes", GROUPED(r->beyond),
				      r->beyond == 1 ? " has" : "s have");
	if (r->types.unnamed && at < sizeof(report->note))
		snprintf(report->note + at, sizeof(report->note) - at,
			 "%s%s event%s the hash of a name that no line defines", at ? ", " : "",
			 GROUPED(r->types.unnamed), r->types.unnamed == 1 ? " has" : "s have");
}

static int write_infos(struct run *r)
{
	struct info_pairs pairs = { .w = r->in.w, .err = r->in.err };
	const struct convert_report *report = r->in.report;

	info_number(&pairs, "input.bytes", report->bytes_in);
	info_text(&pairs, "input.mode", r->pfw->size ? "file" : "pipe");
	info_number(&pairs, "input.files", r->pfw->n_files);
	info_number(&pairs, "input.lines", r->lines);
	info_number(&pairs, "input.broken_lines", r->broken);
	info_number(&pairs, "input.beyond_ascii_lines", r->beyond);
	info_number(&pairs, "input.unnamed_hashes", r->types.unnamed);
	info_text(&pairs, "input.damage", report->damage);
	return pairs.failed;
}

static int finish(struct run *r)
{
	struct convert_report *report = r->in.report;
	const char *name;
	uint64_t count;
	int ret = import_settle(&r->in, r->types.schema);

	report->bytes_in = pfw_feed_counts(r->feed)->bytes;
	for (size_t i = 0; !ret && (name = pfw_types_unstored(&r->types, i, &count)); i++)
		ret = add_unstored(r, name, count);
	if (!ret)
		ret = add_unstored(r, "metadata", r->unused);
	say_damage(r);
	say_note(r);
	if (!report->events && !r->lines && !report->damaged)
		snprintf(report->missing, sizeof(report->missing), "is empty");
	else if (!report->events)
		snprintf(report->missing, sizeof(report->missing), "has no I/O trace events%s",
			 report->unstored.n ? " of the requested kind" : "");
	if (!ret)
		ret = write_infos(r);
	return ret ? ret : import_finish(&r->in);
}

/* ---- all of it ---- */

/* Divides the threads: some read and parse, some encode; the caller does both, and lays out in between. */
static int start(struct run *r)
{
	const struct convert_options *opts = r->in.opts;
	unsigned jobs = convert_jobs(opts), encoders = (jobs - 1) / 2;
	struct encode_options encode = { .threads = encoders,
					 .helps = true,
					 .depth = 2 * encoders + 1 };
	struct pfw_feed_options feed = { .names = r->pfw->files,
					 .n_names = r->pfw->n_files,
					 .jobs = jobs - encoders };
	int ret = pfw_types_init(&r->types, opts->events, opts->n_events, r->in.err);

	if (ret)
		return ret;
	r->in.ingest.source.copy = true;
	encode.schema = r->types.schema;
	ret = ingest_start(&r->in.ingest, &encode, r->in.err);
	return ret ? ret : pfw_feed_new(&r->feed, &feed, r->in.err);
}

int pfw_run(struct pfw *p, const struct convert_options *opts, cdict_write_fn fn, void *ctx,
	    struct convert_report *report, struct cdict_error *err)
{
	struct run *r = calloc(1, sizeof(*r));
	int ret;

	*report = (struct convert_report){ 0 };
	if (!r)
		return cdict_fail_nomem(err);
	r->pfw = p;
	r->file_first_ns = UINT64_MAX;
	ret = import_open(&r->in, opts, fn, ctx, report, err);
	if (!ret)
		ret = start(r);
	if (!ret)
		ret = read_parts(r);
	if (!ret)
		ret = finish(r);
	pfw_feed_free(r->feed);
	import_close(&r->in);
	pfw_types_fini(&r->types);
	free(r);
	return ret;
}
