/* SPDX-License-Identifier: GPL-2.0-only */
/* Files by build id, in the layout of tools/perf/util/build-id.c. */
#include "convert/symbols/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "convert/symbols/elfsyms.h"

int symbol_files_init(struct symbol_files *f, const char *symfs, const char *cache)
{
	const char *home = getenv("HOME"), *named = getenv("PERF_BUILDID_DIR");

	*f = (struct symbol_files){ .symfs = symfs };
	if (cache)
		buf_printf(&f->cache, "%s", cache);
	else if (symfs)
		buf_printf(&f->cache, "%s/.debug", symfs);
	else if (named && *named)
		buf_printf(&f->cache, "%s", named);
	else if (home && *home)
		buf_printf(&f->cache, "%s/.debug", home);
	buf_u8(&f->cache, 0);
	return f->cache.failed ? -ENOMEM : 0;
}

void symbol_files_fini(struct symbol_files *f)
{
	buf_fini(&f->cache);
	map_fini(&f->by_path);
	array_fini(&f->ids);
}

int symbol_files_id(struct symbol_files *f, const char *path, const char *build_id)
{
	uint32_t *at = map_add(&f->by_path, (uintptr_t)path, 0);

	if (!at || array_push(&f->ids, build_id))
		return -ENOMEM;
	*at = (uint32_t)(f->ids.n - 1);
	return 0;
}

int symbol_files_cached(const struct symbol_files *f, const char *build_id, const char *name,
			struct buf *path)
{
	if (f->cache.len < 2 || strlen(build_id) < 4)
		return -ENOENT;
	buf_printf(path, "%s/.build-id/%.2s/%s%s%s", (const char *)f->cache.data, build_id,
		   build_id + 2, *name ? "/" : "", name);
	buf_u8(path, 0);
	return path->failed ? -ENOMEM : 0;
}

/* Opens @path, if its file has the build id, or @id is NULL. */
static int open_checked(const struct buf *path, const char *id)
{
	int fd = elfsyms_open_file((const char *)path->data), ret = 0;
	struct build_id found;

	if (fd < 0)
		return fd;
	if (id)
		ret = build_id_of_file(fd, &found);
	if (!ret && (!id || !strcmp(found.hex, id)))
		return fd;
	close(fd);
	return ret == -ENOMEM ? ret : -ENOENT;
}

/* Whether a component of @path is "..": below a folder it would lead out of it. */
static bool climbs(const char *path)
{
	for (const char *at = path; (at = strstr(at, "..")); at += 2)
		if ((at == path || at[-1] == '/') && (!at[2] || at[2] == '/'))
			return true;
	return false;
}

static const char *id_of(const struct symbol_files *f, const struct vma *vma)
{
	uint32_t *at;

	if (vma->build_id)
		return vma->build_id;
	at = map_find(&f->by_path, (uintptr_t)vma->path, 0);
	return at ? f->ids.at[*at] : NULL;
}

int symbol_files_open(const struct symbol_files *f, const struct vma *vma)
{
	static const char *const names[] = { "elf", "vdso", "" }; /* "": perf before 4.6 */
	const char *id = id_of(f, vma);
	struct buf path = { 0 };
	int fd = -ENOENT;

	for (size_t i = 0; id && fd == -ENOENT && i < sizeof(names) / sizeof(names[0]); i++) {
		path.len = 0;
		fd = symbol_files_cached(f, id, names[i], &path);
		if (!fd)
			fd = open_checked(&path, id);
	}
	if (fd == -ENOENT && *vma->path == '/' && strncmp(vma->path, "//", 2) != 0 &&
	    !(f->symfs && climbs(vma->path))) {
		path.len = 0;
		buf_printf(&path, "%s%s", f->symfs ? f->symfs : "", vma->path);
		buf_u8(&path, 0);
		fd = path.failed ? -ENOMEM : open_checked(&path, id);
	}
	buf_fini(&path);
	return fd;
}
