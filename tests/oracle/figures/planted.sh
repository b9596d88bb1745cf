#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3
#
# What was planted in the recorded pair of a host and two guests (tests/data/guest-pair/planted.txt) is found, named and
# timed within the clock's stated error; the times that it must have come from the events alone.
set -u
. "$TOP/tests/oracle/_lib.sh"

pair=$DATA/guest-pair
join() { # OUTPUT
	"$CDICT" join "$pair/host.cdict" "=$pair/instance-0000001b.cdict" "=$pair/instance-0000001c.cdict" -o "$1" 2>join.err
}
if ! join both.cdict; then
	echo "not ok the_pair_is_joined_by_UUID_and_TSC"
	cat join.err
	exit
fi
python3 "$TOP/tests/oracle/figures/_planted.py" "$CDICT" "$pair" both.cdict
