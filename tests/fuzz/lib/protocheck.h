/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * protocheck.h - whether bytes are a trace that Perfetto takes: what tests/oracle/exchange/_lib/perfetto_check.py asks of one, as far as a
 * target has the time.  Written from protos/perfetto/trace; knows nothing of exchange/.
 *
 *	packets   each whole, of a sequence; of each message only fields that are named here, of their wire type
 *	text      UTF-8
 *	ftrace    a CPU below 1024; on each of them the task switched out was switched in
 *	tracks    described once, before their first event; slices on one nest, and end
 */
#ifndef TESTS_FUZZ_LIB_PROTOCHECK_H
#define TESTS_FUZZ_LIB_PROTOCHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/array.h"
#include "base/text/escape.h"

enum protocheck_kind { PROTO_ANY_INT, PROTO_UTF8, PROTO_MESSAGE };
enum protocheck_message {
	M_PACKET,
	M_BUNDLE,
	M_EVENT,
	M_SWITCH,
	M_WAKING,
	M_TREE,
	M_PROCESS,
	M_THREAD,
	M_CLOCKS,
	M_CLOCK,
	M_SYSTEM,
	M_UTSNAME,
	M_TRACK,
	M_TRACK_PROCESS,
	M_TRACK_THREAD,
	M_TRACK_EVENT,
	M_ANNOTATION,
	M_INTERNED,
	M_NAME,
};

static const struct protocheck_field {
	enum protocheck_message in;
	uint32_t number;
	enum protocheck_kind kind;
	enum protocheck_message of;
} protocheck_fields[] = {
	{ M_PACKET, 1, PROTO_MESSAGE, M_BUNDLE },
	{ M_PACKET, 2, PROTO_MESSAGE, M_TREE },
	{ M_PACKET, 6, PROTO_MESSAGE, M_CLOCKS },
	{ M_PACKET, 8, PROTO_ANY_INT, 0 },
	{ M_PACKET, 10, PROTO_ANY_INT, 0 },
	{ M_PACKET, 11, PROTO_MESSAGE, M_TRACK_EVENT },
	{ M_PACKET, 12, PROTO_MESSAGE, M_INTERNED },
	{ M_PACKET, 13, PROTO_ANY_INT, 0 },
	{ M_PACKET, 45, PROTO_MESSAGE, M_SYSTEM },
	{ M_PACKET, 60, PROTO_MESSAGE, M_TRACK },
	{ M_PACKET, 87, PROTO_ANY_INT, 0 },
	{ M_BUNDLE, 1, PROTO_ANY_INT, 0 },
	{ M_BUNDLE, 2, PROTO_MESSAGE, M_EVENT },
	{ M_BUNDLE, 3, PROTO_ANY_INT, 0 },
	{ M_EVENT, 1, PROTO_ANY_INT, 0 },
	{ M_EVENT, 2, PROTO_ANY_INT, 0 },
	{ M_EVENT, 4, PROTO_MESSAGE, M_SWITCH },
	{ M_EVENT, 20, PROTO_MESSAGE, M_WAKING },
	{ M_SWITCH, 1, PROTO_UTF8, 0 },
	{ M_SWITCH, 2, PROTO_ANY_INT, 0 },
	{ M_SWITCH, 3, PROTO_ANY_INT, 0 },
	{ M_SWITCH, 4, PROTO_ANY_INT, 0 },
	{ M_SWITCH, 5, PROTO_UTF8, 0 },
	{ M_SWITCH, 6, PROTO_ANY_INT, 0 },
	{ M_SWITCH, 7, PROTO_ANY_INT, 0 },
	{ M_WAKING, 1, PROTO_UTF8, 0 },
	{ M_WAKING, 2, PROTO_ANY_INT, 0 },
	{ M_WAKING, 3, PROTO_ANY_INT, 0 },
	{ M_WAKING, 4, PROTO_ANY_INT, 0 },
	{ M_WAKING, 5, PROTO_ANY_INT, 0 },
	{ M_TREE, 1, PROTO_MESSAGE, M_PROCESS },
	{ M_TREE, 2, PROTO_MESSAGE, M_THREAD },
	{ M_PROCESS, 1, PROTO_ANY_INT, 0 },
	{ M_PROCESS, 2, PROTO_ANY_INT, 0 },
	{ M_PROCESS, 3, PROTO_UTF8, 0 },
	{ M_THREAD, 1, PROTO_ANY_INT, 0 },
	{ M_THREAD, 2, PROTO_UTF8, 0 },
	{ M_THREAD, 3, PROTO_ANY_INT, 0 },
	{ M_CLOCKS, 1, PROTO_MESSAGE, M_CLOCK },
	{ M_CLOCKS, 2, PROTO_ANY_INT, 0 },
	{ M_CLOCK, 1, PROTO_ANY_INT, 0 },
	{ M_CLOCK, 2, PROTO_ANY_INT, 0 },
	{ M_SYSTEM, 1, PROTO_MESSAGE, M_UTSNAME },
	{ M_UTSNAME, 1, PROTO_UTF8, 0 },
	{ M_UTSNAME, 2, PROTO_UTF8, 0 },
	{ M_UTSNAME, 3, PROTO_UTF8, 0 },
	{ M_UTSNAME, 4, PROTO_UTF8, 0 },
	{ M_TRACK, 1, PROTO_ANY_INT, 0 },
	{ M_TRACK, 2, PROTO_UTF8, 0 },
	{ M_TRACK, 3, PROTO_MESSAGE, M_TRACK_PROCESS },
	{ M_TRACK, 4, PROTO_MESSAGE, M_TRACK_THREAD },
	{ M_TRACK, 5, PROTO_ANY_INT, 0 },
	{ M_TRACK_PROCESS, 1, PROTO_ANY_INT, 0 },
	{ M_TRACK_PROCESS, 6, PROTO_UTF8, 0 },
	{ M_TRACK_THREAD, 1, PROTO_ANY_INT, 0 },
	{ M_TRACK_THREAD, 2, PROTO_ANY_INT, 0 },
	{ M_TRACK_THREAD, 5, PROTO_UTF8, 0 },
	{ M_TRACK_EVENT, 3, PROTO_ANY_INT, 0 },
	{ M_TRACK_EVENT, 4, PROTO_MESSAGE, M_ANNOTATION },
	{ M_TRACK_EVENT, 9, PROTO_ANY_INT, 0 },
	{ M_TRACK_EVENT, 10, PROTO_ANY_INT, 0 },
	{ M_TRACK_EVENT, 11, PROTO_ANY_INT, 0 },
	{ M_TRACK_EVENT, 22, PROTO_UTF8, 0 },
	{ M_TRACK_EVENT, 23, PROTO_UTF8, 0 },
	{ M_ANNOTATION, 2, PROTO_ANY_INT, 0 },
	{ M_ANNOTATION, 3, PROTO_ANY_INT, 0 },
	{ M_ANNOTATION, 4, PROTO_ANY_INT, 0 },
	{ M_ANNOTATION, 6, PROTO_UTF8, 0 },
	{ M_ANNOTATION, 9, PROTO_UTF8, 0 },
	{ M_ANNOTATION, 10, PROTO_UTF8, 0 },
	{ M_INTERNED, 1, PROTO_MESSAGE, M_NAME },
	{ M_INTERNED, 2, PROTO_MESSAGE, M_NAME },
	{ M_NAME, 1, PROTO_ANY_INT, 0 },
	{ M_NAME, 2, PROTO_UTF8, 0 },
};

/* A change at a time: of a CPU a switch, of a track a slice's beginning or end. */
struct protocheck_change {
	uint64_t lane, t, seq;
	uint64_t a, b; /* prev, next; type */
};

struct protocheck {
	ARRAY(struct protocheck_change) switches, slices;
	ARRAY(uint64_t) tracks;
	uint64_t numbers[M_NAME + 1][128]; /* of the messages that are open, by field */
	uint64_t has[M_NAME + 1][2];
};

static inline void protocheck_must(int so, const char *what)
{
	if (!so) {
		fprintf(stderr, "no trace of Perfetto's: %s\n", what);
		abort();
	}
}

static inline uint64_t protocheck_varint(const uint8_t **p, const uint8_t *end)
{
	uint64_t v = 0;

	for (unsigned shift = 0;; shift += 7) {
		protocheck_must(*p < end && shift < 70, "a number is cut");
		v |= (uint64_t)(**p & 0x7f) << (shift < 64 ? shift : 63);
		if (*(*p)++ < 0x80)
			return v;
	}
}

static inline void protocheck_text(const char *text, size_t len)
{
	for (size_t at = 0; at < len;) {
		uint32_t cp;
		size_t n = escape_decode(text + at, len - at, &cp);

		protocheck_must(n > 0, "a text is not UTF-8");
		at += n;
	}
}

static inline bool protocheck_has(const struct protocheck *c, enum protocheck_message m,
				  uint32_t field)
{
	return c->has[m][field / 64] >> field % 64 & 1;
}

static inline void protocheck_event(struct protocheck *c)
{
	struct protocheck_change *t;

	protocheck_must(protocheck_has(c, M_BUNDLE, 1) && c->numbers[M_BUNDLE][1] < 1024,
			"a bundle's CPU");
	protocheck_must(protocheck_has(c, M_EVENT, 1) && protocheck_has(c, M_EVENT, 2),
			"an event without time or pid");
	protocheck_must(protocheck_has(c, M_EVENT, 4) != protocheck_has(c, M_EVENT, 20),
			"an event has one payload");
	if (!protocheck_has(c, M_EVENT, 4))
		return;
	protocheck_must(c->numbers[M_SWITCH][2] == c->numbers[M_EVENT][2],
			"a switch is of the task that leaves");
	t = array_add(&c->switches);
	protocheck_must(t != NULL, "memory");
	*t = (struct protocheck_change){ c->numbers[M_BUNDLE][1], c->numbers[M_EVENT][1],
					 c->switches.n, c->numbers[M_SWITCH][2],
					 c->numbers[M_SWITCH][6] };
}

static inline bool protocheck_knows(const struct protocheck *c, uint64_t track)
{
	for (size_t i = c->tracks.n; i-- > 0;)
		if (c->tracks.at[i] == track)
			return true;
	return false;
}

static inline void protocheck_track_event(struct protocheck *c)
{
	uint64_t type = c->numbers[M_TRACK_EVENT][9], track = c->numbers[M_TRACK_EVENT][11];
	struct protocheck_change *t;

	protocheck_must(protocheck_has(c, M_PACKET, 8), "a track event has no time");
	protocheck_must(protocheck_knows(c, track), "a track is not described");
	protocheck_must(type >= 1 && type <= 3, "a track event's type");
	t = array_add(&c->slices);
	protocheck_must(t != NULL, "memory");
	*t = (struct protocheck_change){ track, c->numbers[M_PACKET][8], c->slices.n, type, 0 };
}

/* A message was read whole. */
static inline void protocheck_ended(struct protocheck *c, enum protocheck_message m)
{
	uint64_t *at;

	if (m == M_EVENT)
		protocheck_event(c);
	else if (m == M_TRACK) {
		protocheck_must(c->numbers[m][1] && !protocheck_knows(c, c->numbers[m][1]),
				"a track is described twice, or is 0");
		at = array_add(&c->tracks);
		protocheck_must(at != NULL, "memory");
		*at = c->numbers[m][1];
	} else if (m == M_PACKET) {
		protocheck_must(c->numbers[m][10] != 0, "a packet has no sequence");
		if (protocheck_has(c, m, 11))
			protocheck_track_event(c);
	}
}

static inline void protocheck_message(struct protocheck *c, enum protocheck_message m,
				      const uint8_t *p, const uint8_t *end)
{
	memset(c->numbers[m], 0, sizeof(c->numbers[m]));
	memset(c->has[m], 0, sizeof(c->has[m]));
	while (p < end) {
		uint64_t key = protocheck_varint(&p, end), v;
		const struct protocheck_field *f = protocheck_fields;
		const struct protocheck_field *last =
			f + sizeof(protocheck_fields) / sizeof(protocheck_fields[0]);

		while (f < last && (f->in != m || f->number != key >> 3))
			f++;
		protocheck_must(f < last, "a field that there is not");
		protocheck_must((key & 7) == (f->kind == PROTO_ANY_INT ? 0 : 2), "a wire type");
		c->has[m][f->number / 64] |= 1ull << f->number % 64;
		v = protocheck_varint(&p, end);
		c->numbers[m][f->number] = v;
		if (f->kind == PROTO_ANY_INT)
			continue;
		protocheck_must(v <= (uint64_t)(end - p), "a field is longer than its message");
		if (f->kind == PROTO_UTF8)
			protocheck_text((const char *)p, v);
		else
			protocheck_message(c, f->of, p, p + v);
		p += v;
	}
	protocheck_ended(c, m);
}

static inline int protocheck_order(const void *a, const void *b)
{
	const struct protocheck_change *x = a, *y = b;

	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	if (x->t != y->t)
		return x->t < y->t ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static inline void protocheck(const char *text, size_t len)
{
	const uint8_t *p = (const uint8_t *)text, *end = p + len;
	struct protocheck *c = calloc(1, sizeof(*c));
	uint64_t open = 0;

	protocheck_must(c != NULL, "memory");
	while (p < end) {
		uint64_t key = protocheck_varint(&p, end), n = protocheck_varint(&p, end);

		protocheck_must(key == (1 << 3 | 2) && n <= (uint64_t)(end - p),
				"a trace is packets");
		protocheck_message(c, M_PACKET, p, p + n);
		p += n;
	}
	if (c->switches.n)
		qsort(c->switches.at, c->switches.n, sizeof(*c->switches.at), protocheck_order);
	for (size_t i = 1; i < c->switches.n; i++)
		protocheck_must(c->switches.at[i].lane != c->switches.at[i - 1].lane ||
					c->switches.at[i].a == c->switches.at[i - 1].b,
				"the task switched out was not switched in");
	if (c->slices.n)
		qsort(c->slices.at, c->slices.n, sizeof(*c->slices.at), protocheck_order);
	for (size_t i = 0; i < c->slices.n; i++) {
		if (i && c->slices.at[i].lane != c->slices.at[i - 1].lane) {
			protocheck_must(!open, "a slice does not end");
			open = 0;
		}
		if (c->slices.at[i].a == 1)
			open++;
		else if (c->slices.at[i].a == 2) {
			protocheck_must(open > 0, "a slice ends that did not begin");
			open--;
		}
	}
	protocheck_must(!open, "a slice does not end");
	array_fini(&c->switches);
	array_fini(&c->slices);
	array_fini(&c->tracks);
	free(c);
}

#endif
