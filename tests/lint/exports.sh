#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# libcdict.so exports the functions that the public headers mark CDICT_API, and nothing else.
set -euo pipefail
cd "$(dirname "$0")/../.."

library=${BUILD:-build}/libcdict.so
if [ ! -e "$library" ]; then
	echo "not ok libcdict_was_built"
	exit 1
fi
exported=$(nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' | sort -u)
declared=$(cat include/cdict/*.h | tr '\n' ' ' | sed 's/CDICT_API/\n&/g' |
	sed -nE 's/^CDICT_API [^;(]*\b(cdict_[a-z0-9_]+)\(.*/\1/p' | sort -u)

listed=$(sed -nE 's/^\t(cdict_[a-z0-9_]+);$/\1/p' format/libcdict.map)

failed=0
verdict() { # NAME LIST-OF-WRONG-SYMBOLS
	if [ -z "$2" ]; then
		echo "ok $1"
	else
		echo "not ok $1"
		printf '%s\n' "$2"
		failed=1
	fi
}
verdict libcdict_exports_something "$([ -n "$exported" ] || echo "no symbol in $library")"
verdict libcdict_exports_only_cdict_ "$(grep -v '^cdict_' <<<"$exported" || :)"
verdict every_exported_function_is_in_a_public_header \
	"$(comm -23 <(echo "$exported") <(echo "$declared"))"
verdict every_public_function_is_exported "$(comm -13 <(echo "$exported") <(echo "$declared"))"
verdict the_list_of_exports_is_that_of_the_headers "$(diff <(echo "$listed") <(echo "$declared") || :)"
exit $failed
