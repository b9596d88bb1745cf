/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints what cdict opens for each name of an event, as "NAME TYPE CONFIG CONFIG1 CONFIG2 EXCLUDED", or "NAME unknown". */
#include <stdio.h>

#include "capture/host/events.h"

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct perf_event_attr attr = { 0 };

		if (!event_known(argv[i], &attr) && !event_pfm(argv[i], &attr)) {
			printf("%s unknown\n", argv[i]);
			continue;
		}
		printf("%s %u %#llx %#llx %#llx %s%s%s%s%s%s%s%s\n", argv[i], attr.type,
		       (unsigned long long)attr.config, (unsigned long long)attr.config1,
		       (unsigned long long)attr.config2, attr.exclude_user ? "u" : "",
		       attr.exclude_kernel ? "k" : "", attr.exclude_hv ? "h" : "",
		       attr.exclude_host ? "H" : "", attr.exclude_guest ? "G" : "",
		       attr.exclude_idle ? "I" : "", attr.pinned ? "D" : "",
		       attr.exclusive ? "e" : "");
	}
	return 0;
}
