// SPDX-License-Identifier: LGPL-2.1-only
/* Display names of labels. */
#include "format/labels/label_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/sink.h"

static const char *safe(const char *text)
{
	return text ? text : "";
}

/* A number without leading zeros, or NULL: "007" is "7", "0" is "0". */
static const char *digits(const char *group)
{
	const char *p = group;

	while (*p && isdigit((unsigned char)*p))
		p++;
	if (p == group || *p)
		return NULL;
	while (*group == '0' && group[1])
		group++;
	return group;
}

static void add_group(struct sink *s, const char *group)
{
	const char *number = digits(group);

	if (!*group)
		return;
	sink_putc(s, '.');
	if (number && !number[1])
		sink_putc(s, '0');
	sink_puts(s, number ? number : group);
}

static char *finish(struct sink *s, bool *failed)
{
	char *text = sink_take(s, NULL);

	*failed |= !text;
	return text;
}

static const char *called(const struct cdict_label *l)
{
	return *safe(l->name) ? l->name : safe(l->instance);
}

char *label_text_name(const struct cdict_label *l, bool *failed)
{
	struct sink s;

	if (!*called(l))
		return NULL;
	sink_to_memory(&s);
	sink_puts(&s, called(l));
	add_group(&s, safe(l->group));
	if (*safe(l->role)) {
		sink_putc(&s, '.');
		sink_puts(&s, l->role);
	}
	return finish(&s, failed);
}

char *label_text_vm(const struct cdict_label *l, bool *failed)
{
	struct sink s;

	if (!*called(l) && !*safe(l->uuid))
		return NULL;
	sink_to_memory(&s);
	sink_puts(&s, *called(l) ? called(l) : l->uuid);
	if (*called(l))
		add_group(&s, safe(l->group));
	return finish(&s, failed);
}

/* Adds the text with each number as its length and digits, so that 2 sorts before 10. */
static void add_natural(struct sink *s, const char *text)
{
	while (*text) {
		size_t zeros = 0, n = 0;

		if (!isdigit((unsigned char)*text)) {
			sink_putc(s, *text++);
			continue;
		}
		zeros = strspn(text, "0");
		n = strspn(text + zeros, "0123456789");
		sink_putc(s, '0' + (char)(n < 70 ? n / 10 : 7));
		sink_putc(s, '0' + (char)(n % 10));
		sink_add(s, text + zeros, n);
		text += zeros + n;
	}
}

char *label_text_order(const struct cdict_label *l)
{
	struct sink s;

	if (!*called(l))
		return NULL;
	sink_to_memory(&s);
	if (*safe(l->group)) {
		sink_putc(&s, 1);
		/* numbers before words: digits sort before letters */
		add_natural(&s, l->group);
	} else {
		sink_putc(&s, 2);
	}
	sink_putc(&s, 1);
	add_natural(&s, called(l));
	sink_putc(&s, 1);
	add_natural(&s, safe(l->role));
	return sink_take(&s, NULL);
}

int label_text_vcpu(const char *role)
{
	const char *p = safe(role);
	int n = 0;

	if (strncmp(p, "vcpu", 4) || !p[4] || strlen(p) > 4 + 6)
		return -1;
	for (p += 4; *p; p++) {
		if (!isdigit((unsigned char)*p))
			return -1;
		n = 10 * n + (*p - '0');
	}
	return n;
}

const char *label_text_origin(enum cdict_label_origin origin)
{
	switch (origin) {
	case CDICT_LABEL_PROC:
		return "proc";
	case CDICT_LABEL_LIBVIRT:
		return "libvirt";
	case CDICT_LABEL_OPENSTACK:
		return "openstack";
	case CDICT_LABEL_CSV:
		return "csv";
	}
	return "?";
}
