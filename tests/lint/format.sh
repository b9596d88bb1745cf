#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Every C file has the layout of .clang-format, by clang-format 14.
set -euo pipefail
cd "$(dirname "$0")/../.."

tool=$(command -v clang-format-14 || command -v clang-format || :)
case $("${tool:-true}" --version) in
*" version 14."*) ;;
*)
	echo "clang-format 14 is not installed" >&2
	exit 77
	;;
esac

files=$(find . -name '*.[ch]' -not -path './build/*' -not -path './.git/*' | sort)
# one process for all of them: it takes longer to start than for a file
output=$("$tool" --dry-run --ferror-limit=1 $files 2>&1) || wrong=$output
wrong=${wrong-}$(sed -n 's|^\./\([^:]*\):[0-9]*:[0-9]*: .*code should be clang-formatted.*|\1|p' <<<"$output" | sort -u)
if [ -z "$wrong" ]; then
	echo "ok every_C_file_is_laid_out_by_clang-format"
else
	echo "not ok every_C_file_is_laid_out_by_clang-format"
	echo "clang-format -i" $wrong
	exit 1
fi
