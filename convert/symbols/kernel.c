/* SPDX-License-Identifier: GPL-2.0-only */
/* The symbols of the recording's kernel. */
#include "convert/symbols/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cursor.h"
#include "base/system/procfs.h"

#define HOST_NOTES_MAX ((size_t)1 << 20)

/* How sure it is that this host runs the recording's kernel; or -ENOMEM. */
enum match { OTHER, BY_ADDRESS, SAME };

static int compare(const struct kernel_recorded *r, const struct kernel_host *host)
{
	struct buf notes = { 0 };
	struct build_id id = { "" };
	int ret;

	if (r->build_id) {
		ret = procfs_read(AT_FDCWD, host->notes, &notes, HOST_NOTES_MAX);
		if (!ret)
			build_id_in_notes(notes.data, notes.len, NATIVE_BIG, 4, &id);
		buf_fini(&notes);
		if (ret == -ENOMEM)
			return ret;
		return strcmp(id.hex, r->build_id) ? OTHER : SAME;
	}
	if (r->machine && strcmp(r->machine, host->machine) != 0)
		return OTHER;
	if (r->release)
		return strcmp(r->release, host->release) ? OTHER : SAME;
	return *r->function ? BY_ADDRESS : OTHER;
}

/* Reads kallsyms at @path, moved to the recording's addresses; @boot: only of the same boot, where
 * they have not moved. -ENOENT, -EACCES, -ENOMEM. */
static int read_moved(struct kallsyms **out, const char *path, const struct kernel_recorded *r,
		      bool boot)
{
	uint64_t at;
	int ret = kallsyms_read(out, AT_FDCWD, path);

	if (ret)
		return ret == -ENOMEM || ret == -EACCES ? ret : -ENOENT;
	at = *r->function ? kallsyms_address(*out, r->function) : 0;
	if (boot && at != r->at) {
		kallsyms_free(*out);
		*out = NULL;
		return -ENOENT;
	}
	if (at && r->at)
		kallsyms_move(*out, at - r->at);
	return 0;
}

int kernel_find(struct kallsyms **out, const struct kernel_recorded *recorded,
		const struct kernel_host *host, const struct symbol_files *files, const char **why)
{
	int match = compare(recorded, host);
	struct buf path = { 0 };
	int here = -ENOENT, ret = -ENOENT;

	*out = NULL;
	*why = "";
	if (match < 0)
		return match;
	/* of the same boot, with its modules */
	if (match != OTHER)
		here = ret = read_moved(out, host->kallsyms, recorded, true);
	if (ret && ret != -ENOMEM && recorded->build_id) {
		ret = symbol_files_cached(files, recorded->build_id, "kallsyms", &path);
		if (!ret)
			ret = read_moved(out, (const char *)path.data, recorded, false);
	}
	if (ret && ret != -ENOMEM && match == SAME && here != -EACCES)
		ret = read_moved(out, host->kallsyms, recorded, false);
	buf_fini(&path);
	if (!ret || ret == -ENOMEM)
		return ret;
	*why = here == -EACCES
		       ? "the kernel hides its addresses (kernel.kptr_restrict)"
		       : "this host runs another kernel, and perf's cache does not have them";
	return -ENOENT;
}
