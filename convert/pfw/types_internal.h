/* SPDX-License-Identifier: GPL-2.0-only */
/* types_internal.h - an event type, shared by types.c, which makes it, and records.c, which writes events. */
#ifndef CONVERT_PFW_TYPES_INTERNAL_H
#define CONVERT_PFW_TYPES_INTERNAL_H

#include "base/cursor.h"
#include "convert/pfw/types.h"

/* Limit of the fields of a type beside the common ones. */
#define FIELDS_MAX 48u

/* Offsets of the fields that every type has. */
enum {
	AT_TYPE = 0,
	AT_PID = 4,
	AT_DUR = 8,
	AT_ARGS = 16,
	AT_PH = 20,
	AT_OTHERS = 24,
};

struct pfw_field {
	uint32_t key; /* word; NOT_NAMED: fname, host, size */
	bool text;
	uint16_t at; /* offset in the payload */
};

struct pfw_type {
	const char *category, *name; /* as in the schema */
	char *full_name;
	int32_t index; /* in the schema, or SOURCE_UNSTORED */
	bool sized;    /* its return value is a number of bytes */
	struct pfw_field fields[FIELDS_MAX];
	unsigned n_fields;
	uint16_t fname_at, host_at, size_at; /* offsets; 0: no such field */
	uint16_t payload_size;
	uint8_t *blank; /* a payload in which all values are missing */
	uint64_t unstored;
};

#endif
