// SPDX-License-Identifier: LGPL-2.1-only
/* reasons.c - see reasons.h. */
#include "analyze/printing/reasons.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyze/printing/symbols.h"
#include "base/fail.h"

enum { TABLES_MAX = 4, FIELD_LEN = 32 };

/* The isa of a table. */
enum { FOR_ANY = -1, FOR_OTHERS = -2 };

struct table {
	char field[FIELD_LEN];
	uint64_t mask;
	int isa; /* a number, FOR_ANY, or FOR_OTHERS: not that of the table before */
	struct symbols names;
};

struct analyze_reasons {
	struct table tables[TABLES_MAX];
	size_t n;
	const struct table *trap; /* of esr_ec, NULL when not arm64 */
	const struct table *of_isa[ANALYZE_ISA_UNTOLD + 1];
};

static const char *find_word(const char *at, const char *end, const char *word)
{
	return memmem(at, (size_t)(end - at), word, strlen(word));
}

/* "REC->exit_reason & 0xffff," -> field and mask; NULL for anything else. */
static const char *argument(struct table *t, const char *at, const char *end, bool *no_memory)
{
	size_t n = 0;

	while (at < end && (*at == ' ' || *at == '('))
		at++;
	if (end - at < 5 || memcmp(at, "REC->", 5))
		return NULL;
	at += 5;
	while (at < end && (*at == '_' || (*at >= '0' && *at <= '9') ||
			    (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z'))) {
		if (n + 1 < sizeof(t->field))
			t->field[n++] = *at;
		at++;
	}
	t->field[n] = '\0';
	t->mask = UINT64_MAX;
	while (at < end && *at == ' ')
		at++;
	if (at < end && *at == '&') {
		at++;
		while (at < end && *at == ' ')
			at++;
		if (!symbols_number(&at, end, &t->mask, no_memory))
			return NULL;
	}
	while (at < end && (*at == ' ' || *at == ')'))
		at++;
	return n && at < end && *at == ',' ? at + 1 : NULL;
}

/* The condition in front of a table: "(REC->isa == 1) ?". */
static int condition(const char *at, const char *end, bool *no_memory)
{
	const char *isa = find_word(at, end, "REC->isa");
	uint64_t v;

	if (!isa)
		return FOR_ANY;
	isa += strlen("REC->isa");
	while (isa < end && (*isa == ' ' || *isa == '='))
		isa++;
	return symbols_number(&isa, end, &v, no_memory) && v < 16 ? (int)v : FOR_ANY;
}

static const struct table *find_table(const struct analyze_reasons *r, uint32_t isa)
{
	const struct table *others = NULL;

	if (isa == ANALYZE_ISA_ARM_TRAP && r->trap)
		return r->trap;
	for (size_t i = 0; i < r->n; i++) {
		const struct table *t = &r->tables[i];

		if (t == r->trap)
			continue;
		if (t->isa == FOR_ANY || t->isa == (int)isa)
			return t;
		if (t->isa == FOR_OTHERS)
			others = t;
	}
	return others;
}

static const struct table *table_of(const struct analyze_reasons *r, uint32_t isa)
{
	return isa <= ANALYZE_ISA_UNTOLD ? r->of_isa[isa] : find_table(r, isa);
}

/* Whether it is the table of trap classes (arm, arm64). */
static bool is_class(const struct table *t, const struct analyze_reasons *r)
{
	return !strcmp(t->field, "esr_ec") ||
	       (!strcmp(t->field, "exit_reason") && !strcmp(r->tables[0].field, "idx"));
}

int analyze_reasons_new(struct analyze_reasons **out, const char *format, size_t len,
			struct cdict_error *err)
{
	struct analyze_reasons *r = calloc(1, sizeof(*r));
	const char *end = format + len, *before, *at;
	bool no_memory = false;

	if (!r)
		return cdict_fail_nomem(err);
	before = find_word(format, end, "print fmt:");
	while (before && r->n < TABLES_MAX && (at = find_word(before, end, "__print_symbolic("))) {
		struct table *t = &r->tables[r->n];
		const char *list = argument(t, at + strlen("__print_symbolic("), end, &no_memory);

		if (!list) {
			before = at + 1;
			continue;
		}
		t->isa = condition(before, at, &no_memory);
		if (t->isa == FOR_ANY && r->n && r->tables[r->n - 1].isa >= 0 &&
		    !strcmp(t->field, r->tables[r->n - 1].field))
			t->isa = FOR_OTHERS;
		before = symbols_parse(&t->names, list, end);
		if (t->names.failed || no_memory) {
			r->n++;
			analyze_reasons_free(r);
			return cdict_fail_nomem(err);
		}
		/* Later tables of another field are not about the reason, except arm64's. */
		if (r->n && strcmp(t->field, r->tables[0].field)) {
			if (!is_class(t, r) || r->trap) {
				symbols_fini(&t->names);
				continue;
			}
			r->trap = t;
		}
		r->n++;
	}
	if (no_memory) {
		analyze_reasons_free(r);
		return cdict_fail_nomem(err);
	}
	for (uint32_t isa = 0; isa < ANALYZE_ISA_UNTOLD; isa++)
		r->of_isa[isa] = find_table(r, isa);
	*out = r;
	return 0;
}

int analyze_reasons_of(struct analyze_reasons **out, const struct cdict_schema *schema,
		       struct cdict_error *err)
{
	const struct cdict_event_type *type = cdict_schema_find(schema, "kvm:kvm_exit");

	if (!type)
		type = cdict_schema_find(schema, "kvm:kvm_s390_sie_exit");
	return analyze_reasons_new(out, type ? type->format : "", type ? type->format_len : 0, err);
}

void analyze_reasons_free(struct analyze_reasons *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		symbols_fini(&r->tables[i].names);
	free(r);
}

void analyze_reasons_code(const struct analyze_reasons *r, uint32_t *isa, uint64_t *code,
			  uint64_t esr_ec)
{
	const struct table *t = table_of(r, *isa);
	const char *name;

	if (*isa == ANALYZE_ISA_UNTOLD)
		return;
	if (t)
		*code &= t->mask;
	if (!r->trap)
		return;
	name = t ? symbols_find(&t->names, *code) : NULL;
	/* 32-bit arm has its traps under HVC (arch/arm/include/asm/kvm_arm.h, Linux 4.8 to 5.6) */
	if (name && (!strcmp(name, "TRAP") || !strcmp(name, "HVC"))) {
		*isa = ANALYZE_ISA_ARM_TRAP;
		*code = esr_ec & r->trap->mask;
	}
}

const char *analyze_reasons_name(const struct analyze_reasons *r, uint32_t isa, uint64_t code)
{
	const struct table *t = table_of(r, isa);
	const char *name = t ? symbols_find(&t->names, code) : NULL;

	/* { -1, "err" } is also compared as the field's 32 bits. */
	if (!name && t && code >> 31 == 1)
		name = symbols_find(&t->names, code | UINT64_C(0xffffffff00000000));
	if (!name && t && code >> 32 == 0xffffffff)
		name = symbols_find(&t->names, code & 0xffffffff);
	return name;
}

const char *analyze_reasons_text(const struct analyze_reasons *r, uint32_t isa, uint64_t code,
				 char room[24])
{
	const char *name = analyze_reasons_name(r, isa, code);

	if (name)
		return name;
	if (isa == ANALYZE_ISA_UNTOLD)
		return "reason not recorded";
	snprintf(room, 24, "0x%" PRIx64, code);
	return room;
}

const struct analyze_kvm_events *analyze_kvm_events(const char *machine)
{
	static const struct analyze_kvm_events all[] = {
		{ "s390", "kvm:kvm_s390_sie_enter", "kvm:kvm_s390_sie_exit" },
		{ "loongarch", "kvm:kvm_enter", "kvm:kvm_exit" },
		{ "mips", "kvm:kvm_enter", "kvm:kvm_exit" },
		{ "", "kvm:kvm_entry", "kvm:kvm_exit" },
	};
	const struct analyze_kvm_events *e = all;

	while (strncmp(machine ? machine : "", e->machine, strlen(e->machine)) != 0)
		e++;
	return e;
}

bool analyze_reason_is_idle(const char *name)
{
	/* MWAIT and PAUSE exits are handled without blocking: not idle. */
	static const char *const idle[] = {
		"hlt",               /* x86 */
		"wfx",        "wfi", /* arm64, arm */
		"wait",              /* MIPS */
		"wait state",        /* s390 */
		"idle",              /* LoongArch */
	};

	for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); i++)
		if (!strcasecmp(name, idle[i]))
			return true;
	return false;
}
