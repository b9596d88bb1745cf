/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * containers.h - names of containers and pods, from the state that their runtimes keep in files:
 *
 *	docker		var/lib/docker/containers/ID/config.v2.json		Name
 *	containerd	run/containerd/io.containerd.runtime.v2.task/NS/ID/config.json	annotations
 *	cri-o, podman	{var/lib,run}/containers/storage/overlay-containers/	annotations, names
 *	kubelet		var/log/pods/NAMESPACE_NAME_UID
 *
 * Never asks a daemon or the network. JSON needs libjansson; without it, and where a file is
 * missing or unreadable, the id remains.
 *
 * Ownership  caller's storage; containers_fini() frees its content
 */
#ifndef ANNOTATE_HOST_CONTAINERS_H
#define ANNOTATE_HOST_CONTAINERS_H

#include <stdbool.h>

#include "base/memory/array.h"
#include "base/memory/buf.h"
#include "format/labels/cgroup_unit.h"

#define CONTAINERS_NAME_MAX 256

struct containers_pod {
	char namespace_[CONTAINERS_NAME_MAX], name[CONTAINERS_NAME_MAX]; /* "" unknown */
};

/* What was found for an id. */
struct containers_known {
	char id[65]; /* of the container, or the pod's uid */
	char name[CONTAINERS_NAME_MAX];
	struct containers_pod pod;
};

struct containers {
	int root; /* folder below which the files are; -1: none */
	bool no_json;
	struct buf text;
	ARRAY(struct containers_known) known;
};

/* containers_init - @root NULL: no files. A folder that cannot be opened gives no names. */
void containers_init(struct containers *c, const char *root);
void containers_fini(struct containers *c);

/* containers_name - replaces the id in @unit's text by the name, if there is one. @pod may be NULL;
 * 0 or -ENOMEM. */
int containers_name(struct containers *c, struct cgroup_unit *unit, struct containers_pod *pod);
/* containers_sandbox - the pod whose sandbox is the container @id, as of Kata's VMs. */
int containers_sandbox(struct containers *c, const char *id, struct containers_pod *pod);

#endif
