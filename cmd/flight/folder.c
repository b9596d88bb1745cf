/* SPDX-License-Identifier: GPL-2.0-only */
/* Dumps of the flight recorder in their folder. */
#include "cmd/flight/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory/array.h"
#include "base/system/place.h"

/* "20261128T015903.120Z" */
#define STAMP 20
/* Of the VM's name, escaped: names of files have 255 bytes, and a hidden one 10 more. */
#define OF_MAX 100
#define ENDING ".cdict"

static bool is_plain(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       c == '.' || c == '-' || c == '_';
}

/* ---- names ---- */

char *flight_name(uint64_t at_ms, const char *of, const char *why)
{
	time_t s = (time_t)(at_ms / 1000);
	char stamp[32], escaped[OF_MAX + 1];
	size_t n = 0;
	struct tm tm;
	char *name;

	if (!gmtime_r(&s, &tm) || !strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%S", &tm))
		snprintf(stamp, sizeof(stamp), "19700101T000000");
	for (of = of ? of : ""; *of; of++) {
		size_t more = is_plain(*of) ? 1 : 3;

		if (n + more > OF_MAX)
			break;
		snprintf(escaped + n, more + 1, more == 1 ? "%c" : "%%%02X", (unsigned char)*of);
		n += more;
	}
	escaped[n] = '\0';
	return asprintf(&name, "%s.%03uZ%s%s_%s" ENDING, stamp, (unsigned)(at_ms % 1000),
			n ? "_" : "", escaped, why) < 0
		       ? NULL
		       : name;
}

/* @n digits at @text; -1: other characters. */
static int digits(const char *text, int n)
{
	int v = 0;

	for (int i = 0; i < n; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		v = v * 10 + (text[i] - '0');
	}
	return v;
}

static bool parse_stamp(const char *s, uint64_t *at_ms)
{
	struct tm tm = { 0 };
	int year, month, ms;
	time_t t;

	if (strnlen(s, STAMP) < STAMP || s[8] != 'T' || s[15] != '.' || s[19] != 'Z')
		return false;
	year = digits(s, 4);
	month = digits(s + 4, 2);
	tm.tm_year = year - 1900;
	tm.tm_mon = month - 1;
	tm.tm_mday = digits(s + 6, 2);
	tm.tm_hour = digits(s + 9, 2);
	tm.tm_min = digits(s + 11, 2);
	tm.tm_sec = digits(s + 13, 2);
	ms = digits(s + 16, 3);
	if (year < 1970 || month < 1 || month > 12 || tm.tm_mday < 1 || tm.tm_mday > 31 ||
	    tm.tm_hour < 0 || tm.tm_hour > 23 || tm.tm_min < 0 || tm.tm_min > 59 || tm.tm_sec < 0 ||
	    tm.tm_sec > 60 || ms < 0)
		return false;
	t = timegm(&tm);
	*at_ms = (uint64_t)t * 1000 + (uint64_t)ms;
	return t >= 0;
}

bool flight_name_parse(const char *name, uint64_t *at_ms)
{
	size_t len = strlen(name);

	if (len <= STAMP + strlen(ENDING) || strcmp(name + len - strlen(ENDING), ENDING) ||
	    name[STAMP] != '_' || !parse_stamp(name, at_ms))
		return false;
	for (const char *p = name + STAMP; *p; p++) {
		if (!is_plain(*p) && *p != '%')
			return false;
	}
	return true;
}

/* The name of an unfinished dump, of base/system/outfile.h: ".NAME.xxxxxxxx". */
static bool is_unfinished(const char *name)
{
	size_t len = strlen(name);
	char inner[256];
	uint64_t at_ms;

	if (*name != '.' || len < 11 || len > 255 || name[len - 9] != '.' ||
	    strspn(name + len - 8, "0123456789abcdef") != 8)
		return false;
	snprintf(inner, sizeof(inner), "%.*s", (int)(len - 10), name + 1);
	return flight_name_parse(inner, &at_ms);
}

/* ---- the folder ---- */

static void forget(struct flight_folder *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->at[i].name);
	array_fini(f);
	f->bytes = 0;
}

static int by_name(const void *a, const void *b)
{
	const struct flight_dump *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int add(struct flight_folder *f, const char *name)
{
	struct flight_dump d = { 0 };
	struct stat st;

	if (!flight_name_parse(name, &d.at_ms) || fstatat(f->fd, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode))
		return 0;
	d.bytes = (uint64_t)st.st_size;
	d.name = strdup(name);
	if (!d.name || array_push(f, d)) {
		free(d.name);
		return -ENOMEM;
	}
	f->bytes += d.bytes;
	return 0;
}

/* Calls @fn with each name; 0, or what it returned. */
static int each(struct flight_folder *f, int (*fn)(struct flight_folder *f, const char *name))
{
	int fd = openat(f->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!dir) {
		ret = -errno;
		if (fd >= 0)
			close(fd);
		return ret;
	}
	while (!ret && (e = readdir(dir)))
		ret = fn(f, e->d_name);
	closedir(dir);
	return ret;
}

int flight_folder_read(struct flight_folder *f, struct cdict_error *err)
{
	int ret;

	forget(f);
	ret = each(f, add);
	if (f->n)
		qsort(f->at, f->n, sizeof(*f->at), by_name); /* they begin with the time */
	return ret ? cdict_fail(err, ret, CDICT_NO_OFFSET, "%s: %s", f->path, cdict_strerror(ret))
		   : 0;
}

int flight_folder_open(struct flight_folder *f, const char *path, bool write,
		       struct cdict_error *err)
{
	int ret;

	*f = (struct flight_folder){ .path = path };
	f->fd = place_folder(path, write ? 0750 : 0);
	ret = f->fd < 0 ? f->fd : 0;
	f->fd = ret ? -1 : f->fd;
	if (ret)
		return cdict_fail(err, ret, CDICT_NO_OFFSET, "%s: %s", path, place_strerror(ret));
	if (write && flock(f->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		ret = cdict_fail(err, -EBUSY, CDICT_NO_OFFSET,
				 "%s: another flight recorder writes its dumps there", path);
	ret = ret ? ret : flight_folder_read(f, err);
	if (ret)
		flight_folder_close(f);
	return ret;
}

void flight_folder_close(struct flight_folder *f)
{
	forget(f);
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

static int sweep(struct flight_folder *f, const char *name)
{
	struct stat st;
	int fd;

	if (!is_unfinished(name) || fstatat(f->fd, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode))
		return 0;
	fd = openat(f->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return 0;
	/* Whoever writes it holds a lock. */
	if (!flock(fd, LOCK_EX | LOCK_NB) && !unlinkat(f->fd, name, 0))
		f->bytes++;
	close(fd);
	return 0;
}

size_t flight_folder_sweep(struct flight_folder *f)
{
	uint64_t bytes = f->bytes;
	size_t n;

	f->bytes = 0; /* counts the files */
	each(f, sweep);
	n = (size_t)f->bytes;
	f->bytes = bytes;
	return n;
}

/* Whether it begins as a capture. */
static bool is_capture(const struct flight_folder *f, const char *name)
{
	static const char magic[] = "\x89"
				    "CDICT\r\n";
	int fd = openat(f->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char first[8];
	bool is;

	if (fd < 0)
		return false;
	is = read(fd, first, sizeof(first)) == sizeof(first) && !memcmp(first, magic, 8);
	close(fd);
	return is;
}

int flight_folder_remove(struct flight_folder *f, size_t i)
{
	int ret = 0;

	if (!is_capture(f, f->at[i].name))
		ret = -EINVAL;
	else if (unlinkat(f->fd, f->at[i].name, 0) && errno != ENOENT)
		ret = -errno;
	f->bytes -= f->at[i].bytes;
	free(f->at[i].name);
	memmove(&f->at[i], &f->at[i + 1], (f->n - i - 1) * sizeof(*f->at));
	f->n--;
	return ret;
}

uint64_t flight_folder_free(const struct flight_folder *f)
{
	struct statvfs fs;

	return fstatvfs(f->fd, &fs) ? UINT64_MAX : (uint64_t)fs.f_bavail * fs.f_frsize;
}
