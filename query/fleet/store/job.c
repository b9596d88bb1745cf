/* SPDX-License-Identifier: GPL-2.0-only */
/* Jobs: ids and encoding. */
#include "query/fleet/store/job.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cursor.h"
#include "base/fail.h"

static const char magic[4] = { 'C', 'D', 'F', 'J' };
enum { VERSION = 1 };
/* A bucket lasts a millisecond to a day. */
#define BUCKET_LEAST UINT64_C(1000000)
#define BUCKET_MOST (UINT64_C(86400) * 1000000000)
#define TEN_YEARS_MS (UINT64_C(3653) * 86400000)

int fleet_job_id(const char *id, struct cdict_error *err)
{
	size_t n = strlen(id);
	bool number = n && strspn(id, "0123456789") == n;

	if (number && n == 4 && strcmp(id, "2001") >= 0)
		return 0;
	if (!number && n && n < FLEET_ID_ROOM && isalpha((unsigned char)*id) &&
	    strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == n)
		return 0;
	return cdict_fail(
		err, CDICT_EUSAGE, CDICT_NO_OFFSET,
		"'%.80s' is not a job id; expected 2001 to 9999, or a name of at most %d letters, "
		"digits, '.', '_' and '-' that begins with a letter",
		id, FLEET_ID_ROOM - 1);
}

void fleet_job_encode(struct buf *out, const struct fleet_job *job)
{
	buf_add(out, magic, sizeof(magic));
	buf_u8(out, VERSION);
	buf_varint(out, job->created_ms);
	buf_varint(out, job->expires_ms);
	buf_varint(out, job->bucket_ns);
	buf_string(out, job->info, strlen(job->info));
}

int fleet_job_decode(struct fleet_job *job, const char *id, const void *data, size_t size,
		     struct cdict_error *err)
{
	struct cursor c = cursor_init(data, size, false);
	const uint8_t *head = cursor_take(&c, sizeof(magic)), *info;
	uint8_t version = cursor_u8(&c);
	uint64_t n;

	*job = (struct fleet_job){ 0 };
	if (!head || memcmp(head, magic, sizeof(magic)) || fleet_job_id(id, NULL))
		return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
				  "the store's entry is not a cdict job");
	if (version != VERSION)
		return cdict_fail(err, CDICT_EVERSION, CDICT_NO_OFFSET,
				  "the job has version %u; this program reads version %d", version,
				  VERSION);
	strcpy(job->id, id);
	job->created_ms = cursor_varint(&c);
	job->expires_ms = cursor_varint(&c);
	job->bucket_ns = cursor_varint(&c);
	n = cursor_varint(&c);
	info = n < FLEET_INFO_ROOM ? cursor_take(&c, n) : NULL;
	if (!info || c.left || memchr(info, 0, n) || job->bucket_ns < BUCKET_LEAST ||
	    job->bucket_ns > BUCKET_MOST || job->created_ms >> 60 || job->expires_ms >> 60)
		return cdict_fail(err, CDICT_ECORRUPT, CDICT_NO_OFFSET,
				  "the job's entry in the store is damaged");
	memcpy(job->info, info, n);
	return 0;
}

uint64_t fleet_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

bool fleet_job_expired(const struct fleet_job *job, uint64_t now_ms)
{
	return job->expires_ms && job->expires_ms <= now_ms;
}

int fleet_duration_ms(const char *text, uint64_t *ms, struct cdict_error *err)
{
	static const struct {
		const char *unit;
		uint64_t ms;
	} units[] = {
		{ "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 }, { "d", 86400000 }
	};
	char *end = NULL;
	uint64_t v = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;

	for (size_t i = 0; end && v && i < sizeof(units) / sizeof(*units); i++) {
		if (!strcmp(end, units[i].unit) && v <= TEN_YEARS_MS / units[i].ms) {
			*ms = v * units[i].ms;
			return 0;
		}
	}
	return cdict_fail(
		err, CDICT_EUSAGE, CDICT_NO_OFFSET,
		"'%.40s' is not a duration; expected a number with ms, s, m, h or d, as in 7d, at most ten years",
		text);
}
