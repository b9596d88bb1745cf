#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Every source file names the correct licence in its first lines: the sources of libcdict
# (base/, format/, include/, analyze/, tables/) are LGPL-2.1-only, all others GPL-2.0-only.  The texts are in COPYING and COPYING.LIB.
set -euo pipefail
cd "$(dirname "$0")/../.."

failed=0
verdict() { # NAME LIST-OF-WRONG-FILES
	if [ -z "$2" ]; then
		echo "ok $1"
	else
		echo "not ok $1"
		printf '%s\n' "$2"
		failed=1
	fi
}

wrong=$(find . \( -name '*.[ch]' -o -name '*.js' -o -name '*.css' -o -name '*.html' \
	-o -name '*.sh' -o -name '*.map' -o -name Makefile -o -name package.json -o -path ./tests/run \
	-o -path ./.ci/run \) \
	-type f -not -path './build/*' -not -path './.git/*' -not -path './tests/data/*' -printf '%P\n' | sort | xargs awk '
		function ended() { if (file && !named) print file ": no line \047SPDX-License-Identifier: " licence "\047" }
		FNR == 1 {
			ended()
			file = FILENAME
			named = 0
			licence = file ~ /^(base|format|include|analyze|tables)\// ? "LGPL-2.1-only" : "GPL-2.0-only"
		}
		FNR <= 3 && $0 ~ "SPDX-License-Identifier: " licence "([^A-Za-z0-9_]|$)" { named = 1 }
		FNR == 3 { nextfile }
		END { ended() }')
verdict every_source_file_names_its_licence "$wrong"

wrong=
for licence in COPYING COPYING.LIB; do
	[ -s "$licence" ] || wrong+="$licence is missing"
done
verdict the_texts_of_both_licences_are_here "$wrong"

wrong=
while read -r file; do
	bash -n "$file" 2>/dev/null || wrong+="${wrong:+$'\n'}$file"
done < <(find . -name '*.sh' -not -path './build/*' -not -path './.git/*'; echo tests/run; echo .ci/run)
verdict every_shell_script_parses "$wrong"
exit $failed
