/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace.h - a made-up capture in memory, for the tests of analyze/: events are added in
 * order of time, then walked by an engine.  Test code: failures abort.
 */
#ifndef TESTS_UNIT_TRACE_H
#define TESTS_UNIT_TRACE_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/walk/engine.h"

enum { TRACE_FIELDS = 16 };

struct trace_event {
	struct cdict_event ev;
	uint64_t values[TRACE_FIELDS];
	struct cdict_bytes bytes[TRACE_FIELDS];
	char text[TRACE_FIELDS][16];
	uint32_t stack; /* + 1; 0: none */
};

struct trace {
	struct cdict_schema *schema;
	struct trace_event *events;
	size_t n, cap, at;
	struct cdict_task_event tasks[64];
	struct cdict_loss losses[64];
	size_t n_tasks, n_losses;
	uint32_t cpus;
	uint64_t first_ns, last_ns; /* last_ns 0: of the events */
	bool has_first;
	struct scope scope;
};

/* The formats are those of Linux 6.1 on x86, shortened to the fields that are read. */
static const char *const trace_formats[][2] = {
	{ "sched",
	  "name: sched_switch\nID: 1\nformat:\n"
	  "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:1;\n"
	  "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	  "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	  "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	  "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:1;\n"
	  "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	  "\nprint fmt: \"%s\", (REC->prev_state & 0xff) ? __print_flags(REC->prev_state & 0xff, "
	  "\"|\", { 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000004, \"T\" }, "
	  "{ 0x00000008, \"t\" }, { 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, "
	  "{ 0x00000040, \"P\" }, { 0x00000080, \"I\" }) : \"R\"\n" },
	{ "sched", "name: sched_waking\nID: 2\nformat:\n"
		   "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:1;\n"
		   "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		   "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n" },
	{ "sched", "name: sched_wakeup\nID: 3\nformat:\n"
		   "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:1;\n"
		   "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		   "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n" },
	{ "sched", "name: sched_wakeup_new\nID: 4\nformat:\n"
		   "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:1;\n"
		   "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		   "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n" },
	{ "sched", "name: sched_migrate_task\nID: 5\nformat:\n"
		   "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		   "\tfield:int orig_cpu;\toffset:32;\tsize:4;\tsigned:1;\n"
		   "\tfield:int dest_cpu;\toffset:36;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n" },
	{ "sched", "name: sched_stat_runtime\nID: 6\nformat:\n"
		   "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		   "\tfield:u64 runtime;\toffset:32;\tsize:8;\tsigned:0;\n\nprint fmt: \"\"\n" },
	{ "sched", "name: sched_stat_iowait\nID: 7\nformat:\n"
		   "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		   "\tfield:u64 delay;\toffset:32;\tsize:8;\tsigned:0;\n\nprint fmt: \"\"\n" },
	{ "sched", "name: sched_process_exec\nID: 8\nformat:\n"
		   "\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
		   "\tfield:pid_t old_pid;\toffset:16;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n" },
	{ "kvm",
	  "name: kvm_entry\nID: 20\nformat:\n"
	  "\tfield:unsigned int vcpu_id;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n" },
	{ "kvm",
	  "name: kvm_exit\nID: 21\nformat:\n"
	  "\tfield:unsigned int exit_reason;\toffset:8;\tsize:4;\tsigned:0;\n"
	  "\tfield:u32 isa;\toffset:24;\tsize:4;\tsigned:0;\n"
	  "\tfield:unsigned int vcpu_id;\toffset:56;\tsize:4;\tsigned:0;\n"
	  "\nprint fmt: \"reason %s\", (REC->isa == 1) ? __print_symbolic(REC->exit_reason & "
	  "0xffff, { 1, \"EXTERNAL_INTERRUPT\" }, { 10, \"CPUID\" }, { 12, \"HLT\" }, { 30, "
	  "\"IO_INSTRUCTION\" }) : __print_symbolic(REC->exit_reason, { 0x060, \"interrupt\" }, "
	  "{ 0x072, \"cpuid\" }, { 0x078, \"hlt\" }, { 0x07b, \"io\" })\n" },
	{ "kvm", "name: kvm_userspace_exit\nID: 22\nformat:\n"
		 "\tfield:__u32 reason;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n" },
	{ "kvm",
	  "name: kvm_pio\nID: 23\nformat:\n"
	  "\tfield:unsigned int rw;\toffset:8;\tsize:4;\tsigned:0;\n"
	  "\tfield:unsigned int port;\toffset:12;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n" },
	{ "kvm", "name: kvm_mmio\nID: 24\nformat:\n"
		 "\tfield:u32 type;\toffset:8;\tsize:4;\tsigned:0;\n"
		 "\tfield:u64 gpa;\toffset:16;\tsize:8;\tsigned:0;\n\nprint fmt: \"\"\n" },
	{ "kvm", "name: kvm_msr\nID: 25\nformat:\n"
		 "\tfield:unsigned write;\toffset:8;\tsize:4;\tsigned:0;\n"
		 "\tfield:u32 ecx;\toffset:12;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n" },
	{ "kvm",
	  "name: kvm_inj_virq\nID: 26\nformat:\n"
	  "\tfield:unsigned int vector;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n" },
};

#define TRACE_R 0
#define TRACE_S 1
#define TRACE_D 2
#define TRACE_Z 32
#define TRACE_R_PLUS 256
#define TRACE_HLT 12 /* VMX */
#define TRACE_CPUID 10
#define TRACE_EXTINT 1
#define TRACE_IO 30

static inline void trace_must(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "trace.h: %s\n", what);
		abort();
	}
}

/* trace_init_without - leaves out the types in @without ("kvm_entry sched_waking"), as
 * if they had not been recorded. */
static inline void trace_init_without(struct trace *tr, uint32_t cpus, const char *without)
{
	memset(tr, 0, sizeof(*tr));
	tr->cpus = cpus;
	tr->schema = cdict_schema_new(false, 8, 4096);
	trace_must(tr->schema, "cdict_schema_new");
	for (size_t i = 0; i < sizeof(trace_formats) / sizeof(trace_formats[0]); i++) {
		const char *text = trace_formats[i][1];
		struct cdict_error err = { 0 };
		char name[64];
		int ret;

		trace_must(sscanf(text, "name: %63s", name) == 1, "name");
		if (*without && strstr(without, name))
			continue;
		ret = cdict_schema_add(tr->schema, trace_formats[i][0], text, strlen(text), &err);
		trace_must(ret >= 0, err.text);
	}
}

static inline void trace_init(struct trace *tr, uint32_t cpus)
{
	trace_init_without(tr, cpus, "");
}

static inline void trace_fini(struct trace *tr)
{
	cdict_schema_free(tr->schema);
	free(tr->events);
}

/* trace_add - pairs of field name and value (uint64_t, or char * for text), then NULL. */
static inline struct trace_event *trace_add(struct trace *tr, uint64_t t, uint32_t cpu, int32_t tid,
					    const char *type, ...)
{
	struct trace_event *e;
	const char *name;
	va_list ap;

	if (tr->n == tr->cap) {
		tr->cap = tr->cap ? 2 * tr->cap : 64;
		tr->events = realloc(tr->events, tr->cap * sizeof(*tr->events));
		trace_must(tr->events, "realloc");
	}
	e = &tr->events[tr->n++];
	memset(e, 0, sizeof(*e));
	e->ev.t_ns = t;
	e->ev.cpu = cpu;
	e->ev.tid = tid;
	e->ev.pid = tid;
	e->ev.mode = CDICT_MODE_KERNEL;
	e->ev.type = cdict_schema_find(tr->schema, type);
	trace_must(e->ev.type && e->ev.type->n_fields <= TRACE_FIELDS, type);
	for (size_t i = 0; i < e->ev.type->n_fields; i++)
		if (e->ev.type->fields[i].kind > CDICT_FIELD_INT)
			e->values[i] = i;
	va_start(ap, type);
	while ((name = va_arg(ap, const char *))) {
		int i = cdict_event_type_field(e->ev.type, name);

		trace_must(i >= 0, name);
		if (e->ev.type->fields[i].kind > CDICT_FIELD_INT) {
			const char *text = va_arg(ap, const char *);

			e->bytes[i].len = strlen(text);
			memcpy(e->text[i], text, e->bytes[i].len);
		} else {
			e->values[i] = va_arg(ap, uint64_t);
		}
	}
	va_end(ap);
	if (t > tr->last_ns)
		tr->last_ns = t;
	if (!tr->has_first) {
		tr->has_first = true;
		tr->first_ns = t;
	}
	return e;
}

static inline void trace_switch(struct trace *tr, uint64_t t, uint32_t cpu, int32_t prev,
				uint64_t state, int32_t next)
{
	trace_add(tr, t, cpu, prev, "sched:sched_switch", "prev_pid", (uint64_t)(int64_t)prev,
		  "next_pid", (uint64_t)(int64_t)next, "prev_state", state, NULL);
}

static inline void trace_waking(struct trace *tr, uint64_t t, uint32_t cpu, int32_t waker,
				int32_t wakee, uint32_t target)
{
	trace_add(tr, t, cpu, waker, "sched:sched_waking", "pid", (uint64_t)wakee, "target_cpu",
		  (uint64_t)target, NULL);
}

static inline void trace_entry(struct trace *tr, uint64_t t, uint32_t cpu, int32_t tid)
{
	trace_add(tr, t, cpu, tid, "kvm:kvm_entry", NULL);
}

static inline void trace_exit(struct trace *tr, uint64_t t, uint32_t cpu, int32_t tid,
			      uint64_t reason)
{
	trace_add(tr, t, cpu, tid, "kvm:kvm_exit", "exit_reason", reason, "isa", (uint64_t)1, NULL);
}

static inline void trace_task(struct trace *tr, uint64_t t, enum cdict_task_what what, int32_t pid,
			      int32_t tid, const char *comm)
{
	trace_must(tr->n_tasks < 64, "too many task records");
	tr->tasks[tr->n_tasks++] = (struct cdict_task_event){
		.t_ns = t, .what = what, .pid = pid, .tid = tid, .ppid = -1, .ptid = -1, .comm = comm
	};
}

static inline void trace_loss(struct trace *tr, uint32_t cpu, uint64_t from, uint64_t to)
{
	trace_must(tr->n_losses < 64, "too many losses");
	tr->losses[tr->n_losses++] = (struct cdict_loss){ .what = CDICT_LOSS_RING,
							  .cpu = cpu,
							  .type = CDICT_TYPE_ANY,
							  .from_ns = from,
							  .to_ns = to,
							  .count = 10 };
}

static inline int trace_rewind(void *ctx, struct cdict_error *err)
{
	(void)err;
	((struct trace *)ctx)->at = 0;
	return 0;
}

static inline int trace_next(void *ctx, struct cdict_event *ev, struct cdict_error *err)
{
	struct trace *tr = ctx;
	struct trace_event *e;

	(void)err;
	if (tr->at == tr->n)
		return 0;
	e = &tr->events[tr->at++];
	for (size_t i = 0; i < TRACE_FIELDS; i++)
		e->bytes[i].data = (const uint8_t *)e->text[i];
	e->ev.values = e->values;
	e->ev.bytes = e->bytes;
	*ev = e->ev;
	return 1;
}

static inline uint32_t trace_stack(void *ctx)
{
	const struct trace *tr = ctx;

	return tr->at ? tr->events[tr->at - 1].stack - 1 : UINT32_MAX;
}

static inline const struct cdict_task_event *trace_task_at(void *ctx, size_t i)
{
	return &((struct trace *)ctx)->tasks[i];
}

static inline const struct cdict_loss *trace_loss_at(void *ctx, size_t i)
{
	return &((struct trace *)ctx)->losses[i];
}

/* trace_run - walks it from the start; may be repeated with another engine. */
static inline void trace_run(struct trace *tr, struct analyze_engine *eng)
{
	struct analyze_source src = { .schema = tr->schema,
				      .ctx = tr,
				      .next = trace_next,
				      .rewind = trace_rewind,
				      .first_ns = tr->first_ns,
				      .last_ns = tr->last_ns,
				      .cpus = tr->cpus,
				      .scope = tr->scope,
				      .n_tasks = tr->n_tasks,
				      .n_losses = tr->n_losses,
				      .task_at = trace_task_at,
				      .loss_at = trace_loss_at,
				      .stack = trace_stack };
	struct cdict_error err = { 0 };

	tr->at = 0;
	trace_must(!analyze_engine_run(eng, &src, &err), err.text);
}

static inline struct analyze_engine *trace_engine(const struct analyze_options *opts)
{
	struct analyze_engine *eng;

	trace_must(!analyze_engine_new(&eng, opts, NULL), "analyze_engine_new");
	return eng;
}

#endif
