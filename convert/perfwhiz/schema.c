/* SPDX-License-Identifier: GPL-2.0-only */
#include "convert/perfwhiz/schema.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 4096u

static const struct {
	const char *theirs, *name;
} events[PERFWHIZ_EVENTS] = {
	[PERFWHIZ_SWITCH] = { "sched__sched_switch", "sched:sched_switch" },
	[PERFWHIZ_SLEEP] = { "sched__sched_stat_sleep", "sched:sched_stat_sleep" },
	[PERFWHIZ_IOWAIT] = { "sched__sched_stat_iowait", "sched:sched_stat_iowait" },
	[PERFWHIZ_KVM_ENTRY] = { "kvm_entry", "kvm:kvm_entry" },
	[PERFWHIZ_KVM_EXIT] = { "kvm_exit", "kvm:kvm_exit" },
};

enum perfwhiz_event perfwhiz_event_of(const char *name)
{
	unsigned e = 0;

	while (e < PERFWHIZ_EVENTS && strcmp(events[e].theirs, name))
		e++;
	return e;
}

const char *perfwhiz_event_name(enum perfwhiz_event e)
{
	return events[e].name;
}

/* ---- exit reasons: arch/x86/include/uapi/asm/vmx.h, svm.h ---- */

struct reason {
	uint32_t code;
	const char *name;
};

static const struct reason vmx[] = {
	{ 0, "EXCEPTION_NMI" },
	{ 1, "EXTERNAL_INTERRUPT" },
	{ 2, "TRIPLE_FAULT" },
	{ 3, "INIT_SIGNAL" },
	{ 4, "SIPI_SIGNAL" },
	{ 7, "INTERRUPT_WINDOW" },
	{ 8, "NMI_WINDOW" },
	{ 9, "TASK_SWITCH" },
	{ 10, "CPUID" },
	{ 12, "HLT" },
	{ 13, "INVD" },
	{ 14, "INVLPG" },
	{ 15, "RDPMC" },
	{ 16, "RDTSC" },
	{ 18, "VMCALL" },
	{ 19, "VMCLEAR" },
	{ 20, "VMLAUNCH" },
	{ 21, "VMPTRLD" },
	{ 22, "VMPTRST" },
	{ 23, "VMREAD" },
	{ 24, "VMRESUME" },
	{ 25, "VMWRITE" },
	{ 26, "VMOFF" },
	{ 27, "VMON" },
	{ 28, "CR_ACCESS" },
	{ 29, "DR_ACCESS" },
	{ 30, "IO_INSTRUCTION" },
	{ 31, "MSR_READ" },
	{ 32, "MSR_WRITE" },
	{ 33, "INVALID_STATE" },
	{ 34, "MSR_LOAD_FAIL" },
	{ 36, "MWAIT_INSTRUCTION" },
	{ 37, "MONITOR_TRAP_FLAG" },
	{ 39, "MONITOR_INSTRUCTION" },
	{ 40, "PAUSE_INSTRUCTION" },
	{ 41, "MCE_DURING_VMENTRY" },
	{ 43, "TPR_BELOW_THRESHOLD" },
	{ 44, "APIC_ACCESS" },
	{ 45, "EOI_INDUCED" },
	{ 46, "GDTR_IDTR" },
	{ 47, "LDTR_TR" },
	{ 48, "EPT_VIOLATION" },
	{ 49, "EPT_MISCONFIG" },
	{ 50, "INVEPT" },
	{ 51, "RDTSCP" },
	{ 52, "PREEMPTION_TIMER" },
	{ 53, "INVVPID" },
	{ 54, "WBINVD" },
	{ 55, "XSETBV" },
	{ 56, "APIC_WRITE" },
	{ 57, "RDRAND" },
	{ 58, "INVPCID" },
	{ 59, "VMFUNC" },
	{ 60, "ENCLS" },
	{ 61, "RDSEED" },
	{ 62, "PML_FULL" },
	{ 63, "XSAVES" },
	{ 64, "XRSTORS" },
	{ 67, "UMWAIT" },
	{ 68, "TPAUSE" },
	{ 74, "BUS_LOCK" },
	{ 75, "NOTIFY" },
};

static const struct reason svm[] = {
	{ 0x000, "read_cr0" },
	{ 0x003, "read_cr3" },
	{ 0x004, "read_cr4" },
	{ 0x010, "write_cr0" },
	{ 0x013, "write_cr3" },
	{ 0x014, "write_cr4" },
	{ 0x018, "write_cr8" },
	{ 0x040, "DE excp" },
	{ 0x041, "DB excp" },
	{ 0x043, "BP excp" },
	{ 0x046, "UD excp" },
	{ 0x047, "NM excp" },
	{ 0x04d, "GP excp" },
	{ 0x04e, "PF excp" },
	{ 0x052, "MC excp" },
	{ 0x060, "interrupt" },
	{ 0x061, "nmi" },
	{ 0x062, "smi" },
	{ 0x063, "init" },
	{ 0x064, "vintr" },
	{ 0x065, "cr0_sel_write" },
	{ 0x06e, "rdtsc" },
	{ 0x06f, "rdpmc" },
	{ 0x072, "cpuid" },
	{ 0x074, "iret" },
	{ 0x076, "invd" },
	{ 0x077, "pause" },
	{ 0x078, "hlt" },
	{ 0x079, "invlpg" },
	{ 0x07a, "invlpga" },
	{ 0x07b, "io" },
	{ 0x07c, "msr" },
	{ 0x07d, "task_switch" },
	{ 0x07f, "shutdown" },
	{ 0x080, "vmrun" },
	{ 0x081, "hypercall" },
	{ 0x082, "vmload" },
	{ 0x083, "vmsave" },
	{ 0x084, "stgi" },
	{ 0x085, "clgi" },
	{ 0x086, "skinit" },
	{ 0x087, "rdtscp" },
	{ 0x089, "wbinvd" },
	{ 0x08a, "monitor" },
	{ 0x08b, "mwait" },
	{ 0x08d, "xsetbv" },
	{ 0x400, "npf" },
	{ 0x401, "avic_incomplete_ipi" },
	{ 0x402, "avic_unaccelerated_access" },
};
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

void perfwhiz_reason_seen(struct perfwhiz_reasons *r, int64_t code)
{
	/* Intel's are below 80; every AMD guest has interrupts (0x60). */
	if (code >= 0x60 && code < PERFWHIZ_OTHER)
		r->amd = true;
}

static int64_t find_reason(const struct reason *table, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(table[i].name, name))
			return table[i].code;
	return -1;
}

int64_t perfwhiz_reason_named(struct perfwhiz_reasons *r, const char *name)
{
	int64_t code = find_reason(vmx, COUNT(vmx), name);
	char *copy;

	if (code >= 0)
		return code;
	code = find_reason(svm, COUNT(svm), name);
	if (code >= 0) {
		perfwhiz_reason_seen(r, code);
		return code;
	}
	for (size_t i = 0; i < r->names.n; i++)
		if (!strcmp(r->names.at[i], name))
			return (int64_t)(PERFWHIZ_OTHER + i);
	if (r->names.n == NAMES_MAX)
		return -1;
	copy = strdup(name);
	if (!copy || array_push(&r->names, copy)) {
		free(copy);
		r->no_memory = true;
		return -1;
	}
	return (int64_t)(PERFWHIZ_OTHER + r->names.n - 1);
}

void perfwhiz_reasons_fini(struct perfwhiz_reasons *r)
{
	for (size_t i = 0; i < r->names.n; i++)
		free(r->names.at[i]);
	array_fini(&r->names);
}

/* ---- formats ---- */

/* Quotes a name for the print format: replaces characters that would end it, or are not
 * printable. */
static void put_quoted(struct buf *out, const char *name)
{
	for (; *name; name++)
		buf_u8(out, *name < ' ' || *name > '~' || strchr("\"\\{},", *name)
				    ? '_'
				    : (uint8_t)*name);
}

static void put_reasons(struct buf *out, const struct perfwhiz_reasons *r)
{
	const struct reason *table = r->amd ? svm : vmx;
	size_t n = r->amd ? COUNT(svm) : COUNT(vmx);

	for (size_t i = 0; i < n; i++)
		buf_printf(out, ", { %u, \"%s\" }", table[i].code, table[i].name);
	for (size_t i = 0; i < r->names.n; i++) {
		buf_printf(out, ", { %u, \"", (unsigned)(PERFWHIZ_OTHER + i));
		put_quoted(out, r->names.at[i]);
		buf_printf(out, "\" }");
	}
}

#define FIELD(type, offset, size, sign)                                                            \
	"\tfield:" type ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #sign ";\n"
#define COMMON                                                                                     \
	FIELD("unsigned short common_type", 0, 2, 0)                                               \
	FIELD("unsigned char common_flags", 2, 1, 0)                                               \
	FIELD("unsigned char common_preempt_count", 3, 1, 0)                                       \
	FIELD("int common_pid", 4, 4, 1) "\n"

/* The state is one without a letter: perfwhiz does not store why the task stopped. */
static const char switch_fields[] = COMMON FIELD("char prev_comm[16]", 8, 16, 1)
	FIELD("pid_t prev_pid", 24, 4, 1) FIELD("unsigned int prev_state", 28, 4, 0)
		FIELD("char next_comm[16]", 32, 16, 1) FIELD("pid_t next_pid", 48, 4, 1)
			FIELD("u64 runtime", 56, 8, 0);
static const char switch_print[] =
	"\"prev_comm=%s prev_pid=%d prev_state=%s ==> next_comm=%s next_pid=%d runtime=%Lu [ns]\", "
	"REC->prev_comm, REC->prev_pid, __print_flags(REC->prev_state, \"|\", { 0x1, \"?\" }), "
	"REC->next_comm, REC->next_pid, (unsigned long long)REC->runtime";
static const char stat_fields[] = COMMON FIELD("char comm[16]", 8, 16, 1)
	FIELD("pid_t pid", 24, 4, 1) FIELD("u64 delay", 32, 8, 0);
static const char stat_print[] =
	"\"comm=%s pid=%d delay=%Lu [ns]\", REC->comm, REC->pid, (unsigned long long)REC->delay";
static const char entry_fields[] = COMMON FIELD("u64 exit_ns", 8, 8, 0);
static const char entry_print[] = "\"exit_ns %Lu\", (unsigned long long)REC->exit_ns";
static const char exit_fields[] = COMMON FIELD("u64 guest_ns", 8, 8, 0)
	FIELD("unsigned int exit_reason", 16, 4, 0) FIELD("u32 isa", 20, 4, 0);

void perfwhiz_format(struct buf *out, enum perfwhiz_event e, const struct perfwhiz_reasons *r)
{
	static const char *const fields[PERFWHIZ_EVENTS] = { switch_fields, stat_fields,
							     stat_fields, entry_fields,
							     exit_fields };
	static const char *const prints[PERFWHIZ_EVENTS] = { switch_print, stat_print, stat_print,
							     entry_print, NULL };

	buf_printf(out,
		   "name: %s\nID: %u\nformat:\n%s\nprint fmt: ", strchr(events[e].name, ':') + 1,
		   (unsigned)e + 1, fields[e]);
	if (prints[e]) {
		buf_printf(out, "%s\n", prints[e]);
	} else {
		buf_printf(out, "\"reason %%s guest_ns %%Lu\", __print_symbolic(REC->exit_reason");
		put_reasons(out, r);
		buf_printf(out, "), (unsigned long long)REC->guest_ns\n");
	}
	buf_u8(out, 0);
}
