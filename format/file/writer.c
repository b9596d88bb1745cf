/* SPDX-License-Identifier: LGPL-2.1-only */
/* Writing the file, front to back. */
#include "format/file/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "format/digest.h"
#include "format/file/container.h"
#include "format/file/stacks.h"
#include "format/labels/labels.h"

/* Rows collected before they are written as a block. */
#define ROWS_MAX 8192u

struct cpu_encoder {
	uint32_t cpu;
	struct format_encoder *enc;
};

struct cdict_writer {
	cdict_write_fn fn;
	void *ctx;
	struct codec *codec;
	const struct cdict_schema *schema;
	size_t schema_written;
	uint64_t offset;
	uint32_t ordinal;
	struct buf index;
	uint64_t index_ns;
	struct buf info, losses, unstored, packed;
	uint32_t n_losses;
	bool hold;
	struct task_rows tasks;
	struct label_rows labels;
	struct buf label_blocks; /* packed, waiting */
	struct buf stack_blocks; /* the same, of STEV */
	uint32_t n_labels;
	ARRAY(struct cpu_encoder) cpus;
	struct digest_book digests;
	struct cdict_error failed;
};

static int fail_for_good(struct cdict_writer *w, int code, struct cdict_error *err)
{
	if (!w->failed.code)
		cdict_fail(&w->failed, code, CDICT_NO_OFFSET, "%s", cdict_strerror(code));
	if (err)
		*err = w->failed;
	return w->failed.code;
}

static int put_bytes(struct cdict_writer *w, const void *data, size_t size, struct cdict_error *err)
{
	int ret;

	if (w->failed.code)
		return fail_for_good(w, w->failed.code, err);
	ret = w->fn(w->ctx, data, size);
	if (ret < 0)
		return fail_for_good(w, ret, err);
	w->offset += size;
	return 0;
}

static int put_block(struct cdict_writer *w, uint32_t type, const void *payload, size_t size,
		     const struct format_block *events, struct cdict_error *err)
{
	uint8_t header[FORMAT_BLOCK_HEADER_SIZE];
	struct index_row row = { .type = type, .size = size + sizeof(header) };
	struct container_header h = { type, (uint32_t)size, w->ordinal, codec_crc(payload, size) };
	int ret;

	if (size > FORMAT_BLOCK_MAX)
		return fail_for_good(w, CDICT_ELIMIT, err);
	container_header_write(header, &h);
	ret = put_bytes(w, header, sizeof(header), err);
	if (!ret)
		ret = put_bytes(w, payload, size, err);
	if (ret)
		return ret;
	w->ordinal++;
	if (events)
		row.events = *events;
	index_row_write(&w->index, &row, &w->index_ns);
	return w->index.failed ? fail_for_good(w, -ENOMEM, err) : 0;
}

/* Packs @raw and empties it: writes a block or, unless @later is NULL, appends u32 type,
 * u32 size and the payload to @later. */
static int put_packed(struct cdict_writer *w, uint32_t type, struct buf *raw, struct buf *later,
		      struct cdict_error *err)
{
	w->packed.len = 0;
	container_pack(w->codec, raw, &w->packed);
	if (raw->failed || w->packed.failed)
		return fail_for_good(w, -ENOMEM, err);
	raw->len = 0;
	if (!later)
		return put_block(w, type, w->packed.data, w->packed.len, NULL, err);
	buf_le32(later, type);
	buf_le32(later, (uint32_t)w->packed.len);
	buf_add(later, w->packed.data, w->packed.len);
	return later->failed ? fail_for_good(w, -ENOMEM, err) : 0;
}

static int pack_labels(struct cdict_writer *w, struct cdict_error *err)
{
	int ret = 0;

	if (w->labels.n)
		ret = put_packed(w, FORMAT_LABELS, &w->labels.out, &w->label_blocks, err);
	label_rows_reset(&w->labels);
	return ret;
}

static int flush_labels(struct cdict_writer *w, struct cdict_error *err)
{
	int ret = pack_labels(w, err);

	if (!ret)
		ret = format_writer_put_rows(w, &w->label_blocks, err);
	w->label_blocks.len = 0;
	return ret;
}

static int flush_but_labels(struct cdict_writer *w, struct cdict_error *err)
{
	int ret = 0;

	if (w->info.len || w->info.failed)
		ret = put_packed(w, FORMAT_INFO, &w->info, NULL, err);
	if (!ret && w->schema && w->schema_written < w->schema->types.n) {
		struct buf raw = { 0 };

		format_schema_write(w->schema, w->schema_written, &raw);
		w->schema_written = w->schema->types.n;
		ret = put_packed(w, FORMAT_SCHEMA, &raw, NULL, err);
		buf_fini(&raw);
	}
	if (!ret && w->tasks.n) {
		ret = put_packed(w, FORMAT_TASKS, &w->tasks.out, NULL, err);
		task_rows_reset(&w->tasks);
	}
	if (!ret && w->n_losses) {
		ret = put_packed(w, FORMAT_LOSSES, &w->losses, NULL, err);
		w->n_losses = 0;
	}
	return ret;
}

/* All waiting rows are written before the next block of events, so that a recording that is
 * cut there has them. */
static int flush_rows(struct cdict_writer *w, struct cdict_error *err)
{
	int ret = flush_but_labels(w, err);

	return ret ? ret : flush_labels(w, err);
}

void format_writer_hold(struct cdict_writer *w)
{
	w->hold = true;
}

int format_writer_flush(struct cdict_writer *w, struct cdict_error *err)
{
	return w->failed.code ? fail_for_good(w, w->failed.code, err) : flush_rows(w, err);
}

int format_writer_put_rows(struct cdict_writer *w, const struct buf *rows, struct cdict_error *err)
{
	int ret = 0;

	for (size_t at = 0; at < rows->len && !ret;) {
		uint32_t type = le32(rows->data + at), size = le32(rows->data + at + 4);

		ret = put_block(w, type, rows->data + at + 8, size, NULL, err);
		at += 8 + size;
	}
	return ret;
}

int cdict_writer_open(struct cdict_writer **out, cdict_write_fn fn, void *ctx,
		      struct cdict_error *err)
{
	uint8_t header[FORMAT_HEADER_SIZE];
	struct cdict_writer *w = calloc(1, sizeof(*w));
	int ret;

	*out = NULL;
	if (!w)
		return cdict_fail_nomem(err);
	w->fn = fn;
	w->ctx = ctx;
	w->codec = codec_new();
	if (!w->codec) {
		cdict_writer_close(w);
		return cdict_fail_nomem(err);
	}
	container_file_header(header);
	ret = put_bytes(w, header, sizeof(header), err);
	if (ret < 0) {
		cdict_writer_close(w);
		return ret;
	}
	*out = w;
	return 0;
}

void cdict_writer_close(struct cdict_writer *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->cpus.n; i++)
		format_encoder_free(w->cpus.at[i].enc);
	array_fini(&w->cpus);
	codec_free(w->codec);
	task_rows_fini(&w->tasks);
	label_rows_fini(&w->labels);
	buf_fini(&w->label_blocks);
	buf_fini(&w->stack_blocks);
	buf_fini(&w->index);
	buf_fini(&w->info);
	buf_fini(&w->losses);
	buf_fini(&w->unstored);
	buf_fini(&w->packed);
	digest_book_fini(&w->digests);
	free(w);
}

uint64_t cdict_writer_bytes(const struct cdict_writer *w)
{
	return w->offset;
}

int cdict_writer_info(struct cdict_writer *w, const char *key, const char *value,
		      struct cdict_error *err)
{
	if (w->failed.code)
		return fail_for_good(w, w->failed.code, err);
	buf_string(&w->info, key, strlen(key));
	buf_string(&w->info, value, strlen(value));
	return w->info.failed ? fail_for_good(w, -ENOMEM, err) : 0;
}

int cdict_writer_schema(struct cdict_writer *w, const struct cdict_schema *schema,
			struct cdict_error *err)
{
	w->schema = schema;
	return w->failed.code ? fail_for_good(w, w->failed.code, err) : 0;
}

int cdict_writer_task(struct cdict_writer *w, const struct cdict_task_event *ev,
		      struct cdict_error *err)
{
	if (w->failed.code)
		return fail_for_good(w, w->failed.code, err);
	task_rows_add(&w->tasks, ev);
	digest_book_record(&w->digests, ev);
	if (w->digests.failed)
		return fail_for_good(w, -ENOMEM, err);
	return w->tasks.n >= ROWS_MAX && !w->hold ? flush_rows(w, err) : 0;
}

int cdict_writer_loss(struct cdict_writer *w, const struct cdict_loss *loss,
		      struct cdict_error *err)
{
	if (w->failed.code)
		return fail_for_good(w, w->failed.code, err);
	loss_row_write(&w->losses, loss);
	return ++w->n_losses >= ROWS_MAX && !w->hold ? flush_rows(w, err) : 0;
}

int cdict_writer_late(struct cdict_writer *w, const struct cdict_late *late,
		      struct cdict_error *err)
{
	struct cdict_loss row = {
		.what = (enum cdict_loss_what)FORMAT_LOSS_LATE,
		.cpu = late->cpu,
		.type = CDICT_TYPE_ANY,
		.from_ns = late->t_ns,
		.to_ns = late->after_ns,
		.count = 1,
	};

	return cdict_writer_loss(w, &row, err);
}

int cdict_writer_label(struct cdict_writer *w, const struct cdict_label *label,
		       struct cdict_error *err)
{
	if (w->failed.code)
		return fail_for_good(w, w->failed.code, err);
	if (label->tid <= 0 || label->pid < 0 || label->origin < CDICT_LABEL_PROC ||
	    label->origin > CDICT_LABEL_CSV)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "no label for tid %d",
				  label->tid);
	if (w->n_labels == FORMAT_MAX_LABELS)
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				  "more than %u labels in a file", FORMAT_MAX_LABELS);
	if (!label_rows_add(&w->labels, label))
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				  "label of tid %d has a text of more than %u bytes", label->tid,
				  FORMAT_LABEL_TEXT);
	w->n_labels++;
	return label_rows_full(&w->labels) ? pack_labels(w, err) : 0;
}

int cdict_writer_unstored(struct cdict_writer *w, const char *name, uint64_t count,
			  struct cdict_error *err)
{
	if (w->failed.code)
		return fail_for_good(w, w->failed.code, err);
	buf_string(&w->unstored, name, strlen(name));
	buf_varint(&w->unstored, count);
	return w->unstored.failed ? fail_for_good(w, -ENOMEM, err) : 0;
}

static int put_digests(struct cdict_writer *w, bool last, struct cdict_error *err)
{
	struct buf raw = { 0 };
	uint64_t at = w->offset;
	int ret = 0;

	if (digest_book_take(&w->digests, &raw, last)) {
		ret = put_packed(w, FORMAT_DIGEST, &raw, NULL, err);
		digest_book_stored(&w->digests, w->offset - at);
	}
	buf_fini(&raw);
	return ret;
}

/* The blocks that a file would have after its last block, and its index so far. */
struct view {
	struct cdict_writer *w;
	struct buf *out, index;
	uint64_t index_ns;
	uint32_t ordinal;
};

static void view_block(struct view *v, uint32_t type, struct buf *raw)
{
	uint8_t header[FORMAT_BLOCK_HEADER_SIZE];
	struct buf packed = { 0 };
	struct container_header h = { .type = type, .ordinal = v->ordinal++ };
	struct index_row row = { .type = type };

	container_pack(v->w->codec, raw, &packed);
	h.size = (uint32_t)packed.len;
	h.payload_crc = codec_crc(packed.data, packed.len);
	container_header_write(header, &h);
	buf_add(v->out, header, sizeof(header));
	buf_add(v->out, packed.data, packed.len);
	v->out->failed |= raw->failed || packed.failed;
	row.size = packed.len + sizeof(header);
	if (type != FORMAT_INDEX)
		index_row_write(&v->index, &row, &v->index_ns);
	buf_fini(&packed);
}

int format_writer_view(struct cdict_writer *w, const char *key, const char *value, struct buf *out)
{
	struct view v = { .w = w, .out = out, .index_ns = w->index_ns, .ordinal = w->ordinal };
	uint8_t trailer[FORMAT_TRAILER_SIZE];
	uint64_t before = out->len;
	struct buf raw = { 0 };

	buf_add(&v.index, w->index.data, w->index.len);
	if (key) {
		buf_string(&raw, key, strlen(key));
		buf_string(&raw, value, strlen(value));
		view_block(&v, FORMAT_INFO, &raw);
	}
	raw.len = 0;
	if (digest_book_view(&w->digests, &raw))
		view_block(&v, FORMAT_DIGEST, &raw);
	container_trailer(trailer, w->offset + out->len - before);
	view_block(&v, FORMAT_INDEX, &v.index);
	buf_add(out, trailer, sizeof(trailer));
	buf_fini(&raw);
	buf_fini(&v.index);
	return out->failed ? -ENOMEM : 0;
}

void format_writer_digests(struct cdict_writer *w, uint32_t millionths)
{
	w->digests.budget = millionths;
}

int format_writer_put(struct cdict_writer *w, const void *payload, size_t size,
		      const struct format_block *info, struct block_digest *digest,
		      struct cdict_error *err)
{
	int ret = w->hold ? 0 : flush_rows(w, err);

	/* Digests of the previous block of events come right after it: before this one. */
	if (!ret)
		ret = put_digests(w, false, err);
	if (!ret)
		ret = put_block(w, FORMAT_EVENTS, payload, size, info, err);
	if (ret)
		return ret;
	digest_book_add(&w->digests, info, w->ordinal - 1, size, digest);
	return w->digests.failed ? fail_for_good(w, -ENOMEM, err) : 0;
}

int format_writer_stack_events(struct cdict_writer *w, const uint32_t *stacks, size_t n,
			       struct cdict_error *err)
{
	struct buf raw = { 0 };
	int ret;

	stack_events_write(&raw, w->ordinal - 1, stacks, n);
	ret = put_packed(w, FORMAT_STACK_EVENTS, &raw, &w->stack_blocks, err);
	buf_fini(&raw);
	return ret;
}

int format_writer_put_stacks(struct cdict_writer *w, struct stack_dict *dict,
			     struct cdict_error *err)
{
	struct buf raw = { 0 };
	int ret = 0;

	while (!ret && (stack_dict_take(dict, &raw), raw.len || raw.failed))
		ret = put_packed(w, FORMAT_STACKS, &raw, NULL, err);
	if (!ret)
		ret = format_writer_put_rows(w, &w->stack_blocks, err);
	w->stack_blocks.len = 0;
	buf_fini(&raw);
	return ret;
}

static int put_encoder(struct cdict_writer *w, struct format_encoder *enc, struct cdict_error *err)
{
	struct block_digest *digest = NULL;
	struct format_block info;
	struct buf payload = { 0 };
	int ret;

	if (!format_encoder_events(enc))
		return 0;
	ret = format_encoder_finish(enc, &payload, &info, &digest);
	ret = ret ? fail_for_good(w, ret, err)
		  : format_writer_put(w, payload.data, payload.len, &info, digest, err);
	free(digest);
	buf_fini(&payload);
	return ret;
}

static struct format_encoder *encoder_of(struct cdict_writer *w, uint32_t cpu)
{
	struct format_encoder *enc;

	for (size_t i = 0; i < w->cpus.n; i++)
		if (w->cpus.at[i].cpu == cpu)
			return w->cpus.at[i].enc;
	enc = format_encoder_new(w->schema);
	if (enc && array_push(&w->cpus, (struct cpu_encoder){ cpu, enc })) {
		format_encoder_free(enc);
		enc = NULL;
	}
	return enc;
}

int cdict_writer_event(struct cdict_writer *w, const struct cdict_sample *sample, uint32_t type,
		       const void *payload, size_t size, struct cdict_error *err)
{
	struct format_encoder *enc;
	int ret;

	if (w->failed.code)
		return fail_for_good(w, w->failed.code, err);
	if (!w->schema || type >= w->schema->types.n)
		return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
				  "event type %u is not in the schema", type);
	enc = encoder_of(w, sample->cpu);
	if (!enc)
		return fail_for_good(w, -ENOMEM, err);
	ret = format_encoder_add(enc, sample, type, payload, size);
	if (ret == CDICT_ELIMIT) {
		ret = put_encoder(w, enc, err);
		if (ret)
			return ret;
		ret = format_encoder_add(enc, sample, type, payload, size);
	}
	if (ret == CDICT_ECORRUPT)
		return cdict_fail(err, ret, CDICT_NO_OFFSET,
				  "payload of %s is shorter than its fields: %zu bytes",
				  w->schema->types.at[type]->pub.name, size);
	return ret ? fail_for_good(w, ret, err) : 0;
}

int cdict_writer_finish(struct cdict_writer *w, struct cdict_error *err)
{
	uint8_t trailer[FORMAT_TRAILER_SIZE];
	int ret = w->failed.code ? fail_for_good(w, w->failed.code, err) : 0;

	for (size_t i = 0; i < w->cpus.n && !ret; i++)
		ret = put_encoder(w, w->cpus.at[i].enc, err);
	if (!ret)
		ret = put_digests(w, true, err);
	if (!ret)
		ret = flush_but_labels(w, err);
	if (!ret && (w->unstored.len || w->unstored.failed))
		ret = put_packed(w, FORMAT_UNSTORED, &w->unstored, NULL, err);
	/* last, as in a file to which they are added later */
	if (!ret)
		ret = flush_labels(w, err);
	if (ret)
		return ret;
	container_trailer(trailer, w->offset);
	ret = put_packed(w, FORMAT_INDEX, &w->index, NULL, err);
	return ret ? ret : put_bytes(w, trailer, sizeof(trailer), err);
}
