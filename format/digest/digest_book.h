/* SPDX-License-Identifier: LGPL-2.1-only */
/* digest_book.h - the tasks of the writer of DGST blocks (internal to format/digest). */
#ifndef FORMAT_DIGEST_DIGEST_BOOK_H
#define FORMAT_DIGEST_DIGEST_BOOK_H

#include "format/digest.h"

/* A task takes some 600 bytes, where a converter may keep 200 per task: files with more tasks have
 * no digests. */
enum { BOOK_TASKS_MAX = 1 << 17 };

struct book_task {
	int32_t tid; /* -1 - CPU of IDLE */
	int32_t pid, vcpu_id;
	bool mentioned; /* an event mentioned it */
	bool is_vcpu;
	uint64_t first_ns;
	uint64_t pid_ns, vcpu_ns, comm_ns; /* ends of the blocks that pid, vcpu_id, comm are from */
	char comm[16];
	uint64_t latest_ns;  /* of its latest event */
	uint64_t died_ns;    /* ... when that was its last switch-out */
	uint64_t dropped_ns; /* the cuts from here on leave out its rows */
	/* From its records. */
	unsigned forks;
	int32_t forked_pid, named_pid;
	uint64_t forked_ns, named_ns, exit_ns;
	char named[16];
	bool listed; /* they are not enough */
};

/* book_give_up - no more digests for the file: those already written are void without the last block. */
void book_give_up(struct digest_book *b);
/* book_task - finds or adds @tid in the list of all tasks; NULL when out of memory or when there are
 * too many. */
struct book_task *book_task(struct digest_book *b, int32_t tid);

/* The number of a task that is not in the list: IDLE, which is identified by its CPU. */
#define BOOK_NONE UINT32_MAX
/* book_add_tasks - adds the tasks of @d, a block of @cpu, and stores their numbers in it; false when
 * no more digests can be made. */
bool book_add_tasks(struct digest_book *b, struct block_digest *d, uint32_t cpu, uint64_t first_ns,
		    uint64_t last_ns);
/* book_is_over - whether @t (may be NULL) died before @end_ns, with nothing of it left open. */
bool book_is_over(const struct book_task *t, uint64_t end_ns);
void book_put_column(struct buf *out, struct buf *column);
/* book_put_tasks - appends the last block's list of all tasks. */
void book_put_tasks(struct digest_book *b, struct buf *out);

#endif
