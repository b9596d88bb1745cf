/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The output of perf record --threads: a directory with the file "data" (header, features and
 * perf's own records) and records without header in data.0, data.1, …, one for each ring buffer.
 * They are merged by time; each keeps its order.
 */
#include "convert/perfdata/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static bool file_number(const char *name, uint32_t *number)
{
	uint32_t n = 0;

	if (strncmp(name, "data.", 5) || !name[5])
		return false;
	for (const char *p = name + 5; *p; p++) {
		if (*p < '0' || *p > '9' || n > 9999999)
			return false;
		n = n * 10 + (uint32_t)(*p - '0');
	}
	*number = n;
	return true;
}

static int by_file(const void *a, const void *b)
{
	const struct stream *x = *(struct stream *const *)a, *y = *(struct stream *const *)b;

	return x->file < y->file ? -1 : x->file > y->file;
}

static int open_part(struct perfdata *pd, int dir, const char *name, uint32_t number,
		     struct cdict_error *err)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC), r;
	const uint8_t *map = NULL;
	size_t size = 0;
	struct stream *s;

	if (fd < 0)
		return cdict_fail_errno(err, name);
	r = perfdata_map(fd, &map, &size);
	close(fd);
	if (r <= 0)
		return r < 0 ? cdict_fail_nomem(err) : 0;
	s = malloc(sizeof(*s));
	if (!s || array_push(&pd->streams, s)) {
		free(s);
		munmap((void *)(uintptr_t)map, size);
		return cdict_fail_nomem(err);
	}
	perfdata_stream_init(s, map, 0, size);
	s->open_ended = true;
	s->file = number + 1;
	s->map = map;
	s->map_size = size;
	return 0;
}

static int open_parts(struct perfdata *pd, int dir, struct cdict_error *err)
{
	int fd = dup(dir), r = 0;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	uint32_t number;

	if (!d) {
		r = cdict_fail_errno(err, NULL);
		if (fd >= 0)
			close(fd);
		return r;
	}
	while (!r && (entry = readdir(d)))
		if (file_number(entry->d_name, &number))
			r = open_part(pd, dir, entry->d_name, number, err);
	closedir(d);
	return r;
}

int perfdata_dir_open(struct perfdata *pd, int dir, struct cdict_error *err)
{
	int fd = openat(dir, "data", O_RDONLY | O_CLOEXEC), r;

	if (fd < 0 && errno == ENOENT)
		return cdict_fail(
			err, CDICT_EFORMAT, CDICT_NO_OFFSET,
			"a directory without a file \"data\": not made by perf record --threads");
	if (fd < 0)
		return cdict_fail_errno(err, NULL);
	r = perfdata_open_main(pd, fd, err);
	if (r == CDICT_ETRUNCATED)
		cdict_fail_in(err, r, "data");
	close(fd);
	if (!r && pd->main.fd >= 0)
		r = cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
			       "\"data\" in the directory is not a regular file");
	if (pd->main.fd >= 0)
		pd->main.fd = -1; /* closed above */
	if (!r && array_push(&pd->streams, &pd->main))
		r = cdict_fail_nomem(err);
	if (!r)
		r = open_parts(pd, dir, err);
	if (r)
		return r;
	qsort(pd->streams.at, pd->streams.n, sizeof(struct stream *), by_file);
	pd->directory = pd->streams.n > 1;
	return 0;
}

void perfdata_dir_close(struct perfdata *pd)
{
	for (size_t i = 0; i < pd->streams.n; i++) {
		struct stream *s = pd->streams.at[i];

		if (s == &pd->main)
			continue;
		perfdata_stream_fini(s);
		munmap((void *)(uintptr_t)s->map, s->map_size);
		free(s);
	}
	array_fini(&pd->streams);
	free(pd->heap);
	pd->heap = NULL;
}

static bool before(const struct perfdata *pd, size_t a, size_t b)
{
	uint64_t x = pd->streams.at[a]->head_time, y = pd->streams.at[b]->head_time;

	return x < y || (x == y && a < b);
}

static void sift_down(struct perfdata *pd, size_t i)
{
	size_t *h = pd->heap;

	for (;;) {
		size_t child = 2 * i + 1, t;

		if (child >= pd->n_heap)
			return;
		if (child + 1 < pd->n_heap && before(pd, h[child + 1], h[child]))
			child++;
		if (!before(pd, h[child], h[i]))
			return;
		t = h[i];
		h[i] = h[child];
		h[child] = t;
		i = child;
	}
}

/* Reads the stream's next record: 1, 0 at its end, or negative. */
static int advance(struct perfdata *pd, struct stream *s, struct cdict_error *err)
{
	int r;

	pd->note_file = s->file;
	r = perfdata_stream_next(pd, s, &s->head, err);
	pd->note_file = 0;
	if (r > 0)
		s->head_time = perfdata_record_time(pd, &s->head);
	return r;
}

static int start(struct perfdata *pd, struct cdict_error *err)
{
	pd->heap = malloc(pd->streams.n * sizeof(*pd->heap));
	if (!pd->heap)
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < pd->streams.n; i++) {
		int r = advance(pd, pd->streams.at[i], err);

		if (r < 0)
			return r;
		if (r)
			pd->heap[pd->n_heap++] = i;
	}
	for (size_t i = pd->n_heap / 2; i-- > 0;)
		sift_down(pd, i);
	return 0;
}

int perfdata_dir_next(struct perfdata *pd, struct perfdata_record *rec, struct cdict_error *err)
{
	int r;

	if (!pd->heap) {
		r = start(pd, err);
		if (r < 0)
			return r;
	} else if (pd->n_heap) { /* the top's last record was returned */
		r = advance(pd, pd->streams.at[pd->heap[0]], err);
		if (r < 0)
			return r;
		if (r == 0)
			pd->heap[0] = pd->heap[--pd->n_heap];
		sift_down(pd, 0);
	}
	if (!pd->n_heap)
		return 0;
	*rec = pd->streams.at[pd->heap[0]]->head;
	return 1;
}
