/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict push --bench: pushes every number of a benchmark's JSON, named by its path. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "annotate/library.h"
#include "base/fail.h"
#include "cmd/fleet/push.h"
#include "query/fleet/figures/figures.h"

/* Limits of the JSON's size, and of the length of a path, which bounds the depth. */
enum { BENCH_BYTES_MOST = 64 << 20, PATH_MOST = 500 };

struct bench {
	struct fleet_rows rows;
	const char *name;
	struct buf path;
	struct cdict_error *err;
};

static int too_deep(struct bench *b)
{
	return cdict_fail(b->err, CDICT_ELIMIT, CDICT_NO_OFFSET,
			  "path of a figure is longer than %d bytes", PATH_MOST);
}

/* Appends a step: .key, or ["a key"] when the key is not a word. */
static void add_key(struct buf *path, const char *key)
{
	bool word = *key;

	for (const char *p = key; *p; p++)
		word &= (isalnum((unsigned char)*p) && !(*p & 0x80)) || strchr("_-", *p);
	if (word) {
		buf_printf(path, path->len ? ".%s" : "%s", key);
		return;
	}
	buf_add(path, "[\"", 2);
	for (const char *p = key; *p; p++) {
		if (*p == '"' || *p == '\\')
			buf_u8(path, '\\');
		buf_u8(path, (uint8_t)*p);
	}
	buf_add(path, "\"]", 2);
}

static int add_value(struct bench *b, const json_t *at);

static int add_below(struct bench *b, const json_t *at, size_t len)
{
	int rc = b->path.failed            ? cdict_fail_nomem(b->err)
		 : b->path.len > PATH_MOST ? too_deep(b)
					   : add_value(b, at);

	b->path.len = len;
	return rc;
}

/* An array of numbers is one figure with samples; otherwise each element has its index. */
static int add_array(struct bench *b, const json_t *at)
{
	size_t n = json_array_size(at), len = b->path.len, numbers = 0;
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		numbers += json_is_number(json_array_get(at, i));
	for (size_t i = 0; i < n && !rc; i++) {
		if (numbers == n)
			buf_add(&b->path, "[]", 2);
		else
			buf_printf(&b->path, "[%zu]", i);
		rc = add_below(b, json_array_get(at, i), len);
	}
	return rc;
}

static int add_value(struct bench *b, const json_t *at)
{
	size_t len = b->path.len;
	double value;
	char *path;
	int rc = 0;

	if (json_is_array(at))
		return add_array(b, at);
	if (json_is_object(at)) {
		json_t *object = (json_t *)at;

		for (void *i = json_object_iter(object); i && !rc;
		     i = json_object_iter_next(object, i)) {
			add_key(&b->path, json_object_iter_key(i));
			rc = add_below(b, json_object_iter_value(i), len);
		}
		return rc;
	}
	if (!json_is_number(at))
		return 0;
	value = json_number_value(at);
	if (!(fabs(value) <= FLEET_NUMBER_MOST))
		return cdict_fail(b->err, CDICT_ELIMIT, CDICT_NO_OFFSET, "a number beyond 1e100");
	path = strndup((const char *)b->path.data, len);
	rc = path ? fleet_bench_add(&b->rows, b->name, len ? path : "value", value, b->err)
		  : cdict_fail_nomem(b->err);
	free(path);
	return rc;
}

static int parse(struct bench *b, const struct buf *text)
{
	json_error_t why;
	json_t *root;
	int rc = library_json(b->err);

	if (rc)
		return rc;
	errno = 0; /* jansson does not set errno for all such failures */
	root = json_loadb((const char *)text->data, text->len,
			  JSON_ALLOW_NUL | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL |
				  JSON_REJECT_DUPLICATES,
			  &why);
	if (!root && errno == ENOMEM)
		return cdict_fail_nomem(b->err);
	if (!root)
		return cdict_fail(b->err, CDICT_EFORMAT, CDICT_NO_OFFSET,
				  "is not JSON: %s (line %d, column %d)", why.text, why.line,
				  why.column);
	rc = add_value(b, root);
	json_decref(root);
	if (!rc && !b->rows.of[FLEET_BENCH].n)
		rc = cdict_fail(b->err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
				"has no numbers: nothing to push");
	return rc;
}

static int read_text(const char *file, struct buf *out, struct cdict_error *err)
{
	int fd = strcmp(file, "-") ? open(file, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	int rc = fd < 0 ? -errno : buf_read(out, fd, (size_t)BENCH_BYTES_MOST + 1);

	if (fd > STDIN_FILENO)
		close(fd);
	if (rc == -ENOMEM)
		return cdict_fail_nomem(err);
	if (rc)
		return cdict_fail(err, rc, CDICT_NO_OFFSET, "%s", strerror(-rc));
	if (out->len > BENCH_BYTES_MOST)
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET, "is larger than %d MiB",
				  BENCH_BYTES_MOST >> 20);
	return 0;
}

/* The file's name without folder and ending; given. */
static char *name_of(const char *file)
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	const char *dot = strrchr(base, '.');

	if (!strcmp(file, "-"))
		return strdup("stdin");
	return dot && dot > base ? strndup(base, (size_t)(dot - base)) : strdup(base);
}

int push_bench(const struct cmd_call *call, struct store *st, const struct fleet_job *job,
	       const char *file)
{
	const struct push_opts *o = call->opts;
	const struct fleet_window window = { 0 };
	struct cdict_error err = { 0 };
	struct buf text = { 0 };
	char *own = o->name ? NULL : name_of(file), host[FLEET_HOST_ROOM], name[64];
	struct bench b = { .name = o->name ? o->name : own, .err = &err };
	bool added = false;
	uint32_t crc;
	int rc = push_host(host, o, &err);

	rc = rc ? rc : b.name ? read_text(file, &text, &err) : cdict_fail_nomem(&err);
	rc = rc ? rc : parse(&b, &text);
	if (!rc) {
		/* identified by its name and contents */
		crc = (uint32_t)crc32_z(0, (const void *)b.name, strlen(b.name) + 1);
		crc = (uint32_t)crc32_z(crc, text.data, text.len);
		snprintf(name, sizeof(name), "%016" PRIx64 "-%08" PRIx32 "-%zx",
			 push_hash(push_hash(UINT64_C(0xcbf29ce484222325), b.name,
					     strlen(b.name) + 1),
				   text.data, text.len),
			 crc, text.len);
		rc = fleet_figures_put(st, job->id, FLEET_SHELF_BENCH, host, name, &b.rows, &window,
				       &added, &err);
	}
	if (!rc && !call->quiet)
		fprintf(stderr, "[ cdict push: job %s, %s: %zu figure%s of %s %s ]\n", job->id,
			file, b.rows.of[FLEET_BENCH].n, b.rows.of[FLEET_BENCH].n == 1 ? "" : "s",
			b.name, added ? "added" : "existed already");
	fleet_rows_fini(&b.rows);
	buf_fini(&b.path);
	buf_fini(&text);
	free(own);
	return rc ? options_fail(call, file, &err) : CMD_DONE;
}
