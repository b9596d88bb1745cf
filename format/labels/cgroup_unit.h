/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * cgroup_unit.h - what a control group's path says about its tasks: the systemd unit, container,
 * Kubernetes pod.
 *
 *	/system.slice/nginx.service				nginx.service
 *	/system.slice/docker-3f2a....scope, /docker/3f2a...	docker 3f2a1b0c9d8e
 *	/kubepods.slice/.../kubepods-pod8f81_....slice/cri-containerd-77aa....scope
 *								pod 8f81...
 *	/user.slice/user-1000.slice/session-3.scope		none: a login is no workload
 *
 * Sources    systemd, CGROUP_DELEGATION.md; moby, containerd, cri-o and podman: "<prefix>-<id>.scope"
 *            with the systemd driver, ".../<id>" with cgroupfs; kubelet, pkg/kubelet/cm
 * Text       untrusted: any bytes
 */
#ifndef FORMAT_LABELS_CGROUP_UNIT_H
#define FORMAT_LABELS_CGROUP_UNIT_H

#include <stddef.h>

enum cgroup_kind {
	CGROUP_NONE = 0,  /* the root, or a login */
	CGROUP_PATH,      /* any other group: @text is its path */
	CGROUP_UNIT,      /* systemd's */
	CGROUP_JOB,       /* Slurm's */
	CGROUP_CONTAINER, /* @engine, @id */
	CGROUP_POD,       /* @pod, and @id if the path goes on to a container */
};

#define CGROUP_UNIT_MAX 256

struct cgroup_unit {
	enum cgroup_kind kind;
	char text[CGROUP_UNIT_MAX]; /* "" for CGROUP_NONE */
	const char *engine;         /* "docker", "podman", "containerd", "cri-o", "lxc", ... */
	char id[65];                /* the container's, or "" */
	char pod[40];               /* the pod's uid, or "" */
};

/* cgroup_unit - parses the @len bytes of @path, as in the last field of /proc/PID/cgroup. */
void cgroup_unit(struct cgroup_unit *out, const char *path, size_t len);

#endif
