/* SPDX-License-Identifier: GPL-2.0-only */
/* Schedules the pieces of the files, and puts them in order. */
#include "convert/pfw/feed.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/memory/pool.h"
#include "convert/pfw/input.h"

/* Guessed ratio of text to gzip, to estimate the number of pieces. */
#define RATIO_GUESS 32u

/* Pieces ahead of the consumer, beside those in work: between two calls it encodes a block of tens
 * of thousands of events. */
#define AHEAD 8u

/* A piece in work, or its result. */
struct slot {
	struct pool_job job;
	struct pfw_piece piece;
	struct pfw_part part;
	int parsed; /* result of pfw_parse(): 0 or -ENOMEM */
	struct slot *next;
};

/* A file, from the request of its first piece until its last was consumed. */
struct file {
	struct pfw_input input;
	struct slot *first, **end; /* requested, in order */
	size_t in_work;
	uint64_t asked;  /* pieces requested in the present mode of reading */
	uint64_t at;     /* with members: offset up to which parts were consumed */
	struct buf tail; /* with members: a line whose end was not read yet */
	bool last;
};

struct pfw_feed {
	struct pfw_feed_options opts;
	struct pfw_feed_counts counts;
	struct pool *pool;
	struct slot *slots, *spare, *taken;
	size_t n_slots, n_spare;
	struct file **files; /* NULL: not begun, or finished */
	size_t current;
	uint64_t bytes_before; /* of finished files */
};

static void run(struct pool_job *job)
{
	struct slot *s = (struct slot *)job; /* job is its first member */

	pfw_part_clear(&s->part);
	s->parsed = 0;
	pfw_input_piece(&s->piece);
	if (!s->piece.failed.code && !s->piece.unfit && s->piece.text.len)
		s->parsed = pfw_parse(&s->part, (char *)s->piece.text.data, s->piece.text.len);
}

static void release(struct pfw_feed *f, struct slot *s)
{
	s->next = f->spare;
	f->spare = s;
	f->n_spare++;
}

static void ask(struct pfw_feed *f, struct file *file)
{
	struct slot *s = f->spare;

	f->spare = s->next;
	f->n_spare--;
	s->next = NULL;
	*file->end = s;
	file->end = &s->next;
	file->in_work++;
	s->piece.input = &file->input;
	s->piece.number = file->asked++;
	s->piece.member = file->input.members;
	pool_submit(f->pool, &s->job);
}

static struct slot *take_slot(struct pfw_feed *f, struct file *file)
{
	struct slot *s = file->first;

	pool_wait(f->pool, &s->job);
	file->first = s->next;
	if (!file->first)
		file->end = &file->first;
	file->in_work--;
	return s;
}

static int begin_file(struct pfw_feed *f, size_t i, struct cdict_error *err)
{
	struct file *file = calloc(1, sizeof(*file));
	int ret;

	if (!file)
		return cdict_fail_nomem(err);
	f->files[i] = file;
	file->end = &file->first;
	ret = pfw_input_open(&file->input, f->opts.names[i], err);
	return cdict_fail_in(err, ret, f->opts.names[i]);
}

static void end(struct pfw_feed *f, size_t i)
{
	struct file *file = f->files[i];

	if (!file)
		return;
	while (file->first)
		release(f, take_slot(f, file));
	pfw_input_close(&file->input);
	buf_fini(&file->tail);
	free(file);
	f->files[i] = NULL;
}

/* Estimates how many more pieces @file may have. */
static uint64_t pieces_left(const struct file *file)
{
	const struct pfw_input *in = &file->input;
	uint64_t n = 1, most;

	if (file->last)
		return 0;
	if (in->members)
		n = (in->size + PFW_PIECE_MEMBERS - 1) / PFW_PIECE_MEMBERS;
	else if (in->size)
		n = in->size / PFW_PIECE_TEXT * (in->gzip ? RATIO_GUESS : 1) + 1;
	else
		n = UINT64_MAX;
	most = n > file->asked ? n - file->asked : 0;
	/* The estimate may be too low. */
	return most || in->members || file->in_work ? most : 1;
}

/* Requests pieces ahead: the current file's, and one of each following file. */
static int ask_ahead(struct pfw_feed *f, struct cdict_error *err)
{
	struct file *file = f->files[f->current];

	while (f->n_spare && pieces_left(file) &&
	       (file->input.members || file->in_work < f->opts.jobs + AHEAD))
		ask(f, file);
	for (size_t i = f->current + 1; i < f->opts.n_names && f->n_spare > f->n_slots / 4; i++) {
		int ret = f->files[i] ? 0 : begin_file(f, i, err);

		if (ret)
			return ret;
		if (!f->files[i]->asked && pieces_left(f->files[i]))
			ask(f, f->files[i]);
	}
	return 0;
}

/* Switches to sequential reading, from the first byte not yet consumed. */
static int go_on(struct pfw_feed *f, struct file *file, struct cdict_error *err)
{
	int ret;

	while (file->first)
		release(f, take_slot(f, file));
	ret = pfw_input_go_on(&file->input, file->at, &file->tail, err);
	file->tail.len = 0;
	file->asked = 0;
	return ret;
}

/* Whether the piece of members @p is the next one; *skip: no member begins in its range. */
static bool fits(const struct file *file, const struct pfw_piece *p, bool *skip)
{
	*skip = file->at >= (p->number + 1) * PFW_PIECE_MEMBERS;
	return !*skip && p->from == file->at && p->from < p->to && !p->unfit && !file->tail.len;
}

/* After a piece of members: checks that it was the next one. */
static int took_members(struct pfw_feed *f, struct file *file, struct slot *s, bool *keep,
			struct cdict_error *err)
{
	struct pfw_piece *p = &s->piece;
	bool skip, last = (p->number + 1) * PFW_PIECE_MEMBERS >= file->input.size;

	*keep = fits(file, p, &skip);
	if (!*keep && !skip)
		return go_on(f, file, err);
	if (*keep) {
		file->at = p->to;
		buf_add(&file->tail, p->tail.data, p->tail.len);
		if (file->tail.failed)
			return cdict_fail_nomem(err);
	}
	if (last && (file->at < file->input.size || file->tail.len))
		return go_on(f, file, err);
	file->last = last;
	return 0;
}

static void count_piece(struct pfw_feed *f, const struct slot *s)
{
	const struct pfw_piece *p = &s->piece;

	f->counts.bytes = f->bytes_before + p->read;
	f->counts.long_lines += p->long_lines;
	if (p->damage.code && !f->counts.damage.code) {
		f->counts.damage = p->damage;
		f->counts.damaged_file = f->current;
	}
}

static void next_file(struct pfw_feed *f)
{
	end(f, f->current);
	f->bytes_before = f->counts.bytes;
	f->counts.lines = 0;
	f->counts.file = ++f->current;
}

int pfw_feed_next(struct pfw_feed *f, struct pfw_part **part, struct cdict_error *err)
{
	int ret;

	if (f->taken) {
		f->counts.lines += f->taken->part.lines;
		release(f, f->taken);
		f->taken = NULL;
	}
	while (f->current < f->opts.n_names) {
		struct file *file = f->files[f->current];
		bool keep = true;
		struct slot *s;

		if (!file) {
			ret = begin_file(f, f->current, err);
			if (ret)
				return ret;
			file = f->files[f->current];
		}
		ret = ask_ahead(f, err);
		if (ret)
			return ret;
		if (!file->first) {
			next_file(f);
			continue;
		}
		s = take_slot(f, file);
		f->taken = s; /* released by the next call in any case */
		if (s->piece.failed.code || s->parsed) {
			*err = s->piece.failed;
			ret = s->piece.failed.code ? s->piece.failed.code : cdict_fail_nomem(err);
			return cdict_fail_in(err, ret, f->opts.names[f->current]);
		}
		if (s->piece.member)
			ret = took_members(f, file, s, &keep, err);
		else
			file->last |= s->piece.last;
		if (ret)
			return ret;
		if (keep)
			count_piece(f, s);
		if (keep && s->part.lines) {
			*part = &s->part;
			return 1;
		}
		release(f, s);
		f->taken = NULL;
	}
	return 0;
}

const struct pfw_feed_counts *pfw_feed_counts(const struct pfw_feed *f)
{
	return &f->counts;
}

int pfw_feed_new(struct pfw_feed **out, const struct pfw_feed_options *opts,
		 struct cdict_error *err)
{
	struct pfw_feed *f = calloc(1, sizeof(*f));

	*out = NULL;
	if (!f)
		return cdict_fail_nomem(err);
	f->opts = *opts;
	f->n_slots = 2 * opts->jobs + AHEAD + 2;
	f->slots = calloc(f->n_slots, sizeof(*f->slots));
	f->files = calloc(opts->n_names + 1, sizeof(*f->files));
	f->pool = pool_new(opts->jobs);
	if (!f->slots || !f->files || !f->pool) {
		pfw_feed_free(f);
		return cdict_fail_nomem(err);
	}
	for (size_t i = 0; i < f->n_slots; i++) {
		f->slots[i].job.run = run;
		release(f, &f->slots[i]);
	}
	*out = f;
	return 0;
}

void pfw_feed_free(struct pfw_feed *f)
{
	if (!f)
		return;
	for (size_t i = 0; f->files && i < f->opts.n_names; i++)
		end(f, i);
	pool_free(f->pool);
	for (size_t i = 0; f->slots && i < f->n_slots; i++) {
		pfw_part_fini(&f->slots[i].part);
		buf_fini(&f->slots[i].piece.text);
		buf_fini(&f->slots[i].piece.tail);
	}
	free(f->slots);
	free(f->files);
	free(f);
}
