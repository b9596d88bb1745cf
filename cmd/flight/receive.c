/* SPDX-License-Identifier: GPL-2.0-only */
/* Splits a stream of dumps, as `cdict record --keep -o -` writes it: whole captures, one after another. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "base/memory/buf.h"
#include "base/system/outfile.h"
#include "base/system/place.h"
#include "capture/host/clock.h"
#include "cmd/flight/flight.h"
#include "format/layout.h"

/* A dump is held in memory until it is complete. */
#define DUMP_MAX ((size_t)1 << 30)

struct stream {
	struct buf dump;
	uint64_t at; /* offset of the dump in the stream */
};

/* What was found at the place of a dump. */
enum found { DUMP, CUT, OVER };

/* Appends @n bytes; false: the stream ended before, or failed with *err filled. */
static bool take(struct stream *s, size_t n, struct cdict_error *err)
{
	size_t had = s->dump.len;
	int ret = n > DUMP_MAX - had ? cdict_fail(err, CDICT_ELIMIT, s->at + had,
						  "a dump is larger than 1 GiB")
				     : buf_read(&s->dump, STDIN_FILENO, had + n);

	if (ret && !err->code)
		cdict_fail(err, ret, s->at + had, "standard input: %s", cdict_strerror(ret));
	return !ret && s->dump.len - had == n;
}

static int is_no_dump(const struct stream *s, size_t at, struct cdict_error *err)
{
	return cdict_fail(err, CDICT_EFORMAT, s->at + at,
			  at ? "damaged: no block begins here" : "no cdict begins here");
}

/* Reads one capture up to its trailer. */
static int read_dump(struct stream *s, enum found *found, struct cdict_error *err)
{
	uint32_t type = 0;

	s->at += s->dump.len;
	s->dump.len = 0;
	*found = CUT;
	if (!take(s, FORMAT_HEADER_SIZE, err)) {
		*found = s->dump.len ? CUT : OVER;
		return err->code;
	}
	if (memcmp(s->dump.data, FORMAT_MAGIC, FORMAT_MAGIC_SIZE))
		return is_no_dump(s, 0, err);
	while (type != FORMAT_INDEX) {
		size_t at = s->dump.len;
		const uint8_t *head;

		if (!take(s, FORMAT_BLOCK_HEADER_SIZE, err))
			return err->code;
		head = s->dump.data + at;
		type = load32(head + 4, false);
		if (load32(head, false) != FORMAT_SYNC ||
		    load32(head + 8, false) > FORMAT_BLOCK_MAX ||
		    load32(head + 20, false) != crc32(0, head, 20))
			return is_no_dump(s, at, err);
		if (!take(s, load32(head + 8, false), err))
			return err->code;
	}
	if (take(s, FORMAT_TRAILER_SIZE, err))
		*found = DUMP;
	return err->code;
}

/* ---- its file ---- */

/* "latency of web01 (17) was 31.234 ms at ..." as "latency-31.234ms". */
static void reason(char *out, size_t size, const char *trigger)
{
	const char *value = strstr(trigger, " was ");
	size_t n = 0, digits;

	while (n < 20 && isalnum((unsigned char)trigger[n]))
		n++;
	digits = value ? strspn(value + 5, "0123456789.") : 0;
	if (!strncmp(trigger, "at the end", 10))
		snprintf(out, size, "end");
	else if (!n || !strcmp(trigger, "SIGUSR2"))
		snprintf(out, size, "request");
	else if (digits && digits < 16)
		snprintf(out, size, value[6 + digits] == '%' ? "%.*s-%.0fpct" : "%.*s-%.3fms",
			 (int)n, trigger, strtod(value + 5, NULL));
	else
		snprintf(out, size, "%.*s", (int)n, trigger);
}

static uint64_t info_number_of(const struct cdict_reader *r, const char *key)
{
	const char *text = cdict_reader_info(r, key);

	return text ? strtoull(text, NULL, 10) : 0;
}

/* The wall-clock time of the last event. */
static uint64_t ended_ms(const struct cdict_reader *r)
{
	uint64_t wall = info_number_of(r, "clock.wall_ns"), first, last;

	if (!wall || !cdict_reader_window(r, &first, &last))
		return clock_wall_ns() / 1000000;
	return (wall + last - info_number_of(r, "clock.mono_ns")) / 1000000;
}

/* Given; NULL with *err filled. */
static char *path_of(const struct stream *s, const char *dir, struct cdict_error *err)
{
	struct cdict_reader *r = NULL;
	const char *trigger;
	char why[64], *name, *path;
	uint64_t at_ms;

	if (cdict_reader_parse(&r, s->dump.data, s->dump.len, err)) {
		err->offset = s->at;
		return NULL;
	}
	trigger = cdict_reader_info(r, "record.trigger");
	reason(why, sizeof(why), trigger ? trigger : "");
	at_ms = ended_ms(r);
	do { /* never another dump's name */
		name = flight_name(at_ms++, cdict_reader_info(r, "record.trigger_of"), why);
		if (!name || asprintf(&path, "%s/%s", dir, name) < 0)
			path = NULL;
		free(name);
	} while (path && !access(path, F_OK) && (free(path), true));
	if (!path)
		cdict_fail_nomem(err);
	cdict_reader_close(r);
	return path;
}

static int write_dump(const struct cmd_call *call, const struct stream *s, const char *dir)
{
	struct cdict_error err = { 0 };
	char *path = path_of(s, dir, &err);
	struct outfile_options how = { .path = path, .capture = true };
	struct outfile *of;
	int status;

	if (!path)
		return cmd_error(call, NULL, &err);
	status = cmd_output_open(&of, call, NULL, &how);
	if (!status) {
		outfile_write(of, s->dump.data, s->dump.len); /* commit returns its failure */
		status = cmd_output_commit(call, path, of, 0);
	}
	if (!status && !call->quiet)
		fprintf(stderr, "[ cdict flight: received %s ]\n", path);
	free(path);
	return status;
}

int flight_receive(const struct cmd_call *call, const char *dir)
{
	struct stream s = { 0 };
	struct cdict_error err = { 0 };
	enum found found = DUMP;
	int fd = place_folder(dir, 0777), status = CMD_DONE;

	if (fd < 0)
		return cmd_errorf(call, dir, "%s", place_strerror(fd));
	close(fd);
	while (!status && found == DUMP) {
		if (read_dump(&s, &found, &err))
			status = cmd_error(call, NULL, &err);
		else if (found == DUMP)
			status = write_dump(call, &s, dir);
	}
	if (!status && found == CUT) {
		cmd_warn(call, NULL,
			 "the stream ends within a dump, which is kept as far as it goes");
		status = write_dump(call, &s, dir);
		status = status ? status : CMD_DAMAGED;
	}
	buf_fini(&s.dump);
	return status;
}
