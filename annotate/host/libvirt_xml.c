/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses libvirt's domain XML with expat. */
#include "annotate/host/libvirt.h"

#include <errno.h>
#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/procfs.h"
#include "base/fail.h"
#include "base/memory/buf.h"

/* expat 2.9 has 64-bit positions on every machine, and deprecates the older functions. */
#if XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION < 9
#define XML_GetCurrentByteIndex64 XML_GetCurrentByteIndex
#define XML_GetCurrentLineNumber64 XML_GetCurrentLineNumber
#endif

#define DEPTH_MAX 200       /* real files have about 12 */
#define LEVELS_MAX 16       /* wanted elements are not deeper */
#define TEXT_MAX_BYTES 1024 /* MAPPING_TEXT_MAX */
#define VCPUS_MAX 65536

/* Nova's namespace ends in /1.0 or /1.1. */
static const char nova_uri[] = "http://openstack.org/xmlns/libvirt/nova/";

#define FLAVOR "domain/metadata/nova:instance/nova:flavor"

/* An element whose text is needed. */
struct field {
	const char *path;
	char **text; /* NULL until it is found */
};

struct parser {
	XML_Parser xml;
	struct libvirt_domain *out;
	const struct field *fields; /* until path is NULL */
	char path[512];             /* of the open elements below <domstatus> */
	size_t above[LEVELS_MAX];   /* length of path before each open element */
	unsigned depth;
	char **open; /* destination of the open element's text; NULL: ignore it */
	struct buf text;
	int code; /* 0, or why parsing was stopped */
	const char *reason;
};

static void stop(struct parser *p, int code, const char *reason)
{
	if (!p->code) {
		p->code = code;
		p->reason = reason;
	}
	XML_StopParser(p->xml, XML_FALSE);
}

static void keep_text(struct parser *p, char **into, const char *text, size_t len)
{
	char *copy;

	if (*into) /* the first one counts */
		return;
	/* Like strndup(), but for text that may lack a NUL: ASan makes strndup() look for one. */
	copy = malloc(len + 1);
	if (!copy) {
		stop(p, -ENOMEM, "out of memory");
		return;
	}
	memcpy(copy, text, len);
	copy[len] = '\0';
	*into = copy;
}

static const char *attribute(const char **atts, const char *name)
{
	for (size_t i = 0; atts[i]; i += 2) {
		if (!strcmp(atts[i], name))
			return atts[i + 1];
	}
	return "";
}

static void take_vcpu(struct parser *p, const char **atts)
{
	const char *id = attribute(atts, "id");
	int32_t tid = procfs_number(attribute(atts, "pid"));
	size_t digits = strspn(id, "0123456789");
	struct libvirt_domain *d = p->out;

	if (!tid || !digits || id[digits] || digits > 6)
		return;
	if (d->vcpus.n == VCPUS_MAX)
		stop(p, CDICT_ELIMIT, "has too many vCPUs");
	else if (array_push(&d->vcpus, (struct proc_vcpu){ (uint32_t)strtoul(id, NULL, 10), tid }))
		stop(p, -ENOMEM, "out of memory");
}

/* expat returns "URI local" for names in a namespace. */
static void add_name(struct parser *p, const char *name)
{
	const char *blank = strrchr(name, ' '), *prefix = "";
	size_t len = strlen(p->path);

	if (blank) {
		prefix = strncmp(name, nova_uri, sizeof(nova_uri) - 1) ? "?:" : "nova:";
		name = blank + 1;
	}
	snprintf(p->path + len, sizeof(p->path) - len, "%s%s%s", len ? "/" : "", prefix, name);
}

static void on_start(void *ctx, const char *name, const char **atts)
{
	struct parser *p = ctx;

	p->open = NULL;
	if (++p->depth > DEPTH_MAX) {
		stop(p, CDICT_ELIMIT, "is nested too deeply");
		return;
	}
	if (p->depth > LEVELS_MAX)
		return;
	p->above[p->depth - 1] = strlen(p->path);
	if (p->depth == 1 && !strcmp(name, "domstatus")) {
		p->out->pid = procfs_number(attribute(atts, "pid"));
		return;
	}
	if (p->depth == 1 && strcmp(name, "domain")) {
		stop(p, CDICT_EFORMAT, "is neither a domain nor a domain's state");
		return;
	}
	add_name(p, name);
	if (!strcmp(p->path, "vcpus/vcpu"))
		take_vcpu(p, atts);
	for (const struct field *f = p->fields; f->path; f++) {
		if (!strcmp(p->path, f->path))
			p->open = f->text;
	}
	if (!strcmp(p->path, FLAVOR)) /* its name is an attribute */
		keep_text(p, p->open, attribute(atts, "name"),
			  strnlen(attribute(atts, "name"), TEXT_MAX_BYTES));
	p->text.len = 0;
}

static void on_text(void *ctx, const char *text, int len)
{
	struct parser *p = ctx;
	size_t n = len > 0 ? (size_t)len : 0;

	if (!p->open)
		return;
	if (n > TEXT_MAX_BYTES - p->text.len)
		n = TEXT_MAX_BYTES - p->text.len;
	buf_add(&p->text, text, n);
	if (p->text.failed)
		stop(p, -ENOMEM, "out of memory");
}

static void on_end(void *ctx, const char *name)
{
	struct parser *p = ctx;

	(void)name;
	if (p->open)
		keep_text(p, p->open, p->text.len ? (char *)p->text.data : "", p->text.len);
	p->open = NULL;
	if (p->depth <= LEVELS_MAX)
		p->path[p->above[p->depth - 1]] = 0;
	p->depth--;
}

/* Entities can only come from a DTD, and a domain has none. */
static void on_doctype(void *ctx, const char *name, const char *system_id, const char *public_id,
		       int internal)
{
	(void)name;
	(void)system_id;
	(void)public_id;
	(void)internal;
	stop(ctx, CDICT_EFORMAT, "has a DOCTYPE, which libvirt never writes");
}

static int failure(struct parser *p, struct cdict_error *err)
{
	enum XML_Error e = XML_GetErrorCode(p->xml);
	uint64_t at = (uint64_t)XML_GetCurrentByteIndex64(p->xml);

	if (p->code)
		return cdict_fail(err, p->code, at, "%s", p->reason);
	if (e == XML_ERROR_NO_MEMORY)
		return cdict_fail_nomem(err);
	return cdict_fail(err, CDICT_EFORMAT, at, "is not XML: %s, line %lu", XML_ErrorString(e),
			  (unsigned long)XML_GetCurrentLineNumber64(p->xml));
}

int libvirt_xml_parse(struct libvirt_domain *out, const void *data, size_t size,
		      struct cdict_error *err)
{
	char *uuid = NULL, *iothreads = NULL;
	const struct field fields[] = {
		{ "domain/name", &out->name },
		{ "domain/title", &out->title },
		{ "domain/uuid", &uuid },
		{ "domain/iothreads", &iothreads },
		{ "domain/metadata/nova:instance/nova:name", &out->nova_name },
		{ "domain/metadata/nova:instance/nova:owner/nova:project", &out->nova_project },
		{ FLAVOR, &out->nova_flavor },
		{ NULL, NULL },
	};
	struct parser p = { .out = out, .fields = fields };
	int rc = 0;

	memset(out, 0, sizeof(*out));
	if (size > LIBVIRT_XML_MAX)
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				  "has %zu bytes, more than a domain's XML can have", size);
	p.xml = XML_ParserCreateNS(NULL, ' ');
	if (!p.xml)
		return cdict_fail_nomem(err);
	XML_SetUserData(p.xml, &p);
	XML_SetElementHandler(p.xml, on_start, on_end);
	XML_SetCharacterDataHandler(p.xml, on_text);
	XML_SetStartDoctypeDeclHandler(p.xml, on_doctype);
	/* check the code too: parsing may be stopped at the very end */
	if (XML_Parse(p.xml, data, (int)size, 1) != XML_STATUS_OK || p.code)
		rc = failure(&p, err);
	for (const struct field *f = fields; f->path && !rc; f++) {
		if (!*f->text && !(*f->text = strdup("")))
			rc = cdict_fail_nomem(err);
	}
	if (!rc) {
		vmm_uuid(out->uuid, uuid, strlen(uuid));
		out->iothreads = (uint32_t)strtoul(iothreads, NULL, 10);
	}
	if (!rc && !out->name[0] && !out->uuid[0])
		rc = cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
				"has neither a domain's name nor its UUID");
	XML_ParserFree(p.xml);
	free(uuid);
	free(iothreads);
	buf_fini(&p.text);
	if (rc)
		libvirt_domain_fini(out);
	return rc;
}

void libvirt_domain_fini(struct libvirt_domain *d)
{
	free(d->name);
	free(d->title);
	free(d->nova_name);
	free(d->nova_flavor);
	free(d->nova_project);
	array_fini(&d->vcpus);
	memset(d, 0, sizeof(*d));
}
