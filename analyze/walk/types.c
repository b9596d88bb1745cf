// SPDX-License-Identifier: LGPL-2.1-only
/* types.c - finds the known events and their fields by name. */
#include "analyze/walk/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/printing/symbols.h"
#include "base/fail.h"
#include "base/sampled.h"

struct known {
	const char *name; /* a name that ends with '_' is a prefix */
	enum analyze_kind kind;
	/* In the order of the kind's enum in internal.h; alternatives by '|'. Without the first
	 * @needed ones the event is ignored. */
	const char *fields[FIELDS_MAX];
	unsigned needed;
};

#define STAT(what, kind)                                                                           \
	{                                                                                          \
		"sched:sched_stat_" what, ANALYZE_KIND_##kind, { "pid", "runtime|delay" }, 2       \
	}
#define WAKE(what, kind)                                                                           \
	{                                                                                          \
		"sched:sched_" what, ANALYZE_KIND_##kind,                                          \
			{ "pid", "target_cpu|cpu", "comm", "prio", "success", "common_flags" }, 1  \
	}

static const struct known known[] = {
	{ "sched:sched_switch",
	  ANALYZE_KIND_SWITCH,
	  { "prev_pid", "next_pid", "prev_state", "prev_comm", "next_comm", "prev_prio",
	    "next_prio" },
	  2 },
	WAKE("waking", WAKING),
	WAKE("wakeup", WAKEUP),
	WAKE("wakeup_new", WAKEUP_NEW),
	{ "sched:sched_migrate_task", ANALYZE_KIND_MIGRATE, { "pid", "orig_cpu", "dest_cpu" }, 3 },
	STAT("runtime", RUNTIME),
	STAT("iowait", IOWAIT),
	{ "sched:sched_process_fork", ANALYZE_KIND_FORK, { "child_pid", "child_comm" }, 1 },
	{ "sched:sched_process_exec", ANALYZE_KIND_EXEC, { "pid", "old_pid" }, 2 },
	{ "kvm:kvm_entry", ANALYZE_KIND_KVM_ENTRY, { "vcpu_id" }, 0 },
	/* arm and arm64 have idx and exit_reason before Linux 5.4, ret and esr_ec since then. */
	{ "kvm:kvm_exit",
	  ANALYZE_KIND_KVM_EXIT,
	  { "vcpu_id", "idx|exit_reason|ret|exit_nr|reason|scause", "esr_ec|exit_reason", "isa" },
	  0 },
	/* s390: arch/s390/kvm/trace.h, Linux 4.4 to 6.x */
	{ "kvm:kvm_s390_sie_enter", ANALYZE_KIND_KVM_ENTRY, { "id" }, 0 },
	{ "kvm:kvm_s390_sie_exit", ANALYZE_KIND_KVM_EXIT, { "id", "icptcode" }, 0 },
	/* LoongArch: arch/loongarch/kvm/trace.h, Linux 6.8 and later. kvm_exit has the exception's
	 * code; reasons found while it is handled have their own events. */
	{ "kvm:kvm_enter", ANALYZE_KIND_KVM_ENTRY, { "vcpu_id" }, 0 },
	{ "kvm:kvm_reenter", ANALYZE_KIND_KVM_ENTRY, { "vcpu_id" }, 0 },
	{ "kvm:kvm_exit_idle", ANALYZE_KIND_KVM_REASON, { "vcpu_id", "reason" }, 0 },
	{ "kvm:kvm_exit_cache", ANALYZE_KIND_KVM_REASON, { "vcpu_id", "reason" }, 0 },
	{ "kvm:kvm_exit_cpucfg", ANALYZE_KIND_KVM_REASON, { "vcpu_id", "reason" }, 0 },
	{ "kvm:kvm_exit_csr", ANALYZE_KIND_KVM_REASON, { "vcpu_id", "reason" }, 0 },
	{ "kvm:kvm_userspace_exit", ANALYZE_KIND_KVM_USERSPACE, { "vcpu_id", "reason" }, 0 },
	{ "kvm:kvm_pio", ANALYZE_KIND_KVM_PIO, { "vcpu_id", "port", "rw" }, 0 },
	{ "kvm:kvm_mmio", ANALYZE_KIND_KVM_MMIO, { "vcpu_id", "gpa", "type" }, 0 },
	{ "kvm:kvm_msr", ANALYZE_KIND_KVM_MSR, { "vcpu_id", "ecx", "write" }, 0 },
	{ "kvm:kvm_inj_virq", ANALYZE_KIND_KVM_VIRQ, { "vcpu_id", "vector|irq" }, 0 },
	{ "kvm:kvm_vcpu_wakeup", ANALYZE_KIND_KVM_WAKEUP, { "vcpu_id", "ns", "waited" }, 0 },
	{ "raw_syscalls:sys_enter", ANALYZE_KIND_SYS_ENTER, { "id" }, 1 },
	{ "raw_syscalls:sys_exit", ANALYZE_KIND_SYS_EXIT, { "id", "ret" }, 2 },
	/* one event type per system call, for captures without raw_syscalls */
	{ "syscalls:sys_enter_", ANALYZE_KIND_SYS_ENTER, { "__syscall_nr|nr" }, 1 },
	{ "syscalls:sys_exit_", ANALYZE_KIND_SYS_EXIT, { "__syscall_nr|nr", "ret" }, 2 },
	{ "kvm:kvm_halt_poll_ns", ANALYZE_KIND_KVM_HALT_POLL, { "vcpu_id", "new", "grow" }, 0 },
};

static bool is_text(const struct cdict_field *f)
{
	return f->kind != CDICT_FIELD_UINT && f->kind != CDICT_FIELD_INT;
}

static int find_field(const struct cdict_event_type *type, const char *names)
{
	while (*names) {
		size_t n = strcspn(names, "|");
		char name[32];

		if (n < sizeof(name)) {
			int at;

			memcpy(name, names, n);
			name[n] = '\0';
			at = cdict_event_type_field(type, name);
			if (at >= 0 && at <= INT16_MAX)
				return at;
		}
		names += n + (names[n] == '|');
	}
	return -1;
}

static bool is_known(const struct known *k, const char *name)
{
	size_t len = strlen(k->name);

	return k->name[len - 1] == '_' ? !strncmp(k->name, name, len) : !strcmp(k->name, name);
}

static void resolve(struct type_info *ti, const struct cdict_event_type *type)
{
	if (sampled_is(type)) {
		ti->kind = ANALYZE_KIND_SAMPLE;
		ti->field[SAMPLED_PERIOD] = SAMPLED_PERIOD;
		return;
	}
	for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
		if (!is_known(&known[k], type->name))
			continue;
		for (unsigned i = 0; i < FIELDS_MAX && known[k].fields[i]; i++) {
			int at = find_field(type, known[k].fields[i]);
			bool text = strstr(known[k].fields[i], "comm") &&
				    strncmp(known[k].fields[i], "common_", 7) != 0;

			if (at >= 0 && is_text(&type->fields[at]) != text)
				at = -1;
			ti->field[i] = (int16_t)at;
			if (at < 0 && i < known[k].needed)
				return;
		}
		ti->kind = (uint8_t)known[k].kind;
		/* both alternatives matched the same field */
		if (ti->kind == ANALYZE_KIND_KVM_EXIT && ti->field[KVM_HOW] == ti->field[KVM_VALUE])
			ti->field[KVM_HOW] = -1;
		return;
	}
}

unsigned analyze_type_tasks(const struct cdict_event_type *type, int fields[2])
{
	struct type_info ti = { 0 };

	memset(ti.field, -1, sizeof(ti.field));
	resolve(&ti, type);
	fields[0] = ti.field[0];
	fields[1] = ti.field[1];
	switch ((enum analyze_kind)ti.kind) {
	case ANALYZE_KIND_SWITCH:
		return 2;
	case ANALYZE_KIND_WAKING:
	case ANALYZE_KIND_WAKEUP:
	case ANALYZE_KIND_WAKEUP_NEW:
	case ANALYZE_KIND_MIGRATE:
	case ANALYZE_KIND_IOWAIT:
	case ANALYZE_KIND_FORK:
		return 1;
	default:
		return 0;
	}
}

/* The class of a state letter: fs/proc/array.c, task_state_array. */
static enum analyze_off letter_class(char c)
{
	switch (c) {
	case 'S':
	case 'I':
		return ANALYZE_OFF_SLEEP;
	case 'D':
		return ANALYZE_OFF_DISK;
	case 'X':
	case 'x':
	case 'Z':
		return ANALYZE_OFF_DEAD;
	default:
		return ANALYZE_OFF_OTHER;
	}
}

static void state_add(struct state_table *st, uint64_t bit, char letter)
{
	if (!bit || bit & (bit - 1) || letter == 'R')
		return;
	st->known |= bit;
	st->off[__builtin_ctzll(bit)] = (uint8_t)letter_class(letter);
	st->letter[__builtin_ctzll(bit)] = letter;
}

/* 0 or -ENOMEM. */
static int states_init(struct state_table *st, const struct cdict_event_type *type)
{
	static const char usual[] = "SDTtXZPI"; /* since Linux 4.14, from bit 0 on */
	const char *end = type->format + type->format_len, *at;
	struct symbols names = { 0 };
	bool failed, named;

	at = memmem(type->format, type->format_len, "__print_flags(", 14);
	at = at ? memchr(at, '{', (size_t)(end - at)) : NULL;
	if (at)
		symbols_parse(&names, at, end);
	for (size_t i = 0; i < names.all.n; i++)
		state_add(st, names.all.at[i].value, names.all.at[i].name[0]);
	failed = names.failed;
	symbols_fini(&names);
	named = st->known != 0;
	for (unsigned i = 0; !named && i < sizeof(usual) - 1; i++)
		state_add(st, UINT64_C(1) << i, usual[i]);
	return failed ? -ENOMEM : 0;
}

/* Counts a call once: raw_syscalls events win over syscalls:sys_enter_NAME. */
static void set_calls_once(struct type_info *types, const struct cdict_schema *schema,
			   const struct analyze_summary *sum)
{
	bool raw[2] = { false, false };

	if (!sum->has_sys_enter && !sum->has_sys_exit)
		return;
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < cdict_schema_count(schema); i++) {
			bool exit = types[i].kind == ANALYZE_KIND_SYS_EXIT;
			bool is_raw =
				!strncmp(cdict_schema_at(schema, i)->name, "raw_syscalls:", 13);

			if (!exit && types[i].kind != ANALYZE_KIND_SYS_ENTER)
				continue;
			if (!pass)
				raw[exit] |= is_raw;
			else if (raw[exit] && !is_raw)
				types[i].kind = ANALYZE_KIND_OTHER;
		}
}

/* Whether any state has a letter: a source without states names them "?" (perfwhiz). */
static bool is_told(const struct state_table *st)
{
	for (uint64_t bits = st->known; bits; bits &= bits - 1)
		if (st->letter[__builtin_ctzll(bits)] != '?')
			return true;
	return false;
}

/* Whether format/digest/digest_collect.c does not record the event: samples, the machine's exits,
 * or their reasons. */
static bool is_undigested(const struct type_info *ti, const struct cdict_event_type *type)
{
	switch ((enum analyze_kind)ti->kind) {
	case ANALYZE_KIND_KVM_REASON:
	case ANALYZE_KIND_SAMPLE:
		return true;
	case ANALYZE_KIND_KVM_ENTRY:
		return strcmp(type->event, "kvm_entry") != 0;
	case ANALYZE_KIND_KVM_EXIT:
		return strcmp(type->event, "kvm_exit") != 0 || ti->field[KVM_VALUE] < 0 ||
		       (ti->field[KVM_VALUE] == cdict_event_type_field(type, "idx") &&
			ti->field[KVM_HOW] >= 0);
	default:
		return false;
	}
}

int types_resolve(struct type_info **out, const struct cdict_schema *schema,
		  struct state_table *states, struct analyze_summary *sum, struct cdict_error *err)
{
	size_t n = cdict_schema_count(schema);
	struct type_info *types = calloc(n ? n : 1, sizeof(*types));

	if (!types)
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		const struct cdict_event_type *type = cdict_schema_at(schema, i);

		for (unsigned f = 0; f < FIELDS_MAX; f++)
			types[i].field[f] = -1;
		types[i].common_pid = (int16_t)find_field(type, "common_pid");
		/* __perf_task() in the kernel's include/trace/events/sched.h */
		types[i].of_others = !strncmp(type->name, "sched:sched_wak", 15) ||
				     !strncmp(type->name, "sched:sched_stat_", 17);
		resolve(&types[i], type);
		sum->undigested |= is_undigested(&types[i], type);
		switch ((enum analyze_kind)types[i].kind) {
		case ANALYZE_KIND_SWITCH:
			if (states_init(states, type)) {
				free(types);
				return cdict_fail_nomem(err);
			}
			sum->has_switch = true;
			sum->has_state = types[i].field[SW_PREV_STATE] >= 0 && is_told(states);
			break;
		case ANALYZE_KIND_WAKING:
			sum->has_waking = true;
			break;
		case ANALYZE_KIND_WAKEUP:
			sum->has_wakeup = true;
			break;
		case ANALYZE_KIND_MIGRATE:
			sum->has_migrate = true;
			break;
		case ANALYZE_KIND_IOWAIT:
			sum->has_iowait = true;
			break;
		case ANALYZE_KIND_RUNTIME:
			sum->has_runtime = true;
			break;
		case ANALYZE_KIND_KVM_ENTRY:
			sum->has_entry = true;
			break;
		case ANALYZE_KIND_KVM_EXIT:
			sum->has_exit = true;
			break;
		case ANALYZE_KIND_KVM_USERSPACE:
			sum->has_userspace_exit = true;
			break;
		case ANALYZE_KIND_SAMPLE:
			sum->has_sample = true;
			break;
		case ANALYZE_KIND_SYS_ENTER:
			sum->has_sys_enter = true;
			break;
		case ANALYZE_KIND_SYS_EXIT:
			sum->has_sys_exit = true;
			break;
		default:
			break;
		}
	}
	set_calls_once(types, schema, sum);
	*out = types;
	return 0;
}

/* ANALYZE_NEED_PRIORITIES, ANALYZE_NEED_CONTEXT: what few analyses need of a field; 0: no bit. */
static unsigned special_need(const struct type_info *ti, int field)
{
	switch ((enum analyze_kind)ti->kind) {
	case ANALYZE_KIND_SWITCH:
		return field == SW_PREV_PRIO || field == SW_NEXT_PRIO ? ANALYZE_NEED_PRIORITIES : 0;
	case ANALYZE_KIND_WAKING:
	case ANALYZE_KIND_WAKEUP:
	case ANALYZE_KIND_WAKEUP_NEW:
		return field == WAKE_PRIO    ? ANALYZE_NEED_PRIORITIES
		       : field == WAKE_FLAGS ? ANALYZE_NEED_CONTEXT
					     : 0;
	default:
		return 0;
	}
}

uint64_t **types_fields(const struct type_info *types, const struct cdict_schema *schema,
			unsigned needs, bool common_pid)
{
	size_t n = cdict_schema_count(schema), n_words = 0, at = 0;
	uint64_t **fields, *words;

	for (size_t i = 0; i < n; i++)
		n_words += (cdict_schema_at(schema, i)->n_fields + 63) / 64;
	fields = calloc(1, (n + 1) * sizeof(*fields) + n_words * sizeof(*words));
	if (!fields)
		return NULL;
	words = (uint64_t *)(fields + n + 1);
	for (size_t i = 0; i < n; i++) {
		const struct type_info *ti = &types[i];

		fields[i] = words + at;
		at += (cdict_schema_at(schema, i)->n_fields + 63) / 64;
		if (common_pid && ti->common_pid >= 0)
			fields[i][ti->common_pid / 64] |= UINT64_C(1) << ti->common_pid % 64;
		for (int f = 0; f < FIELDS_MAX && needs & 1u << ti->kind; f++)
			if (ti->field[f] >= 0 && !(special_need(ti, f) & ~needs))
				fields[i][ti->field[f] / 64] |= UINT64_C(1) << ti->field[f] % 64;
	}
	return fields;
}
