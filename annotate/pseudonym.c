// SPDX-License-Identifier: GPL-2.0-only
/* Pseudonyms.  SipHash: Aumasson, Bernstein, "SipHash: a fast short-input
 * PRF", 2012. */
#include "annotate/pseudonym.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"

static uint64_t rotate(uint64_t v, unsigned by)
{
	return v << by | v >> (64 - by);
}

static void rounds(uint64_t v[4], unsigned n)
{
	while (n--) {
		v[0] += v[1];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[0] = rotate(v[0], 32);
		v[2] += v[3];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[2] = rotate(v[2], 32);
	}
}

uint64_t pseudonym_siphash(const uint64_t key[2], const uint8_t *data, size_t size)
{
	uint64_t v[4] = { key[0] ^ UINT64_C(0x736f6d6570736575),
			  key[1] ^ UINT64_C(0x646f72616e646f6d),
			  key[0] ^ UINT64_C(0x6c7967656e657261),
			  key[1] ^ UINT64_C(0x7465646279746573) };
	uint64_t last = (uint64_t)size << 56;
	size_t i;

	for (i = 0; i + 8 <= size; i += 8) {
		uint64_t m = le64(data + i);

		v[3] ^= m;
		rounds(v, 2);
		v[0] ^= m;
	}
	for (unsigned k = 0; i + k < size; k++)
		last |= (uint64_t)data[i + k] << 8 * k;
	v[3] ^= last;
	rounds(v, 2);
	v[0] ^= last;
	v[2] ^= 0xff;
	rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

void pseudonyms_init(struct pseudonyms *p, const void *secret, size_t size)
{
	static const uint64_t one[2] = { 1, 0 }, two[2] = { 2, 0 };

	*p = (struct pseudonyms){ 0 };
	if (!size)
		return;
	p->key[0] = pseudonym_siphash(one, secret, size);
	p->key[1] = pseudonym_siphash(two, secret, size);
}

void pseudonyms_fini(struct pseudonyms *p)
{
	stringset_fini(&p->texts);
	*p = (struct pseudonyms){ 0 };
}

/* @kind makes the same text of two kinds two different pseudonyms. */
static uint64_t hash_of(const struct pseudonyms *p, char kind, const char *text, size_t len)
{
	uint64_t key[2] = { p->key[0], p->key[1] ^ (uint64_t)(uint8_t)kind << 32 };

	return pseudonym_siphash(key, (const uint8_t *)text, len);
}

const char *pseudonym(struct pseudonyms *p, char kind, const char *text, size_t len)
{
	char room[16];
	int n;

	if (!len)
		return "";
	n = snprintf(room, sizeof(room), "%c-%010" PRIx64, kind,
		     hash_of(p, kind, text, len) & UINT64_C(0xffffffffff));
	return stringset_add(&p->texts, room, (size_t)n);
}

/* Whether @text matches @pattern, in which # stands for one or more digits. */
static bool like(const char *pattern, const char *text, size_t len)
{
	size_t i = 0;

	for (; *pattern; pattern++) {
		size_t from = i;

		if (*pattern != '#') {
			if (i == len || text[i++] != *pattern)
				return false;
			continue;
		}
		while (i < len && text[i] >= '0' && text[i] <= '9')
			i++;
		if (i == from)
			return false;
	}
	return i == len;
}

static bool like_any(const char *const *patterns, const char *text, size_t len)
{
	for (; *patterns; patterns++) {
		if (like(*patterns, text, len))
			return true;
	}
	return false;
}

/* Common comms that do not identify a machine's owner. */
static const char *const usual_comms[] = {
	"swapper",
	"swapper/#",
	"CPU #/KVM",
	"IO iothread#",
	"vhost-#",
	"kvm-pit/#",
	"kvm-nx-lpage-re",
	"qemu-kvm",
	"qemu-system-x86",
	"qemu-system-aar",
	"vnc_worker",
	"worker",
	"kthreadd",
	"ksoftirqd/#",
	"migration/#",
	"cpuhp/#",
	"kworker/#:#",
	"kworker/#:#H",
	"kworker/u#:#",
	"rcu_sched",
	"rcu_preempt",
	"rcu_bh",
	"rcuop/#",
	"rcuog/#",
	"rcuos/#",
	"rcu_tasks_kthre",
	"rcu_gp",
	"watchdog/#",
	"watchdogd",
	"kswapd#",
	"kcompactd#",
	"khugepaged",
	"ksmd",
	"khungtaskd",
	"idle_inject/#",
	"oom_reaper",
	"writeback",
	"kblockd",
	"kauditd",
	"perf",
	"<...>",
	":#",
	":-#",
	NULL,
};

static const char *const usual_roles[] = {
	"vcpu#",
	"emulator",
	"iothread#",
	"worker",
	"worker#",
	"vhost",
	"vhost#",
	"vhost-#",
	"kvm-pit",
	"kvm-nx",
	"kvm-nx-lpage-recovery",
	NULL,
};

static const char *const numbers[] = { "#", NULL };

const char *pseudonym_comm(struct pseudonyms *p, const char *text, size_t len)
{
	len = strnlen(text, len);
	if (p->last && strlen(p->last) == len && !memcmp(p->last, text, len))
		return p->last_pseudonym;
	p->last = stringset_add(&p->texts, text, len);
	p->last_pseudonym = p->last && !like_any(usual_comms, text, len)
				    ? pseudonym(p, 't', text, len)
				    : p->last;
	if (!p->last_pseudonym)
		p->last = NULL;
	return p->last_pseudonym;
}

static bool hide(struct pseudonyms *p, char kind, const char *const *usual, const char **text)
{
	if (!*text || !**text || (usual && like_any(usual, *text, strlen(*text))))
		return true;
	*text = pseudonym(p, kind, *text, strlen(*text));
	return *text != NULL;
}

const char *pseudonym_uuid(struct pseudonyms *p, const char *uuid)
{
	size_t len = strlen(uuid);
	uint64_t a = hash_of(p, 'u', uuid, len);
	uint64_t b = hash_of(p, 'v', uuid, len);
	char room[48];

	if (!len)
		return uuid;
	snprintf(room, sizeof(room), "%08x-%04x-%04x-%04x-%012" PRIx64, (unsigned)(a >> 32),
		 (unsigned)(a >> 16 & 0xffff), (unsigned)(a & 0xffff), (unsigned)(b >> 48),
		 b & UINT64_C(0xffffffffffff));
	return stringset_add(&p->texts, room, strlen(room));
}

static bool hide_uuid(struct pseudonyms *p, const char **uuid)
{
	if (!*uuid)
		return true;
	*uuid = pseudonym_uuid(p, *uuid);
	return *uuid != NULL;
}

int pseudonym_label(struct pseudonyms *p, struct cdict_label *l)
{
	bool ok = hide(p, 'n', NULL, &l->name) && hide(p, 'g', numbers, &l->group) &&
		  hide(p, 'y', NULL, &l->group_type) && hide(p, 'r', usual_roles, &l->role) &&
		  hide_uuid(p, &l->uuid) && hide(p, 'i', NULL, &l->instance) &&
		  hide(p, 'p', NULL, &l->project) && hide(p, 'h', NULL, &l->host) &&
		  hide(p, 's', NULL, &l->unit) && hide(p, 'c', NULL, &l->cgroup);

	return ok ? 0 : -ENOMEM;
}
