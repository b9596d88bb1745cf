/* SPDX-License-Identifier: GPL-2.0-only */
/* Address spaces over time. */
#include "convert/symbols/spaces.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "base/cursor.h"
#include "base/system/procfs.h"

/* Ended processes and replaced spaces are kept this long: samples wait up to a second for their
 * batch, then for the encoder. */
#define KEEP_NS UINT64_C(20000000000)
#define MAPS_MAX ((size_t)16 << 20)

static void space_free(struct spaces *s, struct space *space)
{
	s->n_vmas -= space->vmas.n;
	s->n_spaces--;
	array_fini(&space->vmas);
	free(space);
}

void spaces_fini(struct spaces *s)
{
	for (size_t i = 0; i < s->processes.n; i++)
		for (struct space *p = s->processes.at[i].newest, *older; p; p = older) {
			older = p->older;
			space_free(s, p);
		}
	array_fini(&s->processes);
	map_fini(&s->by_pid);
	stringset_fini(&s->paths);
}

/* Frees spaces that are no longer needed: older than KEEP_NS before @now_ns. */
static void tidy(struct spaces *s, uint64_t now_ns)
{
	uint64_t since_ns = now_ns > KEEP_NS ? now_ns - KEEP_NS : 0;

	for (size_t i = 0; i < s->processes.n; i++) {
		struct process_spaces *p = &s->processes.at[i];
		struct space **at = &p->newest, *next;

		if (!p->ended_ns || p->ended_ns > since_ns)
			while (*at && (*at)->from_ns > since_ns)
				at = &(*at)->older;
		/* *at was current at since_ns; older ones were not. */
		if (*at && (!p->ended_ns || p->ended_ns > since_ns))
			at = &(*at)->older;
		for (struct space *old = *at; old; old = next) {
			next = old->older;
			space_free(s, old);
		}
		*at = NULL;
	}
	s->tidy_at = 2 * s->n_spaces + 4096;
}

static struct process_spaces *process_of(const struct spaces *s, int32_t pid)
{
	uint32_t *at = map_find(&s->by_pid, (uint32_t)pid, 0);

	return at && *at < s->processes.n ? &s->processes.at[*at] : NULL;
}

static struct space *space_new(struct spaces *s, int32_t pid, uint64_t t_ns)
{
	struct space *space = calloc(1, sizeof(*space));
	uint32_t *at;

	if (s->n_spaces >= s->tidy_at)
		tidy(s, t_ns);
	at = space ? map_add(&s->by_pid, (uint32_t)pid, 0) : NULL;
	if (at && *at == MAP_NEW && array_add(&s->processes))
		*at = (uint32_t)(s->processes.n - 1);
	if (!at || *at == MAP_NEW) {
		free(space);
		return NULL;
	}
	space->number = ++s->numbers;
	space->from_ns = t_ns;
	space->older = s->processes.at[*at].newest;
	s->processes.at[*at] = (struct process_spaces){ .newest = space };
	s->n_spaces++;
	return space;
}

static void add_vma(struct spaces *s, struct space *space, const struct vma *vma)
{
	if (s->n_vmas < SPACES_VMAS && vma->path && !array_push(&space->vmas, *vma))
		s->n_vmas++;
}

/* Copies the mappings of @from that are outside @start to @end. */
static void copy(struct spaces *s, struct space *to, const struct space *from, uint64_t start,
		 uint64_t end)
{
	for (size_t i = 0; from && i < from->vmas.n; i++)
		if (from->vmas.at[i].end <= start || from->vmas.at[i].start >= end)
			add_vma(s, to, &from->vmas.at[i]);
}

static void map_in(struct spaces *s, int32_t pid, uint64_t t_ns, const struct vma *vma)
{
	struct process_spaces *p = process_of(s, pid);
	struct space *space = p ? p->newest : NULL;
	bool over = false;

	for (size_t i = 0; space && i < space->vmas.n && !over; i++)
		over = space->vmas.at[i].start < vma->end && vma->start < space->vmas.at[i].end;
	/* Keep the old space for samples resolved with it. */
	if (over || !space) {
		space = space_new(s, pid, t_ns);
		if (space)
			copy(s, space, space->older, vma->start, vma->end);
	}
	if (space)
		add_vma(s, space, vma);
}

/* Parses "7f5e...-7f5e... r-xp 00026000 fe:00 1234    /lib/libc.so.6". */
static void read_line(struct spaces *s, int32_t pid, const char *line)
{
	char flags[8], path[PATH_MAX] = "";
	struct vma vma;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %" SCNu64 " %4095[^\n]",
		   &vma.start, &vma.end, flags, &vma.offset, &vma.inode, path) < 5 ||
	    flags[2] != 'x' || vma.end <= vma.start)
		return;
	vma.path =
		stringset_add(&s->paths, *path ? path : "//anon", strlen(*path ? path : "//anon"));
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

static void forked(struct spaces *s, struct cursor *c, uint64_t t_ns)
{
	int32_t pid = (int32_t)cursor_u32(c), ppid = (int32_t)cursor_u32(c);
	const struct space *parent = spaces_find(s, ppid, t_ns);
	struct space *space;

	if (!cursor_ok(c) || pid == ppid) /* a new thread */
		return;
	space = space_new(s, pid, t_ns);
	if (space)
		copy(s, space, parent, 0, 0);
}

static void mapped(struct spaces *s, struct cursor *c, uint64_t t_ns)
{
	int32_t pid = (int32_t)cursor_u32(c);
	struct vma vma;
	const char *path;
	uint32_t prot;
	size_t len;

	cursor_u32(c);
	vma.start = cursor_u64(c);
	vma.end = vma.start + cursor_u64(c);
	vma.offset = cursor_u64(c);
	cursor_skip(c, 8); /* device */
	vma.inode = cursor_u64(c);
	cursor_skip(c, 8); /* inode generation */
	prot = cursor_u32(c);
	cursor_u32(c);
	path = cursor_text(c, &len);
	if (!cursor_ok(c) || pid < 0 || vma.end <= vma.start || !(prot & 4 /* PROT_EXEC */))
		return;
	vma.path = stringset_add(&s->paths, path, len);
	map_in(s, pid, t_ns, &vma);
}

void spaces_record(struct spaces *s, const struct perf_event_header *record, uint64_t t_ns)
{
	struct cursor c = cursor_init(record + 1, record->size - sizeof(*record), NATIVE_BIG);
	struct process_spaces *p;
	int32_t pid, tid;

	switch (record->type) {
	case PERF_RECORD_FORK:
		forked(s, &c, t_ns);
		break;
	case PERF_RECORD_MMAP2:
		mapped(s, &c, t_ns);
		break;
	case PERF_RECORD_COMM:
		pid = (int32_t)cursor_u32(&c);
		if (cursor_ok(&c) && record->misc & PERF_RECORD_MISC_COMM_EXEC)
			space_new(s, pid, t_ns);
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
	const struct space *space = p ? p->newest : NULL;

	while (space && space->from_ns > t_ns)
		space = space->older;
	return space;
}

const struct vma *space_vma(const struct space *space, uint64_t address)
{
	for (size_t i = space ? space->vmas.n : 0; i-- > 0;)
		if (space->vmas.at[i].start <= address && address < space->vmas.at[i].end)
			return &space->vmas.at[i];
	return NULL;
}
