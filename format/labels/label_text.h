/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * label_text.h - display names of labels: "Firewall.05.vcpu0".
 *
 * Ownership  the caller frees returned texts; NULL: no text, or out of memory
 *            with *failed set
 */
#ifndef FORMAT_LABELS_LABEL_TEXT_H
#define FORMAT_LABELS_LABEL_TEXT_H

#include <stdbool.h>

#include "cdict/label.h"

/* label_text_name - <name>.<group as %02u>.<role>; the libvirt instance where there is no
 * name. NULL when the label has neither. */
char *label_text_name(const struct cdict_label *l, bool *failed);
/* label_text_vm - the same without the role; the UUID where there is neither name nor
 * instance. */
char *label_text_vm(const struct cdict_label *l, bool *failed);
/* label_text_order - a sort key: by group, then by name, then by role, numbers by their
 * value; labels without a group after those with one, and all before plain text. NULL when
 * the label has neither name nor instance. */
char *label_text_order(const struct cdict_label *l);

/* label_text_vcpu - the number in a role "vcpu12", or -1. */
int label_text_vcpu(const char *role);
const char *label_text_origin(enum cdict_label_origin origin); /* "csv" */

#endif
