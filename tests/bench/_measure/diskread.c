/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * diskread - reads a file in blocks of one size and prints the speed: a small benchmark for `cdict sweep`.
 *
 *	diskread -f FILE -b 64K [-c COUNT] [-n SAMPLES] [-d] [-j]
 *
 * A sample is COUNT consecutive blocks, wrapping around at the end of the file. -d bypasses the page
 * cache (O_DIRECT); otherwise the file is dropped from the cache before each sample. -j prints JSON:
 *	{"block_bytes": 65536, "count": 256, "benchmark_samples": [{"seconds": 0.01, "bandwidth": 1.6e9}, ...]}
 * bandwidth is in bytes per second.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ALIGNED 4096
#define SAMPLES_MAX 10000

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int fail(const char *what)
{
	fprintf(stderr, "diskread: %s: %s\n", what, strerror(errno));
	return 1;
}

/* Parses "64K"; 0: invalid. */
static size_t size_of(const char *text)
{
	char *end;
	unsigned long long v = strtoull(text, &end, 10);

	switch (*end) {
	case 'G':
		v <<= 10;
		/* fallthrough */
	case 'M':
		v <<= 10;
		/* fallthrough */
	case 'K':
		v <<= 10;
		end++;
	}
	return *end || v > (1u << 30) ? 0 : (size_t)v;
}

/* Reads a sample; returns the number of bytes, 0 on failure. */
static size_t sample(int fd, char *block, size_t size, unsigned long count)
{
	size_t bytes = 0;
	off_t at = 0;

	for (unsigned long i = 0; i < count; i++) {
		ssize_t n = pread(fd, block, size, at);

		if (n < 0 || (!n && !at))
			return 0;
		bytes += (size_t)n;
		at = (size_t)n < size ? 0 : at + n;
	}
	return bytes;
}

int main(int argc, char **argv)
{
	const char *file = NULL;
	size_t size = 4096, done;
	unsigned long count = 256, samples = 1;
	bool direct = false, json = false;
	char *block = NULL;
	double from, took;
	int fd, c;

	while ((c = getopt(argc, argv, "f:b:c:n:dj")) != -1) {
		switch (c) {
		case 'f':
			file = optarg;
			break;
		case 'b':
			size = size_of(optarg);
			break;
		case 'c':
			count = strtoul(optarg, NULL, 10);
			break;
		case 'n':
			samples = strtoul(optarg, NULL, 10);
			break;
		case 'd':
			direct = true;
			break;
		case 'j':
			json = true;
			break;
		default:
			return 129;
		}
	}
	if (!file || !size || !count || !samples || samples > SAMPLES_MAX || optind < argc) {
		fprintf(stderr,
			"usage: diskread -f FILE [-b SIZE] [-c COUNT] [-n SAMPLES] [-d] [-j]\n");
		return 129;
	}
	fd = open(file, O_RDONLY | O_CLOEXEC | (direct ? O_DIRECT : 0));
	if (fd < 0)
		return fail(file);
	errno = posix_memalign((void **)&block, ALIGNED, size);
	if (errno)
		return fail("memory");
	if (json)
		printf("{\"block_bytes\": %zu, \"count\": %lu, \"benchmark_samples\": [", size,
		       count);
	for (unsigned long i = 0; i < samples; i++) {
		if (!direct)
			posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		from = now();
		done = sample(fd, block, size, count);
		took = now() - from;
		if (!done)
			return fail(file);
		if (json)
			printf("%s{\"seconds\": %.9f, \"bandwidth\": %.1f}", i ? ", " : "", took,
			       (double)done / took);
		else
			printf("%.1f bytes/s\n", (double)done / took);
	}
	if (json)
		printf("]}\n");
	free(block);
	close(fd);
	return 0;
}
