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
python3 "$TOP/tests/oracle/guests/_planted.py" "$CDICT" "$pair" both.cdict

# Anonymized, the pair still belongs together: a UUID has the same pseudonym in both files. No identity is left.
for name in host instance-0000001b; do
	"$CDICT" annotate -q "$pair/$name.cdict" --anonymize -o "${name%-*}.hidden" 2>&1
	"$CDICT" info --labels --format json "$pair/$name.cdict" | grep -oE '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|instance-[0-9a-f]{8}|kvmhost' |
		sort -u >"$name.ids"
done
wrong=$(
	[ "$(cat ./*.ids | wc -l)" -ge 7 ] || echo "the pair has too few identities:" ./*.ids
	"$CDICT" join host.hidden =instance.hidden -o hidden.cdict 2>&1 | grep -v 'found by its UUID'
	for name in host instance-0000001b; do
		"$CDICT" info --labels --format json "${name%-*}.hidden" | grep -F -f "$name.ids"
	done
)
verdict anonymized_the_pair_has_no_identities_and_is_joined_by_UUID "$wrong"
