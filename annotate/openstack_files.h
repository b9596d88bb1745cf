/* SPDX-License-Identifier: GPL-2.0-only */
/* openstack_files.h - where clouds.yaml and secure.yaml are looked for. */
#ifndef ANNOTATE_OPENSTACK_FILES_H
#define ANNOTATE_OPENSTACK_FILES_H

struct openstack_places {
	const char *named;       /* OS_CLIENT_CONFIG_FILE or _SECURE_FILE; NULL */
	const char *home;        /* HOME; NULL */
	const char *config_home; /* XDG_CONFIG_HOME; NULL */
};

/* openstack_file_find - the first of @named, ./, $XDG_CONFIG_HOME/openstack,
 * ~/.config/openstack, /etc/xdg/openstack, /etc/openstack, each with .yaml, .yml and .json,
 * that exists and may be read: *@path, given. NULL: none. @stem is "clouds" or "secure". 0 or
 * -ENOMEM. */
int openstack_file_find(char **path, const struct openstack_places *places, const char *stem);

#endif
