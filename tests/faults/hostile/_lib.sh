# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Sourced: functions shared by the tests of files with excessive claims. The work folder is empty.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
export CDICT
tools=$TOP/tests/tools

case $BUILD in
*san-*) echo "the sanitizers' memory is not the program's" >&2; exit 77 ;;
esac

# bounded ARGS... - prints the runs beyond its limits (bounded.py)
bounded() { python3 "$tools/check/bounded.py" "$@" 2>&1; }
