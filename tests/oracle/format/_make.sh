#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# _make.sh BUILD VERSION: makes the golden files of a format version before its release.  Those of
# released versions are never made again.
set -eu
cd "$(dirname "$0")"
build=$1
version=$2
data=../data
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

make() { # WHAT TRACE [mkperf options]
	local what=$1 trace=$2
	shift 2
	"$build/tests/tools/make/mkperf" --formats "$data/formats" "$@" -o "$tmp/perf.data" "$trace"
	"$build/cdict" convert -q -e '*:*' -i "$tmp/perf.data" -o "v$version-$what.cdict" || [ $? -eq 2 ]
	"$build/tests/tools/check/dumpevents" -a "v$version-$what.cdict" >"v$version-$what.txt"
}

make example example.trace
make sched "$data/migrations.trace"
make svm "$data/exit-without-entry.trace"
make vmx "$data/two-vcpus.trace"
make vmx-big-endian "$data/two-vcpus.trace" --big-endian
make arm64 "$data/arm64-exits.trace"
make generic "$data/generic.trace"
make long4-big-endian "$data/long4.trace" --big-endian
make new-kernel "$data/new-kernel.trace"
make loss "$data/loss.trace"
make disorder "$data/disorder.trace"
make late late.trace
