/* SPDX-License-Identifier: GPL-2.0-only */
/* types_internal.h - a type as those who make it (pfw_types.c) and those who lay events out (pfw_records.c) see it. */
#ifndef EXCHANGE_PFW_TYPES_INTERNAL_H
#define EXCHANGE_PFW_TYPES_INTERNAL_H

#include "base/cursor.h"
#include "convert/pfw/types.h"

/* Fields that a type may have beside the first ones. */
#define FIELDS_MAX 48u

/* Where the fields stand that every type has. */
enum {
	AT_TYPE = 0,
	AT_PID = 4,
	AT_DUR = 8,
	AT_ARGS = 16,
	AT_PH = 20,
	AT_OTHERS = 24,
};

struct pfw_field {
	uint32_t key; /* word, NOT_NAMED: fname, host, size */
	bool text;
	uint16_t at; /* in the payload */
};

struct pfw_type {
	const char *category, *name; /* as in the schema */
	char *full_name;
	int32_t index; /* in the schema, or SOURCE_UNSTORED */
	bool sized;    /* what it returns is bytes */
	struct pfw_field fields[FIELDS_MAX];
	unsigned n_fields;
	uint16_t fname_at, host_at, size_at; /* 0: it has none */
	uint16_t payload_size;
	uint8_t *blank; /* a payload of which nothing is known */
	uint64_t unstored;
};

#endif
