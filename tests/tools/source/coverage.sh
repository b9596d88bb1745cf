#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# coverage.sh BUILD: prints the coverage of each file, lowest first, then of each folder at the top, by the tests that ran in BUILD (made with --coverage).
set -euo pipefail

build=$(cd "$1" && pwd) top=$PWD
cd "$build/obj"
# A file that no test ran has no .gcda: none of its lines.
for room in base format convert capture plugin annotate analyze tables render query cmd; do
	[ -d "$room" ] || continue
	find "$room" -name '*.gcno' -printf '%p\n' | while read -r notes; do
		gcov -n -o "${notes%.gcno}.o" "${notes%.gcno}.gcno" 2>/dev/null
	done | awk -v room="$room" '
		/^File/ { file = $2; gsub("\047", "", file) }
		/^Lines executed/ && file ~ "^" room "/.*\\.c$" {
			split($0, part, /[:% ]+/)
			printf "%6.1f %% of %4d  %s\n", part[3], part[5], file
			seen += part[3] * part[5] / 100; all += part[5]
		}
		/^Lines executed/ { file = "" }
		END { if (all) printf "%6.1f %% of %d lines: %s/\n", 100 * seen / all, all, room }' | sort -n
done | tee lines.txt | grep -v 'lines:' || :
grep 'lines:' lines.txt
"$top/tests/tools/source/standing.sh" put coverage "$(awk '/lines:/ { sub("/$", "", $NF); printf "%s%s %s %%", sep, $NF, $1; sep = ", " }' lines.txt) of the lines: $COVERED"
