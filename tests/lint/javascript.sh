#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# JavaScript has the layout of tests/lint/javascript.mjs, and its checker finds no faults in the page's code:
# unknown names, unused code, wrong arguments.
# needs: node
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

if [ ! -r "${TYPESCRIPT:=/usr/share/nodejs/typescript/lib/typescript.js}" ]; then
	echo "node-typescript is not installed" >&2
	exit 77
fi
export TYPESCRIPT
mapfile -t page < <(find render/web -name '*.js' | sort)
mapfile -t tests < <(find tests -name '*.mjs' | sort)
failed=0
run() { # NAME MODE FILE...
	local name=$1

	shift
	if node tests/lint/javascript.mjs "$@"; then
		echo "ok $name"
	else
		echo "not ok $name"
		failed=1
	fi
}
run javascript_is_laid_out_by_the_formatter layout "${page[@]}" "${tests[@]}"
run the_checker_finds_nothing_in_the_page mistakes "${page[@]}"
exit $failed
