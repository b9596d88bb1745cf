/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks whether the samples of a recording fit the formats lent to it. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "convert/lent_internal.h"

/* The kernel's struct is padded to a multiple of 8 at most, and so is the payload with its u32
 * size. */
#define PADDING_MAX 14u

/* The end of the data that @f refers to; @end if it refers to none; UINT32_MAX: outside the
 * payload. */
static uint32_t field_end(const struct cdict_field *f, const uint8_t *raw, uint32_t size, bool big,
			  uint32_t end)
{
	uint32_t loc, at, len;

	if (f->kind != CDICT_FIELD_DATA_LOC && f->kind != CDICT_FIELD_REL_LOC)
		return end;
	loc = load32(raw + f->offset, big);
	at = (loc & 0xffff) + (f->kind == CDICT_FIELD_REL_LOC ? f->offset + f->size : 0);
	len = loc >> 16;
	if (!len)
		return end;
	if (at > size || len > size - at)
		return UINT32_MAX;
	return at + len > end ? at + len : end;
}

/* A task's name always ends with a NUL. */
static bool name_ends(const struct cdict_field *f, const uint8_t *raw)
{
	size_t n = strlen(f->name);

	if (f->kind != CDICT_FIELD_BYTES || !f->is_text || f->size != 16 || n < 4 ||
	    strcmp(f->name + n - 4, "comm") != 0)
		return true;
	return memchr(raw + f->offset, 0, f->size);
}

bool lent_fits(const struct cdict_event_type *type, const uint8_t *raw, uint32_t size, bool big)
{
	uint32_t end = type->payload_size;

	if (size < end)
		return false;
	for (size_t i = 0; i < type->n_fields; i++) {
		const struct cdict_field *f = &type->fields[i];

		end = field_end(f, raw, size, big, end);
		if (end == UINT32_MAX || !name_ends(f, raw))
			return false;
		if (f->size == 2 && !strcmp(f->name, "common_type") &&
		    load16(raw + f->offset, big) != (uint16_t)type->tracepoint)
			return false;
	}
	return size - end <= PADDING_MAX;
}

/* Finds or adds the entry of the event, and looks up its type. */
static struct lent_event *event_at(struct lent_survey *s, struct lent *l, const struct perfdata *pd,
				   size_t i, struct cdict_error *err)
{
	while (s->events.n <= i) {
		const struct perfdata_event *ev = perfdata_event_at(pd, s->events.n);
		struct lent_event *e = array_add(&s->events);

		if (!e) {
			cdict_fail_nomem(err);
			return NULL;
		}
		e->id = ev->config;
		e->tracepoint = ev->attr_type == PERF_TYPE_TRACEPOINT && ev->layout.has_raw;
		e->own = perfdata_format(pd, ev);
		if (e->tracepoint && !e->own && lent_type(l, e->id, &e->type, err) < 0)
			return NULL;
	}
	return &s->events.at[i];
}

static int take_sample(struct lent_survey *s, struct lent *l, const struct perfdata *pd,
		       const struct perfdata_record *rec, struct cdict_error *err)
{
	int i = perfdata_event_of(pd, rec);
	struct perfdata_sample sample;
	struct lent_event *e;

	if (i < 0)
		return 0;
	e = event_at(s, l, pd, (size_t)i, err);
	if (!e)
		return -ENOMEM;
	if (!e->tracepoint || e->own ||
	    perfdata_sample(pd, perfdata_event_at(pd, (size_t)i), rec, &sample) < 0 || !sample.raw)
		return 0;
	if (sample.time && (!s->first_ns || sample.time < s->first_ns))
		s->first_ns = sample.time;
	if (sample.time > s->last_ns)
		s->last_ns = sample.time;
	e->samples++;
	if (!e->type)
		return 0;
	s->samples++;
	if (lent_fits(e->type, sample.raw, sample.raw_size, s->big))
		return 0;
	s->misfits++;
	if (!e->misfits++)
		e->misfit_size = sample.raw_size;
	return 0;
}

int lent_survey_events(struct lent_survey *s, struct lent *l, const struct perfdata *pd,
		       struct cdict_error *err)
{
	size_t n = perfdata_event_count(pd);

	return !n || event_at(s, l, pd, n - 1, err) ? 0 : -ENOMEM;
}

/* Gets the release from "/lib/modules/6.1.0-51-amd64/kernel/fs/ext4.ko". */
static void take_release(struct lent_survey *s, const char *path)
{
	static const char *const roots[] = { "/lib/modules/", "/usr/lib/modules/" };

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		size_t n = strlen(roots[i]), len;

		if (strncmp(path, roots[i], n) != 0)
			continue;
		len = strcspn(path + n, "/");
		if (path[n + len] && len < sizeof(s->release))
			snprintf(s->release, sizeof(s->release), "%.*s", (int)len, path + n);
	}
}

static void take_mmap(struct lent_survey *s, const struct perfdata_record *rec)
{
	static const char kernel[] = "[kernel.kallsyms]";
	struct cursor c = cursor_init(rec->data + 8, rec->size - 8, s->big);
	uint64_t start, len, offset;
	const char *name;

	if ((rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL)
		return;
	cursor_skip(&c, 8); /* pid, tid */
	start = cursor_u64(&c);
	len = cursor_u64(&c);
	offset = cursor_u64(&c);
	if (rec->type == 10) /* MMAP2: device, inode or build id; protection, flags */
		cursor_skip(&c, 32);
	name = cursor_text(&c, NULL);
	if (!cursor_ok(&c))
		return;
	take_release(s, name);
	if (strncmp(name, kernel, sizeof(kernel) - 1) || s->symbol[0] || !start)
		return;
	snprintf(s->symbol, sizeof(s->symbol), "%.31s", name + sizeof(kernel) - 1);
	s->text_at = offset;
	s->text_from = start;
	s->text_to = start + len;
}

int lent_survey(struct lent_survey *s, struct lent *l, struct perfdata *pd, struct cdict_error *err)
{
	struct perfdata_record rec;
	int ret;

	*s = (struct lent_survey){ .big = perfdata_big_endian(pd) };
	while ((ret = perfdata_next(pd, &rec, err)) > 0) {
		if (rec.type == PERF_RECORD_SAMPLE)
			ret = take_sample(s, l, pd, &rec, err);
		else if (rec.type == PERF_RECORD_MMAP || rec.type == PERF_RECORD_MMAP2)
			take_mmap(s, &rec);
		if (ret < 0)
			break;
	}
	return ret ? ret : lent_survey_events(s, l, pd, err); /* adds those without samples */
}

void lent_survey_fini(struct lent_survey *s)
{
	array_fini(&s->events);
}
