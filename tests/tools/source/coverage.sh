#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# coverage.sh BUILD: prints the coverage of each file, lowest first, and of each folder, by the tests that ran in BUILD (made with --coverage).
set -euo pipefail

build=$(cd "$1" && pwd)
for room in format convert annotate ingest base analyze tables; do
	for data in "$build/obj/$room"/*.gcda; do
		[ -e "$data" ] || continue
		(cd "$build" && gcov -n -o "$data" "${data%.gcda}.o" 2>/dev/null)
	done | awk -v room="$room" '
		/^File/ { file = $2; gsub("\047", "", file); sub(".*/" room "/", room "/", file) }
		/^Lines executed/ && file ~ "^" room "/[^/]*\\.c$" {
			split($0, part, /[:% ]+/)
			printf "%6.1f %% of %4d  %s\n", part[3], part[5], file
			seen += part[3] * part[5] / 100; all += part[5]
			file = ""
		}
		END { if (all) printf "%6.1f %% of %d lines: %s/\n", 100 * seen / all, all, room }' | sort -n
done
