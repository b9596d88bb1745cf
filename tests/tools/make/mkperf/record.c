// SPDX-License-Identifier: GPL-2.0-only
/* record.c - samples and the other records, from the words of their lines. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tools/make/mkperf/mkperf.h"

#define HAS(x) (st & BIT(S_##x))

/* Two runs of fields that samples of type @st and the trailers of other records have alike. */
static void put_tid_time(struct buf *b, uint64_t st, const struct at *at)
{
	if (HAS(TID)) {
		put32(b, at->pid);
		put32(b, at->tid);
	}
	if (HAS(TIME))
		put64(b, at->t_ns);
}

static void put_id_cpu(struct buf *b, uint64_t st, const struct at *at, uint64_t id)
{
	if (HAS(ID))
		put64(b, id);
	if (HAS(STREAM))
		put64(b, id);
	if (HAS(CPU)) {
		put32(b, (uint64_t)at->cpu);
		put32(b, 0);
	}
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

	if (HAS(IDENTIFIER))
		put64(b, id);
	if (HAS(IP))
		put64(b, ip);
	put_tid_time(b, st, at);
	if (HAS(ADDR))
		put64(b, 0xadd0);
	put_id_cpu(b, st, at, id);
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

/* sample_id_all: the fields after every record that is not a sample. */
static void put_sample_id(struct buf *b, const struct event *e, const struct at *at, uint64_t id)
{
	uint64_t st = e->sample_type;

	put_tid_time(b, st, at);
	put_id_cpu(b, st, at, id);
	if (HAS(IDENTIFIER))
		put64(b, id);
#undef HAS
}

void parse_sample(struct event *e, const struct at *at, const char *p, struct buf *b)
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
				die("'%s' is not a flag", w);
			continue;
		}
		if (!value)
			die("'%s' is not FIELD=VALUE", w);
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

static void inherit_comm(const uint32_t ids[4])
{
	const struct task *parent = find_task(ids[3]);
	char comm[17] = "";

	if (parent)
		memcpy(comm, parent->comm, sizeof(comm));
	set_task(ids[0], ids[1], comm);
}

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

void parse_proc(const char *p)
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
void put_procs(struct buf *b)
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
			die("'%s' is not hex", p);
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

void parse_record(const char *word, const struct at *at, const char *p, struct buf *b)
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
	} else if (!strcmp(word, "CGROUP")) {
		uint64_t cgroup = need_number(need_word(&p, "ID"), word);

		w = word_text(need_word(&p, "PATH"), &n);
		start = begin_record(b, RECORD_CGROUP, 0);
		put64(b, cgroup);
		put_mem(b, w, n);
		put_zero(b, 1);
		put_align(b, start, 8);
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
