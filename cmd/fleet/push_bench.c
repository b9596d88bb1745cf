/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict push --bench: pushes a run of a benchmark: every number and text of its JSON, named by its path, and the JSON. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate/library.h"
#include "base/fail.h"
#include "base/text/plural.h"
#include "cmd/fleet/push.h"
#include "query/fleet/figures/figures.h"
#include "query/fleet/figures/start.h"

/* Limits of the JSON's size, and of the length of a path, which bounds the depth. */
enum { BENCH_BYTES_MOST = 16 << 20, PATH_MOST = 500 };

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

/* A number, or a text that is nothing else: "12.5", as many tools print. */
static bool number_of(const json_t *at, double *out)
{
	const char *text = json_string_value(at);
	char *end;

	if (json_is_number(at)) {
		*out = json_number_value(at);
		return true;
	}
	/* no "inf", "nan", "0x10" */
	if (!text || !*text || text[strspn(text, "+-.0123456789eE")] || strlen(text) > 60)
		return false;
	*out = strtod(text, &end);
	return !*end && fabs(*out) <= FLEET_NUMBER_MOST;
}

/* An array of numbers is one figure with samples; otherwise each element has its index. */
static int add_array(struct bench *b, const json_t *at)
{
	size_t n = json_array_size(at), len = b->path.len, numbers = 0;
	double value;
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		numbers += number_of(json_array_get(at, i), &value);
	for (size_t i = 0; i < n && !rc; i++) {
		if (numbers == n)
			buf_add(&b->path, "[]", 2);
		else
			buf_printf(&b->path, "[%zu]", i);
		rc = add_below(b, json_array_get(at, i), len);
	}
	return rc;
}

static int add_leaf(struct bench *b, const json_t *at)
{
	size_t len = b->path.len;
	const char *text = json_string_value(at);
	double value = 0;
	bool number = number_of(at, &value);
	char *path;
	int rc;

	if (!number && !text)
		return 0;
	if (number && !(fabs(value) <= FLEET_NUMBER_MOST))
		return cdict_fail(b->err, CDICT_ELIMIT, CDICT_NO_OFFSET, "a number beyond 1e100");
	path = strndup((const char *)b->path.data, len);
	rc = !path    ? cdict_fail_nomem(b->err)
	     : number ? fleet_bench_add(&b->rows, b->name, len ? path : "value", value, b->err)
		      : fleet_text_add(&b->rows, b->name, len ? path : "value", text, b->err);
	free(path);
	return rc;
}

static int add_value(struct bench *b, const json_t *at)
{
	size_t len = b->path.len;
	int rc = 0;

	if (json_is_array(at))
		return add_array(b, at);
	if (!json_is_object(at))
		return add_leaf(b, at);
	json_t *object = (json_t *)at;

	for (void *i = json_object_iter(object); i && !rc; i = json_object_iter_next(object, i)) {
		add_key(&b->path, json_object_iter_key(i));
		rc = add_below(b, json_object_iter_value(i), len);
	}
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
	return out->len ? 0 : cdict_fail_empty(err, file);
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

/* The document as given; a NUL byte is no JSON, and was refused. */
static int add_document(struct bench *b, const struct buf *text)
{
	char *document = strndup((const char *)text->data, text->len);
	int rc = document ? fleet_document_add(&b->rows, b->name, document, b->err)
			  : cdict_fail_nomem(b->err);

	free(document);
	return rc;
}

int push_bench(const struct cmd_call *call, struct store *st, const struct fleet_job *job,
	       const char *file)
{
	const struct push_opts *o = call->opts;
	const struct fleet_window window = { .from_ns = fleet_now_ns(), .clocked = true };
	struct cdict_error err = { 0 };
	struct buf text = { 0 };
	char *own = o->name ? NULL : name_of(file), host[FLEET_HOST_ROOM], name[64];
	struct bench b = { .name = o->name ? o->name : own, .err = &err };
	static unsigned number; /* of this process's runs */
	bool added = false;
	int rc = push_host(host, o, &err);

	rc = rc ? rc : b.name ? read_text(file, &text, &err) : cdict_fail_nomem(&err);
	rc = rc ? rc : parse(&b, &text);
	rc = rc ? rc : add_document(&b, &text);
	if (!rc) {
		/* each push is a run, though its content be the same */
		snprintf(name, sizeof(name), "%016" PRIx64 "-%d-%u", window.from_ns, (int)getpid(),
			 number++);
		rc = fleet_figures_put(st, job->id, FLEET_SHELF_BENCH, host, name, &b.rows, &window,
				       &added, &err);
	}
	if (!rc && !call->quiet)
		fprintf(stderr, "[ cdict push: job %s, %s: a run of %s with %s figure%s ]\n",
			job->id, file, b.name, GROUPED(b.rows.of[FLEET_BENCH].n),
			b.rows.of[FLEET_BENCH].n == 1 ? "" : "s");
	fleet_rows_fini(&b.rows);
	buf_fini(&b.path);
	buf_fini(&text);
	free(own);
	return rc ? options_fail(call, file, &err) : CMD_DONE;
}
