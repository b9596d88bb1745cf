/* SPDX-License-Identifier: LGPL-2.1-only */
/* digest_internal.h - the state of the digests, shared by digest.c, digest_file.c and
 * digest_pieces.c. */
#ifndef ANALYZE_WINDOWS_DIGEST_INTERNAL_H
#define ANALYZE_WINDOWS_DIGEST_INTERNAL_H

#include "analyze/walk/digest.h"
#include "cdict/digest.h"

/* The digest of consecutive events of one CPU; its cpus[] has one element. */
struct part {
	uint32_t cpu;
	uint64_t first_ns, last_ns;
	bool switched; /* the CPU had a switch before it */
	struct digest sum;
};

enum { FOLD_ROWS = 1024 };

/* The state while a CPU's events are folded into a digest. */
struct fold {
	struct digest *to;
	struct digest_cpu *state;
	uint32_t cpu;
	uint32_t sampled; /* row of the latest sample, or UINT32_MAX */
	int32_t tid, pid; /* of that sample */
	uint32_t cur;     /* row that was switched in last, or UINT32_MAX */
	bool switched;    /* the CPU had a switch */
	bool no_memory;
	uint32_t rows[FOLD_ROWS]; /* cache by the tid's low bits: its row + 1 */
};

/* Events read after a cut, piece by piece, kept for the next time that is requested. */
struct pieces {
	size_t cut; /* + 1; 0: from the CPU's begin */
	ARRAY(struct part) all;
};

/* A CPU's events before the walk's begin in blocks that the walk reads anyway. */
struct lead_cpu {
	uint64_t before_ns;  /* end of the CPU's block before, ANALYZE_NO_TIME: none */
	uint64_t from_ns;    /* first of the events to take from the walk */
	struct pieces *keep; /* where to keep them; NULL: do not keep */
	struct part part;
	struct fold *fold; /* NULL: there was no event yet */
};

/* A cut stored in the file. */
struct cut {
	const struct cdict_digest_cut *of;
	uint64_t next_first_ns; /* begin of the CPU's next block */
	uint64_t break_ns;      /* switches are missing before this time, none after it */
	size_t before;          /* the CPU's previous cut, + 1 */
};

/* A CPU's latest switches in consecutive events that were folded: all in [from_ns, to_ns). */
struct recent {
	uint64_t from_ns, to_ns;
	struct digest_switch *all; /* a ring of RECENT_MAX; NULL: there was none yet */
	uint64_t n;                /* ever written */
	bool open;                 /* to_ns is not reached yet */
};

/* A CPU with stored digests. */
struct cpu_cuts {
	struct part head; /* up to its first switch */
	struct pieces pieces;
	size_t last, cut; /* cuts, + 1; @cut while they are linked */
	uint64_t first_ns, last_ns;
};

struct digests {
	struct cdict_reader *reader;
	struct cdict_digests *file; /* stored in the file, or NULL: parts are read */
	struct cut *cuts;           /* in the order of the file's */
	struct cpu_cuts *cpus;
	struct recent *recent; /* by CPU; NULL: not kept */
	struct type_info *types;
	struct state_table states;
	struct analyze_summary has;
	uint64_t **fields;
	size_t n_types;
	uint32_t n_cpus;

	ARRAY(struct part) parts;
	struct digest whole;
	bool hopeless; /* a thread took another's tid */
	bool done;
	/* The CPU being read. */
	uint32_t cpu;
	struct cdict_events *it;
	struct fold fold;
	uint64_t in_part, per_part, bytes;
	size_t kept; /* bytes of pieces */
	/* Results of digests_next_switch(), by CPU and time. */
	struct map next_index;
	ARRAY(struct digest_switch) next;
};

/* --- digest.c --- */

int digest_init(struct digest *d, uint32_t n_cpus); /* 0 or -ENOMEM */
/* digest_take_task - the task @tid, created if new, seen at @t_ns; NULL: out of memory. */
struct digest_task *digest_take_task(struct digest *d, int32_t tid, uint32_t cpu, uint64_t t_ns);
struct digest_row *digest_take_row(struct digest *d, struct digest_task *task);
struct digest_kvm *digest_take_kvm(struct digest *d, struct digest_row *row);
void digest_latest(struct digest_when *to, const struct digest_when *w);
void digest_latest_two(struct digest_when to[2], const struct digest_when *w);
void digest_add_kvm(struct digest_kvm *to, const struct digest_kvm *k);
void digest_add_early(struct digest_row *to, const struct digest_row *row);
void digest_add_cpu(struct digest_cpu *to, const struct digest_cpu *c);
int digest_add_part(struct digest *d, const struct part *p);
/* digest_open_cpu - opens the events of @cpu, or of all CPUs (CDICT_CPU_UNKNOWN), with the fields
 * that digests need. */
int digest_open_cpu(struct digests *d, struct cdict_events **it, uint32_t cpu, uint64_t from_ns,
		    uint64_t to_ns, struct cdict_error *err);

/* --- digest_pieces.c --- */

size_t digest_part_bytes(const struct part *p);
/* digest_read_piece - reads the events of @p's CPU in [p->first_ns, @t_ns) into @p. */
int digest_read_piece(struct digests *d, struct part *p, uint64_t t_ns, struct cdict_error *err);
/* digest_add_piece - like digest_read_piece(), but adds them to @out. @keep: takes them in pieces
 * of some thousand events; may be NULL. */
int digest_add_piece(struct digests *d, const struct part *p, uint64_t t_ns, struct digest *out,
		     struct pieces *keep, struct cdict_error *err);

/* digest_end_piece - *p is complete: adds it to @out and, while there is room, to *keep; *p is then
 * a new piece from @next_ns on. */
int digest_end_piece(struct digests *d, struct part *p, uint64_t next_ns, struct digest *out,
		     struct pieces **keep);
void digest_forget_pieces(struct digests *d, struct pieces *pieces);
/* digest_lead_cpus - for each CPU, the events before @t_ns that the walk reads anyway; NULL: out of
 * memory. */
struct lead_cpu *digest_lead_cpus(const struct digests *d, const struct analyze_engine *walk,
				  uint64_t t_ns);
/* digest_add_lead - adds these events to @out, which has the events before them. */
int digest_add_lead(struct digests *d, struct analyze_engine *walk, struct lead_cpu *cpus,
		    uint64_t t_ns, struct digest *out, struct cdict_error *err);
void digest_lead_free(struct digests *d, struct lead_cpu *cpus);

/* --- digest_recent.c --- */

/* recent_begin - events from @from_ns on will be folded. recent_end - they were, up to @to_ns. */
void recent_begin(struct digests *d, uint32_t cpu, uint64_t from_ns);
void recent_end(struct digests *d, uint32_t cpu, uint64_t to_ns);
void recent_add(struct digests *d, uint32_t cpu, uint64_t t_ns, int32_t prev);
/* recent_has - whether all switches of the CPU in [from_ns, to_ns) are kept; recent_all - calls @fn for them, until
 * it returns non-zero. */
bool recent_has(const struct digests *d, uint32_t cpu, uint64_t from_ns, uint64_t to_ns);
void recent_all(const struct digests *d, uint32_t cpu, uint64_t from_ns, uint64_t to_ns,
		digests_switch_fn *fn, void *ctx);
void recent_fini(struct digests *d);

/* --- digest_fold.c --- */

void digest_fold_begin(struct fold *f, struct part *p);
void digest_fold(struct digests *d, struct fold *f, const struct cdict_event *ev);
void digest_fold_end(struct fold *f);
/* digest_wakes - whether @ev is a wake-up of @tid that counts; sets *wake to its time and target
 * CPU. */
bool digest_wakes(const struct digests *d, const struct cdict_event *ev, int32_t tid,
		  struct digest_when *wake);

/* --- digest_file.c --- */

/* digest_take_file - takes the stored digests of the whole file and its cuts; d->file stays NULL
 * if there are none. 0 or a negative code. */
int digest_take_file(struct digests *d, struct cdict_error *err);
void digest_file_fini(struct digests *d);
/* digest_file_at - adds the events before @t_ns to @out. */
int digest_file_at(struct digests *d, uint64_t t_ns, struct analyze_engine *walk,
		   struct digest *out, struct cdict_error *err);

#endif
