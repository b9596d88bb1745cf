#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 300
#
# For every real capture, whole and randomly thinned, cut and holed: vCPU states add up to the
# window, core map columns to all of it, antagonists to no more than the waits (unit/hold.h).
set -u
. "$TOP/tests/oracle/_lib.sh"
addup=$(dirname "$MKPERF")/addup

found=
for data in "$SHARED"/captures/kvm/*.data "$SHARED"/captures/vmx/*.data "$DATA"/*.data; do
	[ -r "$data" ] || continue
	case " $found " in *" $(basename "$data") "*) continue ;; esac
	found="$found $(basename "$data")"
	rm -f x.cdict
	"$CDICT" convert -q -i "$data" -o x.cdict 2>convert.err </dev/null
	if [ ! -s x.cdict ]; then
		fail "addup-$(basename "$data")" <convert.err
		continue
	fi
	"$addup" x.cdict 15 2>addup.err || echo "ends with $?" >>addup.err
	verdict "addup-$(basename "$data" .data)" "$(cat addup.err)"
done
[ -n "$found" ] || skip addup "no capture is here"
