# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the tests of files that claim much have in common; to be sourced. The work folder is an empty one.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
export CDICT
tools=$TOP/tests/tools

case $BUILD in
*san-*) echo "the sanitizers' memory is not the program's" >&2; exit 77 ;;
esac

# bounded ARGS... - what is beyond its limits (bounded.py)
bounded() { python3 "$tools/check/bounded.py" "$@" 2>&1; }
