/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * capturekinds - the kinds of files that become a cdict, one a line, as the program's own table has them.
 */
#include <stdio.h>

#include "cmd/input/source_kinds.h"

int main(void)
{
	for (size_t i = 0; source_kind_at(i); i++)
		puts(source_kind_at(i)->name);
	return 0;
}
