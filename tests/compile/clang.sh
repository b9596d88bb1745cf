#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 600
# clang checks all sources without a warning; gcc does so in the build itself, where CI sets WERROR=1. Only clang's front end
# runs: its warnings come from there, and its objects are not needed. gcc's objects are linked again without WebAssembly.
set -u
cd "$(dirname "$0")/../.." || exit 1

# element FILE ID - prints that element of the page
element() { sed -n 's|.*<script type="[^"]*" id="'"$2"'">\([^<]*\)</script>.*|\1|p' "$1"; }

# A page without its engine: everything that one with it shows first, and a sentence.
without_engine() {
	local dir name=a_page_built_with_WASM=0_has_its_tables_and_reports_what_it_lacks wrong=
	dir=$(mktemp -d)
	cp -a "$BUILD/obj" "$BUILD/flags" "$BUILD/sources" "$BUILD"/lib*.a "$dir"
	# as it was built, or all is built again
	make -j"${JOBS:-2}" B="$dir" WASM=0 SAN= $(! grep -q -e ' -Werror ' "$BUILD/flags" || echo WERROR=1) "$dir/cdict" >"$dir/make.log" 2>&1 ||
		wrong=$(tail -n 5 "$dir/make.log")
	"$CDICT" convert -q -i tests/data/kvm-small.data -o "$dir/x.cdict" || wrong="no cdict"
	"$CDICT" report -q "$dir/x.cdict" -o "$dir/with.html"
	"$dir/cdict" report -q --embed all "$dir/x.cdict" -o "$dir/without.html"
	for id in tables-0 bins-0; do
		[ -n "$(element "$dir/without.html" $id)" ] || wrong+=" $id is missing"
		[ "$(element "$dir/with.html" $id)" = "$(element "$dir/without.html" $id)" ] || wrong+=" $id differs"
	done
	grep -q 'id="cdict-engine"' "$dir/with.html" || wrong+=" the other build has no engine either"
	grep -q 'id="cdict-engine"\|id="capture-0"\|wasm-unsafe-eval' "$dir/without.html" && wrong+=" there is an engine, or its capture"
	grep -q 'built without WebAssembly: zoom ends at the columns' "$dir/without.html" || wrong+=" it does not say so"
	rm -rf "$dir"
	if [ -z "$wrong" ]; then echo "ok $name"; else echo "not ok $name"; echo "$wrong"; fi
}

name=clang_reads_everything_without_a_warning
if ! command -v clang >/dev/null; then
	echo "skip $name clang is not installed"
elif make WERROR=1 SAN= JOBS="${JOBS:-2}" syntax 2>&1; then
	echo "ok $name"
else
	echo "not ok $name"
fi
without_engine
