#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 600
#
# For every real and synthetic capture, complete and with random events removed, cut or with gaps: vCPU states add up to the
# window, core map columns to the whole window, antagonists to at most the waits (unit/hold.h). A walk over
# a window gives the same figures as the whole capture does for it, also if events are missing, with
# or without a loss record. A walk in two parts, cut anywhere, prints the same as a single walk.
# The figures of the single CPUs add up to those of all. EVERY=1: all captures, not only one of each kind, and twice as many cuts and gaps.
set -u
. "$TOP/tests/oracle/_lib.sh"
addup=$BUILD/tests/tools/check/addup
twoparts=$BUILD/tests/tools/check/twoparts
n=0 times=1
[ "${EVERY-}" != 1 ] || times=2

for trace in "$DATA"/*.trace; do
	name=$(basename "$trace" .trace)
	case $name in
	switch-only | switch-per-task | generic | marker-writes) continue ;; # no events of these kinds
	old-states) continue ;;                              # a task that lives on when it is dead
	esac
	rm -f x.cdict
	"$MKPERF" -o x.data "$trace" 2>mkperf.err && "$CDICT" convert -q -i x.data -o x.cdict 2>>mkperf.err
	"$addup" x.cdict "${FEW:-$((15 * times))}" 2>addup.err >addup.out || echo "ends with $?" >>addup.err
	"$twoparts" x.cdict "${FEW:-$((15 * times))}" 2>>addup.err >>twoparts.out || echo "twoparts ends with $?" >>addup.err
	python3 "$TOP/tests/tools/check/sumcpus.py" "$CDICT" x.cdict 2>&1 | head -3 >>addup.err
	verdict "addup-$name" "$(cat addup.err)"
done

while IFS= read -r data; do
	rm -f x.cdict
	"$CDICT" convert -q -i "$data" -o x.cdict 2>convert.err </dev/null
	if [ ! -s x.cdict ]; then
		fail "addup-$(basename "$data")" <convert.err
		continue
	fi
	"$addup" x.cdict "${FEW:-$((8 * times))}" 2>addup.err >addup.out || echo "ends with $?" >>addup.err
	"$twoparts" x.cdict "${FEW:-$((3 * times))}" 2>>addup.err >>twoparts.out || echo "twoparts ends with $?" >>addup.err
	python3 "$TOP/tests/tools/check/sumcpus.py" "$CDICT" x.cdict 2>&1 | head -3 >>addup.err
	verdict "addup-$(basename "$data" .data)" "$(cat addup.err)"
	for missing in '40 0' '300 2' '0 8'; do
		in_sample $((n += 1)) 3 || continue
		# shellcheck disable=SC2086
		python3 "$TOP/tests/tools/make/thinperf.py" "$data" x.data $missing 1 2>thin.err || break
		rm -f x.cdict
		"$CDICT" convert -q -i x.data -o x.cdict 2>>thin.err </dev/null
		"$addup" x.cdict 3 2>addup.err >addup.out || echo "ends with $?" >>addup.err
		"$twoparts" x.cdict 4 2>>addup.err >>twoparts.out || echo "twoparts ends with $?" >>addup.err
		verdict "addup-$(basename "$data" .data)-${missing/ /-}" "$(cat addup.err)"
	done
done < <(real_captures ${EVERY:+all})

# Else none of the above tests covered two parts.
awk '{ walks += $1; joined += $3 } END { exit !(joined > walks / 2) }' twoparts.out
verdict half-of-walks-in-two-parts-and-more-were-joined "$([ $? -eq 0 ] || sort twoparts.out | uniq -c)"
