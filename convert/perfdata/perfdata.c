/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens a perf.data of any variant, reads its header and returns records. */
#include "convert/perfdata/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tracedat.h"

#define HEADER_PIPE 16  /* struct perf_pipe_file_header */
#define HEADER_OLD 72   /* struct perf_file_header before features existed */
#define HEADER_FILE 104 /* struct perf_file_header */
#define ARENA_BLOCK (64u << 10)

void perfdata_note(struct perfdata *pd, uint64_t offset, const char *fmt, ...)
{
	char *to = pd->damage;
	size_t room = sizeof(pd->damage);
	int n = 0;
	va_list ap;

	if (*to)
		return;
	if (pd->note_file)
		n = snprintf(to, room, "data.%u: ", pd->note_file - 1);
	va_start(ap, fmt);
	n += vsnprintf(to + n, room - (size_t)n, fmt, ap);
	va_end(ap);
	if (offset != CDICT_NO_OFFSET && (size_t)n < room)
		snprintf(to + n, room - (size_t)n, " (at byte %llu)", (unsigned long long)offset);
}

void *perfdata_keep(struct perfdata *pd, size_t n)
{
	struct arena_block *b = pd->arena;
	size_t size;
	void *p;

	if (n > ARENA_MAX || pd->arena_size > ARENA_MAX - n)
		return NULL;
	n = (n + 15) & ~(size_t)15;
	if (!b || n > b->size - b->used) {
		size = n > ARENA_BLOCK / 4 ? n : ARENA_BLOCK;
		b = calloc(1, sizeof(*b) + size);
		if (!b) {
			pd->no_memory = true;
			return NULL;
		}
		b->size = size;
		pd->arena_size += size;
		if (size == n && pd->arena) { /* keep filling the current block */
			b->next = pd->arena->next;
			pd->arena->next = b;
		} else {
			b->next = pd->arena;
			pd->arena = b;
		}
	}
	p = b->data + b->used;
	b->used += n;
	return p;
}

const char *perfdata_keep_text(struct perfdata *pd, const void *text, size_t n)
{
	char *p = n < ARENA_MAX ? perfdata_keep(pd, n + 1) : NULL;

	if (p)
		memcpy(p, text, n);
	return p;
}

static int read_magic(struct perfdata *pd, const uint8_t *p, struct cdict_error *err)
{
	if (!memcmp(p, "PERFILE2", 8))
		pd->big = false;
	else if (!memcmp(p, "2ELIFREP", 8))
		pd->big = true;
	else if (!memcmp(p, "PERFFILE", 8) || !memcmp(p, "ELIFFREP", 8))
		return cdict_fail(
			err, CDICT_EVERSION, 0,
			"the first perf.data format (PERFFILE, before Linux 3.6) is not supported");
	else if (tracedat_is(p, HEADER_PIPE))
		return cdict_fail(
			err, CDICT_EFORMAT, CDICT_NO_OFFSET,
			"is a trace.dat of trace-cmd, not a perf.data: 'cdict convert' reads "
			"it from a file, or from standard input");
	else
		return cdict_fail(err, CDICT_EFORMAT, 0,
				  "not a perf.data: it does not start with \"PERFILE2\"");
	return 0;
}

/* The bitmap is an array of the recorder's unsigned longs: on big-endian machines, only the
 * position of the HOSTNAME bit, which perf always sets, shows their size. */
static void read_bitmap(struct cursor *c, uint64_t bitmap[4])
{
	struct cursor words = *c;

	for (int i = 0; i < 4; i++)
		bitmap[i] = cursor_u64(c);
	if (!c->big || bitmap[0] & 1u << FEATURE_HOSTNAME)
		return;
	if (!(cursor_u32(&words) & 1u << FEATURE_HOSTNAME))
		return;
	for (int i = 0; i < 4; i++)
		bitmap[i] = bitmap[i] << 32 | bitmap[i] >> 32;
}

/* A killed recording and an empty one both state 0 bytes of data; only the latter has a table of
 * feature sections after it. */
static bool sections_fit(const struct perfdata *pd, const uint64_t bitmap[4], uint64_t offset)
{
	struct cursor table;
	unsigned n = 0;

	for (int i = 0; i < 4; i++)
		n += (unsigned)__builtin_popcountll(bitmap[i]);
	if (offset > pd->size || !n)
		return false;
	table = cursor_init(pd->bytes + offset, pd->size - (size_t)offset, pd->big);
	while (n--) {
		uint64_t at = cursor_u64(&table);
		uint64_t size = cursor_u64(&table);

		if (!cursor_ok(&table) || at < offset || at > pd->size || size > pd->size - at)
			return false;
	}
	return true;
}

static int read_file_header(struct perfdata *pd, struct cursor *c, uint64_t header_size,
			    struct cdict_error *err)
{
	uint64_t attr_size = cursor_u64(c);
	uint64_t attrs = cursor_u64(c), attrs_size = cursor_u64(c);
	uint64_t data = cursor_u64(c), data_size = cursor_u64(c);
	uint64_t bitmap[4] = { 0 }, from = data, to;
	bool cut = false, finished;
	int r;

	cursor_skip(c, 16); /* event types, no longer used */
	if (header_size >= HEADER_FILE)
		read_bitmap(c, bitmap);
	if (!cursor_ok(c))
		return cdict_fail(err, CDICT_ETRUNCATED, pd->size,
				  "the file header needs %u bytes, the file has %zu", HEADER_FILE,
				  pd->size);
	r = perfdata_read_attrs(pd, attrs, attrs_size, attr_size, err);
	if (r)
		return r;
	finished = data_size || sections_fit(pd, bitmap, data);
	if (data > pd->size) {
		from = to = pd->size;
		cut = true;
	} else if (!finished) {
		to = pd->size;
		pd->killed = true;
		perfdata_note(pd, 40, "the recorder was killed: the file header has no data size");
	} else if (data_size > pd->size - data) {
		to = pd->size;
		cut = true;
	} else {
		to = data + data_size;
	}
	if (finished && !cut)
		perfdata_read_features(pd, bitmap, to);
	if (pd->no_memory)
		return cdict_fail_nomem(err);
	perfdata_stream_init(&pd->main, pd->bytes, from, to);
	pd->main.cut = cut;
	pd->cut |= cut;
	pd->main.open_ended = !finished;
	return 0;
}

/* Reads a header from memory. */
static int read_header(struct perfdata *pd, struct cdict_error *err)
{
	struct cursor c;
	uint64_t header_size;
	int r;

	if (!pd->size)
		return cdict_fail_empty(err, "");
	if (pd->size < HEADER_PIPE)
		return cdict_fail(err, CDICT_ETRUNCATED, pd->size,
				  "a perf.data header needs %u bytes, there are %zu", HEADER_PIPE,
				  pd->size);
	r = read_magic(pd, pd->bytes, err);
	if (r)
		return r;
	c = cursor_init(pd->bytes, pd->size, pd->big);
	cursor_skip(&c, 8);
	header_size = cursor_u64(&c);
	if (header_size == HEADER_PIPE) {
		pd->pipe = true;
		perfdata_stream_init(&pd->main, pd->bytes, HEADER_PIPE, pd->size);
		pd->main.open_ended = true;
		return 0;
	}
	if (header_size < HEADER_OLD)
		return cdict_fail(err, CDICT_ECORRUPT, 8,
				  "the file header states a size of %llu bytes, 104 expected",
				  (unsigned long long)header_size);
	return read_file_header(pd, &c, header_size, err);
}

static int read_pipe_header(struct perfdata *pd, int fd, struct cdict_error *err)
{
	struct stream *s = &pd->main;
	uint64_t header_size;
	int r;

	s->fd = fd;
	s->open_ended = true;
	pd->pipe = true;
	r = perfdata_stream_need(s, HEADER_PIPE, err);
	if (r < 0)
		return r;
	if (r == 0 && !s->end_offset)
		return cdict_fail_empty(err, fd == STDIN_FILENO ? "-" : "");
	if (r == 0)
		return cdict_fail(err, CDICT_ETRUNCATED, s->end_offset,
				  "a perf.data header needs %u bytes, got %llu", HEADER_PIPE,
				  (unsigned long long)s->end_offset);
	r = read_magic(pd, s->at, err);
	if (r)
		return r;
	header_size = load64(s->at + 8, pd->big);
	if (header_size != HEADER_PIPE)
		return cdict_fail(
			err, CDICT_EUNSUPPORTED, 8,
			"a perf.data written as a file cannot be read from a pipe: give its path instead");
	s->at += HEADER_PIPE;
	return 0;
}

static struct perfdata *new (void)
{
	struct perfdata *pd = calloc(1, sizeof(*pd));

	if (!pd)
		return NULL;
	pd->main.fd = -1;
	pd->id_at = pd->time_at = -1;
	pd->recent = malloc(PERFDATA_RECENT * sizeof(*pd->recent));
	if (!pd->recent) {
		free(pd);
		return NULL;
	}
	for (size_t i = 0; i < PERFDATA_RECENT; i++)
		pd->recent[i].event = -1;
	return pd;
}

int perfdata_map(int fd, const uint8_t **bytes, size_t *size)
{
	struct stat st;
	void *p;

	*bytes = NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0)
		return 0;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return errno == ENOMEM ? -ENOMEM : 0;
	madvise(p, (size_t)st.st_size, MADV_SEQUENTIAL);
	*bytes = p;
	*size = (size_t)st.st_size;
	return 1;
}

/* Maps the file, or reads the descriptor if it cannot be mapped. */
int perfdata_open_main(struct perfdata *pd, int fd, struct cdict_error *err)
{
	const uint8_t *map;
	size_t size;
	struct stat st;
	int r;

	if (fstat(fd, &st))
		return cdict_fail_errno(err, NULL);
	if (S_ISREG(st.st_mode) && !st.st_size)
		return cdict_fail_empty(err, fd == STDIN_FILENO ? "-" : "");
	r = lseek(fd, 0, SEEK_CUR) == 0 ? perfdata_map(fd, &map, &size) : 0;
	if (r < 0)
		return cdict_fail_nomem(err);
	if (!r)
		return read_pipe_header(pd, fd, err);
	pd->bytes = map;
	pd->size = size;
	pd->mapped = true;
	return read_header(pd, err);
}

static void settle_stable(struct perfdata *pd)
{
	pd->stable = pd->main.fd < 0 && !pd->compressed &&
		     !perfdata_stream_is_compressed(pd, &pd->main);
	for (size_t i = 1; i < pd->streams.n && pd->stable; i++)
		pd->stable = !perfdata_stream_is_compressed(pd, pd->streams.at[i]);
}

static int finish_open(struct perfdata *pd, int r, struct perfdata **out)
{
	if (r) {
		perfdata_close(pd);
		return r;
	}
	settle_stable(pd);
	*out = pd;
	return 0;
}

int perfdata_open_fd(struct perfdata **out, int fd, struct cdict_error *err)
{
	struct perfdata *pd = new ();

	if (!pd)
		return cdict_fail_nomem(err);
	return finish_open(pd, perfdata_open_main(pd, fd, err), out);
}

int perfdata_open(struct perfdata **out, const char *path, struct cdict_error *err)
{
	struct stat st;
	int fd, r;

	if (!strcmp(path, "-"))
		return perfdata_open_fd(out, STDIN_FILENO, err);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return cdict_fail_errno(err, NULL);
	if (fstat(fd, &st)) {
		r = cdict_fail_errno(err, NULL);
	} else if (S_ISDIR(st.st_mode)) {
		struct perfdata *pd = new ();

		r = pd ? finish_open(pd, perfdata_dir_open(pd, fd, err), out)
		       : cdict_fail_nomem(err);
	} else {
		r = perfdata_open_fd(out, fd, err);
		if (!r && !S_ISREG(st.st_mode)) { /* a FIFO stays open until its end */
			(*out)->own_fd = true;
			return 0;
		}
	}
	close(fd);
	return r;
}

int perfdata_parse(struct perfdata **out, const void *data, size_t size, struct cdict_error *err)
{
	struct perfdata *pd = new ();

	if (!pd)
		return cdict_fail_nomem(err);
	pd->bytes = data;
	pd->size = size;
	return finish_open(pd, read_header(pd, err), out);
}

void perfdata_close(struct perfdata *pd)
{
	if (!pd)
		return;
	perfdata_dir_close(pd);
	if (pd->own_fd)
		close(pd->main.fd);
	perfdata_stream_fini(&pd->main);
	if (pd->mapped)
		munmap((void *)(uintptr_t)pd->bytes, pd->size);
	while (pd->arena) {
		struct arena_block *b = pd->arena;

		pd->arena = b->next;
		free(b);
	}
	array_fini(&pd->events);
	array_fini(&pd->ids);
	places_fini(&pd->ids_at);
	array_fini(&pd->formats);
	array_fini(&pd->build_ids);
	free(pd->recent);
	free(pd);
}

int perfdata_next(struct perfdata *pd, struct perfdata_record *rec, struct cdict_error *err)
{
	if (pd->directory)
		return perfdata_dir_next(pd, rec, err);
	return perfdata_stream_next(pd, &pd->main, rec, err);
}

/* --- properties of an open recording --- */

bool perfdata_stable(const struct perfdata *pd)
{
	return pd->stable;
}

bool perfdata_span(const struct perfdata *pd, struct perfdata_span *span)
{
	if (!pd->stable || pd->directory || pd->id_at < 0 || pd->main.fd >= 0 || pd->main.inflate)
		return false;
	*span = (struct perfdata_span){ pd->main.at, pd->main.end, pd->recent,
					(uint32_t)pd->id_at };
	return true;
}

void perfdata_span_end(struct perfdata *pd, const uint8_t *at)
{
	pd->main.at = at;
}

bool perfdata_big_endian(const struct perfdata *pd)
{
	return pd->big;
}

bool perfdata_pipe_mode(const struct perfdata *pd)
{
	return pd->pipe;
}

uint64_t perfdata_bytes_read(const struct perfdata *pd)
{
	uint64_t n = pd->main.end_offset - (uint64_t)(pd->main.end - pd->main.at);

	for (size_t i = 1; i < pd->streams.n; i++)
		n += pd->streams.at[i]->end_offset -
		     (uint64_t)(pd->streams.at[i]->end - pd->streams.at[i]->at);
	return n;
}

uint64_t perfdata_size(const struct perfdata *pd)
{
	uint64_t n = pd->size;

	for (size_t i = 1; i < pd->streams.n; i++)
		n += pd->streams.at[i]->map_size;
	return n;
}

size_t perfdata_event_count(const struct perfdata *pd)
{
	return pd->events.n;
}

const struct perfdata_event *perfdata_event_at(const struct perfdata *pd, size_t i)
{
	return i < pd->events.n ? &pd->events.at[i]->pub : NULL;
}

const struct perfdata_features *perfdata_features(const struct perfdata *pd)
{
	return &pd->features;
}

const struct perfdata_build_id *perfdata_build_ids(const struct perfdata *pd, size_t *n)
{
	*n = pd->build_ids.n;
	return pd->build_ids.at;
}

bool perfdata_in_memory(const struct perfdata *pd)
{
	return !pd->directory && pd->main.fd < 0 && pd->bytes;
}

int perfdata_again(struct perfdata **out, const struct perfdata *pd, struct cdict_error *err)
{
	int r;

	*out = NULL;
	if (!perfdata_in_memory(pd))
		return 0;
	r = perfdata_parse(out, pd->bytes, pd->size, err);
	return r < 0 ? r : 1;
}

const struct perfdata_tracing *perfdata_tracing(const struct perfdata *pd)
{
	return &pd->tracing;
}

enum perfdata_recorded perfdata_recorded(const struct perfdata *pd)
{
	return pd->recorded;
}

const char *perfdata_unfinished(const struct perfdata *pd)
{
	return pd->killed ? "the recorder was killed" : pd->cut ? "it is truncated" : NULL;
}

const char *perfdata_damage(const struct perfdata *pd)
{
	return pd->damage;
}
