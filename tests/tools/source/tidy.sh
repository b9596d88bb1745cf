#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# tidy.sh BUILD CFLAGS...: prints findings of clang-tidy (checks: .clang-tidy) in the product's sources that no pattern of tidy.txt (the
# reviewed list) matches; status 1 if there are any. BUILD/tidy.found keeps all findings. The sources are $FILES.
set -euo pipefail
cd "$(dirname "$0")/../../.."

build=$1
shift
command -v clang-tidy >/dev/null || { echo "make tidy needs clang-tidy" >&2; exit 1; }
read -ra sources <<<"$FILES"
mkdir -p "$build"
printf '%s\n' "${sources[@]}" |
	xargs -P "${JOBS:-2}" -I{} clang-tidy --quiet {} -- "$@" 2>/dev/null |
	sed -nE "s|^$PWD/||; s/^([a-z_]+\/[a-z0-9_]+\.[ch]):[0-9]+:[0-9]+: (warning|error): (.*)\$/\1: \3/p" | sort -u >"$build/tidy.found"
if grep -vxEf <(grep -v '^[#	]' tests/tools/source/tidy.txt) "$build/tidy.found"; then
	exit 1
fi
echo "tidy: ${#sources[@]} files, no findings beyond tests/tools/source/tidy.txt"
