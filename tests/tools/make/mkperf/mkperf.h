/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mkperf.h - shared by the parts of mkperf: the capture being made, bytes, words, events, records.
 *
 * Thread rule  one thread, one capture a process: it is the global @g
 * Units        *_ns  nanoseconds of the capture's clock
 * Failure      die(): the input is trusted, the first mistake in it ends the program
 * Ownership    texts and all that hangs on @g live until mkperf.c's fini(); a struct buf is the
 *              caller's, which frees .p
 */
#ifndef TESTS_TOOLS_MAKE_MKPERF_MKPERF_H
#define TESTS_TOOLS_MAKE_MKPERF_MKPERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RECORD_LOST = 2,
	RECORD_COMM,
	RECORD_EXIT,
	RECORD_THROTTLE,
	RECORD_UNTHROTTLE,
	RECORD_FORK,
	RECORD_SAMPLE = 9,
	RECORD_LOST_SAMPLES = 13,
	RECORD_SWITCH = 14,
	RECORD_SWITCH_CPU_WIDE,
	RECORD_CGROUP = 19,
	RECORD_ATTR = 64,
	RECORD_TRACING_DATA = 66,
	RECORD_FINISHED_ROUND = 68,
	RECORD_ID_INDEX,
	RECORD_EVENT_UPDATE = 78,
	RECORD_FEATURE = 80,
	RECORD_COMPRESSED,
	RECORD_FINISHED_INIT,
	RECORD_COMPRESSED2
};

/* perf_event_attr.sample_type, bit by bit. */
enum {
	S_IP,
	S_TID,
	S_TIME,
	S_ADDR,
	S_READ,
	S_CALLCHAIN,
	S_ID,
	S_CPU,
	S_PERIOD,
	S_STREAM,
	S_RAW,
	S_BRANCH,
	S_REGS_USER,
	S_STACK_USER,
	S_WEIGHT,
	S_DATA_SRC,
	S_IDENTIFIER,
	S_TRANSACTION,
	S_REGS_INTR,
	S_PHYS_ADDR,
	S_AUX,
	S_CGROUP,
	S_DATA_PAGE,
	S_CODE_PAGE,
	S_COUNT
};
#define BIT(n) (1ull << (n))

#define MAX_EVENTS 64
#define MAX_FIELDS 64
#define MAX_CPUS 1024
#define MAX_LIST 64

struct buf {
	unsigned char *p;
	size_t n, cap;
};

struct field {
	char name[64];
	unsigned int off, size, elem; /* elem: bytes of one element */
	bool is_signed, is_text, is_array, is_loc, is_rel;
	char *preset; /* value from a default directive */
};

struct event {
	char sys[64], name[64];
	char *text; /* the format file; NULL for the dummy event */
	const char *print;
	uint64_t config, sample_type, first_id;
	struct field fields[MAX_FIELDS];
	unsigned int nfields, size;
};

struct item { /* one record of one ring */
	unsigned int round, seq;
	int cpu;
	struct buf bytes;
};

struct task {
	uint32_t pid, tid;
	char comm[17];
};

struct list {
	char *s[MAX_LIST];
	unsigned int n;
};

struct text {
	struct text *next;
	char s[];
};

/* Task, CPU and time of one record. */
struct at {
	uint32_t pid, tid;
	int cpu;
	uint64_t t_ns;
};

/* The capture that is being made, and the options. */
struct mkperf {
	bool big, pipe, dir, no_tracing, no_features, kill, by_text, switches, have_clock;
	unsigned int zchunk, ztype, long_size, attr_size, ncpus;
	const char *formats;
	char host[256], arch[64], osrelease[128], version[64], cpudesc[256], cpuid[64];
	struct list cmdline, numa, sockets, siblings;
	uint64_t clockid, wall_ns, clock_ns, first_ns, last_ns, nsamples;
	struct event *events[MAX_EVENTS], dummy;
	unsigned int nevents;
	struct task *tasks;
	size_t ntasks;
	size_t *slots; /* by hash of the tid: index in tasks + 1 */
	size_t nslots;
	struct item *items;
	size_t nitems;
	unsigned int round;
	struct task *procs; /* those there before, in the order given */
	size_t nprocs;
	struct text *texts;
	const char *file;
	unsigned int line;
};
extern struct mkperf g;

/* ---- mkperf.c ---- */

void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...);
void *grow(void *p, size_t n, size_t size);
/* A text that lives until the program ends. */
char *copy_text(const char *s, size_t n);

/* ---- bytes.c: in the byte order of the capture ---- */

void put_mem(struct buf *b, const void *p, size_t n);
void set_num(unsigned char *p, uint64_t v, unsigned int size);
void put_num(struct buf *b, uint64_t v, unsigned int size);
void put16(struct buf *b, uint64_t v);
void put32(struct buf *b, uint64_t v);
void put64(struct buf *b, uint64_t v);
void put_zero(struct buf *b, size_t n);
void put_align(struct buf *b, size_t from, size_t to);
/* perf's header strings: length with padding to 64, text, zeros. */
void put_string(struct buf *b, const char *s);
/* Begin a record; end_record() writes its size. */
size_t begin_record(struct buf *b, uint32_t type, uint16_t misc);
void end_record(struct buf *b, size_t at);

/* ---- trace.c: the trace's words and lines ---- */

const char *blanks(const char *p);
/* The next blank-separated word; quotes and braces keep blanks.  NULL at the end. */
char *take_word(const char **pp);
char *need_word(const char **pp, const char *what);
/* Text of a word: escapes resolved when quoted.  *n without the NUL. */
char *word_text(const char *w, size_t *n);
bool to_number(const char *s, uint64_t *v);
uint64_t need_number(const char *s, const char *what);
struct task *find_task(uint32_t tid);
void set_task(uint32_t pid, uint32_t tid, const char *comm);
/* "PID/TID" or "TID", whose pid is then the known one, else the tid. */
void parse_ids(const char *s, uint32_t *pid, uint32_t *tid);
void parse_list(struct list *l, const char *p);
void parse_trace(const char *path);

/* ---- event.c: events, their formats and fields ---- */

char *read_file(const char *path);
/* "sys:name" (a ':' after it is ignored), loaded when new. */
struct event *need_event(char *word, const char *file);
/* The dummy event comes last, as in perf. */
struct event *event_at(unsigned int i);
uint64_t event_id(const struct event *e, int cpu);
struct field *find_field(struct event *e, const char *name, size_t n);
/* The value @word of a field into the payload @raw. */
void set_field(const struct event *e, const struct field *f, struct buf *raw, const char *word);
/* A comm left out takes the name of the pid next to it: prev_comm of prev_pid, comm of pid. */
void fill_comms(struct event *e, struct buf *raw, const bool *given, char *const *words, int cpu);

/* ---- record.c: samples and the other records ---- */

void parse_sample(struct event *e, const struct at *at, const char *p, struct buf *b);
void parse_record(const char *word, const struct at *at, const char *p, struct buf *b);
/* A task that was there before the capture. */
void parse_proc(const char *p);
void put_procs(struct buf *b);

/* ---- file.c: the perf.data ---- */

void write_perf_data(const char *path);

#endif
