// SPDX-License-Identifier: GPL-2.0-only
/* captures.c - see captures.h. */
#include "cmd/query/captures.h"

#include <stdlib.h>

#include "base/memory/pool.h"
#include "base/text/plural.h"
#include "cmd/input/maps.h"

struct capture {
	struct cdict_reader *reader;
	struct options_filter filter;
	struct label_index *labels;
};

static int fail(const struct captures *c, const char *file, const struct cdict_error *err)
{
	return err->code == CDICT_EUSAGE || err->code == CDICT_ENOTFOUND
		       ? options_fail(c->call, file, err)
		       : cmd_error(c->call, file, err);
}

static int open_labels(struct captures *c, struct capture *one, const char *file)
{
	struct cdict_error err = { 0 };
	struct mapping more = { 0 };
	int status = maps_read(&more, c->call, c->call->opts);

	if (!status && label_index_new(&one->labels, one->reader, false, &more, &err))
		status = cmd_error(c->call, file, &err);
	mapping_fini(&more);
	return status;
}

static int open_capture(struct captures *c, size_t i, struct cdict_reader *reader)
{
	const char *file = c->files.at[i];
	struct capture *one = &c->list[i];
	struct cdict_error err = { 0 };
	int status;

	one->reader = reader;
	if (options_filter_init(&one->filter, c->call->opts, reader, &err) ||
	    (!one->filter.marked && options_filter_one_window(&one->filter, &err)))
		return fail(c, file, &err);
	options_filter_report(&one->filter, c->call, file);
	if (one->filter.windows.n > 1)
		cmd_warn(c->call, file,
			 "found %s windows between markers; showing the time from the first start "
			 "to the last end",
			 GROUPED(one->filter.windows.n));
	status = open_labels(c, one, file);
	c->of[i] =
		(struct query_file){ .name = file, .reader = one->reader, .labels = one->labels };
	c->frames[i] = (struct table_frame){ .command = "query",
					     .file = file,
					     .reader = one->reader,
					     .from_ns = one->filter.from_ns,
					     .to_ns = one->filter.to_ns };
	if (!one->filter.clipped) {
		cdict_reader_window(one->reader, &c->frames[i].from_ns, &c->frames[i].to_ns);
	} else {
		c->of[i].from_ns = one->filter.from_ns;
		c->of[i].to_ns = one->filter.to_ns;
	}
	return status;
}

int captures_open(struct captures *c, const struct cmd_call *call)
{
	struct cdict_reader **readers = calloc(c->files.n, sizeof(*readers));
	uint64_t jobs = ((const struct options_shared *)call->opts)->jobs;
	int status;

	c->call = call;
	c->list = calloc(c->files.n, sizeof(*c->list));
	c->of = calloc(c->files.n, sizeof(*c->of));
	c->frames = calloc(c->files.n, sizeof(*c->frames));
	if (!c->list || !c->of || !c->frames || !readers) {
		free(readers);
		return cmd_errorf(c->call, NULL, "out of memory");
	}
	status = input_open_all(readers, c->call, (const char *const *)c->files.at, c->files.n,
				INPUT_ALL_EVENTS,
				jobs && jobs < 1024 ? (unsigned)jobs : pool_cpus());
	for (size_t i = 0; i < c->files.n; i++) {
		if (!status)
			status = open_capture(c, i, readers[i]);
		else
			cdict_reader_close(readers[i]);
	}
	free(readers);
	if (!status && c->guests.files.n && c->files.n > 1)
		status = cmd_usage(call, "guests are joined to one recording of a host, not to %zu",
				   c->files.n);
	if (!status && c->clock && !c->guests.files.n)
		status = cmd_usage(call, "--clock needs a guest, VM=FILE");
	if (!status)
		status = guest_files_join(&c->guests, c->list[0].reader, c->files.at[0],
					  c->list[0].labels, c->clock);
	c->frames[0].others = c->frames + 1;
	c->frames[0].n_others = c->files.n - 1;
	return status;
}

uint64_t captures_blocks(const struct captures *c)
{
	uint64_t n = 0;

	for (size_t i = 0; i < c->files.n; i++)
		n += cdict_reader_block_count(c->list[i].reader);
	return n;
}

unsigned captures_jobs(const struct captures *c)
{
	return c->list[0].filter.query.jobs;
}

int captures_loss_status(const struct captures *c)
{
	const struct options_shared *o = c->call->opts;
	int status = CMD_DONE;

	for (size_t i = 0; i < c->files.n; i++) {
		int one = cmd_loss_status(c->call, c->files.at[i], c->list[i].reader,
					  o->max_loss_pct);

		status = one ? one : status;
	}
	return status;
}

void captures_close(struct captures *c)
{
	for (size_t i = 0; c->list && i < c->files.n; i++) {
		label_index_free(c->list[i].labels);
		options_filter_fini(&c->list[i].filter);
		cdict_reader_close(c->list[i].reader);
	}
	free(c->list);
	free(c->of);
	free(c->frames);
	texts_fini(&c->files);
	guest_files_fini(&c->guests);
	*c = (struct captures){ 0 };
}
