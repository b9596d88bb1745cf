// SPDX-License-Identifier: GPL-2.0-only
/*
 * mkperf.c - turn a text trace, written by eye, into a perf.data that the real perf reads.
 *
 * Test fixtures only: the input is trusted, the first mistake in it ends the program with
 * file:line.  What a trace may say is in usage_text below and in tests/data/README.md.
 * Layouts follow the kernel's include/uapi/linux/perf_event.h and
 * tools/perf/Documentation/perf.data-file-format.txt; bytes are put one by one, so that the
 * byte order of the machine that runs this never matters.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

static const char usage_text[] =
	"usage: mkperf [options] -o OUT TRACE\n"
	"  --big-endian     every number most significant byte first\n"
	"  --pipe           the form that 'perf record -o -' writes\n"
	"  --zstd[=N]       kernel records in PERF_RECORD_COMPRESSED, N input bytes in each (301)\n"
	"  --zstd2[=N]      the same in PERF_RECORD_COMPRESSED2 (83, newer than perf 6.1)\n"
	"  --dir            OUT becomes a directory, as 'perf record --threads' writes it\n"
	"  --long-size 4|8  the recording kernel's long (8)\n"
	"  --attr-size N    size of each perf_event_attr (128)\n"
	"  --no-tracing     leave the tracepoint formats out\n"
	"  --no-features    pipe: no FEATURE records (perf 6.1 cannot read them byte-swapped)\n"
	"  --kill           as a killed 'perf record' leaves it: data.size 0, no features\n"
	"  --formats DIR    where format files are (the trace's folder + /formats)\n"
	"  --count          print the number of samples in the trace\n"
	"\n"
	"directives, one a line, before the records ('#' starts a comment):\n"
	"  cpus N | host NAME | arch NAME | osrelease TEXT | version TEXT | cpudesc TEXT\n"
	"  cpuid TEXT | cmdline WORD... | numa 0-1 2-3 | sockets 0-3 | siblings 0,2 1,3\n"
	"  clock CLOCKID WALL_NS CLOCK_NS   write CLOCK_DATA, set attr.clockid\n"
	"  event SYS:NAME                   have the event although nothing uses it\n"
	"  format SYS:NAME FILE             instead of SYS.NAME.format\n"
	"  sample SYS:NAME|dummy|* WORD...  add to (+, none) or take from (-) the sample type:\n"
	"                                   identifier ip tid time addr id stream cpu period\n"
	"                                   read callchain raw branch regs_user stack_user\n"
	"                                   weight data_src transaction regs_intr phys_addr\n"
	"                                   cgroup data_page code_page aux\n"
	"  default SYS:NAME FIELD=VALUE...  for fields that a record leaves out (else 0)\n"
	"  long-size 4|8                    as the option\n"
	"  order cpu|text                   within a round: by CPU, as perf does, or as given\n"
	"  proc [PID/]TID NAME              a task that was there before: FORK and COMM at time 0\n"
	"records:\n"
	"  [PID/]TID [CPU] SEC.NSEC: SYS:NAME: [@FLAG...] FIELD=VALUE...\n"
	"      flags @kernel @user @hv @guest @guest-user @ip=N @id=N\n"
	"      @raw=BYTES (pad or cut the payload)\n"
	"  [[PID/]TID] [CPU] SEC.NSEC: LOST N | LOST_SAMPLES N | THROTTLE | UNTHROTTLE\n"
	"      | COMM [PID/]TID NAME [exec] | FORK PID/TID PPID/PTID | EXIT PID/TID [PPID/PTID]\n"
	"      | SWITCH in|out [preempt] [PID/TID] | RAW HEX...\n"
	"      | RECORD TYPE MISC [u8=N u16=N u32=N u64=N \"TEXT\"]...\n"
	"  ROUND                            FINISHED_ROUND (one more is added at the end)\n"
	"values: 12 0x0c -1, \"text\\n\\x01\", bare words, {1,2,3}; a name that the event's print\n"
	"format gives the field (S|D+, HLT, \"DE excp\").  *comm fields left out take the name of\n"
	"their *pid.\n";

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

enum {
	FEAT_TRACING = 1,
	FEAT_HOSTNAME = 3,
	FEAT_OSRELEASE,
	FEAT_VERSION,
	FEAT_ARCH,
	FEAT_NRCPUS,
	FEAT_CPUDESC,
	FEAT_CPUID,
	FEAT_CMDLINE = 11,
	FEAT_EVENT_DESC,
	FEAT_CPU_TOPOLOGY,
	FEAT_NUMA_TOPOLOGY,
	FEAT_SAMPLE_TIME = 21,
	FEAT_CLOCKID = 23,
	FEAT_DIR_FORMAT,
	FEAT_COMPRESSED = 27,
	FEAT_CLOCK_DATA = 29,
	FEAT_LAST = 32
};

/* In the order of perf_event_attr.sample_type's bits. */
static const char *const sample_words[] = {
	"ip",        "tid",        "time",   "addr",     "read",       "callchain",
	"id",        "cpu",        "period", "stream",   "raw",        "branch",
	"regs_user", "stack_user", "weight", "data_src", "identifier", "transaction",
	"regs_intr", "phys_addr",  "aux",    "cgroup",   "data_page",  "code_page",
};
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
#define REGS_MASK 0x7ull /* three registers */

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

/* Who, where and when of one record. */
struct at {
	uint32_t pid, tid;
	int cpu;
	uint64_t t_ns;
};

static struct {
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
	struct item *items;
	size_t nitems;
	unsigned int round;
	struct task *procs; /* those there before, in the order given */
	size_t nprocs;
	struct text *texts;
	const char *file;
	unsigned int line;
} g = {
	.long_size = 8,
	.attr_size = 128,
	.ncpus = 4,
	.host = "compute-01",
	.arch = "x86_64",
	.osrelease = "6.1.0-made-up",
	.version = "6.1.0",
	.dummy = { .sys = "dummy",
		   .name = "HG",
		   .config = 9,
		   .sample_type = BIT(S_IP) | BIT(S_TID) | BIT(S_TIME) | BIT(S_CPU) |
				  BIT(S_IDENTIFIER) },
};

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "mkperf: ");
	if (g.line)
		fprintf(stderr, "%s:%u: ", g.file, g.line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static void *grow(void *p, size_t n, size_t size)
{
	p = realloc(p, n * size + 1);
	if (!p)
		die("out of memory");
	return p;
}

/* A text that lives until the program ends. */
static char *copy_text(const char *s, size_t n)
{
	struct text *t = grow(NULL, sizeof(*t) + n + 1, 1);

	t->next = g.texts;
	g.texts = t;
	memcpy(t->s, s, n);
	t->s[n] = '\0';
	return t->s;
}

/* ---- bytes ---- */

static void put_mem(struct buf *b, const void *p, size_t n)
{
	if (b->n + n > b->cap) {
		b->cap = (b->n + n) * 2;
		b->p = grow(b->p, b->cap, 1);
	}
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
}

static void set_num(unsigned char *p, uint64_t v, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		p[g.big ? size - 1 - i : i] = (unsigned char)(v >> (8 * i));
}

static void put_num(struct buf *b, uint64_t v, unsigned int size)
{
	unsigned char raw[8];

	set_num(raw, v, size);
	put_mem(b, raw, size);
}

static void put16(struct buf *b, uint64_t v)
{
	put_num(b, v, 2);
}
static void put32(struct buf *b, uint64_t v)
{
	put_num(b, v, 4);
}
static void put64(struct buf *b, uint64_t v)
{
	put_num(b, v, 8);
}

static void put_zero(struct buf *b, size_t n)
{
	while (n--)
		put_mem(b, "", 1);
}

static void put_align(struct buf *b, size_t from, size_t to)
{
	while ((b->n - from) % to)
		put_zero(b, 1);
}

/* Begin a record; end_record() writes its size. */
static size_t begin_record(struct buf *b, uint32_t type, uint16_t misc)
{
	size_t at = b->n;

	put32(b, type);
	put16(b, misc);
	put16(b, 0);
	return at;
}

static void end_record(struct buf *b, size_t at)
{
	if (b->n - at > 65535)
		die("a record of %zu bytes does not fit", b->n - at);
	set_num(b->p + at + 6, b->n - at, 2);
}

/* perf's header strings: length with padding to 64, text, zeros. */
static void put_string(struct buf *b, const char *s)
{
	size_t n = strlen(s) + 1, padded = (n + 63) / 64 * 64;

	put32(b, padded);
	put_mem(b, s, n);
	put_zero(b, padded - n);
}

/* ---- reading the trace's words ---- */

static const char *blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/* The next blank-separated word; quotes and braces keep blanks.  NULL at the end. */
static char *take_word(const char **pp)
{
	const char *p = blanks(*pp), *start = p;
	bool quoted = false;
	int depth = 0;

	if (!*p || *p == '#')
		return NULL;
	for (; *p && (quoted || depth || (*p != ' ' && *p != '\t')); p++) {
		if (*p == '"')
			quoted = !quoted;
		else if (quoted && *p == '\\' && p[1])
			p++;
		else if (!quoted && (*p == '{' || *p == '}'))
			depth += *p == '{' ? 1 : -1;
	}
	if (quoted || depth)
		die("unclosed quote or brace");
	*pp = p;
	return copy_text(start, (size_t)(p - start));
}

static char *need_word(const char **pp, const char *what)
{
	char *w = take_word(pp);

	if (!w)
		die("%s is missing", what);
	return w;
}

/* Text of a word: escapes resolved when quoted.  Given to the caller, *n without the NUL. */
static char *word_text(const char *w, size_t *n)
{
	char *out = copy_text(w, strlen(w)), *o = out;

	if (*w != '"') {
		*n = strlen(w);
		return out;
	}
	for (w++; *w && *w != '"'; w++) {
		if (*w != '\\') {
			*o++ = *w;
			continue;
		}
		w++;
		if (*w == 'n') {
			*o++ = '\n';
		} else if (*w == 't') {
			*o++ = '\t';
		} else if (*w == 'x' && isxdigit((unsigned char)w[1]) &&
			   isxdigit((unsigned char)w[2])) {
			char hex[3] = { w[1], w[2], '\0' };

			*o++ = (char)strtoul(hex, NULL, 16);
			w += 2;
		} else {
			*o++ = *w;
		}
	}
	if (*w != '"' || w[1])
		die("text after the closing quote");
	*o = '\0';
	*n = (size_t)(o - out);
	return out;
}

static bool to_number(const char *s, uint64_t *v)
{
	char *end;

	if (!isdigit((unsigned char)*s) && !(*s == '-' && isdigit((unsigned char)s[1])))
		return false;
	errno = 0;
	*v = *s == '-' ? (uint64_t)strtoll(s, &end, 0) : strtoull(s, &end, 0);
	return !errno && !*end;
}

static uint64_t need_number(const char *s, const char *what)
{
	uint64_t v;

	if (!to_number(s, &v))
		die("%s: '%s' is no number", what, s);
	return v;
}

static uint64_t need_time(const char *s)
{
	uint64_t ns = 0, scale = 100000000;
	char *end;

	ns = strtoull(s, &end, 10) * 1000000000ull;
	if (end == s)
		die("'%s' is no time", s);
	if (*end == '.')
		for (end++; isdigit((unsigned char)*end); end++, scale /= 10)
			ns += (uint64_t)(*end - '0') * scale;
	if (strcmp(end, ":"))
		die("'%s' is no time with a ':' after it", s);
	return ns;
}

static struct task *find_task(uint32_t tid)
{
	size_t i;

	for (i = 0; i < g.ntasks; i++)
		if (g.tasks[i].tid == tid)
			return &g.tasks[i];
	return NULL;
}

static void set_task(uint32_t pid, uint32_t tid, const char *comm)
{
	struct task *t = find_task(tid);

	if (!t) {
		g.tasks = grow(g.tasks, g.ntasks + 1, sizeof(*t));
		t = &g.tasks[g.ntasks++];
		t->tid = tid;
	}
	t->pid = pid;
	snprintf(t->comm, sizeof(t->comm), "%.15s", comm);
}

static void inherit_comm(const uint32_t ids[4])
{
	const struct task *parent = find_task(ids[3]);
	char comm[17] = "";

	if (parent)
		memcpy(comm, parent->comm, sizeof(comm));
	set_task(ids[0], ids[1], comm);
}

/* "PID/TID" or "TID", whose pid is then the known one, else the tid. */
static void parse_ids(const char *s, uint32_t *pid, uint32_t *tid)
{
	char *end;

	*pid = *tid = (uint32_t)strtol(s, &end, 0);
	if (*end == '/') {
		s = end + 1;
		*tid = (uint32_t)strtol(s, &end, 0);
	} else if (find_task(*tid)) {
		*pid = find_task(*tid)->pid;
	}
	if (end == s || *end)
		die("'%s' is no PID/TID", s);
}

/* ---- names in a print format ---- */

static bool expression(const char **pp, uint64_t *v);

static bool operand(const char **pp, uint64_t *v)
{
	const char *p = blanks(*pp);
	char *end;

	if (*p == '(' || *p == '-' || *p == '~') {
		char op = *p++;

		if (!(op == '(' ? expression(&p, v) : operand(&p, v)))
			return false;
		if (op == '(') {
			p = blanks(p);
			if (*p++ != ')')
				return false;
		} else {
			*v = op == '-' ? -*v : ~*v;
		}
		*pp = p;
		return true;
	}
	if (!isdigit((unsigned char)*p))
		return false;
	*v = strtoull(p, &end, 0);
	while (*end == 'U' || *end == 'L' || *end == 'u' || *end == 'l')
		end++;
	*pp = end;
	return true;
}

/* Integers with + - | & << >>, left to right: kernel macros bracket whatever else they mean. */
static bool expression(const char **pp, uint64_t *v)
{
	if (!operand(pp, v))
		return false;
	for (;;) {
		const char *p = blanks(*pp);
		uint64_t right;
		char op = *p;

		if (!op || !strchr("+-|&<>", op))
			return true;
		p += op == '<' || op == '>' ? 2 : 1;
		if (!operand(&p, &right))
			return true;
		*v = op == '+'   ? *v + right
		     : op == '-' ? *v - right
		     : op == '|' ? *v | right
		     : op == '&' ? *v & right
		     : op == '<' ? *v << right
				 : *v >> right;
		*pp = p;
	}
}

/* Where the print format uses REC->field as a whole word, from @p on. */
static const char *find_field_use(const char *p, const char *field)
{
	size_t n = strlen(field);

	while ((p = strstr(p, "REC->"))) {
		p += 5;
		if (!strncmp(p, field, n) && !isalnum((unsigned char)p[n]) && p[n] != '_')
			return p;
	}
	return NULL;
}

/* Value of @name among the { value, "name" } pairs of the tables applied to @field. */
static bool symbol(const struct event *e, const char *field, const char *name, size_t len,
		   uint64_t *v)
{
	static const char *const tables[] = { "__print_symbolic(", "__print_flags(" };
	const char *p, *use;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		for (p = e->print; (p = strstr(p, tables[i])); p++) {
			const char *pair = strchr(p, '{'), *q;

			use = find_field_use(p, field);
			if (!pair || !use || use > pair)
				continue;
			while (*pair == '{') {
				q = pair + 1;
				if (!expression(&q, v))
					break;
				q = blanks(q);
				if (*q != ',')
					break;
				q = blanks(q + 1);
				if (*q == '"' && !strncmp(q + 1, name, len) && q[1 + len] == '"')
					return true;
				q = strchr(q + 1, '}');
				if (!q)
					break;
				q = blanks(q + 1);
				if (*q != ',')
					break;
				pair = blanks(q + 1);
			}
		}
	}
	return false;
}

/* The bit that prints "+" after a task state: REC->prev_state & (BIT) ? "+" : "" */
static bool plus_bit(const struct event *e, const char *field, uint64_t *v)
{
	const char *p, *end = strstr(e->print, "\"+\"");

	if (!end)
		return false;
	for (p = e->print; (p = find_field_use(p, field)) && p < end;) {
		const char *q = blanks(p + strlen(field));

		if (*q++ == '&' && expression(&q, v) && blanks(q)[0] == '?' &&
		    blanks(blanks(q) + 1) == end)
			return true;
	}
	return false;
}

/* Number of a word in a field: a number, a name, or names joined by '|' with "+" after them. */
static uint64_t field_number(const struct event *e, const struct field *f, const char *word)
{
	uint64_t v = 0, bit;
	char *text;
	size_t n, from, to;

	if (to_number(word, &v))
		return v;
	text = word_text(word, &n);
	if (symbol(e, f->name, text, n, &v))
		return v;
	v = 0;
	if (n && text[n - 1] == '+') {
		if (!plus_bit(e, f->name, &v))
			die("%s: no '+' in the print format of %s", word, e->name);
		n--;
	}
	for (from = 0; from < n; from = to + 1) {
		for (to = from; to < n && text[to] != '|'; to++)
			;
		if (symbol(e, f->name, text + from, to - from, &bit))
			v |= bit;
		else if (to - from != 1 || text[from] != 'R')
			die("%s: %s.%s has no name '%.*s'", word, e->name, f->name,
			    (int)(to - from), text + from);
	}
	return v;
}

/* ---- events and their formats ---- */

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	struct buf b = { 0 };
	char part[4096];
	size_t n;

	if (!f)
		die("%s: %s", path, strerror(errno));
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		put_mem(&b, part, n);
	fclose(f);
	put_mem(&b, "", 1);
	return (char *)b.p;
}

static unsigned int type_size(const char *type)
{
	if (strstr(type, "char") || strstr(type, "u8") || strstr(type, "s8") ||
	    strstr(type, "bool"))
		return 1;
	if (strstr(type, "short") || strstr(type, "16"))
		return 2;
	if (strstr(type, "64") || strstr(type, "long long"))
		return 8;
	return strstr(type, "long") || strchr(type, '*') ? g.long_size : 4;
}

/* One line: field:TYPE NAME[N];	offset:O;	size:S;	signed:B; */
static void parse_field(struct event *e, const char *line)
{
	struct field *f = &e->fields[e->nfields++];
	char decl[256], *name, *bracket;
	int is_signed = 0;

	if (e->nfields > MAX_FIELDS ||
	    sscanf(line, " field:%255[^;]; offset:%u; size:%u; signed:%d;", decl, &f->off, &f->size,
		   &is_signed) < 3)
		die("%s: bad field: %.60s", e->name, line);
	f->is_signed = is_signed;
	f->is_rel = strstr(decl, "__rel_loc ") != NULL;
	f->is_loc = f->is_rel || strstr(decl, "__data_loc ");
	name = strrchr(decl, ' ');
	bracket = strchr(decl, '[');
	if (!name)
		die("%s: field without a name: %s", e->name, decl);
	f->is_array = bracket != NULL;
	if (bracket > name)
		*bracket = '\0';
	snprintf(f->name, sizeof(f->name), "%s", name + 1);
	*name = '\0';
	if (bracket && bracket < name)
		*bracket = '\0';
	f->elem = f->is_array ? type_size(decl) : f->size;
	f->is_text = f->is_array && f->elem == 1 && strstr(decl, "char");
	if (f->off + f->size > e->size)
		e->size = f->off + f->size;
}

static struct event *load_event(const char *sys, const char *name, const char *file)
{
	struct event *e = grow(NULL, 1, sizeof(*e));
	char path[1024], *line, *id;
	unsigned int i;

	if (g.nevents == MAX_EVENTS)
		die("more than %d events", MAX_EVENTS);
	memset(e, 0, sizeof(*e));
	snprintf(e->sys, sizeof(e->sys), "%s", sys);
	snprintf(e->name, sizeof(e->name), "%s", name);
	if (file)
		snprintf(path, sizeof(path), "%s/%s", g.formats, file);
	else
		snprintf(path, sizeof(path), "%s/%s.%s.format", g.formats, sys, name);
	e->text = read_file(path);
	id = strstr(e->text, "ID:");
	e->print = strstr(e->text, "print fmt:");
	if (!id || !e->print)
		die("%s: no ID or no print fmt", path);
	e->config = strtoull(id + 3, NULL, 10);
	for (line = e->text; line && line < e->print; line = strchr(line, '\n')) {
		line += strspn(line, "\n\t ");
		if (!strncmp(line, "field:", 6))
			parse_field(e, line);
	}
	e->sample_type = BIT(S_IDENTIFIER) | BIT(S_IP) | BIT(S_TID) | BIT(S_TIME) | BIT(S_CPU) |
			 BIT(S_PERIOD) | BIT(S_RAW);
	for (i = 0; i < g.nevents; i++)
		if (g.events[i]->config == e->config)
			die("%s and %s both have ID %llu", g.events[i]->name, name,
			    (unsigned long long)e->config);
	g.events[g.nevents++] = e;
	e->first_id = 100 + (uint64_t)g.nevents * g.ncpus;
	return e;
}

/* "sys:name" (a ':' after it is ignored), loaded when new. */
static struct event *need_event(char *word, const char *file)
{
	char *name = strchr(word, ':');
	unsigned int i;

	if (!name)
		die("'%s' is no SYS:NAME", word);
	*name++ = '\0';
	name[strcspn(name, ":")] = '\0';
	for (i = 0; i < g.nevents; i++)
		if (!strcmp(g.events[i]->sys, word) && !strcmp(g.events[i]->name, name))
			return g.events[i];
	return load_event(word, name, file);
}

static struct field *find_field(struct event *e, const char *name, size_t n)
{
	unsigned int i;

	for (i = 0; i < e->nfields; i++)
		if (strlen(e->fields[i].name) == n && !strncmp(e->fields[i].name, name, n))
			return &e->fields[i];
	die("%s has no field '%.*s'", e->name, (int)n, name);
}

/* ---- one sample ---- */

static void set_value(const struct event *e, const struct field *f, unsigned char *to,
		      unsigned int size, const char *word)
{
	uint64_t v = field_number(e, f, word);
	unsigned int bits = size * 8;

	if (size != 1 && size != 2 && size != 4 && size != 8)
		die("%s: a number in %u bytes", f->name, size);
	if (bits < 64 && v >> bits && (~v >> (bits - 1)))
		die("%s=%s does not fit into %u bytes", f->name, word, size);
	set_num(to, v, size);
}

/* The bytes of a text or {list} value. */
static void value_bytes(const struct event *e, const struct field *f, const char *word,
			struct buf *out)
{
	unsigned char num[8];
	const char *p;
	size_t n;

	if (*word != '{') {
		char *text = word_text(word, &n);

		put_mem(out, text, n);
		return;
	}
	for (p = word + 1; *p && *p != '}'; p += *p == ',') {
		char *one;

		p = blanks(p);
		n = strcspn(p, ",}");
		one = copy_text(p, n);
		one[strcspn(one, " ")] = '\0';
		if (*one) {
			set_value(e, f, num, f->elem, one);
			put_mem(out, num, f->elem);
		}
		p += n;
	}
}

static void set_field(const struct event *e, const struct field *f, struct buf *raw,
		      const char *word)
{
	struct buf bytes = { 0 };

	if (!f->is_array) {
		set_value(e, f, raw->p + f->off, f->size, word);
		return;
	}
	if (f->elem != 1 && *word != '{')
		die("%s=%s: an array wants {1,2,3}", f->name, word);
	value_bytes(e, f, word, &bytes);
	if (f->is_loc) {
		size_t base = f->is_rel ? f->off + 4u : 0;

		if (f->is_text && *word != '{')
			put_zero(&bytes, 1);
		set_num(raw->p + f->off, (bytes.n << 16) | (raw->n - base), 4);
		put_mem(raw, bytes.p, bytes.n);
	} else {
		if (bytes.n > f->size)
			die("%s=%s: %zu bytes, the field has %u", f->name, word, bytes.n, f->size);
		if (bytes.n)
			memcpy(raw->p + f->off, bytes.p, bytes.n);
	}
	free(bytes.p);
}

/* A comm left out takes the name of the pid beside it: prev_comm of prev_pid, comm of pid. */
static void fill_comms(struct event *e, struct buf *raw, const bool *given, char *const *words,
		       int cpu)
{
	unsigned int i;

	for (i = 0; i < e->nfields; i++) {
		const struct field *f = &e->fields[i];
		size_t n = strlen(f->name);
		char pid_name[64], comm[32];
		struct task *t;
		unsigned int k;
		uint64_t pid;

		if (given[i] || f->preset || !f->is_text || n < 4 ||
		    strcmp(f->name + n - 4, "comm"))
			continue;
		snprintf(pid_name, sizeof(pid_name), "%.*spid", (int)(n - 4), f->name);
		for (k = 0; k < e->nfields && strcmp(e->fields[k].name, pid_name); k++)
			;
		if (k == e->nfields || !words[k] || !to_number(words[k], &pid))
			continue;
		t = find_task((uint32_t)pid);
		snprintf(comm, sizeof(comm), "\"%s\"", t ? t->comm : "");
		if (!pid)
			snprintf(comm, sizeof(comm), "\"swapper/%d\"", cpu);
		set_field(e, f, raw, comm);
	}
}

/* The dummy event comes last, as in perf. */
static struct event *event_at(unsigned int i)
{
	return i < g.nevents ? g.events[i] : &g.dummy;
}

static uint64_t event_id(const struct event *e, int cpu)
{
	return e->first_id + (uint64_t)cpu;
}

static void put_regs(struct buf *b)
{
	unsigned int i;

	put64(b, 2); /* PERF_SAMPLE_REGS_ABI_64 */
	for (i = 0; i < 3; i++)
		put64(b, 0x1000 + i);
}

/* Everything of a sample but the raw data has a fixed, recognisable content. */
static void put_sample(struct buf *b, const struct event *e, const struct at *at, uint64_t ip,
		       uint64_t id, const struct buf *raw)
{
	uint64_t st = e->sample_type;
	size_t from;

#define HAS(x) (st & BIT(S_##x))
	if (HAS(IDENTIFIER))
		put64(b, id);
	if (HAS(IP))
		put64(b, ip);
	if (HAS(TID)) {
		put32(b, at->pid);
		put32(b, at->tid);
	}
	if (HAS(TIME))
		put64(b, at->t_ns);
	if (HAS(ADDR))
		put64(b, 0xadd0);
	if (HAS(ID))
		put64(b, id);
	if (HAS(STREAM))
		put64(b, id);
	if (HAS(CPU)) {
		put32(b, (uint64_t)at->cpu);
		put32(b, 0);
	}
	if (HAS(PERIOD))
		put64(b, 1);
	if (HAS(READ)) { /* read_format ID|LOST: value, id, lost */
		put64(b, 1);
		put64(b, id);
		put64(b, 0);
	}
	if (HAS(CALLCHAIN)) {
		put64(b, 3);
		put64(b, (uint64_t)-128); /* PERF_CONTEXT_KERNEL */
		put64(b, ip);
		put64(b, ip + 0x40);
	}
	if (HAS(RAW)) {
		from = b->n;
		put32(b, (raw->n + 4 + 7) / 8 * 8 - 4);
		put_mem(b, raw->p, raw->n);
		put_align(b, from, 8);
	}
	if (HAS(BRANCH)) {
		put64(b, 1);
		put64(b, ip);
		put64(b, ip + 8);
		put64(b, 0);
	}
	if (HAS(REGS_USER))
		put_regs(b);
	if (HAS(STACK_USER)) {
		put64(b, 16);
		put64(b, 0x5ac1);
		put64(b, 0x5ac2);
		put64(b, 16); /* dyn_size */
	}
	if (HAS(WEIGHT))
		put64(b, 3);
	if (HAS(DATA_SRC))
		put64(b, 1);
	if (HAS(TRANSACTION))
		put64(b, 0);
	if (HAS(REGS_INTR))
		put_regs(b);
	if (HAS(PHYS_ADDR))
		put64(b, 0x9000);
	if (HAS(CGROUP))
		put64(b, 77);
	if (HAS(DATA_PAGE))
		put64(b, 4096);
	if (HAS(CODE_PAGE))
		put64(b, 4096);
	if (HAS(AUX)) {
		put64(b, 8);
		put64(b, 0xa0a0);
	}
}

/* sample_id_all: what follows every record that is no sample. */
static void put_sample_id(struct buf *b, const struct event *e, const struct at *at, uint64_t id)
{
	uint64_t st = e->sample_type;

	if (HAS(TID)) {
		put32(b, at->pid);
		put32(b, at->tid);
	}
	if (HAS(TIME))
		put64(b, at->t_ns);
	if (HAS(ID))
		put64(b, id);
	if (HAS(STREAM))
		put64(b, id);
	if (HAS(CPU)) {
		put32(b, (uint64_t)at->cpu);
		put32(b, 0);
	}
	if (HAS(IDENTIFIER))
		put64(b, id);
#undef HAS
}

static void parse_sample(struct event *e, const struct at *at, const char *p, struct buf *b)
{
	static const char *const modes[] = {
		"unknown", "kernel", "user", "hv", "guest", "guest-user",
	};
	struct buf raw = { 0 };
	bool given[MAX_FIELDS] = { false };
	char *words[MAX_FIELDS] = { NULL }, *w;
	uint64_t ip = 0xffffffff81000000ull + (e->config << 4), id = event_id(e, at->cpu);
	uint64_t raw_size = 0;
	unsigned int i, misc = 1;
	bool resize = false;
	size_t start;

	put_zero(&raw, e->size);
	while ((w = take_word(&p))) {
		char *value = strchr(w, '=');
		struct field *f;

		if (value == w) /* "==>" as perf prints it */
			continue;
		if (*w == '@') {
			if (value)
				*value++ = '\0';
			for (i = 0; i < 6 && strcmp(w + 1, modes[i]); i++)
				;
			if (i < 6)
				misc = i;
			else if (!strcmp(w, "@ip") && value)
				ip = need_number(value, w);
			else if (!strcmp(w, "@id") && value)
				id = need_number(value, w);
			else if (!strcmp(w, "@raw") && value)
				resize = true, raw_size = need_number(value, w);
			else
				die("'%s' is no flag", w);
			continue;
		}
		if (!value)
			die("'%s' is no FIELD=VALUE", w);
		f = find_field(e, w, (size_t)(value - w));
		if (given[f - e->fields])
			die("%s is given twice", f->name);
		given[f - e->fields] = true;
		words[f - e->fields] = value + 1;
	}
	for (i = 0; i < e->nfields; i++) {
		struct field *f = &e->fields[i];

		if (!words[i])
			words[i] = f->preset;
		if (words[i])
			set_field(e, f, &raw, words[i]);
		else if (!strcmp(f->name, "common_type"))
			set_num(raw.p + f->off, e->config, f->size);
		else if (!strcmp(f->name, "common_pid"))
			set_num(raw.p + f->off, at->tid, f->size);
		else if (f->is_loc)
			set_field(e, f, &raw, f->is_text ? "\"\"" : "{}");
	}
	fill_comms(e, &raw, given, words, at->cpu);
	if (resize && raw_size > raw.n)
		put_zero(&raw, raw_size - raw.n);
	else if (resize)
		raw.n = raw_size;
	start = begin_record(b, RECORD_SAMPLE, (uint16_t)misc);
	put_sample(b, e, at, ip, id, &raw);
	end_record(b, start);
	free(raw.p);
	if (!g.nsamples || at->t_ns < g.first_ns)
		g.first_ns = at->t_ns;
	if (at->t_ns > g.last_ns)
		g.last_ns = at->t_ns;
	g.nsamples++;
}

/* ---- the other records ---- */

static void put_comm(struct buf *b, size_t start, uint32_t pid, uint32_t tid, const char *comm,
		     size_t len)
{
	put32(b, pid);
	put32(b, tid);
	put_mem(b, comm, len);
	put_zero(b, 1);
	put_align(b, start, 8);
}

/* @ids: pid, tid, parent's pid, parent's tid */
static void put_task_ids(struct buf *b, const uint32_t ids[4], uint64_t t_ns)
{
	put32(b, ids[0]);
	put32(b, ids[2]);
	put32(b, ids[1]);
	put32(b, ids[3]);
	put64(b, t_ns);
}

/* A task that was there before the capture. */
static void parse_proc(const char *p)
{
	char *w = need_word(&p, "PID/TID"), *comm;
	struct task *t;
	size_t n;

	g.procs = grow(g.procs, g.nprocs + 1, sizeof(*t));
	t = &g.procs[g.nprocs++];
	parse_ids(w, &t->pid, &t->tid);
	if (!strchr(w, '/'))
		t->pid = t->tid;
	p = blanks(p);
	n = strlen(p);
	while (n && (p[n - 1] == ' ' || p[n - 1] == '\t'))
		n--;
	comm = *p == '"' ? word_text(need_word(&p, "the name"), &n) : copy_text(p, n);
	snprintf(t->comm, sizeof(t->comm), "%.15s", comm);
	set_task(t->pid, t->tid, comm);
}

/* Its records as perf makes them from /proc: time 0, and a sample_id that is all zeros and as long
 * as that of the first event. */
static void put_procs(struct buf *b)
{
	const struct event *e = event_at(0);
	static const struct at zero;
	size_t i, start;

	for (i = 0; i < g.nprocs; i++) {
		const struct task *t = &g.procs[i];
		uint32_t parent = t->pid == t->tid ? 1 : t->pid;
		uint32_t ids[4] = { t->pid, t->tid, parent, parent };

		start = begin_record(b, RECORD_FORK, 0x2000);
		put_task_ids(b, ids, 0);
		put_sample_id(b, e, &zero, 0);
		end_record(b, start);
		start = begin_record(b, RECORD_COMM, 0);
		put_comm(b, start, t->pid, t->tid, t->comm, strlen(t->comm));
		put_sample_id(b, e, &zero, 0);
		end_record(b, start);
	}
}

static void parse_hex(const char *p, struct buf *b)
{
	for (p = blanks(p); *p && *p != '#'; p = blanks(p + 2)) {
		char hex[3] = { p[0], p[1], '\0' };
		unsigned char byte = (unsigned char)strtoul(hex, NULL, 16);

		if (!isxdigit((unsigned char)p[0]) || !isxdigit((unsigned char)p[1]))
			die("'%s' is no hex", p);
		put_mem(b, &byte, 1);
	}
}

/* RECORD TYPE MISC [u8=N u16=N u32=N u64=N "TEXT"]... */
static void parse_any_record(const char *p, struct buf *b)
{
	uint64_t type = need_number(need_word(&p, "TYPE"), "TYPE");
	uint64_t misc = need_number(need_word(&p, "MISC"), "MISC");
	size_t n, start = begin_record(b, (uint32_t)type, (uint16_t)misc);
	char *w;

	while ((w = take_word(&p))) {
		char *value = strchr(w, '=');

		if (*w == '"') {
			value = word_text(w, &n);
			put_mem(b, value, n);
			continue;
		}
		if (*w != 'u' || !value)
			die("'%s' is neither uBITS=N nor \"TEXT\"", w);
		put_num(b, need_number(value + 1, w), (unsigned int)atoi(w + 1) / 8 & 15);
	}
	end_record(b, start);
}

static void parse_record(const char *word, const struct at *at, const char *p, struct buf *b)
{
	const struct event *e = event_at(0);
	uint64_t id = event_id(e, at->cpu), dummy_id = event_id(&g.dummy, at->cpu);
	struct at by = *at;
	uint32_t ids[4] = { 0 };
	size_t start, n;
	char *w;

	if (!strcmp(word, "LOST") || !strcmp(word, "LOST_SAMPLES")) {
		uint64_t lost = need_number(need_word(&p, "N"), word);

		start = begin_record(b, word[4] ? RECORD_LOST_SAMPLES : RECORD_LOST, 0);
		if (!word[4])
			put64(b, id);
		put64(b, lost);
		put_sample_id(b, e, at, id);
		end_record(b, start);
	} else if (!strcmp(word, "THROTTLE") || !strcmp(word, "UNTHROTTLE")) {
		start = begin_record(b, *word == 'T' ? RECORD_THROTTLE : RECORD_UNTHROTTLE, 0);
		put64(b, at->t_ns);
		put64(b, id);
		put64(b, id);
		put_sample_id(b, e, at, id);
		end_record(b, start);
	} else if (!strcmp(word, "COMM")) {
		char *comm;

		parse_ids(need_word(&p, "PID/TID"), &by.pid, &by.tid);
		comm = word_text(need_word(&p, "NAME"), &n);
		w = take_word(&p);
		if (w && strcmp(w, "exec"))
			die("'%s' after COMM (quote names with blanks)", w);
		set_task(by.pid, by.tid, comm);
		start = begin_record(b, RECORD_COMM, w ? 0x2000 : 0);
		put_comm(b, start, by.pid, by.tid, comm, n);
		put_sample_id(b, &g.dummy, &by, dummy_id);
		end_record(b, start);
	} else if (!strcmp(word, "FORK") || !strcmp(word, "EXIT")) {
		parse_ids(need_word(&p, "PID/TID"), &ids[0], &ids[1]);
		w = *word == 'F' ? need_word(&p, "PPID/PTID") : take_word(&p);
		if (w)
			parse_ids(w, &ids[2], &ids[3]);
		if (*word == 'F') {
			by.pid = ids[2];
			by.tid = ids[3];
			inherit_comm(ids);
		} else {
			by.pid = ids[0];
			by.tid = ids[1];
		}
		start = begin_record(b, *word == 'F' ? RECORD_FORK : RECORD_EXIT, 0);
		put_task_ids(b, ids, at->t_ns);
		put_sample_id(b, &g.dummy, &by, dummy_id);
		end_record(b, start);
	} else if (!strcmp(word, "SWITCH")) {
		unsigned int misc = 0;

		w = need_word(&p, "in or out");
		if (!strcmp(w, "out"))
			misc = 0x2000;
		else if (strcmp(w, "in"))
			die("SWITCH '%s'", w);
		w = take_word(&p);
		if (w && !strcmp(w, "preempt")) {
			misc |= 0x4000;
			w = take_word(&p);
		}
		start = begin_record(b, w ? RECORD_SWITCH_CPU_WIDE : RECORD_SWITCH, (uint16_t)misc);
		if (w) {
			parse_ids(w, &ids[0], &ids[1]);
			put32(b, ids[0]);
			put32(b, ids[1]);
		}
		put_sample_id(b, &g.dummy, at, dummy_id);
		end_record(b, start);
		g.switches = true;
	} else if (!strcmp(word, "RECORD")) {
		parse_any_record(p, b);
	} else if (!strcmp(word, "RAW")) {
		parse_hex(p, b);
	} else {
		die("'%s' is neither an event nor a record", word);
	}
}

/* ---- the trace ---- */

static void parse_list(struct list *l, const char *p)
{
	for (l->n = 0; l->n < MAX_LIST && (l->s[l->n] = take_word(&p)); l->n++)
		;
}

static void parse_sample_type(const char *p)
{
	char *which = need_word(&p, "the event"), *w;
	struct event *e = NULL;
	unsigned int i, bit;

	if (strcmp(which, "*") && strcmp(which, "dummy"))
		e = need_event(which, NULL);
	while ((w = take_word(&p))) {
		const char *name = *w == '+' || *w == '-' ? w + 1 : w;

		for (bit = 0; bit < S_COUNT && strcmp(name, sample_words[bit]); bit++)
			;
		if (bit == S_COUNT)
			die("'%s' is no part of a sample", w);
		for (i = 0; i <= g.nevents; i++) {
			struct event *one = i < g.nevents ? g.events[i] : &g.dummy;

			if (e ? one != e : *which == 'd' && one != &g.dummy)
				continue;
			one->sample_type |= BIT(bit);
			if (*w == '-')
				one->sample_type &= ~BIT(bit);
		}
	}
}

static bool parse_directive(const char *word, const char *p)
{
	const struct {
		const char *name;
		char *to;
		size_t size;
	} texts[] = {
		{ "host", g.host, sizeof(g.host) },
		{ "arch", g.arch, sizeof(g.arch) },
		{ "osrelease", g.osrelease, sizeof(g.osrelease) },
		{ "version", g.version, sizeof(g.version) },
		{ "cpudesc", g.cpudesc, sizeof(g.cpudesc) },
		{ "cpuid", g.cpuid, sizeof(g.cpuid) },
	};
	struct event *e;
	unsigned int i;
	char *w;

	if (g.nitems && islower((unsigned char)*word) && strcmp(word, "proc"))
		die("directive '%s' after the first record", word);
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (strcmp(word, texts[i].name))
			continue;
		snprintf(texts[i].to, texts[i].size, "%s", blanks(p));
		return true;
	}
	if (!strcmp(word, "cpus")) {
		g.ncpus = (unsigned int)need_number(need_word(&p, "N"), word);
		if (g.nevents || !g.ncpus || g.ncpus > MAX_CPUS)
			die("cpus: before any event, 1 to %d", MAX_CPUS);
	} else if (!strcmp(word, "cmdline")) {
		parse_list(&g.cmdline, p);
	} else if (!strcmp(word, "numa")) {
		parse_list(&g.numa, p);
	} else if (!strcmp(word, "sockets")) {
		parse_list(&g.sockets, p);
	} else if (!strcmp(word, "siblings")) {
		parse_list(&g.siblings, p);
	} else if (!strcmp(word, "clock")) {
		g.clockid = need_number(need_word(&p, "CLOCKID"), word);
		g.wall_ns = need_number(need_word(&p, "WALL_NS"), word);
		g.clock_ns = need_number(need_word(&p, "CLOCK_NS"), word);
		g.have_clock = true;
	} else if (!strcmp(word, "event")) {
		need_event(need_word(&p, "SYS:NAME"), NULL);
	} else if (!strcmp(word, "format")) {
		w = need_word(&p, "SYS:NAME");
		need_event(w, need_word(&p, "FILE"));
	} else if (!strcmp(word, "sample")) {
		parse_sample_type(p);
	} else if (!strcmp(word, "default")) {
		e = need_event(need_word(&p, "SYS:NAME"), NULL);
		while ((w = take_word(&p))) {
			char *value = strchr(w, '=');

			if (!value)
				die("'%s' is no FIELD=VALUE", w);
			find_field(e, w, (size_t)(value - w))->preset = value + 1;
		}
	} else if (!strcmp(word, "long-size")) {
		g.long_size = (unsigned int)need_number(need_word(&p, "4 or 8"), word);
	} else if (!strcmp(word, "order")) {
		w = need_word(&p, "cpu or text");
		g.by_text = !strcmp(w, "text");
		if (!g.by_text && strcmp(w, "cpu"))
			die("order '%s'", w);
	} else if (!strcmp(word, "proc")) {
		parse_proc(p);
	} else if (!strcmp(word, "ROUND")) {
		g.round++;
	} else {
		return false;
	}
	return true;
}

static void parse_line(const char *p)
{
	struct at at = { .cpu = -1 };
	struct item item = { .round = g.round };
	char *w = take_word(&p);
	uint64_t cpu;

	if (!w || parse_directive(w, p))
		return;
	if (*w != '[') {
		parse_ids(w, &at.pid, &at.tid);
		w = need_word(&p, "[CPU]");
	}
	if (*w != '[' || w[strlen(w) - 1] != ']')
		die("'%s' is no [CPU]", w);
	w[strlen(w) - 1] = '\0';
	cpu = strtoull(w + 1, NULL, 10); /* [002] is two, never octal */
	if (cpu >= g.ncpus)
		die("[%s]: there are %u CPUs", w + 1, g.ncpus);
	at.cpu = (int)cpu;
	at.t_ns = need_time(need_word(&p, "the time"));
	w = need_word(&p, "an event or a record");
	if (strchr(w, ':'))
		parse_sample(need_event(w, NULL), &at, p, &item.bytes);
	else
		parse_record(w, &at, p, &item.bytes);
	item.cpu = at.cpu;
	item.seq = (unsigned int)g.nitems;
	if (!(g.nitems & (g.nitems + 1)))
		g.items = grow(g.items, (g.nitems + 1) * 2, sizeof(item));
	g.items[g.nitems++] = item;
}

static void parse_trace(const char *path)
{
	char *text = read_file(path), *line = text, *end;

	g.file = path;
	g.dummy.first_id = 100; /* the others follow */
	while (*line) {
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		g.line++;
		parse_line(line);
		if (!end)
			break;
		line = end + 1;
	}
	g.line = 0;
	free(text);
}

static void fini(void)
{
	struct text *t;
	size_t i;

	while ((t = g.texts)) {
		g.texts = t->next;
		free(t);
	}
	for (i = 0; i < g.nitems; i++)
		free(g.items[i].bytes.p);
	for (i = 0; i < g.nevents; i++) {
		free(g.events[i]->text);
		free(g.events[i]);
	}
	free(g.items);
	free(g.procs);
	free(g.tasks);
}

/* ---- the file ---- */

static void put_attr(struct buf *b, const struct event *e)
{
	bool is_dummy = e == &g.dummy;
	uint64_t flags = BIT(1) | BIT(18); /* inherit, sample_id_all */
	size_t start = b->n;
	unsigned int i;

	if (is_dummy) /* mmap comm task mmap2 comm_exec */
		flags |= BIT(8) | BIT(9) | BIT(13) | BIT(23) | BIT(24);
	else /* disabled exclude_guest */
		flags |= BIT(0) | BIT(20);
	if (is_dummy && g.switches)
		flags |= BIT(26);
	if (g.have_clock)
		flags |= BIT(25);
	put32(b, is_dummy ? 1 : 2); /* PERF_TYPE_SOFTWARE, _TRACEPOINT */
	put32(b, g.attr_size);
	put64(b, e->config);
	put64(b, 1); /* sample_period */
	put64(b, e->sample_type);
	put64(b, 0x14);           /* read_format: ID LOST */
	for (i = 0; i < 8; i++) { /* bit-fields start at the other end on big-endian machines */
		unsigned char byte = 0;
		unsigned int bit;

		for (bit = 0; bit < 8; bit++)
			if (flags & BIT(8 * i + bit))
				byte |= (unsigned char)(g.big ? 0x80 >> bit : 1 << bit);
		put_mem(b, &byte, 1);
	}
	put_zero(b, 24); /* wakeup, bp_type, bp_addr, bp_len */
	put64(b, 0);     /* branch_sample_type */
	put64(b, e->sample_type & BIT(S_REGS_USER) ? REGS_MASK : 0);
	put32(b, e->sample_type & BIT(S_STACK_USER) ? 16 : 0);
	put32(b, g.have_clock ? g.clockid : 0);
	put64(b, e->sample_type & BIT(S_REGS_INTR) ? REGS_MASK : 0);
	put32(b, 0); /* aux_watermark */
	put16(b, e->sample_type & BIT(S_CALLCHAIN) ? 127 : 0);
	put16(b, 0);
	put_zero(b, 16); /* aux_sample_size, sig_data */
	while (b->n - start < g.attr_size)
		put_zero(b, 1);
	b->n = start + g.attr_size;
}

/* "sys:name"; the next call overwrites it. */
static const char *event_label(const struct event *e)
{
	static char label[160];

	snprintf(label, sizeof(label), "%s:%s", e->sys, e->name);
	return label;
}

/* The format part of a trace.dat, as perf embeds it: version 0.6. */
static void put_tracing(struct buf *b)
{
	static const char header_event[] =
		"# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n"
		"\tarray       :   32 bits\n\n\tpadding     : type == 29\n"
		"\ttime_extend : type == 30\n\ttime_stamp : type == 31\n\tdata max type_len  == 28\n";
	unsigned char head[12] = { 23,  8,   68,  't', 'r',   'a',
				   'c', 'i', 'n', 'g', g.big, (unsigned char)g.long_size };
	unsigned int systems[MAX_EVENTS] = { 0 }, nsystems = 0, i, k, data = 8 + g.long_size;
	char page[512];
	int n;

	put_mem(b, head, 10);
	put_mem(b, "0.6", 4);
	put_mem(b, head + 10, 2);
	put32(b, 4096);
	n = snprintf(page, sizeof(page),
		     "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		     "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
		     "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		     "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:0;\n",
		     g.long_size, data, 4096 - data);
	put_mem(b, "header_page", 12);
	put64(b, (uint64_t)n);
	put_mem(b, page, (size_t)n);
	put_mem(b, "header_event", 13);
	put64(b, sizeof(header_event) - 1);
	put_mem(b, header_event, sizeof(header_event) - 1);
	put32(b, 0); /* formats of ftrace's own events */
	for (i = 0; i < g.nevents; i++) {
		for (k = 0; k < nsystems && strcmp(g.events[systems[k]]->sys, g.events[i]->sys);
		     k++)
			;
		if (k == nsystems)
			systems[nsystems++] = i;
	}
	put32(b, nsystems);
	for (k = 0; k < nsystems; k++) {
		const char *sys = g.events[systems[k]]->sys;
		uint32_t count = 0;

		for (i = 0; i < g.nevents; i++)
			count += !strcmp(g.events[i]->sys, sys);
		put_mem(b, sys, strlen(sys) + 1);
		put32(b, count);
		for (i = 0; i < g.nevents; i++) {
			if (strcmp(g.events[i]->sys, sys))
				continue;
			put64(b, strlen(g.events[i]->text));
			put_mem(b, g.events[i]->text, strlen(g.events[i]->text));
		}
	}
	put32(b, 0); /* kallsyms */
	put32(b, 0); /* printk formats */
	put64(b, 0); /* saved_cmdlines */
}

static bool in_cpulist(const char *s, unsigned int cpu)
{
	while (*s) {
		char *end;
		unsigned long a = strtoul(s, &end, 10), z = a;

		if (*end == '-')
			z = strtoul(end + 1, &end, 10);
		if (cpu >= a && cpu <= z)
			return true;
		s = *end == ',' ? end + 1 : end + strlen(end);
	}
	return false;
}

static unsigned int list_of_cpu(const struct list *l, unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < l->n && !in_cpulist(l->s[i], cpu); i++)
		;
	return i < l->n ? i : 0;
}

static void put_list(struct buf *b, const struct list *l)
{
	unsigned int i;

	put32(b, l->n);
	for (i = 0; i < l->n; i++)
		put_string(b, l->s[i]);
}

/* One feature section; false when the trace does not have it. */
static bool put_feature(struct buf *b, int feat)
{
	unsigned int i, k;

	switch (feat) {
	case FEAT_TRACING:
		if (!g.nevents || g.no_tracing || g.pipe)
			return false;
		put_tracing(b);
		return true;
	case FEAT_HOSTNAME:
		put_string(b, g.host);
		return true;
	case FEAT_OSRELEASE:
		put_string(b, g.osrelease);
		return true;
	case FEAT_VERSION:
		put_string(b, g.version);
		return true;
	case FEAT_ARCH:
		put_string(b, g.arch);
		return true;
	case FEAT_NRCPUS:
		put32(b, g.ncpus);
		put32(b, g.ncpus);
		return true;
	case FEAT_CPUDESC:
		put_string(b, g.cpudesc);
		return *g.cpudesc;
	case FEAT_CPUID:
		put_string(b, g.cpuid);
		return *g.cpuid;
	case FEAT_CMDLINE:
		put_list(b, &g.cmdline);
		return true;
	case FEAT_EVENT_DESC:
		put32(b, g.nevents + 1);
		put32(b, g.attr_size);
		for (i = 0; i <= g.nevents; i++) {
			put_attr(b, event_at(i));
			put32(b, g.ncpus);
			put_string(b, event_label(event_at(i)));
			for (k = 0; k < g.ncpus; k++)
				put64(b, event_id(event_at(i), (int)k));
		}
		return true;
	case FEAT_CPU_TOPOLOGY:
		put_list(b, &g.sockets);
		put_list(b, &g.siblings);
		for (i = 0; i < g.ncpus; i++) {
			put32(b, list_of_cpu(&g.siblings, i));
			put32(b, list_of_cpu(&g.sockets, i));
		}
		return true;
	case FEAT_NUMA_TOPOLOGY:
		put32(b, g.numa.n);
		for (i = 0; i < g.numa.n; i++) {
			put32(b, i);
			put64(b, 16 << 20); /* kB */
			put64(b, 8 << 20);
			put_string(b, g.numa.s[i]);
		}
		return true;
	case FEAT_SAMPLE_TIME:
		put64(b, g.first_ns);
		put64(b, g.last_ns);
		return true;
	case FEAT_CLOCKID:
		put64(b, 1);
		return g.have_clock;
	case FEAT_DIR_FORMAT:
		put64(b, 1);
		return g.dir;
	case FEAT_COMPRESSED:
		put32(b, 1); /* version, zstd, level, ratio, mmap_len */
		put32(b, 1);
		put32(b, 1);
		put32(b, 4);
		put32(b, 528384);
		return g.ztype;
	case FEAT_CLOCK_DATA:
		put32(b, 1);
		put32(b, g.clockid);
		put64(b, g.wall_ns);
		put64(b, g.clock_ns);
		return g.have_clock;
	}
	return false;
}

/* One stream of records: the data section, or one file of a directory. */
struct stream {
	struct buf out;
	ZSTD_CCtx *z;
};

static void emit_compressed(struct stream *s, const struct buf *in)
{
	char packed[65536];
	size_t at;

	if (!s->z)
		s->z = ZSTD_createCCtx();
	for (at = 0; at < in->n; at += g.zchunk) {
		size_t n = in->n - at < g.zchunk ? in->n - at : g.zchunk, start;
		ZSTD_inBuffer src = { in->p + at, n, 0 };
		ZSTD_outBuffer dst = { packed, sizeof(packed) - 32, 0 };

		if (ZSTD_compressStream2(s->z, &dst, &src, ZSTD_e_flush) != 0 || src.pos != n)
			die("zstd: %zu bytes do not fit into a record", n);
		start = begin_record(&s->out, g.ztype, 0);
		if (g.ztype == RECORD_COMPRESSED2)
			put64(&s->out, dst.pos);
		put_mem(&s->out, packed, dst.pos);
		if (g.ztype == RECORD_COMPRESSED2)
			put_align(&s->out, start, 8);
		end_record(&s->out, start);
	}
}

static void emit(struct stream *s, const struct buf *in)
{
	if (g.ztype)
		emit_compressed(s, in);
	else
		put_mem(&s->out, in->p, in->n);
}

static int by_ring(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->round != y->round)
		return x->round < y->round ? -1 : 1;
	if (!g.by_text && x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->seq < y->seq ? -1 : 1;
}

/* @main gets everything; with --dir each CPU's records go to @rings[cpu] and rounds vanish. */
static void put_data(struct stream *main_stream, struct stream *rings)
{
	struct buf ring = { 0 };
	unsigned int round;
	size_t i = 0, from;

	put_procs(&main_stream->out);
	end_record(&main_stream->out, begin_record(&main_stream->out, RECORD_FINISHED_INIT, 0));
	if (g.nitems)
		qsort(g.items, g.nitems, sizeof(*g.items), by_ring);
	for (round = 0; round <= g.round; round++) {
		while (i < g.nitems && g.items[i].round == round) {
			ring.n = 0;
			for (from = i; i < g.nitems && g.items[i].round == round &&
				       g.items[i].cpu == g.items[from].cpu;
			     i++)
				put_mem(&ring, g.items[i].bytes.p, g.items[i].bytes.n);
			emit(rings ? &rings[g.items[from].cpu] : main_stream, &ring);
		}
		if (!rings)
			end_record(&main_stream->out,
				   begin_record(&main_stream->out, RECORD_FINISHED_ROUND, 0));
	}
	free(ring.p);
}

static void put_id_index(struct buf *b)
{
	size_t start = begin_record(b, RECORD_ID_INDEX, 0);
	unsigned int i, cpu;

	put64(b, (uint64_t)(g.nevents + 1) * g.ncpus);
	for (i = 0; i <= g.nevents; i++) {
		for (cpu = 0; cpu < g.ncpus; cpu++) {
			put64(b, event_id(event_at(i), (int)cpu));
			put64(b, cpu);
			put64(b, cpu);
			put64(b, (uint64_t)-1);
		}
	}
	if (b->n - start > 65535)
		b->n = start; /* perf writes several; nothing needs them */
	else
		end_record(b, start);
}

static void put_pipe(struct buf *b)
{
	unsigned int i, cpu;
	size_t start;
	int feat;

	put64(b, 0x32454c4946524550ull); /* "PERFILE2" */
	put64(b, 16);
	for (i = 0; i <= g.nevents; i++) {
		start = begin_record(b, RECORD_ATTR, 0);
		put_attr(b, event_at(i));
		for (cpu = 0; cpu < g.ncpus; cpu++)
			put64(b, event_id(event_at(i), (int)cpu));
		end_record(b, start);
	}
	for (feat = 1; feat <= FEAT_LAST && !g.no_features; feat++) {
		struct buf one = { 0 };

		if (put_feature(&one, feat) || feat == FEAT_LAST) {
			start = begin_record(b, RECORD_FEATURE, 0);
			put64(b, (uint64_t)feat);
			put_mem(b, one.p, one.n);
			end_record(b, start);
		}
		free(one.p);
	}
	if (g.nevents && !g.no_tracing) {
		struct buf tracing = { 0 };

		put_tracing(&tracing);
		put_align(&tracing, 0, 8);
		start = begin_record(b, RECORD_TRACING_DATA, 0);
		put32(b, tracing.n);
		put32(b, 0);
		end_record(b, start);
		put_mem(b, tracing.p, tracing.n);
		free(tracing.p);
	}
	put_id_index(b);
	for (i = 0; i <= g.nevents; i++) {
		const char *label = event_label(event_at(i));

		start = begin_record(b, RECORD_EVENT_UPDATE, 0);
		put64(b, 2); /* PERF_EVENT_UPDATE__NAME */
		put64(b, event_id(event_at(i), 0));
		put_mem(b, label, strlen(label) + 1);
		put_align(b, start, 8);
		end_record(b, start);
	}
}

/* Header, ids and attrs; returns where the data section's size goes. */
static size_t put_file_start(struct buf *b, uint64_t features)
{
	uint64_t ids_size = 8ull * g.ncpus * (g.nevents + 1);
	uint64_t attrs_size = (uint64_t)(g.attr_size + 16) * (g.nevents + 1);
	unsigned int i, cpu;
	size_t size_at;

	put64(b, 0x32454c4946524550ull);
	put64(b, 104);
	put64(b, g.attr_size + 16);
	put64(b, 104 + ids_size);
	put64(b, attrs_size);
	put64(b, 104 + ids_size + attrs_size);
	size_at = b->n;
	put64(b, 0);
	put64(b, 0); /* event_types */
	put64(b, 0);
	put64(b, features);
	put_zero(b, 24);
	for (i = 0; i <= g.nevents; i++)
		for (cpu = 0; cpu < g.ncpus; cpu++)
			put64(b, event_id(event_at(i), (int)cpu));
	for (i = 0; i <= g.nevents; i++) {
		put_attr(b, event_at(i));
		put64(b, 104 + 8ull * g.ncpus * i);
		put64(b, 8ull * g.ncpus);
	}
	return size_at;
}

static void put_file_end(struct buf *b, struct buf *sections, uint64_t features)
{
	uint64_t at = b->n;
	int feat;

	for (feat = 0; feat < FEAT_LAST; feat++)
		at += features & BIT(feat) ? 16 : 0;
	for (feat = 0; feat < FEAT_LAST; feat++) {
		if (!(features & BIT(feat)))
			continue;
		put64(b, at);
		put64(b, sections[feat].n);
		at += sections[feat].n;
	}
	for (feat = 0; feat < FEAT_LAST; feat++)
		if (features & BIT(feat))
			put_mem(b, sections[feat].p, sections[feat].n);
}

static void save_stream(const char *path, struct stream *s)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "w") : stdout;

	if (!f || (s->out.n && fwrite(s->out.p, 1, s->out.n, f) != s->out.n) || fclose(f))
		die("%s: %s", path, strerror(errno));
	free(s->out.p);
	ZSTD_freeCCtx(s->z);
}

static void write_perf_data(const char *path)
{
	struct stream main_stream = { 0 }, *rings = NULL;
	struct buf sections[FEAT_LAST] = { 0 }, *b = &main_stream.out;
	uint64_t features = 0;
	size_t size_at = 0, data_at;
	char name[1024];
	unsigned int i;
	int feat;

	for (feat = 1; feat < FEAT_LAST && !g.pipe; feat++)
		if (put_feature(&sections[feat], feat))
			features |= BIT(feat);
	if (g.pipe)
		put_pipe(b);
	else
		size_at = put_file_start(b, features);
	data_at = b->n;
	if (!g.pipe)
		put_id_index(b);
	if (g.dir) {
		rings = grow(NULL, g.ncpus, sizeof(*rings));
		memset(rings, 0, g.ncpus * sizeof(*rings));
	}
	put_data(&main_stream, rings);
	if (!g.pipe && !g.kill) {
		set_num(b->p + size_at, b->n - data_at, 8);
		put_file_end(b, sections, features);
	}
	if (g.dir) {
		if (mkdir(path, 0777) && errno != EEXIST)
			die("%s: %s", path, strerror(errno));
		snprintf(name, sizeof(name), "%s/data", path);
		save_stream(name, &main_stream);
	} else {
		save_stream(path, &main_stream);
	}
	for (i = 0; rings && i < g.ncpus; i++) {
		snprintf(name, sizeof(name), "%s/data.%u", path, i);
		save_stream(name, &rings[i]);
	}
	free(rings);
	for (feat = 0; feat < FEAT_LAST; feat++)
		free(sections[feat].p);
}

static void preset_lists(void)
{
	char all[32], one[16];
	unsigned int i;

	snprintf(all, sizeof(all), g.ncpus > 1 ? "0-%u" : "%u", g.ncpus - 1);
	if (!g.numa.n)
		g.numa.s[g.numa.n++] = copy_text(all, strlen(all));
	if (!g.sockets.n)
		g.sockets.s[g.sockets.n++] = copy_text(all, strlen(all));
	for (i = 0; !g.siblings.s[i] && i < g.ncpus && i < MAX_LIST; i++) {
		snprintf(one, sizeof(one), "%u", i);
		g.siblings.s[i] = copy_text(one, strlen(one));
		g.siblings.n = i + 1;
	}
	if (!g.cmdline.n)
		parse_list(&g.cmdline, "perf record -a");
}

int main(int argc, char **argv)
{
	const char *out = NULL, *trace = NULL;
	bool count = false;
	char dir[900], *slash;
	int i;

	for (i = 1; i < argc; i++) {
		const char *a = argv[i], *eq = strchr(a, '=');

		if (!strcmp(a, "--big-endian"))
			g.big = true;
		else if (!strcmp(a, "--pipe"))
			g.pipe = true;
		else if (!strncmp(a, "--zstd", 6)) {
			g.ztype = a[6] == '2' ? RECORD_COMPRESSED2 : RECORD_COMPRESSED;
			g.zchunk = eq ? (unsigned int)atoi(eq + 1) : 301;
		} else if (!strcmp(a, "--dir"))
			g.dir = true;
		else if (!strcmp(a, "--no-tracing"))
			g.no_tracing = true;
		else if (!strcmp(a, "--no-features"))
			g.no_features = true;
		else if (!strcmp(a, "--kill"))
			g.kill = true;
		else if (!strcmp(a, "--count"))
			count = true;
		else if (!strcmp(a, "--long-size") && argv[i + 1])
			g.long_size = (unsigned int)atoi(argv[++i]);
		else if (!strcmp(a, "--attr-size") && argv[i + 1])
			g.attr_size = (unsigned int)atoi(argv[++i]);
		else if (!strcmp(a, "--formats") && argv[i + 1])
			g.formats = argv[++i];
		else if (!strcmp(a, "-o") && argv[i + 1])
			out = argv[++i];
		else if (*a != '-' && !trace)
			trace = a;
		else
			trace = out = NULL, i = argc;
	}
	if (!trace || (!out && !count) || (g.long_size != 4 && g.long_size != 8) ||
	    g.attr_size < 64 || g.attr_size > 4096 ||
	    (g.ztype && (!g.zchunk || g.zchunk > 60000)) || (g.dir && g.pipe)) {
		fputs(usage_text, stderr);
		return 129;
	}
	if (!g.formats) {
		snprintf(dir, sizeof(dir) - 8, "%s", trace);
		slash = strrchr(dir, '/');
		strcpy(slash ? slash + 1 : dir, "formats");
		g.formats = dir;
	}
	parse_trace(trace);
	preset_lists();
	if (count)
		printf("%llu\n", (unsigned long long)g.nsamples);
	if (out)
		write_perf_data(out);
	fini();
	return 0;
}
