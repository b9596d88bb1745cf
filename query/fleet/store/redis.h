/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * redis.h - sends commands to a Redis server, or to the cluster node that has the key.
 *
 * Opening the first server loads libhiredis. After a connection failure it reconnects and repeats the
 * command once: commands must tolerate being executed twice.
 *
 * Failure    0 or a negative code with *err filled, which names the server
 * Threads    one at a time per struct redis
 * Ownership  an answer is given: free it with redis_free() (NULL is fine); its texts are borrowed
 */
#ifndef QUERY_FLEET_STORE_REDIS_H
#define QUERY_FLEET_STORE_REDIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"

struct redis;
struct redis_answer;

/* redis_open - redis://[user@]host[:port][,host[:port]...][/db]: the first host that answers. No password in @url:
 * pass it in @password, or NULL. */
int redis_open(struct redis **out, const char *url, const char *password, struct cdict_error *err);
void redis_close(struct redis *r);
const char *redis_name(const struct redis *r); /* "redis://host:port" of the latest node */

/* redis_ask - sends a command of @n words; @sizes NULL: they are strings. @tag: commands with the same tag use keys on
 * the same node. *@out is NULL after a failure; an error reply is a failure. */
int redis_ask(struct redis *r, const char *tag, const char *const *args, const size_t *sizes,
	      size_t n, struct redis_answer **out, struct cdict_error *err);
void redis_free(struct redis_answer *a);

enum redis_kind { REDIS_NOTHING = 0, REDIS_TEXT, REDIS_NUMBER, REDIS_LIST };
enum redis_kind redis_kind(const struct redis_answer *a);
/* redis_count - length of a list; else 0. */
size_t redis_count(const struct redis_answer *a);
/* redis_text - element @i of a list, or the text of a string answer; NULL: neither. */
const char *redis_text(const struct redis_answer *a, size_t i, size_t *size);
bool redis_number(const struct redis_answer *a, int64_t *out);
bool redis_number_at(const struct redis_answer *a, size_t i, int64_t *out);

#endif
