// SPDX-License-Identifier: LGPL-2.1-only
/* event_glob.c - see event_glob.h. */
#include "base/event_glob.h"

#include <fnmatch.h>
#include <string.h>

#include "base/sampled.h"

bool event_glob(const char *glob, const char *name)
{
	const char *colon = strchr(name, ':');
	size_t system = colon ? (size_t)(colon - name) : 0;

	/* perf's modifiers are part of the name of samples: sample:cycles:u */
	if (colon && system == strlen(SAMPLED_SYSTEM) && !memcmp(name, SAMPLED_SYSTEM, system) &&
	    !fnmatch(glob, colon + 1, FNM_NOESCAPE))
		return true;
	if (strchr(glob, ':') || !colon)
		return !fnmatch(glob, name, FNM_NOESCAPE);
	return (strlen(glob) == system && !memcmp(glob, name, system)) ||
	       !fnmatch(glob, colon + 1, FNM_NOESCAPE);
}
