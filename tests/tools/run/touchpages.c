/* SPDX-License-Identifier: GPL-2.0-only */
/* touchpages PAGES [SLEEPS]: takes so many page faults, and gives its CPU away so often. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long sleeps = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	const struct timespec ms = { .tv_nsec = 1000000 };
	volatile char *p;

	p = mmap(NULL, n * page + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || madvise((void *)p, n * page + page, MADV_NOHUGEPAGE)) {
		perror("touchpages");
		return 1;
	}
	for (size_t i = 0; i < n; i++)
		p[i * page] = 1;
	while (sleeps--)
		nanosleep(&ms, NULL);
	return 0;
}
