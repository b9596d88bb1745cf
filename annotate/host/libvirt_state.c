/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads libvirt's domains from files, and manages the list of domains. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/host/libvirt.h"
#include "base/system/procfs.h"
#include "base/fail.h"
#include "base/system/monotonic.h"

void libvirt_domains_fini(struct libvirt_domains *d)
{
	for (size_t i = 0; i < d->all.n; i++)
		libvirt_domain_fini(&d->all.at[i]);
	array_fini(&d->all);
	memset(d, 0, sizeof(*d));
}

static void count_bad(struct libvirt_domains *d, const char *name, const char *why)
{
	if (!d->bad++)
		snprintf(d->first_bad, sizeof(d->first_bad), "%.100s: %.200s", name, why);
}

int libvirt_add_xml(struct libvirt_domains *d, const char *name, const void *xml, size_t size,
		    struct cdict_error *err)
{
	struct libvirt_domain domain;
	struct cdict_error why = { 0 };
	int rc = libvirt_xml_parse(&domain, xml, size, &why);

	if (rc && rc != -ENOMEM) {
		count_bad(d, name, why.text);
		return 0;
	}
	if (!rc && array_push(&d->all, domain)) {
		libvirt_domain_fini(&domain);
		rc = -ENOMEM;
	}
	return rc ? cdict_fail_nomem(err) : 0;
}

static int xml_name(const struct dirent *e)
{
	size_t len = strlen(e->d_name);

	return len > 4 && !strcmp(e->d_name + len - 4, ".xml");
}

static int read_one(struct libvirt_domains *d, int dir, const char *name, struct buf *text,
		    struct cdict_error *err)
{
	int rc = procfs_read(dir, name, text, LIBVIRT_XML_MAX + 1);

	if (rc == -ENOENT || rc == -EINVAL) /* the domain was shut down, or not a file */
		return 0;
	if (rc == -ENOMEM)
		return cdict_fail_nomem(err);
	if (rc) {
		count_bad(d, name, strerror(-rc));
		return 0;
	}
	return libvirt_add_xml(d, name, text->data, text->len, err);
}

int libvirt_read_state(struct libvirt_domains *d, const char *dir, uint64_t deadline_ns,
		       struct cdict_error *err)
{
	struct dirent **names = NULL;
	struct buf text = { 0 };
	DIR *open = opendir(dir);
	int n, rc = 0;

	if (!open)
		return cdict_fail_errno(err, dir);
	/* Sorted, so that the same folder always gives the same result. */
	n = scandirat(dirfd(open), ".", &names, xml_name, alphasort);
	if (n < 0)
		rc = cdict_fail_errno(err, dir);
	for (int i = 0; i < n; i++) {
		if (!rc && !monotonic_past(deadline_ns))
			rc = read_one(d, dirfd(open), names[i]->d_name, &text, err);
		free(names[i]);
	}
	free(names);
	closedir(open);
	buf_fini(&text);
	return rc;
}
