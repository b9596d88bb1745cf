#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# standing.sh put NAME FIGURE: writes the row NAME of the last table in doc/testing.md: the figure, this commit and date.
# standing.sh collect BUILD: runs the tests that count kills, writes to a full disk and systems, and puts their sums.
set -euo pipefail

cd "$(dirname "$0")/../../.."
doc=doc/testing.md

put() {
	local new
	grep -q "^| $1 |" "$doc" || { echo "$doc has no row '$1'" >&2; return 1; }
	new=$(mktemp "$doc.XXXXXX")
	awk -F ' [|] ' -v name="$1" -v figure="$2" -v at="$(git rev-parse --short=8 HEAD), $(date +%F)" '
		index($0, "| " name " |") == 1 { printf "| %s | %s | %s | %s\n", name, figure, at, $NF; next }
		{ print }' "$doc" >"$new"
	chmod 644 "$new"
	mv "$new" "$doc"
}

collect() {
	FIGURES=$(mktemp)
	export FIGURES
	trap 'rm -f "$FIGURES"' EXIT
	JOBS=${JOBS:-2} tests/run -b "$1" -t '^faults/outputs/|^fleet/crash|^live/static' faults fleet live
	sum() { awk -v name="$1" '$1 == name { n += $2 } END { print n + 0 }' "$FIGURES"; }
	put kills "$(sum kills) of commands, recordings and pushes, each at another call or moment; nothing was lost"
	put 'full disk' "$(sum enospc) calls failed with ENOSPC; nothing was lost"
	put 'other systems' "$(sum hosts) root folders ran the static program"
}

"$@"
