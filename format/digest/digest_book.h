/* SPDX-License-Identifier: LGPL-2.1-only */
/* digest_book.h - what the writer of DGST blocks knows of tasks (internal to format/digest_*.c). */
#ifndef FORMAT_DIGEST_BOOK_H
#define FORMAT_DIGEST_BOOK_H

#include "format/digest.h"

/* What is kept of a task is some 600 bytes, of a converter that may take 200: of more tasks no file has
 * digests. */
enum { BOOK_TASKS_MAX = 1 << 17 };

struct book_task {
	int32_t tid; /* -1 - CPU of IDLE */
	int32_t pid, vcpu_id;
	bool heard; /* of it, by an event */
	bool is_vcpu;
	uint64_t first_ns;
	uint64_t pid_ns, vcpu_ns, comm_ns; /* ends of the blocks that pid, vcpu_id, comm are from */
	char comm[16];
	uint64_t latest_ns;  /* something happened to it */
	uint64_t died_ns;    /* ... and that was its last switch-out */
	uint64_t dropped_ns; /* its rows are not in the cuts from here on */
	/* Of its records. */
	unsigned forks;
	int32_t forked_pid, named_pid;
	uint64_t forked_ns, named_ns, exit_ns;
	char named[16];
	bool listed; /* they do not tell enough */
};

/* book_give_up - no digest for the file: what is written already says nothing without the last block. */
void book_give_up(struct digest_book *b);
/* book_task - in the list of all, made when new; NULL: out of memory, or there are too many. */
struct book_task *book_task(struct digest_book *b, int32_t tid);

/* The number of a task that is in no list: IDLE's, whose names are those of CPUs. */
#define BOOK_NONE UINT32_MAX
/* book_add_tasks - those of @d, of a block of @cpu, whose numbers are noted; false: no digest can be
 * made any more. */
bool book_add_tasks(struct digest_book *b, struct block_digest *d, uint32_t cpu, uint64_t first_ns,
		    uint64_t last_ns);
/* book_is_over - @t (may be NULL) died before @end_ns, so that nothing of it is open. */
bool book_is_over(const struct book_task *t, uint64_t end_ns);
void book_put_column(struct buf *out, struct buf *column);
/* book_put_tasks - what the last block says of all tasks. */
void book_put_tasks(struct digest_book *b, struct buf *out);

#endif
