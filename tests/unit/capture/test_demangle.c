/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of C++ functions: those that perf script (6.1) prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory/buf.h"
#include "convert/symbols/demangle.h"

static void names_of_c_plus_plus_have_no_parameters(void **state)
{
	static const struct {
		const char *mangled, *name;
	} cases[] = {
		{ "main", "main" },
		{ "_start", "_start" },
		/* of C, though they are mangled types */
		{ "i", "i" },
		{ "v", "v" },
		{ "Pc", "Pc" },
		{ "1a", "1a" },
		{ "_Z5outerNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", "outer" },
		{ "_ZN5space5thingIiE4waitERKSt6vectorIiSaIiEEi", "space::thing<int>::wait" },
		{ "_ZNK5space5thing4sizeEv", "space::thing::size" },
		{ "_ZN5space5thingC2Ev", "space::thing::thing" },
		{ "_ZN5space5thingD0Ev", "space::thing::~thing" },
		{ "_Z5twiceIiET_S0_", "twice<int>" },
		{ "_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_", "std::move<int&>" },
		{ "_ZSt9terminatev", "std::terminate" },
		{ "_Znwm", "operator new" },
		{ "_ZL21format_get_value_sizecPKcb", "format_get_value_size" },
		{ "_ZL13printf_commonPvPKcP13__va_list_tag", "printf_common" },
		{ "_ZN5spaceplERKNS_5thingES2_", "space::operator+" },
		{ "_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()" },
		{ "_ZN12_GLOBAL__N_14workEi", "(anonymous namespace)::work" },
		{ "_ZN5space4waitEi@@LIB_1.0", "space::wait" },
		{ "_ZN5space4waitEi.part.0", "space::wait" },
		/* no names */
		{ "_Z", "_Z" },
		{ "_ZN", "_ZN" },
		{ "_ZNK", "_ZNK" },
		{ "_Z99999999999999999999x", "_Z99999999999999999999x" },
		{ "_Z-5outer", "_Z-5outer" },
		{ "_ZEEEEEEEEEEE", "_ZEEEEEEEEEEE" },
	};
	struct stringset names = { 0 };

	(void)state;
	if (!strcmp(demangle(&names, "_Z5outerv"), "_Z5outerv"))
		skip(); /* no libstdc++ */
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(demangle(&names, cases[i].mangled), cases[i].name);
	stringset_fini(&names);
}

/* Nested as deep as in any symbol table: fast, and with no more memory than its length. */
static void long_and_strange_names_stay_as_they_are(void **state)
{
	struct stringset names = { 0 };
	struct buf long_one = { 0 }, deep = { 0 };

	(void)state;
	buf_printf(&long_one, "_ZN");
	for (unsigned i = 0; i < 1000; i++)
		buf_printf(&long_one, "5outer");
	buf_printf(&long_one, "Ev");
	buf_u8(&long_one, 0);
	assert_ptr_equal(demangle(&names, (const char *)long_one.data), long_one.data);
	buf_printf(&deep, "_Z1f");
	for (unsigned i = 0; i < DEMANGLE_MAX - 8; i++)
		buf_u8(&deep, "PE"[i % 11 == 10]);
	buf_u8(&deep, 0);
	assert_true(strlen(demangle(&names, (const char *)deep.data)) <= DEMANGLE_MAX);
	buf_fini(&long_one);
	buf_fini(&deep);
	stringset_fini(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_c_plus_plus_have_no_parameters),
		cmocka_unit_test(long_and_strange_names_stay_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
