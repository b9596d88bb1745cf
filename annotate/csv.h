/* SPDX-License-Identifier: GPL-2.0-only */
/* csv.h - the columns of a mapping file; mapping.h has the functions. */
#ifndef ANNOTATE_CSV_H
#define ANNOTATE_CSV_H

#include "annotate/mapping.h"

enum csv_column {
	CSV_TID,
	CSV_INSTANCE,
	CSV_ROLE,
	CSV_UUID,
	CSV_GROUP_TYPE,
	CSV_GROUP,
	CSV_NAME,
	/* These may be absent, as all but the first may be empty. */
	CSV_START,
	CSV_PROJECT,
	CSV_COLUMNS,
};

extern const char *const csv_columns[CSV_COLUMNS];

#endif
