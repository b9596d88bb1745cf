/* SPDX-License-Identifier: GPL-2.0-only */
/* Exit reason names, from the kernels' own kvm_exit formats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/printing/reasons.h"
#include "analyze/printing/symbols.h"

static struct analyze_reasons *reasons(const char *format)
{
	struct analyze_reasons *r;

	assert_int_equal(analyze_reasons_new(&r, format, strlen(format), NULL), 0);
	return r;
}

static const char *name_of(const struct analyze_reasons *r, uint32_t isa, uint64_t code,
			   uint64_t esr_ec)
{
	static char room[24];

	analyze_reasons_code(r, &isa, &code, esr_ec);
	return analyze_reasons_text(r, isa, code, room);
}

/* Linux 6.1, shortened. */
static const char x86[] =
	"print fmt: \"vcpu %u reason %s%s%s rip 0x%lx\", REC->vcpu_id, (REC->isa == 1) ? "
	"__print_symbolic(REC->exit_reason & 0xffff, { 0, \"EXCEPTION_NMI\" }, { 12, \"HLT\" }, "
	"{ 30, \"IO_INSTRUCTION\" }) : __print_symbolic(REC->exit_reason, { 0x000, \"read_cr0\" }, "
	"{ 0x040 + 1, \"DB excp\" }, { 0x078, \"hlt\" }, { 0x07b, \"io\" }, { 0x400, \"npf\" }, "
	"{ -1, \"invalid_guest_state\" }), (REC->isa == 1 && REC->exit_reason & ~0xffff) ? \" \" : "
	"\"\", (REC->isa == 1) ? __print_flags(REC->exit_reason & ~0xffff, \" \", { 0x80000000, "
	"\"FAILED_VMENTRY\" }) : \"\", REC->guest_rip\n";

static void x86_has_a_table_for_each_isa(void **state)
{
	struct analyze_reasons *r = reasons(x86);

	(void)state;
	assert_string_equal(name_of(r, 1, 12, 0), "HLT");
	assert_string_equal(name_of(r, 1, 30, 0), "IO_INSTRUCTION");
	assert_string_equal(name_of(r, 2, 0x78, 0), "hlt");
	assert_string_equal(name_of(r, 2, 0x7b, 0), "io");
	assert_string_equal(name_of(r, 2, 0x400, 0), "npf");
	analyze_reasons_free(r);
}

static void sums_and_negative_numbers_are_evaluated(void **state)
{
	struct analyze_reasons *r = reasons(x86);

	(void)state;
	assert_string_equal(name_of(r, 2, 0x41, 0), "DB excp");
	/* The field has 32 bits, unsigned. */
	assert_string_equal(name_of(r, 2, 0xffffffff, 0), "invalid_guest_state");
	assert_string_equal(name_of(r, 2, UINT64_MAX, 0), "invalid_guest_state");
	analyze_reasons_free(r);
	/* and the other way round: the field is signed, and its name's number is not */
	r = reasons("print fmt: \"%s\", __print_symbolic(REC->exit_reason, "
		    "{ 0xfffffffe, \"busy\" }, { 0x100000003, \"large\" })\n");
	assert_string_equal(name_of(r, 0, UINT64_MAX - 1, 0), "busy");
	assert_string_equal(name_of(r, 0, 0xfffffffe, 0), "busy");
	assert_string_equal(name_of(r, 0, 0x1fffffffe, 0), "0x1fffffffe");
	assert_string_equal(name_of(r, 0, 3, 0), "0x3");
	analyze_reasons_free(r);
}

static void the_failed_entry_bit_of_vmx_is_masked(void **state)
{
	struct analyze_reasons *r = reasons(x86);

	(void)state;
	assert_string_equal(name_of(r, 1, 0x8000000c, 0), "HLT");
	analyze_reasons_free(r);
}

static void unknown_codes_show_as_their_number(void **state)
{
	struct analyze_reasons *r = reasons(x86);

	(void)state;
	assert_string_equal(name_of(r, 1, 0x1234, 0), "0x1234");
	assert_string_equal(name_of(r, 2, 0x1234, 0), "0x1234");
	analyze_reasons_free(r);
	r = reasons("print fmt: \"no table here\"\n");
	assert_string_equal(name_of(r, 0, 7, 0), "0x7");
	analyze_reasons_free(r);
}

static void an_old_kernel_has_one_table_whatever_the_isa(void **state)
{
	/* Linux 2.6.32. */
	struct analyze_reasons *r = reasons(
		"print fmt: \"reason %s rip 0x%lx\", __print_symbolic(REC->exit_reason, { 0, "
		"\"EXCEPTION_NMI\" }, { 12, \"HLT\" }), REC->guest_rip\n");

	(void)state;
	assert_string_equal(name_of(r, 0, 12, 0), "HLT");
	assert_string_equal(name_of(r, 1, 12, 0), "HLT");
	analyze_reasons_free(r);
}

static void an_arm64_trap_is_called_by_its_exception_class(void **state)
{
	/* arch/arm64/kvm/trace_arm.h */
	struct analyze_reasons *r = reasons(
		"print fmt: \"%s: HSR_EC: 0x%04x (%s), PC: 0x%016lx\", __print_symbolic(REC->ret, "
		"{ 0, \"IRQ\" }, { 1, \"EL1_SERROR\" }, { 2, \"TRAP\" }), REC->esr_ec, "
		"__print_symbolic(REC->esr_ec, { 0x00, \"UNKNOWN\" }, { 0x01, \"WFx\" }, "
		"{ (0x16), \"HVC64\" }), REC->vcpu_pc\n");

	(void)state;
	assert_string_equal(name_of(r, 0, 0, 0), "IRQ");
	assert_string_equal(name_of(r, 0, 2, 1), "WFx");
	assert_string_equal(name_of(r, 0, 2, 0x16), "HVC64");
	assert_string_equal(name_of(r, 0, 2, 0x3f), "0x3f");
	analyze_reasons_free(r);
}

static void hlt_and_wfx_are_idle_and_pause_is_not(void **state)
{
	(void)state;
	assert_true(analyze_reason_is_idle("HLT"));
	assert_true(analyze_reason_is_idle("hlt"));
	assert_true(analyze_reason_is_idle("WFx"));
	assert_false(analyze_reason_is_idle("PAUSE_INSTRUCTION"));
	assert_false(analyze_reason_is_idle("MWAIT_INSTRUCTION"));
	assert_false(analyze_reason_is_idle("0x78"));
}

static void every_cut_of_a_format_ends_cleanly(void **state)
{
	(void)state;
	for (size_t len = 0; len <= sizeof(x86) - 1; len++) {
		struct analyze_reasons *r;
		char room[24];

		assert_int_equal(analyze_reasons_new(&r, x86, len, NULL), 0);
		analyze_reasons_text(r, 1, 12, room);
		analyze_reasons_free(r);
	}
}

static void numbers_are_c_expressions(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} cases[] = {
		{ "12", 12 },
		{ "0x40 + 1", 0x41 },
		{ "(1 << 3)", 8 },
		{ "-1", UINT64_MAX },
		{ "010", 8 },
		{ "1UL", 1 },
		{ "(0x10|1)", 17 },
		{ "~0 & 0xff", 0xff },
		{ "8 - 3 - 2", 3 },
		/* the precedence of C */
		{ "1 | 2 << 3", 17 },
		{ "2 + 3 * 4", 14 },
		{ "1 << 2 + 1", 8 },
		{ "6 & 3 == 3", 0 },
		{ "7 ^ 1 | 8", 14 },
		{ "-1 + 2 * -3", UINT64_MAX - 6 },
		{ "!0 + 1", 2 },
		{ "20 / 3 % 4", 2 },
		{ "1 || 0 && 0", 1 },
		{ "(u8)0x1ff", 255 },
		{ "3 > 2 == 1", 1 },
	};
	bool no_memory = false;
	uint64_t v;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *at = cases[i].text;

		assert_true(symbols_number(&at, at + strlen(at), &v, &no_memory));
		assert_true(v == cases[i].value);
	}
	for (const char *const *bad =
		     (const char *const[]){ "", "(", "x", "1 +", "((((((((((((((((((1", NULL };
	     *bad; bad++) {
		const char *at = *bad;

		assert_false(symbols_number(&at, at + strlen(at), &v, &no_memory));
	}
	assert_false(no_memory);
}

static void adjacent_strings_are_one_name(void **state)
{
	static const char text[] = "{ 2, \"KVM_EXIT_\" \"IO\" }, { 2, \"again\" })";
	struct symbols s = { 0 };

	(void)state;
	symbols_parse(&s, text, text + strlen(text));
	assert_int_equal(s.all.n, 1);
	assert_string_equal(symbols_find(&s, 2), "KVM_EXIT_IO");
	assert_null(symbols_find(&s, 3));
	symbols_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_has_a_table_for_each_isa),
		cmocka_unit_test(sums_and_negative_numbers_are_evaluated),
		cmocka_unit_test(the_failed_entry_bit_of_vmx_is_masked),
		cmocka_unit_test(unknown_codes_show_as_their_number),
		cmocka_unit_test(an_old_kernel_has_one_table_whatever_the_isa),
		cmocka_unit_test(an_arm64_trap_is_called_by_its_exception_class),
		cmocka_unit_test(hlt_and_wfx_are_idle_and_pause_is_not),
		cmocka_unit_test(every_cut_of_a_format_ends_cleanly),
		cmocka_unit_test(numbers_are_c_expressions),
		cmocka_unit_test(adjacent_strings_are_one_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
