/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * event.h - one stored tracepoint event.
 *
 * Units      t_ns is in the recording's own clock (perf's timestamps)
 * Ownership  an event read from a file is borrowed until the iterator that
 *            gave it moves on
 */
#ifndef CDICT_EVENT_H
#define CDICT_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "cdict/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

/* CPU number of events whose sample did not carry one. */
#define CDICT_CPU_UNKNOWN UINT32_MAX

/* cpumode of the sample: PERF_RECORD_MISC_* of <linux/perf_event.h>. */
enum cdict_mode {
	CDICT_MODE_UNKNOWN = 0,
	CDICT_MODE_KERNEL = 1,
	CDICT_MODE_USER = 2,
	CDICT_MODE_HYPERVISOR = 3,
	CDICT_MODE_GUEST_KERNEL = 4, /* fired on the host while a guest was entered */
	CDICT_MODE_GUEST_USER = 5,
};

struct cdict_bytes {
	const uint8_t *data; /* not NUL-terminated */
	size_t len;
};

/* Never grows, because callers allocate it; new data gets its own functions, such as
 * cdict_events_stack(). */
struct cdict_event {
	uint64_t t_ns;
	uint32_t cpu;
	int32_t pid, tid; /* of the sample: the task that was running */
	uint8_t mode;     /* enum cdict_mode */
	const struct cdict_event_type *type;
	/* One per field of the type. Scalars: the value (CDICT_FIELD_INT
	 * sign-extended). Other kinds: a key for cdict_event_bytes(). */
	const uint64_t *values;
	const struct cdict_bytes *bytes; /* what the keys index */
};

/* cdict_event_bytes - content of a field that is not a scalar: a fixed array without its
 * trailing NULs, a dynamic string (is_text) without the final one. If a dynamic string
 * does not end in a NUL, the bytes 0, 1 follow it. */
static inline struct cdict_bytes cdict_event_bytes(const struct cdict_event *ev, size_t field)
{
	return ev->bytes[ev->values[field]];
}

/* cdict_event_payload - rebuilds the raw tracepoint payload in the recording
 * kernel's layout and byte order. Dynamic parts follow the fixed part in field
 * order. Returns the payload's size, which may exceed @room: nothing past @room
 * is written. */
CDICT_API size_t cdict_event_payload(const struct cdict_schema *schema,
				     const struct cdict_event *ev, void *out, size_t room);

#ifdef __cplusplus
}
#endif
#endif
