/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the state files of container runtimes; see containers.h. */
#include "annotate/host/containers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "annotate/library.h"
#include "base/system/procfs.h"

#define FILE_MAX ((size_t)4 << 20)

void containers_init(struct containers *c, const char *root)
{
	*c = (struct containers){ .root = -1 };
	if (root)
		c->root = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

void containers_fini(struct containers *c)
{
	if (c->root >= 0)
		close(c->root);
	buf_fini(&c->text);
	array_fini(&c->known);
	*c = (struct containers){ .root = -1 };
}

static void take(char out[CONTAINERS_NAME_MAX], const char *text)
{
	if (text && !out[0])
		snprintf(out, CONTAINERS_NAME_MAX, "%s", text);
}

/* The parsed file, or NULL. */
static json_t *load(struct containers *c, const char *path)
{
	if (procfs_read(c->root, path, &c->text, FILE_MAX))
		return NULL;
	c->no_json |= library_json(NULL) != 0;
	return c->no_json ? NULL : json_loadb((char *)c->text.data, c->text.len, 0, NULL);
}

static const char *text_of(const json_t *object, const char *key)
{
	return object ? json_string_value(json_object_get(object, key)) : NULL;
}

/* --- runtimes --- */

static void ask_docker(struct containers *c, struct containers_known *k)
{
	char path[256];
	const char *name;
	json_t *root;

	snprintf(path, sizeof(path), "var/lib/docker/containers/%s/config.v2.json", k->id);
	root = load(c, path);
	name = text_of(root, "Name");
	if (name)
		take(k->name, name + (*name == '/'));
	json_decref(root);
}

/* An OCI bundle's config.json. */
static void read_bundle(struct containers *c, struct containers_known *k, const char *path)
{
	json_t *root = load(c, path), *notes;

	if (!root)
		return;
	notes = json_object_get(root, "annotations");
	take(k->pod.name, text_of(notes, "io.kubernetes.cri.sandbox-name"));
	take(k->pod.namespace_, text_of(notes, "io.kubernetes.cri.sandbox-namespace"));
	take(k->pod.name, text_of(notes, "io.kubernetes.pod.name"));
	take(k->pod.namespace_, text_of(notes, "io.kubernetes.pod.namespace"));
	take(k->name, text_of(notes, "io.kubernetes.cri.container-name"));
	take(k->name, text_of(notes, "io.kubernetes.container.name"));
	take(k->name, text_of(notes, "nerdctl/name"));
	json_decref(root);
}

static void ask_containerd(struct containers *c, struct containers_known *k)
{
	static const char *const homes[] = { "run/containerd", "run/k3s/containerd" };
	static const char *const namespaces[] = { "k8s.io", "default", "moby" };
	char path[320];

	for (size_t h = 0; h < sizeof(homes) / sizeof(homes[0]); h++) {
		for (size_t n = 0; n < sizeof(namespaces) / sizeof(namespaces[0]); n++) {
			snprintf(path, sizeof(path),
				 "%s/io.containerd.runtime.v2.task/%s/%s/config.json", homes[h],
				 namespaces[n], k->id);
			read_bundle(c, k, path);
		}
	}
}

#define STORAGE "containers/storage/overlay-containers"

static void ask_storage(struct containers *c, struct containers_known *k)
{
	static const char *const homes[] = { "var/lib", "run" };
	char path[320];
	json_t *root;

	for (size_t h = 0; h < sizeof(homes) / sizeof(homes[0]); h++) {
		snprintf(path, sizeof(path), "%s/" STORAGE "/%s/userdata/config.json", homes[h],
			 k->id);
		read_bundle(c, k, path);
	}
	if (k->name[0] || k->pod.name[0])
		return;
	root = load(c, "var/lib/" STORAGE "/containers.json");
	for (size_t i = 0; root && i < json_array_size(root); i++) {
		const json_t *one = json_array_get(root, i);
		const char *id = text_of(one, "id");

		if (id && !strcmp(id, k->id))
			take(k->name,
			     json_string_value(json_array_get(json_object_get(one, "names"), 0)));
	}
	json_decref(root);
}

/* Folders NAMESPACE_NAME_UID; neither part contains '_'. */
static void ask_kubelet(struct containers *c, struct containers_known *k)
{
	int fd = openat(c->root, "var/log/pods", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (fd >= 0 && !d)
		close(fd);
	while (d && (e = readdir(d))) {
		char *name = strchr(e->d_name, '_'), *uid = name ? strchr(name + 1, '_') : NULL;

		if (!uid || strcmp(uid + 1, k->id))
			continue;
		*name = *uid = 0;
		take(k->pod.namespace_, e->d_name);
		take(k->pod.name, name + 1);
	}
	if (d)
		closedir(d);
}

/* --- */

/* @engine NULL: @id is a pod's uid. NULL: out of memory. */
static const struct containers_known *find(struct containers *c, const char *id, const char *engine)
{
	struct containers_known *k;

	for (size_t i = 0; i < c->known.n; i++) {
		if (!strcmp(c->known.at[i].id, id))
			return &c->known.at[i];
	}
	k = array_add(&c->known);
	if (!k)
		return NULL;
	snprintf(k->id, sizeof(k->id), "%s", id);
	if (!engine) {
		ask_kubelet(c, k);
		return k;
	}
	if (!strcmp(engine, "docker"))
		ask_docker(c, k);
	if (!k->name[0])
		ask_containerd(c, k);
	if (!k->name[0] && !k->pod.name[0])
		ask_storage(c, k);
	return c->text.failed ? NULL : k;
}

int containers_name(struct containers *c, struct cgroup_unit *unit, struct containers_pod *pod)
{
	const struct containers_known *k = NULL;

	if (c->root < 0 || unit->kind < CGROUP_CONTAINER ||
	    (unit->engine && !strcmp(unit->engine, "lxc")))
		return 0;
	if (unit->kind == CGROUP_POD && !(k = find(c, unit->pod, NULL)))
		return -ENOMEM;
	if ((!k || !k->pod.name[0]) && unit->id[0] && !(k = find(c, unit->id, unit->engine)))
		return -ENOMEM;
	if (k && k->pod.name[0])
		snprintf(unit->text, sizeof(unit->text), "pod %.126s/%.123s", k->pod.namespace_,
			 k->pod.name);
	else if (k && k->name[0] && unit->kind == CGROUP_CONTAINER)
		snprintf(unit->text, sizeof(unit->text), "%s %.240s", unit->engine, k->name);
	if (k && pod)
		*pod = k->pod;
	return 0;
}

int containers_sandbox(struct containers *c, const char *id, struct containers_pod *pod)
{
	const struct containers_known *k;

	*pod = (struct containers_pod){ 0 };
	if (c->root < 0 || strlen(id) != 64 || strspn(id, "0123456789abcdef") != 64)
		return 0;
	k = find(c, id, "containerd");
	if (k)
		*pod = k->pod;
	return k ? 0 : -ENOMEM;
}
