#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# fuzz.sh BUILD SECONDS [NAME]: runs each libFuzzer target, or tests/fuzz/fuzz_NAME.c only.
# Starts from tests/fuzz/corpus/TARGET and tests/data/bad; new inputs stay in BUILD/corpus,
# failing inputs in BUILD/found.  Status 1 if there is one.
set -euo pipefail

build=$1
seconds=$2
status=0
mkdir -p "$build/found"

for source in tests/fuzz/fuzz_${3:-*}.c; do
	[ -e "$source" ] || { echo "no fuzz target $source" >&2; exit 1; }
	target=$(basename "$source" .c)
	corpus=("$build/corpus/$target")
	mkdir -p "${corpus[0]}"
	for folder in "tests/fuzz/corpus/$target" tests/data/bad; do
		[ ! -d "$folder" ] || corpus+=("$folder")
	done
	echo "$target: $seconds s"
	if ! "$build/tests/fuzz/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
		-print_final_stats=1 -artifact_prefix="$build/found/$target-" "${corpus[@]}" \
		>"$build/$target.log" 2>&1; then
		status=1
		echo "$target: FOUND, see $build/$target.log"
		tail -n 30 "$build/$target.log"
	fi
	grep -E '^(stat::number_of_executed_units|stat::new_units_added)' "$build/$target.log" || :
done
exit $status
