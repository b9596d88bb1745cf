// SPDX-License-Identifier: GPL-2.0-only
/* Writes a copy of a cdict with pseudonyms. */
#include "annotate/anonymize.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/pseudonym.h"
#include "annotate/secret.h"
#include "base/fail.h"
#include "base/text/scope.h"
#include "format/coding/decode.h"
#include "format/file/reader.h"
#include "format/file/writer.h"

#define SECRET_MAX 65536u

struct copy {
	struct cdict_reader *r;
	struct cdict_writer *w;
	struct pseudonyms names;
	struct format_decoder *dec;
	struct format_encoder *enc;
	struct buf payload, raw;
	uint64_t values[FORMAT_MAX_FIELDS];
	struct cdict_bytes bytes[FORMAT_MAX_FIELDS];
	struct cdict_error *err;
};

static int read_secret(struct pseudonyms *names, const char *path, struct cdict_error *err)
{
	struct buf secret = { 0 };
	int rc;

	pseudonyms_init(names, NULL, 0);
	if (!path)
		return 0;
	rc = secret_read(&secret, path, SECRET_MAX);
	if (rc)
		rc = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "cannot read key file '%s': %s",
				path, strerror(-rc));
	else if (!secret.len)
		rc = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "key file '%s' is empty", path);
	else
		pseudonyms_init(names, secret.data, secret.len);
	secret_forget(&secret);
	return rc;
}

/* INFO keys that describe the kind of machine, not its owner.  Unlisted keys are
 * hidden: a later version may add keys. */
static bool keeps_value(const char *key)
{
	static const char *const keys[] = {
		"capture.version", "host.kernel",    "host.arch",    "host.cpu",
		"host.cpuid",      "host.memory_kb", "host.cpus",    "host.cpus_online",
		"perf.version",    "captured.at_s",  "input.bytes",  "input.mode",
		"input.damage",    "trace.strings",  "record.scope", NULL
	};

	for (size_t i = 0; keys[i]; i++) {
		if (!strcmp(key, keys[i]))
			return true;
	}
	return !strncmp(key, "clock.", 6) || !strncmp(key, "topology.", 9) ||
	       !strncmp(key, "steal.", 6) || !strncmp(key, "guests.", 7);
}

static int copy_info(struct copy *c)
{
	char text[SCOPE_TEXT_MAX];
	struct scope scope;
	int rc = 0;

	for (size_t i = 0; i < cdict_reader_info_count(c->r) && !rc; i++) {
		const char *key, *value;

		cdict_reader_info_at(c->r, i, &key, &value);
		if (!strcmp(key, "host.dmi_uuid"))
			value = pseudonym_uuid(&c->names, value); /* as in the host's labels */
		else if (!keeps_value(key))
			value = pseudonym(&c->names, *key == 'h' ? 'h' : 'c', value, strlen(value));
		rc = value ? cdict_writer_info(c->w, key, value, c->err) : cdict_fail_nomem(c->err);
	}
	/* The scope was in the command line, which is hidden. */
	scope_of_reader(&scope, c->r);
	scope_text(text, &scope);
	if (!rc && !cdict_reader_info(c->r, "record.scope") &&
	    strcmp(text, scope_kind_name(SCOPE_SYSTEM)))
		rc = cdict_writer_info(c->w, "record.scope", text, c->err);
	return rc;
}

static int copy_tasks(struct copy *c)
{
	int rc = 0;

	for (size_t i = 0; i < cdict_reader_task_count(c->r) && !rc; i++) {
		struct cdict_task_event ev = *cdict_reader_task_at(c->r, i);

		if (ev.comm)
			ev.comm = pseudonym_comm(&c->names, ev.comm, strlen(ev.comm));
		if (!ev.comm && (ev.what == CDICT_TASK_COMM || ev.what == CDICT_TASK_EXEC))
			return cdict_fail_nomem(c->err);
		rc = cdict_writer_task(c->w, &ev, c->err);
	}
	return rc;
}

static int copy_losses(struct copy *c)
{
	int rc = 0;

	for (size_t i = 0; i < cdict_reader_loss_count(c->r) && !rc; i++)
		rc = cdict_writer_loss(c->w, cdict_reader_loss_at(c->r, i), c->err);
	for (size_t i = 0; i < cdict_reader_late_count(c->r) && !rc; i++)
		rc = cdict_writer_late(c->w, cdict_reader_late_at(c->r, i), c->err);
	for (size_t i = 0; i < cdict_reader_unstored_count(c->r) && !rc; i++) {
		const struct cdict_unstored *u = cdict_reader_unstored_at(c->r, i);

		rc = cdict_writer_unstored(c->w, u->name, u->count, c->err);
	}
	return rc;
}

static int copy_labels(struct copy *c, const struct mapping *labels)
{
	int rc = 0;

	for (size_t i = 0; i < labels->n && !rc; i++) {
		struct cdict_label l = labels->labels[i];

		rc = pseudonym_label(&c->names, &l) ? cdict_fail_nomem(c->err)
						    : cdict_writer_label(c->w, &l, c->err);
	}
	return rc;
}

/* Replaces every text of the event by a pseudonym; the payload is then in c->raw. */
static int hide_event(struct copy *c, const struct cdict_event *ev)
{
	struct cdict_event hidden = *ev;
	size_t n = ev->type->n_fields, size;
	uint8_t *room;

	hidden.values = c->values;
	hidden.bytes = c->bytes;
	for (size_t i = 0; i < n; i++) {
		const struct cdict_field *field = &ev->type->fields[i];
		const char *text;
		size_t len;

		c->values[i] = ev->values[i];
		if (field->kind <= CDICT_FIELD_INT)
			continue;
		c->bytes[i] = cdict_event_bytes(ev, i);
		c->values[i] = i;
		/* what was printed, or anything at all */
		if (cdict_field_is_flexible(ev->type, field) && !field->is_text &&
		    strcmp(field->name, "caller"))
			c->bytes[i].len = 0;
		if (!field->is_text || !c->bytes[i].len)
			continue;
		text = pseudonym_comm(&c->names, (const char *)c->bytes[i].data, c->bytes[i].len);
		if (!text)
			return -ENOMEM;
		len = strlen(text);
		if (field->kind == CDICT_FIELD_BYTES && field->size && len >= field->size)
			len = field->size - 1;
		c->bytes[i] = (struct cdict_bytes){ (const uint8_t *)text, len };
	}
	c->raw.len = 0;
	size = cdict_event_payload(cdict_reader_schema(c->r), &hidden, NULL, 0);
	room = buf_room(&c->raw, size + 1);
	if (!room)
		return -ENOMEM;
	c->raw.len = cdict_event_payload(cdict_reader_schema(c->r), &hidden, room, size);
	return 0;
}

static int put_encoded(struct copy *c)
{
	struct format_block info;
	int rc;

	if (!format_encoder_events(c->enc))
		return 0;
	c->payload.len = 0;
	rc = format_encoder_finish(c->enc, &c->payload, &info, NULL);
	if (rc || c->payload.failed)
		return cdict_fail_nomem(c->err);
	return format_writer_put(c->w, c->payload.data, c->payload.len, &info, NULL, c->err);
}

static int add_event(struct copy *c, const struct cdict_event *ev, uint32_t order)
{
	struct cdict_sample s = { ev->t_ns, ev->cpu, ev->pid, ev->tid, ev->mode, order };
	int rc = hide_event(c, ev);

	if (!rc)
		rc = format_encoder_add(c->enc, &s, ev->type->index, c->raw.data, c->raw.len);
	if (rc == CDICT_ELIMIT) {
		rc = put_encoded(c);
		if (!rc)
			rc = format_encoder_add(c->enc, &s, ev->type->index, c->raw.data,
						c->raw.len);
	}
	return rc;
}

/* The events of a damaged block become a loss. */
static int leave_out(struct copy *c, const struct cdict_block_info *b, uint64_t done)
{
	struct cdict_loss loss = { .what = CDICT_LOSS_DAMAGE,
				   .cpu = b->cpu,
				   .type = CDICT_TYPE_ANY,
				   .from_ns = b->first_ns,
				   .to_ns = b->last_ns > b->first_ns ? b->last_ns : b->first_ns,
				   .count = b->events > done ? b->events - done : 0 };

	return cdict_writer_loss(c->w, &loss, c->err);
}

static int copy_block(struct copy *c, size_t i)
{
	const struct cdict_block_info *b = cdict_reader_block_at(c->r, i);
	struct cdict_error why;
	const uint8_t *payload;
	struct cdict_event ev;
	uint64_t done = 0;
	uint32_t order;
	size_t size;
	int rc, got;

	rc = reader_block(c->r, i, &payload, &size, &why);
	if (!rc)
		rc = format_decoder_open(c->dec, payload, size, &why);
	if (rc == -ENOMEM)
		return cdict_fail_nomem(c->err);
	if (rc)
		return leave_out(c, b, 0);
	while ((got = format_decoder_next(c->dec, &ev, &order, &why)) > 0) {
		rc = add_event(c, &ev, order);
		if (rc == CDICT_ECORRUPT) {
			got = rc;
			break;
		}
		if (rc)
			return rc == -ENOMEM ? cdict_fail_nomem(c->err) : rc;
		done++;
	}
	rc = put_encoded(c);
	if (!rc && got == -ENOMEM)
		rc = cdict_fail_nomem(c->err);
	return !rc && got < 0 ? leave_out(c, b, done) : rc;
}

/* The copy itself is intact, so it must record damage of the original. */
static int copy_damage(struct copy *c)
{
	struct cdict_damage damage;

	cdict_reader_damage(c->r, &damage);
	if (!damage.first[0] || cdict_reader_info(c->r, "input.damage"))
		return 0;
	return cdict_writer_info(c->w, "input.damage", damage.first, c->err);
}

static int run(struct copy *c, const struct mapping *labels)
{
	int rc = copy_info(c);

	if (!rc)
		rc = cdict_writer_schema(c->w, cdict_reader_schema(c->r), c->err);
	if (!rc)
		rc = copy_tasks(c);
	if (!rc)
		rc = copy_losses(c);
	for (size_t i = 0; i < cdict_reader_block_count(c->r) && !rc; i++)
		rc = copy_block(c, i);
	if (!rc)
		rc = copy_labels(c, labels);
	if (!rc)
		rc = copy_damage(c);
	return rc ? rc : cdict_writer_finish(c->w, c->err);
}

int anonymize_write(const struct cdict_reader *r, const struct mapping *labels,
		    const char *key_file, cdict_write_fn fn, void *ctx, struct cdict_error *err)
{
	/* Reading a block may note damage in the reader. */
	struct copy c = { .r = (struct cdict_reader *)r, .err = err };
	int rc = read_secret(&c.names, key_file, err);

	if (!rc)
		rc = cdict_writer_open(&c.w, fn, ctx, err);
	if (!rc) {
		c.dec = format_decoder_new(cdict_reader_schema(r));
		c.enc = format_encoder_new(cdict_reader_schema(r));
		rc = c.dec && c.enc ? run(&c, labels) : cdict_fail_nomem(err);
	}
	format_decoder_free(c.dec);
	format_encoder_free(c.enc);
	cdict_writer_close(c.w);
	pseudonyms_fini(&c.names);
	buf_fini(&c.payload);
	buf_fini(&c.raw);
	return rc;
}
