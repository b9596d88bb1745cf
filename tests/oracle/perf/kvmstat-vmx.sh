#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: jq
#
# Exits of Intel hosts, recorded by trace-cmd: each exit that 'perf kvm stat' pairs is paired, with the same time. A CPU that
# is quiet at first is not taken for a late recorder.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1

for text in ${SHARED:+"$SHARED"/captures/vmx/*.kvmstat.txt}; do
	name=$(basename "$text" .kvmstat.txt)
	[ -e "${text%.kvmstat.txt}.data" ] || continue
	"$CDICT" convert -q -i "${text%.kvmstat.txt}.data" -o "$name.cdict"
	"$CDICT" exits --format json "$name.cdict" |
		jq -r '[.exits[] | .count - .unpaired, .time_ns // 0] | [_nwise(2)] | "\(map(.[0]) | add) \(map(.[1]) | add)"' >ours
	sed -nE 's/^Total Samples:([0-9]+), Total events handled time:([0-9]+)\.([0-9]+)us\./\1 \2\30/p' "$text" >perfs
	# perf counts a thread from its first entry on
	verdict "exits_are_perfs_$name" "$([ -s perfs ] && awk 'NR == FNR { n = $1; t = $2; next }
		$1 < n || $1 > n + 4 || $2 < t - 10 { print "ours " $1 ", " $2 " ns; perf " n ", " t " ns" }' perfs ours || echo "perf says no total")"
done
[ -n "${text:-}" ] || skip exits_are_perfs "the shared captures are not there"
