/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * reasons.h - names of exit reasons, from the capture's own kvm_exit format.
 *
 * x86 has one table for VMX (isa 1, low 16 bits of the code) and one for SVM (isa
 * 2); old kernels have one for both.  arm and arm64 have the exception type (ret, before
 * Linux 5.4 idx) and, for traps, the exception class (esr_ec, exit_reason).  s390 has intercept
 * codes (kvm_s390_sie_exit).  Elsewhere the first table is used.
 *
 * Ownership  new gives, free takes; names are borrowed and die with the reasons
 */
#ifndef ANALYZE_PRINTING_REASONS_H
#define ANALYZE_PRINTING_REASONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"
#include "cdict/schema.h"

enum {
	ANALYZE_ISA_NONE = 0, /* the event has no isa */
	ANALYZE_ISA_VMX = 1,
	ANALYZE_ISA_SVM = 2,
	ANALYZE_ISA_ARM_TRAP = 3, /* cdict's own: the code is an exception class (esr_ec) */
	ANALYZE_ISA_UNTOLD = 4,   /* cdict's own: the event has no reason (arm before Linux 4.1) */
};

struct analyze_reasons;

/* analyze_reasons_new - reads the tables in kvm_exit's format file (@len bytes at
 * @format).  Text without a table is not an error: all codes are then unknown. */
int analyze_reasons_new(struct analyze_reasons **out, const char *format, size_t len,
			struct cdict_error *err);
/* analyze_reasons_of - the reasons of the capture with event types @schema. */
int analyze_reasons_of(struct analyze_reasons **out, const struct cdict_schema *schema,
		       struct cdict_error *err);
void analyze_reasons_free(struct analyze_reasons *r);

/* analyze_reasons_code - converts *isa and *code to those of the tables: masked, and an arm64 trap
 * to its exception class @esr_ec. */
void analyze_reasons_code(const struct analyze_reasons *r, uint32_t *isa, uint64_t *code,
			  uint64_t esr_ec);

/* analyze_reasons_name - the name of a code from analyze_reasons_code(), or NULL. */
const char *analyze_reasons_name(const struct analyze_reasons *r, uint32_t isa, uint64_t code);

/* analyze_reasons_text - the name, or the number ("0x1234") written into @room; "reason not
 * recorded" where the event has none. */
const char *analyze_reasons_text(const struct analyze_reasons *r, uint32_t isa, uint64_t code,
				 char room[24]);

/* analyze_kvm_events - the names of the events of guest entry and exit on a machine (uname -m), for
 * messages about missing events; NULL: x86's. */
struct analyze_kvm_events {
	const char *machine, *entry, *exit;
};
const struct analyze_kvm_events *analyze_kvm_events(const char *machine);

/* analyze_reason_is_idle - whether @name means that the guest waits for an interrupt (HLT, WFx):
 * idle time. */
bool analyze_reason_is_idle(const char *name);

#endif
