/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * openrc.h - what variables a shell would have after reading an openrc file. The file is
 * never executed: only what cannot depend on anything else is understood.
 *
 *	export OS_USERNAME=admin; OS_X='it''s' OS_Y="a \"b\""	understood, `declare -x` too
 *	OS_AUTH_URL=http://$HOST:5000/v3	understood when HOST was set in this file
 *	OS_USERNAME=${OS_USERNAME:-admin}	understood: its own value, else admin
 *	unset OS_REGION_NAME			understood
 *	read -sr OS_PASSWORD_INPUT		OS_PASSWORD_INPUT becomes unknown
 *	OS_PASSWORD=$(pass show x)		unknown; nothing is run
 *	if ... fi, loops, functions, ( ), && ||	left out: nobody knows whether they would run
 *	everything else				left out
 *
 * A shell that sources such a file keeps what it does not export; so do we.
 */
#ifndef ANNOTATE_OPENRC_H
#define ANNOTATE_OPENRC_H

#include <stddef.h>

#include "annotate/openstack_vars.h"
#include "cdict/error.h"

/* openrc_parse - sets and unsets variables in @vars. CDICT_EFORMAT, with the line, for a
 * quote or bracket without an end and for NUL bytes; CDICT_ELIMIT; -ENOMEM. */
int openrc_parse(struct openstack_vars *vars, const char *text, size_t size,
		 struct cdict_error *err);

#endif
