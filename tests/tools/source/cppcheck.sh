#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# cppcheck.sh: prints findings of cppcheck in the sources $FILES that cppcheck.txt, the reviewed list, does not have; status 1 if there are any.
set -euo pipefail
cd "$(dirname "$0")/../../.."

read -ra sources <<<"$FILES"
found=$(cppcheck -q --enable=warning,portability --std=c11 --suppress=missingIncludeSystem -I. -Iinclude -D_GNU_SOURCE= \
	"${sources[@]}" 2>&1 |
	sed -nE 's/^([a-z_]+\/[a-z0-9_]+\.[ch]):[0-9]+:[0-9]+: (warning|error|portability|style): (.*)$/\1: \3/p' | sort -u)
if grep -vxFf <(grep -v '^[#	]' tests/tools/source/cppcheck.txt) <<<"$found"; then
	exit 1
fi
echo "cppcheck: ${#sources[@]} files, no findings beyond tests/tools/source/cppcheck.txt"
