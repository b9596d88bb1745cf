/* SPDX-License-Identifier: GPL-2.0-only */
#include "convert/perfwhiz/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/escape.h"
#include "convert/perfwhiz/msgpack_read.h"

#define COMM 16u

void perfwhiz_comm(char comm[COMM], const char *text)
{
	memset(comm, 0, COMM);
	memcpy(comm, text, escape_cut(text, strnlen(text, COMM), COMM - 1));
}

int perfwhiz_names_add(struct perfwhiz_names *n, int64_t tid, const char *text)
{
	struct perfwhiz_name *name;
	uint32_t *at;

	if (tid <= 0 || tid > INT32_MAX || !*text)
		return 0;
	at = map_add(&n->by_tid, (uint64_t)tid, 0);
	if (!at)
		return -ENOMEM;
	if (*at != MAP_NEW)
		return 0;
	*at = (uint32_t)n->all.n;
	name = array_add(&n->all);
	if (!name)
		return -ENOMEM;
	name->tid = (int32_t)tid;
	name->text = strdup(text);
	return name->text ? 0 : -ENOMEM;
}

void perfwhiz_names_fini(struct perfwhiz_names *n)
{
	for (size_t i = 0; i < n->all.n; i++)
		free(n->all.at[i].text);
	array_fini(&n->all);
	map_fini(&n->by_tid);
}

/* Whether perfwhiz appended it to a name: the thread's kind, from its cgroup. */
static bool is_role(const char *word)
{
	size_t digits = strspn(word, "abcdefghijklmnopqrstuvwxyz");

	if (!strcmp(word, "emulator") || !strncmp(word, "vhost", 5))
		return true;
	if (strncmp(word, "vcpu", 4) && strncmp(word, "iothread", 8))
		return false;
	return word[digits] && !word[digits + strspn(word + digits, "0123456789")];
}

struct parts {
	char name[MSGPACK_TEXT_MAX + 1], group[24];
	const char *role;
};

/* Splits "Firewall.05.vcpu0"; false when it has no role and fits a comm. */
static bool take_apart(const char *text, struct parts *p)
{
	char *dot;

	snprintf(p->name, sizeof(p->name), "%s", text);
	p->group[0] = '\0';
	p->role = "";
	dot = strrchr(p->name, '.');
	if (!dot || dot == p->name || !is_role(dot + 1))
		return strlen(text) >= COMM;
	*dot = '\0';
	p->role = dot + 1;
	dot = strrchr(p->name, '.');
	if (dot && dot != p->name && dot[1] && strlen(dot + 1) < 10 &&
	    !dot[1 + strspn(dot + 1, "0123456789")]) {
		snprintf(p->group, sizeof(p->group), "%lu", strtoul(dot + 1, NULL, 10));
		*dot = '\0';
	}
	return true;
}

int perfwhiz_names_store(const struct perfwhiz_names *n, struct ingest *in, struct cdict_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < n->all.n && !ret; i++) {
		char comm[COMM];
		struct cdict_task_event ev = {
			.what = CDICT_TASK_COMM, .pid = -1, .tid = n->all.at[i].tid, .comm = comm
		};

		perfwhiz_comm(comm, n->all.at[i].text);
		ret = ingest_task(in, &ev, err);
	}
	return ret;
}

int perfwhiz_names_label(const struct perfwhiz_names *n, struct cdict_writer *w,
			 struct cdict_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < n->all.n && !ret; i++) {
		struct parts p;
		struct cdict_label label = { .tid = n->all.at[i].tid, .origin = CDICT_LABEL_PROC };

		if (!take_apart(n->all.at[i].text, &p))
			continue;
		label.name = p.name;
		label.group = p.group;
		label.role = p.role;
		ret = cdict_writer_label(w, &label, err);
	}
	return ret;
}
