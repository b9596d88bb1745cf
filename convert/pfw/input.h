/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input.h - one input of I/O traces, plain or gzip, as pieces of whole lines.
 *
 * A file of many gzip members is cut where members begin, and its pieces are independent of each
 * other. What has one large member, what is damaged, and a pipe, is read from its begin to its end:
 * each piece goes on where the one before ended, and waits until it has its turn. Bytes that look
 * like a member's begin and are none are found out by who puts the pieces in order (pfw_feed.h): they
 * do not begin where the piece before ended.
 *
 * Threads    any number ask for pieces; pfw_input_look() and the counts are for one
 * Units      bytes
 * Failure    0 or a negative code with *err filled. What is damaged is no failure: the piece tells
 * Ownership  pfw_input_open() fills caller's storage, pfw_input_close() empties it
 */
#ifndef EXCHANGE_PFW_INPUT_H
#define EXCHANGE_PFW_INPUT_H

#include <pthread.h>
#include <stdbool.h>

#include "base/memory/buf.h"
#include "cdict/error.h"
#include "convert/pfw/gunzip.h"
#include "convert/pfw/parse.h"

/* Text of a piece that goes on where another ended; a line that is longer is broken. */
#define PFW_PIECE_TEXT (512u << 10)
/* Of a piece that begins with a member: the bytes of the file in which its members begin, and the
 * most text that comes of them. */
#define PFW_PIECE_MEMBERS (64u << 10)
#define PFW_PIECE_MEMBERS_TEXT (4u << 20)

struct pfw_input {
	const char *name;
	int fd;
	bool regular, gzip, members;
	uint64_t size; /* of a regular file */
	/* What goes on from piece to piece. */
	pthread_mutex_t lock;
	pthread_cond_t turned;
	uint64_t turn;  /* the piece that goes on next */
	struct buf raw; /* read, used up to at */
	size_t at;
	uint64_t offset; /* of raw's begin in the input */
	struct buf rest; /* of a line whose end is to come */
	struct gunzip z;
	bool z_open, in_member, ended;
	bool skipping; /* a line that is too long */
};

struct pfw_piece {
	struct pfw_input *input;
	uint64_t number; /* of those of its kind, from 0 */
	bool member;     /* it begins with a member, at @number times PFW_PIECE_MEMBERS or later */
	/* What came of it. */
	struct buf text;   /* whole lines, PFW_PADDING bytes behind them */
	struct buf tail;   /* of members: what follows the last newline */
	uint64_t from, to; /* of members: where the first begins, what follows the last */
	uint64_t read;     /* bytes of the input until its end */
	bool unfit;        /* of members: damaged, or too large for a piece */
	bool last;         /* nothing follows, when it goes on */
	uint64_t long_lines;
	struct cdict_error damage, failed; /* code 0: none */
};

/* pfw_input_open - @name is a file or "-"; it stays the caller's. */
int pfw_input_open(struct pfw_input *in, const char *name, struct cdict_error *err);
void pfw_input_close(struct pfw_input *in);

/* pfw_input_piece - fills @piece; waits for the turn of those that go on. */
void pfw_input_piece(struct pfw_piece *piece);
/* pfw_input_go_on - from the byte @offset of the file on, where a member begins, pieces go on where the
 * one before ended; the next one is number 0. @rest of a line stands before it. No piece is in work. */
int pfw_input_go_on(struct pfw_input *in, uint64_t offset, const struct buf *rest,
		    struct cdict_error *err);

#endif
