/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * noplugins - perf prints events by the kernel's own print formats: where it uses the system's
 * libtraceevent, and that one's plugins are there (trace-cmd needs them), sched_switch and others
 * are printed their way, "perf:1301 [120] R ==> …". Only perf itself has this, not its children.
 */
#include <stddef.h>
#include <stdlib.h>

struct tep_plugin_list *tep_load_plugins(void *tep);

struct tep_plugin_list *tep_load_plugins(void *tep)
{
	(void)tep;
	return NULL;
}

static void __attribute__((constructor)) alone(void)
{
	unsetenv("LD_PRELOAD");
}
