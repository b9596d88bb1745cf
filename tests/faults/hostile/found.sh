#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: seconds of CPU, which grow on a busy machine
# timeout: 1200
# needs: python3 xz
#
# The files that broke the first release (../shared/captures/found), also with one byte changed or added: every
# command ends within 64 MiB plus eight times the file, in time proportional to its size, and gives a reason if it fails.
# All commands run on the files, a sixth of them on one variant of each (EVERY=1: all on both).
. "$TOP/tests/faults/hostile/_lib.sh"

[ -r "${SHARED:-/nonexistent}/captures/found" ] || { echo "../shared/captures/found is not there" >&2; exit 77; }

n=0
for packed in "$SHARED"/captures/found/*.cdict.xz; do
	name=$(basename "$packed" .cdict.xz)
	xz -dkc "$packed" >"$name.cdict"
	if [ "$name" = evnt-cpus ]; then # 60,000 CPUs, for which other limits apply
		echo 1 65536 >"$name.sizes"
		verdict "found_$name" "$(bounded --law "$name.cdict")"
		continue
	fi
	if [ "$(stat -c %s "$name.cdict")" -le 16 ]; then # a head without a block has no other guise
		verdict "found_$name" "$(bounded 64 3 "$name.cdict")"
		continue
	fi
	verdict "found_$name" "$(bounded 64 3 "$name.cdict")"
	# one of the two variants, of the next file the other
	n=$((n + 1))
	if in_sample $n 2; then
		python3 "$tools/make/mkbomb.py" --mend "$name.cdict" "$name.1.cdict" 1
		verdict "found_${name}_with_another_byte" "$(bounded 64 3 --like "$name.1.cdict")"
	fi
	if in_sample $((n + 1)) 2; then
		python3 "$tools/make/mkbomb.py" --longer "$name.cdict" "$name.longer.cdict" 1
		verdict "found_${name}_with_a_byte_more" "$(bounded 64 3 --like "$name.longer.cdict")"
	fi
done
