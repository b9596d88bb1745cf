/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples -> batches per CPU -> blocks, written by a thread of its own. */
#include "plugin/intake.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "format/layout.h"
#include "format/writer.h"

/* What waits over all CPUs, and what may be in work: with the encoder some 64 MiB. */
#define WAITING_BYTES_MAX (12u << 20)
#define QUEUE_MAX 2u
/* CPUs beyond this are not believed, as in convert. */
#define CPUS_MAX 8192u
/* How far back the place of a late sample is looked for. */
#define BACK_MAX 4096u

struct item {
	uint64_t t_ns;
	size_t at; /* of the payload in bytes */
	uint32_t size, type, stack, order;
	int32_t pid, tid;
	uint8_t mode;
};

/* What becomes one block. */
struct batch {
	struct batch *next;
	uint32_t cpu;
	struct item *items;
	size_t n, cap;
	struct buf bytes;
	struct buf dict; /* frames and stacks that are new since the batch before */
	bool stacks;     /* some event has one */
};

struct cpu {
	struct batch *batch;
	uint64_t last_ns; /* of the batch */
	uint64_t cut_ns;  /* latest time that was cut */
	struct intake_cpu_counts counts;
};

struct intake {
	struct cdict_writer *w;
	const struct cdict_schema *schema;
	struct stack_dict *stacks;
	struct format_encoder *enc;
	struct cpu *cpus; /* by CPU + 1 */
	size_t n_cpus;
	size_t waiting; /* bytes */
	struct batch *spare;

	pthread_t thread;
	bool running;
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	struct batch *first, *last; /* queue */
	unsigned queued;            /* with the one in work */
	bool stop;
	struct cdict_error failed; /* the thread's; code 0: none */
};

static int no_memory(struct cdict_error *err)
{
	return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
}

static void batch_free(struct batch *b)
{
	if (!b)
		return;
	free(b->items);
	buf_fini(&b->bytes);
	buf_fini(&b->dict);
	free(b);
}

/* --- the thread --- */

static int put_block(struct intake *in, const uint32_t *stacks, size_t n, struct cdict_error *err)
{
	struct buf payload = { 0 };
	struct format_block info;
	int ret;

	if (!format_encoder_events(in->enc))
		return 0;
	ret = format_encoder_finish(in->enc, &payload, &info);
	if (ret)
		cdict_fail(err, ret, CDICT_NO_OFFSET, "out of memory");
	else
		ret = format_writer_put(in->w, payload.data, payload.len, &info, err);
	if (!ret && stacks)
		ret = format_writer_put_stack_events(in->w, stacks, n, err);
	buf_fini(&payload);
	return ret;
}

static void count_bad(struct intake_cpu_counts *c, uint64_t t_ns)
{
	if (!c->bad++ || t_ns < c->bad_first_ns)
		c->bad_first_ns = t_ns;
	if (t_ns > c->bad_last_ns)
		c->bad_last_ns = t_ns;
}

static void count_event(struct intake_cpu_counts *c, uint64_t t_ns)
{
	if (!c->events++ || t_ns < c->first_ns)
		c->first_ns = t_ns;
	if (t_ns > c->last_ns)
		c->last_ns = t_ns;
}

static int encode(struct intake *in, struct batch *b, struct intake_cpu_counts *counts,
		  struct cdict_error *err)
{
	uint32_t *stacks = b->stacks ? malloc(b->n * sizeof(*stacks)) : NULL;
	size_t n = 0; /* events in the encoder */
	int ret = b->stacks && !stacks ? no_memory(err) : 0;

	for (size_t i = 0; i < b->n && !ret; i++) {
		const struct item *it = &b->items[i];
		struct cdict_sample s = { it->t_ns, b->cpu, it->pid, it->tid, it->mode, it->order };
		const uint8_t *raw = b->bytes.data + it->at;

		ret = format_encoder_add(in->enc, &s, it->type, raw, it->size);
		if (ret == CDICT_ELIMIT) {
			ret = put_block(in, stacks, n, err);
			n = 0;
			if (!ret)
				ret = format_encoder_add(in->enc, &s, it->type, raw, it->size);
		}
		if (ret == CDICT_ECORRUPT) {
			count_bad(counts, it->t_ns);
			ret = 0;
			continue;
		}
		if (ret) {
			cdict_fail(err, ret, CDICT_NO_OFFSET, "%s", cdict_strerror(ret));
			break;
		}
		count_event(counts, it->t_ns);
		if (stacks)
			stacks[n] = it->stack;
		n++;
	}
	if (!ret)
		ret = put_block(in, stacks, n, err);
	free(stacks);
	return ret;
}

static int write_batch(struct intake *in, struct batch *b, struct intake_cpu_counts *counts,
		       struct cdict_error *err)
{
	int ret = format_writer_put_stacks(in->w, &b->dict, err);

	return ret ? ret : encode(in, b, counts, err);
}

/* Counts of @b's CPU go to its struct under the lock: the array may move meanwhile. */
static void add_counts(struct intake_cpu_counts *to, const struct intake_cpu_counts *c)
{
	if (c->events && (!to->events || c->first_ns < to->first_ns))
		to->first_ns = c->first_ns;
	if (c->last_ns > to->last_ns)
		to->last_ns = c->last_ns;
	if (c->bad && (!to->bad || c->bad_first_ns < to->bad_first_ns))
		to->bad_first_ns = c->bad_first_ns;
	if (c->bad_last_ns > to->bad_last_ns)
		to->bad_last_ns = c->bad_last_ns;
	to->events += c->events;
	to->bad += c->bad;
}

static void *work(void *arg)
{
	struct intake *in = arg;

	pthread_mutex_lock(&in->lock);
	while (1) {
		struct batch *b = in->first;
		struct intake_cpu_counts counts = { 0 };
		struct cdict_error err = { 0 };
		bool failed = in->failed.code;

		if (!b && in->stop)
			break;
		if (!b) {
			pthread_cond_wait(&in->work, &in->lock);
			continue;
		}
		in->first = b->next;
		if (!in->first)
			in->last = NULL;
		pthread_mutex_unlock(&in->lock);
		if (!failed)
			write_batch(in, b, &counts, &err);
		pthread_mutex_lock(&in->lock);
		if (err.code && !failed)
			in->failed = err;
		add_counts(&in->cpus[b->cpu + 1].counts, &counts);
		in->queued--;
		if (in->spare)
			batch_free(b);
		else
			in->spare = b;
		pthread_cond_signal(&in->done);
	}
	pthread_mutex_unlock(&in->lock);
	return NULL;
}

/* --- perf's thread --- */

int intake_new(struct intake **out, struct cdict_writer *w, const struct cdict_schema *schema,
	       struct stack_dict *stacks, struct cdict_error *err)
{
	struct intake *in = calloc(1, sizeof(*in));
	sigset_t all, old;

	*out = NULL;
	if (!in)
		return no_memory(err);
	in->w = w;
	in->schema = schema;
	in->stacks = stacks;
	pthread_mutex_init(&in->lock, NULL);
	pthread_cond_init(&in->work, NULL);
	pthread_cond_init(&in->done, NULL);
	in->enc = format_encoder_new(schema);
	if (!in->enc) {
		intake_free(in);
		return no_memory(err);
	}
	/* perf's signals are for perf's thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	in->running = !pthread_create(&in->thread, NULL, work, in);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!in->running) {
		intake_free(in);
		return cdict_fail(err, -EAGAIN, CDICT_NO_OFFSET, "no thread can be started");
	}
	*out = in;
	return 0;
}

static int failed(struct intake *in, struct cdict_error *err)
{
	int code;

	pthread_mutex_lock(&in->lock);
	code = in->failed.code;
	if (code)
		*err = in->failed;
	pthread_mutex_unlock(&in->lock);
	return code;
}

static struct cpu *cpu_of(struct intake *in, uint32_t cpu)
{
	size_t i = (size_t)(uint32_t)(cpu + 1), n = in->n_cpus ? in->n_cpus : 16;
	struct cpu *cpus;

	if (i < in->n_cpus)
		return &in->cpus[i];
	while (n <= i)
		n *= 2;
	pthread_mutex_lock(&in->lock);
	cpus = realloc(in->cpus, n * sizeof(*cpus));
	if (cpus) {
		memset(cpus + in->n_cpus, 0, (n - in->n_cpus) * sizeof(*cpus));
		in->cpus = cpus;
		in->n_cpus = n;
	}
	pthread_mutex_unlock(&in->lock);
	return cpus ? &cpus[i] : NULL;
}

static struct batch *batch_new(struct intake *in, uint32_t cpu)
{
	struct batch *b;

	pthread_mutex_lock(&in->lock);
	b = in->spare;
	in->spare = NULL;
	pthread_mutex_unlock(&in->lock);
	if (!b)
		b = calloc(1, sizeof(*b));
	if (b) {
		b->next = NULL;
		b->cpu = cpu;
		b->n = b->bytes.len = b->dict.len = 0;
		b->stacks = false;
	}
	return b;
}

static int cut(struct intake *in, struct cpu *c, struct cdict_error *err)
{
	struct batch *b = c->batch;

	if (!b)
		return 0;
	c->batch = NULL;
	in->waiting -= b->bytes.len;
	if (c->last_ns > c->cut_ns)
		c->cut_ns = c->last_ns;
	stack_dict_take(in->stacks, &b->dict);
	pthread_mutex_lock(&in->lock);
	while (in->queued >= QUEUE_MAX)
		pthread_cond_wait(&in->done, &in->lock);
	if (in->last)
		in->last->next = b;
	else
		in->first = b;
	in->last = b;
	in->queued++;
	pthread_cond_signal(&in->work);
	pthread_mutex_unlock(&in->lock);
	return failed(in, err);
}

/* Moves the last item of @b to its place in time. */
static void settle(struct cpu *c, struct batch *b)
{
	struct item item = b->items[b->n - 1];
	size_t i = b->n - 1, back = 0;

	if (item.t_ns < c->cut_ns) {
		if (!c->counts.late++ || item.t_ns < c->counts.late_first_ns)
			c->counts.late_first_ns = item.t_ns;
		if (item.t_ns > c->counts.late_last_ns)
			c->counts.late_last_ns = item.t_ns;
	} else {
		c->counts.sorted++;
	}
	while (i && b->items[i - 1].t_ns > item.t_ns && ++back < BACK_MAX)
		i--;
	memmove(b->items + i + 1, b->items + i, (b->n - 1 - i) * sizeof(item));
	b->items[i] = item;
}

static struct item *item_new(struct batch *b)
{
	if (b->n == b->cap) {
		size_t cap = b->cap ? b->cap * 2 : 1024;
		struct item *items = realloc(b->items, cap * sizeof(*items));

		if (!items)
			return NULL;
		b->items = items;
		b->cap = cap;
	}
	return &b->items[b->n++];
}

static int cut_most(struct intake *in, struct cdict_error *err)
{
	struct cpu *most = NULL;

	for (size_t i = 0; i < in->n_cpus; i++)
		if (in->cpus[i].batch &&
		    (!most || in->cpus[i].batch->bytes.len > most->batch->bytes.len))
			most = &in->cpus[i];
	return most ? cut(in, most, err) : 0;
}

int intake_add(struct intake *in, const struct intake_sample *s, struct cdict_error *err)
{
	struct cpu *c;
	struct batch *b;
	struct item *it;

	if (s->sample.cpu != CDICT_CPU_UNKNOWN && s->sample.cpu >= CPUS_MAX)
		return CDICT_ECORRUPT;
	c = cpu_of(in, s->sample.cpu);
	if (c && !c->batch)
		c->batch = batch_new(in, s->sample.cpu);
	b = c ? c->batch : NULL;
	it = b ? item_new(b) : NULL;
	if (!it)
		return no_memory(err);
	*it = (struct item){ s->sample.t_ns,  b->bytes.len,  s->raw_size,   s->type,       s->stack,
			     s->sample.order, s->sample.pid, s->sample.tid, s->sample.mode };
	buf_add(&b->bytes, s->raw, s->raw_size);
	if (b->bytes.failed)
		return no_memory(err);
	in->waiting += s->raw_size;
	b->stacks |= s->stack != CDICT_NO_STACK;
	if (b->n > 1 ? s->sample.t_ns < c->last_ns : s->sample.t_ns < c->cut_ns)
		settle(c, b);
	else
		c->last_ns = s->sample.t_ns;
	if (b->n == FORMAT_BLOCK_EVENTS)
		return cut(in, c, err);
	return in->waiting >= WAITING_BYTES_MAX ? cut_most(in, err) : 0;
}

int intake_idle(struct intake *in, struct cdict_error *err)
{
	pthread_mutex_lock(&in->lock);
	while (in->queued)
		pthread_cond_wait(&in->done, &in->lock);
	pthread_mutex_unlock(&in->lock);
	return failed(in, err);
}

static void end_thread(struct intake *in)
{
	if (!in->running)
		return;
	pthread_mutex_lock(&in->lock);
	in->stop = true;
	pthread_cond_signal(&in->work);
	pthread_mutex_unlock(&in->lock);
	pthread_join(in->thread, NULL);
	in->running = false;
}

int intake_finish(struct intake *in, struct cdict_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < in->n_cpus && !ret; i++)
		ret = cut(in, &in->cpus[i], err);
	end_thread(in);
	return ret ? ret : failed(in, err);
}

void intake_free(struct intake *in)
{
	if (!in)
		return;
	end_thread(in);
	for (size_t i = 0; i < in->n_cpus; i++)
		batch_free(in->cpus[i].batch);
	while (in->first) {
		struct batch *b = in->first;

		in->first = b->next;
		batch_free(b);
	}
	batch_free(in->spare);
	free(in->cpus);
	format_encoder_free(in->enc);
	pthread_mutex_destroy(&in->lock);
	pthread_cond_destroy(&in->work);
	pthread_cond_destroy(&in->done);
	free(in);
}

size_t intake_cpus(const struct intake *in)
{
	return in->n_cpus;
}

const struct intake_cpu_counts *intake_counts(const struct intake *in, size_t i)
{
	return &in->cpus[i].counts;
}
