#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Each public header compiles alone, as strict C11 and as C++.
set -euo pipefail
cd "$(dirname "$0")/../.."

cxx=$(command -v g++ || command -v clang++ || :)
failed=0

compiles() { # NAME COMPILER...
	local name=$1 message
	shift
	# A header with only macros is not a valid C program; the declaration makes it one.
	if message=$(printf '#include "%s"\nextern int c11_wants_a_declaration;\n' "$header" |
		"$@" -pedantic -Wall -Wextra -Werror -Iinclude -fsyntax-only - 2>&1); then
		echo "ok $name"
	else
		echo "not ok $name"
		printf '%s\n' "$message"
		failed=1
	fi
}

for path in include/cdict/*.h; do
	header=${path#include/}
	compiles "${header}_compiles_alone_as_C11" "${CC:-cc}" -std=c11 -x c
	if [ -n "$cxx" ]; then
		compiles "${header}_compiles_alone_as_C++" "$cxx" -std=c++11 -x c++
	else
		echo "skip ${header}_compiles_alone_as_C++ neither g++ nor clang++ is installed"
	fi
done
exit $failed
