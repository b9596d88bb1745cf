/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * redis.h - asks a Redis server, or the node of a cluster that has the key.
 *
 * libhiredis is loaded when the first server is opened. A connection that broke is made again and the
 * question asked once more: who asks must not mind whether it was answered twice.
 *
 * Failure    0 or a negative code with *err filled, which names the server
 * Threads    one at a time per struct redis
 * Ownership  an answer is given: redis_free() it, which NULL is fine for; its texts are borrowed
 */
#ifndef FLEET_REDIS_H
#define FLEET_REDIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"

struct redis;
struct redis_answer;

/* redis_open - redis://[user@]host[:port][,host[:port]...][/db]: the first that answers; no password, which is
 * @password or NULL. */
int redis_open(struct redis **out, const char *url, const char *password, struct cdict_error *err);
void redis_close(struct redis *r);
const char *redis_name(const struct redis *r); /* "redis://host:port" of the node asked last */

/* redis_ask - a command of @n words; @sizes NULL: they are texts. @tag: commands with the same one are of keys on the same
 * node. *@out NULL after a failure, which an error that the server answered is. */
int redis_ask(struct redis *r, const char *tag, const char *const *args, const size_t *sizes,
	      size_t n, struct redis_answer **out, struct cdict_error *err);
void redis_free(struct redis_answer *a);

enum redis_kind { REDIS_NOTHING = 0, REDIS_TEXT, REDIS_NUMBER, REDIS_LIST };
enum redis_kind redis_kind(const struct redis_answer *a);
/* redis_count - of a list; else 0. */
size_t redis_count(const struct redis_answer *a);
/* redis_text - of the list's element @i, or the text that the answer is; NULL: it is none. */
const char *redis_text(const struct redis_answer *a, size_t i, size_t *size);
bool redis_number(const struct redis_answer *a, int64_t *out);
bool redis_number_at(const struct redis_answer *a, size_t i, int64_t *out);

#endif
