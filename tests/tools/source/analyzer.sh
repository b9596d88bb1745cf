#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# analyzer.sh BUILD CC CFLAGS...: prints findings of gcc -fanalyzer in the product's sources that no pattern of analyzer.txt (the reviewed
# list) matches; status 1 if there are any. BUILD/analyzer.found keeps all findings. The sources are $FILES.
set -euo pipefail
cd "$(dirname "$0")/../../.."

build=$1
shift
read -ra sources <<<"$FILES"
mkdir -p "$build"
printf '%s\n' "${sources[@]}" |
	xargs -P "${JOBS:-2}" -n 1 "$@" -fanalyzer -fdiagnostics-plain-output -O1 -c -o /dev/null 2>&1 |
	sed -nE 's/^([a-z_]+\/[a-z0-9_]+\.[ch]):[0-9]+:[0-9]+: warning: (.*)$/\1: \2/p' | sort -u >"$build/analyzer.found"
if grep -vxEf <(grep -v '^[#	]' tests/tools/source/analyzer.txt) "$build/analyzer.found"; then
	exit 1
fi
echo "analyzer: ${#sources[@]} files, no findings beyond tests/tools/source/analyzer.txt"
