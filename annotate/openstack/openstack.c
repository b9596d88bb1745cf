// SPDX-License-Identifier: GPL-2.0-only
/* Queries OpenStack, and labels the VMs of a mapping. */
#include "annotate/openstack/openstack.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "annotate/openstack/namepattern.h"
#include "annotate/openstack/nova.h"
#include "base/fail.h"
#include "base/text/plural.h"

#define PROJECTS_MAX 200 /* limit of projects whose names are requested */

struct project {
	const char *id;
	char *name; /* NULL: unknown */
};

struct asking {
	const struct openstack_options *opts;
	struct http *http;
	struct keystone *ks;
	struct nova *nova;
	struct nova_servers servers;
	struct project projects[PROJECTS_MAX];
	size_t n_projects, nameless;
};

static void add_note(const struct asking *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add_note(const struct asking *a, const char *fmt, ...)
{
	char line[640];
	va_list ap;

	if (!a->opts->note)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	a->opts->note(a->opts->ctx, line);
}

/* Newest first; the last ones are names from before the catalog had official
 * service types. */
static const char *const compute_types[] = { "compute", "computev21", "compute_legacy", "nova",
					     NULL };

static int connect_nova(struct asking *a, struct cdict_error *err)
{
	const struct openstack_settings *s = a->opts->settings;
	struct http_options http = { .cacert = s->cacert,
				     .cert = s->cert,
				     .key = s->key,
				     .insecure = a->opts->insecure,
				     .budget_ms = a->opts->timeout_ms,
				     .trace = a->opts->trace,
				     .trace_ctx = a->opts->ctx };
	char *url = NULL;
	int rc = http_open(&a->http, &http, err);

	if (!rc)
		rc = keystone_open(&a->ks, a->http, &s->auth, err);
	if (rc)
		return rc;
	if (s->compute_url)
		url = strdup(s->compute_url);
	else
		rc = keystone_endpoint(a->ks, compute_types, s->interface, s->region, &url, err);
	if (!rc && !url)
		rc = cdict_fail_nomem(err);
	if (!rc && !strncmp(s->auth.auth_url, "https:", 6) && strncmp(url, "https:", 6))
		add_note(
			a,
			"requests to the compute service are not encrypted: the catalog has %.200s",
			url);
	if (!rc)
		rc = nova_open(&a->nova, a->ks, url, err);
	free(url);
	return rc;
}

static void disconnect(struct asking *a)
{
	for (size_t i = 0; i < a->n_projects; i++)
		free(a->projects[i].name);
	nova_servers_fini(&a->servers);
	nova_close(a->nova);
	keystone_close(a->ks);
	http_close(a->http);
}

static int list_pages(struct asking *a, bool all_projects, const char *host,
		      struct cdict_error *err)
{
	struct nova_query query = { .all_projects = all_projects,
				    .host = host,
				    .keys = { a->opts->name_key, a->opts->group_key } };

	return nova_list(a->nova, &query, &a->servers, err);
}

/* Uses a partial list when a later page fails. */
static int what_came(struct asking *a, int rc, struct cdict_error *err)
{
	if (!rc || rc == -ENOMEM || !a->servers.all.n)
		return rc;
	add_note(a, "the list of servers is not complete: %s", err ? err->text : "");
	return 0;
}

/* Lists the servers of the host, else of the project, else all. */
static int list_servers(struct asking *a, struct cdict_error *err)
{
	const char *const *host = a->opts->hosts;
	struct cdict_error why = { 0 };
	const char *scope;
	int rc = 0;

	for (; host && *host && !rc && !a->servers.all.n; host++)
		rc = list_pages(a, true, *host, &why);
	if (!rc && !a->servers.all.n) {
		if (a->opts->hosts && *a->opts->hosts)
			add_note(a,
				 "Nova has no servers on host '%.100s': searching all servers "
				 "(--os-host sets the host's name in Nova)",
				 a->opts->hosts[0]);
		rc = list_pages(a, true, NULL, &why);
	}
	if (rc == -EPERM) {
		scope = keystone_scope(a->ks);
		add_note(a, "only the servers of %s%s are visible: %.300s",
			 scope ? "project " : "the token's scope", scope ? scope : "", why.text);
		rc = list_pages(a, false, NULL, &why);
	}
	if (rc && err)
		*err = why;
	rc = what_came(a, rc, &why);
	if (!rc && a->servers.unreachable)
		add_note(a, "no names for %s server%s: the cell does not answer",
			 GROUPED(a->servers.unreachable), a->servers.unreachable == 1 ? "" : "s");
	return rc;
}

/* The project's name if Keystone returns it, else its id; NULL: out of memory. */
static const char *project_of(struct asking *a, const struct nova_server *s)
{
	struct project *p;

	for (size_t i = 0; i < a->n_projects; i++) {
		p = &a->projects[i];
		if (!strcmp(p->id, s->project_id))
			return p->name ? p->name : p->id;
	}
	if (!*s->project_id || a->n_projects == PROJECTS_MAX)
		return s->project_id;
	p = &a->projects[a->n_projects];
	p->id = s->project_id;
	/* names may not be permitted at all: do not try every project */
	if (keystone_project_name(a->ks, &p->name, p->id, a->nameless < 2))
		return NULL;
	a->nameless += !p->name;
	a->n_projects++;
	return p->name ? p->name : p->id;
}

/* Name and group: from the requested metadata, else from the pattern. */
static int name_of(const struct asking *a, const struct nova_server *s,
		   struct namepattern_result *out)
{
	int rc = namepattern_apply(a->opts->pattern, s->name, out);

	if (*s->name_value)
		snprintf(out->name, sizeof(out->name), "%s", s->name_value);
	if (*s->group_value) {
		snprintf(out->group, sizeof(out->group), "%s", s->group_value);
		namepattern_tidy_group(out->group);
	}
	return rc;
}

static int add_label(struct asking *a, struct mapping *m, const struct cdict_label *of,
		     const struct nova_server *s, struct cdict_error *err)
{
	struct namepattern_result name;
	struct cdict_label label = { .tid = of->tid,
				     .pid = of->pid,
				     .start_ns = of->start_ns,
				     .origin = CDICT_LABEL_OPENSTACK,
				     .uuid = s->id,
				     .instance = s->instance,
				     .project = project_of(a, s) };

	if (!label.project || name_of(a, s, &name))
		return cdict_fail_nomem(err);
	label.name = name.name;
	label.group = name.group;
	return mapping_add(m, &label, err);
}

/* Counts each VM once, by its identity. */
static int count_vm(struct stringset *seen, const struct cdict_label *label, bool *first)
{
	const char *id = *label->uuid ? label->uuid : label->instance;
	size_t before = seen->n;
	char key[MAPPING_TEXT_MAX + 1];
	size_t len = 0;

	for (; len < sizeof(key) && id[len]; len++)
		key[len] = *label->uuid ? (char)tolower((unsigned char)id[len]) : id[len];
	if (!stringset_add(seen, key, len))
		return -ENOMEM;
	*first = seen->n != before;
	return 0;
}

/* --- the server of a label's VM --- */

/* Servers by UUID and by instance name. */
struct server_index {
	const struct nova_servers *servers;
	const char *const *hosts; /* NULL-terminated */
	const struct nova_server **by_id, **by_instance;
	size_t n;
};

static int by_id(const void *a, const void *b)
{
	const struct nova_server *const *x = a, *const *y = b;

	return strcasecmp((*x)->id, (*y)->id);
}

static int by_instance(const void *a, const void *b)
{
	const struct nova_server *const *x = a, *const *y = b;

	return strcmp((*x)->instance, (*y)->instance);
}

static void index_fini(struct server_index *j)
{
	free(j->by_id);
	free(j->by_instance);
	*j = (struct server_index){ 0 };
}

/* -ENOMEM. @servers and @hosts are borrowed. */
static int index_init(struct server_index *j, const struct nova_servers *servers,
		      const char *const *hosts)
{
	*j = (struct server_index){ .servers = servers, .hosts = hosts, .n = servers->all.n };
	j->by_id = calloc(servers->all.n + 1, sizeof(*j->by_id));
	j->by_instance = calloc(servers->all.n + 1, sizeof(*j->by_instance));
	if (!j->by_id || !j->by_instance) {
		index_fini(j);
		return -ENOMEM;
	}
	for (size_t i = 0; i < servers->all.n; i++)
		j->by_id[i] = j->by_instance[i] = &servers->all.at[i];
	qsort(j->by_id, j->n, sizeof(*j->by_id), by_id);
	qsort(j->by_instance, j->n, sizeof(*j->by_instance), by_instance);
	return 0;
}

static bool on_host(const struct server_index *j, const struct nova_server *s)
{
	if (!*s->host && !*s->hypervisor)
		return true;
	for (const char *const *host = j->hosts; host && *host; host++) {
		if (!strcmp(s->host, *host) || !strcmp(s->hypervisor, *host))
			return true;
	}
	return false;
}

static const struct nova_server *of_instance(const struct server_index *j, const char *instance)
{
	const struct nova_server *found = NULL;
	size_t lo = 0, hi = j->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (strcmp(j->by_instance[mid]->instance, instance) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < j->n && !strcmp(j->by_instance[lo]->instance, instance); lo++) {
		if (!on_host(j, j->by_instance[lo]))
			continue;
		if (found) /* the name exists in two cells: ambiguous */
			return NULL;
		found = j->by_instance[lo];
	}
	return found;
}

/* Finds the server by UUID. A label without one is found by its domain name, which is unique within a cell
 * only: the server must be on one of the hosts, unless Nova does not return its host, and be the only one.
 * NULL: none. */
static const struct nova_server *server_of(const struct server_index *j,
					   const struct cdict_label *label)
{
	const struct nova_server key = { .id = label->uuid }, *at = &key;
	const struct nova_server **found;

	if (label->uuid && *label->uuid) {
		found = bsearch(&at, j->by_id, j->n, sizeof(*j->by_id), by_id);
		return found ? *found : NULL;
	}
	return label->instance && *label->instance ? of_instance(j, label->instance) : NULL;
}

static int label_tasks(struct asking *a, const struct mapping *known, struct mapping *into,
		       struct openstack_result *result, struct cdict_error *err)
{
	struct stringset seen = { 0 };
	struct server_index j;
	size_t n = known->n; /* added labels need no name */
	int rc = index_init(&j, &a->servers, a->opts->hosts);

	if (rc)
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < n && !rc; i++) {
		const struct nova_server *s;
		struct cdict_label label;
		bool first = false;

		if (!mapping_find(known, known->labels[i].tid, known->labels[i].start_ns, &label) ||
		    (!*label.uuid && !*label.instance))
			continue;
		label.start_ns = known->labels[i].start_ns;
		s = server_of(&j, &label);
		rc = count_vm(&seen, &label, &first) ? cdict_fail_nomem(err) : 0;
		result->vms += !rc && first;
		if (rc || !s || !*s->name)
			continue;
		result->named += first;
		rc = add_label(a, into, &label, s, err);
		result->tasks += !rc;
	}
	stringset_fini(&seen);
	index_fini(&j);
	return rc;
}

int openstack_label(const struct mapping *known, struct mapping *into,
		    const struct openstack_options *opts, struct openstack_result *result,
		    struct cdict_error *err)
{
	struct asking a = { .opts = opts };
	int rc = connect_nova(&a, err);

	*result = (struct openstack_result){ 0 };
	if (!rc)
		rc = list_servers(&a, err);
	result->servers = a.servers.all.n;
	if (!rc)
		rc = label_tasks(&a, known, into, result, err);
	/* explain the way out when only TLS verification failed */
	if (rc == -EPROTO && opts->settings->unverified && !opts->insecure && err) {
		size_t len = strlen(err->text);

		snprintf(err->text + len, sizeof(err->text) - len,
			 " (the settings cannot disable verification)");
	}
	disconnect(&a);
	return rc;
}
