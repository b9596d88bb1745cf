/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples by program, event and function. */
#include "query/fleet/figures/functions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/walk/comms.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"
#include "base/saturate.h"
#include "cdict/stack.h"
#include "tables/columns/tables.h"

enum { IN_UNKNOWN = 0, IN_USER, IN_KERNEL };

struct function {
	const char *name;
	uint32_t in;
};

struct samples {
	const char *program;
	uint32_t function, type;
	uint64_t count, events;
};

struct counting {
	struct cdict_reader *reader;
	struct analyze_engine *eng;
	struct comms comms;
	struct stringset texts;
	ARRAY(struct function) functions;
	ARRAY(struct samples) all;
	struct map function_at, samples_at;
	bool failed; /* out of memory */
};

const char *fleet_function_in(const struct fleet_key *key)
{
	return key->isa == IN_USER ? "user" : key->isa == IN_KERNEL ? "kernel" : "";
}

static uint32_t mode_of(const struct cdict_frame *frame)
{
	switch ((enum cdict_mode)frame->mode) {
	case CDICT_MODE_KERNEL:
	case CDICT_MODE_HYPERVISOR:
	case CDICT_MODE_GUEST_KERNEL:
		return IN_KERNEL;
	case CDICT_MODE_USER:
	case CDICT_MODE_GUEST_USER:
		return IN_USER;
	case CDICT_MODE_UNKNOWN:
		break;
	}
	return IN_UNKNOWN;
}

/* A name beyond the limit ends with its hash (FNV-1a). */
static const char *bounded(struct counting *c, const char *name, size_t len)
{
	char text[FLEET_FUNCTION_BYTES + 1];
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	size_t kept = FLEET_FUNCTION_BYTES - 17;

	if (len <= FLEET_FUNCTION_BYTES)
		return stringset_add(&c->texts, name, len);
	for (size_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)name[i]) * UINT64_C(0x100000001b3);
	/* not within a character of UTF-8 */
	while (kept && ((uint8_t)name[kept] & 0xc0) == 0x80)
		kept--;
	snprintf(text, sizeof(text), "%.*s~%016" PRIx64, (int)kept, name, h);
	return stringset_add(&c->texts, text, strlen(text));
}

/* A frame without a symbol is named by its object file, as in a flame graph. */
static const char *name_of(struct counting *c, const struct cdict_frame *frame)
{
	const char *object = frame->object, *slash = strrchr(object, '/');
	char text[300];
	int n;

	if (*frame->symbol)
		return bounded(c, frame->symbol, strlen(frame->symbol));
	if (*object != '[' && slash && slash[1])
		object = slash + 1;
	n = *object == '[' ? snprintf(text, sizeof(text), "%.280s", object)
			   : snprintf(text, sizeof(text), "[%.280s]", *object ? object : "unknown");
	return stringset_add(&c->texts, text, (size_t)n);
}

/* The index of the function at the top of @stack; NULL: out of memory. */
static uint32_t *function_of(struct counting *c, uint32_t stack)
{
	struct function f = { .name = NULL };
	const uint32_t *frames;
	uint32_t *at;

	if (stack != CDICT_NO_STACK && cdict_reader_stack_at(c->reader, stack, &frames)) {
		const struct cdict_frame *top = cdict_reader_frame_at(c->reader, frames[0]);

		f = (struct function){ name_of(c, top), mode_of(top) };
	} else {
		f.name = stringset_add(&c->texts, "[unknown]", strlen("[unknown]"));
	}
	at = f.name ? map_add(&c->function_at, (uintptr_t)f.name, f.in) : NULL;
	if (at && *at == MAP_NEW) {
		if (array_push(&c->functions, f))
			return NULL;
		*at = (uint32_t)c->functions.n - 1;
	}
	return at;
}

/* The program as it is called at this moment: a forked task that runs no other one has its parent's
 * name. */
static const char *program_of(struct counting *c, const struct analyze_sample *s)
{
	const struct analyze_task *t = analyze_engine_task(c->eng, s->task);
	const char *comm;

	if (comms_at(&c->comms, t->tid, s->t_ns, &comm))
		return NULL;
	if (!comm)
		comm = *t->comm ? t->comm : "[unknown]";
	return stringset_add(&c->texts, comm, strlen(comm));
}

static void on_sample(void *self, const struct analyze_sample *s)
{
	struct counting *c = self;
	const char *program;
	uint32_t *function, *at = NULL;

	if (!s->in || c->failed)
		return;
	program = program_of(c, s);
	function = program ? function_of(c, analyze_engine_stack(c->eng)) : NULL;
	if (function)
		at = map_add(&c->samples_at, (uintptr_t)program,
			     (uint64_t)s->type << 32 | *function);
	c->failed = !at;
	if (at && *at == MAP_NEW) {
		*at = (uint32_t)c->all.n;
		c->failed = array_push(&c->all, (struct samples){ .program = program,
								  .function = *function,
								  .type = s->type }) != 0;
	}
	if (c->failed)
		return;
	c->all.at[*at].count++;
	saturated_add(&c->all.at[*at].events, s->period);
}

static const struct analyze_ops ops = { .needs = ANALYZE_NEED(SAMPLE), .sample = on_sample };

static int most_first(const void *a, const void *b)
{
	const struct samples *x = a, *y = b;

	if (x->events != y->events)
		return x->events < y->events ? 1 : -1;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	return strcmp(x->program, y->program);
}

static int add_row(struct fleet_rows *rows, const struct counting *c, const struct samples *s,
		   bool rest, struct cdict_error *err)
{
	const struct function *f = &c->functions.at[s->function];
	const struct fleet_key key = {
		.name = rest ? FLEET_FUNCTIONS_REST : s->program,
		.vm = rest ? FLEET_FUNCTIONS_REST : f->name,
		.reason = cdict_schema_at(cdict_reader_schema(c->reader), s->type)->event,
		.isa = rest ? IN_UNKNOWN : f->in,
		.vcpu = -1
	};
	union fleet_any any;

	memset(&any, 0, sizeof(any));
	any.function =
		(struct fleet_function_row){ .value = s->events, .samples = s->count, .runs = 1 };
	return fleet_rows_add(rows, FLEET_FUNCTIONS, &key, &any, false, 0, err);
}

int fleet_functions_add(struct fleet_rows *rows, struct cdict_reader *r, struct cdict_error *err)
{
	const struct tables_options opts = { .jobs = 1 };
	struct counting c = { .reader = r };
	struct tables_walk w = { 0 };
	int rc = tables_walk_init(&w, r, &opts, err);

	c.eng = w.eng;
	rc = rc ? rc : comms_init(&c.comms, r, err);
	rc = rc ? rc : analyze_engine_add(w.eng, &ops, &c, err);
	rc = rc ? rc : tables_walk_run(&w, err);
	if (!rc && c.failed)
		rc = cdict_fail_nomem(err);
	if (!rc && c.all.n)
		qsort(c.all.at, c.all.n, sizeof(*c.all.at), most_first);
	for (size_t i = 0; i < c.all.n && !rc; i++)
		rc = add_row(rows, &c, &c.all.at[i], i >= FLEET_FUNCTIONS_MOST, err);
	tables_walk_fini(&w);
	comms_fini(&c.comms);
	array_fini(&c.functions);
	array_fini(&c.all);
	map_fini(&c.function_at);
	map_fini(&c.samples_at);
	stringset_fini(&c.texts);
	return rc;
}
