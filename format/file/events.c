/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * events.c - the time-ordered walk over all CPUs: a heap of streams, each a chain of
 * one CPU's blocks that follow each other in time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory/map.h"
#include "cdict/stack.h"
#include "format/coding/decode.h"
#include "format/file/ahead.h"
#include "format/file/reader.h"

/* With fewer events the walk ends before a thread has started. */
#define AHEAD_WORTH (64u << 10)

/* With more chains than CHAINS_APART, each with a decoder of some 140 kB, blocks of at most HELD_EVENTS events are
 * decoded as a whole, by one decoder for all chains. */
#define CHAINS_APART 64u
#define HELD_EVENTS 512u
/* Size of a decoder, and limit of all chains: no recorder writes blocks that overlap so much as to exceed it. */
#define DECODER_BYTES ((uint64_t)140 << 10)
#define CHAINS_BYTES ((uint64_t)1 << 30)

/* Limit of the decoders of a fork. */
#define FORK_BYTES ((uint64_t)32 << 20)

/* The events of a block that was decoded as a whole. */
struct held {
	ARRAY(struct held_event {
		struct cdict_event ev;
		uint32_t order;
		size_t values; /* index of its first value */
	})
	events;
	ARRAY(uint64_t) values;
	void *raw, *bytes; /* from the decoder: the events point into them */
	uint64_t size;
};

struct chain {
	uint64_t t_ns; /* of the current event (or its next block's first) */
	uint32_t order, cpu;
	bool open; /* at an event; else at a block that is not read yet */
	struct format_decoder *dec;
	struct held *held; /* of the open block, instead of @dec */
	struct cdict_event ev;
	ARRAY(size_t) blocks;
	size_t next_block;
	uint32_t read; /* events of the open block read so far */
	/* Of block stacks_of, read on demand. */
	uint32_t *stacks;
	int n_stacks; /* -1: not read yet */
	size_t stacks_of;
	uint64_t last_ns; /* end of the last block, while chains are built */
};

struct cdict_events {
	/* Only its thread uses the members below: data that two threads write at every event is kept
	 * in separate cache lines. NULL: the caller walks. */
	struct ahead *ahead;
	char apart[AHEAD_APART];
	struct cdict_reader *r;
	struct cdict_query query;
	struct format_plan *plan;   /* NULL: all fields are wanted */
	bool forked;                /* its decoders use another's memory */
	struct format_decoder *dec; /* of blocks that are held */
	uint64_t chains_bytes;
	ARRAY(struct chain) chains;
	struct chain **heap;
	size_t n_heap;
	struct chain *given;    /* the chain whose event was given last */
	uint64_t next_ns;       /* lower limit of t_ns of the chains below the heap's top */
	struct cdict_error why; /* for the decoder: too large to initialize for every event */
};

static bool wanted_bit(const uint64_t *bits, size_t n, uint32_t i)
{
	return !bits || (i < n && bits[i / 64] >> i % 64 & 1);
}

/* Ties: by the recorder's pass, then by CPU: within a pass it reads its rings in that
 * order. A block that is not read yet comes before any event of its time. */
static bool before(const struct chain *a, const struct chain *b)
{
	if (a->t_ns != b->t_ns)
		return a->t_ns < b->t_ns;
	if (a->open != b->open)
		return !a->open;
	if (a->order != b->order)
		return a->order < b->order;
	return a->cpu != b->cpu ? a->cpu < b->cpu : a < b;
}

static void sink(struct cdict_events *it)
{
	struct chain **heap = it->heap, *c = heap[0];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < it->n_heap) {
		if (child + 1 < it->n_heap && before(heap[child + 1], heap[child]))
			child++;
		if (!before(heap[child], c))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = c;
}

/* Restores the heap after the top has moved on. */
static void settle(struct cdict_events *it)
{
	uint64_t next = UINT64_MAX;

	sink(it);
	for (size_t i = 1; i < it->n_heap && i < 3; i++)
		next = it->heap[i]->t_ns < next ? it->heap[i]->t_ns : next;
	it->next_ns = next;
}

static void rise(struct cdict_events *it, size_t i)
{
	struct chain **heap = it->heap, *c = heap[i];

	for (; i && before(c, heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = c;
}

/* Moves @c to its next block; false if there is none. */
static bool chain_next_block(struct cdict_events *it, struct chain *c)
{
	if (c->next_block == c->blocks.n)
		return false;
	c->open = false;
	c->t_ns = it->r->blocks.at[c->blocks.at[c->next_block]].first_ns;
	return true;
}

static void free_held(struct cdict_events *it, struct chain *c)
{
	if (!c->held)
		return;
	it->chains_bytes -= c->held->size;
	array_fini(&c->held->events);
	array_fini(&c->held->values);
	free(c->held->raw);
	free(c->held->bytes);
	free(c->held);
	c->held = NULL;
}

static int take_room(struct cdict_events *it, uint64_t bytes, struct cdict_error *err)
{
	if (bytes > CHAINS_BYTES + 8 * (uint64_t)it->r->size - it->chains_bytes)
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				  "more blocks overlap in time than can be read at once");
	it->chains_bytes += bytes;
	return 0;
}

/* Decodes all events of block @i, up to a damaged one. */
static int hold(struct cdict_events *it, struct chain *c, size_t i, struct cdict_error *err)
{
	struct held *h = c->held;
	struct cdict_event ev;
	uint32_t order;
	int ret;

	while ((ret = format_decoder_next(it->dec, &ev, &order, &it->why)) > 0) {
		struct held_event e = { .ev = ev, .order = order, .values = h->values.n };

		if (array_reserve(&h->values, h->values.n + ev.type->n_fields) ||
		    array_push(&h->events, e))
			return cdict_fail_nomem(err);
		memcpy(h->values.at + h->values.n, ev.values,
		       ev.type->n_fields * sizeof(*ev.values));
		h->values.n += ev.type->n_fields;
	}
	if (ret < 0)
		reader_block_bad(it->r, i, it->why.text);
	h->size = format_decoder_give(it->dec, &h->raw, &h->bytes) +
		  h->events.cap * sizeof(*h->events.at) + h->values.cap * sizeof(*h->values.at);
	for (size_t k = 0; k < h->events.n; k++)
		h->events.at[k].ev.values = h->values.at + h->events.at[k].values;
	ret = take_room(it, h->size, err);
	if (ret)
		h->size = 0;
	return ret;
}

/* The decoder for @c's next block: its own, or the common one. */
static struct format_decoder *decoder_for(struct cdict_events *it, struct chain *c, size_t i,
					  int *ret, struct cdict_error *err)
{
	bool own = it->chains.n <= CHAINS_APART || it->r->blocks.at[i].events > HELD_EVENTS;
	struct format_decoder **dec = own ? &c->dec : &it->dec;

	*ret = own && !c->dec ? take_room(it, DECODER_BYTES, err) : 0;
	if (!*ret && !*dec)
		*dec = own ? reader_decoder(it->r) : format_decoder_new(it->r->schema);
	if (!*ret && !own && !c->held)
		c->held = calloc(1, sizeof(*c->held));
	if (!*ret && (!*dec || (!own && !c->held)))
		*ret = cdict_fail_nomem(err);
	return *ret ? NULL : *dec;
}

/* Moves @c to its next event of the query (*@ev), or to its next block: 1, 0 at its end, or
 * a negative code. */
static int chain_next(struct cdict_events *it, struct chain *c, struct cdict_event *ev,
		      struct cdict_error *err)
{
	int ret;

	while (1) {
		if (!c->open) {
			size_t i = c->blocks.at[c->next_block++], size;
			const uint8_t *payload;

			struct format_decoder *dec;

			free_held(it, c);
			dec = decoder_for(it, c, i, &ret, err);
			if (!dec)
				return ret;
			format_decoder_use(dec, it->plan);
			ret = reader_block(it->r, i, &payload, &size, &it->why);
			if (!ret) {
				ret = format_decoder_open(dec, payload, size, &it->why);
				if (ret == CDICT_ECORRUPT)
					reader_block_bad(it->r, i, it->why.text);
			}
			if (ret == -ENOMEM)
				return cdict_fail_nomem(err);
			if (ret)
				return chain_next_block(it, c);
			if (c->held) {
				ret = hold(it, c, i, err);
				if (ret)
					return ret;
			}
			c->open = true;
			c->read = 0;
		}
		if (c->held) {
			ret = c->read < c->held->events.n;
			if (ret) {
				*ev = c->held->events.at[c->read].ev;
				c->order = c->held->events.at[c->read].order;
			}
		} else {
			ret = format_decoder_next(c->dec, ev, &c->order, &it->why);
		}
		if (ret < 0)
			reader_block_bad(it->r, c->blocks.at[c->next_block - 1], it->why.text);
		if (ret <= 0)
			return chain_next_block(it, c);
		c->read++;
		if (ev->t_ns < it->query.from_ns) {
			if (it->query.lead)
				it->query.lead(it->query.lead_ctx, ev);
			continue;
		}
		if (ev->t_ns > it->query.to_ns)
			return 0;
		if (!wanted_bit(it->query.types, it->query.n_types, ev->type->index))
			continue;
		c->t_ns = ev->t_ns;
		return 1;
	}
}

/* While chains are built: those of each CPU, as a heap by the end of their last block. */
struct ends {
	struct map of; /* a CPU's index of all */
	ARRAY(struct { ARRAY(uint32_t) heap; }) all;
};

static void ends_fini(struct ends *e)
{
	for (size_t i = 0; i < e->all.n; i++)
		array_fini(&e->all.at[i].heap);
	array_fini(&e->all);
	map_fini(&e->of);
}

/* Restores the heap from its top down with @chain, which now ends later. */
static void ends_sink(const struct cdict_events *it, uint32_t *heap, size_t n, uint32_t chain)
{
	const struct chain *chains = it->chains.at;
	size_t i = 0, child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && chains[heap[child + 1]].last_ns < chains[heap[child]].last_ns)
			child++;
		if (chains[heap[child]].last_ns >= chains[chain].last_ns)
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = chain;
}

/* Appends @b to the chain of its CPU that ends first, if it can follow that, or to a new one. */
static struct chain *chain_for(struct cdict_events *it, struct ends *e,
			       const struct cdict_block_info *b)
{
	uint32_t *of = map_add(&e->of, b->cpu, 0), *heap;
	struct chain *c;
	size_t i;

	if (!of)
		return NULL;
	if (*of == MAP_NEW) {
		if (!array_add(&e->all))
			return NULL;
		*of = (uint32_t)e->all.n - 1;
	}
	heap = e->all.at[*of].heap.at;
	if (e->all.at[*of].heap.n && it->chains.at[heap[0]].last_ns <= b->first_ns) {
		c = &it->chains.at[heap[0]];
		c->last_ns = b->last_ns;
		ends_sink(it, heap, e->all.at[*of].heap.n, heap[0]);
		return c;
	}
	c = array_add(&it->chains);
	if (!c || array_push(&e->all.at[*of].heap, 0))
		return NULL;
	*c = (struct chain){ .cpu = b->cpu, .n_stacks = -1, .last_ns = b->last_ns };
	heap = e->all.at[*of].heap.at;
	for (i = e->all.at[*of].heap.n - 1;
	     i && it->chains.at[heap[(i - 1) / 2]].last_ns > c->last_ns; i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = (uint32_t)(c - it->chains.at);
	return c;
}

static int build(struct cdict_events *it, struct cdict_error *err)
{
	const struct cdict_reader *r = it->r;
	struct ends ends = { 0 };
	bool failed = false;

	for (size_t i = 0; i < r->blocks.n && !failed; i++) {
		const struct cdict_block_info *b = &r->blocks.at[i];
		struct chain *c;

		if (b->last_ns < it->query.from_ns || b->first_ns > it->query.to_ns ||
		    !wanted_bit(it->query.cpus, it->query.n_cpus, b->cpu))
			continue;
		c = chain_for(it, &ends, b);
		failed = !c || array_push(&c->blocks, i);
	}
	ends_fini(&ends);
	if (failed)
		return cdict_fail_nomem(err);
	it->heap = calloc(it->chains.n + 1, sizeof(*it->heap));
	if (!it->heap)
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < it->chains.n; i++)
		if (chain_next_block(it, &it->chains.at[i])) {
			it->heap[it->n_heap] = &it->chains.at[i];
			rise(it, it->n_heap++);
		}
	return 0;
}

static int walk(struct cdict_events *it, struct cdict_event *ev, struct cdict_error *err);

/* The place of the event given last. */
static struct ahead_place place_of(struct cdict_events *it)
{
	const struct chain *c = it->given;

	return c ? (struct ahead_place){ (uint32_t)(c - it->chains.at),
					 (uint32_t)c->blocks.at[c->next_block - 1], c->read }
		 : (struct ahead_place){ 0 };
}

/* Lets another thread walk, if @query asks for it and there are enough events. */
static int look_ahead(struct cdict_events *it, const struct cdict_query *query,
		      struct cdict_error *err)
{
	const struct ahead_options opts = { .schema = it->r->schema,
					    .query = query,
					    .next = walk,
					    .place = it->r->stacks ? place_of : NULL,
					    .it = it,
					    .cpus = it->r->cpus };
	uint64_t events = 0;

	for (size_t i = 0; i < it->chains.n; i++)
		for (size_t k = 0; k < it->chains.at[i].blocks.n; k++)
			events += it->r->blocks.at[it->chains.at[i].blocks.at[k]].events;
	if (query->jobs < 2 || events < AHEAD_WORTH)
		return 0;
	it->ahead = ahead_new(&opts);
	return it->ahead ? 0 : cdict_fail_nomem(err);
}

int cdict_events_open(struct cdict_events **out, struct cdict_reader *r,
		      const struct cdict_query *query, struct cdict_error *err)
{
	struct cdict_events *it = calloc(1, sizeof(*it));
	int ret;

	*out = NULL;
	if (!it)
		return cdict_fail_nomem(err);
	it->r = r;
	if (query)
		it->query = *query;
	if (!it->query.to_ns)
		it->query.to_ns = UINT64_MAX;
	if (it->query.size < sizeof(it->query))
		it->query.lead = NULL; /* older callers have none */
	if (it->query.fields || it->query.types) {
		it->plan = format_plan_new(r->schema, &it->query);
		it->query.fields = NULL; /* the caller's again */
		if (!it->plan) {
			cdict_events_close(it);
			return cdict_fail_nomem(err);
		}
	}
	ret = build(it, err);
	if (!ret && query)
		ret = look_ahead(it, query, err);
	if (ret < 0) {
		cdict_events_close(it);
		return ret;
	}
	*out = it;
	return 0;
}

/* The walk itself. */
static int walk(struct cdict_events *it, struct cdict_event *ev, struct cdict_error *err)
{
	int ret;

	/* The event given last was borrowed until now; a block is only read when all
	 * events before it have been given. */
	while (it->n_heap && (it->given || !it->heap[0]->open)) {
		struct chain *c = it->heap[0];

		it->given = NULL;
		ret = chain_next(it, c, ev, err);
		if (ret < 0)
			return ret;
		if (ret && c->open) {
			/* The next event is often of the same CPU. */
			if (c->t_ns < it->next_ns) {
				it->given = c;
				return 1;
			}
			c->ev = *ev;
		}
		if (!ret)
			it->heap[0] = it->heap[--it->n_heap];
		if (it->n_heap)
			settle(it);
	}
	if (!it->n_heap)
		return 0;
	it->given = it->heap[0];
	*ev = it->given->ev;
	return 1;
}

int cdict_events_next(struct cdict_events *it, struct cdict_event *ev, struct cdict_error *err)
{
	return it->ahead ? ahead_next(it->ahead, ev, err) : walk(it, ev, err);
}

uint32_t cdict_events_stack(struct cdict_events *it)
{
	struct ahead_place at = it->ahead ? ahead_place(it->ahead) : place_of(it);
	struct chain *c;

	if (!at.number || !it->r->stacks)
		return CDICT_NO_STACK;
	c = &it->chains.at[at.chain];
	if (c->n_stacks < 0 || c->stacks_of != at.block) {
		free(c->stacks);
		c->n_stacks = reader_stacks(it->r, at.block, &c->stacks);
		c->stacks_of = at.block;
		if (c->n_stacks < 0)
			return CDICT_NO_STACK;
	}
	return at.number <= (uint32_t)c->n_stacks ? c->stacks[at.number - 1] : CDICT_NO_STACK;
}

static bool may_fork(const struct cdict_events *it)
{
	uint64_t bytes = 0;

	if (it->ahead || it->chains.n > CHAINS_APART)
		return false;
	for (size_t i = 0; i < it->chains.n; i++)
		bytes += it->chains.at[i].open ? format_decoder_size(it->chains.at[i].dec) : 0;
	return bytes <= FORK_BYTES;
}

static int fork_chain(struct chain *to, const struct chain *c, const struct format_plan *plan)
{
	*to = *c;
	to->dec = NULL;
	to->stacks = NULL;
	to->n_stacks = -1;
	memset(&to->blocks, 0, sizeof(to->blocks));
	for (size_t i = 0; i < c->blocks.n; i++)
		if (array_push(&to->blocks, c->blocks.at[i]))
			return -ENOMEM;
	return c->open ? format_decoder_copy(&to->dec, c->dec, plan, &to->ev) : 0;
}

int cdict_events_fork(struct cdict_events **out, const struct cdict_events *it,
		      const struct cdict_query *query, struct cdict_error *err)
{
	struct cdict_events *to;
	int ret = 0;

	*out = NULL;
	if (!may_fork(it))
		return 0;
	to = malloc(sizeof(*to));
	if (!to)
		return cdict_fail_nomem(err);
	*to = *it;
	to->forked = true;
	to->query.lead = NULL;
	to->query.types = query->types;
	to->query.n_types = query->n_types;
	to->plan = format_plan_new(it->r->schema, query);
	memset(&to->chains, 0, sizeof(to->chains));
	to->heap = calloc(it->chains.n + 1, sizeof(*to->heap));
	if (!to->plan || !to->heap || array_reserve(&to->chains, it->chains.n + 1))
		ret = -ENOMEM;
	for (size_t i = 0; i < it->chains.n && !ret; i++)
		ret = fork_chain(array_add(&to->chains), &it->chains.at[i], to->plan);
	if (ret) {
		cdict_events_close(to);
		return ret < 0 ? cdict_fail_nomem(err) : 0;
	}
	for (size_t i = 0; i < it->n_heap; i++)
		to->heap[i] = to->chains.at + (it->heap[i] - it->chains.at);
	if (it->given)
		to->given = to->chains.at + (it->given - it->chains.at);
	*out = to;
	return 0;
}

void cdict_events_close(struct cdict_events *it)
{
	if (!it)
		return;
	ahead_free(it->ahead); /* first: its thread walks */
	for (size_t i = 0; i < it->chains.n; i++) {
		free_held(it, &it->chains.at[i]);
		if (it->forked)
			format_decoder_free(it->chains.at[i].dec);
		else
			reader_decoder_done(it->r, it->chains.at[i].dec);
		array_fini(&it->chains.at[i].blocks);
		free(it->chains.at[i].stacks);
	}
	format_decoder_free(it->dec);
	format_plan_free(it->plan);
	array_fini(&it->chains);
	free(it->heap);
	free(it);
}
