/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares the kernel of a recording with the one that runs here. */
#include "capture/host/same_kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/procfs.h"

#define KALLSYMS_MAX ((size_t)128 << 20)
/* perf's clock and the wall clock drift apart, and a file may be closed later than it was written. */
#define SLACK_NS 10000000000ull

/* The address in "ffffffff81000000 T _text"; 0 when there is no such symbol, or its address is
 * hidden. */
static uint64_t address_of(const char *kallsyms, const char *symbol)
{
	size_t n = strlen(symbol);

	for (const char *at = kallsyms; (at = strstr(at, symbol)); at += n) {
		const char *line = at;

		if (at == kallsyms || at[-1] != ' ' || (at[n] != '\n' && at[n]))
			continue;
		while (line > kallsyms && line[-1] != '\n')
			line--;
		return strtoull(line, NULL, 16);
	}
	return 0;
}

/* Compares the address of the kernel's text: 1 same, 0 different, -1 unknown. */
static int text_agrees(const struct same_kernel_host *host, const struct lent_survey *s, char *text,
		       size_t size)
{
	static const char *const ends[] = { "_etext", "_edata" };
	struct buf kallsyms = { 0 };
	uint64_t here = 0, end = 0;
	int ret = -1;

	if (!s->symbol[0] || procfs_read(host->proc, "kallsyms", &kallsyms, KALLSYMS_MAX)) {
		buf_fini(&kallsyms);
		return -1;
	}
	here = address_of((const char *)kallsyms.data, s->symbol);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]) && end != s->text_to; i++) {
		uint64_t at = address_of((const char *)kallsyms.data, ends[i]);

		end = at ? at : end;
	}
	buf_fini(&kallsyms);
	if (here && end) {
		ret = here == s->text_at && end == s->text_to;
		snprintf(text, size,
			 ret ? "kernel text at 0x%" PRIx64 "-0x%" PRIx64
			     : "its kernel text is at 0x%" PRIx64 "-0x%" PRIx64
			       ", here at 0x%" PRIx64 "-0x%" PRIx64,
			 s->text_at, s->text_to, here, end);
	}
	return ret;
}

static bool differs(const char *recorded, const char *here)
{
	return recorded && *recorded && strcmp(recorded, here) != 0;
}

bool same_kernel(const struct same_kernel_host *host, const struct same_kernel_file *file,
		 char *text, size_t size)
{
	const struct lent_survey *s = file->survey;
	const char *release = file->release ? file->release : s->release[0] ? s->release : NULL;
	char where[160] = "";
	int at;

	if (s->big != host->big) {
		snprintf(text, size, "it is from a machine with the other byte order");
		return false;
	}
	if (differs(file->machine, host->machine)) {
		snprintf(text, size, "its architecture is %.64s, this machine's is %.64s",
			 file->machine, host->machine);
		return false;
	}
	if (differs(release, host->release)) {
		snprintf(text, size, "it is from kernel %.64s, this host runs %.64s", release,
			 host->release);
		return false;
	}
	if (file->written_ns < host->boot_ns) {
		snprintf(text, size, "it was written before this machine booted");
		return false;
	}
	/* perf's own clock counts from the boot. */
	if (!file->clocked && s->last_ns > file->written_ns - host->boot_ns + SLACK_NS) {
		snprintf(text, size,
			 "its last event is %.0f s after its machine's boot, this machine had "
			 "been up for %.0f s when it was written",
			 (double)s->last_ns / 1e9,
			 (double)(file->written_ns - host->boot_ns) / 1e9);
		return false;
	}
	at = text_agrees(host, s, where, sizeof(where));
	if (!at) {
		snprintf(text, size, "%s", where);
		return false;
	}
	if (at < 0 && !(release && file->machine)) {
		snprintf(
			text, size, "its kernel cannot be identified: %s",
			s->symbol[0]
				? "kernel text addresses cannot be compared (only root sees them in /proc/kallsyms)"
				: "it does not record the address of the kernel's text");
		return false;
	}
	snprintf(text, size, "%s%.64s%s%s%swritten since boot", release ? "kernel " : "",
		 release ? release : "", release ? ", " : "", where, *where ? ", " : "");
	return true;
}
