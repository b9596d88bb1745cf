/* SPDX-License-Identifier: GPL-2.0-only */
/* Address spaces over time. */
#include "convert/symbols/spaces.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/mman.h>

#include "base/cursor.h"
#include "base/system/procfs.h"

/* Ended processes and replaced spaces are kept this long: samples wait up to a second for their
 * batch, then for the encoder. */
#define KEEP_NS UINT64_C(20000000000)
/* of <linux/perf_event.h>, which may be older than the recording */
#define MISC_FORK_EXEC (1u << 13)
#define MISC_MMAP_BUILD_ID (1u << 14)
#define MAPS_MAX ((size_t)16 << 20)

static void drop_spaces(struct spaces *s, struct process_spaces *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		vmas_fini(&s->pool, &p->all.at[i].vmas);
	p->all.n -= n;
	if (n)
		memmove(p->all.at, p->all.at + n, p->all.n * sizeof(*p->all.at));
	s->n_spaces -= n;
}

void spaces_fini(struct spaces *s)
{
	for (size_t i = 0; i < s->processes.n; i++) {
		drop_spaces(s, &s->processes.at[i], s->processes.at[i].all.n);
		array_fini(&s->processes.at[i].all);
	}
	array_fini(&s->processes);
	map_fini(&s->by_pid);
	vma_pool_fini(&s->pool);
	stringset_fini(&s->texts);
}

/* The number of spaces that began at @t_ns or before: the last of them was current then. */
static size_t begun(const struct process_spaces *p, uint64_t t_ns)
{
	size_t lo = 0, hi = p->all.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->all.at[mid].from_ns <= t_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Frees spaces that are no longer needed: older than KEEP_NS before @now_ns. */
static void tidy(struct spaces *s, uint64_t now_ns)
{
	uint64_t since_ns = now_ns > KEEP_NS ? now_ns - KEEP_NS : 0;

	for (size_t i = 0; i < s->processes.n; i++) {
		struct process_spaces *p = &s->processes.at[i];
		size_t old = begun(p, since_ns);

		if (p->ended_ns && p->ended_ns <= since_ns)
			drop_spaces(s, p, p->all.n);
		else if (old > 1)
			drop_spaces(s, p, old - 1);
		if (!p->all.n)
			array_fini(&p->all);
	}
	s->tidy_at = 2 * s->n_spaces + 4096;
}

static struct process_spaces *process_of(const struct spaces *s, int32_t pid)
{
	uint32_t *at = map_find(&s->by_pid, (uint32_t)pid, 0);

	return at && *at < s->processes.n ? &s->processes.at[*at] : NULL;
}

static struct process_spaces *process_add(struct spaces *s, int32_t pid)
{
	uint32_t *at = map_add(&s->by_pid, (uint32_t)pid, 0);

	if (at && *at == MAP_NEW && array_add(&s->processes))
		*at = (uint32_t)(s->processes.n - 1);
	return at && *at != MAP_NEW ? &s->processes.at[*at] : NULL;
}

static struct space *newest(struct process_spaces *p)
{
	return p && p->all.n ? &p->all.at[p->all.n - 1] : NULL;
}

/* Begins a space with the mappings of @from (taken). */
static struct space *space_new(struct spaces *s, int32_t pid, uint64_t t_ns, struct vmas from)
{
	struct process_spaces *p;
	struct space *space, *last;

	if (!s->keep && s->n_spaces >= s->tidy_at)
		tidy(s, t_ns);
	p = process_add(s, pid);
	last = newest(p);
	if (last && t_ns < last->from_ns)
		t_ns = last->from_ns;
	space = p ? array_add(&p->all) : NULL;
	if (!space) {
		s->out_of_memory = true;
		vmas_fini(&s->pool, &from);
		return NULL;
	}
	*space = (struct space){ ++s->numbers, t_ns, from };
	p->ended_ns = 0;
	s->n_spaces++;
	return space;
}

static void map_in(struct spaces *s, int32_t pid, uint64_t t_ns, const struct vma *vma)
{
	struct space *space = newest(process_of(s, pid));
	const struct vma *known = space ? vmas_find(&space->vmas, vma->start) : NULL;
	bool hides;

	if (!vma->path) {
		s->out_of_memory = true;
		return;
	}
	hides = space && vmas_hides(&space->vmas, vma);
	if (known && known->end >= vma->end && !hides)
		return;
	/* Keep the old space for samples resolved with it. */
	if (hides || !space)
		space = space_new(s, pid, t_ns,
				  space ? vmas_copy(&space->vmas) : (struct vmas){ 0 });
	s->pool.max = s->max_vmas ? s->max_vmas : SPACES_VMAS;
	if (!space || vmas_put(&s->pool, &space->vmas, vma))
		return;
	if (s->pool.n >= s->pool.max)
		s->full = true;
	else
		s->out_of_memory = true;
}

/* Parses "7f5e...-7f5e... r-xp 00026000 fe:00 1234    /lib/libc.so.6". */
static void read_line(struct spaces *s, int32_t pid, const char *line)
{
	char flags[8], path[PATH_MAX] = "";
	struct vma vma = { 0 };

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %" SCNu64 " %4095[^\n]",
		   &vma.start, &vma.end, flags, &vma.offset, &vma.inode, path) < 5 ||
	    flags[2] != 'x' || vma.end <= vma.start)
		return;
	vma.path =
		stringset_add(&s->texts, *path ? path : "//anon", strlen(*path ? path : "//anon"));
	map_in(s, pid, 0, &vma);
}

void spaces_read(struct spaces *s, const char *proc)
{
	DIR *dir = opendir(proc);
	struct buf text = { 0 };
	char path[NAME_MAX + 8];
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		int32_t pid = procfs_number(d->d_name);

		snprintf(path, sizeof(path), "%s/maps", d->d_name);
		if (!pid || procfs_read(dirfd(dir), path, &text, MAPS_MAX))
			continue;
		for (char *at = (char *)text.data, *nl; (nl = strchr(at, '\n')); at = nl + 1) {
			*nl = '\0';
			read_line(s, pid, at);
		}
	}
	if (dir)
		closedir(dir);
	buf_fini(&text);
}

static void forked(struct spaces *s, struct cursor *c, uint16_t misc, uint64_t t_ns)
{
	int32_t pid = (int32_t)cursor_u32(c), ppid = (int32_t)cursor_u32(c);
	const struct space *parent = spaces_find(s, ppid, t_ns);
	struct vmas vmas = { 0 };

	if (!cursor_ok(c) || pid == ppid) /* a new thread */
		return;
	if (parent && !(misc & MISC_FORK_EXEC))
		vmas = vmas_copy(&parent->vmas);
	space_new(s, pid, t_ns, vmas);
}

/* Reads device, inode and its generation, or in their place the build id. */
static void identify(struct spaces *s, struct cursor *c, uint16_t misc, struct vma *vma)
{
	char hex[2 * 20 + 1] = "";
	const uint8_t *id;
	uint8_t n;

	if (!(misc & MISC_MMAP_BUILD_ID)) {
		cursor_skip(c, 8); /* device */
		vma->inode = cursor_u64(c);
		cursor_skip(c, 8); /* inode generation */
		return;
	}
	n = cursor_u8(c);
	cursor_skip(c, 3);
	id = cursor_take(c, 20);
	for (uint8_t i = 0; id && i < n && i < 20; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	vma->build_id = *hex ? stringset_add(&s->texts, hex, strlen(hex)) : NULL;
	s->out_of_memory |= *hex && !vma->build_id;
}

static void mapped(struct spaces *s, struct cursor *c, uint32_t type, uint16_t misc, uint64_t t_ns)
{
	int32_t pid = (int32_t)cursor_u32(c);
	/* MMAP has no protection, but a bit for data */
	uint32_t prot = misc & PERF_RECORD_MISC_MMAP_DATA ? 0 : PROT_EXEC;
	struct vma vma = { 0 };
	const char *path;
	size_t len;

	cursor_u32(c);
	vma.start = cursor_u64(c);
	vma.end = vma.start + cursor_u64(c);
	vma.offset = cursor_u64(c);
	if (type == PERF_RECORD_MMAP2) {
		identify(s, c, misc, &vma);
		prot = cursor_u32(c);
		cursor_u32(c);
	}
	path = cursor_text(c, &len);
	if (!cursor_ok(c) || pid < 0 || vma.end <= vma.start || !(prot & PROT_EXEC))
		return;
	vma.path = stringset_add(&s->texts, path, len);
	map_in(s, pid, t_ns, &vma);
}

void spaces_record(struct spaces *s, const void *data, size_t size, bool big, uint64_t t_ns)
{
	struct cursor c = cursor_init(data, size, big);
	uint32_t type = cursor_u32(&c);
	uint16_t misc = cursor_u16(&c);
	struct process_spaces *p;
	int32_t pid, tid;

	cursor_u16(&c); /* size */
	switch (type) {
	case PERF_RECORD_FORK:
		forked(s, &c, misc, t_ns);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		mapped(s, &c, type, misc, t_ns);
		break;
	case PERF_RECORD_EXIT:
		pid = (int32_t)cursor_u32(&c);
		cursor_u32(&c);
		tid = (int32_t)cursor_u32(&c);
		p = cursor_ok(&c) && pid == tid ? process_of(s, pid) : NULL;
		if (p)
			p->ended_ns = t_ns ? t_ns : 1;
		break;
	default:
		break;
	}
}

const struct space *spaces_find(const struct spaces *s, int32_t pid, uint64_t t_ns)
{
	const struct process_spaces *p = process_of(s, pid);
	size_t n = p ? begun(p, t_ns) : 0;

	return n ? &p->all.at[n - 1] : NULL;
}

const struct vma *space_vma(const struct space *space, uint64_t address)
{
	return space ? vmas_find(&space->vmas, address) : NULL;
}
