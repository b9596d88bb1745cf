/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mutilate.h - wounds the tree of hosttree.h: files go, change their kind or hold nonsense, as the
 * dice fall.  The same seed gives the same wounds.  The paths that list_files() finds are kept here
 * until it is called again; the last caller frees them.
 */
#ifndef TESTS_UNIT_MUTILATE_H
#define TESTS_UNIT_MUTILATE_H

#include <fcntl.h>

#include "tests/unit/hosttree.h"

static uint64_t seed;

static inline unsigned dice(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed >> 20) % n;
}

static char *paths[8192];
static size_t n_paths;

static inline int list_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	if (flag != FTW_D && ftw->level > 0 && n_paths < sizeof(paths) / sizeof(paths[0]))
		paths[n_paths++] = strdup(path);
	return 0;
}

/* Systemd, kworkers and the like are of no interest here, and make every round longer. */
static inline void drop_others(void)
{
	struct dirent *e;
	char path[512];
	DIR *d = opendir(tree);

	assert_non_null(d);
	while ((e = readdir(d))) {
		if (!numeric(e->d_name) || atoi(e->d_name) >= 990)
			continue;
		snprintf(path, sizeof(path), "%s/%s", tree, e->d_name);
		clear(path);
	}
	closedir(d);
}

static inline void list_files(void)
{
	while (n_paths)
		free(paths[--n_paths]);
	nftw(tree, list_one, 16, FTW_PHYS);
}

static inline void overwrite(const char *path)
{
	static const char *const texts[] = {
		"CPU 0/KVM\n",
		"CPU 1/KVM\n",
		"worker\n",
		"qemu-system-x86\n",
		"vhost-1775\n",
		"\n",
		"kvm-pit/1775\n",
		") (\n",
		"IO iothread1\n",
		"IO \n",
		"0::/x/libvirt/vcpu0\n",
		"17 (a) b) S 2 0 0 0 -1 0\n",
		"0::/libvirt/iothread1\n1::\n",
		"(",
		"1 () R",
		"/usr/bin/qemu-system-x86_64",
		"vcpu0",
		"kvm-nx-lpage-re\n",
	};
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC, 0644);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w"); /* a FIFO without a reader cannot be opened */

	if (!f)
		return;
	if (dice(3) == 0 && strstr(path, "/comm")) {
		fprintf(f, "CPU %u/KVM\n", dice(3));
	} else if (dice(2)) {
		fputs(texts[dice(sizeof(texts) / sizeof(texts[0]))], f);
	} else {
		for (unsigned i = dice(300); i; i--)
			putc((int)dice(256), f);
	}
	fclose(f);
}

static inline void mutate(const char *path)
{
	char dir[4096], *slash;

	snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	*slash = 0;
	switch (strcmp(dir, tree) ? dice(14) : 13) { /* the tree itself stays */
	case 0:
		unlink(path);
		break;
	case 1:
		clear(dir);
		break;
	case 2:
		unlink(path);
		mkfifo(path, 0644); /* fails when its folder went before */
		break;
	case 3:
		unlink(path);
		if (symlink(path, path))
			return;
		break;
	case 4:
		unlink(path);
		mkdir(path, 0755);
		break;
	case 5: /* a folder becomes a file */
		clear(dir);
		close(open(dir, O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
		break;
	case 6: /* names that are no task's */
		strcpy(slash, dice(2) ? "/017" : "/99999999999");
		mkdir(dir, 0755);
		break;
	default:
		overwrite(path);
	}
}

#endif
