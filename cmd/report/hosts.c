/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the pages of a job's hosts. */
#include "cmd/report/hosts.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/ending.h"
#include "cmd/report/report.h"
#include "cmd/tables/fleet.h"
#include "query/fleet/figures/file.h"

struct writing {
	struct host_pages *out;
	const struct cmd_call *call;
	const char *path;
	int embed;
	/* The capture being received. */
	FILE *file;
	char *host, *name;
	bool full; /* the disk is full */
	int status;
};

/* A failure that was reported already. */
enum { REPORTED = -9999 };

/* Length of the part before "-HOST.html". */
static size_t stem(const char *path)
{
	return ending_cut(path, strlen(path), ".html");
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool taken(const struct host_pages *p, const char *file)
{
	for (size_t i = 0; i < p->all.n; i++) {
		/* file systems may ignore case */
		if (!strcasecmp(p->all.at[i].file, file))
			return true;
	}
	return false;
}

/* A host may have any name: its page's name has only letters, digits, '.', '_' and '-', and is unique. */
static char *page_name(const struct writing *w, const char *host, const char *capture)
{
	const char *own = base_name(w->path);
	char safe[FLEET_HOST_ROOM], *name;
	int n;

	snprintf(safe, sizeof(safe), "%s", host);
	for (char *p = safe; *p; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("._-", *p))
			*p = '_';
	}
	n = asprintf(&name, "%.*s-%s.html", (int)stem(own), own, safe);
	if (n >= 0 && (strcmp(safe, host) || taken(w->out, name))) {
		free(name);
		n = asprintf(&name, "%.*s-%s-%s.html", (int)stem(own), own, safe, capture);
	}
	for (unsigned i = 2; n >= 0 && taken(w->out, name); i++) {
		free(name);
		n = asprintf(&name, "%.*s-%s-%s-%u.html", (int)stem(own), own, safe, capture, i);
	}
	return n < 0 ? NULL : name;
}

static int no_memory(struct writing *w)
{
	w->status = cmd_errorf(w->call, NULL, "out of memory");
	return REPORTED;
}

static int open_capture(void *ctx, const char *host, const char *capture)
{
	struct writing *w = ctx;

	w->host = strdup(host);
	w->name = page_name(w, host, capture);
	if (!w->host || !w->name)
		return no_memory(w);
	w->full = false;
	w->file = tmpfile(); /* unnamed: nothing to leave behind */
	if (w->file)
		return 0;
	w->status = cmd_errorf(w->call, NULL, "no temporary file for a capture of %s: %s", host,
			       strerror(errno));
	return REPORTED;
}

static int write_capture(void *ctx, const void *data, size_t size)
{
	struct writing *w = ctx;

	w->full |= fwrite(data, 1, size, w->file) != size;
	return 0;
}

static void close_capture(struct writing *w)
{
	if (w->file)
		fclose(w->file);
	free(w->host);
	free(w->name);
	w->file = NULL;
	w->host = w->name = NULL;
}

static int abort_capture(void *ctx, const char *why)
{
	struct writing *w = ctx;

	w->out->bad++;
	cmd_warn(w->call, w->host, "%s: page not written", why);
	close_capture(w);
	return 0;
}

static int write_page(struct writing *w)
{
	const struct page_view everything = { 0 };
	struct report_capture c = { 0 };
	char input[64], *path = NULL;
	int status;

	snprintf(input, sizeof(input), "/proc/self/fd/%d", fileno(w->file));
	if (asprintf(&path, "%.*s%s", (int)(base_name(w->path) - w->path), w->path, w->name) < 0)
		return cmd_errorf(w->call, NULL, "out of memory");
	status = report_open(&c, w->call, input, w->host);
	c.page.file = w->name;
	if (!status)
		status = report_write(w->call, path, &c, 1, &everything, w->embed);
	report_close(&c);
	free(path);
	return status == CMD_DAMAGED ? CMD_DONE : status;
}

/* The pushed data are untrusted: returns 0, or why they are not a capture. */
static int check_capture(struct writing *w, struct cdict_error *err)
{
	struct cdict_reader *r = NULL;
	char input[64];
	int rc;

	snprintf(input, sizeof(input), "/proc/self/fd/%d", fileno(w->file));
	rc = cdict_reader_open(&r, input, err);
	cdict_reader_close(r);
	return rc;
}

static int commit_capture(void *ctx)
{
	struct writing *w = ctx;
	struct cdict_error err = { 0 };
	int rc;

	if (w->full || fflush(w->file))
		return abort_capture(w, strerror(errno));
	rc = check_capture(w, &err);
	if (rc && rc != -ENOMEM)
		return abort_capture(w, err.text);
	w->status = rc ? cmd_errorf(w->call, NULL, "out of memory") : write_page(w);
	if (w->status)
		return REPORTED;
	if (array_push(&w->out->all, ((struct fleet_page_link){ w->host, w->name })))
		return no_memory(w);
	w->host = w->name = NULL;
	close_capture(w);
	return 0;
}

int host_pages_write(struct host_pages *out, const struct cmd_call *call, struct store *st,
		     const char *id, const char *path, int embed)
{
	static const struct fleet_file_ops ops = { open_capture, write_capture, commit_capture,
						   abort_capture };
	struct writing w = { .out = out, .call = call, .path = path, .embed = embed };
	struct cdict_error err = { 0 };
	int rc = fleet_files_get(st, id, NULL, &ops, &w, &err);

	close_capture(&w);
	return !rc ? CMD_DONE : rc == REPORTED ? w.status : fleet_fail(call, &err);
}

void host_pages_fini(struct host_pages *p)
{
	for (size_t i = 0; i < p->all.n; i++) {
		free((void *)p->all.at[i].host);
		free((void *)p->all.at[i].file);
	}
	array_fini(&p->all);
}
