#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 900
# takes: 60
# needs: python3 xz
#
# Cdicts that mean much more than their bytes: every command ends within 64 MiB and eight times the file, in time that
# goes with its size, with a reason where it does not do what was asked.
. "$TOP/tests/hostile/_lib.sh"

mkdir made
python3 "$tools/mkbomb.py" made || exit 1
for file in made/*-mended.cdict; do
	kind=${file%-mended.cdict}
	mib=64
	# 400,000 tasks with names of their own, in tables
	[ "$(basename "$kind")" != task-comms ] || mib=128
	verdict "bomb_$(basename "$kind")" "$(bounded $mib 3 "$kind.cdict" "$file")"
done

for packed in ${SHARED:+"$SHARED"/captures/found/*.cdict.xz}; do
	[ -r "$packed" ] || continue
	name=$(basename "$packed" .cdict.xz)
	xz -dkc "$packed" >"$name.cdict"
	for seed in 1 2; do
		python3 "$tools/mkbomb.py" --mend "$name.cdict" "$name.$seed.cdict" $seed
		python3 "$tools/mkbomb.py" --longer "$name.cdict" "$name.longer$seed.cdict" $seed
	done
	verdict "found_$name" "$(bounded 64 3 "$name".cdict "$name".[12].cdict)"
	verdict "found_${name}_with_a_byte_more" "$(bounded 64 3 "$name".longer?.cdict)"
done
