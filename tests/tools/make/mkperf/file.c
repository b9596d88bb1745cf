// SPDX-License-Identifier: GPL-2.0-only
/* file.c - the perf.data around the records: attrs, formats, features, and its three shapes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#include "tests/tools/make/mkperf/mkperf.h"

#define REGS_MASK 0x7ull /* three registers */

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

void write_perf_data(const char *path)
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
