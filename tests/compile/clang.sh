#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 600
# clang builds everything without a warning; gcc does in the build itself, where CI sets WERROR=1.
# clang's warnings come from its front end, -O or not, and nobody runs this build: so without.
set -u
cd "$(dirname "$0")/../.." || exit 1

name=clang_builds_everything_without_a_warning
if ! command -v clang >/dev/null; then
	echo "skip $name clang is not installed"
elif make -j"${JOBS:-2}" B=build/clang CC=clang CFLAGS=-O0 WERROR=1 SAN= test-build 2>&1; then
	echo "ok $name"
else
	echo "not ok $name"
fi
