#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 600
# Makes the build that the `san` and `fuzz` tests run.
set -u
cd "$(dirname "$0")/../.." || exit 1

name=gcc_builds_the_programs_with_the_sanitizers
if make -j"${JOBS:-2}" B=build/san-address-undefined CC=gcc SAN=address,undefined san-build 2>&1 &&
	{ [ -x "$MKPERF" ] || make "${MKPERF#"$PWD/"}" 2>&1; }; then
	echo "ok $name"
else
	echo "not ok $name"
fi
