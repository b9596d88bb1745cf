// SPDX-License-Identifier: LGPL-2.1-only
/* trace_pair.c - see trace_pair.h. */
#include "tables/guest/trace_pair.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/saturate.h"

#define ID_DIGITS 16u
/* Rounding, and the kernel's own: as of clocks by the TSC. */
#define ROUNDING_NS 1000u

/* The next "NAME:ID" of the list, ID of 16 digits and followed by a blank or the end; NULL: none. */
static const char *entry_id(const char *list)
{
	for (const char *at = list; (at = strchr(at, ':')); at++) {
		size_t n = strspn(at + 1, "0123456789abcdef");

		if (n == ID_DIGITS && (!at[1 + n] || at[1 + n] == ' '))
			return at + 1;
	}
	return NULL;
}

bool trace_pair_name(char name[TRACE_NAME_MAX], const struct cdict_reader *host,
		     const struct cdict_reader *guest)
{
	const char *list = cdict_reader_info(host, "trace.guests"),
		   *wanted = cdict_reader_info(guest, "trace.id"), *id;

	if (!list || !wanted || strlen(wanted) != ID_DIGITS)
		return false;
	while ((id = entry_id(list))) {
		size_t n = (size_t)(id - 1 - list);

		if (!memcmp(id, wanted, ID_DIGITS) && n && n < TRACE_NAME_MAX) {
			memcpy(name, list, n);
			name[n] = 0;
			return true;
		}
		list = id + ID_DIGITS;
		list += *list == ' ';
	}
	return false;
}

static uint64_t number(const struct cdict_reader *r, const char *key)
{
	const char *text = cdict_reader_info(r, key);

	return text ? (uint64_t)strtoll(text, NULL, 10) : 0;
}

int trace_pair_clock(struct guest_clock *out, bool *known, const struct cdict_reader *host,
		     const struct cdict_reader *guest, struct cdict_error *err)
{
	const char *id = cdict_reader_info(host, "trace.id"),
		   *peer = cdict_reader_info(guest, "trace.peer"),
		   *error = cdict_reader_info(guest, "trace.peer_error_ns");
	/* what trace-cmd adds to all times of one of them (OFFSET, DATE) */
	int64_t apart =
		(int64_t)(number(host, "trace.offset_ns") - number(guest, "trace.offset_ns"));
	uint64_t by = apart < 0 ? 0 - (uint64_t)apart : (uint64_t)apart;
	struct guest_knot knot = { apart < 0 ? by : 0, apart < 0 ? 0 : by };

	*known = error != NULL;
	if (!id || !peer || strcmp(id, peer))
		return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
				  "trace-cmd did not synchronize them");
	out->method = GUEST_CLOCK_TRACEDAT;
	out->error_ns = error ? saturated_sum(strtoull(error, NULL, 10), ROUNDING_NS) : 0;
	return array_push(&out->knots, knot) ? cdict_fail_nomem(err) : 0;
}
